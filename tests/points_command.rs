//! Private means of shapes, matrices and directions from the command line, end to end.

use assert_cmd::Command;
use std::fs;
use std::path::Path;
use visard::io::shapes;

fn visard(args: &[&str]) -> (Option<i32>, String, String) {
    let out = Command::cargo_bin("visard").unwrap().args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout), text(&out.stderr))
}

/// `n` wobbling ellipses of 12 landmarks, rotated and scaled, and one without wobble as `centre.tps`.
fn write_shapes(folder: &Path, n: usize) -> (String, String) {
    let shape = |i: usize, wobble: f64| {
        let (turn, size) = (0.3 * i as f64, 1.0 + 0.1 * (i % 5) as f64);
        (0..12)
            .map(|j| {
                let t = std::f64::consts::TAU * j as f64 / 12.0;
                let r = 1.0 + wobble * ((i * 7 + j * 5) % 11) as f64 / 11.0;
                let (x, y) = (2.0 * r * t.cos(), r * t.sin());
                format!(
                    "{} {}\n",
                    size * (x * turn.cos() - y * turn.sin()),
                    size * (x * turn.sin() + y * turn.cos())
                )
            })
            .collect::<String>()
    };
    let table: String = (0..n).map(|i| format!("LM=12\n{}ID=s{i}\n", shape(i, 0.1))).collect();
    let (file, centre) = (folder.join("shapes.tps"), folder.join("centre.tps"));
    fs::write(&file, table).unwrap();
    fs::write(&centre, format!("LM=12\n{}ID=centre\n", shape(0, 0.0))).unwrap();
    (file.display().to_string(), centre.display().to_string())
}

#[test]
fn every_shape_mechanism_releases_a_certified_shape() {
    let dir = tempfile::tempdir().unwrap();
    let (file, centre) = write_shapes(dir.path(), 40);
    for (mechanism, budget) in [
        ("kng", vec!["--epsilon", "2"]),
        ("laplace", vec!["--epsilon", "2"]),
        ("gaussian", vec!["--mu", "1"]),
        ("gaussian", vec!["--epsilon", "0.5", "--delta", "1e-6", "--calibration", "classical"]),
        ("riemannian-gaussian", vec!["--epsilon", "1", "--delta", "1e-6"]),
        ("pointwise", vec!["--epsilon", "2"]),
        ("pointwise-unaligned", vec!["--epsilon", "2"]),
    ] {
        let out = tempfile::tempdir().unwrap();
        let study = out.path().join("study").display().to_string();
        let mut args = vec!["shape", "mean", &file, "--mechanism", mechanism, "--center", &centre];
        args.extend(["--radius", "0.1", "--out", &study, "--draws", "2"]);
        args.extend(budget.iter().copied());
        let (code, _, stderr) = visard(&args);
        assert_eq!(code, Some(0), "{mechanism}: {stderr}");
        let release = Path::new(&study).join("release");
        let certificate: serde_json::Value =
            serde_json::from_slice(&fs::read(release.join("certificate.json")).unwrap()).unwrap();
        assert_eq!(certificate["private"], true, "{mechanism}");
        assert_eq!(certificate["n"], 40);
        assert_eq!(certificate["clip_radius"]["source"], "public");
        assert_eq!(certificate["composition"].as_array().map(Vec::len), Some(2));
        let drawn = shapes::read(&release.join("mean.tps")).unwrap();
        assert_eq!((drawn.len(), drawn[0].landmarks.len()), (2, 12));
        assert_ne!(drawn[0].landmarks, drawn[1].landmarks);
        assert!(fs::read_to_string(release.join("report.html")).unwrap().contains("<svg"));
        assert!(Path::new(&study).join("internal/nonprivate_mean.tps").exists());
        // Asked again, nothing is overwritten and nothing charged.
        let ledger = fs::read(Path::new(&study).join("visard.ledger.jsonl")).unwrap();
        assert_eq!(visard(&args).0, Some(1));
        assert_eq!(fs::read(Path::new(&study).join("visard.ledger.jsonl")).unwrap(), ledger);
    }
}

