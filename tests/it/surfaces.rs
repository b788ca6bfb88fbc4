//! Studies of surfaces of any kind: whole runs through files, neighbours, hostile input.

use crate::command_line::visard;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use visard::io::{npy, write_npy, write_ply};
use visard::mesh::{Point, TriMesh, subdivided};

/// A closed, lopsided surface of 258 vertices, like none of its turned or mirrored images.
pub fn bean() -> TriMesh {
    let at = [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
    let vertices = at.map(|p| Point::from(p.map(f64::from))).to_vec();
    let triangles = (0..4).flat_map(|i| [[i, (i + 1) % 4, 4], [(i + 1) % 4, i, 5]]).collect();
    let mut mesh = TriMesh::new(vertices, triangles).unwrap();
    for _ in 0..3 {
        let fine = subdivided(&mesh).unwrap();
        let round = fine.vertices().iter().map(|p| Point::from(p.coords.normalize())).collect();
        mesh = fine.with_vertices(round).unwrap();
    }
    let bent = mesh.vertices().iter().map(|p| {
        let r = 1.0 + 0.25 * p.x * p.y + 0.2 * p.z * p.z * p.x + 0.15 * p.y.powi(3);
        Point::new(60.0 * r * p.x, 35.0 * r * p.y, 22.0 * r * p.z + 12.0 * p.x * p.x)
    });
    mesh.with_vertices(bent.collect()).unwrap()
}

/// The same of somebody: three slow waves.
fn somebody(mesh: &TriMesh, i: usize) -> Vec<f64> {
    let wave = |k: usize, x: f64| ((k * i * i + 3 * i + k) as f64).sin() * (0.02 * k as f64 * x).sin();
    let moved =
        |p: &Point| [p.x + 2.0 + 3.0 * wave(1, p.y), p.y + 2.0 * wave(2, p.x), p.z + 2.0 * wave(3, p.x)];
    mesh.vertices().iter().flat_map(moved).collect()
}

/// Template and `n` records; `change` makes something of them.
pub fn records(dir: &Path, n: usize, change: &dyn Fn(usize, &mut [f64])) {
    let mesh = bean();
    write_ply(&dir.join("t.ply"), &mesh).unwrap();
    let mut all: Vec<Vec<f64>> = (0..n).map(|i| somebody(&mesh, i)).collect();
    all.iter_mut().enumerate().for_each(|(i, record)| change(i, record));
    write_npy(&dir.join("u.npy"), &[n, mesh.vertices().len(), 3], &all.concat()).unwrap();
}

fn tables(dir: &Path, n: usize) {
    let lines = |of: &dyn Fn(usize) -> String| (0..n).map(|i| format!("{i},{}\n", of(i))).collect::<String>();
    fs::write(dir.join("groups.csv"), format!("record,group\n{}", lines(&|i| ["a", "b"][i % 2].into())))
        .unwrap();
    let ages = lines(&|i| (20 + 3 * i % 50).to_string());
    fs::write(dir.join("ages.csv"), format!("record,age\n{ages}")).unwrap();
}

fn run(dir: &Path, line: &str) -> Value {
    let (code, stdout, stderr) = visard(dir, &format!("surface {line} --template t.ply --json"));
    assert_eq!(code, Some(0), "{line}: {stderr}");
    serde_json::from_str(&stdout).unwrap()
}

#[test]
fn every_statistic_releases_vertices() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let n = 300;
    records(dir, n, &|_, _| {});
    tables(dir, n);
    let shape =
        |study: &str, name: &str| npy::read(&dir.join(study).join("release").join(name)).unwrap().shape;
    let said = run(dir, "mean --prepared u.npy --mu 4 --out mean");
    assert_eq!(shape("mean", "mean.npy"), [258, 3]);
    assert_eq!(shape("mean", "error.npy"), [258]);
    assert!(dir.join("mean/release/mean.ply").is_file());
    // Everybody is moved by 2 along x: most of it is found.
    let (rms, template) = (&said["accuracy"]["rms"], &said["accuracy"]["template_rms"]);
    assert!(rms.as_f64().unwrap() < 0.5 * template.as_f64().unwrap(), "{said}");
    // Nobody registered these here.
    assert!(said["accuracy"].get("registration_skin_rms").is_none(), "{said}");
    let truth = npy::read(&dir.join("mean/internal/nonprivate_mean.npy")).unwrap().data;
    let found = npy::read(&dir.join("mean/release/mean.npy")).unwrap().data;
    let square = truth.iter().zip(&found).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / 258.0;
    assert!(square.sqrt() < 2.0 * rms.as_f64().unwrap(), "{} is stated, {}", rms, square.sqrt());
    let said = run(dir, "mean --prepared u.npy --mu 4 --band --out band");
    assert_eq!(shape("band", "band.npy"), [2, 258, 3]);
    let borders = npy::read(&dir.join("band/release/band.npy")).unwrap().data;
    let (low, high) = borders.split_at(truth.len());
    let half = high.iter().zip(low).map(|(h, l)| 0.5 * (h - l)).sum::<f64>() / truth.len() as f64;
    let outside = truth.iter().zip(low).zip(high).filter(|((x, l), h)| x < l || x > h).count();
    assert!(
        outside == 0 && (said["band"].as_f64().unwrap() / half - 1.0).abs() < 1e-9,
        "{outside} outside; {said}"
    );
    assert!(half < 0.5 * template.as_f64().unwrap(), "{half}");
    run(dir, "modes --prepared u.npy --modes 2 --mu 8 --out modes");
    assert_eq!(shape("modes", "modes.npy")[1..], [258, 3]);
    run(dir, "regress --prepared u.npy --covariates ages.csv --bounds age=20:70 --mu 4 --out regress");
    assert_eq!(shape("regress", "fields.npy"), [2, 258, 3]);
    run(dir, "compare --prepared u.npy --groups groups.csv --mu 4 --out compare");
    assert_eq!(shape("compare", "difference.npy"), [258, 3]);
    assert_eq!(shape("compare", "band.npy"), [2, 258, 3]);
    for study in ["mean", "band", "modes", "regress", "compare"] {
        for line in [format!("privacy verify {study}"), format!("privacy explain {study}")] {
            let (code, _, stderr) = visard(dir, &line);
            assert_eq!(code, Some(0), "{line}: {stderr}");
        }
    }
}

