//! Whole jobs: from the files of a study to what is released of them, with one lifecycle.
//!
//! For whoever runs studies from a program of their own. Settings say everything a study needs to know, all of it public but the records; a
//! function runs it: price, charge, draw, publish, in this order, wherever it is stopped.
//!
//! ```
//! use visard_privacy::privacy::Mu;
//! use visard_study::study::Place;
//! use visard_study::study::face::FaceStudySettings;
//! let place = Place::new(std::path::Path::new("study"));
//! let settings = FaceStudySettings::new(["scans".into()], place, Mu::new(1.0)?);
//! # Ok::<(), visard_privacy::privacy::BudgetError>(())
//! ```
//!
//! * [`study`]: faces, landmarks, functions, matrices and points; ledgers, plans, dossiers, checks.

pub mod study;

#[cfg(test)]
use visard_base::fault;
use visard_estimate::estimate;
use visard_geometry::{conformal, function, mesh, surface, synth};
use visard_images::images;
use visard_io::io;
use visard_job::job;
use visard_landmark::landmark;
use visard_manifold::{manifold, stats};
use visard_mechanism::mechanism;
#[cfg(test)]
use visard_optimize::optimize;
use visard_privacy::privacy;
use visard_report::report;