#[test]
fn a_private_radius_and_public_records_are_paid_for_and_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let (file, centre) = write_shapes(dir.path(), 400);
    let public = dir.path().join("public.txt");
    fs::write(&public, "s0\ns1\ns2\n").unwrap();
    let study = dir.path().join("one").display().to_string();
    let public = public.display().to_string();
    let (code, out, stderr) = visard(&[
        "shape",
        "mean",
        &file,
        "--mechanism",
        "gaussian",
        "--public-records",
        &public,
        "--mu",
        "2",
        "--out",
        &study,
        "--smooth",
        "shrink",
        "--json",
    ]);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap()["n"], 397);
    let study = dir.path().join("two").display().to_string();
    let (code, _, stderr) = visard(&[
        "shape",
        "mean",
        &file,
        "--mechanism",
        "gaussian",
        "--radius",
        "private",
        "--center",
        &centre,
        "--mu",
        "2",
        "--out",
        &study,
    ]);
    assert_eq!(code, Some(0), "{stderr}");
    let certificate: serde_json::Value =
        serde_json::from_slice(&fs::read(Path::new(&study).join("release/certificate.json")).unwrap())
            .unwrap();
    assert_eq!(certificate["clip_radius"]["source"], "private");
    let total = certificate["details"]["study_total"]["mu"].as_f64().unwrap();
    assert!(total <= 2.0 && total > 1.999, "{total}");
    // The radius is part of what was published, so it is part of the certified loss.
    assert_eq!(certificate["composition"].as_array().map(Vec::len), Some(2));
    assert!((certificate["loss"]["mu"].as_f64().unwrap() - total).abs() < 1e-9);
}

#[test]
fn matrices_and_directions() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let images: Vec<f64> = (0..30 * 8 * 8).map(|i| ((i * 7919) % 256) as f64).collect();
    visard::io::write_npy(&dir.path().join("images.npy"), &[30, 8, 8], &images).unwrap();
    let (code, _, stderr) = visard(&["spd", "describe", &path("images.npy"), "--out", &path("d.npy")]);
    assert_eq!(code, Some(0), "{stderr}");
    for (metric, mechanism, radius) in [
        ("log-euclidean", "tangent-gaussian", "descriptor"),
        ("log-euclidean", "laplace", "descriptor"),
        ("log-euclidean", "extrinsic", "12"),
        ("affine-invariant", "tangent-gaussian", "5"),
    ] {
        let out = path(&format!("{metric}-{mechanism}"));
        let (code, _, stderr) = visard(&[
            "spd",
            "mean",
            &path("d.npy"),
            "--metric",
            metric,
            "--mechanism",
            mechanism,
            "--radius",
            radius,
            "--epsilon",
            "1",
            "--delta",
            "1e-6",
            "--out",
            &out,
        ]);
        assert_eq!(code, Some(0), "{metric} {mechanism}: {stderr}");
        let mean = visard::io::npy::read(&Path::new(&out).join("release/mean.npy")).unwrap();
        assert_eq!(mean.shape, [9, 9]);
    }
    fs::write(path("cities.csv"), "name,lat,lon\na,51,0\nb,48,2\nc,52,13\n").unwrap();
    fs::write(path("centre.csv"), "lat,lon\n50,5\n").unwrap();
    for mechanism in ["kng", "laplace", "riemannian-gaussian", "tangent-gaussian", "extrinsic"] {
        let out = path(&format!("sphere-{mechanism}"));
        let budget: &[&str] = match mechanism {
            "kng" | "laplace" => &["--epsilon", "5"],
            _ => &["--mu", "3"],
        };
        let mut args = vec!["sphere", "mean"];
        let (file, centre) = (path("cities.csv"), path("centre.csv"));
        args.extend([
            file.as_str(),
            "--mechanism",
            mechanism,
            "--radius",
            "0.4",
            "--center",
            &centre,
            "--out",
            &out,
        ]);
        args.extend(budget);
        let (code, _, stderr) = visard(&args);
        assert_eq!(code, Some(0), "{mechanism}: {stderr}");
        let mean = visard::io::npy::read(&Path::new(&out).join("release/mean.npy")).unwrap();
        assert!((mean.data.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-9);
    }
    let points = [0.1, 0.2, -0.1, 0.3, 0.2, -0.2];
    visard::io::write_npy(&dir.path().join("h.npy"), &[3, 2], &points).unwrap();
    let (code, _, stderr) = visard(&[
        "hyperbolic",
        "mean",
        &path("h.npy"),
        "--mechanism",
        "laplace",
        "--radius",
        "0.5",
        "--epsilon",
        "5",
        "--out",
        &path("hyper"),
    ]);
    assert_eq!(code, Some(0), "{stderr}");
}

