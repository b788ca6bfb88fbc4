//! The command, killed at any moment or without the memory it wants: what it paid for is not paid for again, what was drawn first is what is
//! published, and nothing half written stays.
//!
//! The ordinary tests kill a few times, the ignored one two hundred.

use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use visard::function::FaceCurves;
use visard::io::{write_npy, write_ply};
use visard::mesh::TriMesh;
use visard::privacy::{Certificate, FileSum, Ledger};
use visard::study::StudyFolder;
use visard::study::face::{TemplateSource, load_template};
use visard::study::layout::CERTIFICATE;
use visard::synth::{FaceParameters, ScanConditions, person};

fn start(dir: &Path, line: &str) -> std::process::Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visard"));
    command.current_dir(dir).args(line.split(' ')).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

fn succeeds(dir: &Path, line: &str) -> bool {
    start(dir, line).wait().unwrap().success()
}

/// The values of the first stored draw, if there is one.
fn stored(folder: &StudyFolder) -> Option<serde_json::Value> {
    let drawn: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.internal().join("drawn.json")).ok()?).unwrap();
    Some(drawn["released"]["value"].clone())
}

/// The files of a release that name no ledger.
fn release(folder: &StudyFolder) -> BTreeMap<String, Vec<u8>> {
    let named =
        |entry: fs::DirEntry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
    let all = fs::read_dir(folder.release()).unwrap().map(|entry| named(entry.unwrap()));
    all.filter(|(name, _)| !name.ends_with(".json") && !name.ends_with(".html")).collect()
}

/// What was left half written, in all folders.
fn litter(folder: &Path) -> usize {
    let of = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        let own = usize::from(name.ends_with(".tmp") || name.ends_with(".old"));
        own + if entry.path().is_dir() { litter(&entry.path()) } else { 0 }
    };
    fs::read_dir(folder).unwrap().map(|entry| of(entry.unwrap())).sum()
}

/// How often a study was stopped, and what was there then.
#[derive(Debug, Default, Clone, Copy)]
struct Tried {
    stops: usize,
    after_the_charge: usize,
    after_the_draw: usize,
    with_litter: usize,
}

/// A study, and what comes of it with a fixed seed if nothing happens to it.
struct Victim<'a> {
    dir: &'a Path,
    line: &'a str,
    takes: Duration,
    seeded: BTreeMap<String, Vec<u8>>,
}

impl<'a> Victim<'a> {
    fn new(dir: &'a Path, line: &'a str) -> Self {
        let line_with_seed = format!("{line} --seed 7");
        let once = || {
            let begun = Instant::now();
            assert!(succeeds(dir, &line_with_seed), "{line}");
            let (takes, seeded) = (begun.elapsed(), release(&StudyFolder::at(dir.join("study"))));
            fs::remove_dir_all(dir.join("study")).unwrap();
            (takes, seeded)
        };
        let ((takes, seeded), (again, same)) = (once(), once());
        assert!(seeded == same && !seeded.is_empty(), "{line}: {:?}", seeded.keys());
        Self { dir, line, takes: takes.min(again), seeded }
    }

    /// Stops it in the way of `stop`, which is handed the command line, and resumes it.
    fn stopped(&self, with_seed: bool, stop: impl FnOnce(&str), tried: &mut Tried) {
        let folder = StudyFolder::at(self.dir.join("study"));
        let seed = if with_seed { " --seed 7" } else { "" };
        let line = format!("{}{seed}", self.line);
        stop(&line);
        let ledger = folder.own_ledger();
        let paid = Ledger::history(&ledger).map_or(0, |history| history.charges.len());
        let drawn = stored(&folder);
        let context = format!("{line}, stop {}: {paid} charges before", tried.stops);
        assert!(paid <= 1, "{context}");
        tried.stops += 1;
        tried.after_the_charge += paid;
        tried.after_the_draw += usize::from(drawn.is_some());
        tried.with_litter += usize::from(folder.root().is_dir() && litter(folder.root()) > 0);
        assert!(succeeds(self.dir, &format!("{line} --resume")), "{context}");
        let history = Ledger::history(&ledger).unwrap();
        assert_eq!(history.charges.len(), 1, "{context}");
        let now = stored(&folder);
        assert!(now.is_some() && (drawn.is_none() || drawn == now), "{context}: another draw");
        let text = fs::read_to_string(folder.release().join(CERTIFICATE)).unwrap();
        let certificate = Certificate::from_json(&text).unwrap();
        history.holds(&certificate.ledger.unwrap()).unwrap();
        for file in &certificate.files {
            let bytes = fs::read(folder.release().join(&file.name)).unwrap();
            assert_eq!(FileSum::of_bytes(&file.name, &bytes), *file, "{context}");
        }
        if with_seed {
            assert!(release(&folder) == self.seeded, "{context}: another release");
        }
        assert_eq!(litter(folder.root()), 0, "{context}: something half written stays");
        fs::remove_dir_all(folder.root()).unwrap();
    }

