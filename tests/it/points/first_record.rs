//! What the first record holds decides nothing about the others: width, number of landmarks and separator are public. Studies of
//! neighbours that differ in their first record release files of the same form, stop at that record, or are refused alike.

use super::support::{certificate, succeeds, unlike, visard, write_shapes};
use super::unusable::compare;
use std::fs;
use std::path::Path;
use visard::io::npy;

#[test]
fn a_row_without_its_last_number_takes_no_dimension_away() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let table = |heading: &str, first: &str| -> String {
        let row = |i: usize| format!("0,{},{}\n", (0.001 * i as f64).sin(), (0.001 * i as f64).cos());
        let rows: String = (1..300).map(row).collect();
        format!("{heading}{first}\n{rows}")
    };
    fs::write(path("centre.csv"), "x,y,z\n0,0,1\n").unwrap();
    let tables = [("x,y,z\n", ""), ("", "--dim 3"), ("x,y,z\n", "--dim 3")];
    for (j, (heading, option)) in tables.into_iter().enumerate() {
        fs::write(path("good.csv"), table(heading, "0,0,1")).unwrap();
        let firsts =
            ["0,0,NA", "0,0", "0", "NA,NA,NA", "0,0,1,0", "0,0,one", "0;0;1", "0 0 1", "\"0\",\"0\""];
        for (k, first) in firsts.into_iter().enumerate() {
            fs::write(path("bad.csv"), table(heading, first)).unwrap();
            // In turn: every first row meets either centre.
            let centres = [format!("--center {}", path("centre.csv")), "--center private".into()];
            for centre in centres.into_iter().skip((j + k) % 2).step_by(2) {
                let mechanism = "--mechanism laplace --radius 0.4 --mu 2";
                let study = format!("sphere mean FILE {mechanism} {centre} {option}");
                // Stopped at that record without; with it, the same release but for the noised values.
                compare(dir.path(), &path("good.csv"), &path("bad.csv"), 1, &study);
                let out = path("out");
                succeeds(&format!("{} --out {out}", study.replace("FILE", &path("bad.csv"))));
                let mean = npy::read(&Path::new(&out).join("release/mean.npy")).unwrap();
                assert_eq!((mean.shape, certificate(&out)["n"].as_u64()), (vec![3], Some(300)), "{first}");
                fs::remove_dir_all(&out).unwrap();
            }
        }
    }
    // Without heading, option and centre nothing public tells.
    for first in ["0,0,1", "0,0,NA"] {
        fs::write(path("bare.csv"), table("", first)).unwrap();
        let line = format!(
            "sphere mean {} --mechanism laplace --radius 0.4 --mu 2 --center private --out {}",
            path("bare.csv"),
            path("out")
        );
        let (code, _, stderr) = visard(&line);
        assert!(code == Some(1) && stderr.contains("--dim N"), "{stderr}");
        assert!(!Path::new(&path("out")).exists());
    }
}

#[test]
fn one_row_with_commas_among_blanks_is_one_bad_row() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    fs::write(path("centre.csv"), "x,y\n0,0\n").unwrap();
    for (heading, option) in
        [("x y\n", "".to_owned()), ("", "--dim 2".into()), ("", format!("--center {}", path("centre.csv")))]
    {
        let table = |bad: Option<usize>| -> String {
            let row = |i: usize| match bad {
                Some(k) if k == i => "0.1,0.1\n".to_owned(),
                _ => format!("{} 0.1\n", 0.001 * i as f64),
            };
            (0..300).map(row).collect()
        };
        fs::write(path("good.txt"), format!("{heading}{}", table(None))).unwrap();
        for bad in [0, 150, 299] {
            fs::write(path("bad.txt"), format!("{heading}{}", table(Some(bad)))).unwrap();
            let study =
                format!("hyperbolic mean FILE --mechanism tangent-gaussian --radius 1 --mu 2 {option}");
            compare(dir.path(), &path("good.txt"), &path("bad.txt"), 1, &study);
        }
    }
}

/// Shapes of 8 landmarks, the first of `first`, in every format that does not tell by itself.
fn tables(first: usize) -> Vec<(&'static str, String)> {
    let point = |i: usize, j: usize| {
        let t = std::f64::consts::TAU * j as f64 / 8.0;
        let r = 1.0 + 0.1 * unlike(8 * i + j);
        (2.0 * r * t.cos(), r * t.sin())
    };
    let count = |i: usize| if i == 0 { first } else { 8 };
    let shapes = |one: &dyn Fn(usize) -> String| -> String { (0..600).map(one).collect() };
    let landmarks = |i: usize, between: &str, end: &str| -> String {
        (0..count(i)).map(|j| format!("{}{between}{}{end}", point(i, j).0, point(i, j).1)).collect()
    };
    let tps = shapes(&|i| format!("LM={}\n{}ID=s{i}\n", count(i), landmarks(i, " ", "\n")));
    let long = shapes(&|i| {
        (0..count(i)).map(|j| format!("s{i},{j},{},{}\n", point(i, j).0, point(i, j).1)).collect()
    });
    let wide = shapes(&|i| format!("s{i};{}\n", landmarks(i, ";", ";")));
    let heading: String = (1..=8).map(|j| format!(";x{j};y{j}")).collect();
    vec![
        ("tps", tps),
        ("long.csv", format!("id,landmark,x,y\n{long}")),
        ("headed.csv", format!("name{heading}\n{wide}")),
        ("bare.csv", wide.replace(';', ",")),
    ]
}

