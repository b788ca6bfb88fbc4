//! TPS, tables about records, directions and matrices.

use super::super::support::visard;
use super::{N, Said, Study, blanks, mean_of, shape, tps};
use nalgebra::DMatrix;
use std::fs;
use std::path::Path;
use visard::io::npy;

#[test]
fn tps_as_people_have_it() {
    let study = Study::new();
    let point = |i: usize, k: usize| blanks(&shape(i, 2)[k]);
    let id = |i: usize| format!("IMAGE=img_{i}.jpg\nID={i}\n");
    for (name, text) in [
        ("radii.tps", tps(|i| format!("RADII=2\n3\n4\n{}", id(i)), point)),
        ("commas.tps", tps(|i| id(i) + "SCALE=0,5\n", |i, k| point(i, k).replace('.', ","))),
        ("end.tps", tps(id, point) + "\u{1a}"),
        ("blank.tps", tps(|i| format!("ID=\nIMAGE={i}.png\n"), point)),
    ] {
        study.right(&study.write(name, &text), "");
    }
    let zero = tps(|i| format!("ID=0\nIMAGE=img_{i}.jpg\n"), point);
    assert!(study.right(&study.write("zero.tps", &zero), "").contains("named by IMAGE="));
    // The left-most landmark of every specimen lies off the picture.
    let low = |i: usize| shape(i, 2).iter().map(|p| p[0]).fold(f64::MAX, f64::min) + 0.5;
    let border = tps(id, |i, k| blanks(&[shape(i, 2)[k][0] - low(i), shape(i, 2)[k][1]]));
    let file = study.write("border.tps", &border);
    assert!(!study.right(&file, "--negative valid").contains("negative"));
    let centre = study.write("centre.tps", &border[..border.find("ID=0").unwrap() + 5]);
    let (_, said) = mean_of(study.dir.path(), &file, "--unusable zero").unwrap_or_default_error();
    assert!(said.contains("--negative valid"), "{said}");
    let (code, _, said) = visard(&format!(
        "shape mean {file} --center {centre} --mu 1 --out {}",
        study.dir.path().join("c").display()
    ));
    assert!(
        code == Some(1) && said.contains("negative coordinate") && said.contains("--negative valid"),
        "{said}"
    );
    let mirrored = tps(id, |i, k| {
        blanks(&[if i < 6 { -1.0 } else { 1.0 } * shape(i, 2)[k][0] + 1000.0, shape(i, 2)[k][1]])
    });
    let (_, said) = mean_of(study.dir.path(), &study.write("mirrored.tps", &mirrored), "").unwrap();
    assert!(said.contains("6 records are nearer to the mirror image of the other records"), "{said}");
}

#[test]
fn covariates_go_with_their_records() {
    let study = Study::new();
    let out = study.dir.path().join("r");
    let array = study.dir.path().join("reference2.npy").display().to_string();
    let regress = |records: &str, table: &str| {
        let line = format!(
            "shape regress {records} --covariates {table} --bounds age=0:40 --levels sex=F|M --mu 1000 --vacuous-budget --seed 1 --out {}",
            out.display()
        );
        let (code, _, said) = visard(&line);
        let charged = out.exists();
        let _ = fs::remove_dir_all(&out);
        (code, said, charged)
    };
    let table = |name: &str, rows: &dyn Fn(usize) -> Option<String>| {
        study.write(name, &("record,age,sex\n".to_owned() + &(0..=N).filter_map(rows).collect::<String>()))
    };
    let row = |name: String, i: usize| format!("{name},{},{}\n", 5 + i, ["F", "M"][i % 2]);
    let (code, said, _) =
        regress(&array, &table("half.csv", &|i| (i < N / 2).then(|| row(i.to_string(), i))));
    assert!(
        code == Some(0) && said.contains("10 of 20 records have no line in the table of covariates"),
        "{said}"
    );
    for last in [N, N - 1] {
        let one = table("one.csv", &|i| (1..=last).contains(&i).then(|| row(i.to_string(), i)));
        let (code, said, charged) = regress(&array, &one);
        assert!(code == Some(1) && said.contains("counted from 1") && !charged, "{said}");
    }
    let gaps = table("gaps.csv", &|i| (i < N).then(|| row(i.to_string(), i).replacen(",7,", ",NA,", 1)));
    assert!(regress(&array, &gaps).1.contains("1 of 20 records has no value of age"));
    let quoted = study.write("q.tps", &tps(|i| format!("ID=5\" rock {i}\n"), |i, k| blanks(&shape(i, 2)[k])));
    let named = table("q.csv", &|i| (i < N).then(|| row(format!("\"5\"\" rock {i}\""), i)));
    assert_eq!(regress(&format!("{quoted} --landmarks 8 --dimensions 2"), &named).0, Some(0));
    let zero =
        study.write("z.tps", &tps(|i| format!("ID=0\nIMAGE=img_{i}.jpg\n"), |i, k| blanks(&shape(i, 2)[k])));
    let images = table("z.csv", &|i| (i < N).then(|| row(format!("img_{i}.jpg"), i)));
    assert_eq!(regress(&format!("{zero} --landmarks 8 --dimensions 2"), &images).0, Some(0));
    let groups: String = (0..N).map(|i| format!("{i},{}\n", if i < 5 { "NA" } else { "b" })).collect();
    let groups = study.write("groups.csv", &format!("record,group\n{groups}"));
    let (code, _, said) =
        visard(&format!("shape compare {array} --groups {groups} --mu 3 --out {}", out.display()));
    assert!(
        code == Some(1) && said.contains("line 2") && said.contains("NA or the like for a group"),
        "{said}"
    );
    let scale =
        |i: usize| if i.is_multiple_of(2) { format!("ID={i}\nSCALE=0.1\n") } else { format!("ID={i}\n") };
    let mixed = study.write("scale.tps", &tps(scale, |i, k| blanks(&shape(i, 2)[k])));
    let (code, _, said) = visard(&format!(
        "shape regress {mixed} --landmarks 8 --dimensions 2 --allometry --size-bounds 80:140 --mu 9 --out {}",
        out.display()
    ));
    assert!(code == Some(1) && said.contains("10 records have SCALE= and 10 have none"), "{said}");
}