    /// Kills it at moments spread over its time, and past the end: the machine is not always as quick.
    fn killed(&self, kills: u32, moment: impl Fn(u32) -> f64) -> Tried {
        let mut tried = Tried::default();
        for kill in 0..kills {
            let wait = self.takes.mul_f64(moment(kill));
            let stop = |line: &str| {
                let mut child = start(self.dir, line);
                std::thread::sleep(wait);
                child.kill().unwrap();
                child.wait().unwrap();
            };
            self.stopped(kill % 2 == 0, stop, &mut tried);
        }
        eprintln!("{} ({:?}): {tried:?}", self.line, self.takes);
        tried
    }
}

/// Points, shapes, matrices, faces and scans.
fn write_records(dir: &Path) {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
    let mut numbers = |n: usize, of: &mut dyn FnMut(f64) -> f64| -> Vec<f64> {
        (0..n).map(|_| of(rng.random_range(-1.0..1.0))).collect()
    };
    let points = numbers(8000, &mut |x| 0.3 * x);
    write_npy(&dir.join("h.npy"), &[4000, 2], &points).unwrap();
    let mut i = 0;
    let shapes = numbers(400 * 30, &mut |x| {
        let (angle, axis) = (f64::from(i / 2 % 15) * std::f64::consts::TAU / 15.0, i % 2);
        i += 1;
        0.1 * x + if axis == 0 { 1.5 * angle.cos() } else { angle.sin() }
    });
    write_npy(&dir.join("shapes.npy"), &[400, 15, 2], &shapes).unwrap();
    let logs = numbers(3 * 500, &mut |x| 0.4 * x);
    let matrices: Vec<f64> =
        logs.chunks_exact(3).flat_map(|l| [1.5 + l[0], l[1], l[1], 1.5 + l[2]]).collect();
    write_npy(&dir.join("spd.npy"), &[500, 2, 2], &matrices).unwrap();
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let (mean, mut rng) = (FaceParameters::elsewhere(), rand_chacha::ChaCha8Rng::seed_from_u64(8));
    let face = || -> FaceCurves {
        template.curves_of(&FaceParameters::sample_about(&mean, &mut rng).vertices(), 8, 16).unwrap()
    };
    let faces: Vec<f64> =
        std::iter::repeat_with(face).take(60).flat_map(|face| face.data().to_vec()).collect();
    write_npy(&dir.join("faces.npy"), &[60, 8, 16, 3], &faces).unwrap();
}

fn write_scans(dir: &Path) {
    let scans = dir.join("scans");
    fs::create_dir(&scans).unwrap();
    for i in 0..2 {
        let cloud = TriMesh::new(person(3, i, &ScanConditions::demo()).points, Vec::new()).unwrap();
        write_ply(&scans.join(format!("{i}.ply")), &cloud).unwrap();
    }
}

const HYPERBOLIC: &str =
    "hyperbolic mean h.npy --model poincare --mechanism laplace --radius 1 --epsilon 1 --out study";
