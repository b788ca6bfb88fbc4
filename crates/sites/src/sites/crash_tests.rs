//! Many sites: the step of a party, stopped at every operation on files, begun again, and begun again from copies of its folder. One answer
//! a round and a charge is all that ever leaves.

use super::{
    Aggregator, AggregatorSettings, CombineSettings, KnownPlan, Site, SitePlan, SiteSettings, answer_round,
    make_site_key, merge_round, naming_a_site_twice, read_public_key, unshare_round, verify_round,
};
use crate::fault::{Outcome, Trouble, troubles};
use crate::io::write_npy;
use crate::mechanism::functional::Sharing;
use crate::privacy::Ledger;
use crate::study::face::{FaceInputs, Registration, TemplateSource, load_template};
use crate::study::{LedgerChoice, Place};
use crate::synth::FaceParameters;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const SITES: [&str; 3] = ["a", "b", "c"];
const SITES_SHARE: Sharing = Sharing::Sites { honest: 1 };
/// Answers that may leave a party.
const ANSWERS: [&str; 4] = ["sum", "share", "aggregate", "reply"];

/// An exchange right before a step of one party, and what of its answers has been seen outside.
struct Bench {
    noise: Sharing,
    outside: bool,
    party: &'static str,
    round: usize,
    room: tempfile::TempDir,
    before: tempfile::TempDir,
    seen: BTreeMap<String, BTreeSet<Vec<u8>>>,
}

impl Bench {
    /// Before `party` takes its last step of this round.
    fn new(noise: Sharing, outside: bool, party: &'static str, round: usize) -> Self {
        let [room, before] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let bench = Self { noise, outside, party, round, room, before, seen: BTreeMap::new() };
        bench.plan();
        if round == 2 {
            for party in bench.steps() {
                bench.step(party).unwrap();
            }
            bench.close();
        }
        let last = bench.steps().iter().rposition(|one| *one == party).unwrap();
        for party in &bench.steps()[..last] {
            bench.step(party).unwrap();
        }
        copy(bench.room.path(), bench.before.path());
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.room.path().join(name)
    }

