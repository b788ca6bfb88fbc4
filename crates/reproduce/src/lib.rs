//! The papers' tables and figures, computed anew, with ours and the peers beside them.
//!
//! For whoever wants to see that the papers' figures come out, or to compare a mechanism of their own with them.
//!
//! * [`reproduce`]: every experiment, its rows and its findings.

pub mod reproduce;

use visard_estimate::estimate;
use visard_geometry::{conformal, function, mesh, surface, synth};
use visard_io::io;
use visard_manifold::{manifold, stats};
use visard_mechanism::mechanism;
use visard_optimize::optimize;
use visard_privacy::privacy;
use visard_report::report;
use visard_study::study;
