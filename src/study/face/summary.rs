//! The two reports: one to publish, one for the data holder.

use super::mean::ReleasedMean;
use super::output::{OutputError, Results};
use super::record::{ScanRow, Stage};
use crate::function::FaceCurves;
use crate::mesh::{TriMesh, Vector};
use crate::privacy::{Certificate, Delta, PrivacyLoss, explain};
use crate::report::chart::{Axis, Line, line_chart};
use crate::report::html::{Figure, Page};
use crate::report::render::{CLAY, Colour, Image, View, render};

/// `release/report.html`: sees the noised mean, the certificate and public settings only.
pub fn release_report(
    results: &Results<'_>,
    released: &ReleasedMean,
    mesh: &TriMesh,
    certificate: &Certificate,
    certificate_json: &str,
) -> Result<String, OutputError> {
    let mut page = Page::new("Private average face");
    if certificate.private {
        page.badge("differentially private", true);
    } else {
        page.badge("NOT PRIVATE: see the caveats", false);
    }
    page.lead(&format!(
        "The average of {} faces, released with {}.",
        certificate.n,
        match certificate.loss {
            PrivacyLoss::NonPrivate => "no privacy guarantee".to_owned(),
            loss => format!("{loss}"),
        }
    ));
    page.figures(&portraits(mesh, "private mean")?);
    page.heading("What this guarantees");
    explain(certificate).split("\n").map(str::trim).filter(|p| !p.is_empty()).for_each(|p| {
        page.paragraph(p);
    });
    page.figures(&guarantee_charts(certificate));
    page.heading("The curves");
    page.paragraph(
        "A face is represented by closed curves around the nose tip; curve 1 is nearest to it. Coordinates are of a face of \
         surface area one, centred: x to the subject's left, y up, z to the front.",
    );
    page.figures(&curve_charts(&released.curves));
    page.heading("How it was made");
    page.table(&["parameter", "value"], &parameters(results, released));
    if !certificate.caveats.is_empty() {
        page.heading("Caveats");
        page.list(&certificate.caveats);
    }
    page.heading("Certificate");
    page.embedded_json("certificate.json", certificate_json);
    Ok(page.to_html())
}

fn portraits(mesh: &TriMesh, what: &str) -> Result<Vec<Figure>, OutputError> {
    [(View::FRONT, "front"), (View::THREE_QUARTER, "three-quarter"), (View::PROFILE, "profile")]
        .into_iter()
        .map(|(view, name)| Ok(Figure::image(&render(mesh, view, CLAY), format!("{what}, {name}"))?))
        .collect()
}

fn guarantee_charts(certificate: &Certificate) -> Vec<Figure> {
    let PrivacyLoss::Gaussian(mu) = certificate.loss else { return Vec::new() };
    let curve: Vec<(f64, f64)> = (0..=60)
        .filter_map(|k| {
            let delta = 10f64.powf(-0.3 - 0.2 * k as f64);
            Some((delta, mu.epsilon_at(Delta::new(delta).ok()?).ok()?.get()))
        })
        .collect();
    let epsilon = line_chart(
        "ε for every δ",
        &Axis::log("δ"),
        &Axis::linear("ε"),
        &[Line::new(format!("μ = {}", mu.get()), curve)],
    );
    let grid: Vec<f64> = (0..=100).map(|k| k as f64 / 100.0).collect();
    let attack = line_chart(
        "What an attacker who knows all other scans can achieve",
        &Axis::linear("false alarms"),
        &Axis::linear("detections"),
        &[
            Line::new("best attack", grid.iter().map(|&a| (a, mu.power_at(a))).collect()),
            Line::dashed("guessing", grid.iter().map(|&a| (a, a)).collect()),
        ],
    );
    vec![
        Figure::chart(epsilon, "The (ε, δ) guarantees this release satisfies, all at once."),
        Figure::chart(
            attack,
            "Deciding whether one given person's scan was used: no test can lie above the solid line.",
        ),
    ]
}

fn curve_charts(curves: &FaceCurves) -> Vec<Figure> {
    let (jn, m) = (curves.curves(), curves.samples());
    let shown = [0, jn / 4, jn / 2, 3 * jn / 4, jn - 1];
    ["x", "y", "z"]
        .iter()
        .enumerate()
        .map(|(k, axis)| {
            let lines: Vec<Line> = shown
                .iter()
                .map(|&j| {
                    let mut values = curves.coordinate(j, k);
                    values.push(values[0]);
                    let points =
                        values.into_iter().enumerate().map(|(l, v)| (l as f64 / m as f64, v)).collect();
                    Line::new(if k == 0 { format!("curve {}", j + 1) } else { String::new() }, points)
                })
                .collect();
            let chart = line_chart(axis, &Axis::linear("t"), &Axis::linear(*axis), &lines);
            Figure::chart(chart, format!("{axis} along five of the {jn} curves"))
        })
        .collect()
}

