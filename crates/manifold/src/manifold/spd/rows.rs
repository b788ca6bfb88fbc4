//! Batches of matrices as rows.

use super::affine_invariant::SpdAffineInvariant;
use super::bures_wasserstein::SpdBuresWasserstein;
use super::eight::Matrices;
use super::log_euclidean::SpdLogEuclidean;
use super::matrix::{NAME, check_spd};
use super::mean_log::mean_log;
use super::pairs::{Ask, pairs, plainly_positive_definite};
use crate::manifold::error::ManifoldError;
use crate::manifold::rows::{Batch, MeanRows, RowError, Rows};
use crate::manifold::space::MeanLog;
use nalgebra::DMatrix;

/// A matrix from its rows.
fn matrix(row: &[f64]) -> DMatrix<f64> {
    let order = row.len().isqrt();
    DMatrix::from_row_slice(order, order, row)
}

/// Most are plainly positive definite; the others are looked at one by one.
fn check(order: usize, points: Batch<'_>) -> Result<(), RowError> {
    let mut found = Ok(());
    plainly_positive_definite(order, points, |row, plainly| {
        if !plainly && found.is_ok() {
            let one = check_spd(&matrix(points.get(row)), order);
            found = one.map_err(|error| RowError { batch: 0, row, error });
        }
    });
    found
}

macro_rules! matrix_rows {
    ($space:ty, $mean_log:expr, $rough:expr, $closed:expr) => {
        impl Rows for $space {
            fn width(&self) -> usize {
                self.order() * self.order()
            }
            fn work(&self) -> usize {
                16 * self.order().pow(3)
            }
            fn check_part(&self, points: Batch<'_>) -> Result<(), RowError> {
                check(self.order(), points)
            }
            fn dist_part(&self, p: Batch<'_>, q: Batch<'_>, out: &mut [f64]) {
                pairs(*self, self.order(), Ask::Dist, p, q, out);
            }
            fn exp_part(&self, p: Batch<'_>, v: Batch<'_>, out: &mut [f64]) {
                pairs(*self, self.order(), Ask::Exp, p, v, out);
            }
            fn log_part(&self, p: Batch<'_>, q: Batch<'_>, out: &mut [f64]) -> Result<(), RowError> {
                match pairs(*self, self.order(), Ask::Log, p, q, out) {
                    None => Ok(()),
                    Some(row) => Err(RowError { batch: 1, row, error: ManifoldError::NotFinite(NAME) }),
                }
            }
        }

        impl MeanRows for $space {
            fn of_row(&self, row: &[f64]) -> DMatrix<f64> {
                matrix(row)
            }
            fn put_point(&self, p: &DMatrix<f64>, row: &mut [f64]) {
                // Row by row, though it is symmetric: rounding may not be.
                row.iter_mut().zip(p.transpose().iter()).for_each(|(x, p)| *x = *p);
            }
            fn mean_log_rows(
                &self,
                p: &DMatrix<f64>,
                points: Batch<'_>,
                weights: Option<&[f64]>,
            ) -> Result<MeanLog<DMatrix<f64>>, ManifoldError> {
                $mean_log(self, p, Matrices::Rows(points), weights)
            }
            fn rough_mean_rows(
                &self,
                points: Batch<'_>,
                weights: Option<&[f64]>,
            ) -> Result<DMatrix<f64>, ManifoldError> {
                $rough(self, points, weights)
            }
            fn has_closed_mean(&self) -> bool {
                $closed
            }
        }
    };
}

/// The log-Euclidean mean.
fn rough(order: usize, points: Batch<'_>, weights: Option<&[f64]>) -> Result<DMatrix<f64>, ManifoldError> {
    SpdLogEuclidean::new(order)?.mean_of(Matrices::Rows(points), weights)
}

matrix_rows!(
    SpdAffineInvariant,
    |_: &Self, p, points, weights| mean_log(p, points, weights),
    |space: &Self, points, weights| rough(space.order(), points, weights),
    false
);
matrix_rows!(
    SpdLogEuclidean,
    |space: &Self, p, points, weights| space.mean_log_of(p, points, weights),
    |space: &Self, points, weights| rough(space.order(), points, weights),
    true
);
matrix_rows!(
    SpdBuresWasserstein,
    |space: &Self, p, points, weights| space.mean_log_of(p, points, weights),
    |space: &Self, points, weights| rough(space.order(), points, weights),
    false
);
