//! Neighbouring studies of shapes, matrices and directions with one noise seed: whatever is published beside the noised
//! values themselves is the same to the byte.

use std::path::Path;
use std::process::Command;
use visard::io::write_npy;

/// Runs a study; what it prints on standard output.
fn released(arguments: &[&str], out: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_visard"))
        .args(arguments)
        .args(["--seed", "5", "--json", "--out"])
        .arg(out)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().replace(&out.display().to_string(), "OUT")
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// `near` and `far` differ in one record, which in `far` lies well outside every ball.
fn compare(dir: &Path, study: &[&str], options: &[&str], solution: &str) {
    let [near, far] = ["near", "far"].map(|side| {
        let records = dir.join(format!("{side}.npy"));
        let out = dir.join(side);
        let mut arguments = study.to_vec();
        arguments.push(records.to_str().unwrap());
        arguments.extend(options);
        let said = released(&arguments, &out);
        let release = out.join("release");
        let certificate = std::fs::read(release.join("certificate.json")).unwrap();
        let value = std::fs::read(release.join(solution)).unwrap();
        let found = (said, names(&release), certificate, value);
        std::fs::remove_dir_all(&out).unwrap();
        found
    });
    assert!(near.0 == far.0, "{options:?}: what is printed differs");
    assert_eq!(near.1, far.1, "{options:?}");
    assert!(near.2 == far.2, "{options:?}: the certificate differs");
    assert!(near.3 != far.3, "{options:?}: the records do not enter at all");
}

#[test]
fn shapes() {
    let dir = tempfile::tempdir().unwrap();
    let base = |i: usize| {
        let t = std::f64::consts::TAU * i as f64 / 12.0;
        [t.cos(), 0.6 * t.sin()]
    };
    let record = |r: usize| (0..24).map(move |k| base(k / 2)[k % 2] + 0.01 * ((7 * k + 5 * r) as f64).sin());
    let mut data: Vec<f64> = (0..40).flat_map(record).collect();
    write_npy(&dir.path().join("near.npy"), &[40, 12, 2], &data).unwrap();
    data[..24].iter_mut().enumerate().for_each(|(k, x)| *x = ((3 * k * k) as f64).cos());
    write_npy(&dir.path().join("far.npy"), &[40, 12, 2], &data).unwrap();
    let centre = dir.path().join("centre.npy");
    write_npy(&centre, &[12, 2], &(0..12).flat_map(base).collect::<Vec<_>>()).unwrap();
    let centre = centre.to_str().unwrap();
    for mechanism in ["gaussian", "kng", "laplace", "riemannian-gaussian", "pointwise"] {
        let budget: &[&str] = match mechanism {
            "gaussian" | "riemannian-gaussian" => &["--mu", "1"],
            _ => &["--epsilon", "1"],
        };
        let mut options = vec!["--mechanism", mechanism, "--center", centre, "--radius", "0.2"];
        options.extend(budget);
        compare(dir.path(), &["shape", "mean"], &options, "mean.tps");
    }
    let private = ["--mechanism", "gaussian", "--center", "private", "--radius", "0.2", "--mu", "4"];
    compare(dir.path(), &["shape", "mean"], &private, "mean.tps");
}

#[test]
fn matrices() {
    let dir = tempfile::tempdir().unwrap();
    let mut data: Vec<f64> =
        (0..60).flat_map(|i| [1.0 + 0.005 * i as f64, 0.1, 0.1, 1.2 - 0.003 * i as f64]).collect();
    write_npy(&dir.path().join("near.npy"), &[60, 2, 2], &data).unwrap();
    data[..4].copy_from_slice(&[500.0, 0.0, 0.0, 1e-3]);
    write_npy(&dir.path().join("far.npy"), &[60, 2, 2], &data).unwrap();
    for (mechanism, budget) in [("tangent-gaussian", "--mu"), ("laplace", "--epsilon"), ("kng", "--epsilon")]
    {
        for metric in ["log-euclidean", "affine-invariant"] {
            let options = ["--metric", metric, "--mechanism", mechanism, "--radius", "1", budget, "2"];
            compare(dir.path(), &["spd", "mean"], &options, "mean.npy");
        }
    }
    let extrinsic = ["--metric", "log-euclidean", "--mechanism", "extrinsic", "--radius", "1", "--mu", "2"];
    compare(dir.path(), &["spd", "mean"], &extrinsic, "mean.npy");
}

#[test]
fn directions() {
    let dir = tempfile::tempdir().unwrap();
    let mut data: Vec<f64> = (0..50)
        .flat_map(|i| {
            let (a, b) = (0.1 * f64::from(i).sin(), 0.1 * f64::from(i * i).cos());
            [a, b, (1.0 - a * a - b * b).sqrt()]
        })
        .collect();
    write_npy(&dir.path().join("near.npy"), &[50, 3], &data).unwrap();
    data[..3].copy_from_slice(&[0.0, 0.0, -1.0]);
    write_npy(&dir.path().join("far.npy"), &[50, 3], &data).unwrap();
    let centre = dir.path().join("centre.npy");
    write_npy(&centre, &[1, 3], &[0.0, 0.0, 1.0]).unwrap();
    for mechanism in ["gaussian", "laplace", "kng", "riemannian-gaussian"] {
        let options =
            ["--mechanism", mechanism, "--center", centre.to_str().unwrap(), "--radius", "0.4", "--mu", "1"];
        compare(dir.path(), &["sphere", "mean"], &options, "mean.npy");
    }
}
