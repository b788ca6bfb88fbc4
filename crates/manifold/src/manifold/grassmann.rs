//! Grassmann manifolds.

use super::error::ManifoldError;
use super::frame::{
    add_product, aligning_rotation, check_frame, check_shape, gaussian, inner_products, normal_coordinates,
    normal_vector, orthonormalize, polish, random_frame, transvect,
};
use super::space::{CurvatureBounds, Manifold, basis_of_coordinates};
use super::svd::{Svd, svd};
use super::weights::first_point;
use nalgebra::{DMatrix, DVector};
use rand::Rng;
use std::f64::consts::FRAC_PI_2;

const NAME: &str = "Grassmann manifold";

/// Subspaces of dimension r of ℝᵐ with the metric tr(UᵀV) (Edelman, Arias and Smith 1998): d² is the sum of the squared
/// principal angles.
///
/// A point is an m × r matrix X with orthonormal columns; matrices with the same column space are the same point. A
/// tangent vector is horizontal at the given X: XᵀV = 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grassmann {
    rows: usize,
    columns: usize,
}

impl Grassmann {
    /// Subspaces of dimension `columns` of ℝ^`rows`, 1 ≤ columns < rows.
    ///
    /// # Errors
    /// A shape out of range.
    pub fn new(rows: usize, columns: usize) -> Result<Self, ManifoldError> {
        check_shape(NAME, rows, columns).map(|()| Self { rows, columns })
    }

    /// An orthonormal basis of the column space of a matrix of full rank.
    pub fn orthonormalize(&self, x: &DMatrix<f64>) -> DMatrix<f64> {
        orthonormalize(x)
    }
}

/// Principal vectors and angles of two subspaces: the columns of X A and `normals` span the planes of rotation.
struct Principal {
    /// A, r × r orthogonal.
    rotation: DMatrix<f64>,
    /// Unit vectors orthogonal to X (zero where the angle is).
    normals: DMatrix<f64>,
    angles: DVector<f64>,
}

/// Cosines lose small angles and sines lose large ones (Björck and Golub 1973): each angle is taken from the better.
fn principal(x: &DMatrix<f64>, q: &DMatrix<f64>) -> Option<Principal> {
    let r = x.ncols();
    let Svd { u: mut rotation, s: cosines, v } = svd(&x.tr_mul(q))?;
    let mut turned = q * v;
    // Singular values come in decreasing order: the first `near` angles are small.
    let near = cosines.iter().take_while(|c| **c > 0.9).count();
    let mut normals = residual(x, &turned);
    if near > 0 {
        let inner = normals.columns(0, near).into_owned();
        let inner = svd(&inner)?.v;
        let (a, b) = (rotation.columns(0, near) * &inner, turned.columns(0, near) * &inner);
        rotation.columns_mut(0, near).copy_from(&a);
        turned.columns_mut(0, near).copy_from(&b);
        normals = residual(x, &turned);
    }
    let mut angles = DVector::zeros(r);
    for j in 0..r {
        let sine = normals.column(j).norm();
        let cosine = rotation.column(j).dot(&x.tr_mul(&turned.column(j))).max(0.0);
        angles[j] = sine.atan2(cosine);
        if sine > 0.0 {
            normals.column_mut(j).unscale_mut(sine);
        }
    }
    Some(Principal { rotation, normals, angles })
}

/// Y − X XᵀY.
fn residual(x: &DMatrix<f64>, y: &DMatrix<f64>) -> DMatrix<f64> {
    y - x * x.tr_mul(y)
}

impl Manifold for Grassmann {
    type Point = DMatrix<f64>;
    type Tangent = DMatrix<f64>;

    /// r(m − r).
    fn dim(&self) -> usize {
        self.columns * (self.rows - self.columns)
    }

    fn check(&self, p: &DMatrix<f64>) -> Result<(), ManifoldError> {
        check_frame(NAME, p, self.rows, self.columns)
    }

    /// X W cos(Θ) Wᵀ + U sin(Θ) Wᵀ with V = U Θ Wᵀ.
    fn exp(&self, p: &DMatrix<f64>, v: &DMatrix<f64>) -> DMatrix<f64> {
        let Some(Svd { mut u, s, v: w }) = svd(v) else {
            return DMatrix::from_element(self.rows, self.columns, f64::NAN);
        };
        let mut turned = p * &w;
        for (j, theta) in s.iter().enumerate() {
            turned.column_mut(j).scale_mut(theta.cos());
            u.column_mut(j).scale_mut(theta.sin());
        }
        polish(&((turned + u) * w.transpose()))
    }

