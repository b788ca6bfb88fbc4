//! A step of a stream, stopped at every operation on files, begun again, and begun again from copies of its folder: one draw a step and one charge.

use super::{litter, on_one_thread};
use crate::fault::{Outcome, Trouble, troubles};
use crate::io::write_npy;
use crate::privacy::Ledger;
use crate::study::face::{FaceInputs, StreamSettings, TemplateSource, load_template, run_stream};
use crate::study::{Binding, LedgerChoice, Place, verify};
use crate::synth::FaceParameters;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A stream right before this step.
struct Bench {
    step: usize,
    outside: bool,
    room: tempfile::TempDir,
    before: tempfile::TempDir,
}

impl Bench {
    fn new(step: usize, outside: bool) -> Self {
        let [room, before] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let bench = Self { step, outside, room, before };
        fs::write(bench.path("stream.json"), r#"{"steps": 3, "mu": 1}"#).unwrap();
        let loaded = load_template(&TemplateSource::Builtin).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for year in 1..=4 {
            let face = FaceParameters::sample_about(&FaceParameters::elsewhere(), &mut rng).vertices();
            let face = loaded.template.curves_of(&face, 4, 8).unwrap();
            write_npy(&bench.path(&format!("{year}.npy")), &[1, 4, 8, 3], face.data()).unwrap();
        }
        (1..step).for_each(|year| bench.run(year).unwrap());
        copy(bench.room.path(), bench.before.path());
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.room.path().join(name)
    }

    fn run(&self, year: usize) -> Result<(), String> {
        let prepared = Some(self.path(&format!("{year}.npy")));
        let file = self.outside.then(|| self.path("people.jsonl"));
        let ledger = LedgerChoice { file, ..LedgerChoice::default() };
        let place = Place { ledger, ..Place::new(self.path("out")) };
        let records = FaceInputs { prepared, curves: 4, samples: 8, ..FaceInputs::new(Vec::new(), place) };
        let settings = StreamSettings { plan: self.path("stream.json"), step: None, records };
        run_stream(&settings, &|_| ()).map(drop).map_err(|error| error.to_string())
    }

    fn ledger(&self) -> PathBuf {
        self.path(if self.outside { "people.jsonl" } else { "out/visard.ledger.jsonl" })
    }

    /// The draw of the step that is published, if it is.
    fn look(&self, seen: &mut BTreeSet<Vec<u8>>) {
        let published = fs::read_to_string(self.path("out/release/certificate.json")).unwrap_or_default();
        if published.contains(&format!("\"step\": {}", self.step)) {
            seen.insert(fs::read(self.path("out/release/curves.npy")).unwrap());
        }
    }

    /// The folder as it is in `from`, its ledger at its place.
    fn put_back(&self, from: &Path) {
        let kept = fs::read(self.path("out/visard.ledger.jsonl")).ok();
        let _ = fs::remove_dir_all(self.path("out"));
        if from.exists() {
            copy(from, &self.path("out"));
        }
        if let Some(kept) = kept {
            fs::create_dir_all(self.path("out")).unwrap();
            fs::write(self.path("out/visard.ledger.jsonl"), kept).unwrap();
        }
    }

    /// The trouble at the k-th operation; then the step goes on, or an older copy of the folder is tried first, also with other records. False if
    /// there are fewer operations.
    fn try_one(&self, k: u32, trouble: Trouble, at_once: bool) -> bool {
        let root = self.room.path();
        for entry in fs::read_dir(root).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
        copy(self.before.path(), root);
        let work = || self.run(self.step);
        let what = match trouble.strike(root, k, work) {
            Outcome::Whole(_) => return false,
            Outcome::Struck(what, _) | Outcome::Crashed(what) => what,
        };
        let context = format!(
            "step {}, ledger outside {}, {trouble:?} at operation {k}, {what}, at once {at_once}",
            self.step, self.outside
        );
        let mut seen = BTreeSet::new();
        self.look(&mut seen);
        let again = |year, seen: &mut BTreeSet<Vec<u8>>| {
            let done = self.run(year);
            self.look(seen);
            done
        };
        let whole = |error: &str| {
            ["counted in step", "the plan has no such step"].iter().any(|words| error.contains(words))
        };
        if at_once {
            let done = again(self.step, &mut seen);
            // It may have been whole but for its last words.
            assert!(done.as_ref().is_ok() || done.as_ref().is_err_and(|e| whole(e)), "{context}: {done:?}");
            assert_eq!(litter(root), Vec::<PathBuf>::new(), "{context}");
            let verified = verify(&self.path("out/release"), Some(&self.ledger()), None);
            assert_eq!(verified.unwrap().binding, Binding::Certificate, "{context}");
        }
        let left = tempfile::tempdir().unwrap();
        let left = left.path().join("left");
        copy(&self.path("out"), &left);
        // An older copy of the folder, with other records and with the same.
        self.put_back(&self.before.path().join("out"));
        for year in [4, self.step] {
            let _ = again(year, &mut seen);
        }
        self.put_back(&left);
        let _ = again(self.step, &mut seen);
        let history = Ledger::history(&self.ledger()).unwrap();
        // A folder without a trace of the first step begins another stream, and pays for it.
        let charges = history.charges.len();
        assert!(charges == 1 || (self.step == 1 && charges <= 3), "{context}: {charges} charges");
        assert!(seen.len() <= charges, "{context}: {} draws for {charges} charges", seen.len());
        true
    }

    fn try_all(&self, all: bool) {
        // A step draws pictures, which takes most of the time.
        for k in (0..).step_by(if all { 1 } else { 31 }) {
            let others = troubles(u64::from(k));
            let turn = if k % 2 == 0 { 5 } else { (k as usize * 7 + self.step) % others.len() };
            let mut more = false;
            for (i, trouble) in others.into_iter().enumerate().filter(|(i, _)| all || *i == turn) {
                more |= self.try_one(k, trouble, (k as usize / 2 + i).is_multiple_of(2));
            }
            if !more {
                assert!(k > 25, "only {k} operations");
                return;
            }
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).into_iter().flatten().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
#[ignore = "slow: ten seconds; a_later_step_is_drawn_once has what is stored before it too"]
fn the_first_step_is_drawn_once() {
    on_one_thread(|| Bench::new(1, true).try_all(false));
}

#[test]
fn a_later_step_is_drawn_once() {
    on_one_thread(|| Bench::new(2, true).try_all(false));
}

#[test]
#[ignore = "needs half an hour"]
fn every_trouble_at_every_operation_of_every_step() {
    on_one_thread(|| {
        for (step, outside) in [(1, false), (1, true), (2, false), (2, true), (3, true)] {
            Bench::new(step, outside).try_all(true);
        }
    });
}