#[test]
fn bad_input_gets_one_clear_line_and_is_not_charged() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (_, centre) = write_shapes(dir.path(), 3);
    let twelve: String = (0..12).map(|i| format!("{i} {}\n", i * i)).collect();
    let cases = [
        (format!("LM=12\n{twelve}LM=2\n1 2\n3 4\n"), "landmarks where the first has"),
        (format!("LM=12\n{}", "5 5\n".repeat(12)), "one place"),
        (format!("LM=12\n{}", twelve.replacen("0 0", "NA NA", 1)), "--drop-missing"),
        ("LM=1\n1 2\n".to_owned(), "fewer than three landmarks"),
        (format!("LM=12\n{}", twelve.replacen("0 0", "0 x", 1)), "not a number"),
    ];
    for (i, (text, expected)) in cases.iter().enumerate() {
        let (file, out) = (path(&format!("bad{i}.tps")), path(&format!("out{i}")));
        fs::write(&file, text).unwrap();
        let (code, _, stderr) = visard(&[
            "shape",
            "mean",
            &file,
            "--mechanism",
            "kng",
            "--radius",
            "0.1",
            "--center",
            &centre,
            "--epsilon",
            "1",
            "--out",
            &out,
        ]);
        assert_eq!(code, Some(1), "{stderr}");
        assert!(stderr.contains(expected), "{expected}: {stderr}");
        assert!(!Path::new(&out).join("visard.ledger.jsonl").exists());
    }
    let (shapes, _) = write_shapes(dir.path(), 5);
    for (arguments, expected) in [
        (vec!["--radius", "0.5", "--epsilon", "1"], "sensitivity bounds of this space end"),
        (vec!["--radius", "0", "--epsilon", "1"], "radius"),
        (vec!["--radius", "0.1", "--epsilon", "-1"], "epsilon"),
        (vec!["--radius", "0.1", "--epsilon", "1", "--mu", "1"], "mu"),
        (vec!["--radius", "0.1"], "budget"),
    ] {
        let out = path("none");
        let mut args =
            vec!["shape", "mean", &shapes, "--mechanism", "laplace", "--center", &centre, "--out", &out];
        args.extend(arguments);
        let (code, _, stderr) = visard(&args);
        assert!(matches!(code, Some(1 | 2)), "{stderr}");
        assert!(stderr.contains(expected), "{expected}: {stderr}");
        let ledger = fs::read_to_string(Path::new(&out).join("visard.ledger.jsonl")).unwrap_or_default();
        assert!(!ledger.contains("charge"), "{ledger}");
    }
    for (name, shape, data, expected) in [
        ("asym.npy", [1, 2, 2], [1.0, 0.5, 0.0, 1.0], "not symmetric"),
        ("indef.npy", [1, 2, 2], [1.0, 2.0, 2.0, 1.0], "not positive definite"),
        ("nan.npy", [1, 2, 2], [1.0, f64::NAN, f64::NAN, 1.0], "NaN"),
    ] {
        visard::io::write_npy(&dir.path().join(name), &shape, &data).unwrap();
        let (code, _, stderr) = visard(&[
            "spd",
            "mean",
            &path(name),
            "--mechanism",
            "laplace",
            "--radius",
            "1",
            "--epsilon",
            "1",
            "--out",
            &path("spd"),
        ]);
        assert_eq!(code, Some(1), "{stderr}");
        assert!(stderr.contains(expected) && stderr.contains("record 1"), "{stderr}");
    }
    visard::io::write_npy(&dir.path().join("off.npy"), &[1, 3], &[1.0, 1.0, 0.0]).unwrap();
    let (code, _, stderr) = visard(&[
        "sphere",
        "mean",
        &path("off.npy"),
        "--mechanism",
        "kng",
        "--radius",
        "0.5",
        "--center",
        &path("off.npy"),
        "--epsilon",
        "1",
        "--out",
        &path("off"),
    ]);
    assert!(code == Some(1) && stderr.contains("record 1"), "{stderr}");
}

