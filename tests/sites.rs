//! Many sites: whole exchanges by files, and what goes wrong in them.

use rand::SeedableRng;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use visard::function::FaceCurves;
use visard::io::write_npy;
use visard::mechanism::functional::Sharing;
use visard::mechanism::vector::GroupAim;
use visard::privacy::{Certificate, Ledger};
use visard::study::Place;
use visard::study::face::sites::{
    Aggregated, Aggregator, AggregatorSettings, Closed, CombineSettings, Findings, PlannedGroups, Site,
    SiteAnswer, SitePlan, SiteSettings, answer_round, make_sealing_key, merge_round, read_public_key,
    unshare_round, verify_round,
};
use visard::study::face::{FaceInputs, Registration, StudyError, TemplateSource, load_template};
use visard::synth::FaceParameters;

const CURVES: usize = 4;
const SAMPLES: usize = 8;
const SITES: [(&str, u64); 4] = [("a", 5), ("b", 4), ("c", 6), ("d", 5)];

/// What a plan asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum What {
    Mean,
    Modes(usize),
    Groups(GroupAim),
}

/// The table of a site of n people, every third of whom is a patient.
fn table(n: u64) -> String {
    let line = |i| format!("{i},{}\n", if i % 3 == 1 { "patient" } else { "control" });
    format!("record,group\n{}", (0..n).map(line).collect::<String>())
}

/// A consortium in a folder: public/, one folder and one file of faces for each site, two aggregators, and a tray for what is handed on.
struct Consortium {
    dir: tempfile::TempDir,
    seed: Option<u64>,
}

fn faces(seed: u64) -> Vec<FaceCurves> {
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let mean = FaceParameters::elsewhere();
    (0..21)
        .map(|_| FaceParameters::sample_about(&mean, &mut rng).vertices())
        .map(|v| template.curves_of(&v, CURVES, SAMPLES).unwrap())
        .collect()
}

fn write(path: &Path, faces: &[FaceCurves]) {
    let data: Vec<f64> = faces.iter().flat_map(|f| f.data().to_vec()).collect();
    write_npy(path, &[faces.len(), CURVES, SAMPLES, 3], &data).unwrap();
}

impl Consortium {
    fn new(noise: Sharing, mu: f64, seed: Option<u64>, changed: bool) -> Self {
        Self::of(What::Mean, noise, mu, seed, changed)
    }

    /// Whose plan asks for this.
    fn of(what: What, noise: Sharing, mu: f64, seed: Option<u64>, changed: bool) -> Self {
        let new = Self { dir: tempfile::tempdir().unwrap(), seed };
        let mut people = faces(1);
        if changed {
            people.swap(2, 20);
        }
        let mut rest = &people[..20];
        let keyed = noise != Sharing::Each;
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
            sites.push(Site { name: name.into(), n, groups, key: keyed.then(|| new.key(name)) });
        }
        let one = |name: &str| Aggregator { name: name.into(), key: new.key(name) };
        let aggregators = if keyed { vec![one("x"), one("y")] } else { Vec::new() };
        let template = load_template(&TemplateSource::Builtin).unwrap().input;
        let plan = SitePlan {
            visard_sites: 1,
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
        };
        plan.write(&new.path("public")).unwrap();
        fs::create_dir(new.path("tray")).unwrap();
        new
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn key(&self, name: &str) -> String {
        read_public_key(&make_sealing_key(&self.path(&format!("{name}.key"))).unwrap()).unwrap()
    }

    fn place(&self, name: &str) -> Place {
        Place { seed: self.seed, resume: true, ..Place::new(self.path(name)) }
    }

