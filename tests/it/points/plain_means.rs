//! Means without noise, for the data holder: neither centre nor radius nor budget.

use super::support::{succeeds, visard};
use std::fs;
use visard::io::{npy, write_npy};
use visard::landmark::{Configuration, full_distance};

fn mean(study: &std::path::Path) -> Vec<f64> {
    npy::read(&study.join("internal/nonprivate_mean.npy")).unwrap().data
}

/// Of diagonal matrices every metric has a mean in closed form, entry by entry.
#[test]
fn matrices_in_every_metric() {
    let dir = tempfile::tempdir().unwrap();
    let (file, diagonals) = (dir.path().join("m.npy"), [[1.0, 4.0], [9.0, 4.0], [4.0, 25.0]]);
    let data: Vec<f64> = diagonals.iter().flat_map(|[a, b]| [*a, 0.0, 0.0, *b]).collect();
    write_npy(&file, &[3, 2, 2], &data).unwrap();
    let of = |f: fn(f64) -> f64, back: fn(f64) -> f64| {
        [0, 1].map(|i| back(diagonals.iter().map(|d| f(d[i])).sum::<f64>() / 3.0))
    };
    for (metric, expected) in [
        ("log-euclidean", of(f64::ln, f64::exp)),
        ("affine-invariant", of(f64::ln, f64::exp)),
        ("bures-wasserstein", of(f64::sqrt, |x| x * x)),
    ] {
        let out = dir.path().join(metric);
        succeeds(&format!(
            "spd mean {} --metric {metric} --mechanism none --out {}",
            file.display(),
            out.display()
        ));
        let found = mean(&out);
        assert!(
            (found[0] - expected[0]).abs() < 1e-9 && (found[3] - expected[1]).abs() < 1e-9,
            "{metric}: {found:?}"
        );
        assert!(!out.join("release").exists() && !out.join("visard.ledger.jsonl").exists());
        assert!(fs::read_to_string(out.join("internal/distances.csv")).unwrap().lines().count() == 4);
    }
    let line = format!(
        "spd mean {} --metric bures-wasserstein --radius 1 --mu 1 --out {}/x",
        file.display(),
        dir.path().display()
    );
    let (code, _, stderr) = visard(&line);
    assert!(code == Some(1) && stderr.contains("no private mechanism"), "{stderr}");
    let (code, _, stderr) =
        visard(&format!("spd mean {} --mu 1 --out {}/x", file.display(), dir.path().display()));
    assert!(
        code == Some(2) && stderr.contains("--radius") && stderr.contains("--mechanism none"),
        "{stderr}"
    );
}

#[test]
fn directions_and_points_of_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    fs::write(path("s.csv"), "1,0,0\n0,1,0\n0,0,1\n").unwrap();
    succeeds(&format!("sphere mean {} --mechanism none --out {}", path("s.csv"), path("s")));
    assert!(mean(&dir.path().join("s")).iter().all(|c| (c - 3f64.sqrt().recip()).abs() < 1e-9));
    fs::write(path("h.csv"), "0.5,0\n-0.5,0\n0,0.3\n0,-0.3\n").unwrap();
    succeeds(&format!("hyperbolic mean {} --mechanism none --out {}", path("h.csv"), path("h")));
    assert!(mean(&dir.path().join("h")).iter().all(|c| c.abs() < 1e-9));
}

/// A folder of 3D Slicer's files in two coordinate systems, one with a landmark that was not found: all the same shape.
#[test]
fn specimens_of_slicer_with_a_missing_landmark() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("specimens");
    fs::create_dir(&folder).unwrap();
    let truth = Configuration::from_fn(7, 3, |i, j| ((4 * i + 7 * j + i * j) as f64).sin() * 20.0);
    for (s, system) in [(0, "LPS"), (1, "RAS"), (2, "LPS")] {
        let sign = if system == "RAS" { -1.0 } else { 1.0 };
        let point = |i: usize| {
            let status = if (s, i) == (2, 3) { "undefined" } else { "defined" };
            let p = truth.row(i) * (1.0 + f64::from(s));
            format!(
                r#"{{"label": "L{i}", "position": [{}, {}, {}], "positionStatus": "{status}"}}"#,
                sign * p[0],
                sign * p[1] + 3.0,
                p[2]
            )
        };
        let points = (0..7).map(point).collect::<Vec<_>>().join(",");
        let text =
            format!(r#"{{"markups": [{{"coordinateSystem": "{system}", "controlPoints": [{points}]}}]}}"#);
        fs::write(folder.join(format!("s{s}.mrk.json")), text).unwrap();
    }
    let out = dir.path().join("study");
    let line =
        format!("shape mean {} --mechanism none --allow-identical --out {}", folder.display(), out.display());
    let (code, _, stderr) = visard(&format!("{line} --unusable refuse"));
    assert!(code == Some(1) && stderr.contains("\"s2\"") && stderr.contains("--center"), "{stderr}");
    let (code, _, stderr) = visard(&line);
    assert!(code == Some(0) && stderr.contains("1 record could not be used and is left out"), "{stderr}");
    let found = Configuration::from_row_slice(7, 3, &mean(&out));
    assert!(full_distance(&found, &truth).unwrap() < 1e-9);
    let centre = folder.join("s0.mrk.json");
    succeeds(&(line + &format!(" --force --center {}", centre.display())));
    let found = Configuration::from_row_slice(7, 3, &mean(&out));
    assert!(full_distance(&found, &truth).unwrap() < 1e-9);
    let table = fs::read_to_string(out.join("internal/distances.csv")).unwrap();
    assert!(table.contains("s2,"), "{table}");
}
