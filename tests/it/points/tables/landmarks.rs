//! Tables of landmarks: records, landmarks, axes.

use super::super::support::visard;
use super::{N, Study, blanks, in_turn, long, mean_of, numbers, pairs, shape, shuffled, straight, tps, wide};
use nalgebra::DMatrix;
use std::fs;
use visard::io::npy;
use visard::manifold::LandmarkShapes;

#[test]
fn records_are_never_landmarks() {
    let study = Study::new();
    let row =
        |a: &'static str, b: &'static str| move |i: usize, k: usize, p: String| format!("{a}{i},{b}{k},{p}");
    for heading in [
        "file,name,x,y",
        "specimen,id,x,y",
        "id,name,x,y",
        "turtle,landmark,x,y",
        "subject,photo,landmark,x,y",
    ] {
        let is_three = heading.starts_with("subject");
        let text = long(heading, straight, |i, k, p| {
            if is_three { format!("p{i},{i}.jpg,{k},{p}") } else { row("s", "lm")(i, k, p) }
        });
        study.refused(
            &study.write("unclear.csv", &text),
            "",
            &["which column names the records", "--record-column \""],
        );
    }
    let file = study.write("given.csv", &long("file,name,x,y", straight, row("s", "lm")));
    study.right(&file, "--record-column file --landmark-column name");
    study.right(&file, "--record-column FILE --landmark-column none");
    study.refused(&file, "--record-column foto", &["no column \"foto\"", "\"file\""]);
    for (heading, text) in [
        ("landmark,photo,x,y", long("landmark,photo,x,y", straight, |i, k, p| format!("lm{k},p{i},{p}"))),
        ("x,y,landmark,photo", long("x,y,landmark,photo", straight, |i, k, p| format!("{p},lm{k},p{i}"))),
        ("bodypart,frame,x,y", long("bodypart,frame,x,y", straight, |i, k, p| format!("b{k},{i},{p}"))),
        ("id,landmark,x,y,z", long("id,landmark,x,y,z", straight, |i, k, p| format!("s{i},{k},{p}"))),
        ("specimen,x,y", long("specimen,x,y", straight, |i, _, p| format!("s{i},{p}"))),
    ] {
        study.right(&study.write("clear.csv", &text), "");
        assert!(heading.contains('x'));
    }
    let tps = study.write("a.tps", &tps(|i| format!("ID=s{i}\n"), |i, k| blanks(&shape(i, 2)[k])));
    study.refused(&tps, "--record-column ID", &["leave out --record-column"]);
}

#[test]
fn landmarks_are_ordered_by_their_names() {
    let study = Study::new();
    let head = "specimen,landmark,x,y";
    let numbered = |i: usize, k: usize, p: String| format!("s{i},{},{p}", k + 1);
    let said = study.right(&study.write("n.csv", &long(head, shuffled, numbered)), "");
    assert!(said.contains("list the landmarks in another order"), "{said}");
    study.right(&study.write("l.csv", &long(head, shuffled, |i, k, p| format!("s{i},L{k},{p}"))), "");
    // One record that lacks a landmark is incomplete; the others are not moved.
    let lacks = long(head, |i| (0..8).filter(|k| i != 3 || *k != 4).collect(), numbered);
    let said = mean_of(study.dir.path(), &study.write("lacks.csv", &lacks), "--unusable zero").unwrap();
    assert!(said.0.nrows() == 8 && said.1.contains("1 record could not be used"), "{}", said.1);
    let twice = long(head, |i| if i == 3 { vec![0, 1, 2, 3, 4, 5, 6, 6] } else { straight(i) }, numbered);
    study.refused(&study.write("twice.csv", &twice), "", &["\"s3\" has the landmark \"7\" twice"]);
    let unknown =
        long(head, straight, |i, k, p| format!("s{i},{},{p}", if i == 3 && k == 6 { 70 } else { k + 1 }));
    study.refused(&study.write("unknown.csv", &unknown), "", &["\"s3\" has a landmark \"70\""]);
    let sessions = long("subject,session,landmark,x,y", straight, |i, k, p| {
        format!("p{},{},{},{p}", i / 2, i % 2, k + 1)
    });
    study.refused(
        &study.write("sessions.csv", &sessions),
        "",
        &["\"p0\" has the landmark \"1\" twice", "--record-column", "--people"],
    );
    let sides = long("subject,side,x,y", straight, |i, _, p| format!("p{},{},{p}", i / 2, ["l", "r"][i % 2]));
    study.refused(&study.write("sides.csv", &sides), "", &["several values of \"side\""]);
}