    fn answer_with(&self, public: &str, site: &str, file: &str) -> Result<SiteAnswer, StudyError> {
        let key = Some(self.path(&format!("{site}.key"))).filter(|key| key.exists());
        let records =
            FaceInputs { prepared: Some(self.path(file)), ..FaceInputs::new(Vec::new(), self.place(site)) };
        let groups = Some(self.path(&format!("{site}.csv"))).filter(|table| table.exists());
        let settings = SiteSettings { public: self.path(public), name: site.into(), key, groups, records };
        answer_round(&settings, &|_| {})
    }

    /// A site answers, and what it hands on is carried to the tray.
    fn answer(&self, site: &str) -> Result<SiteAnswer, StudyError> {
        let done = self.answer_with("public", site, &format!("{site}.npy"))?;
        self.carry(&done.files);
        Ok(done)
    }

    fn carry(&self, files: &[PathBuf]) {
        for file in files {
            fs::copy(file, self.path("tray").join(file.file_name().unwrap())).unwrap();
        }
    }

    fn verify(&self, name: &str, without: &[&str]) -> Result<Aggregated, StudyError> {
        let done = verify_round(&AggregatorSettings {
            public: self.path("public"),
            name: name.into(),
            key: self.path(&format!("{name}.key")),
            inbox: vec![self.path("tray")],
            without: without.iter().map(|name| (*name).into()).collect(),
            template: TemplateSource::Builtin,
            place: self.place(name),
        })?;
        self.carry(&done.files);
        Ok(done)
    }

    fn closing(&self, without: &[&str]) -> CombineSettings {
        CombineSettings {
            public: self.path("public"),
            inbox: vec![self.path("tray")],
            without: without.iter().map(|name| (*name).into()).collect(),
            template: TemplateSource::Builtin,
            place: self.place("study"),
        }
    }

    /// A round under secure aggregation.
    fn secure_round(&self, without: &[&str]) -> Closed {
        for (site, _) in SITES.iter().filter(|(name, _)| !without.contains(name)) {
            self.answer(site).unwrap();
        }
        assert!(!self.verify("x", without).unwrap().finished);
        assert!(self.verify("y", without).unwrap().finished);
        assert!(self.verify("x", without).unwrap().finished);
        unshare_round(&self.closing(&[])).unwrap()
    }

