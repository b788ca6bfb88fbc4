//! What visard wrote for the data holder only is no public input, under whatever name: every option that takes one is given such files in
//! their place, copied, renamed and through links. `command_options.rs` fails for an option that has no row.

mod rows;

use crate::command_line::visard;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::ROWS;
use std::fs;
use std::path::{Path, PathBuf};
use visard::io::{write_npy, write_ply};
use visard::study::face::{TemplateSource, load_template};
use visard::synth::{self, FaceParameters};

/// The studies that leave secret files behind, and what the rows need beside them.
const STUDIES: [&str; 21] = [
    "face mean --prepared people.npy --curves 6 --samples 16 --mechanism none --out face",
    "face modes --prepared people.npy --curves 6 --samples 16 --mu 3 --out modes",
    "face regress --covariates ages.csv --bounds age=3:40 --prepared people.npy --curves 6 --samples 16 --mu 3 --out growth",
    "face prepare --manifest scans.csv --shard 1/1 --out records",
    "shape mean shapes.tps --mechanism none --out shape",
    "shape mean shapes.tps --mu 1 --out shape-joint",
    "shape mean shapes.tps --center atlas.tps --mechanism gaussian --radius 0.3 --mu 1 --out shape-single",
    "shape modes shapes.tps --mu 1 --out shape-modes",
    "shape compare shapes.tps --groups shape_groups.csv --mu 1 --out shape-compare",
    "shape regress shapes.tps --allometry --size-bounds 0.5:2 --mu 1 --out shape-regress",
    "function mean functions.npy --domain interval --mechanism none --out function",
    "function mean functions.npy --domain interval --bound 2 --mu 1 --out function-released",
    "spd mean matrices.npy --mechanism none --out spd",
    "spd mean matrices.npy --radius 3 --mu 1 --out spd-released",
    "spd modes matrices.npy --radius 3 --mu 1 --out spd-modes",
    "sphere mean rows.csv --mechanism none --out sphere",
    "hyperbolic mean points.npy --mechanism none --out hyperbolic",
    "site keys berlin.key",
    "site keys a.key",
    "site plan consortium --curves 6 --samples 16 --mu 1 --noise each --site berlin=60 --site lyon=60",
    "site plan sealed --curves 6 --samples 16 --mu 1 --site berlin=60,berlin.key.pub --site lyon=60,berlin.key.pub --aggregator a=a.key.pub --aggregator b=a.key.pub",
];

/// Enough of everything: sixty faces, shapes, functions, matrices, directions, points.
fn write_data(dir: &Path) {
    let at = |name: &str| dir.join(name);
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let faces: Vec<f64> = (0..60)
        .map(|_| FaceParameters::sample(&mut rng).vertices())
        .flat_map(|vertices| template.curves_of(&vertices, 6, 16).unwrap().data().to_vec())
        .collect();
    write_npy(&at("people.npy"), &[60, 6, 16, 3], &faces).unwrap();
    write_ply(&at("scan.ply"), synth::builtin_template()).unwrap();
    fs::write(at("scans.csv"), "file\nscan.ply\n").unwrap();
    let table = |heading: &str, value: &dyn Fn(usize) -> String| {
        (0..60).fold(format!("{heading}\n"), |text, i| format!("{text}{i},{}\n", value(i)))
    };
    let group = |i: usize| if i.is_multiple_of(2) { "a".to_owned() } else { "b".to_owned() };
    fs::write(at("ages.csv"), table("record,age", &|i| (3 + i / 2).to_string())).unwrap();
    fs::write(at("groups.csv"), table("record,group", &group)).unwrap();
    let shape = |i: usize| {
        let x = |k: usize| 0.1 * (((71 * i + 30 * k) % 1009) as f64 / 1009.0 - 0.5);
        let points = [[0.0, 0.0], [1.0, 0.0], [1.2, 0.9], [0.4, 1.3], [-0.3, 0.8]];
        let line = |(k, [a, b]): (usize, [f64; 2])| format!("{} {}\n", a + x(k), b + x(k + 5));
        format!("LM=5\n{}ID={i}\n", points.into_iter().enumerate().map(line).collect::<String>())
    };
    fs::write(at("shapes.tps"), (0..60).map(shape).collect::<String>()).unwrap();
    fs::create_dir(at("masks")).unwrap();
    write_npy(&at("masks/0.npy"), &[3, 3], &[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]).unwrap();
    fs::write(at("shape_groups.csv"), table("record,group", &group)).unwrap();
    fs::write(at("atlas.tps"), shape(1000)).unwrap();
    let some = |i: usize| ((137 * i + 5) % 1009) as f64 / 1009.0 - 0.5;
    let functions: Vec<f64> = (0..60 * 20).map(|i| (i % 20) as f64 / 20.0 + some(i)).collect();
    write_npy(&at("functions.npy"), &[60, 20], &functions).unwrap();
    let matrices: Vec<f64> = (0..60).flat_map(|i| [1.5 + some(i), 0.1, 0.1, 1.5 + some(i + 7)]).collect();
    write_npy(&at("matrices.npy"), &[60, 2, 2], &matrices).unwrap();
    let direction = |i: usize| {
        let [x, y, z] = [0.3 * some(i), 0.3 * some(i + 3), 1.0];
        let length = f64::sqrt(x * x + y * y + z * z);
        format!("{},{},{}\n", x / length, y / length, z / length)
    };
    fs::write(at("rows.csv"), format!("x,y,z\n{}", (0..60).map(direction).collect::<String>())).unwrap();
    let points: Vec<f64> = (0..60).flat_map(|i| [0.3 * some(i), 0.3 * some(i + 3)]).collect();
    write_npy(&at("points.npy"), &[60, 2], &points).unwrap();
}

