//! The study of symmetric positive definite matrices, from its file to its release.

use super::ambient::{Ambient, ambient};
use super::finish::{Records, finish, in_first_ball, public_input};
use super::first_pass::Place;
use super::spd::{read_matrices, write_matrices};
use super::{Internal, PointMechanism, PointRequest, PointStudyError, Published, release};
use crate::manifold::{Euclidean, Manifold, SpdAffineInvariant, SpdLogEuclidean};
use crate::mechanism::manifold::{BallStatistic, PublicBall};
use crate::privacy::{ClipRadius, ClipSource, L2Sensitivity, Ledger};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Which metric the mean of matrices is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpdMetric {
    /// Flat in the logarithm.
    LogEuclidean,
    /// Invariant under congruence.
    AffineInvariant,
}

/// The public centre of a study of matrices.
#[derive(Debug, Clone)]
pub enum SpdCentre {
    /// The identity.
    Identity,
    /// A file with one matrix.
    File(PathBuf),
    /// A matrix known without data (covariance descriptors).
    Known(DMatrix<f64>),
    /// A first pass paid from the budget, in a generous public ball.
    Private {
        /// The ball's centre: the identity, or a matrix known without data.
        about: Option<DMatrix<f64>>,
        /// Its radius.
        first_radius: Option<f64>,
    },
}

/// A study of symmetric positive definite matrices.
#[derive(Debug, Clone)]
pub struct SpdStudy {
    /// The matrices.
    pub file: PathBuf,
    /// The metric.
    pub metric: SpdMetric,
    /// The public centre.
    pub centre: SpdCentre,
    /// The public radius.
    pub radius: f64,
    /// Mechanism, budget, folder.
    pub request: PointRequest,
}

/// Runs a study of matrices.
///
/// # Errors
/// [`PointStudyError`]; nothing is charged for input that cannot be used.
pub fn run_spd(study: &SpdStudy) -> Result<Published, PointStudyError> {
    let matrices = read_matrices(&study.file)?;
    let order = matrices[0].nrows();
    let mut request = study.request.clone();
    let mut private = None;
    let centre = match &study.centre {
        SpdCentre::Identity => DMatrix::identity(order, order),
        SpdCentre::Known(matrix) => matrix.clone(),
        SpdCentre::Private { about, first_radius } => {
            private = Some(*first_radius);
            about.clone().unwrap_or_else(|| DMatrix::identity(order, order))
        }
        SpdCentre::File(file) => {
            let mut given = read_matrices(file)?;
            request.public_inputs.push(public_input(file)?);
            if given.len() != 1 || given[0].nrows() != order {
                return Err(PointStudyError::Input(format!(
                    "{}: the public centre is one matrix of the records' order {order}",
                    file.display()
                )));
            }
            given.remove(0)
        }
    };
    let radius = ClipRadius::new(study.radius, ClipSource::Public)?;
    match study.metric {
        SpdMetric::AffineInvariant => {
            let space = SpdAffineInvariant::new(order)?;
            let records: Vec<Option<DMatrix<f64>>> = matrices.into_iter().map(Some).collect();
            let place = placed(&space, centre, radius, private)?;
            let run = |request: &mut PointRequest, ledger: &mut Ledger| {
                let ball = place.ball(&space, &records, request, ledger)?;
                release(&ball, &records, request, ledger)
            };
            let what = Records { kind: "matrix", description: "matrices, affine-invariant mean" };
            finish(request, &what, run, &write_matrices, &|p, q| space.dist(p, q))
        }
        SpdMetric::LogEuclidean => {
            let space = SpdLogEuclidean::new(order)?;
            // The logarithm is an isometry onto ℝ^{k(k+1)/2}: everything is done there.
            let flat = Euclidean::new(space.dim());
            let records: Vec<Option<DVector<f64>>> =
                matrices.par_iter().map(|m| Some(space.coordinates(m))).collect();
            let place = placed(&flat, space.coordinates(&centre), radius, private)?;
            let write = |folder: &Path, name: &str, points: &[DVector<f64>]| {
                let matrices: Vec<DMatrix<f64>> = points.iter().map(|x| space.from_coordinates(x)).collect();
                write_matrices(folder, name, &matrices)
            };
            if request.mechanism == PointMechanism::Extrinsic {
                let (SpdCentre::Identity, Place::Public(ball)) = (&study.centre, &place) else {
                    return Err(PointStudyError::NotHere {
                        mechanism: "extrinsic",
                        space: "matrices about another centre than the identity",
                        remedy: "its sensitivity 2r e^r/n is known for --center identity only",
                    });
                };
                return extrinsic_spd(&space, ball, &records, request);
            }
            let run = |request: &mut PointRequest, ledger: &mut Ledger| {
                let ball = place.ball(&flat, &records, request, ledger)?;
                release(&ball, &records, request, ledger)
            };
            let what = Records { kind: "matrix", description: "matrices, log-Euclidean mean" };
            finish(request, &what, run, &write, &|p, q| (p - q).norm())
        }
    }
}