    /// Both rounds.
    fn rounds(&self, noise: Sharing) -> (Certificate, Findings) {
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

    fn certificate(&self) -> Certificate {
        Certificate::from_json(&fs::read_to_string(self.path("study/release/certificate.json")).unwrap())
            .unwrap()
    }

    fn charges(&self, name: &str) -> Vec<bool> {
        let path = self.path(name).join("visard.ledger.jsonl");
        if !path.exists() {
            return Vec::new();
        }
        Ledger::history(&path).unwrap().charges.iter().map(|charge| charge.redeemed.is_some()).collect()
    }

    fn share(&self, round: usize, site: &str, to: &str) -> PathBuf {
        self.path("tray").join(format!("round-{round}.{site}.to-{to}.share"))
    }
}

fn refused<T: std::fmt::Debug>(result: Result<T, StudyError>, expected: &str) {
    let error = result.unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn sites_under_secure_aggregation_release_one_mean_and_pay_once_each() {
    let consortium = Consortium::new(Sharing::Sites { honest: 2 }, 1.0, None, false);
    assert!(consortium.secure_round(&[]).released.is_none());
    assert_eq!(consortium.charges("a"), [false]);
    // One site drops out of the second round: three are enough for K′ = 2.
    let closed = consortium.secure_round(&["d"]);
    assert_eq!((closed.round, closed.rounds), (2, 2));
    let (certificate, _) = closed.released.unwrap();
    assert_eq!(certificate, consortium.certificate());
    assert!(
        certificate.private
            && certificate.n == 15
            && certificate.caveats.iter().any(|c| c.contains("at least 2 of the sites"))
    );
    assert_eq!(certificate.details["noise_added"]["K_honest"], 2);
    assert_eq!(certificate.details["rounds"][1]["sites"], serde_json::json!(["a", "b", "c"]));
    assert_eq!(certificate.details["site_certificates"].as_object().unwrap().len(), 4);
    assert_eq!(certificate.public_inputs[0].name, "built-in template face");
    for (site, redeemed) in [("a", true), ("b", true), ("c", true), ("d", false), ("x", true), ("y", true)] {
        assert_eq!(consortium.charges(site), [redeemed], "{site}");
    }
    refused(consortium.answer("a"), "all rounds of this plan are done");
    visard::study::verify(&consortium.path("study"), None, None).unwrap();
    // The result is there: closing again makes the release anew, from the same results.
    refused(unshare_round(&consortium.closing(&[])), "already holds a release");
    fs::remove_dir_all(consortium.path("study")).unwrap();
    assert_eq!(unshare_round(&consortium.closing(&[])).unwrap().released.unwrap().0, certificate);
}

#[test]
fn what_is_damaged_foreign_late_or_twice_is_refused_by_name_and_can_be_mended() {
    let consortium = Consortium::new(Sharing::Sites { honest: 2 }, 1.0, None, false);
    consortium.answer("a").unwrap();
    consortium.answer("b").unwrap();
    refused(consortium.verify("x", &[]), "no share of c, d");
    refused(consortium.verify("x", &["c", "d"]), "2 sites are too few");
    // A site that was killed after its answer was stored, before it was handed on, gives the same files again at no charge.
    let first = consortium.answer("c").unwrap();
    let bytes = fs::read(&first.files[0]).unwrap();
    fs::remove_dir_all(consortium.path("c/outbox")).unwrap();
    let again = consortium.answer("c").unwrap();
    assert!(again.again && fs::read(&again.files[0]).unwrap() == bytes && consortium.charges("c").len() == 1);
    // One that was killed between its charge and its answer draws under the charge that was made.
    consortium.answer("d").unwrap();
    let state = consortium.path("d/internal/sites.json");
    let mut value: Value = serde_json::from_slice(&fs::read(&state).unwrap()).unwrap();
    value["answered"] = serde_json::json!({});
    fs::write(&state, value.to_string()).unwrap();
    assert!(!consortium.answer("d").unwrap().again);
    assert_eq!(consortium.charges("d"), [false]);
    // Damage anywhere.
    let share = consortium.share(1, "b", "x");
    let good = fs::read(&share).unwrap();
    for at in [3, good.iter().position(|b| *b == b'\n').unwrap() + 9, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 4;
        fs::write(&share, bad).unwrap();
        let error = consortium.verify("x", &[]).unwrap_err().to_string();
        assert!(error.contains("round-1.b.to-x.share") && error.contains("damaged"), "{error}");
    }
    // Another site's share under its name: what was sealed says who sealed it.
    fs::write(&share, String::from_utf8_lossy(&good[..20]).as_bytes()).unwrap();
    assert!(consortium.verify("x", &[]).is_err());
    fs::write(&share, &good).unwrap();
    assert!(!consortium.verify("x", &[]).unwrap().finished);
    refused(unshare_round(&consortium.closing(&[])), "sums of both aggregators");
    // The second must go on with the same sites.
    refused(consortium.verify("y", &["d"]), "has a share of d, here is none");
    assert!(consortium.verify("y", &[]).unwrap().finished && consortium.verify("x", &[]).unwrap().finished);
    // A damaged sum of an aggregator is random numbers.
    let sum = consortium.path("tray/round-1.y.aggregate");
    let good = fs::read(&sum).unwrap();
    let mut bad = good.clone();
    *bad.last_mut().unwrap() ^= 1;
    fs::write(&sum, bad).unwrap();
    refused(unshare_round(&consortium.closing(&[])), "do not add up");
    fs::write(&sum, good).unwrap();
    unshare_round(&consortium.closing(&[])).unwrap();
    // A share of the first round, sent again in the second.
    consortium.answer("a").unwrap();
    fs::copy(consortium.share(1, "b", "x"), consortium.share(2, "b", "x")).unwrap();
    let named = AggregatorSettings {
        public: consortium.path("public"),
        name: "x".into(),
        key: consortium.path("x.key"),
        inbox: vec![consortium.path("tray"), consortium.share(2, "b", "x")],
        without: vec![],
        template: TemplateSource::Builtin,
        place: consortium.place("x"),
    };
    refused(verify_round(&named), "is of round 1, which is closed");
    // Results that were changed: everything that rests on them is refused.
    let result = consortium.path("public/round-1.json");
    let text = fs::read_to_string(&result).unwrap();
    fs::write(&result, text.replace("\"seeded\":false", "\"seeded\": false")).unwrap();
    refused(consortium.verify("x", &[]), "rests on other results");
    refused(consortium.answer("a"), "a round is answered once");
}

#[test]
fn sites_with_other_settings_people_or_records_are_refused_before_a_charge() {
    let consortium = Consortium::new(Sharing::Sites { honest: 2 }, 1.0, None, false);
    refused(consortium.answer_with("public", "a", "c.npy"), "5 people, here are 6");
    refused(consortium.answer_with("public", "nobody", "a.npy"), "not one of the plan's sites: a, b, c, d");
    assert!(consortium.charges("a").is_empty());
    // A site with a plan of its own: more noise, less, another template; the aggregators see another plan.
    let liar = consortium.path("lie");
    fs::create_dir(&liar).unwrap();
    let plan = fs::read_to_string(consortium.path("public/plan.json")).unwrap();
    fs::write(liar.join("plan.json"), plan.replace("\"mu\": 1.0", "\"mu\": 8.0")).unwrap();
    let lie = consortium.answer_with("lie", "a", "a.npy").unwrap();
    consortium.carry(&lie.files);
    for site in ["b", "c", "d"] {
        consortium.answer(site).unwrap();
    }
    refused(consortium.verify("x", &[]), "is of another plan");
    refused(consortium.answer("a"), "this folder is of another plan");
    fs::write(liar.join("plan.json"), plan.replace("\"sha256\": \"", "\"sha256\": \"0")).unwrap();
    refused(consortium.answer_with("lie", "b", "b.npy"), "another template than the plan's");
    fs::write(liar.join("plan.json"), plan.replace("\"honest\": 2", "\"honest\": 4")).unwrap();
    refused(consortium.answer_with("lie", "b", "b.npy"), "at least one more than must be honest");
    // Other records in the second round.
    fs::remove_file(consortium.share(1, "a", "x")).unwrap();
    fs::remove_file(consortium.share(1, "a", "y")).unwrap();
    for party in ["x", "y", "x"] {
        consortium.verify(party, &["a"]).unwrap();
    }
    unshare_round(&consortium.closing(&[])).unwrap();
    write(&consortium.path("b.npy"), &faces(7)[..4]);
    refused(consortium.answer("b"), "other records");
    assert_eq!(consortium.charges("b"), [false]);
}

#[test]
fn without_aggregators_every_site_has_its_own_noise_and_certificate() {
    let consortium = Consortium::new(Sharing::Each, 1.0, None, false);
    for round in 1..=2 {
        for (site, _) in SITES {
            let done = consortium.answer(site).unwrap();
            assert_eq!((done.round, done.files.len()), (round, 1));
        }
        if round == 1 {
            let sum = consortium.path("tray/round-1.b.sum");
            let good = fs::read(&sum).unwrap();
            fs::write(&sum, &good[..good.len() - 5]).unwrap();
            refused(merge_round(&consortium.closing(&[])), "round-1.b.sum: does not hold a sum");
            let mut far = good.clone();
            let end = far.len() - 2;
            far[end] = 0x70;
            fs::write(&sum, far).unwrap();
            refused(merge_round(&consortium.closing(&[])), "out of range");
            fs::remove_file(&sum).unwrap();
            refused(merge_round(&consortium.closing(&[])), "no sum of b");
            fs::write(&sum, good).unwrap();
            refused(unshare_round(&consortium.closing(&[])), "without them by site merge");
        }
        let closed = merge_round(&consortium.closing(&[])).unwrap();
        assert_eq!(closed.released.is_some(), round == 2);
    }
    let certificate = consortium.certificate();
    assert!(certificate.private && certificate.n == 20);
    let own = &certificate.details["site_certificates"]["c"];
    assert_eq!((&own["n"], &own["private"]), (&6.into(), &true.into()));
    assert!(own["ledger"]["line"].is_u64() && consortium.charges("c") == [true]);
    assert!(certificate.details["assumption"].as_str().unwrap().contains("nothing is assumed"));
}

#[test]
fn modes_of_variation_are_released_over_sites_too() {
    for noise in [Sharing::Sites { honest: 2 }, Sharing::Aggregators, Sharing::Each] {
        let consortium = Consortium::of(What::Modes(3), noise, 2.0, None, false);
        let (certificate, Findings::Mean(accuracy)) = consortium.rounds(noise) else { panic!("a mean") };
        assert!(certificate.private && certificate.n == 20 && certificate.loss.to_string().contains('2'));
        assert!(certificate.mechanism.contains("second moment over many sites"), "{}", certificate.mechanism);
        assert!(accuracy.rms > 0.0 && certificate.details["modes"].is_object());
        assert_eq!(certificate.details["site_certificates"].as_object().unwrap().len(), 4);
        assert_eq!(consortium.charges("b"), [true]);
        for file in ["modes.npy", "curves.npy", "mean.ply", "variances.csv", "report.html"] {
            assert!(consortium.path("study/release").join(file).is_file(), "{file}");
        }
        visard::study::verify(&consortium.path("study"), None, None).unwrap();
        refused(consortium.answer("a"), "all rounds of this plan are done");
    }
}

#[test]
fn groups_are_compared_over_sites_and_tables_that_do_not_fit_cost_nothing() {
    for noise in [Sharing::Sites { honest: 2 }, Sharing::Aggregators, Sharing::Each] {
        for aim in [GroupAim::Map, GroupAim::Test] {
            let consortium = Consortium::of(What::Groups(aim), noise, 2.0, None, false);
            for (text, expected) in [
                (table(5).replace("1,patient", "1,control"), "4 of control, 1 of patient"),
                (table(5).replace("patient", "other"), "\"other\" is none of those"),
                (table(4), "\"4\": is in no group"),
            ] {
                fs::write(consortium.path("a.csv"), text).unwrap();
                refused(consortium.answer("a"), expected);
            }
            fs::remove_file(consortium.path("a.csv")).unwrap();
            refused(consortium.answer("a"), "give the table --groups");
            assert!(consortium.charges("a").is_empty());
            fs::write(consortium.path("a.csv"), table(5)).unwrap();
            let (certificate, Findings::Groups(found)) = consortium.rounds(noise) else { panic!("groups") };
            assert!(certificate.private && certificate.n == 20 && certificate.loss.to_string().contains('2'));
            assert!(certificate.mechanism.contains("groups over many sites"), "{}", certificate.mechanism);
            assert_eq!(found.groups, [("control".into(), 13), ("patient".into(), 7)]);
            assert_eq!(
                (found.map.len(), found.test.is_some()),
                if aim == GroupAim::Map { (1, false) } else { (0, true) }
            );
            assert!(certificate.details["partition_sha256"].is_null());
            assert_eq!(certificate.details["sites"][1]["groups"], serde_json::json!([3, 1]));
            assert_eq!(consortium.charges("b"), [true]);
            let files = if aim == GroupAim::Map {
                &["difference.npy", "mean_control.ply", "mean_patient.ply", "report.html"][..]
            } else {
                &["test.json", "report.html"]
            };
            for file in files {
                assert!(consortium.path("study/release").join(file).is_file(), "{file}");
            }
            visard::study::verify(&consortium.path("study"), None, None).unwrap();
        }
    }
}

#[test]
fn people_do_not_change_groups_between_rounds() {
    let noise = Sharing::Each;
    let consortium = Consortium::of(What::Groups(GroupAim::Map), noise, 2.0, None, false);
    SITES.iter().for_each(|(site, _)| drop(consortium.answer(site).unwrap()));
    merge_round(&consortium.closing(&[])).unwrap();
    // As many of each, but others.
    let text = table(5).replace("0,control", "0,patient").replace("1,patient", "1,control");
    fs::write(consortium.path("a.csv"), text).unwrap();
    refused(consortium.answer("a"), "other records");
}

/// All file names of a consortium that leave a party, with what in them is no ciphertext, noise or sum of a file.
fn shapes(consortium: &Consortium) -> BTreeMap<String, (usize, Value)> {
    let mut shapes = BTreeMap::new();
    for folder in ["tray", "public", "study/release"] {
        for entry in fs::read_dir(consortium.path(folder)).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            let end = bytes.iter().position(|b| *b == b'\n').unwrap_or(bytes.len());
            let whole = path.extension().is_some_and(|ending| ending == "json");
            let text = if whole { &bytes[..] } else { &bytes[..end] };
            let mut value: Value = serde_json::from_slice(text).unwrap_or(Value::Null);
            plain(&mut value);
            let name = format!("{folder}/{}", path.file_name().unwrap().to_string_lossy());
            // Numbers have lengths of their own; messages are binary.
            let length = if whole || name.ends_with("report.html") { 0 } else { bytes.len() - end };
            shapes.insert(name, (length, value));
        }
    }
    shapes
}

/// What may differ between any two runs: hashes, keys, receipts, and noised values.
fn plain(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                match name.as_str() {
                    "sha256" | "head" | "id" | "plan" | "before" | "key" => *field = Value::Null,
                    "accuracy" => {
                        field.as_object_mut().unwrap().values_mut().for_each(|x| *x = x.is_number().into())
                    }
                    "values" => *field = field.as_array().unwrap().len().into(),
                    "size" if field.is_u64() => *field = Value::Null,
                    _ => plain(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

#[test]
fn neighbours_hand_on_the_same_but_for_ciphertext_and_noised_values() {
    let sites = Sharing::Sites { honest: 2 };
    for (what, noise) in [
        (What::Mean, sites),
        (What::Mean, Sharing::Each),
        (What::Mean, Sharing::Aggregators),
        (What::Modes(2), sites),
        (What::Modes(2), Sharing::Each),
        (What::Groups(GroupAim::Map), sites),
        (What::Groups(GroupAim::Map), Sharing::Each),
    ] {
        let [a, b] = [false, true].map(|changed| {
            let consortium = Consortium::of(what, noise, 1.0, Some(5), changed);
            consortium.rounds(noise);
            consortium
        });
        let (left, right) = (shapes(&a), shapes(&b));
        assert_eq!(left.keys().collect::<Vec<_>>(), right.keys().collect::<Vec<_>>());
        // How many modes stand out of the noise, and how groups differ, is read off noised values.
        let noised =
            |name: &str| what != What::Mean && (name.starts_with("study/") || name.contains("round-2.json"));
        for (name, shape) in left.iter().filter(|(name, _)| !noised(name)) {
            assert_eq!(shape, &right[name], "{name}");
        }
        assert!(!a.certificate().private, "seeded");
        let file = if let What::Groups(_) = what { "difference.npy" } else { "curves.npy" };
        let curves = |c: &Consortium| fs::read(c.path("study/release").join(file)).unwrap();
        assert_ne!(
            curves(&a),
            curves(&b),
            "the studies are not neighbours but twins: the test tests nothing"
        );
    }
}
