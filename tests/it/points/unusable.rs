//! Records that are no points of the space: counted inside, invisible outside; or refused, where that is asked for.

use super::support::{certificate, succeeds, visard, without_accuracy, without_run, write_shapes};
use std::fs;
use std::path::Path;
use visard::io::write_npy;

/// Runs a study on good records and on the same with some unusable, with one noise seed; certificate and file names are the same.
pub fn compare(dir: &Path, good: &str, bad: &str, count: usize, study: &str) {
    let stopping = study.replace("FILE", bad) + " --unusable refuse";
    let (code, _, stderr) = visard(&format!("{stopping} --out {}", dir.join("stopped").display()));
    assert!(code == Some(1) && stderr.contains("counting from 1"), "{study}: {stderr}");
    let found = [good, bad].map(|file| {
        let out = dir.join("study").display().to_string();
        let said = succeeds(&format!("{} --seed 8 --json --out {out}", study.replace("FILE", file)));
        let said = without_accuracy(&said);
        let counts = fs::read_to_string(Path::new(&out).join("internal/records.csv")).unwrap();
        let kept = counts.lines().last().unwrap().rsplit(',').next().unwrap().parse::<usize>().unwrap();
        let certificate = without_run(certificate(&out));
        fs::remove_dir_all(&out).unwrap();
        (said, certificate, kept)
    });
    assert!(found[0].0 == found[1].0 && found[0].1 == found[1].1, "{study}");
    assert_eq!((found[0].2, found[1].2), (0, count), "{study}");
    let policy = found[0].1["details"]["unusable_records"].as_str().unwrap();
    assert!(policy.starts_with("contribute zero"), "{policy}");
}

#[test]
fn unusable_records_contribute_zero() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (shapes, centre) = write_shapes(dir.path(), 300);
    let text = fs::read_to_string(&shapes).unwrap();
    let mut parts: Vec<String> = text.split_inclusive("ID=").map(str::to_owned).collect();
    // One with all landmarks in one place, one with so many missing that they cannot be estimated, one with too few.
    parts[0] = format!("LM=12\n{}ID=", "1 1\n".repeat(12));
    parts[4] = format!("s3\nLM=12\n{}1 2\n3 4\nID=", "NA NA\n".repeat(10));
    parts[6] = "s5\nLM=3\n0 0\n1 0\n0 1\nID=".into();
    fs::write(path("bad.tps"), parts.concat()).unwrap();
    for (mechanism, centre) in
        [("gaussian", centre.as_str()), ("kng", &centre), ("pointwise-unaligned", &centre)]
    {
        let study = format!("shape mean FILE --mechanism {mechanism} --center {centre} --radius 0.2 --mu 2");
        compare(dir.path(), &shapes, &path("bad.tps"), 3, &study);
    }
    let mut matrices: Vec<f64> = (0..300).flat_map(|i| [1.0 + 0.001 * f64::from(i), 0.1, 0.1, 1.0]).collect();
    write_npy(&dir.path().join("good.npy"), &[300, 2, 2], &matrices).unwrap();
    matrices[..4].copy_from_slice(&[f64::NAN, 0.0, 0.0, 1.0]);
    matrices[8..12].copy_from_slice(&[1.0, 2.0, 2.0, 1.0]);
    matrices[16..20].copy_from_slice(&[1.0, 0.5, 0.0, 1.0]);
    write_npy(&dir.path().join("bad.npy"), &[300, 2, 2], &matrices).unwrap();
    for (metric, mechanism) in [
        ("log-euclidean", "laplace"),
        ("affine-invariant", "tangent-gaussian"),
        ("affine-invariant", "extrinsic"),
    ] {
        // About a private centre the scale of extrinsic noise is read off what was released before.
        let private = (mechanism != "extrinsic").then_some("--center private --first-radius 2");
        for centre in [Some(""), private].into_iter().flatten() {
            let study =
                format!("spd mean FILE --metric {metric} --mechanism {mechanism} --radius 1 --mu 3 {centre}");
            compare(dir.path(), &path("good.npy"), &path("bad.npy"), 3, &study);
        }
    }
    let rows = |bad: bool| -> String {
        let row = |i: usize| match (bad, i) {
            (true, 1) => "95,0\n".into(),
            (true, 2) => "NA,3\n".into(),
            _ => format!("{},{}\n", 40.0 + 0.01 * i as f64, 10.0),
        };
        format!("lat,lon\n{}", (0..300).map(row).collect::<String>())
    };
    fs::write(path("good.csv"), rows(false)).unwrap();
    fs::write(path("bad.csv"), rows(true)).unwrap();
    let study = "sphere mean FILE --mechanism laplace --center private --radius 0.5 --mu 2";
    compare(dir.path(), &path("good.csv"), &path("bad.csv"), 2, study);
    let ball = |bad: bool| -> Vec<f64> {
        (0..300).flat_map(|i| if bad && i == 7 { [2.0, 0.0] } else { [0.001 * f64::from(i), 0.1] }).collect()
    };
    write_npy(&dir.path().join("hg.npy"), &[300, 2], &ball(false)).unwrap();
    write_npy(&dir.path().join("hb.npy"), &[300, 2], &ball(true)).unwrap();
    let study = "hyperbolic mean FILE --mechanism tangent-gaussian --radius 1 --mu 2";
    compare(dir.path(), &path("hg.npy"), &path("hb.npy"), 1, study);
}
