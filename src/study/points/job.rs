//! The studies of directions, hyperbolic points and matrices, from their files to their releases.

use super::ambient::{Ambient, ambient};
use super::spd::{read_matrices, write_matrices};
use super::vectors::{read_rows, write_rows};
use super::{
    Form, Internal, Outcome, PointMechanism, PointRequest, PointStudyError, PointWriter, Published, publish,
    release,
};
use crate::manifold::{
    Euclidean, Lorentz, Manifold, PoincareBall, SpdAffineInvariant, SpdLogEuclidean, Sphere,
};
use crate::mechanism::manifold::{PolarVolume, PublicBall};
use crate::privacy::{Certificate, ClipRadius, ClipSource, L2Sensitivity, Ledger, PrivacyLoss, PublicInput};
use crate::report::guarantee::{certificate_section, guarantee_section, mechanism_rows, release_page};
use crate::stats::{FrechetOptions, frechet_mean};
use crate::study::StudyFolder;
use nalgebra::{DMatrix, DVector};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The space of a table of vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum VectorSpace {
    /// Unit vectors.
    Sphere,
    /// The Poincaré ball.
    Poincare,
    /// The hyperboloid.
    Lorentz,
}

/// A study of vectors: directions or hyperbolic points.
#[derive(Debug, Clone)]
pub struct VectorStudy {
    /// Rows of numbers.
    pub file: PathBuf,
    /// What they are.
    pub space: VectorSpace,
    /// A file with the public centre, one row; `None` is the space's origin (not for spheres, which have none).
    pub centre: Option<PathBuf>,
    /// The public radius.
    pub radius: f64,
    /// Mechanism, budget, folder.
    pub request: PointRequest,
}

/// Runs a study of vectors.
///
/// # Errors
/// [`PointStudyError`]; nothing is charged for input that cannot be used.
pub fn run_vectors(study: &VectorStudy) -> Result<Published, PointStudyError> {
    let rows = read_rows(&study.file)?;
    let d = rows[0].len();
    let mut request = study.request.clone();
    let centre = match &study.centre {
        Some(file) => {
            let mut given = read_rows(file)?;
            request.public_inputs.push(public_input(file)?);
            if given.len() != 1 {
                return Err(PointStudyError::Input(format!(
                    "{}: the public centre is one row",
                    file.display()
                )));
            }
            Some(given.remove(0))
        }
        None => None,
    };
    let radius = ClipRadius::new(study.radius, ClipSource::Public)?;
    match study.space {
        VectorSpace::Sphere => {
            let sphere = Sphere::unit(d.saturating_sub(1))?;
            let centre = centre.ok_or_else(|| {
                PointStudyError::Input(
                    "a sphere has no origin: give the public centre as --center FILE".into(),
                )
            })?;
            let records = checked(&sphere, &rows)?;
            let ball = PublicBall::new(&sphere, centre, radius)?;
            if request.mechanism == PointMechanism::Extrinsic {
                let run = |ledger: &mut Ledger| extrinsic_sphere(&sphere, &ball, &records, &request, ledger);
                return finish(&request, "directions", run, &write_rows);
            }
            let run = |ledger: &mut Ledger| release(&ball, &records, &request, ledger);
            finish(&request, "directions on a sphere", run, &write_rows)
        }
        VectorSpace::Poincare => {
            let space = PoincareBall::new(d)?;
            let centre = centre.unwrap_or_else(|| DVector::zeros(d));
            hyperbolic(&space, centre, &rows, radius, &request, "points of the Poincaré ball")
        }
        VectorSpace::Lorentz => {
            let space = Lorentz::new(d.saturating_sub(1))?;
            let mut origin = DVector::zeros(d);
            origin[0] = 1.0;
            let centre = centre.unwrap_or(origin);
            hyperbolic(&space, centre, &rows, radius, &request, "points of the hyperboloid")
        }
    }
}

fn hyperbolic<M: PolarVolume<Point = DVector<f64>> + Clone>(
    space: &M,
    centre: DVector<f64>,
    rows: &[DVector<f64>],
    radius: ClipRadius,
    request: &PointRequest,
    what: &'static str,
) -> Result<Published, PointStudyError> {
    let records = checked(space, rows)?;
    let ball = PublicBall::new(space, centre, radius)?;
    finish(request, what, |ledger| release(&ball, &records, request, ledger), &write_rows)
}

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
    let centre = match &study.centre {
        SpdCentre::Identity => DMatrix::identity(order, order),
        SpdCentre::Known(matrix) => matrix.clone(),
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
            let ball = PublicBall::new(&space, centre, radius)?;
            let run = |ledger: &mut Ledger| release(&ball, &records, &request, ledger);
            finish(&request, "matrices, affine-invariant mean", run, &write_matrices)
        }
        SpdMetric::LogEuclidean => {
            let space = SpdLogEuclidean::new(order)?;
            // The logarithm is an isometry onto ℝ^{k(k+1)/2}: everything is done there.
            let flat = Euclidean::new(space.dim());
            let records: Vec<Option<DVector<f64>>> =
                matrices.iter().map(|m| Some(space.coordinates(m))).collect();
            let ball = PublicBall::new(&flat, space.coordinates(&centre), radius)?;
            let write = |folder: &Path, name: &str, points: &[DVector<f64>]| {
                let matrices: Vec<DMatrix<f64>> = points.iter().map(|x| space.from_coordinates(x)).collect();
                write_matrices(folder, name, &matrices)
            };
            if request.mechanism == PointMechanism::Extrinsic {
                if !matches!(study.centre, SpdCentre::Identity) {
                    return Err(PointStudyError::NotHere {
                        mechanism: "extrinsic",
                        space: "matrices about another centre than the identity",
                        remedy: "its sensitivity 2r e^r/n is known for --center identity only",
                    });
                }
                return extrinsic_spd(&space, &ball, &records, &request);
            }
            let run = |ledger: &mut Ledger| release(&ball, &records, &request, ledger);
            finish(&request, "matrices, log-Euclidean mean", run, &write)
        }
    }
}

