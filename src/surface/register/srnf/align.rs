//! Gauss–Newton descent of the SRNF energy over rotations and reparameterizations.

use super::super::super::disk_surface::{DiskSurface, UnitAreaSurface};
use super::super::super::locate::{LocateError, PlanarLocator};
use super::super::super::polar::PolarGrid;
use super::super::super::srnf::NormalField;
use super::basis::{Field, tangential_fields};
use super::gamma::Reparameterization;
use crate::mesh::{Point, Vector};
use nalgebra::{Complex, DMatrix, DVector, Rotation3};

/// Public settings of the SRNF registration.
#[derive(Debug, Clone, PartialEq)]
pub struct SrnfSettings {
    /// Angles of the disk tried before the descent, equally spaced.
    pub starting_angles: usize,
    /// From coarse to fine: rings and rays of the grid, and the highest frequency of the velocity basis.
    pub levels: Vec<(PolarGrid, f64)>,
    /// Steps on each level at most.
    pub steps_per_level: usize,
    /// A level ends when a step lowers the energy by less than this share.
    pub least_gain: f64,
    /// Weight of the H² size of a step against the energy: keeps steps smooth.
    pub roughness: f64,
    /// Steps that would bring the smallest Jacobian of γ under this are shortened.
    pub least_jacobian: f64,
}

impl Default for SrnfSettings {
    fn default() -> Self {
        let grid = |rings, rays| PolarGrid::new(rings, rays).ok();
        let levels = [(grid(8, 32), 3.2), (grid(12, 48), 5.4), (grid(18, 64), 8.0), (grid(24, 80), 10.5)];
        Self {
            starting_angles: 24,
            levels: levels.into_iter().filter_map(|(g, f)| Some((g?, f))).collect(),
            steps_per_level: 12,
            least_gain: 2e-4,
            roughness: 3e-7,
            least_jacobian: 0.02,
        }
    }
}

/// The outcome of an SRNF registration.
#[derive(Debug, Clone, PartialEq)]
pub struct SrnfAlignment {
    /// γ: template's disk → scan's disk.
    pub gamma: Reparameterization,
    /// O, to be applied to the scan.
    pub rotation: Rotation3<f64>,
    /// Energy ‖q₁ − O(q₂, γ)‖² after the start and after every step, level by level; it never rises within a level.
    pub energies: Vec<Vec<f64>>,
    /// The smallest Jacobian determinant of γ met along the way.
    pub min_jacobian: f64,
}

/// One surface given by a flattened mesh, ready to be evaluated anywhere on the disk.
pub(crate) struct Flattened<'a> {
    pub locator: &'a PlanarLocator,
    pub vertices: &'a [Point],
}

impl Flattened<'_> {
    fn after(&self, gamma: &Reparameterization) -> DiskSurface {
        DiskSurface::pulled_back(self.locator, self.vertices, gamma.grid(), gamma.images())
    }
}

/// Minimizes ‖q₁ − O(q₂, γ)‖² over rotations O and reparameterizations γ, coarse to fine (Jermyn et al. 2017,
/// with Gauss–Newton in place of gradient descent). `fixed` and `moving` should have equal areas.
pub(crate) fn align(
    fixed: &Flattened,
    moving: &Flattened,
    settings: &SrnfSettings,
) -> Result<Option<SrnfAlignment>, LocateError> {
    let mut state: Option<(Reparameterization, PlanarLocator)> = None;
    let mut energies = Vec::new();
    let (mut rotation, mut min_jacobian) = (Rotation3::identity(), 1.0_f64);
    for &(grid, highest) in &settings.levels {
        let nodes = PlanarLocator::new(&grid.nodes(), &grid.triangles())?;
        let target = NormalField::of(&fixed.after(&Reparameterization::rotation(grid, 0.0)));
        let start = match &state {
            Some((gamma, coarse)) => gamma.resampled(coarse, grid),
            None => Some(best_start(&target, moving, grid, settings.starting_angles)),
        };
        // A γ too sharp for the next grid ends the refinement: what there is, is sound.
        let Some(start) = start else { break };
        let fields = tangential_fields(nodes.points(), highest);
        let level = Level { target, moving, nodes, fields, settings };
        let done = level.descend(start);
        rotation = done.rotation;
        min_jacobian = min_jacobian.min(done.min_jacobian);
        energies.push(done.energies);
        state = Some((done.gamma, level.nodes));
    }
    Ok(state.map(|(gamma, _)| SrnfAlignment { gamma, rotation, energies, min_jacobian }))
}

/// Registers one normalized surface on another over the same kind of grid: γ and O that minimize the SRNF
/// distance. None when there are no levels in the settings.
///
/// # Errors
/// [`LocateError`] only when a surface's grid cannot be searched.
pub fn align_surfaces(
    fixed: &UnitAreaSurface,
    moving: &UnitAreaSurface,
    settings: &SrnfSettings,
) -> Result<Option<SrnfAlignment>, LocateError> {
    let locator_of = |s: &UnitAreaSurface| {
        let grid = s.surface().grid();
        PlanarLocator::new(&grid.nodes(), &grid.triangles())
    };
    let (on_fixed, on_moving) = (locator_of(fixed)?, locator_of(moving)?);
    let fixed = Flattened { locator: &on_fixed, vertices: fixed.surface().positions() };
    let moving = Flattened { locator: &on_moving, vertices: moving.surface().positions() };
    align(&fixed, &moving, settings)
}