fn parameters(results: &Results<'_>, released: &ReleasedMean) -> Vec<Vec<String>> {
    let price = &released.price;
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let mut rows = vec![
        row("mechanism", price.mechanism.to_owned()),
        row("number of scans n (public)", price.n.to_string()),
        row("neighbours", "one scan replaced by another".to_owned()),
        row("clip radius", format!("{} ({:?})", price.clip.get(), price.clip.source()).to_lowercase()),
        row("radius and coordinates", price.description.clone()),
        row("sensitivity", format!("{:.6e}", price.sensitivity.get())),
        row(
            "noise",
            format!(
                "{} ({}), σ = {:.6e} in each of {} coordinates",
                released.noise.distribution,
                released.noise.sampler,
                released.noise.scale,
                released.noise.dimension
            ),
        ),
        row("curves × samples", format!("{} × {}", results.settings.curves, results.settings.samples)),
        row("public template", results.loaded.input.name.clone()),
    ];
    rows.extend(price.parts.iter().map(|(what, mu)| row(what, format!("μ = {mu:.5}"))));
    rows
}

/// `internal/report.html`.
pub fn internal_report(
    results: &Results<'_>,
    nonprivate: &TriMesh,
    private: Option<&TriMesh>,
) -> Result<String, OutputError> {
    let mut page = Page::new("Face study: for the data holder").band("INTERNAL: do not publish");
    let failed = results.rows.iter().filter(|r| !r.is_ok()).count();
    page.lead(&format!(
        "{} scans, {} could not be processed and count as the template.",
        results.rows.len(),
        failed
    ));
    if let (Some(released), Some(private)) = (results.released, private) {
        let error = released.curves.mean_square_distance(results.nonprivate);
        page.paragraph(&format!(
            "Mean square distance per point between the private and the non-private mean: {error:.3e} (unit-area faces); \
             root: {:.3e}. Sampling error of the mean itself, estimated from the spread of the records: {:.3e}.",
            error.sqrt(),
            sampling_error(results.rows, results.own, results.nonprivate)
        ));
        page.heading("Private and non-private mean");
        page.figures(&[
            pair(nonprivate, private, View::FRONT)?,
            pair(nonprivate, private, View::PROFILE)?,
            difference(nonprivate, private)?,
        ]);
    } else {
        page.heading("Non-private mean");
        page.figures(&portraits(nonprivate, "non-private mean")?);
    }
    page.heading("Seconds by stage (median scan)");
    page.table(&["stage", "seconds"], &stage_rows(results.rows));
    page.heading("Scans");
    page.table(
        &[
            "scan",
            "problem",
            "points",
            "repairs",
            "angle distortion °",
            "energy",
            "min Jacobian",
            "deviation",
        ],
        &results.rows.iter().map(scan_cells).collect::<Vec<_>>(),
    );
    Ok(page.to_html())
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

fn difference(nonprivate: &TriMesh, private: &TriMesh) -> Result<Figure, OutputError> {
    let normals = nonprivate.vertex_normals();
    let along: Vec<f64> = private
        .vertices()
        .iter()
        .zip(nonprivate.vertices())
        .zip(&normals)
        .map(|((a, b), n): ((_, _), &Vector)| (a - b).dot(n))
        .collect();
    let largest = along.iter().map(|d| d.abs()).fold(1e-12, f64::max);
    let colours: Vec<[f64; 3]> = along.iter().map(|d| diverging(d / largest)).collect();
    let image = render(private, View::FRONT, Colour::PerVertex(&colours));
    Ok(Figure::image(
        &image,
        format!("private minus non-private along the normal; blue −{largest:.1e}, red +{largest:.1e}"),
    )?)
}

/// Blue through near-white to red.
fn diverging(t: f64) -> [f64; 3] {
    let (low, middle, high) = ([0.13, 0.40, 0.67], [0.95, 0.95, 0.94], [0.70, 0.09, 0.17]);
    let (end, s) = if t < 0.0 { (low, -t) } else { (high, t) };
    [0, 1, 2].map(|k| middle[k] + s.min(1.0) * (end[k] - middle[k]))
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
    vec![
        row.scan.clone(),
        row.problem.clone(),
        row.points.to_string(),
        row.repairs.clone(),
        format!("{:.2}", row.angle_distortion_deg),
        format!("{:.4}", row.energy_end),
        format!("{:.3}", row.min_jacobian),
        format!("{:.4}", row.deviation),
    ]
}
