//! Meshing, pose and repair of simulated raw scans of 7150 points; harmonics of the template face.

use visard::function::Harmonics;
use visard::mesh::{Point, PoseFinder, RepairSettings, TriMesh, make_disk, mesh_from_points};
use visard::synth::{ScanConditions, builtin_landmarks, builtin_template, person};

const CONDITIONS: [&str; 3] = ["clean", "demo", "hard"];

/// A scan of one simulated person.
fn scan(conditions: &str) -> Vec<Point> {
    let conditions = match conditions {
        "clean" => ScanConditions::clean(),
        "demo" => ScanConditions::demo(),
        _ => ScanConditions::hard(),
    };
    person(1, 0, &conditions).points
}

#[divan::bench(args = CONDITIONS)]
fn mesh(bencher: divan::Bencher, conditions: &str) {
    let points = scan(conditions);
    bencher.bench_local(|| mesh_from_points(&points));
}

#[divan::bench(args = CONDITIONS)]
fn pose(bencher: divan::Bencher, conditions: &str) {
    let points = scan(conditions);
    let finder =
        PoseFinder::new(builtin_template(), builtin_landmarks().nose_tip).expect("the template has a nose");
    bencher.bench_local(|| finder.find(&points));
}

#[divan::bench(args = CONDITIONS)]
fn repair(bencher: divan::Bencher, conditions: &str) {
    let mesh = mesh_from_points(&scan(conditions)).unwrap_or_else(|_| TriMesh::default());
    bencher
        .with_inputs(|| mesh.clone())
        .bench_local_values(|mesh| make_disk(mesh, None, &RepairSettings::default()));
}

#[divan::bench]
fn harmonics() {
    divan::black_box(Harmonics::new(builtin_template(), 200).ok());
}
