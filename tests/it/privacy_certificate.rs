//! Certificates: what they state, what of them is refused, and their published schema.

use crate::schema;
use serde_json::{Value, json};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{
    Caveat, Certificate, CertificateError, ClipRadius, ClipSource, ClippedMean, Composition, Cost, Delta,
    Epsilon, FileSum, GroupedPart, LEDGER_FILE, Ledger, Mu, Partition, PrivacyLoss, PublicInput, RenyiCurve,
    Rho, Statement, explain,
};

fn gaussian(m: f64) -> PrivacyLoss {
    PrivacyLoss::Gaussian(Mu::new(m).unwrap())
}

/// A real release from `records`, with everything a certificate can hold.
fn release(records: &[[f64; 2]], seeded: bool) -> Certificate {
    let mu = Mu::new(1.0).unwrap();
    let radius = ClipRadius::new(0.5, ClipSource::Public).unwrap();
    let mean = ClippedMean::new(2, records.len() as u64, radius, mu).unwrap();
    let records: Vec<_> = records.iter().map(|record| Some(record.to_vec())).collect();
    let mut noise = if seeded { NoiseSource::seeded(1) } else { NoiseSource::from_os().unwrap() };
    let released = visard::privacy::release(&mean, &records[..], &mut Ledger::in_memory(None), &mut noise);
    let mut statement = released.unwrap().statement();
    statement.public_inputs.push(PublicInput::of_bytes("template.ply", b"abc"));
    statement.details.insert("curves".into(), json!(23));
    let mut certificate = statement.certify().unwrap();
    certificate.files.push(FileSum::of_bytes("mean.f8", b"abc"));
    certificate
}

fn examples() -> Vec<Certificate> {
    let (e, d) = (Epsilon::new(1.0).unwrap(), Delta::new(1e-6).unwrap());
    let mut mixed = Statement::new("face", 30, PrivacyLoss::NonPrivate);
    let mut axes = Composition::new();
    axes.add("x", gaussian(0.1))
        .add_renyi("y", RenyiCurve::from_fn(|a| if a < 9.0 { 0.1 * a } else { f64::NAN }));
    mixed.composition.push("curve", 3, Cost::Parts(axes)).add("whole", PrivacyLoss::NonPrivate);
    mixed.caveats.push(Caveat::DataDriven("the mean shape".into()));
    let mut seeded_chain = Statement::new("KNG", 1, PrivacyLoss::Approximate(e, d));
    seeded_chain.caveats.push(Caveat::MarkovChain { total_variation: 1e-9 });
    vec![
        group_means(),
        release(&[[0.1, 0.2], [0.3, -4.0]], false),
        release(&[[0.1, 0.2], [0.3, -4.0]], true),
        Statement::new("Laplace", 7, PrivacyLoss::Pure(e)).certify().unwrap(),
        Statement::new("discrete Gaussian", 7, PrivacyLoss::ZeroConcentrated(Rho::new(0.5).unwrap()))
            .certify()
            .unwrap(),
        mixed.certify().unwrap(),
        seeded_chain.certify().unwrap(),
    ]
}

/// Means of two groups, charged in a ledger file.
fn group_means() -> Certificate {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::open(&folder.path().join(LEDGER_FILE), None).unwrap();
    let people = Partition::of([("a", "F"), ("b", "M"), ("c", "M")]).unwrap();
    let mut means = GroupedPart::new("group means", people);
    means.everyone("private radius", 1, Cost::Loss(gaussian(0.6)));
    for label in ["F", "M"] {
        means.group(label, "mean", 1, Cost::Loss(gaussian(0.8))).unwrap();
    }
    let part = ledger.as_recorded(&means).unwrap();
    let paid = ledger.charge_groups(&means).unwrap();
    let mut statement = Statement::new("group means", 3, paid.loss());
    statement.neighbours = part.neighbours();
    statement.composition.push(part.mechanism, part.times, part.cost);
    statement.ledger = paid.receipt().cloned();
    statement.certify().unwrap()
}

