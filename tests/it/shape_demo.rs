//! `visard shape demo`, as a newcomer runs it.

use assert_cmd::Command;
use std::path::Path;
use visard::io::shapes::ShapeRecord;
use visard::io::{RecordSize, read_shapes};
use visard::manifold::{Kendall, Manifold};

/// Every picture of its page in three formats, and none of a release that was changed.
fn figures(study: &Path) {
    let figures = |out: &str| {
        let mut command = Command::cargo_bin("visard").unwrap();
        command
            .current_dir(study)
            .args(["figures", "release", "--style", "nature", "--out", out])
            .output()
            .unwrap()
    };
    let out = figures("figures");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let read = |name: &str| std::fs::read(study.join("figures").join(name)).unwrap();
    let svg = String::from_utf8(read("01_private-mean.svg")).unwrap();
    assert!(svg.starts_with("<svg width=\"89.00mm\"") && svg.contains("private mean</text>"));
    assert!(read("01_private-mean.pdf").starts_with(b"%PDF-"));
    // 89 mm at 450 pixels an inch.
    assert_eq!(&read("01_private-mean.png")[16..20], 1577_u32.to_be_bytes());
    let captions = String::from_utf8(read("captions.txt")).unwrap();
    assert!(captions.starts_with("Figure 1. ") && captions.contains("no test lies above the solid line"));
    let page = study.join("release/report.html");
    let whole = std::fs::read_to_string(&page).unwrap();
    std::fs::write(&page, whole.replace("private mean", "private meal")).unwrap();
    let changed = figures("others");
    assert_eq!(changed.status.code(), Some(1));
    assert!(!study.join("others").exists());
    std::fs::write(&page, whole).unwrap();
}

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
    figures(&study);
    // Of a release whose noise was fixed they say so.
    assert!(run(&["--seed", "1", "--out", "seeded"]).status.success());
    let mut command = Command::cargo_bin("visard").unwrap();
    command.current_dir(dir.path()).args(["figures", "seeded", "--out", "marked"]).assert().success();
    let captions = std::fs::read_to_string(dir.path().join("marked/captions.txt")).unwrap();
    assert!(captions.starts_with("NOT PRIVATE"), "{captions}");
    let again = run(&[]);
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("--force"));
}