    fn log(&self, p: &DMatrix<f64>, q: &DMatrix<f64>) -> Result<DMatrix<f64>, ManifoldError> {
        let Principal { rotation, mut normals, angles } =
            principal(p, q).ok_or(ManifoldError::NotFinite(NAME))?;
        if angles.max() >= FRAC_PI_2 - 8.0 * f64::EPSILON {
            return Err(ManifoldError::CutLocus(NAME));
        }
        for (mut normal, angle) in normals.column_iter_mut().zip(angles.iter()) {
            normal *= *angle;
        }
        Ok(residual(p, &(normals * rotation.transpose())))
    }

    fn dist(&self, p: &DMatrix<f64>, q: &DMatrix<f64>) -> f64 {
        principal(p, q).map_or(f64::NAN, |principal| principal.angles.norm())
    }

    fn inner(&self, _p: &DMatrix<f64>, u: &DMatrix<f64>, v: &DMatrix<f64>) -> f64 {
        u.dot(v)
    }

    fn transport(
        &self,
        p: &DMatrix<f64>,
        q: &DMatrix<f64>,
        v: &DMatrix<f64>,
    ) -> Result<DMatrix<f64>, ManifoldError> {
        transvect(p, q, v).ok_or(ManifoldError::CutLocus(NAME))
    }

    fn project_tangent(&self, p: &DMatrix<f64>, ambient: &DMatrix<f64>) -> DMatrix<f64> {
        residual(p, ambient)
    }

    /// 0 to 2 (Wong 1968); 1 where the space is projective; 0 for a circle of lines in the plane.
    fn curvature(&self) -> CurvatureBounds {
        match (self.columns.min(self.rows - self.columns), self.dim()) {
            (_, 1) => CurvatureBounds::constant(0.0),
            (1, _) => CurvatureBounds::constant(1.0),
            _ => CurvatureBounds { lower: 0.0, upper: 2.0 },
        }
    }

    fn injectivity_radius(&self) -> f64 {
        FRAC_PI_2
    }

    fn random_point<R: Rng + ?Sized>(&self, rng: &mut R) -> DMatrix<f64> {
        random_frame(self.rows, self.columns, rng)
    }

    /// An ambient Gaussian projected onto the horizontal space.
    fn tangent_gaussian<R: Rng + ?Sized>(&self, p: &DMatrix<f64>, sigma: f64, rng: &mut R) -> DMatrix<f64> {
        let mut g = gaussian(self.rows, self.columns, rng);
        let mut inner = inner_products(p, &g);
        inner *= -sigma;
        add_product(&mut g, sigma, p, &inner);
        g
    }

    fn zero(&self, _p: &DMatrix<f64>) -> DMatrix<f64> {
        DMatrix::zeros(self.rows, self.columns)
    }

    fn basis(&self, p: &DMatrix<f64>) -> Vec<DMatrix<f64>> {
        basis_of_coordinates(self, p)
    }

    /// Column by column in the complement of the frame.
    fn has_quick_coordinates(&self) -> bool {
        true
    }

    fn coordinates(&self, p: &DMatrix<f64>, v: &DMatrix<f64>) -> Vec<f64> {
        normal_coordinates(p, v)
    }

    fn from_coordinates(&self, p: &DMatrix<f64>, coordinates: &[f64]) -> DMatrix<f64> {
        normal_vector(p, coordinates)
    }

    /// The mean of the frames, each turned to match the first, orthonormalized.
    fn rough_mean(
        &self,
        points: &[DMatrix<f64>],
        weights: Option<&[f64]>,
    ) -> Result<DMatrix<f64>, ManifoldError> {
        let first = first_point(points, weights)?;
        let mut sum = DMatrix::zeros(self.rows, self.columns);
        for (i, q) in points.iter().enumerate() {
            let rotation = aligning_rotation(&first, q).ok_or(ManifoldError::NotFinite(NAME))?;
            sum += q * rotation * weights.map_or(1.0, |w| w[i]);
        }
        let mean = orthonormalize(&sum);
        Ok(if self.check(&mean).is_ok() { mean } else { first })
    }
}
