//! The command, killed at any moment: what it paid for is not paid for again, and what was drawn first is what is published.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use visard::io::{npy, write_npy, write_ply};
use visard::mesh::TriMesh;
use visard::privacy::{Certificate, Ledger};
use visard::study::StudyFolder;
use visard::study::layout::{CERTIFICATE, CURVES, MEAN_NPY};
use visard::synth::{ScanConditions, person};

fn start(dir: &Path, line: &str) -> std::process::Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visard"));
    command.current_dir(dir).args(line.split(' ')).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// How long the whole study takes, the quicker of two.
fn duration(dir: &Path, line: &str) -> Duration {
    let once = || {
        let begun = Instant::now();
        assert!(start(dir, line).wait().unwrap().success(), "{line}");
        fs::remove_dir_all(dir.join("study")).unwrap();
        begun.elapsed()
    };
    (0..2).map(|_| once()).min().unwrap()
}

/// The values of the first stored draw, if there is one.
fn stored(folder: &StudyFolder) -> Option<serde_json::Value> {
    let drawn: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.internal().join("drawn.json")).ok()?).unwrap();
    Some(drawn["released"]["value"].clone())
}

fn killed_at_any_moment(dir: &Path, line: &str, solution: &str, kills: u32) {
    let whole = duration(dir, line);
    let folder = StudyFolder::at(dir.join("study"));
    let (mut with_charge, mut with_draw) = (0, 0);
    for kill in 0..kills {
        let mut child = start(dir, line);
        // Past the end too: the machine is not always as quick.
        std::thread::sleep(whole * kill * 6 / (5 * kills));
        child.kill().unwrap();
        child.wait().unwrap();
        let paid = Ledger::history(&folder.own_ledger()).map_or(0, |history| history.charges.len());
        let drawn = stored(&folder);
        with_charge += paid;
        with_draw += usize::from(drawn.is_some());
        assert!(start(dir, &format!("{line} --resume")).wait().unwrap().success(), "{line}, kill {kill}");
        let history = Ledger::history(&folder.own_ledger()).unwrap();
        assert_eq!(history.charges.len(), 1, "{line}, kill {kill}: {paid} before");
        let now = stored(&folder);
        assert!(now.is_some() && (drawn.is_none() || drawn == now), "{line}, kill {kill}: another draw");
        let text = fs::read_to_string(folder.release().join(CERTIFICATE)).unwrap();
        history.holds(&Certificate::from_json(&text).unwrap().ledger.unwrap()).unwrap();
        assert!(npy::read(&folder.release().join(solution)).unwrap().data.iter().all(|x| x.is_finite()));
        // A run that was not interrupted any more leaves nothing to resume, and nothing to sweep up.
        let left: Vec<_> = fs::read_dir(folder.root()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".tmp")), "{left:?}");
        fs::remove_dir_all(folder.root()).unwrap();
    }
    eprintln!(
        "{line}: {whole:?}; of {kills} kills {with_charge} after the charge, {with_draw} after the draw"
    );
}

#[test]
fn means_of_points() {
    let dir = tempfile::tempdir().unwrap();
    let rows: Vec<f64> =
        (0..4000).flat_map(|i| [0.3 * f64::from(i).sin(), 0.3 * (0.7 * f64::from(i)).cos()]).collect();
    write_npy(&dir.path().join("h.npy"), &[4000, 2], &rows).unwrap();
    let line =
        "hyperbolic mean h.npy --model poincare --mechanism laplace --radius 1 --epsilon 1 --out study";
    killed_at_any_moment(dir.path(), line, MEAN_NPY, 40);
}

#[test]
fn mean_faces() {
    let dir = tempfile::tempdir().unwrap();
    let scans = dir.path().join("scans");
    fs::create_dir(&scans).unwrap();
    for i in 0..2 {
        let cloud = TriMesh::new(person(3, i, &ScanConditions::demo()).points, Vec::new()).unwrap();
        write_ply(&scans.join(format!("{i}.ply")), &cloud).unwrap();
    }
    killed_at_any_moment(dir.path(), "face mean scans --mu 1 --out study", CURVES, 6);
}
