//! Private centres and radii: paid for, certified, never charged in vain.

use super::support::{certificate, succeeds, visard, write_shapes};
use std::fs;
use std::path::Path;

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
    let points: Vec<f64> =
        (0..400).flat_map(|i| [0.5 + 0.002 * (i % 7) as f64, -0.2, 0.1 + 1e-5 * i as f64]).collect();
    visard::io::write_npy(&dir.path().join("h.npy"), &[400, 3], &points).unwrap();
    let matrices: Vec<f64> =
        (0..400).flat_map(|i| [8.0 + 0.05 * (i % 5) as f64, 0.1, 0.1, 0.5 + 1e-5 * i as f64]).collect();
    visard::io::write_npy(&dir.path().join("m.npy"), &[400, 2, 2], &matrices).unwrap();
    let near = "--first-radius 3";
    for (k, (command, file, mechanism, radius, more)) in [
        ("shape", shapes.clone(), "gaussian", "0.2", "--landmarks 12"),
        ("shape", shapes.clone(), "kng", "0.2", "--landmarks 12"),
        ("sphere", path("d.csv"), "riemannian-gaussian", "0.4", ""),
        ("sphere", path("d.csv"), "extrinsic", "0.4", ""),
        ("hyperbolic", path("h.npy"), "tangent-gaussian", "0.5", near),
        ("spd", path("m.npy"), "tangent-gaussian", "0.7", near),
        ("spd", path("m.npy"), "laplace", "0.7", near),
        ("spd", path("m.npy"), "extrinsic", "0.7", near),
    ]
    .into_iter()
    .enumerate()
    {
        let out = path(&format!("study{k}"));
        succeeds(&format!(
            "{command} mean {file} --mechanism {mechanism} --center private --mu 2 --radius {radius} --out {out} {more} --explore"
        ));
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
            pass["sensitivity"]["bound"].as_f64().unwrap() > 0.0
                && pass["expected_error"].as_f64().unwrap() > 0.0
        );
        let page = fs::read_to_string(Path::new(&out).join("internal/report.html")).unwrap();
        assert!(page.contains("do not publish") && page.contains("made-up") && page.contains("<svg"));
    }
    // Centre and radius both private: three parts.
    let out = path("both");
    succeeds(&format!(
        "shape mean {shapes} --mechanism gaussian --center private --landmarks 12 --radius private --mu 3 --out {out}"
    ));
    let both = certificate(&out);
    assert_eq!(both["composition"].as_array().map(Vec::len), Some(3));
    assert_eq!(both["clip_radius"]["source"], "private");
    assert!((both["loss"]["mu"].as_f64().unwrap() - 3.0).abs() < 1e-6);
    // An (ε, δ) budget for a pure mechanism stays within it.
    let out = path("mixed");
    succeeds(&format!(
        "sphere mean {} --mechanism laplace --center private --radius 0.4 --epsilon 2 --delta 1e-6 --out {out}",
        path("d.csv")
    ));
    let mixed = certificate(&out);
    let epsilon = mixed["loss"]["epsilon"].as_f64().unwrap();
    assert!(epsilon <= 2.0 && epsilon > 1.4 && mixed["loss"]["delta"] == 1e-6, "{}", mixed["loss"]);
}

/// Whatever is refused for public reasons is refused before the first pass is paid for, and leaves no ledger (but for a ceiling).
#[test]
fn a_first_pass_is_not_charged_in_vain() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (shapes, _) = write_shapes(dir.path(), 400);
    let points: Vec<f64> = (0..60).flat_map(|_| [0.5, -0.2, 0.1]).collect();
    visard::io::write_npy(&dir.path().join("h.npy"), &[60, 3], &points).unwrap();
    let shape = format!("shape mean {shapes} --landmarks 12 --mechanism");
    let hyperbolic = format!("hyperbolic mean {} --mechanism", path("h.npy"));
    for (k, (expected, line)) in [
        ("sensitivity bounds", format!("{shape} gaussian --radius 0.5 --mu 1")),
        ("too few", format!("{shape} gaussian --radius 0.2 --mu 0.01")),
        ("too few", format!("{shape} kng --radius 0.2 --epsilon 0.5")),
        ("ceiling", format!("{shape} gaussian --radius 0.2 --mu 2 --ceiling-mu 1")),
        ("--delta", format!("{shape} gaussian --radius 0.2 --epsilon 9")),
        ("--first-radius", format!("{hyperbolic} laplace --radius 0.5 --mu 3")),
        ("must exceed", format!("{hyperbolic} laplace --radius 0.5 --mu 3 --first-radius 0.4")),
        ("has no law", format!("{hyperbolic} kng --radius 2 --mu 0.3 --first-radius 3")),
        ("extrinsic", format!("{hyperbolic} extrinsic --radius 0.5 --mu 3 --first-radius 3")),
    ]
    .into_iter()
    .enumerate()
    {
        let out = path(&format!("out{k}"));
        let (code, _, stderr) = visard(&format!("{line} --center private --out {out}"));
        assert!(code == Some(1) || code == Some(2), "{expected}: {stderr}");
        assert!(stderr.contains(expected), "{expected}: {stderr}");
        let ledger = fs::read_to_string(Path::new(&out).join("visard.ledger.jsonl")).unwrap_or_default();
        assert!(!ledger.contains("private centre"), "{expected}: {ledger}");
        assert!(expected == "ceiling" || !Path::new(&out).exists(), "{expected}");
    }
}
