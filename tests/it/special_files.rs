//! Every argument that takes a file is given pipes, devices, sockets and folders: refused at once, with a line that says what it is
//! and what to do. Nothing is waited for, and nothing is charged.

use assert_cmd::Command;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;
use visard::io::{write_npy, write_ply};
use visard::synth;

/// A command that has not ended by then hangs. (Most end within a tenth of a second.)
const PATIENCE: Duration = Duration::from_secs(100);

/// What a path may lead to that is no ordinary file, and what messages say of it.
const SPECIAL: [(&str, &str); 6] = [
    ("pipe", "is a pipe, not an ordinary file; "),
    ("socket", "is a socket, not an ordinary file; "),
    ("zero", "is a device, not an ordinary file; "),
    ("null", "is a device, not an ordinary file; "),
    ("link", "is a pipe, not an ordinary file; "),
    ("folder", "is a folder, not a file; "),
];

/// A folder with a special file of each kind for each ending, and with good files.
struct Place {
    folder: tempfile::TempDir,
    _sockets: Vec<UnixListener>,
}

const ENDINGS: [&str; 9] = ["ply", "csv", "txt", "tps", "npy", "json", "jsonl", "fcsv", "png"];

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str, ending: &str| folder.path().join(format!("{name}.{ending}"));
        let mut sockets = Vec::new();
        for ending in ENDINGS {
            let pipe = path("pipe", ending);
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            symlink(&pipe, path("link", ending)).unwrap();
            symlink("/dev/zero", path("zero", ending)).unwrap();
            symlink("/dev/null", path("null", ending)).unwrap();
            sockets.push(UnixListener::bind(path("socket", ending)).unwrap());
            std::fs::create_dir(path("folder", ending)).unwrap();
        }
        let good = Self { folder, _sockets: sockets };
        good.write();
        good
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self) {
        let shape = |id: &str| format!("LM=4\n0 0\n1 0\n1 1\n0 1\nID={id}\n");
        std::fs::write(self.path("shapes.tps"), [shape("a"), shape("b")].concat()).unwrap();
        std::fs::write(self.path("centre.tps"), shape("c")).unwrap();
        std::fs::write(self.path("rows.csv"), "x,y,z\n0,0,1\n0,1,0\n").unwrap();
        std::fs::write(self.path("centre.csv"), "x,y,z\n0,0,1\n").unwrap();
        write_npy(&self.path("matrices.npy"), &[2, 2, 2], &[1., 0., 0., 1., 2., 0., 0., 2.]).unwrap();
        write_npy(&self.path("points.npy"), &[2, 2], &[0.1, 0.2, 0.3, 0.1]).unwrap();
        write_ply(&self.path("face.ply"), synth::builtin_template()).unwrap();
    }

    /// Exit code and standard error of a command; FOLDER stands for the folder.
    fn run(&self, line: &str) -> (Option<i32>, String) {
        let line = line.replace("FOLDER", &self.folder.path().display().to_string());
        let done =
            Command::cargo_bin("visard").unwrap().args(line.split_whitespace()).timeout(PATIENCE).output();
        let done = done.unwrap_or_else(|e| panic!("{line}: {e}"));
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    }

    /// Gives a command (with SPECIAL in place of the name of a file) every special file of an ending but those it takes.
    fn refuses(&self, ending: &str, line: &str, takes: &[&str]) {
        for (name, expected) in SPECIAL.into_iter().filter(|(name, _)| !takes.contains(name)) {
            let given = line.replace("SPECIAL", &format!("FOLDER/{name}.{ending}"));
            let (code, stderr) = self.run(&format!("{given} --out FOLDER/out"));
            assert_eq!(code, Some(1), "{given}: {stderr}");
            assert!(
                stderr.contains(&format!("{name}.{ending}")) && stderr.contains(expected),
                "{given}: {stderr}"
            );
            self.nothing_is_left(&given);
        }
    }

    fn nothing_is_left(&self, line: &str) {
        let ledger = std::fs::read_to_string(self.path("out/visard.ledger.jsonl")).unwrap_or_default();
        assert!(!ledger.contains("\"charge\""), "{line}: {ledger}");
        assert!(!Path::new(&self.path("out/release")).exists(), "{line}");
        let _ = std::fs::remove_dir_all(self.path("out"));
    }
}

