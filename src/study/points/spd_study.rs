//! The study of symmetric positive definite matrices, from its file to its release.

use super::finish::{Records, finish, in_first_ball, public_input};
use super::first_pass::Place;
use super::release::{GRADIENT, bounded_mean, draws};
use super::spd::{Matrices, read_matrices, write_matrices};
use super::{Internal, PointMechanism, PointRequest, PointStudyError, Published, release};
use crate::manifold::{Euclidean, Manifold, SpdAffineInvariant, SpdLogEuclidean};
use crate::mechanism::manifold::{BallStatistic, BoundedRecords, ExtrinsicSpd, PolarVolume, PublicBall};
use crate::privacy::{ClipRadius, ClipSource, Ledger};
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
    let Matrices { order, matrices } = read_matrices(&study.file)?;
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
            let fail = |problem: &str| PointStudyError::Input(format!("{}: {problem}", file.display()));
            if given.matrices.len() != 1 || given.order != order {
                return Err(fail(&format!("the public centre is one matrix of the records' order {order}")));
            }
            given.matrices.remove(0).map_err(|problem| fail(&problem))?
        }
    };
    let radius = ClipRadius::new(study.radius, ClipSource::Public)?;
    let records = request.unusable.points(matrices)?;
    let extrinsic = request.mechanism == PointMechanism::Extrinsic;
    match study.metric {
        SpdMetric::AffineInvariant => {
            let space = SpdAffineInvariant::new(order)?;
            let place = placed(&space, centre, radius, private)?;
            if extrinsic {
                return extrinsic_spd(&space, place, &DMatrix::clone, &records, request);
            }
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
                records.par_iter().map(|m| m.as_ref().map(|m| space.coordinates(m))).collect();
            let place = placed(&flat, space.coordinates(&centre), radius, private)?;
            let write = |folder: &Path, name: &str, points: &[DVector<f64>]| {
                let matrices: Vec<DMatrix<f64>> = points.iter().map(|x| space.from_coordinates(x)).collect();
                write_matrices(folder, name, &matrices)
            };
            if extrinsic {
                let matrix = |x: &DVector<f64>| space.from_coordinates(x);
                return extrinsic_spd(&flat, place, &matrix, &records, request);
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

/// The baseline: the mean noised as a symmetric matrix. What comes out may have left the positive definite ones.
fn extrinsic_spd<M: PolarVolume + Clone>(
    space: &M,
    place: Place<'_, M, BallStatistic<'_, M>>,
    matrix: &(dyn Fn(&M::Point) -> DMatrix<f64> + Sync),
    records: &[Option<M::Point>],
    request: PointRequest,
) -> Result<Published, PointStudyError> {
    let run = |request: &mut PointRequest, ledger: &mut Ledger| {
        let ball = place.ball(space, records, request, ledger)?;
        let (bounded, n) = (ball.bound(records), records.len() as u64);
        let mean = matrix(&bounded_mean(&ball, &bounded)?);
        let moved = ball.mean_sensitivity(n, GRADIENT)?;
        let noise = request.vector_noise()?;
        let mechanism = ExtrinsicSpd::new(&matrix(ball.centre()), ball.radius(), n, moved, noise)?;
        let statistic = mechanism.statistic(&mean);
        let released = draws(mechanism.price(), mechanism.noise(), request, ledger, |source, paid| {
            Ok(mechanism.point(&mechanism.noised(&statistic, source, paid)?))
        })?;
        let bounded = BoundedRecords {
            points: bounded.points.iter().map(matrix).collect(),
            projected: bounded.projected,
            failed: bounded.failed,
        };
        Ok((Internal { mean, bounded, seconds_per_draw: 0.0, exploration: None }, Some(released)))
    };
    let what = Records { kind: "matrix", description: "matrices, extrinsic" };
    finish(request, &what, run, &write_matrices, &|p, q| (p - q).norm())
}
