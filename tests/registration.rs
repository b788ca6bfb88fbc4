//! Elastic registration of scans with known correspondence: synthetic people, and the shared benchmark scans.

use std::path::{Path, PathBuf};
use visard::mesh::Point;
use visard::study::face::record::{ScanRow, prepare_scan, register_scan};
use visard::study::face::{Registration, TemplateSource, load_template};
use visard::surface::Template;

fn data() -> Option<PathBuf> {
    let path = std::env::var_os("VISARD_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("SKIPPED: shared data not found; set VISARD_DATA to run this test");
    None
}

fn registered(scan: &Path, template: &Template, registration: Registration) -> (Vec<Point>, ScanRow) {
    let mut row = ScanRow::default();
    let prepared = prepare_scan(scan, None, template, 1.05 * template.reach(), &mut row).unwrap();
    let positions = register_scan(&prepared, template, registration, &mut row).unwrap();
    (positions, row)
}

/// Population-mean distance, in the template's millimetres, between where two scans of one and the same benchmark face put
/// the template: other sampling, noise, border, pose and size. No truth is needed for that.
fn disagreement(pop: &str, registration: Registration) -> Option<f64> {
    let folder = data()?.join("correspondence").join(pop);
    let loaded = load_template(&TemplateSource::File(folder.join("template.ply"))).unwrap();
    let template = &loaded.template;
    let mut total = 0.0;
    for face in ["s01", "s04"] {
        let scan = |level: &str| folder.join(level).join(face).join("scan.ply");
        let (clean, row) = registered(&scan("clean"), template, registration);
        let (noisy, other) = registered(&scan("std"), template, registration);
        assert!(row.min_jacobian > 0.0 && other.min_jacobian > 0.0);
        // Only the middle of the face, which no crop reaches.
        let nose = template.mesh().vertices()[template.nose()];
        let near: Vec<f64> = template
            .mesh()
            .vertices()
            .iter()
            .map(|p| if (p - nose).norm() < 0.6 * template.reach() { 1.0 } else { 0.0 })
            .collect();
        let fit = visard::mesh::Similarity::fit(&clean, &noisy, &near).unwrap();
        let back = visard::mesh::Similarity::fit(&noisy, template.mesh().vertices(), &near).unwrap();
        let (sum, count) =
            clean.iter().zip(&noisy).zip(&near).fold((0.0, 0.0), |(s, n), ((p, q), w)| {
                (s + w * (fit.apply(p) - q).norm() * back.scale, n + w)
            });
        total += sum / count;
    }
    Some(total / 2.0)
}

#[test]
fn two_scans_of_a_face_agree_better_than_border_to_border() {
    for pop in ["simpop", "ict"] {
        let (Some(elastic), Some(srnf)) =
            (disagreement(pop, Registration::Elastic), disagreement(pop, Registration::Srnf))
        else {
            return;
        };
        assert!(elastic < 0.6, "{pop}: {elastic} mm");
        assert!(elastic < 0.5 * srnf || srnf < 0.6, "{pop}: {elastic} mm, border to border {srnf} mm");
    }
}

#[test]
fn the_builtin_template_registers_both_populations_without_folds() {
    let Some(data) = data() else { return };
    let loaded = load_template(&TemplateSource::Builtin).unwrap();
    for scan in ["simpop/hard/s02", "ict/hard/s03"] {
        let file = data.join("correspondence").join(scan).join("scan.ply");
        let (positions, row) = registered(&file, &loaded.template, Registration::Elastic);
        assert!(row.min_jacobian > 0.0, "{scan}");
        assert!(positions.iter().all(|p| p.coords.iter().all(|c| c.is_finite())), "{scan}");
    }
}
