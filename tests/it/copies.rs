//! One record under two names is one person: copies in every disguise are refused before the charge, and two people who are as near as any two
//! were are not.

use crate::command_line::visard;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use visard::io::{write_npy, write_ply};
use visard::mesh::{Point, TriMesh, simplified};
use visard::synth::{ScanConditions, builtin_template, person};

/// The mesh of a made-up person.
fn face(i: usize) -> TriMesh {
    let vertices = person(7, i, &ScanConditions::demo()).parameters.vertices();
    builtin_template().with_vertices(vertices).unwrap()
}

/// Turned about the axis (1, 1, 0)/√2, scaled and moved.
fn moved(mesh: &TriMesh, degrees: f64, scale: f64, by: f64) -> TriMesh {
    let axis = nalgebra::Unit::new_normalize(nalgebra::Vector3::new(1.0, 1.0, 0.0));
    let turn = nalgebra::Rotation3::from_axis_angle(&axis, degrees.to_radians());
    let place =
        |p: &Point| Point::from(scale * ((turn * p).coords + nalgebra::Vector3::new(by, -by, 0.5 * by)));
    mesh.with_vertices(mesh.vertices().iter().map(place).collect()).unwrap()
}

/// The same surface as text with so many decimals, as OBJ.
fn obj(mesh: &TriMesh, decimals: usize) -> String {
    let mut text = String::new();
    mesh.vertices().iter().for_each(|p| {
        let _ = writeln!(text, "v {:.decimals$} {:.decimals$} {:.decimals$}", p.x, p.y, p.z);
    });
    mesh.triangles().iter().for_each(|[a, b, c]| {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    });
    text
}