/// What a release holds, without what belongs to the ledger's line.
fn release(change: &dyn Fn(usize, &mut [f64]), line: &str) -> (Value, BTreeMap<String, Vec<u8>>) {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    records(dir, 41, change);
    tables(dir, 41);
    others(&dir.join("others.npy"), 20, 1.0);
    run(dir, &format!("{line} --prepared u.npy --seed 5 --out study"));
    let files = fs::read_dir(dir.join("study/release")).unwrap();
    let files: BTreeMap<String, Vec<u8>> = files
        .map(|file| {
            let file = file.unwrap();
            (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap())
        })
        .collect();
    let certificate: Value = serde_json::from_slice(&files["certificate.json"]).unwrap();
    (without_noised(&certificate), files)
}

/// Numbers with a point are functions of noised values; so is what the noise hides, and sums of files.
fn without_noised(value: &Value) -> Value {
    let noised = ["sha256", "ledger", "visible", "certain", "explained_share"];
    match value {
        Value::Number(number) if number.is_f64() => "noised".into(),
        Value::Array(items) => items.iter().map(without_noised).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| {
                let value =
                    if noised.contains(&key.as_str()) { "noised".into() } else { without_noised(value) };
                (key.clone(), value)
            })
            .collect(),
        other => other.clone(),
    }
}

