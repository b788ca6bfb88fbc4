//! Registration under the square-root normal field metric: rotation and reparameterization of the disk.
//!
//! q = n/√|n|, n = f_u × f_v, is mapped by a diffeomorphism γ to √J(γ)·q∘γ, which is an isometry of L²
//! (Jermyn et al. 2017; Soto et al. 2024, A.3). On a triangulated disk the q of a piecewise linear surface, integrated over
//! a triangle, is N/√|N| with N the triangle's area vector: the Jacobian is accounted for by itself.

use super::locate::DiskSurface;
use super::tangential::TangentialFields;
use super::template::Template;
use crate::conformal::Complex;
use crate::mesh::{Point, Vector};
use nalgebra::{DMatrix, DVector, Matrix3, Matrix3x2, Rotation3};

/// Coarse to fine: rings of the computational disk, degree of the fields, Gauss–Newton steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SrnfSettings {
    /// (rings, degree, steps) of each level.
    pub levels: Vec<(usize, usize, usize)>,
}

impl Default for SrnfSettings {
    fn default() -> Self {
        Self { levels: vec![(8, 2, 8), (13, 4, 6), (18, 6, 6)] }
    }
}

/// A scan registered to the template.
#[derive(Debug, Clone)]
pub struct Registered {
    /// Where the template's vertices lie on the scan, in the scan's coordinates.
    pub positions: Vec<Point>,
    /// Whether a vertex was put on the scan; the others, where there is none, continue smoothly.
    pub landed: Vec<bool>,
    /// The energy before the first and after every accepted step, level by level (each level has its own discretization).
    pub energy: Vec<Vec<f64>>,
    /// Smallest Jacobian determinant of γ over the template's triangles; positive.
    pub min_jacobian: f64,
}

/// Registers a flattened, recentred scan to the template, starting from a rotation that takes the scan to the
/// template's orientation. The border is mapped to the border.
///
/// Every accepted step lowers the energy and is a diffeomorphism: its Jacobian determinant is positive on the
/// computational disk, and γ flips no triangle of the template.
pub fn register_srnf(
    scan: &DiskSurface,
    template: &Template,
    rotation: Rotation3<f64>,
    settings: &SrnfSettings,
) -> Registered {
    let mut state = State { scan, template, rotation, steps: Vec::new() };
    let energy =
        settings.levels.iter().map(|&(rings, degree, steps)| state.level(rings, degree, steps)).collect();
    let (y, min_jacobian) = state.on_template();
    let positions: Vec<Point> = y.iter().map(|&y| scan.point(&scan.locate(y))).collect();
    let landed = vec![true; positions.len()];
    Registered { positions, landed, energy, min_jacobian }
}

/// One accepted step: z ↦ z + Σ c_k b_k(z).
struct Step {
    fields: TangentialFields,
    coefficients: Vec<f64>,
}

struct State<'a> {
    scan: &'a DiskSurface,
    template: &'a Template,
    rotation: Rotation3<f64>,
    steps: Vec<Step>,
}

/// A Gauss–Newton step that was taken: γ on the grid, the step's coefficients, the energy and rotation after it.
struct Accepted {
    y: Vec<Complex>,
    coefficients: Vec<f64>,
    energy: f64,
    rotation: Rotation3<f64>,
}

/// Surfaces compared on one computational disk.
struct Level<'a> {
    state: &'a State<'a>,
    grid: Grid,
    /// The template's q per triangle.
    target: Vec<Vector>,
    /// Scan units to unit area.
    scale: f64,
}

