//! Sentences of made certificates.

use super::*;
use crate::privacy::{Mu, PrivacyLoss, Statement};
use crate::study::verify::Verified;

fn verified(mu: f64, seeded: bool) -> Verified {
    let mut statement =
        Statement::new("some | <mechanism>", 100, PrivacyLoss::Gaussian(Mu::new(mu).unwrap()));
    statement.seeded = seeded;
    statement.details.insert(
        "accuracy".into(),
        serde_json::json!({"rms": 0.002, "template_rms": 0.012, "data_share": 0.97}),
    );
    Verified { certificate: statement.certify().unwrap(), ledger: None, signed_by: None }
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
        "not fixed beforehand",
        "97 %",
        "some \\| &lt;mechanism>",
        "TO BE FILLED IN BY A PERSON",
    ] {
        assert!(text.contains(needle), "{needle}\n{text}");
    }
    let found = dossier(1.0, false);
    assert!(found.sections.iter().all(|s| !s.said.is_empty()));
    assert_eq!(text.matches("TO BE FILLED IN").count(), found.open());
    assert!(found.to_html().contains("certificate: loss") && !found.to_html().contains("<script"));
    assert_eq!(found.registry()["loss"]["mu"], 1.0);
}

#[test]
fn what_is_not_private_is_not_praised() {
    let text = dossier(1.0, true).to_markdown();
    assert!(text.contains("NOT private and must not be published") && !text.contains("singling out |"));
    assert!(dossier(1.0, true).to_html().contains("badge bad"));
}