/// Binary STL: single numbers, a vertex for each corner.
fn stl(mesh: &TriMesh) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend((mesh.triangles().len() as u32).to_le_bytes());
    for t in mesh.triangles() {
        bytes.extend([0; 12]);
        for p in t.map(|v| mesh.vertices()[v]) {
            p.iter().for_each(|x| bytes.extend((*x as f32).to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

const FACES: &str = "face mean scans --mu 2 --curves 12 --samples 40 --seed 1 --out study";

#[test]
fn a_scan_in_every_disguise_is_one_person() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let scans = dir.join("scans");
    fs::create_dir(&scans).unwrap();
    (0..2).for_each(|i| write_ply(&scans.join(format!("p{i}.ply")), &face(i)).unwrap());
    // Two people are two people, in the study and in a check.
    let (code, _, stderr) = visard(dir, FACES);
    assert_eq!(code, Some(0), "{stderr}");
    let certificate = fs::read_to_string(dir.join("study/release/certificate.json")).unwrap();
    assert!(certificate.contains("within 1e-4 of one another are copies"), "{certificate}");
    fs::remove_dir_all(dir.join("study")).unwrap();
    let own = face(1);
    let ply = |mesh: &TriMesh| {
        write_ply(&dir.join("a.ply"), mesh).unwrap();
        fs::read(dir.join("a.ply")).unwrap()
    };
    let fewer =
        |share: f64| simplified(&own, own.area(), (share * own.vertices().len() as f64) as usize).unwrap();
    let disguises: [(&str, Vec<u8>); 7] = [
        ("copy.obj", obj(&own, 6).into()),
        ("digits.obj", obj(&own, 2).into()),
        ("copy.stl", stl(&own)),
        ("turned.ply", ply(&moved(&own, 35.0, 1.0, 0.0))),
        ("metres.ply", ply(&moved(&own, 0.0, 1e-3, 0.0))),
        ("all.obj", obj(&moved(&own, 20.0, 1e-3, 80.0), 7).into()),
        ("half.ply", ply(&fewer(0.5))),
    ];
    for (k, (name, bytes)) in disguises.into_iter().enumerate() {
        fs::write(scans.join(name), bytes).unwrap();
        let (code, _, stderr) = visard(dir, FACES);
        let told = [
            "scans/p1.ply",
            name,
            "nearer than any two people",
            "--people",
            "--allow-identical",
            "nothing was charged",
        ];
        assert!(code == Some(1) && told.iter().all(|words| stderr.contains(words)), "{name}: {stderr}");
        assert!(!dir.join("study/release").exists());
        fs::remove_dir_all(dir.join("study")).unwrap();
        // The check that registers says the same, by the same road: every third will do.
        if k % 3 == 0 {
            let (code, text, _) = visard(dir, "check scans --full --curves 12 --samples 40 --json");
            let found: serde_json::Value = serde_json::from_str(&text).unwrap();
            let pair = found["duplicates"][0].to_string();
            assert!(code == Some(1) && pair.contains("p1.ply") && pair.contains(name), "{name}: {text}");
        }
        fs::remove_file(scans.join(name)).unwrap();
    }
    // One person's two scans are fine if that is told, and so are two that somebody knows to be two people.
    fs::write(scans.join("copy.obj"), obj(&own, 6)).unwrap();
    fs::write(dir.join("people.csv"), "record,person\np0.ply,a\np1.ply,b\ncopy.obj,b\n").unwrap();
    for (words, n) in [("--people people.csv", 2), ("--allow-identical", 3)] {
        let (code, text, stderr) = visard(dir, &format!("{FACES} {words} --json"));
        assert_eq!(code, Some(0), "{stderr}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap()["n"], n);
        fs::remove_dir_all(dir.join("study")).unwrap();
    }
    fs::write(dir.join("people.csv"), "record,person\np0.ply,a\np1.ply,b\ncopy.obj,c\n").unwrap();
    let (code, _, stderr) = visard(dir, &format!("{FACES} --people people.csv"));
    assert!(code == Some(1) && stderr.contains("copy.obj"), "{stderr}");
}

/// Prepared faces a ripple apart: nearer than any two people, nearer than two should be, and as near as two people were.
#[test]
fn twins_are_two_people() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let (code, _, stderr) =
        visard(dir, "face mean s.ply --mechanism none --curves 12 --samples 40 --out own");
    assert_eq!(code, Some(1), "{stderr}");
    write_ply(&dir.join("s.ply"), &face(0)).unwrap();
    let (code, _, stderr) =
        visard(dir, "face mean s.ply --mechanism none --curves 12 --samples 40 --out own");
    assert_eq!(code, Some(0), "{stderr}");
    let own = visard::io::npy::read(&dir.join("own/internal/nonprivate_curves.npy")).unwrap().data;
    let study = |apart: f64| {
        // A ripple in depth.
        let twin = own
            .iter()
            .enumerate()
            .map(|(i, x)| if i % 3 == 2 { x + apart * (0.05 * i as f64).sin() } else { *x });
        let other = own.iter().enumerate().map(|(i, x)| x + 0.02 * (0.04 * i as f64).sin());
        let all: Vec<f64> = own.iter().copied().chain(twin).chain(other).collect();
        write_npy(&dir.join("faces.npy"), &[3, 12, 40, 3], &all).unwrap();
        let line = "face mean --prepared faces.npy --curves 12 --samples 40 --mu 2 --seed 1 --out study";
        let (code, _, stderr) = visard(dir, line);
        let _ = fs::remove_dir_all(dir.join("study"));
        (code, stderr)
    };
    let (code, stderr) = study(4e-4);
    assert!(code == Some(1) && stderr.contains("record 0 and record 1 are nearer than any two"), "{stderr}");
    let (code, stderr) = study(8e-4);
    assert!(
        code == Some(0) && stderr.contains("record 0 and record 1 are nearer than two people should"),
        "{stderr}"
    );
    let (code, stderr) = study(4.3e-3);
    assert!(code == Some(0) && !stderr.contains("nearer"), "{stderr}");
}

/// Ten landmarks of a made-up specimen.
fn landmarks(i: usize) -> Vec<[f64; 2]> {
    let at = |k: usize| {
        let (t, k) = (0.6 * k as f64, k as f64);
        [30.0 * t.cos() + (1.3 * k + i as f64).sin(), 20.0 * t.sin() + (0.7 * k * (i + 1) as f64).cos()]
    };
    (0..10).map(at).collect()
}

fn tps(shapes: &[Vec<[f64; 2]>], decimals: usize) -> String {
    let mut text = String::new();
    for (i, shape) in shapes.iter().enumerate() {
        let _ = writeln!(text, "LM={}", shape.len());
        shape.iter().for_each(|[x, y]| {
            let _ = writeln!(text, "{x:.decimals$} {y:.decimals$}");
        });
        let _ = writeln!(text, "ID=s{i}");
    }
    text
}

#[test]
fn landmarks_moved_turned_and_in_other_units_are_one_person() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let (sin, cos) = 0.7_f64.sin_cos();
    let alike = |scale: f64, extra: f64| -> Vec<[f64; 2]> {
        let turned = |(k, [x, y]): (usize, [f64; 2])| {
            // By so much at every other landmark: about that distance in shape space, times 6 over the size of 80.
            let x = x + if k % 2 == 0 { extra } else { -extra };
            [scale * (cos * x - sin * y + 40.0), scale * (sin * x + cos * y - 7.0)]
        };
        landmarks(3).into_iter().enumerate().map(turned).collect()
    };
    let people: Vec<_> = (0..30).map(landmarks).collect();
    let study = |shapes: &[Vec<[f64; 2]>], line: &str| {
        fs::write(dir.join("t.tps"), tps(shapes, 9)).unwrap();
        let k = shapes[0].len();
        let line = format!("{line} --landmarks {k} --dimensions 2 --mu 2 --seed 1 --out study");
        let (code, _, stderr) = visard(dir, &line);
        let _ = fs::remove_dir_all(dir.join("study"));
        (code, stderr)
    };
    let mean = "shape mean t.tps";
    let (code, stderr) = study(&people, mean);
    assert!(code == Some(0) && !stderr.contains("nearer"), "{stderr}");
    for line in [mean, "shape modes t.tps --modes 1"] {
        for scale in [1.0, 1e-3, 25.4] {
            let mut shapes = people.clone();
            shapes.push(alike(scale, 0.0));
            let (code, stderr) = study(&shapes, line);
            let told = code == Some(1) && stderr.contains("\"s3\"") && stderr.contains("\"s30\"");
            assert!(told && stderr.contains("nearer than any two people"), "{line} {scale}: {stderr}");
        }
    }
    // 3e-4 apart there is a note; at 7e-4, as near as two people were, nothing.
    for (extra, note) in [(0.006, true), (0.02, false)] {
        let mut shapes = people.clone();
        shapes.push(alike(1.0, extra));
        let (code, stderr) = study(&shapes, mean);
        assert!(
            code == Some(0) && stderr.contains("nearer than two people should") == note,
            "{extra}: {stderr}"
        );
    }
    // Five landmarks may agree by chance: told, not refused.
    let mut few: Vec<_> = people.iter().map(|shape| shape[..5].to_vec()).collect();
    few.push(alike(2.0, 0.0)[..5].to_vec());
    let (code, stderr) = study(&few, mean);
    assert!(code == Some(0) && stderr.contains("nearer than two people should"), "{stderr}");
}

/// Functions and matrices: copies in single precision or with seven digits.
#[test]
fn numbers_are_compared_up_to_rounding() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let wave = |i: usize| -> Vec<f64> {
        (0..24).map(|k| (0.26 * k as f64 + i as f64).sin() + 0.1 * i as f64).collect()
    };
    let study = |last: Vec<f64>| {
        let all: Vec<f64> = (0..20).flat_map(wave).chain(last).collect();
        write_npy(&dir.join("f.npy"), &[21, 24], &all).unwrap();
        let (code, _, stderr) =
            visard(dir, "function mean f.npy --domain circle --bound 5 --mu 2 --seed 1 --out study");
        let _ = fs::remove_dir_all(dir.join("study"));
        (code, stderr)
    };
    let single: Vec<f64> = wave(4).iter().map(|x| f64::from(*x as f32)).collect();
    let (code, stderr) = study(single);
    assert!(
        code == Some(1) && stderr.contains("record 5 (counting from 1)") && stderr.contains("record 21"),
        "{stderr}"
    );
    let mut near = wave(4);
    near[3] += 1e-3;
    let (code, stderr) = study(near);
    assert_eq!(code, Some(0), "{stderr}");
}

/// Folders that hold several scans each are asked about, in a check and in a study; what a study passes over is told.
#[test]
fn folders_that_look_like_persons_are_asked_about() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for i in 0..4 {
        let folder = dir.join(format!("scans/person{}", i / 2));
        fs::create_dir_all(&folder).unwrap();
        let cloud = TriMesh::new(person(7, i, &ScanConditions::demo()).points, Vec::new()).unwrap();
        write_ply(&folder.join(format!("scan{}.ply", i % 2)), &cloud).unwrap();
    }
    let study = "face mean scans/person0 scans/person1 --mu 2 --curves 6 --samples 16 --seed 1 --out study";
    for line in [study, "check scans --recursive"] {
        let (code, out, stderr) = visard(dir, line);
        let said = format!("{out}{stderr}");
        assert!(code == Some(1) && said.contains("hold several scans each"), "{line}: {said}");
        assert!(said.contains("--people folders") && said.contains("--people scans"), "{said}");
    }
    for (word, n) in [("folders", 2), ("scans", 4)] {
        let (_, out, stderr) = visard(dir, &format!("{study} --people {word} --json"));
        let said: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {stderr}"));
        assert_eq!(said["n"], n);
        fs::remove_dir_all(dir.join("study")).unwrap();
        let (code, out, _) = visard(dir, &format!("check scans --recursive --people {word} --json"));
        let said: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!((code, &said["n"]), (Some(0), &n.into()), "{out}");
    }
    // For tables there are no folders.
    write_npy(&dir.join("r.npy"), &[2, 2], &[0.1, 0.2, 0.3, 0.1]).unwrap();
    let (code, _, stderr) =
        visard(dir, "hyperbolic mean r.npy --radius 1 --mu 2 --people folders --out study");
    assert!(code == Some(1) && stderr.contains("are about files of scans"), "{stderr}");
}