impl State<'_> {
    fn warp(&self, z: Complex) -> Complex {
        self.steps.iter().fold(z, |z, s| s.fields.step(&s.coefficients, z))
    }

    fn level(&mut self, rings: usize, degree: usize, count: usize) -> Vec<f64> {
        let grid = Grid::new(rings);
        let unit = 1.0 / self.template.mesh().area().sqrt();
        let surface = self.template.surface();
        let own: Vec<Point> = grid.z.iter().map(|&z| surface.point(&surface.locate(z)) * unit).collect();
        let target = grid.triangles.iter().map(|t| square_root_normal(&area_vector(&own, t))).collect();
        let scale = 1.0 / self.scan.mesh().area().sqrt();
        let mut y: Vec<Complex> = grid.z.iter().map(|&z| self.warp(z)).collect();
        let fields = TangentialFields::new(degree);
        let mut rotation = self.rotation;
        let mut accepted = Vec::new();
        let mut trace;
        {
            let level = Level { state: self, grid, target, scale };
            rotation = level.best_rotation(&y).unwrap_or(rotation);
            let mut energy = level.energy(&y, &rotation);
            trace = vec![energy];
            let mut damping = 1e-2;
            for _ in 0..count {
                let Some(Accepted { y: next, coefficients, energy: value, rotation: turn }) =
                    level.gauss_newton(&y, &rotation, &fields, energy, &mut damping)
                else {
                    break;
                };
                let gain = (energy - value) / energy.max(f64::MIN_POSITIVE);
                (y, energy, rotation) = (next, value, turn);
                trace.push(energy);
                accepted.push(coefficients);
                if gain < 1e-3 {
                    break;
                }
            }
        }
        self.rotation = rotation;
        self.steps
            .extend(accepted.into_iter().map(|coefficients| Step { fields: fields.clone(), coefficients }));
        trace
    }

    /// γ at the template's vertices; the last steps are taken back while one of its triangles is flipped.
    fn on_template(&mut self) -> (Vec<Complex>, f64) {
        let z = self.template.surface().z();
        loop {
            let y: Vec<Complex> = z.iter().map(|&z| self.warp(z)).collect();
            let triangles = self.template.mesh().triangles();
            let jacobian = triangles
                .iter()
                .map(|t| signed_area(t.map(|i| y[i])) / signed_area(t.map(|i| z[i])))
                .fold(f64::INFINITY, f64::min);
            if jacobian > 0.0 || self.steps.pop().is_none() {
                return (y, jacobian);
            }
        }
    }
}