fn certificate(study: &str) -> serde_json::Value {
    let file = Path::new(study).join("release/certificate.json");
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// A private centre is charged, listed beside the mean it serves, and lands where the mean is.
#[test]
fn private_centres_are_paid_for_and_certified() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (shapes, _) = write_shapes(dir.path(), 400);
    let directions: String = (0..300)
        .map(|i| format!("{},{}\n", 40.0 + (i % 17) as f64 * 0.3, 10.0 + (i % 23) as f64 * 0.3))
        .collect();
    fs::write(path("d.csv"), format!("lat,lon\n{directions}")).unwrap();
    let points: Vec<f64> = (0..400).flat_map(|i| [0.5 + 0.002 * (i % 7) as f64, -0.2, 0.1]).collect();
    visard::io::write_npy(&dir.path().join("h.npy"), &[400, 3], &points).unwrap();
    let matrices: Vec<f64> = (0..400).flat_map(|i| [8.0 + 0.05 * (i % 5) as f64, 0.1, 0.1, 0.5]).collect();
    visard::io::write_npy(&dir.path().join("m.npy"), &[400, 2, 2], &matrices).unwrap();
    let near: &[&str] = &["--first-radius", "3"];
    for (k, (command, file, mechanism, radius, more)) in [
        ("shape", shapes.clone(), "gaussian", "0.2", &[][..]),
        ("shape", shapes.clone(), "kng", "0.2", &[]),
        ("sphere", path("d.csv"), "riemannian-gaussian", "0.4", &[]),
        ("sphere", path("d.csv"), "extrinsic", "0.4", &[]),
        ("hyperbolic", path("h.npy"), "tangent-gaussian", "0.5", near),
        ("spd", path("m.npy"), "tangent-gaussian", "0.7", near),
        ("spd", path("m.npy"), "laplace", "0.7", near),
    ]
    .into_iter()
    .enumerate()
    {
        let out = path(&format!("study{k}"));
        let mut args =
            vec![command, "mean", &file, "--mechanism", mechanism, "--center", "private", "--mu", "2"];
        args.extend(["--radius", radius, "--out", &out]);
        args.extend(more);
        let (code, _, stderr) = visard(&args);
        assert_eq!(code, Some(0), "{command} {mechanism}: {stderr}");
        let certificate = certificate(&out);
        let parts = certificate["composition"].as_array().unwrap();
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[0]["mechanism"], "private centre");
        assert!((parts[0]["loss"]["mu"].as_f64().unwrap() - 0.6).abs() < 1e-9);
        let total = certificate["loss"]["mu"].as_f64().unwrap();
        assert!(total <= 2.0 && total > 1.99, "{command} {mechanism}: {total}");
        assert_eq!(certificate["details"]["study_total"]["mu"].as_f64(), Some(total));
        assert_eq!(certificate["public_inputs"].as_array().map(Vec::len), Some(0));
        let pass = &certificate["details"]["first_passes"][0];
        assert!(
            pass["sensitivity"].as_f64().unwrap() > 0.0 && pass["expected_error"].as_f64().unwrap() > 0.0
        );
        let internal = fs::read_to_string(Path::new(&out).join("internal/report.html"));
        if mechanism != "extrinsic" {
            let page = internal.unwrap();
            assert!(page.contains("do not publish") && page.contains("not charged") && page.contains("<svg"));
        }
    }
    // Centre and radius both private: three parts.
    let out = path("both");
    let (code, _, stderr) = visard(&[
        "shape",
        "mean",
        &shapes,
        "--mechanism",
        "gaussian",
        "--center",
        "private",
        "--radius",
        "private",
        "--mu",
        "3",
        "--out",
        &out,
    ]);
    assert_eq!(code, Some(0), "{stderr}");
    let both = certificate(&out);
    assert_eq!(both["composition"].as_array().map(Vec::len), Some(3));
    assert_eq!(both["clip_radius"]["source"], "private");
    assert!((both["loss"]["mu"].as_f64().unwrap() - 3.0).abs() < 1e-6);
    // An (ε, δ) budget for a pure mechanism stays within it.
    let out = path("mixed");
    let (code, _, stderr) = visard(&[
        "sphere",
        "mean",
        &path("d.csv"),
        "--mechanism",
        "laplace",
        "--center",
        "private",
        "--radius",
        "0.4",
        "--epsilon",
        "2",
        "--delta",
        "1e-6",
        "--out",
        &out,
    ]);
    assert_eq!(code, Some(0), "{stderr}");
    let mixed = certificate(&out);
    let epsilon = mixed["loss"]["epsilon"].as_f64().unwrap();
    assert!(epsilon <= 2.0 && epsilon > 1.4 && mixed["loss"]["delta"] == 1e-6, "{}", mixed["loss"]);
}

