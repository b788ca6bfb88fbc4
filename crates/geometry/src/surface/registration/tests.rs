//! What holds for every method in the registry.

use super::*;
use crate::mesh::{DiskMesh, Point, Similarity, Vector};
use crate::surface::Template;
use crate::synth;
use nalgebra::Rotation3;
use std::collections::HashSet;

#[test]
fn names_and_columns_are_distinct_and_what_is_left_over_is_a_measure() {
    let names: HashSet<&str> = Registration::ALL.iter().map(|method| method.name()).collect();
    assert_eq!(names.len(), Registration::ALL.len());
    let mut columns = HashSet::new();
    for method in Registration::ALL {
        let Measures { all, left_over } = method.measures();
        assert!(all.contains(left_over), "{method:?}");
        assert!(all.iter().all(|m| columns.insert(m.column)), "{method:?}");
        assert_eq!(serde_json::to_value(method).unwrap(), method.name());
    }
}

#[cfg(feature = "cli")]
#[test]
fn the_command_line_has_the_registrys_names() {
    use clap::ValueEnum;
    for method in Registration::value_variants() {
        assert_eq!(method.to_possible_value().unwrap().get_name(), method.name());
    }
    assert_eq!(Registration::value_variants(), Registration::ALL);
}

#[test]
fn every_method_finds_a_moved_template_again_and_tells_its_measures() {
    let disk = DiskMesh::try_new(synth::builtin_template().clone()).unwrap();
    let nose = synth::builtin_landmarks().nose_tip;
    let template = Template::new(disk.clone(), nose, Vector::z(), Vector::y()).unwrap();
    let similarity = Similarity {
        scale: 1.07,
        rotation: Rotation3::new(Vector::new(0.4, -1.1, 0.3)),
        translation: Vector::new(12.0, -40.0, 7.0),
    };
    let truth: Vec<Point> = disk.mesh().vertices().iter().map(|p| similarity.apply(p)).collect();
    let scan =
        PosedScan { disk: disk.with_vertices(truth.clone()).unwrap(), nose, similarity, filled: Vec::new() };
    for method in Registration::ALL {
        let found = method.prepare(&template).unwrap().register(&scan).unwrap().without_folds().unwrap();
        let error: f64 = found.positions.iter().zip(&truth).map(|(p, q)| (p - q).norm()).sum();
        assert_eq!(found.positions.len(), truth.len());
        assert!(error / (truth.len() as f64) < 0.15, "{method:?}: {error}");
        let Measures { all, left_over } = method.measures();
        let told: Vec<&Measure> = found.report.measured.iter().map(|(m, _)| *m).collect();
        assert!(told.iter().all(|m| all.contains(m)) && told.contains(left_over), "{method:?}: {told:?}");
        assert!(found.report.measured.iter().all(|(_, value)| value.is_finite()), "{method:?}");
        let landing = Landed::new(&scan, &found.positions).unwrap().landing();
        assert!(landing.share() > 0.9 && landing.root_mean_square() < 0.1, "{method:?}");
    }
}

#[test]
fn a_fold_is_no_registration() {
    let found = |min_jacobian| Registered { positions: vec![], landed: vec![], min_jacobian, report: () };
    assert!(found(1e-9).without_folds().is_ok());
    for folded in [0.0, -1.0, f64::NAN] {
        assert!(matches!(found(folded).without_folds(), Err(RegistrationError::Folded)), "{folded}");
    }
}
