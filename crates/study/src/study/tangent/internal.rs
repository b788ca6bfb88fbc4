//! What only the data holder may see of records about a centre.

use super::space::{TangentSpace, distance};
use crate::io::internal::write_npy;
use crate::io::write_text;
use crate::job::Job;
use crate::job::layout::{DISTANCES, NONPRIVATE_MEAN_NPY, UNUSABLE};
use crate::mechanism::functional::FunctionRecords;
use crate::study::points::{PointStudyError, Words, distance_line, distances_csv, private_page};
use std::borrow::Cow;

/// Writes what only the data holder may see: the mean without noise, how far every record lies from the released `mean`, and a page. Returns
/// how many records lie beyond the public radius.
pub(super) fn write(
    job: &Job<'_>,
    space: &dyn TangentSpace,
    records: &dyn FunctionRecords,
    mean: Option<&[f64]>,
) -> Result<usize, PointStudyError> {
    let dir = job.folder().internal();
    let of = |i: usize| Some((i.to_string(), records.samples(i)?));
    let (names, usable): (Vec<_>, Vec<_>) = (0..records.count()).filter_map(of).unzip();
    let mut own = vec![0.0; space.centre().len()];
    for record in &usable {
        own.iter_mut().zip(record.iter()).for_each(|(sum, x)| *sum += x / usable.len() as f64);
    }
    let from = mean.unwrap_or(&own);
    let apart = usable.iter().map(|record| distance(space, record, from));
    let distances: Vec<(String, f64)> = names.into_iter().zip(apart).collect();
    write_text(&dir.join(DISTANCES), &distances_csv(&distances))?;
    let is_beyond = |record: &&Cow<'_, [f64]>| distance(space, record, space.centre()) > space.radius();
    let beyond = usable.iter().filter(is_beyond).count();
    let (count, Words { records, distance: what, .. }) = (records.count(), space.words());
    let mut page = private_page(&format!("Internal: {records}"));
    distance_line(&mut page, mean.filter(|_| !usable.is_empty()).map(|mean| distance(space, mean, &own)));
    page.paragraph(&format!(
        "{} {records}, {} of which cannot be used and contribute zero ({UNUSABLE}); {beyond} lie further than {} from the centre \
         ({what}) and count as shortened. {DISTANCES} has how far each lies from the {} mean, in the tangent space at the centre.",
        count,
        count - usable.len(),
        space.radius(),
        if mean.is_some() { "released" } else { "own" }
    ));
    job.write_page(page)?;
    // Last: its presence says that the rest is there.
    write_npy(&dir.join(NONPRIVATE_MEAN_NPY), space.axes(), &space.point(&own))?;
    Ok(beyond)
}
