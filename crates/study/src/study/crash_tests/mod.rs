//! Every study, stopped at every operation on files: the operation fails, the disk is full, a write is short, the process ends, the power
//! fails. What is resumed afterwards is what would have been released anyway, at one charge.
//!
//! The ordinary tests try some operations of each study, with a fixed seed; the ignored one tries all of them.

mod stream;
mod studies;

use super::layout::CERTIFICATE;
use super::{Binding, LedgerChoice, Place, StudyFolder, verify};
use crate::fault::{self, Outcome, Trouble, troubles};
use crate::privacy::{Certificate, Composition, Cost, Ledger};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use studies::{STUDIES, Study};

/// Where a study works in a test: a folder for it alone, and files of records that are not touched.
struct Bench {
    study: Study,
    records: PathBuf,
    room: tempfile::TempDir,
    shared: bool,
}

/// What comes of a study that nothing happens to.
struct Reference {
    operations: u32,
    release: BTreeMap<String, String>,
    spent: Composition,
}

/// How many cases were tried, and how many of them found the draw stored, or the charge made.
#[derive(Debug, Default, Clone, Copy)]
struct Tried {
    cases: u32,
    paid: u32,
    drawn: u32,
}

impl Bench {
    fn place(&self, seed: Option<u64>) -> Place {
        let ledger = self.shared.then(|| self.room.path().join("people/people.jsonl"));
        Place {
            seed,
            ledger: LedgerChoice { file: ledger, ..LedgerChoice::default() },
            ..Place::new(self.room.path().join("work/study"))
        }
    }

    fn folder(&self) -> StudyFolder {
        StudyFolder::at(self.room.path().join("work/study"))
    }

    fn ledger(&self) -> PathBuf {
        self.place(None).ledger.file.unwrap_or_else(|| self.folder().own_ledger())
    }

    fn run(&self, place: &Place) -> Result<(), String> {
        (self.study.run)(&self.records, place.clone())
    }

    fn clear(&self) {
        for name in ["work", "people"] {
            let _ = fs::remove_dir_all(self.room.path().join(name));
        }
        if self.shared {
            fs::create_dir(self.room.path().join("people")).unwrap();
        }
    }

    fn charges(&self) -> usize {
        Ledger::history(&self.ledger()).map_or(0, |history| history.charges.len())
    }

    fn reference(&self, seed: u64) -> Reference {
        self.clear();
        let place = self.place(Some(seed));
        let operations = fault::count(|| self.run(&place).unwrap());
        let release = release(&self.folder());
        let spent = Ledger::history(&self.ledger()).unwrap().spent();
        assert!(operations > 25, "{}: only {operations} operations", self.study.name);
        Reference { operations, release, spent }
    }

    /// One case: the trouble at the k-th operation, then a plain run, then one that resumes.
    fn try_one(&self, k: u32, trouble: Trouble, seed: Option<u64>, expected: &Reference, tried: &mut Tried) {
        self.clear();
        let place = self.place(seed);
        let work = || self.run(&place);
        let outcome = trouble.strike(self.room.path(), k, work);
        let what = match &outcome {
            Outcome::Whole(_) => return,
            Outcome::Struck(what, _) | Outcome::Crashed(what) => *what,
        };
        let context = format!("{}, {trouble:?} at operation {k}, {what}, seed {seed:?}", self.study.name);
        let before = drawn(&self.folder());
        tried.cases += 1;
        tried.paid += u32::from(self.charges() > 0);
        tried.drawn += u32::from(before.is_some());
        // Whoever does not resume is told so, or begins where nothing was begun; either way nothing is paid twice.
        let plain = self.run(&place);
        assert!(self.charges() <= 1, "{context}: charged twice by a plain run");
        if let Err(error) = plain {
            let known = ["holds an interrupted run", "already holds a release"]
                .iter()
                .any(|words| error.contains(words));
            assert!(known, "{context}: {error}");
        }
        self.run(&Place { resume: true, ..place }).unwrap_or_else(|error| panic!("{context}: {error}"));
        self.check(&context, before, seed.map(|_| expected), &expected.spent);
    }

