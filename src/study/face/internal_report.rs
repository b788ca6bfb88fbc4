//! `internal/report.html`: for the data holder only. The error of the release, the worst registrations with pictures, a
//! table of all scans to sort.

use super::noise_map::along_normals;
use super::output::{OutputError, Results};
use super::record::{ScanRow, Stage};
use super::release_report::portraits;
use crate::function::FaceCurves;
use crate::mesh::TriMesh;
use crate::report::chart::{Axis, histogram};
use crate::report::colour::{ColourScale, short};
use crate::report::figure::Figure;
use crate::report::page::Page;
use crate::report::render::{CLAY, Colour, Image, View, render};
use crate::report::surface_view::SurfaceView;

/// How many of the worst registrations are drawn.
const WORST: usize = 6;

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
        "The scans whose surfaces agree least with the template's after registration (largest remaining SRNF energy). Colour: \
         distance from the template along its normal. A face that is torn, folded or not a face was registered badly; \
         one that is merely unusual is fine.",
    );
    page.figures(&worst_registrations(results)?);
    page.heading("All scans");
    page.paragraph("Click a heading to sort. Scans that could not be processed are marked.");
    let rows: Vec<Vec<String>> = results.rows.iter().map(scan_cells).collect();
    page.sortable_table(
        &[
            "scan",
            "problem",
            "points",
            "repairs",
            "pose misfit",
            "angle distortion °",
            "energy",
            "min Jacobian",
            "deviation",
            "seconds",
        ],
        &rows,
        &|k| !results.rows[k].is_ok(),
    );
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
    let about_template = rows.iter().map(|r| r.deviation * r.deviation).sum::<f64>() / n;
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
    let of =
        |f: fn(&ScanRow) -> f64| -> Vec<f64> { results.rows.iter().filter(|r| r.is_ok()).map(f).collect() };
    let clip = results.released.map(|r| r.price.clip.get());
    let marks: Vec<(f64, &str)> = clip.iter().map(|&c| (c, "clip radius")).collect();
    let deviation = of(|r| r.deviation);
    let beyond = clip.map_or(0, |c| deviation.iter().filter(|d| **d > c).count());
    vec![
        Figure::chart(
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
        ),
        Figure::chart(
            histogram(
                "Energy after registration",
                &Axis::linear("SRNF energy"),
                &of(|r| r.energy_end),
                24,
                &[],
            ),
            "Large values are worth a look.",
        ),
        Figure::chart(
            histogram(
                "Angle distortion of the disk maps",
                &Axis::linear("mean, degrees"),
                &of(|r| r.angle_distortion_deg),
                24,
                &[],
            ),
            "A discrete conformal map of a smooth scan is within a few degrees.",
        ),
    ]
}

fn worst_registrations(results: &Results<'_>) -> Result<Vec<Figure>, OutputError> {
    let template = &results.loaded.template;
    let own = template.face_through(results.own)?;
    let normals = own.vertex_normals();
    let mut worst: Vec<(&ScanRow, &FaceCurves)> =
        results.rows.iter().zip(results.records).filter_map(|(row, r)| Some((row, r.as_ref()?))).collect();
    worst.sort_by(|a, b| b.0.energy_end.total_cmp(&a.0.energy_end));
    worst.truncate(WORST);
    let mut faces = Vec::new();
    for (row, curves) in worst {
        let face = template.face_through(curves)?;
        let along = along_normals(&face, &own, &normals);
        faces.push((row, face, along));
    }
    let all: Vec<f64> = faces.iter().flat_map(|f| f.2.iter().copied()).collect();
    let scale = ColourScale::signed("distance from the template", "face of area 1", &all);
    faces
        .iter()
        .map(|(row, face, along)| {
            let colours: Vec<[f64; 3]> = along.iter().map(|d| scale.colour(*d)).collect();
            let small = |view: View| View { size: 260, ..view };
            let image = Image::beside(&[
                render(face, small(View::FRONT), CLAY),
                render(face, small(View::THREE_QUARTER), Colour::PerVertex(&colours)),
            ]);
            let caption =
                format!("{}: energy {}, deviation {}", row.scan, short(row.energy_end), short(row.deviation));
            Ok(Figure::image_with_bar(&image, &scale, caption)?)
        })
        .collect()
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

fn scan_cells(row: &ScanRow) -> Vec<String> {
    let known = |text: String| if row.is_ok() { text } else { String::new() };
    vec![
        row.scan.clone(),
        row.problem.clone(),
        row.points.to_string(),
        row.repairs.clone(),
        known(format!("{:.4}", row.pose_misfit)),
        known(format!("{:.2}", row.angle_distortion_deg)),
        known(format!("{:.4}", row.energy_end)),
        known(format!("{:.3}", row.min_jacobian)),
        known(format!("{:.4}", row.deviation)),
        format!("{:.3}", row.seconds.iter().sum::<f64>()),
    ]
}
