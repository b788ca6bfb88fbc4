//! The lifecycle of a study, whatever its records are: its folder and ledger, a plan, one charge, one draw, what is published, and how others
//! verify it.
//!
//! For whoever has a mechanism and records of their own and wants what a study has: a charge that no crash loses or doubles, a release that is
//! there as a whole or not at all, a certificate that the ledger vouches for.
//!
//! ```
//! use visard_job::job::StudyFolder;
//! let folder = StudyFolder::at(std::path::Path::new("study"));
//! assert!(folder.release().ends_with("release"));
//! ```
//!
//! * [`job`]: the lifecycle; [`job::dossier`] what a board asks, [`job::verify`] whether a release is what it says.

pub mod job;

use visard_base::fault;
use visard_estimate::estimate;
use visard_io::io;
use visard_mechanism::mechanism;
use visard_privacy::privacy;
use visard_report::report;