    /// Who acts in a round, in this order.
    fn steps(&self) -> Vec<&'static str> {
        let aggregators = if self.noise == Sharing::Each { &[][..] } else { &["x", "y", "x"] };
        [&SITES[..], aggregators].concat()
    }

    fn plan(&self) {
        let key = |name: &str| {
            read_public_key(&make_site_key(&self.path(&format!("{name}.key"))).unwrap()).unwrap()
        };
        let loaded = load_template(&TemplateSource::Builtin).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut sites = Vec::new();
        for name in SITES {
            let faces: Vec<f64> = (0..4)
                .flat_map(|_| {
                    let face =
                        FaceParameters::sample_about(&FaceParameters::elsewhere(), &mut rng).vertices();
                    loaded.template.curves_of(&face, 4, 8).unwrap().data().to_vec()
                })
                .collect();
            write_npy(&self.path(&format!("{name}.npy")), &[4, 4, 8, 3], &faces).unwrap();
            sites.push(Site { name: name.into(), n: 4, groups: Vec::new(), key: Some(key(name)) });
        }
        let one = |name: &str| Aggregator { name: name.into(), key: key(name) };
        let plan = SitePlan {
            visard_sites: super::FORMAT,
            mu: 1.0,
            noise: self.noise,
            sites,
            aggregators: if self.noise == Sharing::Each { Vec::new() } else { vec![one("x"), one("y")] },
            template: loaded.input,
            curves: 4,
            samples: 8,
            registration: Registration::Elastic,
            modes: None,
            groups: None,
            regression: None,
        };
        plan.write(&self.path("public")).unwrap();
        fs::create_dir(self.path("tray")).unwrap();
    }

    fn place(&self, name: &str) -> Place {
        let file = self.outside.then(|| self.path(&format!("{name}.ledger")));
        Place {
            resume: true,
            ledger: LedgerChoice { file, ..LedgerChoice::default() },
            ..Place::new(self.path(name))
        }
    }

    /// One step of a party; what it hands on is carried to the tray.
    fn step(&self, name: &str) -> Result<(), String> {
        let key = self.path(&format!("{name}.key"));
        let public = self.path("public");
        let files = if SITES.contains(&name) {
            let prepared = Some(self.path(&format!("{name}.npy")));
            let records = FaceInputs { prepared, ..FaceInputs::new(Vec::new(), self.place(name)) };
            let settings = SiteSettings { public, name: name.into(), key: Some(key), table: None, records };
            answer_round(&settings, &|_| ()).map(|done| done.files)
        } else {
            let settings = AggregatorSettings {
                public,
                name: name.into(),
                key,
                inbox: vec![self.path("tray")],
                without: Vec::new(),
                template: TemplateSource::Builtin,
                place: self.place(name),
            };
            verify_round(&settings).map(|done| done.files)
        };
        for file in files.map_err(|error| error.to_string())? {
            fs::copy(&file, self.path("tray").join(file.file_name().unwrap())).unwrap();
        }
        Ok(())
    }

    fn close(&self) {
        let settings = CombineSettings {
            public: self.path("public"),
            inbox: vec![self.path("tray")],
            without: Vec::new(),
            template: TemplateSource::Builtin,
            place: Place::new(self.path("study")),
        };
        if self.noise == Sharing::Each { merge_round(&settings) } else { unshare_round(&settings) }.unwrap();
    }

    /// Where the party's ledger lies.
    fn ledger(&self) -> PathBuf {
        let own = self.path(self.party).join("visard.ledger.jsonl");
        let others = [format!("{}.ledger", self.party), format!("{}.key.ledger.jsonl", self.party)];
        others.iter().map(|name| self.path(name)).find(|path| path.exists()).unwrap_or(own)
    }

    /// What has left.
    fn look(&mut self) {
        for entry in fs::read_dir(self.path(self.party).join("outbox")).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let answers = ANSWERS.iter().any(|ending| path.extension().is_some_and(|end| end == *ending));
            if answers && name.starts_with(&format!("round-{}.", self.round)) {
                self.seen.entry(name).or_default().insert(fs::read(&path).unwrap());
            }
        }
    }

    /// The party's folder as it is in `from`, its ledger at its place.
    fn put_back(&self, from: &Path) {
        let (home, own) = (self.path(self.party), self.path(self.party).join("visard.ledger.jsonl"));
        let kept = fs::read(&own).ok();
        let _ = fs::remove_dir_all(&home);
        if from.exists() {
            copy(from, &home);
        }
        if let Some(kept) = kept {
            fs::create_dir_all(&home).unwrap();
            fs::write(own, kept).unwrap();
        }
    }

    /// The party's step, which may be refused because the round is answered; and what has left by then.
    fn again(&mut self, context: &str) -> bool {
        let done = self.step(self.party);
        self.look();
        if let Err(error) = &done {
            let known = ["has been answered already", "has a charge for this plan already"];
            assert!(known.iter().any(|words| error.contains(words)), "{context}: {error}");
        }
        done.is_ok()
    }

    /// The trouble at the k-th operation; then the party goes on, before or after copies of its folder were put back. False if there are
    /// fewer operations.
    fn try_one(&mut self, k: u32, trouble: Trouble, at_once: bool) -> bool {
        let root = self.room.path().to_owned();
        for entry in fs::read_dir(&root).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
        copy(self.before.path(), &root);
        self.seen.clear();
        let work = || self.step(self.party);
        let what = match trouble.strike(&root, k, work) {
            Outcome::Whole(_) => return false,
            Outcome::Struck(what, _) | Outcome::Crashed(what) => what,
        };
        let Self { noise, outside, party, round, .. } = *self;
        let context = format!(
            "{party} in round {round}, {noise:?}, ledger outside {outside}, {trouble:?} at operation {k}, {what}, at once {at_once}"
        );
        self.look();
        if at_once {
            assert!(self.again(&context), "{context}: it does not go on");
            assert!(self.again(&context), "{context}: it does not go on twice");
        }
        let left = tempfile::tempdir().unwrap();
        let (left, copied) = (left.path().join("left"), self.before.path().join(party));
        let home = self.path(party);
        if home.exists() {
            copy(&home, &left);
        }
        self.put_back(&copied);
        self.again(&context);
        self.put_back(&left);
        self.again(&context);
        let charges = Ledger::history(&self.ledger()).unwrap().charges.len();
        // A folder without a trace of the first round begins anew, and pays for that: only of sites, whose people's ledger it is.
        let paid_again = round == 1 && SITES.contains(&party);
        assert!(charges == 1 || paid_again, "{context}: {charges} charges");
        assert!(!self.seen.is_empty(), "{context}: no answer");
        for (name, answers) in &self.seen {
            assert!(
                answers.len() <= charges,
                "{context}: {} answers {name} for {charges} charges",
                answers.len()
            );
        }
        true
    }

    /// All operations with all troubles; or every third, by turns with the end of the process and with another trouble.
    fn try_all(&mut self, all: bool) {
        for k in (0..).step_by(if all { 1 } else { 3 }) {
            let others = troubles(u64::from(k));
            let turn = if k % 2 == 0 { 5 } else { (k as usize * 7 + self.round) % others.len() };
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

/// Does `work` with all of it on this thread, which has the plan of what fails.
fn on_one_thread(work: impl FnOnce() + Send) {
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap().install(work);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}

fn tried(noise: Sharing, party: &'static str, cases: &[(usize, bool)]) {
    on_one_thread(|| {
        for (round, outside) in cases {
            Bench::new(noise, *outside, party, *round).try_all(false);
        }
    });
}

#[test]
fn a_site_s_sum_leaves_once() {
    tried(Sharing::Each, "a", &[(2, false), (1, true)]);
}

#[test]
fn a_site_s_shares_leave_once() {
    tried(SITES_SHARE, "a", &[(2, true)]);
}

#[test]
fn the_second_aggregator_adds_up_once() {
    tried(SITES_SHARE, "y", &[(2, false)]);
}

#[test]
fn the_first_aggregator_adds_up_once() {
    tried(Sharing::Aggregators, "x", &[(1, false)]);
}

/// A site that is added up k times has k times the weight against the same noise.
#[test]
fn a_site_that_the_first_aggregator_names_twice_is_not_added_up_twice() {
    let bench = Bench::new(SITES_SHARE, false, "y", 1);
    let check = bench.path("tray/round-1.x.to-y.check");
    let good = fs::read(&check).unwrap();
    let plan = KnownPlan::read(&bench.path("public")).unwrap().plan;
    let forged = naming_a_site_twice(&check, &plan, [&bench.path("x.key"), &bench.path("y.key")]);
    fs::write(&check, forged).unwrap();
    let error = bench.step("y").unwrap_err();
    assert!(error.contains("the message of x names a site twice"), "{error}");
    fs::write(&check, good).unwrap();
    bench.step("y").unwrap();
}

#[test]
#[ignore = "needs a quarter of an hour"]
fn every_trouble_at_every_operation_of_every_party() {
    on_one_thread(|| {
        for (noise, party) in [
            (Sharing::Each, "a"),
            (SITES_SHARE, "a"),
            (Sharing::Aggregators, "a"),
            (SITES_SHARE, "x"),
            (SITES_SHARE, "y"),
            (Sharing::Aggregators, "x"),
            (Sharing::Aggregators, "y"),
        ] {
            for (round, outside) in [(1, false), (1, true), (2, false), (2, true)] {
                Bench::new(noise, outside, party, round).try_all(true);
            }
        }
    });
}