#[test]
fn what_a_study_passes_over_is_told_and_lost_scans_stop_it() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let scans = dir.join("scans");
    fs::create_dir(&scans).unwrap();
    for i in 0..3 {
        let cloud = TriMesh::new(person(7, i, &ScanConditions::demo()).points, Vec::new()).unwrap();
        let scale = if i == 2 { 1e-3 } else { 1.0 };
        write_ply(&scans.join(format!("p{i}.ply")), &moved(&cloud, 0.0, scale, 0.0)).unwrap();
    }
    for name in ["a.gz", "notes.txt", ".hidden.ply"] {
        fs::write(scans.join(name), "x").unwrap();
    }
    let line = "face mean scans --mu 2 --curves 6 --samples 16 --seed 1 --out study";
    let (code, _, stderr) = visard(dir, line);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(
        stderr.contains("note (do not publish): passed over 2 in these folders")
            && stderr.contains("a.gz has the ending .gz"),
        "{stderr}"
    );
    // One scan is in metres: told; a mean size cannot be made of it.
    assert!(stderr.contains("1 of 3 scans") && stderr.contains("in other units?"), "{stderr}");
    fs::remove_dir_all(dir.join("study")).unwrap();
    let (code, _, stderr) = visard(dir, &format!("{line} --size --units mm"));
    assert!(code == Some(1) && stderr.contains("in one unit") && stderr.contains("p2.ply"), "{stderr}");
    assert!(!dir.join("study/release").exists() && !stderr.contains("Mm"));
    fs::remove_dir_all(dir.join("study")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere.ply", scans.join("lost.ply")).unwrap();
        let (code, _, stderr) = visard(dir, line);
        assert!(code == Some(1) && stderr.contains("lost.ply: is a link that leads nowhere"), "{stderr}");
        let (code, out, _) = visard(dir, "check scans");
        assert!(code == Some(1) && out.contains("leads nowhere"), "{out}");
    }
}

