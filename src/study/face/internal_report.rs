//! `internal/report.html`: for the data holder only. The error of the release, the worst registrations with pictures, a
//! table of all scans to sort.

use super::noise_map::along_normals;
use super::output::{OutputError, Results};
use super::record::{ScanRow, Stage};
use super::release_report::portraits;
use super::scan_table::page_table;
use super::worst::worst_registrations;
use crate::function::FaceCurves;
use crate::mesh::TriMesh;
use crate::report::chart::{Axis, histogram};
use crate::report::colour::{ColourScale, short};
use crate::report::figure::Figure;
use crate::report::page::Page;
use crate::report::render::{CLAY, Image, View, render};
use crate::report::surface_view::SurfaceView;

/// What the columns of the table mean.
const COLUMN_NOTES: [&str; 6] = [
    "misfit: root-mean-square distance of the smoothly moved template to the scan's planes at the last step, in nominal \
     millimetres (a face of ordinary size)",
    "share on scan, distance to scan: of the registered vertices, how many lie where there is scan, and their \
     root-mean-square distance to it in units of the template",
    "least Jacobian: of the map from the template, relative to its mean; 0 or less would be a fold, and such scans are refused",
    "energy, angle distortion, flipped triangles: of the SRNF registration only, which flattens the scan",
    "deviation: of the record's curves from the template's, root mean square, on a face of area 1",
    "pose misfit: of the rigid fit that found the nose, relative to the face's size",
];

/// The page.
pub fn internal_report(
    results: &Results<'_>,
    nonprivate: &TriMesh,
    private: Option<&TriMesh>,
) -> Result<String, OutputError> {
    let mut page = Page::new("Face study: for the data holder").band("INTERNAL: DO NOT PUBLISH");
    let failed = results.rows.iter().filter(|r| !r.is_ok()).count();
    page.lead(&match failed {
        0 => format!("{} scans, all processed.", results.rows.len()),
        _ => format!(
            "{} scans; {failed} could not be processed and count as the template.",
            results.rows.len()
        ),
    });
    match (results.released, private) {
        (Some(released), Some(private)) => {
            page.heading("Error of the release");
            page.facts(&error_facts(results, &released.curves));
            page.figures(&[
                pair(nonprivate, private, View::FRONT)?,
                pair(nonprivate, private, View::PROFILE)?,
            ]);
            page.figures(&[difference(nonprivate, private)]);
        }
        _ => {
            page.heading("Non-private mean");
            page.figures(&portraits(nonprivate, "non-private mean")?);
        }
    }
    page.heading("How the scans spread");
    page.figures(&spread_charts(results));
    page.heading("Registrations to look at");
    page.paragraph(
        "The scans with the most left over by the registration. Left: the scan, cropped and repaired; middle and right: the \
         template's surface as it was registered to it, which should be the same face; grey where there is no scan. One that \
         is torn, folded or another \
         face was registered badly; one that is merely unusual is fine.",
    );
    page.wide_figures(&worst_registrations(results)?);
    page.heading("All scans");
    page.paragraph("Click a heading to sort. Scans that could not be processed are marked.");
    let (headings, cells) = page_table(results.rows);
    page.sortable_table(&headings, &cells, &|k| !results.rows[k].is_ok());
    page.list(&COLUMN_NOTES);
    page.heading("Seconds by stage (median scan)");
    page.table(&["stage", "seconds"], &stage_rows(results.rows));
    Ok(page.to_html())
}

fn error_facts(results: &Results<'_>, released: &FaceCurves) -> Vec<(String, String)> {
    let error = released.mean_square_distance(results.nonprivate);
    let sampling = sampling_error(results.rows, results.own, results.nonprivate);
    vec![
        (format!("{error:.3e}"), "mean square distance per point between private and non-private mean (faces of area 1)".into()),
        (short(error.sqrt()), format!("its root; some {} mm on a face of 20 cm", short(200.0 * error.sqrt()))),
        (
            format!("{sampling:.3e}"),
            "sampling error of the non-private mean itself, from the spread of the records: what noise is to be measured by".into(),
        ),
    ]
}

/// (1/n²) Σ ‖F_i − mean‖², from each record's deviation from the template.
fn sampling_error(rows: &[ScanRow], own: &FaceCurves, mean: &FaceCurves) -> f64 {
    let n = rows.len() as f64;
    let about_template = rows.iter().filter_map(|r| r.deviation).map(|d| d * d).sum::<f64>() / n;
    (about_template - mean.mean_square_distance(own)).max(0.0) / n
}

fn pair(nonprivate: &TriMesh, private: &TriMesh, view: View) -> Result<Figure, OutputError> {
    let image = Image::beside(&[render(nonprivate, view, CLAY), render(private, view, CLAY)]);
    Ok(Figure::image(&image, "left: non-private mean; right: private mean")?)
}

fn difference(nonprivate: &TriMesh, private: &TriMesh) -> Figure {
    let along = along_normals(private, nonprivate, &nonprivate.vertex_normals());
    let scale = ColourScale::signed("private − non-private", "along the normal, face of area 1", &along);
    let view = SurfaceView::new("private mean", private.clone()).with_field(scale, &along);
    Figure::surface(&view, "The private mean; press the button for its distance from the non-private one.")
}

fn spread_charts(results: &Results<'_>) -> Vec<Figure> {
    let of = |f: fn(&ScanRow) -> Option<f64>| -> Vec<f64> { results.rows.iter().filter_map(f).collect() };
    let clip = results.released.map(|r| r.price.clip.get());
    let marks: Vec<(f64, &str)> = clip.iter().map(|&c| (c, "clip radius")).collect();
    let deviation = of(|r| r.deviation);
    let beyond = clip.map_or(0, |c| deviation.iter().filter(|d| **d > c).count());
    let mut figures = vec![Figure::chart(
        histogram(
            "Deviation from the template",
            &Axis::linear("root mean square, face of area 1"),
            &deviation,
            24,
            &marks,
        ),
        format!(
            "Records beyond the clip radius (pulled back to it where the radius is for whole faces): {beyond}."
        ),
    )];
    let mut add = |title: &str, axis: &str, values: &[f64], caption: &str| {
        if !values.is_empty() {
            figures.push(Figure::chart(histogram(title, &Axis::linear(axis), values, 24, &[]), caption));
        }
    };
    add(
        "Misfit after registration",
        "root mean square, nominal mm",
        &of(|r| r.misfit_end),
        "How far the smoothly moved template stays from the scan before its vertices land on it.",
    );
    add("Energy after registration", "SRNF energy", &of(|r| r.energy_end), "Large values are worth a look.");
    add(
        "Angle distortion of the disk maps",
        "mean, degrees",
        &of(|r| r.angle_distortion_deg),
        "A discrete conformal map of a smooth scan is within a few degrees.",
    );
    add(
        "Share of the surface on the scan",
        "share of the vertices",
        &of(|r| r.is_ok().then_some(r.on_scan)),
        "The rest continues smoothly where the scan has ended.",
    );
    figures
}

fn stage_rows(rows: &[ScanRow]) -> Vec<Vec<String>> {
    Stage::NAMES
        .iter()
        .enumerate()
        .map(|(k, name)| {
            let mut seconds: Vec<f64> = rows.iter().filter(|r| r.is_ok()).map(|r| r.seconds[k]).collect();
            seconds.sort_by(f64::total_cmp);
            let middle = seconds.get(seconds.len() / 2).copied().unwrap_or(0.0);
            vec![(*name).to_owned(), format!("{middle:.4}")]
        })
        .collect()
}