/// The ball about a public centre, or about one still to be found near it.
fn placed<M: Manifold>(
    space: &M,
    centre: M::Point,
    radius: ClipRadius,
    private: Option<Option<f64>>,
) -> Result<Place<'_, M, BallStatistic<'_, M>>, PointStudyError> {
    match private {
        None => Ok(Place::Public(PublicBall::new(space, centre, radius)?)),
        Some(first_radius) => in_first_ball(space, centre, radius, first_radius),
    }
}

/// The log-Euclidean mean noised in the space of symmetric matrices, Δ = 2r eʳ/n about the identity (the 2(eʳ − 1)/n of Utpala
/// et al. 2023 is false). What comes out may have left the positive definite matrices.
fn extrinsic_spd(
    space: &SpdLogEuclidean,
    ball: &PublicBall<'_, Euclidean>,
    records: &[Option<DVector<f64>>],
    request: PointRequest,
) -> Result<Published, PointStudyError> {
    let order = space.order();
    let write = |folder: &Path, name: &str, points: &[DMatrix<f64>]| write_matrices(folder, name, points);
    let run = |request: &mut PointRequest, ledger: &mut Ledger| {
        let bounded = ball.bound(records);
        let n = bounded.points.len() as u64;
        let mut mean = DVector::zeros(space.dim());
        bounded.points.iter().for_each(|p| mean += p / n as f64);
        let mean = space.from_coordinates(&mean);
        let r = ball.radius().get();
        let sensitivity = L2Sensitivity::new(2.0 * r * r.exp() / n as f64 * (1.0 + 1e-9))?;
        let root = std::f64::consts::SQRT_2;
        let entries: Vec<(usize, usize)> = (0..order).flat_map(|j| (0..=j).map(move |i| (i, j))).collect();
        let statistic: Vec<f64> =
            entries.iter().map(|&(i, j)| mean[(i, j)] * if i == j { 1.0 } else { root }).collect();
        let what = "log-Euclidean mean as a symmetric matrix (a release may not be positive definite)";
        let of = Ambient { statistic: &statistic, sensitivity, n, radius: ball.radius(), what };
        let released = ambient(&of, request, ledger, |x| {
            let mut m = DMatrix::zeros(order, order);
            for (&(i, j), x) in entries.iter().zip(x) {
                let value = if i == j { *x } else { x / root };
                m[(i, j)] = value;
                m[(j, i)] = value;
            }
            Ok(m)
        })?;
        let points = bounded.points.iter().map(|x| space.from_coordinates(x)).collect();
        let bounded = crate::mechanism::manifold::BoundedRecords {
            points,
            projected: bounded.projected,
            failed: bounded.failed,
        };
        Ok((Internal { mean, bounded, seconds_per_draw: 0.0, exploration: None }, Some(released)))
    };
    let what = Records { kind: "matrix", description: "matrices, extrinsic" };
    finish(request, &what, run, &write, &|p, q| (p - q).norm())
}