fn public_input(file: &Path) -> Result<PublicInput, PointStudyError> {
    let bytes = std::fs::read(file).map_err(|e| crate::io::ReadError::new(file, e))?;
    let name = file.file_name().map_or_else(|| "centre".to_owned(), |n| n.to_string_lossy().into_owned());
    Ok(PublicInput::of_bytes(name, &bytes))
}

fn checked<M: Manifold>(space: &M, rows: &[M::Point]) -> Result<Vec<Option<M::Point>>, PointStudyError> {
    rows.iter()
        .enumerate()
        .map(|(i, p)| match space.check(p) {
            Ok(()) => Ok(Some(p.clone())),
            Err(e) => Err(PointStudyError::Record { index: i + 1, problem: e.to_string() }),
        })
        .collect()
}

/// Folder, ledger, release, results.
fn finish<P: Clone>(
    request: &PointRequest,
    what: &str,
    run: impl FnOnce(&mut Ledger) -> Result<Outcome<P>, PointStudyError>,
    write: PointWriter<'_, P>,
) -> Result<Published, PointStudyError> {
    let folder = StudyFolder::prepare(&request.out, request.replace)?;
    let mut ledger = Ledger::open(&folder.ledger(), request.ceiling.map(PrivacyLoss::Gaussian))?;
    let (internal, released) = run(&mut ledger)?;
    let mut details = Map::<String, Value>::new();
    details.insert("records".into(), json!(what));
    let report = |certificate: &Certificate, json: &str| Some(page(certificate, json, what));
    publish(folder, request, &ledger, &internal, released.as_ref(), Form { details, write, report: &report })
}

/// `release/report.html`: certificate and public settings only (the mean itself is a file of numbers).
fn page(certificate: &Certificate, json: &str, what: &str) -> String {
    let mut page =
        release_page("Private mean", &format!("mean of {} records ({what})", certificate.n), certificate);
    guarantee_section(&mut page, certificate);
    page.heading("How it was made");
    page.table(&["parameter", "value"], &mechanism_rows(certificate));
    certificate_section(&mut page, certificate, json);
    page.to_html()
}

/// The mean in ℝ^{d+1} of points of the ball, noised and projected back: two points of a ball of radius r ≤ π/2 are at most
/// 2 sin r apart in space, so Δ = 2 sin r/n.
fn extrinsic_sphere(
    sphere: &Sphere,
    ball: &PublicBall<'_, Sphere>,
    records: &[Option<DVector<f64>>],
    request: &PointRequest,
    ledger: &mut Ledger,
) -> Result<Outcome<DVector<f64>>, PointStudyError> {
    let bounded = ball.bound(records);
    let n = bounded.points.len() as u64;
    let mut mean = DVector::zeros(ball.centre().len());
    bounded.points.iter().for_each(|p| mean += p / n as f64);
    let sensitivity = L2Sensitivity::new(2.0 * ball.radius().get().sin() / n as f64 * (1.0 + 1e-9))?;
    let what = "mean in space of the records in the public ball";
    let of = Ambient { statistic: mean.as_slice(), sensitivity, n, radius: ball.radius(), what };
    let centre = ball.centre();
    let released = ambient(&of, request, ledger, |x| {
        let x = DVector::from_row_slice(x);
        let length = x.norm();
        Ok(if length > 1e-12 { x / length } else { centre.clone() })
    })?;
    let mean = frechet_mean(sphere, &bounded.points, None, Some(centre), FrechetOptions::default())?.point;
    Ok((Internal { mean, bounded, seconds_per_draw: 0.0 }, Some(released)))
}

/// The log-Euclidean mean noised in the space of symmetric matrices, Δ = 2r eʳ/n about the identity (the 2(eʳ − 1)/n of Utpala
/// et al. 2023 is false). What comes out may have left the positive definite matrices.
fn extrinsic_spd(
    space: &SpdLogEuclidean,
    ball: &PublicBall<'_, Euclidean>,
    records: &[Option<DVector<f64>>],
    request: &PointRequest,
) -> Result<Published, PointStudyError> {
    let order = space.order();
    let write = |folder: &Path, name: &str, points: &[DMatrix<f64>]| write_matrices(folder, name, points);
    let run = |ledger: &mut Ledger| {
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
        Ok((Internal { mean, bounded, seconds_per_draw: 0.0 }, Some(released)))
    };
    finish(request, "matrices, extrinsic", run, &write)
}
