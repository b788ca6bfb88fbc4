//! Budgets, trade-off functions, accountants, the ledger, certificates, noise and audits.
//!
//! The way of a release:
//!
//! 1. a budget is asked for ([`PrivacyLoss::requested`]) and converted or calibrated ([`convert`], [`Mu::within`],
//!    [`gaussian_sigma_for`]), every number rounded towards more loss;
//! 2. a [`Mechanism`] states its [`Price`] and its [`Sensitivity`], then looks at the records;
//! 3. the study's [`Ledger`] composes the loss with all earlier ones ([`Composition`]), refuses above its ceiling, and
//!    hands out a [`Charge`] once the record is on disk, with a [`Receipt`]; groups of one [`Partition`] count in
//!    parallel;
//! 4. the mechanism takes the charge and draws from a [`noise::NoiseSource`], on a lattice unless it says otherwise, and
//!    describes the noise that it drew; [`release`] does 2 to 4;
//! 5. the stored result redeems the charge, once ([`Ledger::redeem`]); the [`Statement`] of what was [`Released`] becomes the
//!    [`Certificate`] beside it, and [`explain`] puts it into sentences;
//! 6. [`audit::audit`] runs the whole on worst-case neighbours and tries to refute it.
//!
//! The proofs are in `docs/threat-model.md`.

pub mod audit;
mod budget;
mod calibrate;
mod certificate;
mod charge;
mod compose;
mod digest;
mod explain;
#[cfg(test)]
mod extremes;
mod filter;
mod fit;
#[doc(hidden)]
pub mod gaussian;
mod group;
mod ledger;
mod loss_distribution;
mod neighbours;
pub mod noise;
#[doc(hidden)]
pub mod normal;
mod pairs;
mod receipt;
mod release;
mod renyi;
mod rounding;
mod sampled;
mod sensitivity;
mod tradeoff;
mod vacuous;

pub use budget::{BudgetError, ClipRadius, ClipSource, Delta, Epsilon, Mu, PrivacyLoss, Rho};
pub use calibrate::{Calibration, Conversion, convert, gaussian_sigma, gaussian_sigma_for, laplace_scale};
#[doc(hidden)]
pub use certificate::counts_persons;
pub use certificate::{
    CERTIFICATE_FILE, CERTIFICATE_FORMAT, Caveat, Certificate, CertificateError, EpsilonAtDelta, FileSum,
    LENGTHENED, NOT_IN_ERRORS, PublicInput, Statement, UNSEEN,
};
pub use charge::{Charge, ChargeError};
pub use compose::{Composition, Cost, EpsilonBound, GroupCost, Part, Rule, Terms};
#[doc(hidden)]
pub use explain::counted;
pub use explain::{explain, rounded_up};
pub use group::{Group, GroupSize, Partition, PartitionError};
pub use ledger::{
    Announced, Ceiling, CeilingAnswer, ChargeAnswer, ChargeOnRecord, GroupAnswer, GroupedPart, LEDGER_FILE,
    Ledger, LedgerAnswer, LedgerError, LedgerHistory, Quote, ReceiptError, SumAnswer, SumForNeighbours, utc,
};
pub use neighbours::{Adjacency, Neighbours};
#[doc(hidden)]
pub use neighbours::{WITHIN_GROUPS, WITHIN_GROUPS_TEXT};
pub use noise::{ClippedMean, ClippedSum, IncompleteMean};
pub use receipt::Receipt;
pub use release::{
    Drawn, Entry, Mechanism, NoisedPart, Price, ReleaseError, Released, ScaleCheck, Title, draw, pay, release,
};
pub use renyi::RenyiCurve;
pub use sampled::{Batches, SampledGaussian};
pub use sensitivity::{DistanceSensitivity, GradientSensitivity, L1Sensitivity, L2Sensitivity, Sensitivity};
pub use vacuous::Vacuous;