#[test]
fn faces() {
    let place = Place::new();
    place.refuses("ply", "face mean SPECIAL --mu 3", &["folder"]);
    place.refuses("ply", "face mean FOLDER/face.ply SPECIAL --mu 3", &["folder"]);
    place.refuses("ply", "face mean FOLDER/face.ply --template SPECIAL --mu 3", &[]);
    place.refuses("jsonl", "face mean FOLDER/face.ply --mu 3 --ledger SPECIAL", &[]);
    place.refuses("ply", "face flatten SPECIAL", &[]);
    place.refuses("ply", "face register SPECIAL", &["folder"]);
    place.refuses("ply", "face register FOLDER/face.ply --template SPECIAL", &[]);
    for ending in ["csv", "npy", "json", "fcsv"] {
        place.refuses(ending, "face register FOLDER/face.ply --landmarks SPECIAL", &[]);
    }
    // A folder of scans is looked through, its special files are passed over.
    let (code, stderr) = place.run("face mean FOLDER/folder.ply --mu 3 --out FOLDER/out");
    assert!(code == Some(1) && stderr.contains("holds no scans"), "{stderr}");
}

#[test]
fn a_special_file_beside_a_scan_is_none_of_its_landmarks() {
    let place = Place::new();
    let pipe = place.path("face.landmarks.csv");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    let (code, stderr) = place.run("face register FOLDER/face.ply --out FOLDER/out");
    assert_eq!(code, Some(0), "{stderr}");
}

#[test]
fn shapes() {
    let place = Place::new();
    let study = "--mechanism gaussian --mu 1";
    for ending in ["tps", "csv", "npy"] {
        let table = format!("shape mean SPECIAL {study} --radius 0.2 --center");
        place.refuses(ending, &format!("{table} FOLDER/centre.tps"), &["folder"]);
        place.refuses(ending, &format!("{table} private --landmarks 4"), &["folder"]);
        let centre = format!("shape mean FOLDER/shapes.tps {study} --radius 0.2 --center SPECIAL");
        place.refuses(ending, &centre, &["folder"]);
    }
    for ending in ["tps", "txt"] {
        let public = format!("shape mean FOLDER/shapes.tps {study} --public-records SPECIAL");
        place.refuses(ending, &public, &["folder"]);
    }
    // A folder may hold specimens, one a file.
    let (code, stderr) = place.run(&format!(
        "shape mean FOLDER/folder.tps {study} --radius 0.2 --center FOLDER/centre.tps --out FOLDER/out"
    ));
    assert!(code == Some(1) && stderr.contains("without .mrk.json or .fcsv"), "{stderr}");
    let ledger = format!("shape mean FOLDER/shapes.tps {study} --radius 0.2 --center FOLDER/centre.tps");
    place.refuses("jsonl", &format!("{ledger} --ledger SPECIAL"), &[]);
}

#[test]
fn matrices_directions_and_hyperbolic_points() {
    let place = Place::new();
    let study = "--mechanism tangent-gaussian --radius 0.4 --mu 1";
    place.refuses("npy", "spd describe SPECIAL", &["folder"]);
    place.refuses("npy", &format!("spd mean SPECIAL {study}"), &[]);
    place.refuses("npy", "spd mean SPECIAL --mechanism laplace --radius descriptor --epsilon 1", &[]);
    place.refuses("npy", &format!("spd mean FOLDER/matrices.npy {study} --center SPECIAL"), &[]);
    place.refuses("jsonl", &format!("spd mean FOLDER/matrices.npy {study} --ledger SPECIAL"), &[]);
    for ending in ["csv", "txt", "npy"] {
        place.refuses(ending, &format!("sphere mean SPECIAL {study} --center FOLDER/centre.csv"), &[]);
        place.refuses(ending, &format!("sphere mean FOLDER/rows.csv {study} --center SPECIAL"), &[]);
        place.refuses(ending, &format!("hyperbolic mean SPECIAL {study} --dim 2"), &[]);
        place.refuses(ending, &format!("hyperbolic mean FOLDER/points.npy {study} --center SPECIAL"), &[]);
    }
    let centre = "--center FOLDER/centre.csv";
    place.refuses("jsonl", &format!("sphere mean FOLDER/rows.csv {study} {centre} --ledger SPECIAL"), &[]);
    place.refuses("jsonl", &format!("hyperbolic mean FOLDER/points.npy {study} --ledger SPECIAL"), &[]);
}

