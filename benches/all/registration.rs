//! Seconds of the registration's parts on the built-in face (clean scan of the same face, slightly bent).

use divan::Bencher;
use visard::conformal::disk_chart;
use visard::mesh::{DiskMesh, Point, Similarity, Vector};
use visard::surface::Template;
use visard::surface::registration::{Elastic, ElasticSettings, Landed, PosedScan, certify};
use visard::synth;

fn template() -> Template {
    let disk = DiskMesh::try_new(synth::builtin_template().clone()).expect("the built-in face is a disk");
    Template::new(disk, synth::builtin_landmarks().nose_tip, Vector::z(), Vector::y())
        .expect("it can be flattened")
}

fn bent(template: &Template) -> DiskMesh {
    let wave = |a: f64, b: f64| 3.0 * (a / 40.0).sin() * (b / 50.0).cos();
    let bend = |p: &Point| p + Vector::new(wave(p.x, p.y), wave(p.y, p.z), wave(p.z, p.y));
    let mesh = template.mesh();
    let moved = mesh.with_vertices(mesh.vertices().iter().map(bend).collect()).expect("as many vertices");
    DiskMesh::try_new(moved).expect("still a disk")
}

/// Once per template: nodes, mid-plane, basis.
#[divan::bench]
fn prepare_template(bencher: Bencher) {
    let template = template();
    bencher.bench(|| Elastic::new(&template, &ElasticSettings::default()).map(|p| p.settings().nodes));
}

/// Once per scan.
#[divan::bench]
fn register_scan(bencher: Bencher) {
    let template = template();
    let elastic = Elastic::new(&template, &ElasticSettings::default()).expect("a face");
    let scan = bent(&template);
    bencher.bench(|| elastic.fit(&scan, &Similarity::identity()).map(|r| r.min_jacobian));
}

/// Once per scan: where the registration lies, and whether it is one-to-one there.
#[divan::bench]
fn certify_registration(bencher: Bencher) {
    let template = template();
    let scan = bent(&template);
    let elastic = Elastic::new(&template, &ElasticSettings::default()).expect("a face");
    let found = elastic.fit(&scan, &Similarity::identity()).expect("it is registered");
    let scan =
        PosedScan { disk: scan, nose: template.nose(), similarity: Similarity::identity(), filled: vec![] };
    bencher.bench(|| {
        let landed = Landed::new(&scan, &found.positions).expect("a face");
        let chart = disk_chart(&scan.disk).expect("a face");
        certify(&template, &landed, &chart).map(|seen| seen.least())
    });
}
