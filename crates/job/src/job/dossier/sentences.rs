//! The sentences of a dossier, each with its source.

use super::attack::demonstrate;
use super::criteria::{criteria, is_of_sites};
use super::deployments;
use super::said::{Said, Section, Source, asked, said};
use crate::job::verify::Verified;
use crate::privacy::{Certificate, LedgerHistory, PrivacyLoss, WITHIN_GROUPS, counts_persons, rounded_up};

/// All parts.
pub(super) fn sections(verified: &Verified, ledger: Option<&LedgerHistory>) -> Vec<Section> {
    let certificate = &verified.certificate;
    vec![
        Section { heading: "The release", said: release(verified) },
        Section { heading: "Acceptance criteria", said: criteria(certificate) },
        Section {
            heading: "Data protection: singling out, linkage, inference",
            said: protection(certificate),
        },
        Section { heading: "The best attack, tried on made-up people", said: attack(certificate) },
        Section {
            heading: "After NIST SP 800-226: the pyramid of evaluation and its hazards",
            said: pyramid(verified),
        },
        Section { heading: "All releases from these records", said: sum(certificate, ledger) },
        Section {
            heading: "Deployments for comparison",
            said: deployments::sentences(certificate, unit(certificate), is_of_sites(certificate)),
        },
        Section { heading: "Data sheet", said: sheet(certificate) },
    ]
}

fn unit(c: &Certificate) -> &'static str {
    if counts_persons(c) { "person" } else { "record" }
}

fn percent(p: f64) -> String {
    format!("{} %", rounded_up(100.0 * p, 1).min(100.0))
}

fn release(verified: &Verified) -> Vec<Said> {
    let c = &verified.certificate;
    let mut list = vec![
        if c.private && verified.may_be_published() {
            said(
                "guarantee",
                format!("The release is differentially private: {}.", c.loss),
                Source::Certificate("private, loss"),
            )
        } else if c.private {
            said(
                "guarantee",
                format!(
                    "The certificate states that the release is differentially private: {}. That was not checked: there was neither a ledger that \
                     records this certificate nor the public key of a signature, and without these anybody could have written it.",
                    c.loss
                ),
                Source::Certificate("private, loss"),
            )
        } else {
            said(
                "guarantee",
                "The release is NOT private and must not be published.",
                Source::Certificate("private"),
            )
        },
        said(
            "records",
            format!("It was made from {} {}s; this number is public.", c.n, unit(c)),
            Source::Certificate("n, details.counting"),
        ),
        said("mechanism", format!("Mechanism: {}.", c.mechanism), Source::Certificate("mechanism")),
        said(
            "files",
            format!("It has {} files; each has the SHA-256 that the certificate names.", c.files.len()),
            Source::Certificate("files"),
        ),
    ];
    for point in &c.epsilon_at_delta {
        let text = format!(
            "As (ε, δ): ε = {:.3} at δ = {:e}.",
            (1000.0 * point.epsilon.get()).ceil() / 1000.0,
            point.delta.get()
        );
        list.push(said("ε and δ", text, Source::Certificate("epsilon_at_delta")));
    }
    list.extend(
        c.caveats
            .iter()
            .map(|caveat| said("caveat", format!("Caveat: {caveat}."), Source::Certificate("caveats"))),
    );
    list.push(match &verified.signed_by {
        Some(key) => said(
            "signature",
            format!("It is signed with the key {key}."),
            Source::Computed("certificate.json.sig"),
        ),
        None => said("signature", "It carries no signature.", Source::Computed("certificate.json.sig")),
    });
    list.push(asked(
        "purpose",
        "For what purpose is it released, on what legal basis, and who is responsible?",
    ));
    list
}

fn threat_model(c: &Certificate) -> Said {
    if !is_of_sites(c) {
        let text = "Central: the data holder sees the records, everyone else the release only; nothing is assumed about the attacker.";
        return said("threat model", text, Source::Program("docs/threat-model.md"));
    }
    let assumed = c.details.get("assumption").and_then(|text| text.as_str());
    let assumed = assumed.unwrap_or("what the caveats of the certificate name");
    said(
        "threat model",
        format!(
            "Several sites: every site sees its own records alone. Assumed: {}.",
            assumed.trim_end_matches('.')
        ),
        Source::Certificate("details.sites, details.assumption"),
    )
}

