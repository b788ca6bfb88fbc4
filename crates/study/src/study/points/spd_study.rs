//! The study of symmetric positive definite matrices, from its file to its release.

use super::array::Array;
use super::ball::{BallCentre, BallRadius, StudyBall, in_first_ball};
use super::budget::Budget;
use super::mechanism::make_mean;
use super::plain::{PlainForm, RecordKind};
use super::plain_mean::{PlainMean, no_radius};
use super::records::{Read, Record, points};
use super::run::Course;
use super::spd::{SpdMetric, positive_definite};
use super::vector_study::people_of_rows;
use super::{PointMechanism, PointOutcome, PointRequest, PointStudyError};
use crate::io::{Content, Matrices, matrices_of, open_as, read_matrices};
use crate::manifold::{
    Euclidean, Manifold, PolarVolume, SpdAffineInvariant, SpdBuresWasserstein, SpdLogEuclidean,
};
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{ExtrinsicSpd, MakeMean, ToMatrix};
use crate::privacy::{ClipRadius, ClipSource, PublicInput};
use crate::study::{People, public_input};
use nalgebra::DMatrix;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use visard_base::parallel;

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
    /// The public radius: without one there is only the mean without noise.
    pub radius: Option<f64>,
    /// Mechanism, budget, folder.
    pub request: PointRequest,
}

/// Runs a study of matrices.
///
/// # Errors
/// [`PointStudyError`]; nothing is charged for input that cannot be used.
pub fn run_spd(study: &SpdStudy) -> Result<PointOutcome, PointStudyError> {
    let matrices = read_matrices(&study.file)?;
    let order = matrices.order();
    let is_plain = study.request.mechanism == PointMechanism::None && study.radius.is_none();
    if study.metric == SpdMetric::BuresWasserstein {
        if !is_plain {
            return Err(PointStudyError::Input(
                "the Bures-Wasserstein mean has no private mechanism here: give --mechanism none without --radius, or another --metric".into(),
            ));
        }
        return run_plain(study, &matrices, SpdBuresWasserstein::new(order)?, DMatrix::clone, |p| {
            Array::from(p)
        });
    }
    if is_plain {
        return match study.metric {
            SpdMetric::LogEuclidean => {
                let log = SpdLogEuclidean::new(order)?;
                run_plain(
                    study,
                    &matrices,
                    Euclidean::new(log.dim()),
                    |m| log.chart(m),
                    |x| Array::from(&log.from_chart(x)),
                )
            }
            _ => run_plain(study, &matrices, SpdAffineInvariant::new(order)?, DMatrix::clone, |p| {
                Array::from(p)
            }),
        };
    }
    let (mut public_inputs, mut first_radius) = (Vec::new(), None);
    let identity = || DMatrix::identity(order, order);
    let centre = match &study.centre {
        SpdCentre::Identity => identity(),
        SpdCentre::Known(matrix) => matrix.clone(),
        SpdCentre::Private { about, first_radius: first } => {
            first_radius = Some(*first);
            about.clone().unwrap_or_else(identity)
        }
        SpdCentre::File(file) => {
            let (matrix, input) = one_matrix(file, order)?;
            public_inputs.push(input);
            matrix
        }
    };
    let files = MatrixStudy { study, matrices, public_inputs, first_radius };
    match study.metric {
        SpdMetric::AffineInvariant | SpdMetric::BuresWasserstein => files.run(
            MatrixSpace {
                space: SpdAffineInvariant::new(order)?,
                description: "matrices, affine-invariant mean",
                of_matrix: Arc::new(DMatrix::clone),
                to_matrix: Arc::new(DMatrix::clone),
            },
            &centre,
        ),
        SpdMetric::LogEuclidean => {
            // The logarithm is an isometry onto ℝ^{k(k+1)/2}: everything is done there.
            let log = SpdLogEuclidean::new(order)?;
            let space = MatrixSpace {
                space: Euclidean::new(log.dim()),
                description: "matrices, log-Euclidean mean",
                of_matrix: Arc::new(move |m| log.chart(m)),
                to_matrix: Arc::new(move |x| log.from_chart(x)),
            };
            files.run(space, &centre)
        }
    }
}

/// The records as points.
fn read_points<P: Send>(
    request: &PointRequest,
    people: &People,
    matrices: &Matrices,
    of_matrix: impl Fn(&DMatrix<f64>) -> P + Sync,
) -> Result<Read<P>, PointStudyError> {
    let record = |m: Vec<f64>| Record::new(&m, positive_definite(matrices.order(), &m));
    let found = points(request, people, matrices.iter().map(record))?;
    Ok(found.map(|points| parallel::map(points.len(), |i| points[i].as_ref().map(&of_matrix))))
}

