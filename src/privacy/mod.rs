//! Budgets, trade-off functions, accountants, the ledger, certificates, noise and audits.
//!
//! The way of a release:
//!
//! 1. a budget is asked for ([`PrivacyLoss::requested`]) and converted or calibrated ([`convert`], [`Mu::within`],
//!    [`gaussian_sigma_for`]), every number rounded towards more loss;
//! 2. records are clipped and summed ([`ClippedMean`]) or a mechanism states its sensitivity ([`L2Sensitivity`]);
//! 3. the study's [`Ledger`] composes the loss with all earlier ones ([`Composition`]), refuses above its ceiling, and
//!    hands out a [`Charge`] once the record is on disk;
//! 4. the [`noise::NoiseSource`] takes the charge and draws, on a lattice unless told otherwise;
//! 5. a [`Statement`] of what was done becomes the [`Certificate`] beside the release, and [`explain`] puts it into
//!    sentences;
//! 6. [`audit::audit`] runs the whole on worst-case neighbours and tries to refute it.
//!
//! The proofs are in `docs/threat-model.md`.

pub mod audit;
mod budget;
mod calibrate;
mod certificate;
mod charge;
mod compose;
mod explain;
mod fit;
pub(crate) mod gaussian;
mod ledger;
pub mod noise;
pub(crate) mod normal;
mod pairs;
mod renyi;
mod rounding;
mod sensitivity;
mod tradeoff;

pub use budget::{Adjacency, BudgetError, ClipRadius, ClipSource, Delta, Epsilon, Mu, PrivacyLoss, Rho};
pub use calibrate::{Calibration, Conversion, convert, gaussian_sigma, gaussian_sigma_for, laplace_scale};
pub use certificate::{
    CERTIFICATE_FORMAT, Caveat, Certificate, CertificateError, EpsilonAtDelta, PublicInput, Statement,
};
pub use charge::{Charge, ChargeError};
pub use compose::{Composition, Cost, EpsilonBound, Part, Rule};
pub use explain::explain;
pub use ledger::{LEDGER_FILE, Ledger, LedgerError, LedgerHistory, Quote};
pub use noise::{ClippedMean, IncompleteMean, ReleaseError};
pub use renyi::RenyiCurve;
pub use sensitivity::{L1Sensitivity, L2Sensitivity};

/// The folder of reference tables, or `None` (said loudly) where it is absent.
#[cfg(test)]
fn reference_folder() -> Option<std::path::PathBuf> {
    let data = std::env::var_os("VISARD_DATA").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
        std::path::PathBuf::from,
    );
    let folder = data.join("reference");
    if folder.is_dir() {
        Some(folder)
    } else {
        eprintln!("SKIPPED: no reference tables; set VISARD_DATA to the folder that holds reference/");
        None
    }
}
