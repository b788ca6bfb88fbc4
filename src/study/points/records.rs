//! Records of a study of points as they are read: usable or not, each a person's own or not.

use super::{PointRequest, PointStudyError, Unusable};
use crate::study::people::sum_of;
use crate::study::{Counting, Identical, People, PeopleError};

/// A record as it was read.
pub(in crate::study) struct Record<P> {
    /// Its place and name in the file, where more is known than which it is.
    about: String,
    sum: Option<[u8; 32]>,
    /// `None` for one that counts as the centre, or what is wrong with it.
    point: Result<Option<P>, String>,
}

impl<P> Record<P> {
    /// Of its numbers as they stand in the file, and the point they are.
    pub(in crate::study) fn new(numbers: &[f64], point: Result<Option<P>, String>) -> Self {
        // What counts as the centre is nobody's copy.
        let sum = matches!(point, Ok(Some(_))).then(|| sum_of(numbers));
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

/// The records as points, `None` for those that count as the centre.
///
/// # Errors
/// [`PointStudyError::Record`] for the first unusable one, where the study stops at them; two persons' records that are alike.
pub(super) fn points<P>(
    request: &PointRequest,
    people: &People,
    records: impl Iterator<Item = Record<P>>,
) -> Result<Vec<Option<P>>, PointStudyError> {
    usable(request.unusable, &request.counting, people, records)
}

/// As [`points`], for other studies than those of points.
pub(in crate::study) fn usable<P>(
    unusable: Unusable,
    counting: &Counting,
    people: &People,
    records: impl Iterator<Item = Record<P>>,
) -> Result<Vec<Option<P>>, PointStudyError> {
    let (mut points, mut sums, mut about) = (Vec::new(), Vec::new(), Vec::new());
    for (i, record) in records.enumerate() {
        points.push(match (record.point, unusable) {
            (Ok(point), _) => point,
            (Err(_), Unusable::CountAsCentre) => None,
            (Err(problem), Unusable::Stop) => return Err(PointStudyError::Record { index: i + 1, problem }),
        });
        sums.push(record.sum);
        about.push(record.about);
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
    Ok(points)
}
