//! A consortium of four sites for the tests.

use rand::SeedableRng;
use std::fs;
use std::path::{Path, PathBuf};
use visard::estimate::Design;
use visard::function::FaceCurves;
use visard::io::write_npy;
use visard::mechanism::functional::Sharing;
use visard::mechanism::vector::GroupAim;
use visard::privacy::{Certificate, Ledger};
use visard::sites::{
    Aggregated, Aggregator, AggregatorSettings, Closed, CombineSettings, Findings, PlannedGroups,
    PlannedRegression, Site, SiteAnswer, SitePlan, SiteSettings, SitesError, answer_round, make_site_key,
    merge_round, read_public_key, unshare_round, verify_round,
};
use visard::study::face::{FaceInputs, Registration, TemplateSource, load_template};
use visard::study::{LedgerChoice, Place};
use visard::synth::FaceParameters;

pub const CURVES: usize = 4;
pub const SAMPLES: usize = 8;
pub const SITES: [(&str, u64); 4] = [("a", 5), ("b", 4), ("c", 6), ("d", 5)];

/// What a plan asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum What {
    Mean,
    Modes(usize),
    Groups(GroupAim),
    /// With the modes of what the covariates leave.
    Regression,
}

/// The table of a site of n people, every third of whom is a patient.
pub fn table(n: u64) -> String {
    let line = |i| format!("{i},{}\n", if i % 3 == 1 { "patient" } else { "control" });
    format!("record,group\n{}", (0..n).map(line).collect::<String>())
}

/// The ages of a site's n people.
pub fn ages(n: u64) -> String {
    format!("record,age\n{}", (0..n).map(|i| format!("{i},{}\n", 20 + 7 * i)).collect::<String>())
}

/// A consortium in a folder: public/, one folder and one file of faces for each site, two aggregators, and a tray for what is handed on.
pub struct Consortium {
    dir: tempfile::TempDir,
    seed: Option<u64>,
    /// Whether sites' ledgers lie outside of their folders.
    outside: bool,
}

pub fn faces(seed: u64) -> Vec<FaceCurves> {
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let mean = FaceParameters::elsewhere();
    (0..21)
        .map(|_| FaceParameters::sample_about(&mean, &mut rng).vertices())
        .map(|v| template.curves_of(&v, CURVES, SAMPLES).unwrap())
        .collect()
}

pub fn write(path: &Path, faces: &[FaceCurves]) {
    let data: Vec<f64> = faces.iter().flat_map(|f| f.data().to_vec()).collect();
    write_npy(path, &[faces.len(), CURVES, SAMPLES, 3], &data).unwrap();
}

impl Consortium {
    pub fn new(noise: Sharing, mu: f64, seed: Option<u64>, changed: bool) -> Self {
        Self::of(What::Mean, noise, mu, seed, changed)
    }

    /// Whose plan asks for this.
    pub fn of(what: What, noise: Sharing, mu: f64, seed: Option<u64>, changed: bool) -> Self {
        let mut new = Self { dir: tempfile::tempdir().unwrap(), seed, outside: false };
        new.begin(what, noise, mu, changed, noise != Sharing::Each);
        new
    }

    /// Whose sites have keys in any case, and perhaps ledgers outside of their folders.
    pub fn keyed(noise: Sharing, mu: f64, outside: bool) -> Self {
        let mut new = Self { dir: tempfile::tempdir().unwrap(), seed: None, outside };
        new.begin(What::Mean, noise, mu, false, true);
        new
    }