/// Where a record of another size stops the study, all of them agree, and a first command needs nothing but a budget.
#[test]
fn records_that_agree_tell_together_how_many_landmarks_there_are() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    // Where landmarks have names, one that a record lacks is missing.
    for ((name, good), (_, bad)) in
        tables(8).into_iter().zip(tables(4)).filter(|((name, _), _)| *name != "long.csv")
    {
        fs::write(path(&format!("t.{name}")), good).unwrap();
        let out = path(&format!("study.{name}"));
        succeeds(&format!("shape mean {} --unusable refuse --mu 1 --out {out}", path(&format!("t.{name}"))));
        assert_eq!(certificate(&out)["n"].as_u64(), Some(600));
        fs::write(path(&format!("t.{name}")), bad).unwrap();
        let (code, _, stderr) = visard(&format!(
            "shape mean {} --unusable refuse --mu 1 --out {}",
            path(&format!("t.{name}")),
            path("none")
        ));
        assert!(
            code == Some(1)
                && stderr.contains("record")
                && (stderr.contains("landmarks") || stderr.contains("fields")),
            "{name}: {stderr}"
        );
        assert!(!Path::new(&path("none")).exists());
    }
}

#[test]
fn the_first_shape_does_not_tell_how_many_landmarks_there_are() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    for ((name, good), (_, bad)) in tables(8).into_iter().zip(tables(4)) {
        let (good_file, bad_file) = (path(&format!("good.{name}")), path(&format!("bad.{name}")));
        fs::write(&good_file, good).unwrap();
        fs::write(&bad_file, bad).unwrap();
        let study = "shape mean FILE --mechanism gaussian --center private --radius 0.2 --mu 2";
        let tells = name == "headed.csv" || name == "long.csv";
        for option in if tells { vec!["", "--landmarks 8"] } else { vec!["--landmarks 8"] } {
            compare(dir.path(), &good_file, &bad_file, 1, &format!("{study} {option}"));
        }
        // Of a TPS file all records have to agree where nothing else tells: any of them may.
        if name == "tps" {
            let line = |file: &str| format!("{} --out {}", study.replace("FILE", file), path("agreed"));
            assert_eq!(visard(&line(&bad_file)).0, Some(1));
            assert!(!Path::new(&path("agreed")).exists());
            succeeds(&line(&good_file));
            continue;
        }
        // Nothing else may tell: both are refused, and say what to give.
        for file in [&good_file, &bad_file].into_iter().filter(|_| !tells) {
            let line = format!("{} --out {}", study.replace("FILE", file), path("out"));
            let (code, _, stderr) = visard(&line);
            assert!(code == Some(1) && stderr.contains("--landmarks K"), "{name}: {stderr}");
            assert!(!Path::new(&path("out")).exists());
        }
    }
}

/// Every record that cannot be read is an error of its own, with its place and name.
#[test]
fn a_record_that_cannot_be_read_is_named_and_no_other_stops() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (good, centre) = write_shapes(dir.path(), 300);
    let text = fs::read_to_string(&good).unwrap();
    let shapes: Vec<&str> = text.split_inclusive("LM=12\n").skip(1).collect();
    let points: Vec<&str> = shapes[2].lines().take(12).collect();
    for (broken, line, expected) in [
        ("NA 2\n".repeat(10) + "1 2\n3 4\n", 29, "too few landmarks in general position"),
        ("1 2\n".repeat(12), 29, "one place"),
        (points[..11].join("\n") + "\n", 41, "the points end early"),
        (points.join("\n") + "\n0 0\n", 42, "holds more points than its LM="),
        (points.join("\n").replacen(points[3], "one two", 1) + "\n", 33, "the x coordinate is not a number"),
        (points.join("\n").replacen(points[3], "1 2 3", 1) + "\n", 33, "more than two coordinates"),
        (points.join("\n") + "\nSCALE=-1\n", 42, "SCALE (a positive number)"),
    ] {
        let rest: String = (3..300).map(|i| shapes[i]).collect::<Vec<_>>().concat();
        let head = ["LM=12\n", shapes[0], shapes[1]].concat();
        let bad = format!("{head}{broken}ID=s2\nLM=12\n{rest}");
        fs::write(path("bad.tps"), bad).unwrap();
        let study = format!("shape mean FILE --mechanism gaussian --center {centre} --radius 0.2 --mu 2");
        compare(dir.path(), &good, &path("bad.tps"), 1, &study);
        let stopping = study.replace("FILE", &path("bad.tps")) + " --unusable refuse";
        let (_, _, stderr) = visard(&format!("{stopping} --out {}", path("out")));
        let place = format!("record 3 (counting from 1): line {line}, \"s2\": ");
        assert!(stderr.contains(&place) && stderr.contains(expected), "{place}: {stderr}");
    }
}