/// Whatever is refused for public reasons is refused before the first pass is paid for.
#[test]
fn a_first_pass_is_not_charged_in_vain() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (shapes, _) = write_shapes(dir.path(), 400);
    let points: Vec<f64> = (0..60).flat_map(|_| [0.5, -0.2, 0.1]).collect();
    visard::io::write_npy(&dir.path().join("h.npy"), &[60, 3], &points).unwrap();
    let h = path("h.npy");
    for (k, (expected, arguments)) in [
        (
            "sensitivity bounds",
            vec!["shape", "mean", &shapes, "--mechanism", "gaussian", "--radius", "0.5", "--mu", "1"],
        ),
        (
            "too few",
            vec!["shape", "mean", &shapes, "--mechanism", "gaussian", "--radius", "0.2", "--mu", "0.01"],
        ),
        (
            "too few",
            vec!["shape", "mean", &shapes, "--mechanism", "kng", "--radius", "0.2", "--epsilon", "0.5"],
        ),
        (
            "ceiling",
            vec![
                "shape",
                "mean",
                &shapes,
                "--mechanism",
                "gaussian",
                "--radius",
                "0.2",
                "--mu",
                "2",
                "--ceiling-mu",
                "1",
            ],
        ),
        (
            "--delta",
            vec!["shape", "mean", &shapes, "--mechanism", "gaussian", "--radius", "0.2", "--epsilon", "9"],
        ),
        (
            "--first-radius",
            vec!["hyperbolic", "mean", &h, "--mechanism", "laplace", "--radius", "0.5", "--mu", "3"],
        ),
        (
            "must exceed",
            vec![
                "hyperbolic",
                "mean",
                &h,
                "--mechanism",
                "laplace",
                "--radius",
                "0.5",
                "--mu",
                "3",
                "--first-radius",
                "0.4",
            ],
        ),
        (
            "has no law",
            vec![
                "hyperbolic",
                "mean",
                &h,
                "--mechanism",
                "kng",
                "--radius",
                "2",
                "--mu",
                "0.3",
                "--first-radius",
                "3",
            ],
        ),
        (
            "extrinsic",
            vec![
                "hyperbolic",
                "mean",
                &h,
                "--mechanism",
                "extrinsic",
                "--radius",
                "0.5",
                "--mu",
                "3",
                "--first-radius",
                "3",
            ],
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let out = path(&format!("out{k}"));
        let mut args = arguments;
        args.extend(["--center", "private", "--out", &out]);
        let (code, _, stderr) = visard(&args);
        assert!(code == Some(1) || code == Some(2), "{expected}: {stderr}");
        assert!(stderr.contains(expected), "{expected}: {stderr}");
        let ledger = fs::read_to_string(Path::new(&out).join("visard.ledger.jsonl")).unwrap_or_default();
        assert!(!ledger.contains("private centre"), "{expected}: {ledger}");
    }
}