#[test]
fn a_public_centre_tells_the_order_of_names() {
    let study = Study::new();
    let names = ["nose", "chin", "eye", "ear", "brow", "lip", "jaw", "cheek"];
    let text = long("specimen,landmark,x,y", straight, |i, k, p| format!("s{i},{},{p}", names[(3 * k) % 8]));
    let file = study.write("named.csv", &text);
    let centre: String =
        (0..8).map(|k| format!("{},{}\n", names[k], numbers(&shape(0, 2)[(3 * k) % 8]))).collect();
    let centre = study.write("centre.csv", &format!("name,x,y\n{centre}"));
    let (mean, said) = mean_of(study.dir.path(), &file, &format!("--center {centre}")).unwrap();
    assert!(said.contains("20 records list the landmarks in another order"), "{said}");
    let space = LandmarkShapes::new(8, 2).unwrap();
    let moved = DMatrix::from_fn(8, 2, |k, j| study.reference[0][((3 * k) % 8, j)]);
    let preshape = |x| space.preshape(x).unwrap().0;
    assert!(space.dist(&preshape(&mean), &preshape(&moved)) < 1e-6);
    let other = study.write("other.csv", &fs::read_to_string(&centre).unwrap().replace("lip", "lips"));
    study.refused(&file, &format!("--center {other}"), &["\"lip\", which the public centre does not have"]);
}

