//! Records of a study of points as they are read: usable or not, each a person's own or not.

use super::{PointRequest, PointStudyError};
use crate::job::sum_of;
use crate::job::unusable::Problem;
use crate::study::{Counting, Identical, People, PeopleError, Unusable};

/// A record as it was read.
pub(in crate::study) struct Record<P> {
    /// Its place and name in the file, where more is known than which it is.
    about: String,
    sum: Option<[u8; 32]>,
    /// The point it is, or what is wrong with it.
    point: Result<P, String>,
}

impl<P> Record<P> {
    /// Of its numbers as they stand in the file, and the point they are.
    pub(in crate::study) fn new(numbers: &[f64], point: Result<P, String>) -> Self {
        // What cannot be used is nobody's copy.
        let sum = point.is_ok().then(|| sum_of(numbers));
        Self { about: String::new(), sum, point }
    }

    /// What could not be read at all.
    pub(in crate::study) fn unread(problem: impl ToString) -> Self {
        Self { about: String::new(), sum: None, point: Err(problem.to_string()) }
    }

    /// With its place and name in the file.
    pub(in crate::study) fn at(self, about: String) -> Self {
        Self { about, ..self }
    }
}

/// All records of a study: secret.
pub(in crate::study) struct Read<P> {
    /// The records as points, `None` for those that cannot be used.
    pub points: Vec<Option<P>>,
    /// Which these are, and why.
    pub problems: Vec<Problem>,
}

impl<P> Read<P> {
    /// The same with other points.
    pub(super) fn map<Q>(self, points: impl FnOnce(Vec<Option<P>>) -> Vec<Option<Q>>) -> Read<Q> {
        Read { points: points(self.points), problems: self.problems }
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

/// As [`points`], for other studies than those of points.
pub(in crate::study) fn usable<P>(
    unusable: Unusable,
    counting: &Counting,
    people: &People,
    records: impl Iterator<Item = Record<P>>,
) -> Result<Read<P>, PointStudyError> {
    let (mut points, mut problems, mut sums, mut about) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
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
        sums.push(record.sum);
        about.push(record.about);
    }
    if let Some(first) = problems.first().filter(|_| problems.len() == points.len()) {
        return Err(PointStudyError::NoneUsable { n: points.len(), first: first.what.clone() });
    }
    if counting.identical == Identical::Refuse
        && let Some((first, second)) = people.identical(sums)
    {
        let name = |i: usize| {
            let about = about[i].trim_end_matches([' ', ':']);
            let about = if about.is_empty() { String::new() } else { format!(", {about},") };
            format!("record {} (counting from 1){about}", i + 1)
        };
        return Err(PeopleError::Identical { first: name(first), second: name(second) }.into());
    }
    Ok(Read { points, problems })
}