fn best_start(
    target: &NormalField,
    moving: &Flattened,
    grid: PolarGrid,
    angles: usize,
) -> Reparameterization {
    let mut best = (f64::INFINITY, Reparameterization::rotation(grid, 0.0));
    for k in 0..angles.max(1) {
        let angle = std::f64::consts::TAU * k as f64 / angles.max(1) as f64;
        let gamma = Reparameterization::rotation(grid, angle);
        let field = NormalField::of(&moving.after(&gamma));
        let energy = target.energy_unchecked(&field, &target.best_rotation_unchecked(&field));
        if energy < best.0 {
            best = (energy, gamma);
        }
    }
    best.1
}

struct Level<'a> {
    target: NormalField,
    moving: &'a Flattened<'a>,
    nodes: PlanarLocator,
    fields: Vec<Field>,
    settings: &'a SrnfSettings,
}

struct Descent {
    gamma: Reparameterization,
    rotation: Rotation3<f64>,
    energies: Vec<f64>,
    min_jacobian: f64,
}

/// A γ with all that its energy needs.
struct Trial {
    gamma: Reparameterization,
    surface: DiskSurface,
    field: NormalField,
    rotation: Rotation3<f64>,
    energy: f64,
}

impl Level<'_> {
    fn trial(&self, gamma: Reparameterization) -> Trial {
        let surface = self.moving.after(&gamma);
        let field = NormalField::on_triangles(&surface, self.nodes.triangles());
        let rotation = self.target.best_rotation_unchecked(&field);
        let energy = self.target.energy_unchecked(&field, &rotation);
        Trial { gamma, surface, field, rotation, energy }
    }

    fn descend(&self, start: Reparameterization) -> Descent {
        let mut now = self.trial(start);
        let mut energies = vec![now.energy];
        let mut min_jacobian = now.gamma.min_jacobian();
        let mut damping = 1.0;
        for _ in 0..self.settings.steps_per_level {
            let Some(better) = self.step(&now, &mut damping) else { break };
            let gain = now.energy - better.energy;
            now = better;
            energies.push(now.energy);
            min_jacobian = min_jacobian.min(now.gamma.min_jacobian());
            if gain < self.settings.least_gain * now.energy {
                break;
            }
        }
        Descent { gamma: now.gamma, rotation: now.rotation, energies, min_jacobian }
    }

    /// A Levenberg–Marquardt step that lowers the energy and keeps the Jacobian; none when there is none.
    fn step(&self, now: &Trial, damping: &mut f64) -> Option<Trial> {
        let (normal, gradient) = self.normal_equations(now);
        for _ in 0..10 {
            let mut damped = normal.clone();
            for (k, field) in self.fields.iter().enumerate() {
                damped[(k, k)] += *damping * self.settings.roughness * (1.0 + field.frequency.powi(4));
            }
            let c = damped.cholesky()?.solve(&gradient);
            let mut velocity = vec![Complex::new(0.0, 0.0); self.nodes.points().len()];
            for (field, &c) in self.fields.iter().zip(c.iter()) {
                velocity.iter_mut().zip(&field.values).for_each(|(v, b)| *v += b * c);
            }
            let next = now.gamma.after(&self.nodes, &velocity, 1.0, self.settings.least_jacobian);
            match next.map(|gamma| self.trial(gamma)).filter(|t| t.energy < now.energy) {
                Some(better) => {
                    *damping = (*damping * 0.3).max(1.0);
                    return Some(better);
                }
                None => *damping *= 6.0,
            }
        }
        None
    }

    /// JᵀJ and Jᵀr of the residuals r = Oᵀq₁ − q₂ on the triangles, J = ∂q₂/∂(coefficients of the velocity).
    fn normal_equations(&self, now: &Trial) -> (DMatrix<f64>, DVector<f64>) {
        let slopes = node_slopes(&now.surface, &self.nodes);
        let positions = now.surface.positions();
        let n = self.fields.len();
        // One column per residual component, so that each triangle writes contiguous memory.
        let mut jacobian = DMatrix::<f64>::zeros(n, 3 * self.nodes.triangles().len());
        let mut residual = DVector::<f64>::zeros(3 * self.nodes.triangles().len());
        let back = now.rotation.inverse();
        for (t, &corners) in self.nodes.triangles().iter().enumerate() {
            let r = back * self.target.values()[t] - now.field.values()[t];
            residual.fixed_rows_mut::<3>(3 * t).copy_from(&r);
            let [a, b, c] = corners.map(|i| positions[i]);
            let (ab, ac) = (b - a, c - a);
            let area_vector = ab.cross(&ac) * 0.5;
            let length = area_vector.norm();
            if length == 0.0 {
                continue;
            }
            let unit = area_vector / length;
            for (k, field) in self.fields.iter().enumerate() {
                let [va, vb, vc] =
                    corners.map(|i| slopes[i].0 * field.values[i].re + slopes[i].1 * field.values[i].im);
                let change = ((vb - va).cross(&ac) + ab.cross(&(vc - va))) * 0.5;
                let dq = (change - unit * (0.5 * unit.dot(&change))) / length.sqrt();
                for (axis, value) in dq.iter().enumerate() {
                    jacobian[(k, 3 * t + axis)] = *value;
                }
            }
        }
        (&jacobian * jacobian.transpose(), jacobian * residual)
    }
}