impl Level<'_> {
    fn points(&self, y: &[Complex]) -> Vec<Point> {
        y.iter().map(|&y| self.state.scan.point(&self.state.scan.locate(y)) * self.scale).collect()
    }

    fn fields_of(&self, y: &[Complex]) -> Vec<Vector> {
        let p = self.points(y);
        self.grid.triangles.iter().map(|t| square_root_normal(&area_vector(&p, t))).collect()
    }

    fn best_rotation(&self, y: &[Complex]) -> Option<Rotation3<f64>> {
        let q = self.fields_of(y);
        let cross: Matrix3<f64> = q.iter().zip(&self.target).map(|(q, t)| t * q.transpose()).sum();
        crate::mesh::pose::nearest_rotation(&cross).map(|(r, _)| r)
    }

    /// ‖q₁ − R (q₂, γ)‖².
    fn energy(&self, y: &[Complex], rotation: &Rotation3<f64>) -> f64 {
        self.fields_of(y).iter().zip(&self.target).map(|(q, t)| (t - rotation * q).norm_squared()).sum()
    }

    /// One damped Gauss–Newton step that lowers the energy and is a diffeomorphism, if there is one.
    fn gauss_newton(
        &self,
        y: &[Complex],
        rotation: &Rotation3<f64>,
        fields: &TangentialFields,
        energy: f64,
        damping: &mut f64,
    ) -> Option<Accepted> {
        let (jacobian, residual) = self.linearize(y, rotation, fields);
        let normal = jacobian.tr_mul(&jacobian);
        let gradient = jacobian.tr_mul(&residual);
        let mean = normal.trace() / fields.len() as f64;
        for _ in 0..8 {
            let mut damped = normal.clone();
            (0..fields.len()).for_each(|k| damped[(k, k)] += *damping * mean * fields.roughness(k));
            let step = -damped.cholesky()?.solve(&gradient);
            let coefficients: Vec<f64> = step.iter().copied().collect();
            if self.is_diffeomorphism(y, fields, &coefficients) {
                let next: Vec<Complex> = y.iter().map(|&y| fields.step(&coefficients, y)).collect();
                let turn = self.best_rotation(&next).unwrap_or(*rotation);
                let value = self.energy(&next, &turn);
                if value < energy {
                    *damping = (*damping * 0.3).max(1e-4);
                    return Some(Accepted { y: next, coefficients, energy: value, rotation: turn });
                }
            }
            *damping *= 6.0;
        }
        None
    }

    /// Residuals R q₂ − q₁ per triangle and their derivatives along the fields.
    fn linearize(
        &self,
        y: &[Complex],
        rotation: &Rotation3<f64>,
        fields: &TangentialFields,
    ) -> (DMatrix<f64>, DVector<f64>) {
        let scan = self.state.scan;
        let k_count = fields.len();
        let places: Vec<_> = y.iter().map(|&y| scan.locate(y)).collect();
        let p: Vec<Point> = places.iter().map(|at| scan.point(at) * self.scale).collect();
        let motion: Vec<Vec<Vector>> = y
            .iter()
            .zip(&places)
            .map(|(&y, at)| {
                let d: Matrix3x2<f64> = scan.derivative(at) * self.scale;
                fields.at(y).iter().map(|b| d * nalgebra::Vector2::new(b.re, b.im)).collect()
            })
            .collect();
        let rows = 3 * self.grid.triangles.len();
        let mut jacobian = DMatrix::zeros(rows, k_count);
        let mut residual = DVector::zeros(rows);
        for (t, corners) in self.grid.triangles.iter().enumerate() {
            let n = area_vector(&p, corners);
            let size = n.norm().max(1e-300);
            residual.rows_mut(3 * t, 3).copy_from(&(rotation * square_root_normal(&n) - self.target[t]));
            // dq = (I − ½ n̂ n̂ᵀ) dN / √|N|.
            let unit = n / size;
            let change =
                rotation.matrix() * (Matrix3::identity() - 0.5 * unit * unit.transpose()) / size.sqrt();
            let [a, b, c] = *corners;
            let (e, f) = (p[b] - p[a], p[c] - p[a]);
            for (k, ((ma, mb), mc)) in motion[a].iter().zip(&motion[b]).zip(&motion[c]).enumerate() {
                let (de, df) = (mb - ma, mc - ma);
                let dn = 0.5 * (de.cross(&f) + e.cross(&df));
                jacobian.fixed_view_mut::<3, 1>(3 * t, k).copy_from(&(change * dn));
            }
        }
        (jacobian, residual)
    }

    /// Jacobian determinant of the step positive at every point (by differences), no triangle of the grid flipped.
    fn is_diffeomorphism(&self, y: &[Complex], fields: &TangentialFields, c: &[f64]) -> bool {
        let h = 1e-4;
        let smooth = y.iter().all(|&z| {
            // Differences towards the inside, so that all stay in the disk.
            let towards = |d: Complex| if (z + d).norm() <= 1.0 { d } else { -d };
            let (dx, dy) = (towards(Complex::new(h, 0.0)), towards(Complex::new(0.0, h)));
            let w = fields.combine(c, z);
            let gx = (fields.combine(c, z + dx) - w) / dx.re;
            let gy = (fields.combine(c, z + dy) - w) / dy.im;
            (1.0 + gx.re) * (1.0 + gy.im) - gx.im * gy.re > 0.1 && 1.0 + gx.re > 0.0
        });
        smooth && {
            let next: Vec<Complex> = y.iter().map(|&y| fields.step(c, y)).collect();
            self.grid.triangles.iter().all(|t| signed_area(t.map(|i| next[i])) > 0.0)
        }
    }
}

fn signed_area([a, b, c]: [Complex; 3]) -> f64 {
    0.5 * ((b - a).re * (c - a).im - (b - a).im * (c - a).re)
}

fn area_vector(p: &[Point], &[a, b, c]: &[usize; 3]) -> Vector {
    0.5 * (p[b] - p[a]).cross(&(p[c] - p[a]))
}

/// N/√|N|.
fn square_root_normal(n: &Vector) -> Vector {
    let size = n.norm();
    if size > 0.0 { n / size.sqrt() } else { Vector::zeros() }
}

/// A triangulated disk of concentric rings, ring k with 6k points.
struct Grid {
    z: Vec<Complex>,
    triangles: Vec<[usize; 3]>,
}

