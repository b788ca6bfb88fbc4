//! Means and modes over many sites, and what goes wrong in the exchange.

use super::consortium::{Consortium, SITES, What, faces, refused, write};
use serde_json::Value;
use std::fs;
use visard::mechanism::functional::Sharing;
use visard::privacy::{Adjacency, Certificate, Ledger};
use visard::sites::{AggregatorSettings, Findings, merge_round, unshare_round, verify_round};
use visard::study::face::TemplateSource;

#[test]
fn sites_under_secure_aggregation_release_one_mean_and_pay_once_each() {
    let consortium = Consortium::new(Sharing::Sites { honest: 2 }, 1.0, None, false);
    assert!(consortium.secure_round(&[]).released.is_none());
    assert_eq!(consortium.charges("a"), [1]);
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
    for (site, rounds) in [("a", 2), ("b", 2), ("c", 2), ("d", 1), ("x", 2), ("y", 2)] {
        assert_eq!(consortium.charges(site), [rounds], "{site}");
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
    // One that has forgotten its answer does not draw another.
    let first = consortium.answer("d").unwrap();
    let bytes = fs::read(&first.files[0]).unwrap();
    let state = consortium.path("d/internal/sites.json");
    let known = fs::read(&state).unwrap();
    let mut value: Value = serde_json::from_slice(&known).unwrap();
    value["answered"] = serde_json::json!({});
    fs::write(&state, value.to_string()).unwrap();
    refused(consortium.answer("d"), "round 1 has been answered already, and a round is answered once");
    fs::write(&state, known).unwrap();
    let again = consortium.answer("d").unwrap();
    assert!(again.again && fs::read(&again.files[0]).unwrap() == bytes);
    assert_eq!(consortium.charges("d"), [1]);
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
    // A damaged sum of an aggregator is not what it signed.
    let sum = consortium.path("tray/round-1.y.aggregate");
    let good = fs::read(&sum).unwrap();
    let mut bad = good.clone();
    *bad.last_mut().unwrap() ^= 1;
    fs::write(&sum, bad).unwrap();
    refused(unshare_round(&consortium.closing(&[])), "y did not sign it");
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

/// What a site hands on says what its ledger says: neighbours differ in a person, where it counts persons.
#[test]
fn a_site_that_counts_persons_is_certified_for_them() {
    let consortium = Consortium::new(Sharing::Each, 1.0, None, false);
    fs::write(consortium.path("a.persons.csv"), "record,person\n0,p\n1,p\n2,q\n3,r\n4,s\n5,t\n").unwrap();
    let handed_on = |site: &str, file: &str| {
        let done = consortium.answer_with("public", site, file).unwrap();
        let bytes = fs::read(&done.files[0]).unwrap();
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap();
        let header: Value = serde_json::from_slice(line).unwrap();
        let certificate = Certificate::from_json(&header["certificates"][0].to_string()).unwrap();
        let history = Ledger::history(&consortium.ledger(site)).unwrap();
        (certificate.neighbours(), history.charges[0].part.neighbours())
    };
    let (stated, charged) = handed_on("a", "c.npy");
    assert_eq!((&stated, stated.adjacency()), (&charged, Adjacency::ReplaceOnePerson));
    let (stated, charged) = handed_on("b", "b.npy");
    assert_eq!((&stated, stated.adjacency()), (&charged, Adjacency::ReplaceOne));
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
    refused(consortium.answer_with("lie", "b", "b.npy"), "this is not the plan's template");
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
    refused(consortium.answer("b"), "differ from those of the first round");
    assert_eq!(consortium.charges("b"), [1]);
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
    assert!(own["ledger"]["line"].is_u64() && consortium.charges("c") == [2]);
    assert!(certificate.details["assumption"].as_str().unwrap().contains("nothing is assumed"));
}

#[test]
fn modes_of_variation_are_released_over_sites_too() {
    for noise in [Sharing::Sites { honest: 2 }, Sharing::Aggregators, Sharing::Each] {
        let consortium = Consortium::of(What::Modes(3), noise, 2.0, None, false);
        let (certificate, Findings::Modes(accuracy)) = consortium.rounds(noise) else { panic!("modes") };
        assert!(certificate.private && certificate.n == 20 && certificate.loss.to_string().contains('2'));
        assert!(certificate.mechanism.contains("second moment over many sites"), "{}", certificate.mechanism);
        assert!(accuracy.rms > 0.0 && certificate.details["modes"].is_object());
        assert_eq!(certificate.details["site_certificates"].as_object().unwrap().len(), 4);
        assert_eq!(consortium.charges("b"), [2]);
        for file in ["modes.npy", "curves.npy", "mean.ply", "variances.csv", "report.html"] {
            assert!(consortium.path("study/release").join(file).is_file(), "{file}");
        }
        visard::study::verify(&consortium.path("study"), None, None).unwrap();
        refused(consortium.answer("a"), "all rounds of this plan are done");
    }
}
