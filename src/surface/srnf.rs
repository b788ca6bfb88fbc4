//! Square-root normal fields (Jermyn, Kurtek, Laga, Srivastava 2017).
//!
//! The SRNF of f: D → ℝ³ is q = n/√|n| with n = f_u × f_v. The L² distance of two SRNFs measures elastic bending
//! and stretching, does not see translations, and is unchanged when both surfaces are reparameterized alike.
//! On a triangulated disk n is constant on every triangle, equal to A/a (area vector in space over area in the
//! plane), so ∫ₜ|q₁ − q₂|² = |A₁/√|A₁| − A₂/√|A₂||²: the planar areas cancel and the energy of the piecewise
//! linear surfaces is computed without discretization error.

use super::disk_surface::DiskSurface;
use super::polar::PolarGrid;
use super::rotation::best_rotation;
use crate::mesh::Vector;
use nalgebra::Rotation3;

/// The SRNF of a disk surface: on every grid triangle A/√|A|, A its area vector; ‖·‖² is the surface's area.
#[derive(Debug, Clone, PartialEq)]
pub struct NormalField {
    grid: PolarGrid,
    values: Vec<Vector>,
}

impl NormalField {
    /// The SRNF of a surface, triangle by triangle in [`PolarGrid::triangles`] order.
    pub fn of(surface: &DiskSurface) -> Self {
        Self::on_triangles(surface, &surface.grid().triangles())
    }

    pub(crate) fn on_triangles(surface: &DiskSurface, triangles: &[[usize; 3]]) -> Self {
        let values = surface.area_vectors(triangles).iter().map(|n| square_root(&(n * 0.5))).collect();
        Self { grid: surface.grid(), values }
    }

    /// The values, one per triangle.
    pub fn values(&self) -> &[Vector] {
        &self.values
    }

    /// ‖q₁ − O q₂‖², the squared SRNF distance after turning the other surface; none when the grids differ.
    pub fn energy(&self, other: &Self, rotation: &Rotation3<f64>) -> Option<f64> {
        (self.grid == other.grid).then(|| self.energy_unchecked(other, rotation))
    }

    pub(crate) fn energy_unchecked(&self, other: &Self, rotation: &Rotation3<f64>) -> f64 {
        self.values.iter().zip(&other.values).map(|(a, b)| (a - rotation * b).norm_squared()).sum()
    }

    /// The rotation O that minimizes ‖q₁ − O q₂‖² (Kabsch), det O = +1; none when the grids differ.
    pub fn best_rotation(&self, other: &Self) -> Option<Rotation3<f64>> {
        (self.grid == other.grid).then(|| self.best_rotation_unchecked(other))
    }

    pub(crate) fn best_rotation_unchecked(&self, other: &Self) -> Rotation3<f64> {
        best_rotation(self.values.iter().zip(&other.values).map(|(a, b)| (*a, *b, 1.0)))
    }
}

/// n/√|n|, 0 at 0.
fn square_root(n: &Vector) -> Vector {
    let length = n.norm();
    if length > 0.0 { n / length.sqrt() } else { Vector::zeros() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Point;
    use approx::assert_relative_eq;

    fn saddle(grid: PolarGrid, bend: f64) -> DiskSurface {
        let lift = |z: &nalgebra::Complex<f64>| Point::new(z.re, 1.2 * z.im, bend * (z.re * z.re - z.im));
        DiskSurface::new(grid, grid.nodes().iter().map(lift).collect()).unwrap()
    }

    #[test]
    fn the_squared_norm_is_the_area() {
        let s = saddle(PolarGrid::new(9, 30).unwrap(), 0.7);
        let norm: f64 = NormalField::of(&s).values().iter().map(Vector::norm_squared).sum();
        assert_relative_eq!(norm, s.to_mesh().unwrap().area(), epsilon = 1e-12);
    }

    #[test]
    fn translation_is_not_seen_and_rotation_is_undone() {
        let grid = PolarGrid::new(9, 30).unwrap();
        let s = saddle(grid, 0.7);
        let turn = Rotation3::new(Vector::new(0.3, -1.0, 2.0));
        let moved = s.positions().iter().map(|p| turn * p + Vector::new(5.0, 6.0, 7.0)).collect();
        let (q, r) = (NormalField::of(&s), NormalField::of(&DiskSurface::new(grid, moved).unwrap()));
        let found = q.best_rotation(&r).unwrap();
        assert_relative_eq!(found.matrix(), &turn.inverse().into_inner(), epsilon = 1e-9);
        assert!(q.energy(&r, &found).unwrap() < 1e-20);
        assert!(q.energy(&r, &Rotation3::identity()).unwrap() > 0.1);
    }

    #[test]
    fn a_plane_stretched_by_four_has_the_known_distance() {
        // q = n/√|n|: for f = (x, y, 0) and g = (4x, y, 0), |q_f| = 1 and |q_g| = 2, so the energy is the area.
        let grid = PolarGrid::new(6, 24).unwrap();
        let plane = |sx: f64| {
            let p = grid.nodes().iter().map(|z| Point::new(sx * z.re, z.im, 0.0)).collect();
            NormalField::of(&DiskSurface::new(grid, p).unwrap())
        };
        let area = 12.0 * (std::f64::consts::TAU / 24.0).sin();
        let energy = plane(1.0).energy(&plane(4.0), &Rotation3::identity()).unwrap();
        assert_relative_eq!(energy, area, epsilon = 1e-12);
        let other = NormalField::of(&saddle(PolarGrid::new(5, 24).unwrap(), 0.0));
        assert!(plane(1.0).energy(&other, &Rotation3::identity()).is_none());
    }
}