/// ∂f/∂x and ∂f/∂y at the nodes: the gradients of the triangles around, averaged by planar area.
fn node_slopes(surface: &DiskSurface, nodes: &PlanarLocator) -> Vec<(Vector, Vector)> {
    let (z, f) = (nodes.points(), surface.positions());
    let mut sums = vec![(Vector::zeros(), Vector::zeros(), 0.0); z.len()];
    for &[a, b, c] in nodes.triangles() {
        let (u, v) = (z[b] - z[a], z[c] - z[a]);
        let (du, dv) = (f[b] - f[a], f[c] - f[a]);
        let area = u.re * v.im - u.im * v.re;
        // Unnormalized: area × gradient.
        let (fx, fy) = (du * v.im - dv * u.im, dv * u.re - du * v.re);
        for i in [a, b, c] {
            sums[i].0 += fx;
            sums[i].1 += fy;
            sums[i].2 += area;
        }
    }
    sums.into_iter().map(|(fx, fy, area)| (fx / area, fy / area)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bumpy, asymmetric cap on the disk.
    fn bumpy(z: Complex<f64>) -> Point {
        let bump = |x: f64, y: f64, w: f64| (-((z.re - x).powi(2) + (z.im - y).powi(2)) / w).exp();
        let height = 0.5 * bump(0.0, -0.1, 0.08) + 0.25 * bump(0.45, 0.4, 0.05)
            - 0.3 * bump(-0.4, 0.35, 0.06)
            + 0.2 * bump(0.1, -0.6, 0.03)
            - 0.3 * z.norm_sqr();
        Point::new(z.re, 1.3 * z.im, height)
    }

    fn unit(grid: PolarGrid, at: impl Fn(Complex<f64>) -> Complex<f64>) -> UnitAreaSurface {
        let p = grid.nodes().iter().map(|&z| bumpy(at(z))).collect();
        DiskSurface::new(grid, p).unwrap().normalize().unwrap()
    }

    #[test]
    fn a_known_reparameterization_and_rotation_are_undone() {
        let grid = PolarGrid::new(40, 120).unwrap();
        // A diffeomorphism of the disk: turn by an angle that varies with the radius, after a Möbius shift.
        let shift = Complex::new(0.12, -0.08);
        let phi = |z: Complex<f64>| {
            let w = (z - shift) / (Complex::new(1.0, 0.0) - shift.conj() * z);
            w * Complex::from_polar(1.0, 0.9 + 0.35 * w.norm_sqr())
        };
        let turn = Rotation3::new(Vector::new(0.4, 0.3, -0.8));
        let (fixed, moving) = (unit(grid, |z| z), unit(grid, phi).rotated(&turn));
        let found = align_surfaces(&fixed, &moving, &SrnfSettings::default()).unwrap().unwrap();
        for level in &found.energies {
            assert!(level.windows(2).all(|w| w[1] <= w[0]), "{level:?}");
        }
        assert!(found.min_jacobian > 0.0);
        let (first, last) = (found.energies[0][0], *found.energies.last().unwrap().last().unwrap());
        assert!(last < 0.02 * first, "{first} → {last}");
        assert!((turn * found.rotation).angle() < 0.02);
        // f₂∘γ = O⁻¹f₁, so φ∘γ = id: checked at the nodes.
        let worst = |r: f64| {
            let nodes = found.gamma.grid().nodes();
            let errors = nodes.iter().zip(found.gamma.images()).filter(|(z, _)| z.norm() <= r);
            errors.map(|(z, &g)| (phi(g) - z).norm()).fold(0.0, f64::max)
        };
        assert!(worst(0.9) < 0.05, "{}", worst(0.9));
    }

    #[test]
    fn slopes_of_a_linear_map_are_exact() {
        let grid = PolarGrid::new(5, 20).unwrap();
        let nodes = PlanarLocator::new(&grid.nodes(), &grid.triangles()).unwrap();
        let p = grid.nodes().iter().map(|z| Point::new(2.0 * z.re, z.re - z.im, 3.0 * z.im)).collect();
        for (fx, fy) in node_slopes(&DiskSurface::new(grid, p).unwrap(), &nodes) {
            assert!((fx - Vector::new(2.0, 1.0, 0.0)).norm() < 1e-12);
            assert!((fy - Vector::new(0.0, -1.0, 3.0)).norm() < 1e-12);
        }
    }
}