impl Grid {
    fn new(rings: usize) -> Self {
        let mut z = vec![Complex::new(0.0, 0.0)];
        for k in 1..=rings {
            let r = k as f64 / rings as f64;
            z.extend(
                (0..6 * k).map(|i| Complex::from_polar(r, std::f64::consts::TAU * i as f64 / (6 * k) as f64)),
            );
        }
        let first = |k: usize| if k == 0 { 0 } else { 1 + 3 * k * (k - 1) };
        let at = |k: usize, i: usize| if k == 0 { 0 } else { first(k) + i % (6 * k) };
        let mut triangles = Vec::with_capacity(6 * rings * rings);
        for k in 1..=rings {
            for sector in 0..6 {
                for i in 0..k {
                    let (outer, inner) = (sector * k + i, sector * (k - 1) + i);
                    triangles.push([at(k - 1, inner), at(k, outer), at(k, outer + 1)]);
                    if i + 1 < k {
                        triangles.push([at(k - 1, inner), at(k, outer + 1), at(k - 1, inner + 1)]);
                    }
                }
            }
        }
        Self { z, triangles }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformal::disk_map;
    use crate::mesh::{DiskMesh, TriMesh};

    #[test]
    fn the_grid_covers_the_disk_once() {
        let grid = Grid::new(9);
        assert_eq!(grid.triangles.len(), 6 * 81);
        let areas: Vec<f64> = grid.triangles.iter().map(|t| signed_area(t.map(|i| grid.z[i]))).collect();
        assert!(areas.iter().all(|a| *a > 0.0));
        let polygon = 0.5 * 54.0 * (std::f64::consts::TAU / 54.0).sin();
        assert!((areas.iter().sum::<f64>() - polygon).abs() < 1e-12);
    }

    /// A bumpy cap, its vertices taken from the grid after a warp of the disk.
    fn cap(warp: impl Fn(Complex) -> Complex, place: impl Fn(Point) -> Point) -> DiskMesh {
        let grid = Grid::new(20);
        let v = grid
            .z
            .iter()
            .map(|&z| {
                let w = warp(z);
                let bump = 0.35 * (-12.0 * (w - Complex::new(0.25, 0.2)).norm_sqr()).exp()
                    + 0.3 * (-14.0 * (w + Complex::new(0.3, 0.1)).norm_sqr()).exp();
                place(Point::new(w.re, w.im, 0.4 - 0.4 * w.norm_sqr() + bump))
            })
            .collect();
        DiskMesh::try_new(TriMesh::new(v, grid.triangles).unwrap()).unwrap()
    }

    #[test]
    fn the_same_surface_in_another_pose_and_meshing_is_found_again() {
        let template = Template::new(cap(|z| z, |p| p), 0, Vector::z(), Vector::y()).unwrap();
        let turn = Rotation3::from_euler_angles(0.3, -0.2, 0.25);
        let warp = |z: Complex| z * Complex::from_polar(1.0, 0.15 * (1.0 - z.norm_sqr()));
        let scan = cap(warp, |p| Point::from(3.0 * (turn * p.coords) + Vector::new(1.0, 2.0, 3.0)));
        // Recentred on its own middle, up as the template's: the residual turn is for the registration to find.
        let map = disk_map(&scan).unwrap();
        let up = 3.0 * (turn * template.upward().coords) + Vector::new(1.0, 2.0, 3.0);
        let map = super::super::template::recentred(&map, &scan, 0, &Point::from(up)).unwrap();
        let surface = DiskSurface::new(&scan, &map);
        let found = register_srnf(&surface, &template, Rotation3::identity(), &SrnfSettings::default());
        assert!(found.min_jacobian > 0.0);
        for trace in &found.energy {
            assert!(trace.windows(2).all(|w| w[1] < w[0]), "energy must fall: {trace:?}");
        }
        let error: f64 = found
            .positions
            .iter()
            .zip(template.mesh().vertices())
            .map(|(p, q)| (p.coords - (3.0 * (turn * q.coords) + Vector::new(1.0, 2.0, 3.0))).norm() / 3.0)
            .sum::<f64>()
            / found.positions.len() as f64;
        assert!(error < 0.012, "mean error {error} of a disk of radius one");
        let curves = template.curves_of(&found.positions, 8, 24).unwrap();
        let own = template.own_curves(8, 24).unwrap();
        assert!(curves.mean_square_distance(&own) < 1e-4);
        let again = template.face_through(&own).unwrap();
        let moved = again
            .vertices()
            .iter()
            .zip(template.unit_vertices())
            .map(|(a, b)| (a - b).norm())
            .fold(0.0, f64::max);
        assert!(moved < 1e-9);
    }
}
