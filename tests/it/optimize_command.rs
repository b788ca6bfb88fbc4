//! `visard optimize` as a user runs it: what it writes, what it refuses, with which exit code.

use assert_cmd::Command;
use std::fs;
use std::path::Path;

fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let out = Command::cargo_bin("visard").expect("the command is built with the tests").args(args).output();
    let out = out.unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout), text(&out.stderr))
}

/// Points on a small circle of the sphere about the third axis.
fn write_points(path: &Path, n: u32) {
    let rows: Vec<f64> = (0..n)
        .flat_map(|i| {
            let (s, c) = (0.37 * f64::from(i)).sin_cos();
            [0.3 * s, 0.3 * c, (1.0f64 - 0.09).sqrt()]
        })
        .collect();
    visard::io::write_npy(path, &[n as usize, 3], &rows).unwrap();
}

#[test]
fn a_mean_from_a_table_of_points() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (dir.path().join("points.npy"), dir.path().join("study"));
    write_points(&file, 500);
    let (file, out_) = (file.to_str().unwrap(), out.to_str().unwrap());
    let budget = ["--epsilon", "1", "--delta", "1e-6", "--clip-radius", "1"];
    let command = |more: &[&'static str]| {
        let mut args = vec!["optimize", "frechet-mean", file, "--space", "sphere", "--out", out_];
        args.extend(budget);
        args.extend(more);
        run(&args)
    };
    let (code, said, complaint) = command(&["--method", "rgd", "--json"]);
    assert_eq!(code, Some(0), "{complaint}");
    let said: serde_json::Value = serde_json::from_str(&said).expect("one JSON object on standard output");
    assert_eq!((&said["n"], &said["private"]), (&500.into(), &true.into()));
    assert_eq!(said["converged"], false, "a cap on steps is not convergence");
    let solution = visard::io::npy::read(&out.join("release/solution.npy")).unwrap();
    assert!(solution.shape == [3] && solution.data[2] > 0.9, "{:?}", solution.data);
    let certificate = fs::read_to_string(out.join("release/certificate.json")).unwrap();
    let certificate = visard::privacy::Certificate::from_json(&certificate).unwrap();
    assert!(certificate.private && certificate.n == 500);
    assert!(fs::read_to_string(out.join("internal/trace.csv")).unwrap().starts_with("step,"));
    assert_eq!(fs::read_dir(out.join("release")).unwrap().count(), 2);

    let (code, _, complaint) = command(&["--method", "rgd"]);
    assert_eq!(code, Some(1));
    assert!(complaint.contains("already holds") && complaint.contains("--force"), "{complaint}");
    // Replaced with another method, seeded: not private, and charged.
    let (code, said, complaint) =
        command(&["--method", "rsgd", "--steps", "50", "--batch", "100", "--force", "--seed", "1", "--json"]);
    assert_eq!(code, Some(0), "{complaint}");
    assert!(said.contains("\"private\":false"), "{said}");
    // Its sampled steps too have the form that is documented.
    let certificate = fs::read_to_string(out.join("release/certificate.json")).unwrap();
    let certificate: serde_json::Value = serde_json::from_str(&certificate).unwrap();
    assert!(certificate["composition"][0]["sampled"]["multiplier"].is_number());
    crate::schema::takes("optimization", &certificate);
    let ledger = fs::read_to_string(out.join("visard.ledger.jsonl")).unwrap();
    assert_eq!(ledger.matches("\"kind\":\"charge\"").count(), 2, "{ledger}");
    let (code, _, complaint) =
        run(&["privacy", "explain", out.join("release/certificate.json").to_str().unwrap()]);
    assert_eq!(code, Some(0), "{complaint}");
}

