//! The studies of directions and hyperbolic points, from their files to their releases.

use super::array::Array;
use super::ball::{BallCentre, BallRadius, StudyBall, in_first_ball};
use super::budget::Budget;
use super::mechanism::make_mean;
use super::plain::{PlainForm, RecordKind};
use super::plain_mean::{PlainMean, no_radius};
use super::records::{Read, Record, points};
use super::run::Course;
use super::vector_space::{InSpace, first_axis, point_of};
use super::{PointMechanism, PointOutcome, PointRequest, PointStudyError, VectorSpace, Words};
use crate::io::{Content, RecordSize, Rows, open_as, read_rows, rows_of};
use crate::manifold::{Manifold, PolarVolume, Sphere};
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{
    CentreStatistic, DirectionStatistic, ExtrinsicSphere, MakeMean, NoisedPoint,
};
use crate::privacy::{ClipRadius, ClipSource, Mechanism, PublicInput};
use crate::study::{People, public_input};
use nalgebra::DVector;
use std::path::{Path, PathBuf};

/// The centre of a study of vectors.
#[derive(Debug, Clone)]
pub enum VectorCentre {
    /// The space's origin (spheres have none).
    Origin,
    /// A file with one row.
    File(PathBuf),
    /// A first pass paid from the budget. Hyperbolic points need a generous public ball about the origin to bound it; directions
    /// are bounded as they are.
    Private {
        /// The radius of that ball.
        first_radius: Option<f64>,
    },
}

/// A study of vectors: directions or hyperbolic points.
#[derive(Debug, Clone)]
pub struct VectorStudy {
    /// Rows of numbers.
    pub file: PathBuf,
    /// What they are.
    pub space: VectorSpace,
    /// The centre of the ball.
    pub centre: VectorCentre,
    /// The public radius: without one there is only the mean without noise.
    pub radius: Option<f64>,
    /// Numbers in a row: needed where neither a heading nor an array's shape nor a public centre tells.
    pub dim: Option<usize>,
    /// Mechanism, budget, folder.
    pub request: PointRequest,
}

/// Runs a study of vectors.
///
/// # Errors
/// [`PointStudyError`]; nothing is charged for input that cannot be used.
pub fn run_vectors(study: &VectorStudy) -> Result<PointOutcome, PointStudyError> {
    if study.request.mechanism == PointMechanism::None && study.radius.is_none() {
        return run_plain(study);
    }
    let size = study.dim.map_or(RecordSize::Heading, RecordSize::Known);
    let (mut given, mut public_inputs) = (None, Vec::new());
    if let VectorCentre::File(file) = &study.centre {
        let (row, input) = one_row(file, size, study.space)?;
        given = Some(row);
        public_inputs.push(input);
    }
    // What the public centre tells, no record need.
    let width = given.as_ref().map_or(size, |centre| RecordSize::Known(centre.len()));
    let rows = read_rows(&study.file, width)?.of_coordinates()?;
    run_about(study, rows, given, public_inputs)
}

/// Runs a study whose files have been opened.
fn run_about(
    study: &VectorStudy,
    rows: Rows,
    given: Option<DVector<f64>>,
    public_inputs: Vec<PublicInput>,
) -> Result<PointOutcome, PointStudyError> {
    let radius = ClipRadius::new(study.radius.ok_or_else(no_radius)?, ClipSource::Public)?;
    let people = people_of_rows(&study.request, rows.count())?;
    let files = VectorFiles { study, rows, people, public_inputs, radius };
    let d = files.rows.width();
    if study.space == VectorSpace::Sphere {
        return files.directions(Sphere::unit(d.saturating_sub(1))?, given);
    }
    study.space.with(d, AboutPoint { files, given })
}

/// The mean without noise, and without a ball.
fn run_plain(study: &VectorStudy) -> Result<PointOutcome, PointStudyError> {
    // Nothing is released: a row may tell the width.
    let size = study.dim.map_or(RecordSize::Content, RecordSize::Known);
    let rows = read_rows(&study.file, size)?.of_coordinates()?;
    study.space.with(rows.width(), Plain { study, rows: &rows })
}

/// The mean without noise of rows of whichever space.
struct Plain<'a> {
    study: &'a VectorStudy,
    rows: &'a Rows,
}

impl InSpace for Plain<'_> {
    type Done = PointOutcome;

    fn within<M>(self, space: M, _: Option<DVector<f64>>) -> Result<PointOutcome, PointStudyError>
    where
        M: PolarVolume<Point = DVector<f64>, Tangent = DVector<f64>> + 'static,
    {
        let Self { study, rows } = self;
        let request = &study.request;
        let people = people_of_rows(request, rows.count())?;
        let plain = PlainMean { request, space: space.clone(), people: &people, notes: rows.notes() };
        plain.run(|| read_points(study, &people, rows, &space), |x| Array::from(x))
    }
}

/// The records as points.
fn read_points<M: Manifold<Point = DVector<f64>>>(
    study: &VectorStudy,
    people: &People,
    rows: &Rows,
    space: &M,
) -> Result<Read<DVector<f64>>, PointStudyError> {
    let record = |row: Vec<f64>| {
        let point = point_of(study.space, &row);
        let point = space.check(&point).map(|()| point).map_err(|e| e.to_string());
        Record::new(&row, point)
    };
    points(&study.request, people, rows.iter().map(|row| row.map_or_else(Record::unread, record)))
}

/// A study whose public files have been read.
struct VectorFiles<'a> {
    study: &'a VectorStudy,
    rows: Rows,
    people: People,
    public_inputs: Vec<PublicInput>,
    radius: ClipRadius,
}

