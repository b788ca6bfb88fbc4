//! Every mechanism releases, certified.

use super::support::{certificate, succeeds, unlike, visard, write_shapes};
use std::fs;
use std::path::Path;
use visard::io::{RecordSize, read_shapes};

#[test]
fn every_shape_mechanism_releases_a_certified_shape() {
    let dir = tempfile::tempdir().unwrap();
    let (file, centre) = write_shapes(dir.path(), 40);
    for (k, (mechanism, budget)) in [
        ("kng", "--epsilon 2"),
        ("laplace", "--epsilon 2"),
        ("gaussian", "--mu 1"),
        ("gaussian", "--epsilon 0.5 --delta 1e-6 --calibration classical"),
        ("riemannian-gaussian", "--epsilon 1 --delta 1e-6"),
        ("pointwise", "--epsilon 2"),
        ("pointwise-unaligned", "--epsilon 2"),
    ]
    .into_iter()
    .enumerate()
    {
        let study = dir.path().join(format!("study{k}")).display().to_string();
        let line = format!(
            "shape mean {file} --mechanism {mechanism} --center {centre} --radius 0.1 --out {study} --draws 2 {budget}"
        );
        succeeds(&line);
        let release = Path::new(&study).join("release");
        let certificate = certificate(&study);
        assert_eq!(certificate["private"], true, "{mechanism}");
        assert_eq!(certificate["n"], 40);
        assert_eq!(certificate["clip_radius"]["source"], "public");
        assert_eq!(certificate["details"]["draws"], 2);
        assert_eq!(certificate["composition"][0]["times"], 2, "{certificate}");
        let drawn = read_shapes(&release.join("mean.tps"), RecordSize::Content).unwrap().all().unwrap();
        assert_eq!((drawn.len(), drawn[0].landmarks()), (2, 12));
        assert_ne!(drawn[0].coordinates(), drawn[1].coordinates());
        assert!(fs::read_to_string(release.join("report.html")).unwrap().contains("<svg"));
        assert!(Path::new(&study).join("internal/nonprivate_mean.tps").exists());
        // Asked again, nothing is overwritten and nothing charged.
        let ledger = fs::read(Path::new(&study).join("visard.ledger.jsonl")).unwrap();
        assert_eq!(visard(&line).0, Some(1));
        assert_eq!(fs::read(Path::new(&study).join("visard.ledger.jsonl")).unwrap(), ledger);
    }
}

#[test]
fn a_private_radius_and_public_records_are_paid_for_and_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (file, centre) = write_shapes(dir.path(), 400);
    fs::write(path("public.txt"), "s0\ns1\ns2\n").unwrap();
    let public = |out: &str| {
        let line = format!(
            "shape mean {file} --mechanism gaussian --public-records {} --mu 2 --out {out} --smooth shrink --json",
            path("public.txt")
        );
        assert_eq!(serde_json::from_str::<serde_json::Value>(&succeeds(&line)).unwrap()["n"], 397);
        certificate(out)["public_inputs"].as_array().unwrap().clone()
    };
    // The file with the names and the shapes they name are both hashed.
    let first = public(&path("one"));
    assert_eq!(first.len(), 2);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("2 0\n", "2.01 0\n", 1).replacen("LM=12\n2.", "LM=12\n3.", 1)).unwrap();
    let second = public(&path("other"));
    let hash = |inputs: &[serde_json::Value], name: &str| {
        let found = inputs.iter().find(|i| i["name"].as_str().unwrap().contains(name)).unwrap();
        found["sha256"].as_str().unwrap().to_owned()
    };
    assert_eq!(hash(&first[1..], "public.txt"), hash(&second[1..], "public.txt"));
    assert_ne!(hash(&first, "landmarks of the records"), hash(&second, "landmarks of the records"));

    let study = path("two");
    succeeds(&format!(
        "shape mean {file} --mechanism gaussian --radius private --center {centre} --mu 2 --out {study}"
    ));
    let certificate = certificate(&study);
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
    let images: Vec<f64> = (0..30 * 8 * 8).map(|i| (255.0 * unlike(i)).floor()).collect();
    visard::io::write_npy(&dir.path().join("images.npy"), &[30, 8, 8], &images).unwrap();
    succeeds(&format!("spd describe {} --out {}", path("images.npy"), path("d.npy")));
    for (metric, mechanism, radius) in [
        ("log-euclidean", "tangent-gaussian", "descriptor"),
        ("log-euclidean", "laplace", "descriptor"),
        ("log-euclidean", "extrinsic", "12"),
        ("log-euclidean", "extrinsic", "descriptor"),
        ("affine-invariant", "tangent-gaussian", "5"),
        ("affine-invariant", "extrinsic", "5"),
    ] {
        let out = path(&format!("{metric}-{mechanism}-{radius}"));
        succeeds(&format!(
            "spd mean {} --metric {metric} --mechanism {mechanism} --radius {radius} --epsilon 1 --delta 1e-6 --out {out}",
            path("d.npy")
        ));
        let mean = visard::io::npy::read(&Path::new(&out).join("release/mean.npy")).unwrap();
        assert_eq!(mean.shape, [9, 9]);
    }
    fs::write(path("cities.csv"), "name,lat,lon\na,51,0\nb,48,2\nc,52,13\n").unwrap();
    fs::write(path("centre.csv"), "lat,lon\n50,5\n").unwrap();
    for (mechanism, budget) in [
        ("kng", "--epsilon 5"),
        ("laplace", "--epsilon 5"),
        ("riemannian-gaussian", "--mu 3"),
        ("tangent-gaussian", "--mu 3"),
        ("extrinsic", "--mu 3"),
        ("extrinsic", "--epsilon 5"),
    ] {
        let out = path(&format!("sphere-{mechanism}{}", budget.len()));
        succeeds(&format!(
            "sphere mean {} --mechanism {mechanism} --radius 0.4 --center {} --out {out} {budget}",
            path("cities.csv"),
            path("centre.csv")
        ));
        let mean = visard::io::npy::read(&Path::new(&out).join("release/mean.npy")).unwrap();
        assert!((mean.data.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-9);
    }
    let points = [0.1, 0.2, -0.1, 0.3, 0.2, -0.2];
    visard::io::write_npy(&dir.path().join("h.npy"), &[3, 2], &points).unwrap();
    let (h, out) = (path("h.npy"), path("hyper"));
    succeeds(&format!("hyperbolic mean {h} --mechanism laplace --radius 0.5 --epsilon 5 --out {out}"));
}

/// With a fixed seed the data holder's page is the same twice over: nothing on it depends on the clock.
#[test]
fn seeded_pages_are_the_same_every_time() {
    let dir = tempfile::tempdir().unwrap();
    let (file, centre) = write_shapes(dir.path(), 60);
    let pages = ["one", "two"].map(|name| {
        let out = dir.path().join(name).display().to_string();
        succeeds(&format!(
            "shape mean {file} --mechanism kng --center {centre} --radius 0.2 --epsilon 2 --seed 4 --explore --out {out}"
        ));
        ["report.html", "utility.csv"]
            .map(|file| fs::read_to_string(Path::new(&out).join("internal").join(file)).unwrap())
    });
    assert!(pages[0] == pages[1]);
    let [_, utility] = &pages[0];
    for mechanism in ["Riemannian Gaussian", "at the Gaussians' μ", "K-norm gradient", "tangent Gaussian"] {
        assert!(utility.contains(mechanism), "{mechanism}: {utility}");
    }
}
