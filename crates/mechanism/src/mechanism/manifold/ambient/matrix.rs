//! Matrices noised entry by entry.

use super::AmbientMechanism;
use crate::manifold::{Manifold, ManifoldError};
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{LocatedRecords, MEAN_GRADIENT, NoisedPoint, PublicBall};
use crate::numeric::margins;
use crate::privacy::noise::{NoiseSource, VectorNoise};
use crate::privacy::{Charge, Drawn, L2Sensitivity, Mechanism, Price, Title};
use nalgebra::DMatrix;
use std::f64::consts::SQRT_2;
use std::fmt;
use std::sync::Arc;

pub(super) const TITLE: Title = Title {
    name: "extrinsic mean of matrices",
    sentence: "The mean of the matrices, brought into a public ball, is noised entry by entry; the result is symmetric, but may no longer \
               be positive definite.",
};

/// A point of the study's space as a matrix.
pub type ToMatrix<P> = Arc<dyn Fn(&P) -> DMatrix<f64> + Send + Sync>;

/// A mean of positive definite matrices noised entry by entry, on a space M of such matrices (or of their logarithms).
///
#[doc = include_str!("matrix.md")]
#[derive(Clone)]
pub struct ExtrinsicSpd<M: Manifold> {
    ball: PublicBall<M>,
    to_matrix: ToMatrix<M::Point>,
    entries: Vec<(usize, usize)>,
    order: usize,
    ambient: AmbientMechanism,
}

impl<M: Manifold> fmt::Debug for ExtrinsicSpd<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtrinsicSpd").field("ball", &self.ball).field("ambient", &self.ambient).finish()
    }
}

/// Records made ready: secret.
#[derive(Debug)]
pub struct PreparedMatrix<P> {
    /// The records in the ball and their mean.
    pub located: LocatedRecords<P>,
    statistic: Vec<f64>,
}

impl<M: Manifold> ExtrinsicSpd<M> {
    /// For n records in the ball; `to_matrix` tells what matrix a point is.
    ///
    /// # Errors
    /// A centre that is not positive definite, or a bound that overflows.
    pub fn new(
        ball: PublicBall<M>,
        n: u64,
        noise: VectorNoise,
        to_matrix: ToMatrix<M::Point>,
    ) -> Result<Self, MechanismError> {
        let moved = ball.mean_sensitivity(n, MEAN_GRADIENT)?;
        let centre = to_matrix(ball.centre());
        let order = centre.nrows();
        let finite = centre.iter().all(|x| x.is_finite());
        let largest = if finite { centre.symmetric_eigenvalues().max() } else { f64::NAN };
        if largest.is_nan() || largest <= 0.0 {
            return Err(ManifoldError::OffManifold {
                manifold: "space of positive definite matrices",
                constraint: "is not positive definite",
                remedy: "take another centre",
            }
            .into());
        }
        // The computed mean may lie outside the ball by what its gradient leaves open.
        let room = 1.0 + margins::EXTRINSIC;
        let bound = largest * (ball.radius().get() + 4.0 * MEAN_GRADIENT).exp() * room;
        // The matrix is computed from its logarithm or factors by products of k terms.
        let rounding = 100.0 * order as f64 * f64::EPSILON * bound;
        let sensitivity = L2Sensitivity::new(bound * moved.get())?.plus_error(rounding)?;
        let entries: Vec<_> = (0..order).flat_map(|j| (0..=j).map(move |i| (i, j))).collect();
        let what = "mean as a symmetric matrix (a release may not be positive definite)";
        let ambient = AmbientMechanism::new(TITLE, noise, sensitivity, n, ball.radius(), what)?;
        Ok(Self { ball, to_matrix, entries, order, ambient })
    }

    /// A matrix's entries, those off the diagonal times √2: an isometry of the Frobenius norm.
    pub(super) fn statistic(&self, mean: &DMatrix<f64>) -> Vec<f64> {
        let weight = |i, j| if i == j { 1.0 } else { SQRT_2 };
        self.entries.iter().map(|&(i, j)| mean[(i, j)] * weight(i, j)).collect()
    }

    /// The symmetric matrix with these entries. Post-processing.
    pub fn point(&self, noised: &[f64]) -> DMatrix<f64> {
        let mut matrix = DMatrix::zeros(self.order, self.order);
        for (&(i, j), x) in self.entries.iter().zip(noised) {
            let value = if i == j { *x } else { x / SQRT_2 };
            matrix[(i, j)] = value;
            matrix[(j, i)] = value;
        }
        matrix
    }
}

impl<M: Manifold> Mechanism for ExtrinsicSpd<M> {
    type Records = [Option<M::Point>];
    type Prepared<'a>
        = PreparedMatrix<M::Point>
    where
        Self: 'a;
    type Value = NoisedPoint<DMatrix<f64>>;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.ambient.price
    }

    fn prepare(&self, records: &[Option<M::Point>]) -> Result<PreparedMatrix<M::Point>, MechanismError> {
        let located = self.ball.locate(records, self.ambient.price.n)?;
        let statistic = self.statistic(&(self.to_matrix)(&located.mean));
        Ok(PreparedMatrix { located, statistic })
    }

    fn draw(
        &self,
        prepared: &PreparedMatrix<M::Point>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedPoint<DMatrix<f64>>>, MechanismError> {
        let (noised, mut part) = self.ambient.draw(&prepared.statistic, noise, paid)?;
        // Entries are an isometry of the Frobenius norm.
        let d = noised.len();
        part.expected_error = Some(self.ambient.deviation(d) * (d as f64).sqrt());
        Ok(Drawn { value: NoisedPoint { point: self.point(&noised), noised }, parts: vec![part] })
    }
}
