//! `visard shape demo`, as a newcomer runs it.

use assert_cmd::Command;
use visard::io::shapes::ShapeRecord;
use visard::io::{RecordSize, read_shapes};
use visard::manifold::{Kendall, Manifold};

#[test]
fn the_demo_releases_a_shape_near_the_mean_and_keeps_what_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let mut command = Command::cargo_bin("visard").unwrap();
        command.current_dir(dir.path()).args(["shape", "demo", "--shapes", "200"]).args(more);
        command.output().unwrap()
    };
    let out = run(&[]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let study = dir.path().join("visard-shape-demo");
    let read = |name: &str| -> Vec<ShapeRecord> {
        read_shapes(&study.join(name), RecordSize::Content).unwrap().all().unwrap()
    };
    assert_eq!(read("outlines.tps").len(), 200);
    let space = Kendall::new(50).unwrap();
    let shape = |name: &str| space.preshape(read(name)[0].plane().unwrap()).unwrap();
    let (mean, released) = (shape("internal/nonprivate_mean.tps"), shape("release/mean.tps"));
    // σ = 2 · 0.13/200 in 96 coordinates is 0.013 before smoothing; twice that is far out for the norm of 96 normals.
    assert!(space.dist(&mean, &released) < 0.026);
    assert!(space.dist(&mean, &shape("atlas.tps")) > 0.01);
    let again = run(&[]);
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("--force"));
}