#[test]
fn releases_of_neighbours_differ_in_noised_values_only() {
    // Somebody else, far away; no numbers.
    let far = |i: usize, record: &mut [f64]| {
        if i == 40 {
            record.iter_mut().step_by(2).for_each(|x| *x *= -1.1);
        }
    };
    let broken = |i: usize, record: &mut [f64]| {
        if i == 40 {
            record[5] = f64::NAN;
        }
    };
    for line in ["mean --mu 2 --band", "mean --mu 2 --band --prior others.npy"] {
        let (one, files) = release(&|_, _| {}, line);
        for change in [&far as &dyn Fn(usize, &mut [f64]), &broken] {
            let (other, theirs) = release(change, line);
            assert_eq!(one, other);
            assert_eq!(files.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
            for name in ["mean.npy", "error.npy", "mean.ply", "band.npy"] {
                assert_eq!(files[name].len(), theirs[name].len(), "{name}");
            }
            assert_ne!(files["mean.npy"], theirs["mean.npy"], "twins test nothing");
        }
    }
}

/// n others than [`records`] has, in a file of their own: their differences from the template so many times as large.
fn others(file: &Path, n: usize, times: f64) {
    let mesh = bean();
    let own: Vec<f64> = mesh.vertices().iter().flat_map(|p| [p.x, p.y, p.z]).collect();
    let one = |i: usize| {
        somebody(&mesh, 1000 + i).into_iter().zip(&own).map(|(x, t)| t + times * (x - t)).collect()
    };
    let all: Vec<Vec<f64>> = (0..n).map(one).collect();
    write_npy(file, &[n, own.len() / 3, 3], &all.concat()).unwrap();
}

#[test]
fn the_right_prior_helps_much_and_a_wrong_one_costs_little() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let n = 60;
    records(dir, n, &|_, _| {});
    others(&dir.join("like.npy"), 50, 1.0);
    others(&dir.join("unlike.npy"), 50, -3.0);
    let array = |file: &str| npy::read(&dir.join(file)).unwrap().data;
    let size = bean().vertices().len() * 3;
    let people = array("u.npy");
    let truth: Vec<f64> =
        (0..size).map(|k| people.iter().skip(k).step_by(size).sum::<f64>() / n as f64).collect();
    let study = |more: &str, out: &str| {
        let said = run(dir, &format!("mean --prepared u.npy --mu 1 --seed 5 --out {out}{more}"));
        let mean = array(&format!("{out}/release/mean.npy"));
        let square = mean.iter().zip(&truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        ((square / (size / 3) as f64).sqrt(), said)
    };
    let (plain, _) = study("", "plain");
    let (like, said) = study(" --prior like.npy", "like");
    let (unlike, _) = study(" --prior unlike.npy", "unlike");
    assert!(like < 0.75 * plain, "{like:.3} {plain:.3}");
    assert!(unlike < 1.5 * plain, "{unlike:.3} {plain:.3}");
    let accuracy = &said["accuracy"];
    let [rms, prior, template] =
        ["rms", "prior_rms", "template_rms"].map(|name| accuracy[name].as_f64().unwrap());
    assert!(rms <= prior && prior < 0.7 * template, "{said}");
    assert!((0.4..2.5).contains(&(rms / like)), "{said} {like}");
    let certificate: Value =
        serde_json::from_slice(&fs::read(dir.join("like/release/certificate.json")).unwrap()).unwrap();
    assert!(certificate["public_inputs"].as_array().unwrap().iter().any(|input| input["name"] == "like.npy"));
    assert_eq!(certificate["details"]["prior"]["differences"], 50);
    // What was drawn about one centre is not published about another.
    let again = |prior: &str| {
        let line =
            "surface mean --template t.ply --prepared u.npy --mu 1 --seed 5 --out like --resume --prior";
        visard(dir, &format!("{line} {prior}")).0
    };
    assert_eq!((again("like.npy"), again("unlike.npy")), (Some(0), Some(1)));

    let refused = |prior: &str, words: &str| {
        let (code, stdout, stderr) = visard(
            dir,
            &format!("surface mean --template t.ply --prepared u.npy --mu 1 --out never --prior {prior}"),
        );
        assert!(code == Some(1) && (stdout + &stderr).contains(words), "{prior}: {stderr}");
        assert!(!dir.join("never/release").exists(), "{prior}");
    };
    // A seeded release is not private; a real one is a prior, of modes with how people differ.
    refused("plain", "does not say that it is private");
    let earlier = "surface modes --template t.ply --prepared like.npy --mu 20 --out earlier";
    assert_eq!(visard(dir, earlier).0, Some(0));
    // It is drawn anew each time: which of the two centres is believed then, with so few people, is left open.
    let (after, _) = study(" --prior earlier", "after");
    assert!(after < 1.1 * plain, "{after:.3} {plain:.3}");
    let certificate: Value =
        serde_json::from_slice(&fs::read(dir.join("after/release/certificate.json")).unwrap()).unwrap();
    let inputs = certificate["public_inputs"].as_array().unwrap();
    assert!(inputs.iter().any(|input| input["name"] == "certificate.json"), "{inputs:?}");
    assert!(certificate["details"]["prior"]["differences"].as_u64().unwrap() > 0, "{certificate}");
    refused("u.npy", "record 0 (counted from 0) is one of the prior's");
    let moved: Vec<f64> = array("like.npy").iter().map(|x| x + 80.0).collect();
    write_npy(&dir.join("moved.npy"), &[50, size / 3, 3], &moved).unwrap();
    refused("moved.npy", "record 0 (counted from 0) has its centroid");
    write_npy(&dir.join("small.npy"), &[1, 9, 3], &[0.0; 27]).unwrap();
    refused("small.npy", "[1, 9, 3]");
    refused("nowhere.npy", "nowhere.npy");
}

#[test]
fn what_is_no_template_and_what_does_not_fit_is_refused_before_the_charge() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    records(dir, 5, &|_, _| {});
    let mesh = bean();
    let refused = |line: &str, words: &str| {
        let (code, _, stderr) = visard(dir, &format!("surface mean {line} --mu 1 --out study"));
        assert!(code != Some(0) && stderr.contains(words), "{line}: {stderr}");
        assert!(!dir.join("study/release").exists(), "{line}");
    };
    // A ring, two pieces, a bare cloud, a ball, records of another template.
    let ring: Vec<[usize; 3]> =
        mesh.triangles().iter().filter(|t| !t.contains(&4) && !t.contains(&5)).copied().collect();
    write_ply(&dir.join("ring.ply"), &TriMesh::new(mesh.vertices().to_vec(), ring).unwrap()).unwrap();
    refused("--prepared u.npy --template ring.ply", "ring.ply: the template");
    let n = mesh.vertices().len();
    let far = mesh.vertices().iter().map(|p| Point::new(p.x + 500.0, p.y, p.z));
    let twice = mesh.vertices().iter().copied().chain(far).collect();
    let triangles = mesh.triangles().iter().copied().chain(mesh.triangles().iter().map(|t| t.map(|v| v + n)));
    write_ply(&dir.join("two.ply"), &TriMesh::new(twice, triangles.collect()).unwrap()).unwrap();
    refused("--prepared u.npy --template two.ply", "2 pieces");
    write_ply(&dir.join("cloud.ply"), &TriMesh::new(mesh.vertices().to_vec(), Vec::new()).unwrap()).unwrap();
    refused("--prepared u.npy --template cloud.ply", "not a bare point cloud");
    let ball =
        mesh.vertices().iter().map(|p| Point::from((p.coords - mesh.area_centroid().coords).normalize()));
    write_ply(&dir.join("ball.ply"), &mesh.with_vertices(ball.collect()).unwrap()).unwrap();
    fs::create_dir(dir.join("scans")).unwrap();
    write_ply(&dir.join("scans/one.ply"), &mesh).unwrap();
    refused("scans --template ball.ply", "pose cannot be told");
    write_npy(&dir.join("other.npy"), &[2, 9, 3], &[0.0; 54]).unwrap();
    refused("--prepared other.npy --template t.ply", "(n, 258, 3)");
    refused("--prepared u.npy --template t.ply --radius -1", "positive number");
    refused("--prepared u.npy --template t.ply --harmonics 2", "harmonics are from");
}

