//! Budgets, trade-off functions, accountants, the ledger, certificates and noise.

mod budget;
mod calibrate;
mod charge;
mod compose;
mod fit;
mod gaussian;
mod ledger;
pub mod noise;
mod normal;
mod pairs;
mod renyi;
mod rounding;
mod sensitivity;

pub use budget::{Adjacency, BudgetError, ClipRadius, ClipSource, Delta, Epsilon, Mu, PrivacyLoss, Rho};
pub use calibrate::{Calibration, Conversion, convert, gaussian_sigma, gaussian_sigma_for, laplace_scale};
pub use charge::{Charge, ChargeError};
pub use compose::{Composition, Cost, EpsilonBound, Part, Rule};
pub use ledger::{LEDGER_FILE, Ledger, LedgerError, Quote};
pub use noise::{ClippedMean, IncompleteMean};
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
