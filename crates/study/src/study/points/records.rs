//! Records of a study of points as they are read: usable or not, each a person's own or not.

use super::{PointRequest, PointStudyError};
use crate::io::numbers_sha256;
use crate::io::shapes::ShapeRecord;
use crate::job::copies::{Copies, Kind, Sketch};
use crate::job::unusable::Problem;
use crate::manifold::LandmarkShapes;
use crate::study::{Counting, People, PeopleError, Unusable};
use nalgebra::DMatrix;
use std::borrow::Cow;

/// What a record is compared by with the others: nothing for one that cannot be used, which is nobody's copy.
#[derive(Debug, Clone, Default)]
pub(super) struct Alike {
    sum: Option<[u8; 32]>,
    like: Option<Like>,
}

#[derive(Debug, Clone)]
enum Like {
    Numbers(Sketch),
    Shape(LandmarkShapes, DMatrix<f64>),
}

impl Alike {
    /// Numbers as they stand in the file.
    pub(in crate::study) fn of(numbers: &[f64]) -> Self {
        Self { sum: Some(numbers_sha256(numbers)), like: Sketch::of(numbers).map(Like::Numbers) }
    }

    /// A shape as it stands in the file. One that lacks landmarks is compared to the last bit only.
    pub(in crate::study) fn of_shape(shape: &ShapeRecord) -> Self {
        let like = LandmarkShapes::new(shape.landmarks(), shape.dimension()).ok();
        let like =
            like.and_then(|space| Some(Like::Shape(space, space.preshape(&shape.to_matrix()).ok()?.0)));
        Self { sum: Some(numbers_sha256(shape.coordinates())), like }
    }
}

/// Refuses two people's records that are alike; what should be told of all the same.
///
/// # Errors
/// [`PeopleError`], which names two by `name`.
fn refuse_alike(
    counting: &Counting,
    people: &People,
    alike: &[Alike],
    name: impl Fn(usize) -> String,
) -> Result<Vec<String>, PeopleError> {
    counting.refuse_identical(people, alike.iter().map(|alike| alike.sum), &name)?;
    let (kind, numbers) = match alike.iter().find_map(|alike| alike.like.as_ref()) {
        Some(Like::Shape(_, shape)) => (Kind::Landmarks, shape.len()),
        _ => (Kind::Numbers, usize::MAX),
    };
    let record = |i: usize| Some(Cow::Borrowed(alike[i].like.as_ref()?));
    let dist = |a: &Like, b: &Like| match (a, b) {
        (Like::Numbers(a), Like::Numbers(b)) => a.dist(b),
        (Like::Shape(space, a), Like::Shape(_, b)) if a.shape() == b.shape() => space.dist(a, b),
        _ => f64::INFINITY,
    };
    counting.refuse_copies(people, &name, |apart| {
        let measure =
            |i: usize, j: usize| record(i).zip(record(j)).map_or(f64::INFINITY, |(a, b)| dist(&a, &b));
        Copies::among(kind, numbers, alike.len(), record, dist, measure, apart)
    })
}

/// A record as it was read.
pub struct Record<P> {
    /// Its place and name in the file, where more is known than which it is.
    about: String,
    alike: Alike,
    /// The point it is, or what is wrong with it.
    point: Result<P, String>,
}

impl<P> Record<P> {
    /// Of its numbers as they stand in the file, and the point they are.
    pub fn new(numbers: &[f64], point: Result<P, String>) -> Self {
        let alike = if point.is_ok() { Alike::of(numbers) } else { Alike::default() };
        Self { about: String::new(), alike, point }
    }

    /// Of a shape as it stands in the file, and the point it is.
    pub fn of_shape(shape: &ShapeRecord, point: Result<P, String>) -> Self {
        let alike = if point.is_ok() { Alike::of_shape(shape) } else { Alike::default() };
        Self { about: String::new(), alike, point }
    }

    /// What could not be read at all.
    pub fn unread(problem: impl ToString) -> Self {
        Self { about: String::new(), alike: Alike::default(), point: Err(problem.to_string()) }
    }

    /// With its place and name in the file.
    pub fn at(self, about: String) -> Self {
        Self { about, ..self }
    }
}

/// All records of a study: secret.
pub struct Read<P> {
    /// The records as points, `None` for those that cannot be used.
    pub points: Vec<Option<P>>,
    /// Which these are, and why.
    pub problems: Vec<Problem>,
    /// What the data holder should know of the others.
    pub notes: Vec<String>,
}

impl<P> Read<P> {
    /// The same with other points.
    pub(super) fn map<Q>(self, points: impl FnOnce(Vec<Option<P>>) -> Vec<Option<Q>>) -> Read<Q> {
        Read { points: points(self.points), problems: self.problems, notes: self.notes }
    }
}

/// The records as points, as the request wants those treated that cannot be used.
///
/// # Errors
/// [`PointStudyError::Record`] for the first unusable one, where the study stops at them; [`PointStudyError::NoneUsable`]; two persons'
/// records that are alike.
pub(super) fn points<P>(
    request: &PointRequest,
    people: &People,
    records: impl Iterator<Item = Record<P>>,
) -> Result<Read<P>, PointStudyError> {
    usable(request.unusable, &request.counting, people, records)
}

/// As `points`, for other studies than those of points.
pub fn usable<P>(
    unusable: Unusable,
    counting: &Counting,
    people: &People,
    records: impl Iterator<Item = Record<P>>,
) -> Result<Read<P>, PointStudyError> {
    let (mut points, mut problems, mut alike, mut about) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (i, record) in records.enumerate() {
        points.push(match (record.point, unusable) {
            (Ok(point), _) => Some(point),
            (Err(problem), Unusable::Refuse) => {
                return Err(PointStudyError::Record { index: i + 1, problem });
            }
            (Err(what), Unusable::Zero) => {
                problems.push(Problem { record: i, what });
                None
            }
        });
        alike.push(record.alike);
        about.push(record.about);
    }
    if let Some(first) = problems.first().filter(|_| problems.len() == points.len()) {
        return Err(PointStudyError::NoneUsable { n: points.len(), first: first.what.clone() });
    }
    let name = |i: usize| {
        let about = about[i].trim_end_matches([' ', ':']);
        let about = if about.is_empty() { String::new() } else { format!(", {about},") };
        format!("record {} (counting from 1){about}", i + 1)
    };
    let notes = refuse_alike(counting, people, &alike, name)?;
    Ok(Read { points, problems, notes })
}