/// The mean without noise, and without a ball.
fn run_plain<M: Manifold>(
    study: &SpdStudy,
    matrices: &Matrices,
    space: M,
    of_matrix: impl Fn(&DMatrix<f64>) -> M::Point + Sync,
    to_array: impl Fn(&M::Point) -> Array,
) -> Result<PointOutcome, PointStudyError>
where
    M::Point: Send,
{
    let request = &study.request;
    let people = people_of_rows(request, matrices.count())?;
    let plain = PlainMean { request, space, people: &people, notes: Vec::new() };
    plain.run(|| read_points(request, &people, matrices, of_matrix), to_array)
}

/// A matrix as a point.
type OfMatrix<P> = Arc<dyn Fn(&DMatrix<f64>) -> P + Send + Sync>;

/// A space of matrices, or of their logarithms.
struct MatrixSpace<M: Manifold> {
    space: M,
    description: &'static str,
    of_matrix: OfMatrix<M::Point>,
    to_matrix: ToMatrix<M::Point>,
}

/// A study whose public files have been read.
struct MatrixStudy<'a> {
    study: &'a SpdStudy,
    matrices: Matrices,
    public_inputs: Vec<PublicInput>,
    /// With a private centre, the radius of the ball it is sought in, if it was given.
    first_radius: Option<Option<f64>>,
}

impl MatrixStudy<'_> {
    fn run<M>(self, of: MatrixSpace<M>, centre: &DMatrix<f64>) -> Result<PointOutcome, PointStudyError>
    where
        M: PolarVolume + 'static,
        M::Point: Serialize + DeserializeOwned + 'static,
    {
        let Self { study, matrices, public_inputs, first_radius } = self;
        let request = &study.request;
        let people = people_of_rows(request, matrices.count())?;
        let n = people.count() as u64;
        let MatrixSpace { space, description, of_matrix, to_matrix } = of;
        let centre = of_matrix(centre);
        let radius = ClipRadius::new(study.radius.ok_or_else(no_radius)?, ClipSource::Public)?;
        let centre = match first_radius {
            None => BallCentre::Public(centre),
            Some(first) => in_first_ball(&space, centre, radius, first)?,
        };
        let records = || read_points(request, &people, &matrices, |m| of_matrix(m));
        let to_array = |to: ToMatrix<M::Point>| move |p: &M::Point| Array::from(&to(p));
        let (file, settings) = (matrices.file().sha256(), format!("{description} {:?}", study.centre));
        let mean = to_array(to_matrix.clone());
        let ball = StudyBall { space: space.clone(), centre, radius: BallRadius::Public(radius) };
        let public = !matches!(study.centre, SpdCentre::Private { .. });
        let best = |loss| PointMechanism::best_for_matrices(study.metric, public, loss);
        let usual = request.budget.map(best);
        if request.mechanism == PointMechanism::Extrinsic {
            let kind = RecordKind {
                kind: "matrix",
                description: "matrices, extrinsic, distances in the Frobenius norm",
                usual,
            };
            let as_matrix = to_matrix.clone();
            let distance = move |p: &M::Point, q: &DMatrix<f64>| (as_matrix(p) - q).norm();
            let form = PlainForm::new(
                kind,
                request,
                public_inputs,
                mean,
                |q: &DMatrix<f64>| Array::from(q),
                distance,
            );
            let make = |budget: Budget| -> Result<MakeMean<M, ExtrinsicSpd<M>>, MechanismError> {
                let noise = budget.vector_noise()?;
                Ok(Box::new(move |ball| ExtrinsicSpd::new(ball, n, noise, to_matrix.clone())))
            };
            return Course {
                request,
                ball,
                form,
                people: &people,
                names: Vec::new(),
                file,
                settings,
                notes: &Vec::new,
            }
            .run(make, records);
        }
        let kind = RecordKind { kind: "matrix", description, usual };
        let of = space.clone();
        let distance = move |p: &M::Point, q: &M::Point| space.dist(p, q);
        let form = PlainForm::new(kind, request, public_inputs, mean, to_array(to_matrix), distance);
        let make = |budget: Budget| make_mean(&of, request.mechanism, n, budget);
        Course { request, ball, form, people: &people, names: Vec::new(), file, settings, notes: &Vec::new }
            .run(make, records)
    }
}

/// A file with one public matrix of this order, and what it is for the certificate.
///
/// # Errors
/// [`PointStudyError`]: a file that is secret, cannot be read, or holds something else.
pub fn one_matrix(file: &Path, order: usize) -> Result<(DMatrix<f64>, PublicInput), PointStudyError> {
    let opened = open_as(file, Content::Matrices)?;
    let input = public_input(&opened)?;
    let given = matrices_of(opened)?;
    let fail = |problem: &str| PointStudyError::Input(format!("{}: {problem}", file.display()));
    let mut matrices = given.iter();
    match (matrices.next(), matrices.next()) {
        (Some(only), None) if given.order() == order => {
            Ok((positive_definite(order, &only).map_err(|problem| fail(&problem))?, input))
        }
        _ => Err(fail(&format!("the public centre is one matrix of the records' order {order}"))),
    }
}