#[test]
fn wrong_usage_is_told_from_failure_and_neither_charges() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (dir.path().join("points.npy"), dir.path().join("study"));
    write_points(&file, 50);
    let (file, out_) = (file.to_str().unwrap(), out.to_str().unwrap());
    let sphere = |more: &[&'static str]| {
        let mut args = vec!["optimize", "frechet-mean", file, "--space", "sphere", "--out", out_];
        args.extend(more);
        let (code, said, complaint) = run(&args);
        assert!(said.is_empty() && !complaint.contains("panicked"), "{complaint}");
        assert!(!out.join("release").exists());
        let ledger = fs::read_to_string(out.join("visard.ledger.jsonl")).unwrap_or_default();
        assert!(!ledger.contains("\"kind\":\"charge\""), "{ledger}");
        (code, complaint)
    };
    let usage: [(&[&str], &str); 9] = [
        (&["--method", "rgd", "--clip-radius", "1"], "no budget"),
        (&["--method", "rgd", "--clip-radius", "1", "--epsilon", "1"], "delta"),
        (&["--method", "rsgd", "--clip-radius", "1", "--mu", "1"], "epsilon and delta"),
        (&["--method", "rgd", "--clip-radius", "-1", "--mu", "1"], "clip radius"),
        (&["--method", "rgd", "--clip-radius", "1", "--mu", "1", "--step", "0"], "step size"),
        (
            &["--method", "rsvrg", "--clip-radius", "1", "--epsilon", "1", "--delta", "1e-6", "--steps", "9"],
            "--epochs",
        ),
        (
            &["--method", "rsvrg", "--clip-radius", "1", "--epsilon", "1", "--delta", "1e-6", "--split", "x"],
            "--split",
        ),
        (&["--method", "newton", "--clip-radius", "1", "--mu", "1"], "invalid value"),
        (
            &["--method", "rsgd", "--clip-radius", "1", "--epsilon", "1", "--delta", "1e-6", "--batch", "51"],
            "51 records cannot be drawn from 50",
        ),
    ];
    for (args, says) in usage {
        let (code, complaint) = sphere(args);
        assert_eq!(code, Some(2), "{args:?}: {complaint}");
        assert!(complaint.contains(says), "{args:?}: {complaint}");
    }
    // So little budget that the result would be noise.
    let (code, complaint) = sphere(&["--method", "rgd", "--clip-radius", "1", "--mu", "0.001"]);
    assert_eq!(code, Some(1));
    assert!(complaint.contains("would be noise") && complaint.contains("nothing was charged"), "{complaint}");
    let missing =
        ["optimize", "eigenvector", "nowhere.npy", "--method", "rgd", "--clip-radius", "1", "--mu", "1"];
    let (code, _, complaint) = run(&[&missing[..], &["--out", out_]].concat());
    assert_eq!(code, Some(1));
    assert!(complaint.contains("nowhere.npy"), "{complaint}");
}

#[test]
fn a_tree_is_embedded_so_that_ancestors_are_near() {
    let dir = tempfile::tempdir().unwrap();
    let (edges, out) = (dir.path().join("edges.csv"), dir.path().join("tree"));
    // The transitive closure of a binary tree of 31 nodes.
    let mut text = String::from("child,ancestor\n");
    for node in 2u32..32 {
        let mut up = node / 2;
        while up > 0 {
            text.push_str(&format!("n{node},n{up}\n"));
            up /= 2;
        }
    }
    fs::write(&edges, text).unwrap();
    let (edges_, out_) = (edges.to_str().unwrap(), out.to_str().unwrap());
    let (code, said, complaint) = run(&["optimize", "embed-tree", edges_, "--out", out_, "--json"]);
    assert_eq!(code, Some(0), "{complaint}");
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["nodes"], &said["edges"]), (&31.into(), &98.into()));
    // Unrelated points would have rank 13 or so.
    assert!(said["mean_rank"].as_f64().unwrap() < 3.0, "{said}");
    let points = visard::io::npy::read(&out.join("embedding.npy")).unwrap();
    assert_eq!(points.shape, [31, 2]);
    assert!(points.data.chunks(2).all(|p| p[0].hypot(p[1]) < 1.0));
    assert_eq!(fs::read_to_string(out.join("nodes.csv")).unwrap().lines().count(), 32);
    assert_eq!(run(&["optimize", "embed-tree", edges_, "--out", out_]).0, Some(1), "not overwritten");
    fs::write(&edges, "child,ancestor\na\n").unwrap();
    let (code, _, complaint) = run(&["optimize", "embed-tree", edges_, "--out", out_, "--force"]);
    assert!(code == Some(1) && complaint.contains("line 2"), "{complaint}");
}