/// A public number that the public files contradict is an error of the study, whatever the records are.
#[test]
fn public_facts_that_disagree_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (shapes, centre) = write_shapes(dir.path(), 30);
    fs::write(path("rows.csv"), "x,y,z\n0,0,1\n").unwrap();
    fs::write(path("plane.csv"), "x,y\n0,1\n").unwrap();
    visard::io::write_npy(&dir.path().join("rows.npy"), &[1, 3], &[0.0, 0.0, 1.0]).unwrap();
    visard::io::write_npy(&dir.path().join("shapes.npy"), &[1, 4, 2], &[0.0; 8]).unwrap();
    let shape = format!("shape mean FILE --mechanism gaussian --radius 0.2 --mu 2 --center {centre}");
    let sphere = "sphere mean FILE --mechanism laplace --radius 0.4 --mu 2";
    for (line, expected) in [
        (shape.replace("FILE", &shapes) + " --landmarks 8", "--landmarks 8 does not agree"),
        (shape.replace("FILE", &path("shapes.npy")), "records of 4 landmarks where 12 are expected"),
        (
            sphere.replace("FILE", &path("rows.csv")) + " --center private --dim 2",
            "records of 3 numbers where 2",
        ),
        (
            sphere.replace("FILE", &path("rows.npy")) + " --center private --dim 2",
            "records of 3 numbers where 2",
        ),
        (
            format!("{} --center {}", sphere.replace("FILE", &path("rows.csv")), path("plane.csv")),
            "records of 3 numbers where 2",
        ),
        (
            format!("{} --center {} --dim 3", sphere.replace("FILE", &path("rows.csv")), path("plane.csv")),
            "records of 2 numbers where 3",
        ),
    ] {
        let (code, _, stderr) = visard(&format!("{line} --out {}", path("out")));
        assert!(code == Some(1) && stderr.contains(expected), "{expected}: {stderr}");
        assert!(!Path::new(&path("out")).exists());
    }
}

/// Headers that claim records too large to be counted, and none of them.
#[test]
fn impossible_arrays_are_refused_by_every_study() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    for (k, shape) in [
        "0, 4294967296, 4294967296",
        "0, 9223372036854775808, 2",
        "0, 9223372036854775807, 2",
        "0, 18446744073709551615",
        "4294967296, 0, 4294967296",
        "0, 3, 3",
        "0, 4, 2",
        "0, 3",
        "0, 0, 0",
        "3, 0",
        "0",
        "",
    ]
    .into_iter()
    .enumerate()
    {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}\n");
        let file = path(&format!("a{k}.npy"));
        let size = (header.len() as u16).to_le_bytes();
        fs::write(&file, [b"\x93NUMPY\x01\0", &size[..], header.as_bytes()].concat()).unwrap();
        let gaussian = "--mechanism tangent-gaussian --radius 0.5 --mu 1";
        let run = "--method rgd --clip-radius 1 --mu 1";
        for line in [
            format!("spd mean {file} {gaussian}"),
            format!("spd mean {file} --mechanism laplace --radius descriptor --epsilon 1"),
            format!("spd describe {file}"),
            format!("shape mean {file} --mechanism gaussian --radius 0.2 --mu 1 --center private"),
            format!("shape mean {file} --mechanism gaussian --radius 0.2 --mu 1 --center {file}"),
            format!("sphere mean {file} {gaussian} --center private"),
            format!("sphere mean {file} {gaussian} --center {file}"),
            format!("hyperbolic mean {file} {gaussian}"),
            format!("hyperbolic mean {file} {gaussian} --model lorentz"),
            format!("optimize frechet-mean {file} --space affine-invariant {run}"),
            format!("optimize frechet-mean {file} --space sphere {run}"),
            format!("optimize eigenvector {file} {run}"),
            format!("optimize subspace {file} --rank 1 {run}"),
            format!("face mean {file} --mu 1"),
        ] {
            let (code, _, stderr) = visard(&format!("{line} --out {}", path("out")));
            // Describing no images gives no descriptors, and charges nothing.
            let is_fine = line.contains("describe") && code == Some(0);
            assert!(is_fine || code == Some(1), "{shape}: {line}: {stderr}");
            assert!(!stderr.contains("panicked"), "{shape}: {line}: {stderr}");
            let _ = fs::remove_dir_all(path("out"));
            let _ = fs::remove_file(path("out"));
        }
    }
}