#[test]
fn a_certificate_says_where_it_was_charged_and_for_whom() {
    let certificate = group_means();
    // Rounded upwards.
    assert!(matches!(certificate.loss, PrivacyLoss::Gaussian(mu) if (1.0..1.0 + 1e-12).contains(&mu.get())));
    assert!(certificate.caveats.is_empty(), "it is recorded");
    let value = serde_json::to_value(&certificate).unwrap();
    assert_eq!(value["ledger"]["line"], json!(2));
    let parts = &value["composition"][0]["parts"];
    assert_eq!(parts[0].get("group"), None);
    assert_eq!(parts[1]["group"], json!({ "ledger": value["ledger"]["id"], "label": "F" }));
    assert!(explain(&certificate).contains("mu = 1"));
    // Fewer who bear it: the same entry for everyone would cost more than is stated.
    let mut bad = value.clone();
    bad["composition"][0]["parts"][1].as_object_mut().unwrap().remove("group");
    let error = Certificate::from_json(&bad.to_string()).unwrap_err();
    assert!(matches!(error, CertificateError::Contradiction(_)), "{error}");
    for (path, wrong) in [
        ("/ledger/line", json!(-1)),
        ("/ledger/head", json!("beef")),
        ("/ledger", json!({ "id": value["ledger"]["id"] })),
        ("/composition/0/parts/1/group", json!("F")),
        ("/composition/0/parts/1/group/label", json!("a b")),
    ] {
        let mut bad = value.clone();
        *bad.pointer_mut(path).unwrap() = wrong;
        schema::refuses(&format!("group {path}"), &bad);
    }
}

#[test]
fn certificates_follow_the_schema_and_survive_the_file() {
    for (i, certificate) in examples().into_iter().enumerate() {
        let text = certificate.to_json().unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        schema::takes(&format!("example {i}"), &value);
        assert_eq!(Certificate::from_json(&text).unwrap(), certificate);
        assert!(!explain(&certificate).is_empty());
    }
}

#[test]
fn the_contract_keys_are_there_with_their_types() {
    let value = serde_json::to_value(release(&[[0.1, 0.2]], false)).unwrap();
    assert_eq!(value["private"], json!(true));
    assert_eq!(value["adjacency"], json!("replace-one"));
    assert_eq!(value["n"], json!(1));
    assert_eq!(value["loss"], json!({ "mu": 1.0 }));
    assert_eq!(value["clip_radius"], json!({ "value": 0.5, "source": "public" }));
    assert_eq!(value["seeded"], json!(false));
    assert_eq!(value["public_inputs"][0]["name"], json!("template.ply"));
    // SHA-256 of "abc", FIPS 180-2.
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(value["public_inputs"][0]["sha256"], json!(abc));
    assert_eq!(value["noise"]["path"], json!("lattice"));
    let at = |d: f64| {
        let rows = value["epsilon_at_delta"].as_array().unwrap();
        rows.iter().find(|row| row["delta"] == json!(d)).unwrap()["epsilon"].as_f64().unwrap()
    };
    assert!((at(1e-6) / 4.886_554_117_462_206 - 1.0).abs() < 1e-12);
}

/// The schema and the reader refuse what they should: each of these is one change to a good certificate.
#[test]
fn malformed_certificates_are_refused_by_the_schema_or_the_reader() {
    let good = serde_json::to_value(release(&[[0.1, 0.2]], false)).unwrap();
    schema::takes("good", &good);
    let changes: Vec<(&str, Value)> = vec![
        ("/private", json!("yes")),
        ("/seeded", json!(true)),
        ("/n", json!(0)),
        ("/n", json!(1.5)),
        ("/loss", json!(null)),
        ("/loss", json!({ "mu": 0 })),
        ("/loss", json!({ "epsilon": 1 })),
        ("/loss", json!({ "epsilon": 1, "delta": 1 })),
        ("/adjacency", json!("add-remove")),
        ("/clip_radius/value", json!(0)),
        ("/clip_radius/source", json!("guess")),
        ("/clip_radius/source", json!("data")),
        ("/sensitivity", json!(-1)),
        ("/noise/path", json!("thin air")),
        ("/noise/scale", json!(0)),
        ("/composition", json!([])),
        ("/composition/0/loss", json!({ "mu": 1, "epsilon": 1, "delta": 0 })),
        ("/public_inputs/0/sha256", json!("beef")),
        ("/files/0/sha256", json!("beef")),
        ("/format", json!(2)),
        ("/caveats", json!("none")),
    ];
    for (path, value) in changes {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap() = value.clone();
        schema::refuses(&format!("{path} {value}"), &bad);
        let lenient = ["/composition", "/public_inputs/0/sha256", "/files/0/sha256"];
        let read = Certificate::from_json(&bad.to_string());
        assert!(read.is_err() || lenient.contains(&path), "the reader takes {path} = {value}");
    }
    for (key, value) in [("statistic", json!(1)), ("first_passes", json!([1])), ("study_total", json!(3))] {
        let mut bad = good.clone();
        bad["details"][key] = value;
        schema::refuses(&format!("details {key}"), &bad);
    }
    let mut bad = good.clone();
    bad["composition"][0] = json!({"mechanism": "a step", "renyi": [[0.5, 1.0]]});
    schema::refuses("an order below 1", &bad);
    // Certificates of version 0.1 lack three keys.
    let optional = ["details", "sensitivity_norm", "ledger", "files"];
    for key in good.as_object().unwrap().keys().filter(|key| !optional.contains(&key.as_str())) {
        let mut bad = good.clone();
        bad.as_object_mut().unwrap().remove(key);
        schema::refuses(&format!("without {key}"), &bad);
    }
}