#[test]
fn images_in_a_folder() {
    let place = Place::new();
    for (name, expected) in SPECIAL {
        let images = place.path(&format!("images-{name}"));
        std::fs::create_dir(&images).unwrap();
        std::fs::rename(place.path(&format!("{name}.png")), images.join("a.png")).unwrap();
        // The link to the pipe leads nowhere once that has been moved.
        let expected = if name == "link" { "there is no such file" } else { expected };
        let (code, stderr) = place.run(&format!("spd describe FOLDER/images-{name} --out FOLDER/out.npy"));
        assert!(code == Some(1) && stderr.contains(expected), "{name}: {stderr}");
    }
}

#[test]
fn optimization() {
    let place = Place::new();
    let run = "--method rgd --clip-radius 1 --mu 1";
    place.refuses("npy", &format!("optimize frechet-mean SPECIAL --space log-euclidean {run}"), &[]);
    place.refuses("npy", &format!("optimize eigenvector SPECIAL {run}"), &[]);
    place.refuses("npy", &format!("optimize subspace SPECIAL --rank 1 {run}"), &[]);
    let mean = format!("optimize frechet-mean FOLDER/matrices.npy --space log-euclidean {run}");
    place.refuses("npy", &format!("{mean} --start SPECIAL"), &[]);
    place.refuses("jsonl", &format!("{mean} --ledger SPECIAL"), &[]);
    place.refuses("csv", "optimize embed-tree SPECIAL", &[]);
}

#[test]
fn certificates_and_ledgers() {
    let place = Place::new();
    for (name, expected) in SPECIAL {
        let (code, stderr) = place.run(&format!("privacy explain FOLDER/{name}.json"));
        // Of a folder the certificate is explained.
        let explained = if name == "folder" { "certificate.json: there is no such file" } else { expected };
        assert!(code == Some(1) && stderr.contains(explained), "explain {name}: {stderr}");
        if name != "folder" {
            let (code, stderr) = place.run(&format!("privacy ledger FOLDER/{name}.jsonl"));
            assert!(code == Some(1) && stderr.contains(expected), "ledger {name}: {stderr}");
        }
        // In a study's folder too.
        let study = place.path(&format!("study-{name}"));
        std::fs::create_dir(&study).unwrap();
        symlink(place.path(&format!("{name}.jsonl")), study.join("visard.ledger.jsonl")).unwrap();
        let (code, stderr) = place.run(&format!("privacy ledger FOLDER/study-{name}"));
        assert!(code == Some(1) && stderr.contains(expected), "ledger of a study {name}: {stderr}");
    }
}

/// What a study keeps in its own folder is read like any other file.
#[test]
fn pipes_among_the_files_of_a_study() {
    let place = Place::new();
    for kept in ["visard.ledger.shared", "internal/job.json", "release/certificate.json"] {
        let study = place.path("kept");
        for folder in ["internal", "release"] {
            std::fs::create_dir_all(study.join(folder)).unwrap();
        }
        symlink(place.path("pipe.json"), study.join(kept)).unwrap();
        let line = "shape mean FOLDER/shapes.tps --mu 1 --radius 0.2 --center FOLDER/centre.tps --out FOLDER/kept --force --ledger FOLDER/own.jsonl";
        let (code, stderr) = place.run(line);
        assert!(code == Some(1) && stderr.contains("is a pipe"), "{kept}: {code:?} {stderr}");
        std::fs::remove_dir_all(&study).unwrap();
    }
}

/// What stood in messages as "stream did not contain valid UTF-8".
#[test]
fn text_in_another_encoding_is_named() {
    let place = Place::new();
    for (name, line) in [
        ("latin.json", "privacy explain FOLDER/latin.json"),
        ("latin.csv", "optimize embed-tree FOLDER/latin.csv --out FOLDER/out"),
        (
            "latin.txt",
            "shape mean FOLDER/shapes.tps --mechanism gaussian --mu 1 --public-records FOLDER/latin.txt --out FOLDER/out",
        ),
    ] {
        std::fs::write(place.path(name), b"a,b\nM\xfcller,b\n").unwrap();
        let (code, stderr) = place.run(line);
        let expected = format!("{name}, line 2: holds a letter that is not in UTF-8; save the file as UTF-8");
        assert!(code == Some(1) && stderr.contains(&expected), "{stderr}");
    }
}
