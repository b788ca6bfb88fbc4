//! One level: Gauss–Newton over tangential fields of one degree, on one computational disk.

use super::grid::{Grid, area_vector, signed_area, square_root_normal};
use super::tangential::TangentialFields;
use crate::conformal::Complex;
use crate::mesh::{Point, Vector};
use crate::surface::locate::DiskSurface;
use crate::surface::template::Template;
use nalgebra::{DMatrix, DVector, Matrix3, Matrix3x2, Rotation3};

/// A Gauss–Newton step that was taken.
pub struct Accepted {
    /// γ on the grid after it.
    pub y: Vec<Complex>,
    /// Its coefficients.
    pub coefficients: Vec<f64>,
    /// The energy after it.
    pub energy: f64,
    /// The rotation after it.
    pub rotation: Rotation3<f64>,
}

/// Scan and template compared on one computational disk.
pub struct Level<'a> {
    scan: &'a DiskSurface,
    grid: Grid,
    /// The template's q per triangle.
    target: Vec<Vector>,
    /// Scan units to unit area.
    scale: f64,
}

impl<'a> Level<'a> {
    /// On a disk of so many rings.
    pub fn new(scan: &'a DiskSurface, template: &Template, rings: usize) -> Self {
        let grid = Grid::new(rings);
        let unit = 1.0 / template.mesh().area().sqrt();
        let surface = template.surface();
        let own: Vec<Point> = grid.z.iter().map(|&z| surface.point(&surface.locate(z)) * unit).collect();
        let target = grid.triangles.iter().map(|t| square_root_normal(&area_vector(&own, t))).collect();
        Self { scan, grid, target, scale: 1.0 / scan.mesh().area().sqrt() }
    }

    /// Where γ is looked at.
    pub fn points_of_the_disk(&self) -> &[Complex] {
        &self.grid.z
    }

    fn points(&self, y: &[Complex]) -> Vec<Point> {
        y.iter().map(|&y| self.scan.point(&self.scan.locate(y)) * self.scale).collect()
    }

    fn fields_of(&self, y: &[Complex]) -> Vec<Vector> {
        let p = self.points(y);
        self.grid.triangles.iter().map(|t| square_root_normal(&area_vector(&p, t))).collect()
    }

    /// The rotation from scan to template that fits γ best.
    pub fn best_rotation(&self, y: &[Complex]) -> Option<Rotation3<f64>> {
        let q = self.fields_of(y);
        let cross: Matrix3<f64> = q.iter().zip(&self.target).map(|(q, t)| t * q.transpose()).sum();
        crate::mesh::pose::nearest_rotation(&cross).map(|(r, _)| r)
    }

    /// ‖q₁ − R (q₂, γ)‖².
    pub fn energy(&self, y: &[Complex], rotation: &Rotation3<f64>) -> f64 {
        self.fields_of(y).iter().zip(&self.target).map(|(q, t)| (t - rotation * q).norm_squared()).sum()
    }

    /// One damped Gauss–Newton step that lowers the energy and is a diffeomorphism, if there is one.
    pub fn gauss_newton(
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
        let scan = self.scan;
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
            let w = fields.step(c, z);
            let gx = (fields.step(c, z + dx) - w) / dx.re;
            let gy = (fields.step(c, z + dy) - w) / dy.im;
            gx.re * gy.im - gx.im * gy.re > 0.1 && gx.re > 0.0
        });
        smooth && {
            let next: Vec<Complex> = y.iter().map(|&y| fields.step(c, y)).collect();
            self.grid.triangles.iter().all(|t| signed_area(t.map(|i| next[i])) > 0.0)
        }
    }
}