fn protection(c: &Certificate) -> Vec<Said> {
    if !c.private {
        return vec![said(
            "none",
            "Nothing protects the persons in this release.",
            Source::Certificate("private"),
        )];
    }
    let loss = best(c);
    let mut list = vec![
        said(
            "singling out",
            format!(
                "An attacker who knows all other records and has two candidates for one {} identifies the one that was used with a probability of \
                 at most {} (a coin: 50 %).",
                unit(c),
                percent(loss.guess_probability())
            ),
            Source::Computed("loss, composition"),
        ),
        said(
            "linkage",
            format!(
                "No matter what other data an attacker has, a test of whether a given {} was used detects it in at most {} of cases at 5 % false alarms, and in \
                 at most {} at one in a thousand.",
                unit(c),
                percent(loss.power_at(0.05)),
                percent(loss.power_at(0.001))
            ),
            Source::Computed("loss, composition"),
        ),
        said(
            "inference",
            if c.neighbours().adjacency().within_groups() {
                "What is true of the group as a whole shows with or without a given person; for one person the bounds above hold for every \
                 attribute but one: which group they are in is published, and is not protected."
            } else {
                "What is true of the group as a whole shows with or without a given person; for one person the bounds above hold for every \
                 attribute, including those that nobody has thought of."
            },
            Source::Program("the definition of differential privacy"),
        ),
        said(
            "neighbours",
            format!(
                "Neighbouring data sets differ in {}{}.",
                c.neighbours(),
                if counts_persons(c) {
                    ""
                } else {
                    ": several of one person are protected as that many records"
                }
            ),
            Source::Certificate("adjacency, partitions"),
        ),
    ];
    if let Some(within) = c.details.get(WITHIN_GROUPS).and_then(serde_json::Value::as_str) {
        let sentence = format!("Within groups: {within}.");
        list.push(said("within groups", sentence, Source::Certificate("details.adjacency_within_groups")));
    }
    list.push(asked(
        "presence",
        "Is it sensitive that someone belongs to this population at all (its rules of inclusion are public)?",
    ));
    list.push(asked(
        "residual risk",
        "Is the residual risk stated above acceptable to the persons concerned, and were they informed?",
    ));
    list
}

/// The smaller of what the headline and the parts prove is the headline where the parts have no μ.
fn best(c: &Certificate) -> PrivacyLoss {
    let parts = c.composition.mu().ok().flatten().map(PrivacyLoss::Gaussian);
    match parts {
        Some(parts) if parts.guess_probability() < c.loss.guess_probability() => parts,
        _ => c.loss,
    }
}

fn attack(c: &Certificate) -> Vec<Said> {
    if !c.private {
        let text = "Not tried: there is no guarantee to try.";
        return vec![said("attack", text, Source::Certificate("private"))];
    }
    let PrivacyLoss::Gaussian(mu) = c.loss else {
        return vec![said(
            "attack",
            "Not tried: the demonstration is for losses stated as μ.",
            Source::Certificate("loss"),
        )];
    };
    let found = demonstrate(c.n, mu);
    let text = format!(
        "Against the exact mean of {} made-up people an attacker who knows all others was right in {} of 8000 trials; against a private mean at μ = \
         {} in {} (give or take 1.2 %, for this many trials); in the long run the guarantee allows {}.",
        found.people,
        percent(found.exact),
        mu.get(),
        percent(found.private),
        percent(found.bound)
    );
    vec![
        said("attack", text, Source::Computed("n, loss.mu; fixed seed, no record of anyone")),
        said(
            "its place",
            "An attack that fails proves nothing; the bound does. The demonstration shows what an exact mean would give away.",
            Source::Program("dossier"),
        ),
    ]
}

