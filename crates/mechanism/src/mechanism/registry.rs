//! Every mechanism there is: a new one is a folder with its code, proof, tests and worst cases, and one line in the folder above it.

use super::vector::{groups, modes, regression, scores};
use super::{functional, landmarks, manifold, quantile, together};
use crate::optimize;
use crate::privacy::Entry;
use crate::privacy::audit::{AuditError, Auditable, STANDARD_AUDITS, WorstCase};
use crate::privacy::noise;

/// What every mechanism brings with it; folders of many declare them beside their modules.
const ENTRIES: &[&[&Entry]] = &[
    noise::ENTRIES,
    functional::ENTRIES,
    &[&groups::ENTRY, &regression::ENTRY, &scores::ENTRY, &modes::ENTRY],
    &[&together::ENTRY, &landmarks::ENTRY],
    &[&quantile::ENTRY, &quantile::BISECTED_ENTRY],
    manifold::ENTRIES,
    optimize::ENTRIES,
];

/// Every mechanism there is: its name, proof and worst cases.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().copied().flatten().copied()
}

/// The worst cases of all mechanisms, and of several in a row.
pub fn worst_cases() -> impl Iterator<Item = &'static WorstCase> {
    entries().flat_map(|entry| entry.worst_cases).chain(manifold::STAGED_CASES)
}

/// The names [`audit_by_name`] knows: the noise itself, and every mechanism.
pub fn audit_names() -> Vec<&'static str> {
    let noise = STANDARD_AUDITS.iter().map(|case| case.name);
    noise.chain(worst_cases().map(|case| case.name)).collect()
}

/// The audit of this name at the given parameter (μ, ε or ρ, by what the mechanism is stated in).
///
/// # Errors
/// [`AuditError::Unknown`], [`AuditError::Budget`].
pub fn audit_by_name(name: &str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    match case_of(name) {
        Some(case) => case.at(parameter),
        None => Err(AuditError::Unknown { name: name.chars().take(60).collect() }),
    }
}

/// As many runs of this audit show most of what its neighbours lose.
pub fn audit_runs(name: &str) -> u64 {
    case_of(name).map_or(100_000, |case| case.runs)
}

fn case_of(name: &str) -> Option<&'static WorstCase> {
    STANDARD_AUDITS.iter().chain(worst_cases()).find(|case| case.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{Mu, Price, PrivacyLoss, explain};
    use rayon::prelude::*;
    use std::collections::HashSet;
    use std::path::{Path, PathBuf};

    /// Nothing may be missing of any mechanism.
    #[test]
    fn every_mechanism_has_names_proof_sentence_and_worst_cases() {
        let (mut names, mut titles, mut audits) = (HashSet::new(), HashSet::new(), HashSet::new());
        for entry in entries() {
            let name = entry.name;
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(!name.is_empty() && name.chars().all(plain), "{name}");
            assert!(names.insert(name), "two mechanisms are called {name}");
            assert!(titles.insert(entry.title.name), "{name}: {}", entry.title.name);
            assert!(
                entry.proof.contains("# ") && entry.proof.to_lowercase().contains("proof"),
                "{name}: no proof"
            );
            assert!(entry.proof.len() > 300, "{name}: a proof of {} bytes", entry.proof.len());
            let sentence = entry.title.sentence;
            assert!(sentence.len() > 60 && sentence.ends_with('.'), "{name}: {sentence}");
            assert!(!entry.worst_cases.is_empty(), "{name}: no worst case to audit it on");
            for case in entry.worst_cases {
                assert!(audits.insert(case.name), "{name}: two audits are called {}", case.name);
                // Exists at an ordinary budget, and claims one.
                let audit = audit_by_name(case.name, 1.0).unwrap();
                assert!(audit.claim().is_private(), "{}", case.name);
            }
        }
        assert!(audit_by_name("no-such-mechanism", 1.0).is_err());
    }

    /// A folder with a proof is that of a mechanism: its line above was not forgotten.
    #[test]
    fn every_proof_is_that_of_a_registered_mechanism() {
        fn proofs(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
            for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                if path.is_dir() {
                    proofs(&path, found);
                } else if path.ends_with("proof.md") {
                    found.push((path.clone(), std::fs::read_to_string(&path).unwrap()));
                }
            }
        }
        let mut found = Vec::new();
        // Those of noise are in the crate of privacy, beside this one.
        proofs(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap(), &mut found);
        assert!(found.len() >= 12, "{}", found.len());
        for (path, proof) in found {
            let registered = entries().any(|entry| entry.proof == proof);
            assert!(registered, "{} belongs to no mechanism of the registry", path.display());
        }
    }

    /// The sentence of each stands in the explanation of its certificates.
    #[test]
    fn every_mechanism_is_explained() {
        let loss = PrivacyLoss::Gaussian(Mu::new(1.0).unwrap());
        for entry in entries() {
            let price = Price::new(entry.title, 10, loss, "a mean").unwrap();
            let text = explain(&price.statement().certify().unwrap());
            assert!(text.contains(entry.title.sentence) && text.contains(entry.title.name), "{}", entry.name);
        }
    }

    /// Draws of every mechanism have noise of the size its proof asks for, and ten per cent too little would be noticed. (5 standard
    /// errors each: with fixed seeds, one false alarm in 10⁵ over the choice of the seed.)
    #[test]
    fn every_mechanism_draws_the_noise_it_claims() {
        let all: Vec<&Entry> = entries().collect();
        all.par_iter().enumerate().for_each(|(k, entry)| {
            let check = (entry.scale)(100 + k as u64).unwrap();
            assert!(check.would_notice(), "{}: the test is too weak: {check:?}", entry.name);
            assert!(check.holds(), "{}: {check:?}", entry.name);
        });
    }
}
