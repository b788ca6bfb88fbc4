//! Elastic registration of scans with known correspondence: synthetic people, and the shared benchmark scans.

use std::path::{Path, PathBuf};
use visard::io::write_ply;
use visard::mesh::{Point, TriMesh};
use visard::study::face::record::{
    RecordMaker, RecordSettings, ScanRegistrar, ScanRow, ScanStage, default_crop_radius,
};
use visard::study::face::{TemplateSource, load_template};
use visard::surface::Template;
use visard::surface::registration::Registration;
use visard::synth::{ScanConditions, person};

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
    let registrar = ScanRegistrar::new(template, registration, default_crop_radius(template)).unwrap();
    let posed = registrar.pose(scan, None, &mut row).unwrap();
    let positions = registrar.register(&posed, &mut row).unwrap();
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

/// The scan of a synthetic person as a file; where the template's vertices truly lie on it, and which the scanner saw.
fn synthetic_scan(folder: &Path, i: usize) -> (PathBuf, Vec<Point>, Vec<bool>) {
    let scan = person(5, i, &ScanConditions::demo());
    let file = folder.join(format!("person-{i}.ply"));
    write_ply(&file, &TriMesh::new(scan.points, Vec::new()).unwrap()).unwrap();
    (file, scan.truth, scan.covered)
}

#[test]
fn every_method_finds_synthetic_people() {
    let folder = tempfile::tempdir().unwrap();
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    for (registration, limit) in [(Registration::Elastic, 1.5), (Registration::Srnf, 4.0)] {
        let registrar = ScanRegistrar::new(&template, registration, default_crop_radius(&template)).unwrap();
        for i in 0..2 {
            let (file, truth, covered) = synthetic_scan(folder.path(), i);
            let mut row = ScanRow::default();
            let posed = registrar.pose(&file, None, &mut row).unwrap();
            let positions = registrar.register(&posed, &mut row).unwrap();
            let (sum, n) = positions
                .iter()
                .zip(&truth)
                .zip(&covered)
                .filter(|(_, seen)| **seen)
                .fold((0.0, 0.0), |(sum, n), ((p, q), _)| {
                    (sum + (p - q).norm() / posed.similarity.scale, n + 1.0)
                });
            assert!(sum / n < limit, "{registration:?}, person {i}: {} mm", sum / n);
            assert!(row.min_jacobian > 0.0 && row.on_scan > 0.9 && !row.was_mesh && row.points == 7150);
            let measures = registration.measures();
            assert_eq!(row.measured.len(), measures.all.len(), "{row:?}");
            assert!(row.measure(measures.left_over).unwrap() > 0.0);
            let seconds = |stage: ScanStage| row.seconds[stage as usize];
            assert_eq!(seconds(ScanStage::Flatten) > 0.0, registration == Registration::Srnf);
            assert!(seconds(ScanStage::Register) > 0.0 && seconds(ScanStage::Curves) == 0.0);
        }
    }
}

#[test]
fn a_record_is_made_of_every_scan_and_says_what_went_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let settings = RecordSettings {
        registration: Registration::default(),
        crop_radius: default_crop_radius(&template),
        curves: 6,
        samples: 16,
    };
    let maker = RecordMaker::new(&template, settings).unwrap();
    let (file, ..) = synthetic_scan(folder.path(), 0);
    let record = maker.record(&file, None);
    let curves = record.curves.unwrap();
    let own = template.own_curves(6, 16).unwrap();
    assert_eq!(record.row.deviation, Some(curves.mean_square_distance(&own).sqrt()));
    assert!(record.row.is_ok() && record.row.scan == "person-0.ply");
    let empty = folder.path().join("empty.ply");
    std::fs::write(&empty, "ply\n").unwrap();
    let flat = folder.path().join("flat.xyz");
    let line = |i: usize| format!("{} {} 0\n", i % 40, i / 40);
    std::fs::write(&flat, (0..1600).map(line).collect::<String>()).unwrap();
    for (scan, stage) in [(folder.path().join("none.ply"), "read: "), (empty, "read: "), (flat, "pose: ")] {
        let record = maker.record(&scan, None);
        assert!(record.curves.is_none() && record.row.problem.starts_with(stage), "{}", record.row.problem);
    }
}