/// What a table of distances is for: the record with two landmarks swapped comes first, and is far.
#[test]
fn a_swapped_pair_of_landmarks_is_the_first_line_of_the_distances() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let mut shapes: Vec<_> = (0..40).map(landmarks).collect();
    shapes[17].swap(2, 5);
    fs::write(dir.join("t.tps"), tps(&shapes, 6)).unwrap();
    let (code, _, stderr) =
        visard(dir, "shape mean t.tps --landmarks 10 --dimensions 2 --mu 3 --seed 1 --out study");
    assert_eq!(code, Some(0), "{stderr}");
    let table = fs::read_to_string(Path::new(dir).join("study/internal/distances.csv")).unwrap();
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("record,distance,far,centroid_size"));
    let first: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert!(first[0] == "s17" && first[2] == "true" && first[3].parse::<f64>().unwrap() > 1.0, "{table}");
    assert_eq!(table.matches(",true,").count(), 1, "{table}");
    // Beside it: a radius beyond the space's own, and budgets beyond all use, for plain reasons.
    for (words, why) in [
        ("--mu 1 --radius 3", "no two shapes are further than pi/2"),
        ("--mu 1e-9", "mu must be from 1e-6 to 1e6"),
        ("--mu 1e9", "mu must be from 1e-6 to 1e6"),
        ("--epsilon 1e-9", "epsilon must be from 1e-6 to 1e6"),
    ] {
        let line = format!("shape mean t.tps --landmarks 10 --dimensions 2 {words} --out extreme");
        let (code, _, stderr) = visard(dir, &line);
        assert!(code != Some(0) && stderr.contains(why), "{words}: {stderr}");
        assert!(!dir.join("extreme").exists(), "{words}");
    }
    fs::write(dir.join("north.csv"), "x,y,z\n0,0,1\n").unwrap();
    fs::write(dir.join("d.csv"), "x,y,z\n0,0,1\n0,1,0\n").unwrap();
    let (code, _, stderr) =
        visard(dir, "sphere modes d.csv --center north.csv --radius 4 --mu 1 --out extreme");
    assert!(code == Some(1) && stderr.contains("further than 3.1416 apart"), "{stderr}");
}