const OPTIMIZE: &str = "optimize frechet-mean spd.npy --space affine-invariant --method rgd --steps 400 --clip-radius 2 --mu 1 --out study";
const STUDIES: [&str; 5] = [
    HYPERBOLIC,
    OPTIMIZE,
    "shape mean shapes.npy --mu 1 --out study",
    "shape modes shapes.npy --mu 1 --out study",
    "face mean --prepared faces.npy --curves 8 --samples 16 --mu 1 --out study",
];

#[test]
fn means_of_points_are_killed_at_any_moment() {
    let dir = tempfile::tempdir().unwrap();
    write_records(dir.path());
    for (line, kills) in [(HYPERBOLIC, 6), (OPTIMIZE, 6)] {
        Victim::new(dir.path(), line).killed(kills, |kill| f64::from(kill) * 1.2 / f64::from(kills));
    }
}

#[test]
#[ignore = "slow: ten seconds; means_of_points_are_killed_at_any_moment has the same lifecycle"]
fn mean_faces_are_killed_at_any_moment() {
    let dir = tempfile::tempdir().unwrap();
    write_scans(dir.path());
    let study = Victim::new(dir.path(), "face mean scans --mu 1 --out study");
    study.killed(3, |kill| 0.25 + 0.35 * f64::from(kill));
}

#[test]
#[ignore = "needs half an hour"]
fn two_hundred_kills() {
    let dir = tempfile::tempdir().unwrap();
    write_records(dir.path());
    write_scans(dir.path());
    let mut all = Tried::default();
    let studies =
        STUDIES.map(|line| (line, 36)).into_iter().chain([("face mean scans --mu 1 --out study", 20)]);
    for (line, kills) in studies {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(6);
        let moments: Vec<f64> = (0..kills).map(|_| rng.random_range(0.0..1.1)).collect();
        let tried = Victim::new(dir.path(), line).killed(kills, |kill| moments[kill as usize]);
        all.stops += tried.stops;
        all.after_the_charge += tried.after_the_charge;
        all.after_the_draw += tried.after_the_draw;
        all.with_litter += tried.with_litter;
    }
    eprintln!("{all:?}");
    assert_eq!(all.stops, 200);
    assert!(all.after_the_charge > all.after_the_draw && all.after_the_draw > 0, "{all:?}");
}

/// Where an allocation fails the process ends: at any allocation, by how much memory it may have.
#[cfg(target_os = "linux")]
#[test]
fn a_study_without_memory_pays_at_most_once() {
    let dir = tempfile::tempdir().unwrap();
    write_records(dir.path());
    let study = Victim::new(dir.path(), "shape mean shapes.npy --mu 1 --threads 1 --out study");
    let mut tried = Tried::default();
    let starved = |kib: u32, line: &str| {
        // The standard library waits for its own lock, for ever, where a backtrace finds no memory.
        let script = format!("unset RUST_BACKTRACE; ulimit -v {kib}; ulimit -c 0; exec \"$0\" {line}");
        let mut command = Command::new("sh");
        command.current_dir(dir.path()).arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_visard"));
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
    };
    // The least that is enough, to a mebibyte.
    let (mut low, mut high) = (8, 2048);
    while low + 1 < high {
        let middle = (low + high) / 2;
        let enough = starved(middle * 1024, study.line);
        let _ = fs::remove_dir_all(dir.path().join("study"));
        if enough { high = middle } else { low = middle }
    }
    for step in 0..12 {
        let kib = low * 1024 - step * 300;
        let stop = |line: &str| {
            starved(kib, line);
        };
        study.stopped(step % 2 == 0, stop, &mut tried);
    }
    eprintln!("up to {low} MiB: {tried:?}");
}

/// Ctrl-C in a study says how to go on, and ends it as a signal does; a command that has nothing to go on with says nothing.
#[cfg(unix)]
#[test]
fn an_interrupt_says_how_to_go_on() {
    use std::os::unix::process::ExitStatusExt;
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_visard"));
    command.current_dir(dir.path()).args(["demo", "--scans", "400", "--threads", "1"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    // Something is written once it is under way.
    while fs::read_dir(dir.path()).unwrap().count() == 0 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.signal(), Some(2), "{said}");
    assert!(said.contains("interrupted") && said.contains("--resume"), "{said}");
}
