//! Every mechanism there is, matched exhaustively: a new one is a folder with its code, proof, tests and worst cases, and one line here.

use super::functional::{joint, per_curve, pointwise, sites, two_rounds};
use super::vector::{groups, modes, regression};
use super::{landmarks, manifold, quantile, together};
use crate::optimize;
use crate::privacy::Entry;
use crate::privacy::audit::{AuditError, Auditable, STANDARD_AUDITS, WorstCase};
use crate::privacy::noise;

macro_rules! registry {
    ($($(#[$doc:meta])* $kind:ident => $entry:expr,)*) => {
        /// A mechanism.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        impl Kind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// What it brings with it.
            pub const fn entry(self) -> &'static Entry {
                match self {
                    $(Self::$kind => &$entry,)*
                }
            }
        }
    };
}

registry! {
    /// The mean of clipped vectors.
    ClippedMean => noise::CLIPPED_MEAN_ENTRY,
    /// The same with pure ε.
    PureClippedMean => noise::PURE_CLIPPED_MEAN_ENTRY,
    /// The mean of clipped vectors with the second moment of some coordinates.
    ClippedMoments => noise::CLIPPED_MOMENTS_ENTRY,
    /// The second moment of clipped vectors.
    ClippedSecond => noise::CLIPPED_SECOND_ENTRY,
    /// All curves of a function at once.
    Joint => joint::ENTRY,
    /// All curves at once, in two rounds.
    TwoRounds => two_rounds::ENTRY,
    /// Means and second moments of groups, in two rounds.
    Groups => groups::ENTRY,
    /// Regression of vectors on covariates, in two rounds.
    Regression => regression::ENTRY,
    /// Curve by curve, matched noise.
    Curves => per_curve::CURVES_ENTRY,
    /// Curve by curve, as published.
    Paper => per_curve::PAPER_ENTRY,
    /// Every coordinate of every sample.
    Pointwise => pointwise::ENTRY,
    /// Mean and second moment of vectors in two rounds.
    Modes => modes::ENTRY,
    /// Two statistics under one charge.
    Together => together::ENTRY,
    /// Statistics of landmark shapes about a centre.
    Landmarks => landmarks::ENTRY,
    /// A private clip radius.
    PrivateQuantile => quantile::ENTRY,
    /// A private clip radius by bisection.
    BisectedRadius => quantile::BISECTED_ENTRY,
    /// A private centre.
    PrivateCentre => manifold::centre::ENTRY,
    /// The Riemannian Laplace mechanism.
    RiemannianLaplace => manifold::laplace::ENTRY,
    /// The K-norm gradient mechanism.
    KNormGradient => manifold::kng::ENTRY,
    /// The Riemannian Gaussian mechanism.
    RiemannianGaussian => manifold::gaussian::ENTRY,
    /// Gaussian noise in a tangent space.
    TangentGaussian => manifold::tangent::GAUSSIAN_ENTRY,
    /// Laplace noise in a tangent space.
    TangentLaplace => manifold::tangent::LAPLACE_ENTRY,
    /// Noise in the space around a sphere.
    ExtrinsicSphere => manifold::ambient::SPHERE_ENTRY,
    /// Noise on the entries of a matrix.
    ExtrinsicMatrix => manifold::ambient::MATRIX_ENTRY,
    /// Noise on the coordinates of landmarks.
    PointwiseShape => manifold::pointwise::ENTRY,
    /// Private gradient descent.
    GradientDescent => optimize::RGD_ENTRY,
    /// Private stochastic gradient descent.
    StochasticDescent => optimize::RSGD_ENTRY,
    /// Private variance-reduced gradient descent.
    VarianceReducedDescent => optimize::RSVRG_ENTRY,
    /// The mean of functions over many sites, in two rounds.
    Sites => sites::ENTRY,
    /// Mean and second moment of functions over many sites.
    SitesModes => sites::MODES_ENTRY,
    /// Groups of functions compared over many sites.
    SitesGroups => sites::GROUPS_ENTRY,
}

/// The worst cases of all mechanisms, and of several in a row.
pub fn worst_cases() -> impl Iterator<Item = &'static WorstCase> {
    Kind::ALL.iter().flat_map(|kind| kind.entry().worst_cases).chain(manifold::STAGED_CASES)
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
    use std::collections::HashSet;
    use std::path::{Path, PathBuf};

    /// Nothing may be missing of any mechanism.
    #[test]
    fn every_mechanism_has_names_proof_sentence_and_worst_cases() {
        let (mut names, mut titles, mut audits) = (HashSet::new(), HashSet::new(), HashSet::new());
        for kind in Kind::ALL {
            let entry = kind.entry();
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(!entry.name.is_empty() && entry.name.chars().all(plain), "{kind:?}: {}", entry.name);
            assert!(names.insert(entry.name), "{kind:?}: two mechanisms are called {}", entry.name);
            assert!(titles.insert(entry.title.name), "{kind:?}: {}", entry.title.name);
            assert!(
                entry.proof.contains("# ") && entry.proof.to_lowercase().contains("proof"),
                "{kind:?}: no proof"
            );
            assert!(entry.proof.len() > 300, "{kind:?}: a proof of {} bytes", entry.proof.len());
            let sentence = entry.title.sentence;
            assert!(sentence.len() > 60 && sentence.ends_with('.'), "{kind:?}: {sentence}");
            assert!(!entry.worst_cases.is_empty(), "{kind:?}: no worst case to audit it on");
            for case in entry.worst_cases {
                assert!(audits.insert(case.name), "{kind:?}: two audits are called {}", case.name);
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
            let registered = Kind::ALL.iter().any(|kind| kind.entry().proof == proof);
            assert!(registered, "{} belongs to no mechanism of the registry", path.display());
        }
    }

    /// The sentence of each stands in the explanation of its certificates.
    #[test]
    fn every_mechanism_is_explained() {
        let loss = PrivacyLoss::Gaussian(Mu::new(1.0).unwrap());
        for kind in Kind::ALL {
            let entry = kind.entry();
            let price = Price::new(entry.title, 10, loss, "a mean").unwrap();
            let text = explain(&price.statement().certify().unwrap());
            assert!(text.contains(entry.title.sentence) && text.contains(entry.title.name), "{kind:?}");
        }
    }

    /// Draws of every mechanism have noise of the size its proof asks for, and ten per cent too little would be noticed. (5 standard
    /// errors each: with fixed seeds, one false alarm in 10⁵ over the choice of the seed.)
    #[test]
    fn every_mechanism_draws_the_noise_it_claims() {
        for (k, kind) in Kind::ALL.iter().enumerate() {
            let check = (kind.entry().scale)(100 + k as u64).unwrap();
            assert!(check.would_notice(), "{kind:?}: the test is too weak: {check:?}");
            assert!(check.holds(), "{kind:?}: {check:?}");
        }
    }
}
