//! Averages of faces without noise: for the data holder only, or of public faces.

use super::error::StudyError;
use crate::function::{CurvesError, FaceCurves};

/// The mean of the records, a missing one counting as the template: for the data holder only.
///
/// # Errors
/// [`CurvesError`] when there are no records.
pub fn nonprivate_mean(
    template: &FaceCurves,
    records: &[Option<FaceCurves>],
) -> Result<FaceCurves, CurvesError> {
    average(template, records.iter().map(|record| record.as_ref().unwrap_or(template)))
}

/// The average of one person's faces.
///
/// # Errors
/// [`CurvesError`] when there are none.
pub fn mean_of(faces: &[FaceCurves]) -> Result<FaceCurves, CurvesError> {
    let none = CurvesError::WrongLength { curves: 0, samples: 0, given: 0 };
    average(faces.first().ok_or(none)?, faces.iter())
}

/// The average of faces of the form of `like`.
fn average<'a>(
    like: &FaceCurves,
    faces: impl ExactSizeIterator<Item = &'a FaceCurves>,
) -> Result<FaceCurves, CurvesError> {
    let (n, mut sum) = (faces.len() as f64, vec![0.0; like.data().len()]);
    for face in faces {
        sum.iter_mut().zip(face.data()).for_each(|(s, x)| *s += x);
    }
    sum.iter_mut().for_each(|s| *s /= n);
    FaceCurves::new(like.curves(), like.samples(), sum)
}

/// One person's number, of those of the scans.
pub(super) fn number_of(_: usize, own: Vec<f64>) -> Result<Option<f64>, StudyError> {
    Ok(Some(own.iter().sum::<f64>() / own.len() as f64))
}
