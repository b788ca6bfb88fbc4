//! Stiefel manifolds.

use super::error::ManifoldError;
use super::frame::{
    add_product, check_frame, check_shape, gaussian, inner_products, normal_coordinates, normal_vector,
    orthonormalize, random_frame, transvect,
};
use super::shooting::{geodesic, project, shoot};
use super::space::{CurvatureBounds, Manifold, basis_of_coordinates};
use super::svd::{Svd, svd};
use super::weights::{ambient_mean, first_point};
use nalgebra::DMatrix;
use rand::Rng;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

const NAME: &str = "Stiefel manifold";

/// Orthonormal r-frames in ℝᵐ with the metric tr(UᵀV) induced from ℝᵐˣʳ. Points: m × r matrices X, XᵀX = I; tangent
/// vectors: XᵀV skew.
///
/// `log` solves exp_X(V) = Q by iteration to rounding accuracy and answers only within the injectivity radius π
/// (Zimmermann and Stoye 2024), where the geodesic is certain to be the shortest; `dist` is NaN beyond. `transport` is
/// isometric, not parallel: the shortest ambient rotation from X to Q, applied to V.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stiefel {
    rows: usize,
    columns: usize,
}

impl Stiefel {
    /// Frames of `columns` vectors in ℝ^`rows`, 1 ≤ columns < rows.
    ///
    /// # Errors
    /// A shape out of range.
    pub fn new(rows: usize, columns: usize) -> Result<Self, ManifoldError> {
        check_shape(NAME, rows, columns).map(|()| Self { rows, columns })
    }

    /// The orthonormal factor of a matrix of full rank (QR with positive diagonal).
    pub fn orthonormalize(&self, x: &DMatrix<f64>) -> DMatrix<f64> {
        orthonormalize(x)
    }
}

/// Places below the diagonal, by columns.
fn below(order: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..order).flat_map(move |j| (j + 1..order).map(move |i| (i, j)))
}

impl Manifold for Stiefel {
    type Point = DMatrix<f64>;
    type Tangent = DMatrix<f64>;

    /// mr − r(r + 1)/2.
    fn dim(&self) -> usize {
        self.rows * self.columns - self.columns * (self.columns + 1) / 2
    }

    fn check(&self, p: &DMatrix<f64>) -> Result<(), ManifoldError> {
        check_frame(NAME, p, self.rows, self.columns)
    }

    fn exp(&self, p: &DMatrix<f64>, v: &DMatrix<f64>) -> DMatrix<f64> {
        geodesic(p, v)
    }

    /// # Errors
    /// [`ManifoldError::NoGeodesic`] if the iteration fails, [`ManifoldError::CutLocus`] at distance π or more.
    fn log(&self, p: &DMatrix<f64>, q: &DMatrix<f64>) -> Result<DMatrix<f64>, ManifoldError> {
        let r = self.columns;
        let found = if self.rows <= 2 * r {
            shoot(p, q)
        } else {
            // Everything happens in the span of the two frames, of dimension 2r.
            let inner = p.tr_mul(q);
            let qr = (q - p * &inner).qr();
            let (y, upper) = (qr.q(), qr.r());
            let mut end = DMatrix::zeros(2 * r, r);
            end.rows_mut(0, r).copy_from(&inner);
            end.rows_mut(r, r).copy_from(&upper);
            let start = DMatrix::identity(2 * r, r);
            shoot(&start, &end).map(|v| project(p, &(p * v.rows(0, r) + y * v.rows(r, r))))
        };
        let v = found.ok_or(ManifoldError::NoGeodesic(NAME))?;
        if v.norm() < PI { Ok(v) } else { Err(ManifoldError::CutLocus(NAME)) }
    }

    /// NaN where [`log`](Manifold::log) has no answer.
    fn dist(&self, p: &DMatrix<f64>, q: &DMatrix<f64>) -> f64 {
        self.log(p, q).map_or(f64::NAN, |v| v.norm())
    }

