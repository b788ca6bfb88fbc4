//! Sentences of made certificates.

use super::*;
use crate::job::verify::{Binding, Verified};
use crate::privacy::{Mu, PrivacyLoss, Statement};

fn verified(mu: f64, seeded: bool) -> Verified {
    let mut statement =
        Statement::new("some | <mechanism>", 100, PrivacyLoss::Gaussian(Mu::new(mu).unwrap()));
    statement.seeded = seeded;
    statement.details.insert(
        "accuracy".into(),
        serde_json::json!({"rms": 0.002, "template_rms": 0.012, "data_share": 0.97}),
    );
    Verified {
        certificate: statement.certify().unwrap(),
        ledger: None,
        signed_by: None,
        binding: Binding::Certificate,
    }
}

fn dossier(mu: f64, seeded: bool) -> Dossier {
    let verified = verified(mu, seeded);
    Dossier { sections: sentences::sections(&verified, None), verified }
}

#[test]
fn the_textbook_numbers_are_said_and_every_sentence_has_a_source() {
    let text = dossier(1.0, false).to_markdown();
    // Φ(1/2) = 69.146 %, Φ(Φ⁻¹(0.05) + 1) = 25.95 %, rounded up.
    for needle in [
        "69.2 %",
        "26 %",
        "not fixed in advance",
        "97 %",
        "some \\| &lt;mechanism>",
        "TO BE FILLED IN BY A PERSON",
    ] {
        assert!(text.contains(needle), "{needle}\n{text}");
    }
    let found = dossier(1.0, false);
    assert!(found.sections.iter().all(|s| !s.said.is_empty()));
    assert_eq!(text.matches("TO BE FILLED IN").count(), found.open());
    assert_eq!(found.to_html().matches("<tr class=\"alert\">").count(), found.open());
    assert!(found.to_html().contains("certificate: loss") && !found.to_html().contains("<script"));
    assert_eq!(found.registry()["loss"]["mu"], 1.0);
}

/// A dossier of a release of 100 records at μ = 1 with a stated error of 0.002, after this plan.
fn planned(n: u64, accept: f64) -> String {
    let folder = tempfile::tempdir().unwrap();
    let study = crate::job::StudyFolder::at(folder.path());
    let loss = PrivacyLoss::Gaussian(Mu::new(1.0).unwrap());
    let plan = crate::job::SavedPlan::new("face mean", (n, loss), Some(accept), serde_json::Value::Null);
    plan.unwrap().save(&study).unwrap();
    let frozen = crate::job::plan::FrozenPlan::load(&study).unwrap().unwrap();
    let (stated, caveat) = frozen.statement("face mean", 100, &[loss]);
    let mut verified = verified(1.0, false);
    verified.certificate.details.insert("plan".into(), stated);
    verified.certificate.caveats.extend(caveat);
    Dossier { sections: sentences::sections(&verified, None), verified }.to_markdown()
}

#[test]
fn a_limit_fixed_beforehand_is_met_or_not() {
    let kept = "Yes: the statistic that was planned";
    let text = planned(100, 0.003);
    assert!(text.contains("Met: the release states 0.00200") && text.contains(kept), "{text}");
    assert!(!text.contains("not fixed in advance") && text.contains("A plan was saved in advance"));
    assert!(planned(100, 0.001).contains("NOT met"));
    let other = planned(90, 0.003);
    assert!(other.contains("No: other-than-planned") && !other.contains(kept), "{other}");
}

#[test]
fn others_stand_beside_it_in_the_same_terms() {
    // μ = 1 at δ = 1e-10: ε = 6.548 (Δ(ε) = Φ(½ − ε) − e^ε Φ(−½ − ε), solved apart).
    let text = dossier(1.0, false).to_markdown();
    assert!(text.contains("2020 Census") && text.contains("ε = 6.55 at δ = 1e-10, for one record"), "{text}");
}

#[test]
fn what_is_not_private_is_not_praised() {
    let text = dossier(1.0, true).to_markdown();
    assert!(text.contains("NOT private and must not be published") && !text.contains("singling out |"));
    assert!(text.contains("Not tried: there is no guarantee") && !text.contains("the guarantee allows"));
    assert!(dossier(1.0, true).to_html().contains("badge bad"));
}

#[test]
fn what_many_sites_assume_is_said_and_nothing_is_called_central() {
    let mut verified = verified(1.0, false);
    let details = [
        ("plan", serde_json::json!("0f0f")),
        ("sites", serde_json::json!([{"name": "a", "n": 50}, {"name": "b", "n": 50}])),
        ("assumption", serde_json::json!("two of the sites are honest")),
    ];
    details.into_iter().for_each(|(key, value)| {
        verified.certificate.details.insert(key.into(), value);
    });
    let found = Dossier { sections: sentences::sections(&verified, None), verified };
    let text = found.to_markdown();
    assert!(
        text.contains("Assumed: two of the sites are honest.") && text.contains("SHA-256 is 0f0f"),
        "{text}"
    );
    assert!(
        !text.contains("not fixed in advance")
            && !text.contains("Central: ")
            && text.contains("no limit on the error")
    );
    assert_eq!(found.registry()["model"], "several sites");
    assert_eq!(found.registry()["criteria_fixed_beforehand"], false);
}

#[test]
fn names_cannot_make_links_or_tables_in_markdown() {
    let mut verified = verified(1.0, false);
    verified.certificate.caveats.push("file [a](http://b) `c` *d* &lt; <e>\n| f".into());
    let text = Dossier { sections: sentences::sections(&verified, None), verified }.to_markdown();
    assert!(text.contains("file \\[a](http://b) \\`c\\` \\*d\\* &amp;lt; &lt;e> \\| f"), "{text}");
}