#[test]
fn flatten_maps_closed_surfaces_onto_the_sphere_and_disks_onto_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let mesh = bean();
    write_ply(&dir.join("t.ply"), &mesh).unwrap();
    let (code, stdout, stderr) = visard(dir, "surface flatten t.ply --out round --json");
    assert_eq!(code, Some(0), "{stderr}");
    let said: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&said["surface"], &said["flipped_triangles"]), (&"closed".into(), &0.into()));
    assert!(said["off_centre"].as_f64().unwrap() < 1e-9, "{said}");
    let map = npy::read(&dir.join("round/sphere_map.npy")).unwrap();
    assert_eq!(map.shape, [258, 3]);
    assert!(map.data.chunks(3).all(|x| (x.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-12));
    let round = visard::io::read_scan(&dir.join("round/sphere.ply")).unwrap();
    assert_eq!((round.vertices.len(), round.triangles.as_deref()), (258, Some(mesh.triangles())));
    let (code, _, stderr) = visard(dir, "surface flatten t.ply --out round");
    assert!(code == Some(1) && stderr.contains("exists"), "{stderr}");
    // What is not closed is a disk, or refused by its own name.
    let open = TriMesh::new(mesh.vertices().to_vec(), mesh.triangles()[1..].to_vec()).unwrap();
    write_ply(&dir.join("open.ply"), &open).unwrap();
    let (code, stdout, stderr) = visard(dir, "surface flatten open.ply --out flat --json");
    assert!(code == Some(0) && stdout.contains("\"surface\":\"disk\""), "{stdout}{stderr}");
    assert!(dir.join("flat/disk_map.npy").is_file());
    let inside = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    write_ply(&dir.join("inside.ply"), &TriMesh::new(mesh.vertices().to_vec(), inside).unwrap()).unwrap();
    let (code, _, stderr) = visard(dir, "surface flatten inside.ply --out no");
    assert!(code == Some(1) && stderr.contains("inside.ply") && stderr.contains("face inwards"), "{stderr}");
    assert!(!dir.join("no").exists());
}

