//! What only the data holder may see of shapes.

use super::input::{Specimen, Specimens};
use crate::io::internal::write_npy;
use crate::io::write_text;
use crate::job::Job;
use crate::job::layout::{DISTANCES, NONPRIVATE_MEAN_NPY, UNUSABLE};
use crate::manifold::LandmarkShapes;
use crate::study::points::{PointStudyError, distance_line, distances_csv, private_page};
use crate::study::tangent::{Gathered, Opened, TangentSpace};
use nalgebra::DMatrix;
use std::fmt::Write as _;

/// Writes the mean without noise, how far every record lies from the released `mean`, and a page. Returns how many people lie
/// further from the centre than the public radius.
pub(super) fn write(
    specimens: &Specimens<'_>,
    job: &Job<'_>,
    gathered: &Gathered<Specimens<'_>>,
    at: &dyn TangentSpace,
    mean: Option<&[f64]>,
) -> Result<usize, PointStudyError> {
    let (space, dir) = (specimens.space, job.folder().internal());
    let shape =
        |samples: &[f64]| DMatrix::from_row_slice(space.landmarks(), space.dimensions(), &at.point(samples));
    let mean = mean.map(shape);
    let mean = mean.as_ref();
    let filled = |specimen: &Option<Specimen>| Some(specimen.as_ref()?.filled(&space, mean)?.0);
    let filled: Vec<Option<DMatrix<f64>>> = gathered.own.iter().map(filled).collect();
    let centre = shape(at.centre());
    // A person lies where the mean of their tangent vectors does.
    let is_beyond = |own: &&Vec<usize>| {
        let usable: Vec<&DMatrix<f64>> = own.iter().filter_map(|&i| filled[i].as_ref()).collect();
        let none = DMatrix::zeros(space.landmarks(), space.dimensions());
        let sum = usable.iter().fold(none, |sum, z| sum + space.log(&centre, z));
        sum.norm() > at.radius() * usable.len() as f64
    };
    let beyond = specimens.people.members().iter().filter(is_beyond).count();
    let shapes: Vec<DMatrix<f64>> = filled.into_iter().flatten().collect();
    let own = space.mean(&shapes);
    let seen = mean.or(own.as_ref());
    write_text(&dir.join(DISTANCES), &distances(specimens, &gathered.own, seen))?;
    let mut page = private_page("Internal: shapes");
    let apart = mean.zip(own.as_ref()).map(|(mean, own)| space.dist(mean, own));
    distance_line(&mut page, apart);
    page.paragraph(&format!(
        "{} records, {} of which cannot be used and contribute zero ({UNUSABLE}). {DISTANCES} has how far each lies from the {} mean.",
        gathered.own.len(),
        gathered.failed,
        if mean.is_some() { "released" } else { "own" }
    ));
    job.write_page(page)?;
    if let Some(own) = &own {
        let turned = seen.map_or_else(|| own.clone(), |mean| space.rotated(mean, own));
        let shape = [turned.nrows(), turned.ncols()];
        write_npy(&dir.join(NONPRIVATE_MEAN_NPY), &shape, turned.transpose().as_slice())?;
    }
    Ok(beyond)
}

fn distances(specimens: &Specimens<'_>, own: &[Option<Specimen>], from: Option<&DMatrix<f64>>) -> String {
    let space: LandmarkShapes = specimens.space;
    let found = |(i, specimen): (usize, &Option<Specimen>)| {
        let (shape, size) = specimen.as_ref()?.filled(&space, from)?;
        Some((specimens.names(i).concat(), space.dist(from?, &shape), size))
    };
    let found: Vec<Option<_>> = own.iter().enumerate().map(found).collect();
    let known = || found.iter().flatten();
    let table =
        distances_csv(&known().map(|(name, distance, _)| (name.clone(), *distance)).collect::<Vec<_>>());
    let mut sizes: Vec<(f64, f64)> = known().map(|(_, distance, size)| (*distance, *size)).collect();
    sizes.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut lines = table.lines();
    let mut csv = format!("{},centroid_size\n", lines.next().unwrap_or_default());
    for (line, (_, size)) in lines.zip(&sizes) {
        let _ = writeln!(csv, "{line},{size}");
    }
    // Those that cannot be used lie nowhere.
    for i in (0..found.len()).filter(|&i| found[i].is_none()) {
        let _ = writeln!(csv, "{},,,", specimens.names(i).concat().replace(['"', ','], " "));
    }
    csv
}
