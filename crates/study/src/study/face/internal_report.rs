//! `internal/`: the mean without noise, and a page for the data holder only. The error of the release, the worst registrations with pictures, a
//! table of all scans to sort.

use super::error::StudyError;
use super::error_map::along_normals;
use super::internal::Internal;
use super::record::table::page_table;
use super::record::{ScanRow, ScanStage};
use super::release_report::portraits;
use super::worst::{too_large, worst_registrations};
use super::yardstick::FACE_MM;
use crate::function::FaceCurves;
use crate::io::internal::{write_npy, write_ply};
use crate::job::layout::{NONPRIVATE_CURVES, NONPRIVATE_MEAN_PLY, SCAN_TABLE};
use crate::mesh::TriMesh;
use crate::privacy::ClipRadius;
use crate::report::chart::{Axis, histogram};
use crate::report::colour::{ColourScale, short};
use crate::report::figure::Figure;
use crate::report::page::Page;
use crate::report::render::{CLAY, Image, View, render};
use crate::report::surface_view::SurfaceView;
use crate::surface::registration::Measure;
use rayon::prelude::*;

/// More rows than this are not put into the page: browsers become slow.
const MOST_ROWS: usize = 5000;

/// What the columns of the table mean that every scan has.
const COLUMN_NOTES: [&str; 5] = [
    "share on scan, distance to scan: of the registered vertices, how many lie where there is scan, and their \
     root-mean-square distance to it in units of the template",
    "least Jacobian: of the map from the template, relative to its mean; 0 or less would be a fold, and such scans are refused",
    "turned triangles: of the template's triangles that lie on the scan (not in filled holes), how many are turned over on its surface or in a \
     one-to-one map of it to a disk: none where the registration is one to one",
    "deviation: of the record's curves from the template's, root mean square, on a face of area 1",
    "pose misfit: of the rigid fit that found the nose, relative to the face's size",
];

/// Writes the mean without noise and the data holder's page.
pub(super) fn write_internal(results: &Internal<'_>) -> Result<(), StudyError> {
    let internal = results.job.folder().internal();
    let template = &results.loaded.template;
    let nonprivate = template.face_through(results.nonprivate)?;
    let shape = [results.nonprivate.curves(), results.nonprivate.samples(), 3];
    write_npy(&internal.join(NONPRIVATE_CURVES), &shape, results.nonprivate.data())?;
    let released = results.released.map(|curves| template.face_through(curves)).transpose()?;
    results.job.write_page(internal_report(results, &nonprivate, released.as_ref())?)?;
    // Last: its presence says that the internal results are whole.
    Ok(write_ply(&internal.join(NONPRIVATE_MEAN_PLY), &nonprivate)?)
}

/// The page.
fn internal_report(
    results: &Internal<'_>,
    nonprivate: &TriMesh,
    private: Option<&TriMesh>,
) -> Result<Page, StudyError> {
    let mut page = Page::new("Face study: for the data holder").band("INTERNAL: DO NOT PUBLISH");
    let done = match results.released {
        Some(_) => "contribute zero to the release, and are left out of the mean without noise",
        None => "are left out of the mean without noise",
    };
    page.lead(&match (results.failed, results.rows.len()) {
        (0, 0) => "Records that were prepared elsewhere.".to_owned(),
        (0, scans) => format!("{scans} scans, all processed."),
        (failed, 0) => format!(
            "Records that were prepared elsewhere; {failed} of them cannot be used ({SCAN_TABLE}): they {done}."
        ),
        (failed, scans) => format!("{scans} scans; {failed} could not be processed: they {done}."),
    });
    match (results.released, private) {
        (Some(released), Some(private)) => {
            page.heading("Error of the release");
            page.facts(&error_facts(results, released));
            let views = [View::FRONT, View::PROFILE].into_par_iter();
            let pairs: Result<Vec<Figure>, StudyError> =
                views.map(|view| pair(nonprivate, private, view)).collect();
            page.figures(&pairs?);
            page.figures(&[difference(nonprivate, private)]);
        }
        _ => {
            page.heading("Non-private mean");
            page.figures(&portraits(nonprivate, "non-private mean")?);
        }
    }
    if !results.rows.is_empty() {
        scan_sections(&mut page, results)?;
    }
    Ok(page)
}