#[test]
fn a_plan_forecasts_the_mean_and_its_certificate_names_it() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    records(dir, 60, &|_, _| {});
    let rows = run(dir, "plan --n 60 600 --mu 0.5 3 --spread 2 --distance 2");
    let error = |i: usize| rows[i]["error"].as_f64().unwrap();
    assert!(error(0) > error(1) && error(0) > error(2) && error(2) > error(3), "{rows}");
    assert!((rows[3]["template_error"].as_f64().unwrap() - 2.0).abs() < 0.3, "{rows}");
    assert!(rows[3]["worth"].as_bool().unwrap());
    // Public people of the same kind leave less to be found, and tell how far people differ.
    others(&dir.join("others.npy"), 40, 1.0);
    let known = run(dir, "plan --n 60 600 --mu 0.5 3 --prior others.npy --spread 2 --distance 2");
    assert!(known[0]["error"].as_f64().unwrap() < error(0), "{known} {rows}");
    run(dir, "plan --n 60 --mu 4 --save study");
    run(dir, "mean --prepared u.npy --mu 4 --out study");
    let text = fs::read_to_string(dir.join("study/release/certificate.json")).unwrap();
    assert!(serde_json::from_str::<Value>(&text).unwrap()["details"]["plan"].is_object(), "{text}");
    let (code, _, stderr) = visard(dir, "surface plan --template t.ply --n 60 --epsilon 1 --harmonics 50");
    assert!(code == Some(2) || code == Some(1), "{stderr}");
    let (code, _, stderr) = visard(dir, "surface plan --template t.ply --n 60 --radius -1");
    assert!(code != Some(0) && stderr.contains("radius"), "{stderr}");
}