#[test]
fn contradictions_a_schema_cannot_see_are_refused() {
    let good = serde_json::to_value(release(&[[0.1, 0.2]], false)).unwrap();
    for (path, value) in [
        ("/loss", json!({ "mu": 0.5 })),
        ("/epsilon_at_delta/0/epsilon", json!(0.1)),
        ("/composition/0/loss", json!({ "mu": 3.0 })),
        ("/composition/0/loss", json!(null)),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap() = value;
        let error = Certificate::from_json(&bad.to_string()).unwrap_err();
        assert!(matches!(error, CertificateError::Contradiction(_)), "{path}: {error}");
    }
}

#[test]
fn other_versions_and_other_files_are_told_apart() {
    let good = release(&[[0.1, 0.2]], false).to_json().unwrap();
    let newer = good.replace("\"format\": 1", "\"format\": 2");
    let error = Certificate::from_json(&newer).unwrap_err();
    assert!(matches!(error, CertificateError::Version { .. }));
    assert!(error.to_string().contains("format 2"), "{error}");
    for other in ["", "{}", "[]", "null", "{\"epsilon\": 1}", "\u{0}", &good[..good.len() / 2]] {
        assert!(matches!(Certificate::from_json(other), Err(CertificateError::Malformed(_))), "{other:?}");
    }
    assert!(matches!(Statement::new("x", 0, gaussian(1.0)).certify(), Err(CertificateError::NoRecords)));
    let mut more = Statement::new("x", 5, gaussian(1.0));
    more.composition.add("a", gaussian(1.0)).add("b", gaussian(1.0));
    assert!(matches!(more.certify(), Err(CertificateError::Contradiction(_))));
}

/// Nothing in a certificate depends on the records: the same bytes from very different ones.
#[test]
fn certificates_do_not_depend_on_the_records() {
    let one = release(&[[0.0, 0.0], [0.0, 0.0]], false).to_json().unwrap();
    let other = release(&[[1e300, -7.25], [f64::NAN, 1.0]], false).to_json().unwrap();
    assert_eq!(one, other);
}

#[test]
fn public_and_unpublic_circumstances_decide_what_is_private() {
    let with = |change: &dyn Fn(&mut Statement)| {
        let mut statement = Statement::new("x", 5, gaussian(1.0));
        change(&mut statement);
        let certificate = statement.certify().unwrap();
        (certificate.private, certificate.caveats.join(" "))
    };
    assert_eq!(with(&|_| ()), (true, String::new()));
    let (private, caveats) = with(&|s| s.recorded = false);
    assert!(private && caveats.starts_with("unrecorded:"));
    let (private, caveats) = with(&|s| s.seeded = true);
    assert!(!private && caveats.starts_with("seeded:"));
    let (private, caveats) = with(&|s| s.clip_radius = ClipRadius::new(1.0, ClipSource::Data).ok());
    assert!(!private && caveats.contains("the clip radius"));
    let (private, _) = with(&|s| s.clip_radius = ClipRadius::new(1.0, ClipSource::Private).ok());
    assert!(private);
    let (private, caveats) = with(&|s| s.caveats.push(Caveat::Other("the template is public".into())));
    assert!(private && caveats == "the template is public");
}