    fn check(&self, context: &str, before: Option<Vec<u8>>, same: Option<&Reference>, spent: &Composition) {
        let folder = self.folder();
        let history = Ledger::history(&self.ledger()).unwrap();
        assert_eq!(history.charges.len(), 1, "{context}: {:?}", history.charges);
        let bare = |all: &Composition| -> Vec<(String, Cost)> {
            all.parts().iter().map(|part| (part.mechanism.clone(), part.bare_cost().clone())).collect()
        };
        assert_eq!(bare(&history.spent()), bare(spent), "{context}");
        let charge = &history.charges[0];
        assert_eq!(charge.part.is_seeded(), same.is_some(), "{context}");
        assert_eq!(charge.part.neighbours(), spent.common_neighbours(), "{context}");
        assert_eq!(charge.redeemed.is_some(), same.is_none(), "{context}: no result was paid for");
        // Whatever happened before, what lies there is what the ledger recorded, to the last byte.
        let verified =
            verify(&folder.release(), None, None).unwrap_or_else(|error| panic!("{context}: {error}"));
        let expected = if same.is_some() { Binding::Seeded } else { Binding::Certificate };
        assert_eq!(verified.binding, expected, "{context}");
        if let Some(before) = before {
            assert_eq!(Some(before), drawn(&folder), "{context}: another draw than the stored one");
        }
        let text = fs::read_to_string(folder.release().join(CERTIFICATE)).unwrap();
        let certificate = Certificate::from_json(&text).unwrap();
        history.holds(&certificate.ledger.clone().unwrap()).unwrap();
        for file in &certificate.files {
            let bytes = fs::read(folder.release().join(&file.name)).unwrap();
            assert_eq!(crate::privacy::FileSum::of_bytes(&file.name, &bytes), *file, "{context}");
        }
        if let Some(reference) = same {
            let found = release(&folder);
            assert_eq!(
                found.keys().collect::<Vec<_>>(),
                reference.release.keys().collect::<Vec<_>>(),
                "{context}"
            );
            for (name, text) in &found {
                let other = &reference.release[name];
                assert!(*text == *other, "{context}: another {name}: {}", difference(text, other));
            }
        }
        assert_eq!(litter(self.room.path()), Vec::<PathBuf>::new(), "{context}");
    }
}

/// The draw that is stored, if there is one that is whole.
fn drawn(folder: &StudyFolder) -> Option<Vec<u8>> {
    let bytes = fs::read(folder.drawn()).ok()?;
    serde_json::from_slice::<serde_json::Value>(&bytes).ok().map(|_| bytes)
}

/// The files of a release; ids and checks, which differ from ledger to ledger, are left out of texts.
fn release(folder: &StudyFolder) -> BTreeMap<String, String> {
    let of = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        let bytes = fs::read(entry.path()).unwrap();
        let text = match String::from_utf8(bytes) {
            Ok(text) => without_sums(&unpacked(&text)),
            Err(error) => hex::encode(error.as_bytes()),
        };
        (name, text)
    };
    fs::read_dir(folder.release()).unwrap().map(|entry| of(entry.unwrap())).collect()
}

/// A page with the texts that it holds in base64, certificates, as they are.
fn unpacked(page: &str) -> String {
    let packed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let mut out = String::new();
    for part in page.split_inclusive(|c| !packed(c)) {
        let (run, end) = part.split_at(part.trim_end_matches(|c| !packed(c)).len());
        let text = Some(run).filter(|run| run.len() > 200).and_then(|run| BASE64_STANDARD.decode(run).ok());
        out.push_str(&text.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| run.to_owned()));
        out.push_str(end);
    }
    out
}

/// A text without its runs of 32 and more hexadecimal digits.
fn without_sums(text: &str) -> String {
    // A line that tells of a repair may stand before the charge.
    let text = (1..9).fold(text.to_owned(), |text, line| {
        let text = ["\"", "&quot;"].iter().fold(text, |text, quote| {
            text.replace(&format!("line{quote}: {line}"), &format!("line{quote}: #"))
        });
        text.replace(&format!("line {line} "), "line # ")
    });
    let (mut out, mut run) = (String::new(), String::new());
    for c in text.chars().chain(['\n']) {
        if matches!(c, '0'..='9' | 'a'..='f') {
            run.push(c);
            continue;
        }
        out.push_str(if run.len() < 32 { &run } else { "#" });
        run.clear();
        out.push(c);
    }
    out
}

