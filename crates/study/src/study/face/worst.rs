//! Pictures of the registrations that are worth a look: each scan beside the surface that was registered to it.

use super::error::StudyError;
use super::internal::Internal;
use super::record::ScanRow;
use super::registrations::RegisteredScan;
use crate::mesh::TriMesh;
use crate::report::colour::{ColourScale, short};
use crate::report::figure::Figure;
use crate::report::render::{CLAY, Colour, Extent, Image, View, render_within};
use crate::surface::registration::Measure;
use rayon::prelude::*;
use visard_base::parallel;

/// How many are drawn.
const WORST: usize = 6;
/// A scan of more points is not registered a second time for its picture: that would double the time of the study, and six at once its
/// memory.
const MOST_POINTS: usize = 500_000;
/// Side of each picture in pixels.
const SIDE: usize = 280;
/// Part of a picture's frame that the registered surface leaves empty, for scan beyond it.
const MARGIN: f64 = 1.08;

/// What to say of the scans among the worst that are too large to be drawn.
pub(super) fn too_large(results: &Internal<'_>) -> Option<String> {
    let left_out: Vec<&str> = worst(results)
        .into_iter()
        .map(|k| &results.rows[k])
        .filter(|row| is_too_large(row))
        .map(|row| &*row.scan)
        .collect();
    (!left_out.is_empty()).then(|| {
        format!(
            "Not drawn, because of more than {} points, which would have to be registered once more: {}.",
            MOST_POINTS,
            left_out.join(", ")
        )
    })
}

fn is_too_large(row: &ScanRow) -> bool {
    row.points > MOST_POINTS
}

/// The scans with the most left over by the registration, by number.
fn worst(results: &Internal<'_>) -> Vec<usize> {
    let left_over = results.maker.settings().registration.measures().left_over;
    let left = |k: usize| results.rows[k].measure(left_over).unwrap_or(0.0);
    let mut worst: Vec<usize> = (0..results.rows.len()).filter(|&k| results.rows[k].is_ok()).collect();
    worst.sort_by(|&a, &b| left(b).total_cmp(&left(a)));
    worst.truncate(WORST);
    worst
}

/// The scans with the most left over by the registration, but for those that are [too large](too_large). They are registered again: only
/// their curves are kept. A scan that cannot be read any more is left out.
pub(super) fn worst_registrations(results: &Internal<'_>) -> Result<Vec<Figure>, StudyError> {
    let left_over = results.maker.settings().registration.measures().left_over;
    let drawn: Vec<usize> = worst(results).into_iter().filter(|&k| !is_too_large(&results.rows[k])).collect();
    let pair = |k: usize| RegisteredScan::make(results.maker, &results.scans[k]).ok();
    let pairs: Vec<(&ScanRow, RegisteredScan)> =
        drawn.into_par_iter().filter_map(|k| Some((&results.rows[k], pair(k)?))).collect();
    let all: Vec<f64> = pairs.iter().flat_map(|p| p.1.landing.distances.iter().copied()).collect();
    let scale = ColourScale::magnitude("distance to the scan", "template units", &all);
    parallel::try_map_slice(&pairs, |(row, pair)| figure(row, pair, left_over, &scale))
}

fn figure(
    row: &ScanRow,
    pair: &RegisteredScan,
    left_over: &Measure,
    scale: &ColourScale,
) -> Result<Figure, StudyError> {
    let around = Extent::around(&pair.registered);
    let extent = Extent { radius: MARGIN * around.radius, ..around };
    let draw = |mesh: &TriMesh, view: View, colour| {
        render_within(mesh, View { size: SIDE, ..view }, colour, &extent)
    };
    let colours: Vec<[f64; 3]> = pair.landing.distances.iter().map(|d| scale.colour(*d)).collect();
    let image = Image::beside(&[
        draw(&pair.scan, View::FRONT, CLAY),
        draw(&pair.registered, View::FRONT, CLAY),
        draw(&pair.registered, View::THREE_QUARTER, Colour::PerVertex(&colours)),
    ]);
    let left = row.measure(left_over).map_or_else(|| "unknown".to_owned(), short);
    let caption = format!(
        "{}: {} {}, {:.1} % of the surface on the scan, there {} away from it",
        row.scan,
        left_over.quantity,
        format!("{left} {}", left_over.unit).trim_end(),
        100.0 * row.on_scan,
        short(row.distance_to_scan)
    );
    Ok(Figure::image_with_bar(&image, scale, caption)?)
}
