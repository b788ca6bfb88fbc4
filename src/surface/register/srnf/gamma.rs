//! Reparameterizations γ: D → D, linear on the triangles of a polar grid.

use super::super::super::locate::{PlanarLocator, cross};
use super::super::super::polar::PolarGrid;
use nalgebra::Complex;
use std::f64::consts::{PI, TAU};

/// A homeomorphism of the disk's polygon: where each grid node goes.
///
/// It is one exactly when every triangle keeps a positive area and the rim goes once round the circle; both are
/// checked on every change, so no value of this type folds.
#[derive(Debug, Clone, PartialEq)]
pub struct Reparameterization {
    grid: PolarGrid,
    images: Vec<Complex<f64>>,
    min_jacobian: f64,
}

impl Reparameterization {
    /// The rotation z ↦ e^{i·angle} z.
    pub fn rotation(grid: PolarGrid, angle: f64) -> Self {
        let turn = Complex::from_polar(1.0, angle);
        Self { grid, images: grid.nodes().iter().map(|z| z * turn).collect(), min_jacobian: 1.0 }
    }

    /// The grid.
    pub fn grid(&self) -> PolarGrid {
        self.grid
    }

    /// γ at the grid's nodes.
    pub fn images(&self) -> &[Complex<f64>] {
        &self.images
    }

    /// The smallest Jacobian determinant of γ over the grid's triangles: above 0.
    pub fn min_jacobian(&self) -> f64 {
        self.min_jacobian
    }

    /// γ at any place of the disk.
    pub fn at(&self, nodes: &PlanarLocator, z: Complex<f64>) -> Complex<f64> {
        nodes.interpolate(&self.images, z)
    }

    /// γ ∘ (id + step·v), v a velocity at the nodes, tangential on the rim; none when it would fold, or when its
    /// smallest Jacobian would fall under `least_jacobian`.
    pub(crate) fn after(
        &self,
        nodes: &PlanarLocator,
        velocity: &[Complex<f64>],
        step: f64,
        least_jacobian: f64,
    ) -> Option<Self> {
        let moved = nodes.points().iter().zip(velocity).map(|(&z, &v)| displaced(z, v * step));
        let mut images: Vec<Complex<f64>> = moved.map(|z| self.at(nodes, z)).collect();
        // Chords of the rim cut inside the circle: put the rim back on it.
        for image in &mut images[self.grid.boundary()] {
            *image /= image.norm();
        }
        let min_jacobian = smallest_jacobian(nodes, &images);
        let sound = min_jacobian >= least_jacobian && goes_once_round(&images[self.grid.boundary()]);
        sound.then_some(Self { grid: self.grid, images, min_jacobian })
    }

    /// γ resampled on another grid; none when that grid is too coarse for it.
    pub(crate) fn resampled(&self, nodes: &PlanarLocator, finer: PolarGrid) -> Option<Self> {
        let mut images: Vec<Complex<f64>> = finer.nodes().iter().map(|&z| self.at(nodes, z)).collect();
        for image in &mut images[finer.boundary()] {
            *image /= image.norm();
        }
        let fine_nodes = PlanarLocator::new(&finer.nodes(), &finer.triangles()).ok()?;
        let min_jacobian = smallest_jacobian(&fine_nodes, &images);
        let sound = min_jacobian > 0.0 && goes_once_round(&images[finer.boundary()]);
        sound.then_some(Self { grid: finer, images, min_jacobian })
    }
}

/// z + v, bent towards the rotation z·exp(v/z) near the rim, where v/z is imaginary: the circle maps to itself.
fn displaced(z: Complex<f64>, v: Complex<f64>) -> Complex<f64> {
    let t = ((z.norm() - 0.3) / 0.6).clamp(0.0, 1.0);
    let blend = t * t * (3.0 - 2.0 * t);
    if blend == 0.0 { z + v } else { (z + v) * (1.0 - blend) + z * (v / z).exp() * blend }
}

/// Smallest ratio of a triangle's image area to its own; NaN images count as folded.
fn smallest_jacobian(nodes: &PlanarLocator, images: &[Complex<f64>]) -> f64 {
    let area = |z: &[Complex<f64>], [a, b, c]: [usize; 3]| cross(z[b] - z[a], z[c] - z[a]);
    let ratios = nodes.triangles().iter().map(|&t| area(images, t) / area(nodes.points(), t));
    ratios.fold(f64::INFINITY, |least, r| if r < least || r.is_nan() { r } else { least })
}

fn goes_once_round(rim: &[Complex<f64>]) -> bool {
    let steps = (0..rim.len()).map(|k| (rim[(k + 1) % rim.len()] / rim[k]).arg());
    let mut total = 0.0;
    for step in steps {
        if !(step > 0.0 && step < PI) {
            return false;
        }
        total += step;
    }
    (total - TAU).abs() < 1e-6
}

#[cfg(test)]
mod tests {
    use super::super::basis::tangential_fields;
    use super::*;

    fn setting() -> (PolarGrid, PlanarLocator) {
        let grid = PolarGrid::new(16, 48).unwrap();
        (grid, PlanarLocator::new(&grid.nodes(), &grid.triangles()).unwrap())
    }

    #[test]
    fn many_small_steps_stay_a_homeomorphism_and_big_ones_are_refused() {
        let (grid, nodes) = setting();
        let mut gamma = Reparameterization::rotation(grid, 0.4);
        for field in tangential_fields(&grid.nodes(), 5.0) {
            gamma = gamma.after(&nodes, &field.values, 0.01, 1e-3).unwrap();
            assert!(gamma.images()[grid.boundary()].iter().all(|z| (z.norm() - 1.0).abs() < 1e-12));
            assert!(gamma.min_jacobian() > 0.0);
        }
        let rough = &tangential_fields(&grid.nodes(), 12.0).pop().unwrap().values;
        assert!(gamma.after(&nodes, rough, 0.5, 1e-3).is_none());
        assert!(gamma.after(&nodes, &vec![Complex::new(f64::NAN, 0.0); grid.n_nodes()], 0.1, 1e-3).is_none());
        let finer = gamma.resampled(&nodes, PolarGrid::new(20, 60).unwrap()).unwrap();
        assert!(finer.min_jacobian() > 0.0);
    }

    #[test]
    fn moebius_velocity_moves_the_centre_and_keeps_the_circle() {
        let (grid, nodes) = setting();
        let towards_one = &tangential_fields(&grid.nodes(), 0.1)[0].values;
        let mut gamma = Reparameterization::rotation(grid, 0.0);
        for _ in 0..20 {
            gamma = gamma.after(&nodes, towards_one, 0.01, 1e-3).unwrap();
        }
        assert!(gamma.images()[0].re > 0.1 && gamma.images()[0].im.abs() < 1e-3);
    }
}