/// Where two texts begin to differ.
fn difference(a: &str, b: &str) -> String {
    let at = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let part = |text: &str| -> String { text.chars().skip(at.saturating_sub(60)).take(120).collect() };
    format!("{} or {}", part(a), part(b))
}

/// What is left half written.
fn litter(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if name.ends_with(".tmp") || name.ends_with(".old") || name.ends_with(".new") {
            found.push(path.clone());
        }
        if path.is_dir() {
            found.extend(litter(&path));
        }
    }
    found
}

/// Does `work` with all of it on this thread, which has the plan of what fails.
fn on_one_thread(work: impl FnOnce() + Send) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
    pool.install(work);
}

fn bench(study: Study, shared: bool) -> (tempfile::TempDir, Bench) {
    let records = tempfile::tempdir().unwrap();
    studies::write_records(records.path());
    let bench =
        Bench { study, records: records.path().to_owned(), room: tempfile::tempdir().unwrap(), shared };
    (records, bench)
}

/// Some cases, spread over all operations.
fn some(name: &str, cases: u32) {
    let study = STUDIES.iter().find(|study| study.name == name).copied().unwrap();
    on_one_thread(|| {
        let mut rng = ChaCha8Rng::seed_from_u64(20);
        let mut tried = Tried::default();
        for shared in [false, true] {
            let (_records, bench) = bench(study, shared);
            let expected = bench.reference(7);
            for case in 0..cases / 2 {
                let from = expected.operations * case / (cases / 2);
                let to = (expected.operations * (case + 1) / (cases / 2)).max(from + 1);
                let trouble = troubles(rng.random())[rng.random_range(0..10)];
                let seed = [Some(7), None][rng.random_range(0..2)];
                bench.try_one(rng.random_range(from..to), trouble, seed, &expected, &mut tried);
            }
        }
        eprintln!("{name}: {tried:?}");
        assert!(tried.cases + 2 >= cases && tried.paid > 0 && tried.drawn > 0, "{tried:?}");
    });
}

macro_rules! studies {
    ($($(#[$slow:meta])* $test:ident: $name:literal, $cases:literal;)*) => {
        $(#[test]
        $(#[$slow])*
        fn $test() {
            some($name, $cases);
        })*

        #[test]
        fn every_study_is_tried() {
            let tried = [$($name),*];
            assert_eq!(STUDIES.iter().map(|study| study.name).collect::<Vec<_>>(), tried);
        }
    };
}

studies! {
    #[ignore = "slow: a quarter of a minute; shape_mean has the same lifecycle"]
    face_mean: "face mean", 8;
    #[ignore = "slow: a minute; shape_modes has the same lifecycle"]
    face_modes: "face modes", 4;
    #[ignore = "slow: a minute; shape_regress has the same lifecycle"]
    face_regress: "face regress", 4;
    #[ignore = "slow: a minute; shape_compare has the same lifecycle"]
    face_compare: "face compare", 4;
    shape_mean: "shape mean", 24;
    shape_mean_of_a_ball: "shape mean of a ball", 12;
    shape_modes: "shape modes", 12;
    shape_regress: "shape regress", 12;
    shape_compare: "shape compare", 12;
    spd_mean: "spd mean", 12;
    sphere_mean: "sphere mean", 12;
    hyperbolic_mean: "hyperbolic mean", 12;
    optimize: "optimize", 24;
}

/// All operations of all studies, all troubles, own and shared ledgers, seeded and not.
#[test]
#[ignore = "needs an hour"]
fn every_operation_of_every_study() {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let of = |study: Study| {
        let mut tried = Tried::default();
        for shared in [false, true] {
            let (_records, bench) = bench(study, shared);
            let expected = bench.reference(7);
            for k in 0..expected.operations {
                for (i, trouble) in troubles(u64::from(k)).into_iter().enumerate() {
                    let seed = [Some(7), None][(k as usize + i + usize::from(shared)) % 2];
                    bench.try_one(k, trouble, seed, &expected, &mut tried);
                }
            }
        }
        eprintln!("{}: {tried:?}", study.name);
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                on_one_thread(|| {
                    while let Some(study) =
                        STUDIES.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                    {
                        of(*study);
                    }
                });
            });
        }
    });
}