/// How every scan went.
fn scan_sections(page: &mut Page, results: &Internal<'_>) -> Result<(), StudyError> {
    page.heading("How the scans spread");
    page.figures(&spread_charts(results));
    if !results.scans.is_empty() {
        registrations(page, results)?;
    }
    page.heading("All scans");
    if results.rows.len() > MOST_ROWS {
        page.paragraph(&format!(
            "There are {} of them: see the table {SCAN_TABLE} beside this page.",
            results.rows.len()
        ));
    } else {
        page.paragraph("Click a heading to sort. Scans that could not be processed are marked.");
        let (headings, cells) = page_table(results.rows);
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        page.sortable_table(&headings, &cells, &|k| !results.rows[k].is_ok());
        page.list(&column_notes(results));
    }
    page.heading("Seconds by stage (median scan)");
    page.table(&["stage", "seconds"], &stage_rows(results.rows));
    Ok(())
}

/// Pictures of the scans that were registered worst, where the scans are at hand.
fn registrations(page: &mut Page, results: &Internal<'_>) -> Result<(), StudyError> {
    page.heading("Registrations to look at");
    page.paragraph(
        "The scans with the most left over by the registration. Left: the scan, cropped and repaired; middle and right: the \
         template's surface as it was registered to it, which should be the same face; grey where there is no scan. One that \
         is torn, folded or another \
         face was registered badly; one that is merely unusual is fine.",
    );
    page.wide_figures(&worst_registrations(results)?);
    if let Some(left_out) = too_large(results) {
        page.paragraph(&left_out);
    }
    Ok(())
}

/// What the method of this study tells of its scans.
fn measures(results: &Internal<'_>) -> &'static [Measure] {
    results.maker.settings().registration.measures().all
}

fn column_notes(results: &Internal<'_>) -> Vec<String> {
    let with_note = measures(results).iter().filter(|m| m.shown && !m.note.is_empty());
    let own = with_note.map(|m| format!("{}: {}", m.quantity, m.note));
    own.chain(COLUMN_NOTES.map(str::to_owned)).collect()
}

fn error_facts(results: &Internal<'_>, released: &FaceCurves) -> Vec<(String, String)> {
    let error = released.mean_square_distance(results.nonprivate);
    let sampling = sampling_error(results.rows, results.own, results.nonprivate);
    vec![
        (format!("{error:.3e}"), "mean square distance per point between private and non-private mean (faces of area 1)".into()),
        (short(error.sqrt()), format!("its root; some {} mm on a face of 20 cm", short(FACE_MM * error.sqrt()))),
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

fn pair(nonprivate: &TriMesh, private: &TriMesh, view: View) -> Result<Figure, StudyError> {
    let image = Image::beside(&[render(nonprivate, view, CLAY), render(private, view, CLAY)]);
    Ok(Figure::image(&image, "left: non-private mean; right: private mean")?)
}

fn difference(nonprivate: &TriMesh, private: &TriMesh) -> Figure {
    let along = along_normals(private, nonprivate, &nonprivate.vertex_normals());
    let scale = ColourScale::signed("private − non-private", "along the normal, face of area 1", &along);
    let view = SurfaceView::new("private mean", private.clone()).with_field(scale, &along);
    Figure::surface(&view, "The private mean; press the button for its distance from the non-private one.")
}

fn spread_charts(results: &Internal<'_>) -> Vec<Figure> {
    let of = |f: fn(&ScanRow) -> Option<f64>| -> Vec<f64> { results.rows.iter().filter_map(f).collect() };
    let clip = results.clip.map(ClipRadius::get);
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
    for (measure, chart) in measures(results).iter().filter_map(|m| Some((m, m.chart?))) {
        let values: Vec<f64> = results.rows.iter().filter_map(|r| r.measure(measure)).collect();
        add(chart.title, chart.axis, &values, chart.caption);
    }
    add(
        "Share of the surface on the scan",
        "share of the vertices",
        &of(|r| r.is_ok().then_some(r.on_scan)),
        "The rest continues smoothly where the scan has ended.",
    );
    figures
}

fn stage_rows(rows: &[ScanRow]) -> Vec<Vec<String>> {
    ScanStage::NAMES
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