/// A record that `face prepare` made.
fn record(dir: &Path) -> PathBuf {
    let mut files = fs::read_dir(dir.join("records")).unwrap().map(|entry| entry.unwrap().path());
    files.find(|file| file.display().to_string().ends_with(".curves.npy")).unwrap()
}

/// The file in its place, and under other names elsewhere.
fn disguises(dir: &Path, secret: &Path) -> Vec<PathBuf> {
    let elsewhere = dir.join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    let ending = secret.extension().unwrap().display().to_string();
    let names = [secret.file_name().unwrap().display().to_string(), format!("atlas_2019.{ending}")];
    let mut files = vec![secret.to_owned()];
    for name in names {
        fs::copy(secret, elsewhere.join(&name)).unwrap();
        files.push(elsewhere.join(name));
    }
    for (name, make) in [
        ("hard", fs::hard_link as fn(PathBuf, PathBuf) -> std::io::Result<()>),
        #[cfg(unix)]
        ("soft", std::os::unix::fs::symlink as fn(PathBuf, PathBuf) -> std::io::Result<()>),
    ] {
        let link = elsewhere.join(format!("{name}.{ending}"));
        let _ = fs::remove_file(&link);
        make(secret.to_owned(), link.clone()).unwrap();
        files.push(link);
    }
    files
}

#[test]
fn every_option_that_takes_a_public_input_refuses_what_visard_wrote_as_secret() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_data(dir);
    for line in STUDIES {
        let (code, _, stderr) = visard(dir, line);
        assert_eq!(code, Some(0), "{line}: {stderr}");
    }
    everything_secret_is_marked(dir);
    for (k, (command, option, rest, secret)) in ROWS.into_iter().enumerate() {
        let secret = if secret == "RECORD" { record(dir) } else { dir.join(secret) };
        // In its place, and in one disguise, another for every row: all options open their files in one way.
        let files = disguises(dir, &secret);
        for file in [&files[0], &files[1 + k % (files.len() - 1)]] {
            let line = format!("{command} {rest} {option} {}", file.display());
            let (code, stdout, stderr) = visard(dir, &line);
            // A plan calls it wrong usage.
            assert!(matches!(code, Some(1 | 2)), "{line}: {stdout}{stderr}");
            let name = file.file_name().unwrap().display().to_string();
            let told = stderr.contains(&format!("{name}: was written by visard for the data holder only"));
            assert!(told, "{line}: {stderr}");
            // No more than an empty folder.
            let left = fs::read_dir(dir.join("out")).map_or(0, Iterator::count);
            assert!(left == 0, "{line}: something was left behind");
            let _ = fs::remove_dir(dir.join("out"));
        }
    }
}

/// Every array, mesh and shape that a study left under internal/, and every record, has the mark that copies keep.
fn everything_secret_is_marked(dir: &Path) {
    let (mut looked, mut folders) = (0, vec![dir.to_owned()]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let ending = path.extension().unwrap_or_default().display().to_string();
            let secret =
                path.components().any(|part| part.as_os_str() == "internal" || part.as_os_str() == "records");
            if path.is_dir() {
                folders.push(path);
            } else if secret && ["npy", "ply", "tps"].contains(&ending.as_str()) {
                let file = visard::io::open(&path, visard::io::Limit::TABLE).unwrap();
                assert!(visard::io::internal::is_marked(&file), "{}", path.display());
                looked += 1;
            }
        }
    }
    assert!(looked >= 20, "{looked}");
}

/// A study's own secret files are refused as well as another's, and the folder is as it was.
#[test]
fn nothing_is_charged_for_a_secret_input_beside_a_finished_release() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_data(dir);
    let study = "function mean functions.npy --domain interval --bound 2 --mu 1 --out study";
    assert_eq!(visard(dir, study).0, Some(0));
    let bytes = |name: &str| fs::read(dir.join("study").join(name)).unwrap();
    let before = (bytes("visard.ledger.jsonl"), bytes("release/certificate.json"));
    let line = format!("{study} --center study/internal/nonprivate_mean.npy --force");
    assert_eq!(visard(dir, &line).0, Some(1));
    assert!((bytes("visard.ledger.jsonl"), bytes("release/certificate.json")) == before);
}

/// A released mean is public, whatever folder it lies in.
#[test]
fn what_was_released_is_a_public_input() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_data(dir);
    let study = "function mean functions.npy --domain interval --bound 2 --mu 1";
    assert_eq!(visard(dir, &format!("{study} --out study")).0, Some(0));
    let (code, _, stderr) = visard(dir, &format!("{study} --center study/release/mean.npy --out again"));
    assert_eq!(code, Some(0), "{stderr}");
}