#[test]
fn directions_and_matrices() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let mean = |command: &str, name: &str| {
        let out = path("o");
        let (code, _, said) = visard(&format!("{command} mean {} --mechanism none --out {out}", path(name)));
        let mean = npy::read(&Path::new(&out).join("internal/nonprivate_mean.npy")).map(|mean| mean.data);
        let _ = fs::remove_dir_all(&out);
        (code, said, mean.unwrap_or_default())
    };
    let places = [[48.85, 2.35], [52.52, 13.4], [51.5, -0.12], [40.4, -3.7]];
    let rows = |unit: f64| {
        places.iter().map(|[a, b]| format!("{:.9},{:.9}\n", a * unit, b * unit)).collect::<String>()
    };
    fs::write(path("deg.csv"), format!("lat,lon\n{}", rows(1.0))).unwrap();
    fs::write(path("rad.csv"), format!("lat_rad,lon_rad\n{}", rows(1_f64.to_radians()))).unwrap();
    let (degrees, radians) = (mean("sphere", "deg.csv").2, mean("sphere", "rad.csv").2);
    assert!(degrees.iter().zip(&radians).all(|(a, b)| (a - b).abs() < 1e-8), "{degrees:?} {radians:?}");
    let unit = |[a, b]: [f64; 2]| {
        let (a, b) = (a.to_radians(), b.to_radians());
        [a.cos() * b.cos(), a.cos() * b.sin(), a.sin()]
    };
    let rounded: String =
        places.iter().map(|p| unit(*p).map(|c| format!("{c:.6}")).join(",") + "\n").collect();
    fs::write(path("six.csv"), format!("x,y,z\n{rounded}")).unwrap();
    let (code, said, six) = mean("sphere", "six.csv");
    assert!(code == Some(0) && degrees.iter().zip(&six).all(|(a, b)| (a - b).abs() < 1e-5), "{said}");
    fs::write(path("off.csv"), "x,y,z\n1,0,0.01\n0,1,0\n").unwrap();
    assert!(mean("sphere", "off.csv").1.contains("1 record could not be used"));
    fs::write(path("extra.csv"), "name,age,x,y\na,0.01,0.1,0.2\nb,0.02,0.2,0.1\n").unwrap();
    let (code, said, _) = mean("hyperbolic", "extra.csv");
    assert!(code == Some(1) && said.contains("\"age\""), "{said}");
    // Average reference: rows sum to zero.
    let p = DMatrix::from_fn(4, 4, |i, j| f64::from(u8::from(i == j)) - 0.25);
    let singular = |step: usize| {
        let a = DMatrix::from_fn(4, 4, |i, j| ((7 * i + 3 * j + step * (i + j + 1)) as f64).sin());
        let c = &p * (&a * a.transpose() + DMatrix::identity(4, 4)) * &p;
        0.5 * (&c + c.transpose())
    };
    let data: Vec<f64> = (0..20).flat_map(|step| singular(step).as_slice().to_vec()).collect();
    visard::io::write_npy(&dir.path().join("c.npy"), &[20, 4, 4], &data).unwrap();
    let (code, _, said) = visard(&format!(
        "spd mean {} --radius 5 --mu 1 --unusable zero --out {}",
        path("c.npy"),
        path("spd")
    ));
    assert!(code == Some(1) && said.contains("not positive definite"), "{said}");
}
