//! Bad input: one clear line each, nothing charged, nothing left behind.

use super::support::{visard, write_shapes};
use std::fs;
use std::path::Path;

#[test]
fn bad_input_gets_one_clear_line_and_is_not_charged() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (_, centre) = write_shapes(dir.path(), 3);
    let twelve: String = (0..12).map(|i| format!("{i} {}\n", i * i)).collect();
    let cases = [
        (format!("LM=12\n{twelve}LM=2\n1 2\n3 4\n"), "has 2 landmarks where the public centre has 12"),
        (format!("LM=12\n{}", "5 5\n".repeat(12)), "one place"),
        (format!("LM=12\n{}1 2\n3 4\n", "NA NA\n".repeat(10)), "too few landmarks"),
        ("LM=1\n1 2\n".to_owned(), "has 1 landmarks where the public centre has 12"),
        (format!("LM=12\n{}", twelve.replacen("0 0", "0 x", 1)), "not a number"),
    ];
    for (i, (text, expected)) in cases.iter().enumerate() {
        let (file, out) = (path(&format!("bad{i}.tps")), path(&format!("out{i}")));
        fs::write(&file, text).unwrap();
        let line = format!(
            "shape mean {file} --unusable refuse --mechanism kng --radius 0.1 --center {centre} --epsilon 1 --out {out}"
        );
        let (code, _, stderr) = visard(&line);
        assert_eq!(code, Some(1), "{stderr}");
        assert!(stderr.contains(expected), "{expected}: {stderr}");
        assert!(!Path::new(&out).exists());
    }
    fs::write(path("one.tps"), "LM=1\n1 2\n").unwrap();
    let (code, _, stderr) = visard(&format!(
        "shape mean {} --mechanism kng --radius 0.1 --center private --landmarks 1 --epsilon 1 --out {}",
        path("one.tps"),
        path("one")
    ));
    assert!(code == Some(1) && stderr.contains("fewer than three landmarks"), "{stderr}");
    for (name, data, expected) in [
        ("asym.npy", [1.0, 0.5, 0.0, 1.0], "not symmetric"),
        ("indef.npy", [1.0, 2.0, 2.0, 1.0], "not positive definite"),
        ("nan.npy", [1.0, f64::NAN, f64::NAN, 1.0], "NaN"),
    ] {
        visard::io::write_npy(&dir.path().join(name), &[1, 2, 2], &data).unwrap();
        let (file, out) = (path(name), path("spd"));
        let line = format!(
            "spd mean {file} --unusable refuse --mechanism laplace --radius 1 --epsilon 1 --out {out}"
        );
        let (code, _, stderr) = visard(&line);
        assert_eq!(code, Some(1), "{stderr}");
        assert!(stderr.contains(expected) && stderr.contains("record 1"), "{stderr}");
    }
    fs::write(path("off.csv"), "1,0,0\n1,1,0\n").unwrap();
    fs::write(path("gap.csv"), "lat,lon\n10,20\n10,NA\n").unwrap();
    fs::write(path("c.csv"), "0,0,1\n").unwrap();
    for (file, expected) in [("off.csv", "record 2"), ("gap.csv", "line 3: column 2 is not a finite number")]
    {
        let (code, _, stderr) = visard(&format!(
            "sphere mean {} --unusable refuse --mechanism kng --radius 0.5 --center {} --epsilon 1 --out {}",
            path(file),
            path("c.csv"),
            path("off")
        ));
        assert!(code == Some(1) && stderr.contains(expected), "{stderr}");
    }
    fs::write(path("two.csv"), "0,0,1\n0,1,0\n").unwrap();
    let (code, _, stderr) = visard(&format!(
        "sphere mean {} --mechanism kng --radius 0.5 --center {} --epsilon 1 --out {}",
        path("c.csv"),
        path("two.csv"),
        path("off")
    ));
    assert!(code == Some(1) && stderr.contains("one row"), "{stderr}");
}

/// What is refused for its parameters leaves no file and no folder; a ledger that was there stays as it is.
#[test]
fn refused_parameters_leave_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (shapes, centre) = write_shapes(dir.path(), 5);
    let matrices: Vec<f64> = (0..5).flat_map(|i| [1.0 + 0.1 * f64::from(i), 0.0, 0.0, 1.0]).collect();
    visard::io::write_npy(&dir.path().join("m.npy"), &[5, 2, 2], &matrices).unwrap();
    let (shape, spd) = (
        format!("shape mean {shapes} --mechanism laplace --center {centre}"),
        format!("spd mean {} --metric affine-invariant", path("m.npy")),
    );
    let refused = [
        (format!("{shape} --radius 0.5 --epsilon 1"), "sensitivity bounds of this space end"),
        (format!("{shape} --radius 0 --epsilon 1"), "radius"),
        (format!("{shape} --radius 0.1 --epsilon -1"), "epsilon"),
        (format!("{shape} --radius 0.1 --epsilon 1 --mu 1"), "mu"),
        (format!("{shape} --radius 0.1"), "budget"),
        (format!("{shape} --radius 0.5 --epsilon 1 --force"), "sensitivity bounds of this space end"),
        (format!("{spd} --mechanism laplace --radius 1 --epsilon 0.1"), "choose tangent-laplace"),
        (format!("{spd} --mechanism tangent-gaussian --radius 1 --epsilon 1"), "--delta"),
        (format!("{spd} --mechanism extrinsic --radius 1000 --mu 1"), "sensitivity bounds of this space end"),
    ];
    for (line, expected) in &refused {
        let out = path("none");
        let (code, _, stderr) = visard(&format!("{line} --out {out}"));
        assert!(matches!(code, Some(1 | 2)), "{stderr}");
        assert!(stderr.contains(expected), "{expected}: {stderr}");
        assert!(!Path::new(&out).exists(), "{line}");
    }
    let out = path("study");
    let good = format!("{shape} --radius 0.1 --epsilon 1 --out {out}");
    assert_eq!(visard(&good).0, Some(0));
    let ledger = || fs::read(Path::new(&out).join("visard.ledger.jsonl")).unwrap();
    let before = ledger();
    let (code, ..) = visard(&format!("{shape} --radius 0.5 --epsilon 1 --force --out {out}"));
    assert!(code == Some(1) && ledger() == before);
    // A study that is refused for public reasons sets no ceiling either: there is nothing yet that it could be the ceiling of.
    let out = path("ceiling");
    visard(&format!("{shape} --radius 0.5 --epsilon 1 --ceiling-mu 3 --out {out}"));
    assert!(!Path::new(&out).exists());
}