/// A study about a public point, or about a centre sought near it.
struct AboutPoint<'a> {
    files: VectorFiles<'a>,
    given: Option<DVector<f64>>,
}

impl InSpace for AboutPoint<'_> {
    type Done = PointOutcome;

    fn within<M>(self, space: M, origin: Option<DVector<f64>>) -> Result<PointOutcome, PointStudyError>
    where
        M: PolarVolume<Point = DVector<f64>, Tangent = DVector<f64>> + 'static,
    {
        let Self { files, given } = self;
        let centre = given.or(origin).ok_or_else(no_origin)?;
        let centre = match files.study.centre {
            VectorCentre::Private { first_radius } => {
                in_first_ball(&space, centre, files.radius, first_radius)?
            }
            _ => BallCentre::Public(centre),
        };
        files.run(space, centre)
    }
}

/// What is said where neither a centre nor an origin is known.
pub(in crate::study) fn no_origin() -> PointStudyError {
    PointStudyError::Input(
        "a sphere has no origin: give the public centre as --center FILE, or --center private".into(),
    )
}

impl VectorFiles<'_> {
    /// Directions, whose private centre needs no ball.
    fn directions(self, space: Sphere, given: Option<DVector<f64>>) -> Result<PointOutcome, PointStudyError> {
        let centre = match (given, &self.study.centre) {
            (Some(centre), _) => BallCentre::Public(centre),
            (None, VectorCentre::Private { .. }) => BallCentre::Private {
                statistic: DirectionStatistic::new(space),
                anywhere: first_axis(self.rows.width()),
            },
            (None, _) => return Err(no_origin()),
        };
        if self.study.request.mechanism == PointMechanism::Extrinsic {
            return self.extrinsic(space, centre);
        }
        self.run(space, centre)
    }

    fn run<M, S>(self, space: M, centre: BallCentre<DVector<f64>, S>) -> Result<PointOutcome, PointStudyError>
    where
        M: PolarVolume<Point = DVector<f64>> + 'static,
        S: CentreStatistic<Point = DVector<f64>> + Clone,
    {
        let (mechanism, n) = (self.study.request.mechanism, self.people.count() as u64);
        let of = space.clone();
        self.course(space, centre, |budget| make_mean(&of, mechanism, n, budget))
    }

    /// The baseline: the mean in ℝ^{d+1}, noised and scaled back.
    fn extrinsic(
        self,
        space: Sphere,
        centre: BallCentre<DVector<f64>, DirectionStatistic>,
    ) -> Result<PointOutcome, PointStudyError> {
        let n = self.people.count() as u64;
        let make = |budget: Budget| -> Result<MakeMean<Sphere, ExtrinsicSphere>, MechanismError> {
            let noise = budget.vector_noise()?;
            Ok(Box::new(move |ball| ExtrinsicSphere::new(ball, n, noise)))
        };
        self.course(space, centre, make)
    }

    fn course<M, S, K>(
        self,
        space: M,
        centre: BallCentre<DVector<f64>, S>,
        make: impl FnOnce(Budget) -> Result<MakeMean<M, K>, MechanismError>,
    ) -> Result<PointOutcome, PointStudyError>
    where
        M: PolarVolume<Point = DVector<f64>> + 'static,
        S: CentreStatistic<Point = DVector<f64>> + Clone,
        K: Mechanism<
                Records = [Option<DVector<f64>>],
                Value = NoisedPoint<DVector<f64>>,
                Error = MechanismError,
            >,
    {
        let Self { study, rows, people, public_inputs, radius } = self;
        let Words { record, space: description, .. } = study.space.words();
        let (request, here) = (&study.request, space.clone());
        let usual = request.budget.map(PointMechanism::best_for);
        let kind = RecordKind { kind: record, description, usual };
        let to_array = |x: &DVector<f64>| Array::from(x);
        let form =
            PlainForm::new(kind, request, public_inputs, to_array, to_array, move |p, q| here.dist(p, q));
        let records = || read_points(study, &people, &rows, &space);
        let course = Course {
            request,
            ball: StudyBall { space: space.clone(), centre, radius: BallRadius::Public(radius) },
            form,
            people: &people,
            names: Vec::new(),
            file: rows.file().sha256(),
            settings: kind.description.to_owned(),
            notes: &|| rows.notes(),
        };
        course.run(make, records)
    }
}

/// Who gave which rows, which are called by their number from 0.
pub(super) fn people_of_rows(request: &PointRequest, n: usize) -> Result<People, PointStudyError> {
    Ok(request.counting.people(n, &|i| vec![i.to_string()])?)
}

/// The public centre, one row of numbers.
pub(in crate::study) fn one_row(
    file: &Path,
    size: RecordSize,
    space: VectorSpace,
) -> Result<(DVector<f64>, PublicInput), PointStudyError> {
    let opened = open_as(file, Content::Rows)?;
    let input = public_input(&opened)?;
    // All of it is public: it may tell its own width.
    let rows = rows_of(opened, if size == RecordSize::Heading { RecordSize::Content } else { size })?;
    let rows = rows.of_coordinates()?;
    let fail = |problem: String| PointStudyError::Input(format!("{}: {problem}", file.display()));
    let mut given = rows.iter();
    match (given.next(), given.next()) {
        (Some(row), None) => Ok((point_of(space, &row.map_err(|e| fail(e.to_string()))?), input)),
        _ => Err(fail("the public centre is one row".into())),
    }
}
