//! Whole jobs: from a folder of scans to a release. All go through the one lifecycle of [`job`].

pub mod check;
mod covariates;
#[cfg(test)]
mod crash_tests;
mod differences;
pub mod distances;
mod distances_page;
pub mod dossier;
pub mod face;
mod fields_table;
pub mod function;
mod groups;
pub mod job;
mod kept;
mod labelled;
pub mod layout;
mod ledger;
mod modes_table;
pub mod optimize;
mod people;
mod plan;
pub mod points;
mod public;
pub mod records;
pub mod shape;
mod signature;
pub mod standing;
pub mod subject;
pub mod tangent;
mod unusable;
mod verify;

pub use covariates::{CovariateError, CovariateFault};
pub use distances_page::{distance_picture, distance_report};
pub use groups::{GroupFault, Groups, GroupsError};
pub use job::{DryRun, JobError, Place, Stop};
pub use layout::StudyFolder;
pub use ledger::{LedgerChoice, ledger_of};
pub use people::{Counting, Identical, People, PeopleError, PeopleFault};
pub use plan::{PlanError, SavedPlan};
pub use public::{is_secret, public_input};
pub use signature::{SIGNATURE_FILE, SignatureError, make_key, sign_certificate, signer};
pub use unusable::Unusable;
pub use verify::{Binding, Verified, VerifyError, verify};
