//! What was passed over, guessed or repaired is told to the data holder: on standard error, on the internal page, and in an answer that is theirs;
//! never in a release.

use crate::command_line::visard;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use visard::io::write_ply;
use visard::mesh::TriMesh;
use visard::synth::{ScanConditions, builtin_template, person};

/// Twenty rows under a heading.
fn rows(heading: &str, row: impl Fn(f64) -> String) -> String {
    (1..=20).fold(format!("{heading}\n"), |mut text, i| {
        let _ = writeln!(text, "{}", row(f64::from(i)));
        text
    })
}

#[test]
fn notes_go_to_the_data_holder_only() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let read = |file: &str| fs::read_to_string(Path::new(dir).join(file)).unwrap();
    fs::write(dir.join("points.csv"), rows("x,y,city", |i| format!("{},{},c", 0.01 * i, 0.03 * i.sin())))
        .unwrap();
    let two = |i: f64| format!("{},{},c", i.sin(), i.cos());
    fs::write(dir.join("functions.csv"), rows("t1,t2,city", two)).unwrap();
    let shape = |i: f64| format!("a{i},0,{},1,{},2,0.{i},30", 0.1 * i.sin(), 1.0 + 0.1 * i.cos());
    fs::write(dir.join("shapes.csv"), rows("id,x1,y1,x2,y2,x3,y3,age", shape)).unwrap();
    for (line, passed) in [
        ("hyperbolic mean points.csv --radius 1", "city"),
        ("hyperbolic modes points.csv --radius 1", "city"),
        ("function mean functions.csv --domain interval --bound 2", "city"),
        ("shape mean shapes.csv --landmarks 3 --dimensions 2", "age"),
    ] {
        let (code, out, stderr) = visard(dir, &format!("{line} --mu 2 --seed 1 --json --out study"));
        assert_eq!(code, Some(0), "{line}: {stderr}");
        assert!(stderr.contains("do not publish") && stderr.contains(passed), "{line}: {stderr}");
        let secret = format!("&quot;{passed}&quot;");
        let page = read("study/internal/report.html");
        assert!(page.contains("Notes on the records") && page.contains(&secret), "{line}");
        assert!(!out.contains(passed) && !out.contains("do_not_publish"), "{line}: {out}");
        for public in ["report.html", "certificate.json"] {
            assert!(!read(&format!("study/release/{public}")).contains(&secret), "{line}: {public}");
        }
        fs::remove_dir_all(dir.join("study")).unwrap();
    }
    // Where nothing is released the answer is the data holder's own.
    for line in [
        "hyperbolic mean points.csv",
        "function mean functions.csv --domain interval",
        "shape mean shapes.csv",
    ] {
        let (code, out, stderr) = visard(dir, &format!("{line} --mechanism none --json --out study"));
        assert_eq!(code, Some(0), "{line}: {stderr}");
        let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert!(answer["do_not_publish"]["remarks"].to_string().contains("passed over"), "{line}: {out}");
        assert!(read("study/internal/report.html").contains("passed over"), "{line}");
        fs::remove_dir_all(dir.join("study")).unwrap();
    }
}

#[test]
fn tables_of_functions_with_other_columns_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for (heading, odd) in [("t0.5,t1,t1.5,age", "age"), ("mass,h8,h9,h10", "mass")] {
        fs::write(dir.join("f.csv"), rows(heading, |i| format!("{i},{},1,2", i.sin()))).unwrap();
        let line = "function mean f.csv --domain interval --bound 9 --mu 1 --out study";
        let (code, _, stderr) = visard(dir, line);
        assert!(
            code == Some(1) && stderr.contains(odd) && !dir.join("study").exists(),
            "{heading}: {stderr}"
        );
    }
}

/// What a check cannot see it says; with all scans registered it sees what the study sees.
#[test]
fn a_check_says_what_it_has_not_looked_for() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::create_dir(dir.join("scans")).unwrap();
    for i in 0..2 {
        let cloud = TriMesh::new(person(7, i, &ScanConditions::demo()).points, Vec::new()).unwrap();
        write_ply(&dir.join(format!("scans/{i}.ply")), &cloud).unwrap();
    }
    let (_, plain, _) = visard(dir, "check scans");
    assert!(plain.contains("byte for byte") && plain.contains("--full"), "{plain}");
    let (_, full, _) = visard(dir, "check scans --full");
    assert!(!full.contains("byte for byte"), "{full}");
    fs::write(dir.join("scans/0.landmarks.csv"), "name,x,y,z\nchin,1,2,3\n").unwrap();
    let (_, out, stderr) =
        visard(dir, "face mean scans --mu 1 --curves 6 --samples 16 --seed 1 --json --out study");
    assert!(
        stderr.contains("landmark files of 1 of 2 scans name no nose tip") && !out.contains("nose"),
        "{stderr}"
    );
    let page = fs::read_to_string(dir.join("study/internal/report.html")).unwrap();
    assert!(page.contains("Notes on the records") && page.contains("name no nose tip"));
}

/// What was repaired is told with the registrations, which are the data holder's own; a scan that fails is counted apart.
#[test]
fn registrations_and_checks_tell_what_was_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::create_dir(dir.join("scans")).unwrap();
    let (mut vertices, triangles) = builtin_template().clone().into_parts();
    // A point of no triangle.
    vertices.push(vertices[0]);
    write_ply(&dir.join("scans/a.ply"), &TriMesh::new(vertices, triangles).unwrap()).unwrap();
    let (code, out, stderr) = visard(dir, "face register scans --json --out registered");
    assert_eq!(code, Some(0), "{stderr}");
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(answer["do_not_publish"]["remarks"].to_string().contains("a.ply"), "{out}");
    assert!(stderr.contains("do not publish"), "{stderr}");
    fs::write(dir.join("scans/b.ply"), "none").unwrap();
    let (_, text, _) = visard(dir, "check scans");
    assert!(text.contains("1 file that counts and 1 that cannot be used, 2 people"), "{text}");
    assert!(text.contains("for children"), "{text}");
}
