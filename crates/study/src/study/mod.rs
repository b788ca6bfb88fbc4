//! Whole jobs: from a folder of scans to a release. All go through the one lifecycle of [`job`].

pub mod check;
#[cfg(test)]
mod crash_tests;
mod differences;
pub mod distances;
mod distances_page;
pub mod face;
mod fields_table;
pub mod function;
pub mod points;
pub mod portrait;
pub mod public_people;
pub mod records;
mod seen;
pub mod shape;
pub mod subject;
pub mod tangent;
pub mod variation;

pub use distances_page::{distance_picture, distance_report};
pub use visard_job::job;
#[doc(inline)]
pub use visard_job::job::{
    Binding, Counting, CovariateError, CovariateFault, DryRun, GroupFault, Groups, GroupsError, Identical,
    JobError, LedgerChoice, People, PeopleError, PeopleFault, Place, PlanError, SIGNATURE_FILE, SavedPlan,
    SignatureError, Stop, StudyFolder, Unusable, Verified, VerifiedAnswer, VerifyError, Whose, dossier,
    is_secret, layout, ledger_of, make_key, public_input, sign_certificate, signer, standing, verify,
};
#[doc(inline)]
pub use visard_optimize_study::optimize_study as optimize;