    fn begin(&mut self, what: What, noise: Sharing, mu: f64, changed: bool, keyed: bool) {
        let new = self;
        let mut people = faces(1);
        if changed {
            people.swap(2, 20);
        }
        let mut rest = &people[..20];
        let mut sites = Vec::new();
        for (name, n) in SITES {
            let (own, others) = rest.split_at(n as usize);
            write(&new.path(&format!("{name}.npy")), own);
            rest = others;
            let mut groups = Vec::new();
            if let What::Groups(_) = what {
                fs::write(new.path(&format!("{name}.csv")), table(n)).unwrap();
                let patients = (n + 1) / 3;
                groups = vec![n - patients, patients];
            }
            if what == What::Regression {
                let own = if changed { ages(n).replace("2,34", "2,61") } else { ages(n) };
                fs::write(new.path(&format!("{name}.csv")), own).unwrap();
            }
            sites.push(Site { name: name.into(), n, groups, key: keyed.then(|| new.key(name)) });
        }
        let one = |name: &str| Aggregator { name: name.into(), key: new.key(name) };
        let aggregators = if noise != Sharing::Each { vec![one("x"), one("y")] } else { Vec::new() };
        let template = load_template(&TemplateSource::Builtin).unwrap().input;
        let plan = SitePlan {
            visard_sites: visard::sites::FORMAT,
            mu,
            noise,
            sites,
            aggregators,
            template,
            curves: CURVES,
            samples: SAMPLES,
            registration: Registration::Elastic,
            modes: if let What::Modes(most) = what { Some(most) } else { None },
            groups: if let What::Groups(aim) = what {
                Some(PlannedGroups { names: vec!["control".into(), "patient".into()], aim })
            } else {
                None
            },
            regression: (what == What::Regression).then(|| PlannedRegression {
                covariates: Design::parse(&["age=10:70".into()], &[], &[]).unwrap(),
                residuals: true,
            }),
        };
        plan.write(&new.path("public")).unwrap();
        fs::create_dir(new.path("tray")).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn key(&self, name: &str) -> String {
        read_public_key(&make_site_key(&self.path(&format!("{name}.key"))).unwrap()).unwrap()
    }

    pub fn place(&self, name: &str) -> Place {
        let file = Some(self.path(&format!("{name}.people.jsonl")))
            .filter(|_| self.outside && SITES.iter().any(|(site, _)| *site == name));
        let ledger = LedgerChoice { file, ..LedgerChoice::default() };
        Place { seed: self.seed, resume: true, ledger, ..Place::new(self.path(name)) }
    }

    pub fn answer_with(&self, public: &str, site: &str, file: &str) -> Result<SiteAnswer, SitesError> {
        let key = Some(self.path(&format!("{site}.key"))).filter(|key| key.exists());
        let mut records =
            FaceInputs { prepared: Some(self.path(file)), ..FaceInputs::new(Vec::new(), self.place(site)) };
        records.counting.people =
            Some(self.path(&format!("{site}.persons.csv"))).filter(|table| table.exists()).map(Into::into);
        let table = Some(self.path(&format!("{site}.csv"))).filter(|table| table.exists());
        let settings = SiteSettings { public: self.path(public), name: site.into(), key, table, records };
        answer_round(&settings, &|_| {})
    }

    /// A site answers, and what it hands on is carried to the tray.
    pub fn answer(&self, site: &str) -> Result<SiteAnswer, SitesError> {
        let done = self.answer_with("public", site, &format!("{site}.npy"))?;
        self.carry(&done.files);
        Ok(done)
    }

    pub fn carry(&self, files: &[PathBuf]) {
        for file in files {
            fs::copy(file, self.path("tray").join(file.file_name().unwrap())).unwrap();
        }
    }

    pub fn verify(&self, name: &str, without: &[&str]) -> Result<Aggregated, SitesError> {
        let done = self.verify_in(name, name, without)?;
        self.carry(&done.files);
        Ok(done)
    }

    /// An aggregator at work in another folder than its own.
    pub fn verify_in(&self, name: &str, folder: &str, without: &[&str]) -> Result<Aggregated, SitesError> {
        verify_round(&AggregatorSettings {
            public: self.path("public"),
            name: name.into(),
            key: self.path(&format!("{name}.key")),
            inbox: vec![self.path("tray")],
            without: without.iter().map(|name| (*name).into()).collect(),
            template: TemplateSource::Builtin,
            place: self.place(folder),
        })
    }

    pub fn closing(&self, without: &[&str]) -> CombineSettings {
        CombineSettings {
            public: self.path("public"),
            inbox: vec![self.path("tray")],
            without: without.iter().map(|name| (*name).into()).collect(),
            template: TemplateSource::Builtin,
            place: self.place("study"),
        }
    }

    /// A round under secure aggregation.
    pub fn secure_round(&self, without: &[&str]) -> Closed {
        for (site, _) in SITES.iter().filter(|(name, _)| !without.contains(name)) {
            self.answer(site).unwrap();
        }
        assert!(!self.verify("x", without).unwrap().finished);
        assert!(self.verify("y", without).unwrap().finished);
        assert!(self.verify("x", without).unwrap().finished);
        unshare_round(&self.closing(&[])).unwrap()
    }

    /// Both rounds.
    pub fn rounds(&self, noise: Sharing) -> (Certificate, Findings) {
        let round = || {
            if noise == Sharing::Each {
                SITES.iter().for_each(|(site, _)| drop(self.answer(site).unwrap()));
                merge_round(&self.closing(&[])).unwrap()
            } else {
                self.secure_round(&[])
            }
        };
        assert!(round().released.is_none());
        round().released.unwrap()
    }

    pub fn certificate(&self) -> Certificate {
        Certificate::from_json(&fs::read_to_string(self.path("study/release/certificate.json")).unwrap())
            .unwrap()
    }

    /// Where the ledger of a party lies.
    pub fn ledger(&self, name: &str) -> PathBuf {
        let beside_key = self.path(&format!("{name}.key.ledger.jsonl"));
        let outside = self.path(&format!("{name}.people.jsonl"));
        let own = self.path(name).join("visard.ledger.jsonl");
        [beside_key, outside].into_iter().find(|path| path.exists()).unwrap_or(own)
    }

    /// For every charge of a party, how many rounds it was redeemed for.
    pub fn charges(&self, name: &str) -> Vec<usize> {
        let path = self.ledger(name);
        if !path.exists() {
            return Vec::new();
        }
        Ledger::history(&path).unwrap().charges.iter().map(|charge| charge.redeemed_parts.len()).collect()
    }

    /// Copies a party's folder.
    pub fn copy(&self, from: &str, to: &str) {
        copy(&self.path(from), &self.path(to));
    }

    /// Puts a copy of a party's folder in its place, but for its ledger, which stays where and as it is.
    pub fn put_back(&self, copied: &str, name: &str) {
        let ledger = self.path(name).join("visard.ledger.jsonl");
        let kept = fs::read(&ledger).ok();
        fs::remove_dir_all(self.path(name)).unwrap();
        self.copy(copied, name);
        if let Some(kept) = kept {
            fs::write(ledger, kept).unwrap();
        }
    }

    pub fn share(&self, round: usize, site: &str, to: &str) -> PathBuf {
        self.path("tray").join(format!("round-{round}.{site}.to-{to}.share"))
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, to) = (entry.as_ref().unwrap().path(), to.join(entry.as_ref().unwrap().file_name()));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}

pub fn refused<T: std::fmt::Debug>(result: Result<T, SitesError>, expected: &str) {
    let error = result.unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}
