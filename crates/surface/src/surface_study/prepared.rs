//! Surfaces that were registered elsewhere: (n, V, 3), the places of the template's vertices, in its frame.

use crate::io::{Opened, Records};
use crate::study::points::PointStudyError;

/// The largest and least size of a prepared record, as a multiple of the template's.
const SIZES: (f64, f64) = (0.7, 1.4);
/// How far its centroid may lie from the template's, in units of √area.
const OFF_CENTRE: f64 = 0.1;

/// How many surfaces of so many vertices an array holds.
///
/// # Errors
/// [`PointStudyError`] for one of another shape.
pub(super) fn count_of(file: &Opened, vertices: usize) -> Result<usize, PointStudyError> {
    let records = Records::of(file)?;
    records.count_of(&[vertices, 3]).ok_or_else(|| {
        PointStudyError::Input(format!(
            "{}: prepared records are an array (n, {vertices}, 3), the vertices of the template in its order, this one is {:?}",
            file.path().display(),
            records.shape()
        ))
    })
}

/// What is wrong with a prepared record, (V, 3) as the template of this size (√area): its numbers, or its frame.
pub fn complaint(data: &[f64], template: &[f64], size: f64) -> Option<String> {
    if data.len() != template.len() {
        return Some(format!("has {} numbers where the template has {}", data.len(), template.len()));
    }
    if !data.iter().all(|x| x.is_finite()) {
        return Some("has values that are not numbers".into());
    }
    let ((centre, reach), (own_centre, own_reach)) = (centre_and_reach(data), centre_and_reach(template));
    let off = (0..3).map(|k| (centre[k] - own_centre[k]).powi(2)).sum::<f64>().sqrt() / size;
    let ratio = reach / own_reach;
    if !(SIZES.0..=SIZES.1).contains(&ratio) {
        return Some(format!(
            "is {ratio:.2} times as large as the template; bring records to its frame first"
        ));
    }
    (off > OFF_CENTRE).then(|| {
        format!("has its centroid {off:.2} of the template's size from the template's; bring records to its frame first")
    })
}

/// The centroid of the points, and their root-mean-square distance from it.
fn centre_and_reach(data: &[f64]) -> ([f64; 3], f64) {
    let n = data.len() as f64 / 3.0;
    let mut centre = [0.0; 3];
    data.chunks_exact(3).for_each(|p| (0..3).for_each(|k| centre[k] += p[k] / n));
    let square: f64 =
        data.chunks_exact(3).map(|p| (0..3).map(|k| (p[k] - centre[k]).powi(2)).sum::<f64>()).sum();
    (centre, (square / n).sqrt())
}