fn pyramid(verified: &Verified) -> Vec<Said> {
    let c = &verified.certificate;
    let mut list = vec![
        said("privacy parameter", format!("{}.", c.loss), Source::Certificate("loss")),
        said(
            "unit of privacy",
            format!("{}; n stays.", capital(&c.neighbours().to_string())),
            Source::Certificate("adjacency, partitions"),
        ),
        threat_model(c),
        said("mechanism", format!("{}.", c.mechanism), Source::Certificate("mechanism")),
    ];
    if let Some(sensitivity) = c.sensitivity {
        let norm = c.sensitivity_norm.as_deref().unwrap_or("norm of the mechanism");
        list.push(said(
            "sensitivity",
            format!("{sensitivity:.4e} ({norm})."),
            Source::Certificate("sensitivity, sensitivity_norm"),
        ));
    }
    if let Some(noise) = &c.noise {
        let text = format!(
            "{} ({}), scale {:.4e} in {} coordinates: no floating-point noise is released.",
            noise.distribution, noise.sampler, noise.scale, noise.dimension
        );
        let is_exact = !c.caveats.iter().any(|caveat| caveat.starts_with("idealized-reals"));
        let text = if is_exact { text } else { text.replace(": no floating-point noise is released", "") };
        list.push(said("hazard: arithmetic", text, Source::Certificate("noise")));
    }
    list.push(said(
        "hazard: randomness",
        if c.seeded {
            "The noise came from a fixed seed: NOT private."
        } else {
            "The noise came from the operating system."
        },
        Source::Certificate("seeded"),
    ));
    if let Some(radius) = c.clip_radius {
        let text =
            format!("Records are bounded by a radius of {:.4e} ({:?}).", radius.get(), radius.source())
                .to_lowercase();
        list.push(said("hazard: bounds taken from data", capital(&text), Source::Certificate("clip_radius")));
    }
    list.push(said(
        "hazard: side channels",
        "No timing, count of failures or fact of a single record is in the release.",
        Source::Program("docs/threat-model.md"),
    ));
    list.push(asked(
        "data collection",
        "How were the records collected and stored, who has access, and when are they deleted?",
    ));
    list.push(asked(
        "bias",
        "Whom does the population leave out, and is the error worse for small groups acceptable?",
    ));
    list
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn sum(c: &Certificate, ledger: Option<&LedgerHistory>) -> Vec<Said> {
    let Some(ledger) = ledger else {
        return vec![said(
            "ledger",
            "There was no ledger: what else was released from these records is unknown.",
            Source::Certificate("ledger"),
        )];
    };
    let mut list = vec![said(
        "ledger",
        format!(
            "The ledger {} holds {} charge{}.",
            ledger.id(),
            ledger.charges.len(),
            if ledger.charges.len() == 1 { "" } else { "s" }
        ),
        Source::Ledger("id, charges"),
    )];
    for sum in ledger.sums() {
        let text = format!("The releases that this ledger holds cost, spent so far, {}.", sum.in_words());
        list.push(said("sum", text, Source::Ledger("charges")));
    }
    let text = "Releases from the same people that were charged to another ledger are not in these sums, and add to them.";
    list.push(said("sum", text, Source::Program("docs/threat-model.md")));
    list.push(asked(
        "other ledgers",
        "Are there other releases from the same people, with a ledger of their own?",
    ));
    for ceiling in &ledger.ceilings {
        list.push(said(
            "ceiling",
            format!("Nothing beyond {ceiling} will be charged."),
            Source::Ledger("ceilings"),
        ));
    }
    if ledger.ceilings.is_empty() {
        list.push(asked("ceiling", "No ceiling is set: how much may be released from these records in all?"));
    }
    if ledger.charges.len() > 1 {
        let text =
            format!("This release is one of {}; a reader must count them together.", ledger.charges.len());
        list.push(said("composition", text, Source::Ledger("charges")));
    }
    let _ = c;
    list
}

fn sheet(c: &Certificate) -> Vec<Said> {
    let text = |key: &str| c.details.get(key).and_then(|v| v.as_str()).map(str::to_owned);
    let mut list = Vec::new();
    for (about, key, source) in [
        ("statistic", "statistic", "details.statistic"),
        ("in words", "in_words", "details.in_words"),
        ("units", "units", "details.units"),
        ("unusable records", "unusable_records", "details.unusable_records"),
        // Of releases of faces before version 0.2.
        ("failed records", "failed_scans", "details.failed_scans"),
    ] {
        if let Some(value) = text(key) {
            list.push(said(
                about,
                capital(&format!("{}.", value.trim_end_matches('.'))),
                Source::Certificate(source),
            ));
        }
    }
    for input in &c.public_inputs {
        list.push(said(
            "public input",
            format!("Taken to be public: {} (SHA-256 {}).", input.name, input.sha256),
            Source::Certificate("public_inputs"),
        ));
    }
    list.push(said("program", format!("Written by visard {}.", c.visard), Source::Certificate("visard")));
    for (about, question) in [
        ("population", "Who are the people, and by which rules, fixed in advance, were they chosen?"),
        ("consent", "What did they consent to?"),
        ("contact", "Whom to ask?"),
        ("licence", "Under which licence is the release published?"),
    ] {
        list.push(asked(about, question));
    }
    list
}