#[test]
fn labels_of_slicer_order_the_points() {
    let study = Study::new();
    let json = |i: usize, label: &dyn Fn(usize) -> String| {
        let point = |k: &usize| {
            format!(r#"{{"label": "{}", "position": [{}]}}"#, label(*k), numbers(&shape(i, 3)[*k]))
        };
        let points: Vec<String> = shuffled(i).iter().map(point).collect();
        format!(r#"{{"markups": [{{"coordinateSystem": "LPS", "controlPoints": [{}]}}]}}"#, points.join(","))
    };
    for i in 0..N {
        study.write(&format!("labelled/s{i:02}.mrk.json"), &json(i, &|k| format!("s{i}-{}", k + 1)));
        study.write(
            &format!("strange/s{i:02}.mrk.json"),
            &json(i, &|k| if i == 4 && k == 2 { "X".into() } else { format!("p{k}") }),
        );
    }
    study.right(&study.dir.path().join("labelled").display().to_string(), "");
    study.refused(&study.dir.path().join("strange").display().to_string(), "", &["\"s04\" has a landmark"]);
}

#[test]
fn columns_that_are_no_coordinates_are_passed_over_and_told() {
    let study = Study::new();
    let x1 = pairs(|k, c| format!("{c}{k}"));
    let file = study.write(
        "age.csv",
        &wide(&format!("name,age,mass,{x1}"), |i| format!("s{i},{},{},", 20 + i, 60 + i), in_turn),
    );
    assert!(study.right(&file, "").contains("not coordinates: \"age\" and \"mass\""));
    let file = study.write(
        "csize.csv",
        &wide(&format!("csize,age,{x1}"), |i| format!("{},{},", 100 + i, 20 + i), in_turn),
    );
    assert!(study.right(&file, "").contains("\"csize\" and \"age\""));
    let last = |i: usize| format!("{},{}", in_turn(i), 20 + i);
    study.right(&study.write("last.csv", &wide(&format!("id,{x1},age"), |i| format!("s{i},"), last)), "");
    for (k, heading) in [
        pairs(|k, c| format!("{k}_{c}")),
        pairs(|k, c| format!("{c}.{k}")),
        pairs(|k, c| format!("{c}coord{k}")),
        pairs(|k, c| format!("LM{k} {c} (mm)")),
    ]
    .into_iter()
    .enumerate()
    {
        study.right(&study.write(&format!("w{k}.csv"), &wide(&heading, |_| String::new(), in_turn)), "");
    }
    let blocks = |word: &str| {
        ['x', 'y'].map(|c| (1..=8).map(|k| format!("{c}{word}{k}")).collect::<Vec<_>>().join(",")).join(",")
    };
    let by_axis = |i: usize| {
        [0, 1]
            .map(|j| shape(i, 2).iter().map(|p| format!("{:.9}", p[j])).collect::<Vec<_>>().join(","))
            .join(",")
    };
    for word in ["", "coord", "_"] {
        let text = wide(&format!("name,{}", blocks(word)), |i| format!("s{i},"), by_axis);
        study.right(&study.write("blocks.csv", &text), "");
    }
    let anything = (0..16).map(|k| format!("v{k}")).collect::<Vec<_>>().join(",");
    study.refused(
        &study.write("v.csv", &wide(&anything, |_| String::new(), in_turn)),
        "",
        &["does not tell which columns are coordinates"],
    );
    let counted = (0..16).map(|k| k.to_string()).collect::<Vec<_>>().join(",");
    study.refused(
        &study.write("pandas.csv", &wide(&format!(",{counted}"), |i| format!("{i},"), in_turn)),
        "",
        &["does not tell"],
    );
    let pixels = (1..=8).flat_map(|k| [format!("row{k}"), format!("col{k}")]).collect::<Vec<_>>().join(",");
    study.refused(
        &study.write("px.csv", &wide(&pixels, |_| String::new(), in_turn)),
        "",
        &["counted downwards"],
    );
    let text = wide(&x1.replacen("y3", "w3", 1), |_| String::new(), in_turn);
    study.refused(&study.write("lacks.csv", &text), "", &["coordinates are missing: \"x3\""]);
}

#[test]
fn flat_arrays_have_the_dimensions_that_are_told() {
    let study = Study::new();
    for d in [2, 3] {
        let data: Vec<f64> = (0..N).flat_map(|i| shape(i, d).concat()).collect();
        let path = study.dir.path().join(format!("flat{d}.npy"));
        visard::io::write_npy(&path, &[N, 8 * d], &data).unwrap();
        let file = path.display().to_string();
        study.right(&file, &format!("--dimensions {d}"));
        study.right(&file, &format!("--landmarks 8 --dimensions {d}"));
        study.right(&file, "--landmarks 8");
        match d {
            2 => drop(study.right(&file, "")),
            _ => study.refused(&file, "", &["12 landmarks in the plane, or 8 in space", "--dimensions 3"]),
        }
        let out = study.dir.path().join("released");
        let (code, _, said) =
            visard(&format!("shape mean {file} --dimensions {d} --mu 1 --seed 1 --out {}", out.display()));
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(npy::read(&out.join("release/mean.npy")).unwrap().shape, [8, d]);
        fs::remove_dir_all(out).unwrap();
    }
}

#[test]
fn names_and_numbers_of_csv() {
    let study = Study::new();
    let heading = format!("name,{}", pairs(|k, c| format!("{c}{k}")));
    for (before, file) in [("\"#{i}\"", "quoted.csv"), ("#{i}", "bare.csv"), ("%{i}", "percent.csv")] {
        let name = |i: usize| {
            if i % 2 == 1 { before.replace("{i}", &i.to_string()) + "," } else { format!("s{i},") }
        };
        let text = wide(&heading, name, in_turn) + "# a remark\n";
        study.right(&study.write(file, &text), "");
    }
    let text = "sep=;\n".to_owned() + &wide(&heading, |i| format!("s{i},"), in_turn).replace(',', ";");
    study.right(&study.write("sep.csv", &text), "");
    study.right(&study.write("decimal.csv", &text.replace('.', ",")), "");
}