    fn inner(&self, _p: &DMatrix<f64>, u: &DMatrix<f64>, v: &DMatrix<f64>) -> f64 {
        u.dot(v)
    }

    /// Isometric, not parallel.
    fn transport(
        &self,
        p: &DMatrix<f64>,
        q: &DMatrix<f64>,
        v: &DMatrix<f64>,
    ) -> Result<DMatrix<f64>, ManifoldError> {
        transvect(p, q, v).ok_or(ManifoldError::CutLocus(NAME))
    }

    fn project_tangent(&self, p: &DMatrix<f64>, ambient: &DMatrix<f64>) -> DMatrix<f64> {
        project(p, ambient)
    }

    /// −½ to 1 (Zimmermann and Stoye 2024); a single column is a sphere.
    fn curvature(&self) -> CurvatureBounds {
        match (self.rows, self.columns) {
            (2, 1) => CurvatureBounds::constant(0.0),
            (_, 1) => CurvatureBounds::constant(1.0),
            _ => CurvatureBounds { lower: -0.5, upper: 1.0 },
        }
    }

    /// π (Zimmermann and Stoye 2024).
    fn injectivity_radius(&self) -> f64 {
        PI
    }

    fn random_point<R: Rng + ?Sized>(&self, rng: &mut R) -> DMatrix<f64> {
        random_frame(self.rows, self.columns, rng)
    }

    /// An ambient Gaussian projected onto the tangent space.
    fn tangent_gaussian<R: Rng + ?Sized>(&self, p: &DMatrix<f64>, sigma: f64, rng: &mut R) -> DMatrix<f64> {
        let mut g = gaussian(self.rows, self.columns, rng);
        let inner = inner_products(p, &g);
        let symmetric = (&inner + inner.transpose()) * (-0.5 * sigma);
        add_product(&mut g, sigma, p, &symmetric);
        g
    }

    fn zero(&self, _p: &DMatrix<f64>) -> DMatrix<f64> {
        DMatrix::zeros(self.rows, self.columns)
    }

    fn basis(&self, p: &DMatrix<f64>) -> Vec<DMatrix<f64>> {
        basis_of_coordinates(self, p)
    }

    /// With V = X A + X⊥ B: the lower triangle of the skew A by columns, times √2, then B in the complement of the frame.
    fn has_quick_coordinates(&self) -> bool {
        true
    }

    fn coordinates(&self, p: &DMatrix<f64>, v: &DMatrix<f64>) -> Vec<f64> {
        let a = p.tr_mul(v);
        let mut coordinates: Vec<f64> =
            below(self.columns).map(|(i, j)| FRAC_1_SQRT_2 * (a[(i, j)] - a[(j, i)])).collect();
        coordinates.extend(normal_coordinates(p, v));
        coordinates
    }

    fn from_coordinates(&self, p: &DMatrix<f64>, coordinates: &[f64]) -> DMatrix<f64> {
        let skew = below(self.columns).count().min(coordinates.len());
        let (within, normal) = coordinates.split_at(skew);
        let mut a = DMatrix::zeros(self.columns, self.columns);
        for ((i, j), c) in below(self.columns).zip(within) {
            a[(i, j)] = FRAC_1_SQRT_2 * c;
            a[(j, i)] = -FRAC_1_SQRT_2 * c;
        }
        p * a + normal_vector(p, normal)
    }

    /// The orthonormal frame nearest to the ambient mean.
    fn rough_mean(
        &self,
        points: &[DMatrix<f64>],
        weights: Option<&[f64]>,
    ) -> Result<DMatrix<f64>, ManifoldError> {
        let mean = ambient_mean(DMatrix::zeros(self.rows, self.columns), points.iter(), weights)?;
        if mean.iter().all(|x| x.is_finite()) {
            // Frames that cancel leave no direction to take.
            if let Some(Svd { u, s, v }) = svd(&mean)
                && s.min() > 1e-6
            {
                return Ok(u * v.transpose());
            }
        }
        first_point(points, weights)
    }
}
