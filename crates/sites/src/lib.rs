//! One release of many sites' people, nothing pooled.
//!
//! For whoever runs such rounds from a program of their own; the statistics are those of `visard-study`, the mechanisms those of
//! `visard-mechanism`.

pub mod sites;

use visard_base::fault;
use visard_estimate::estimate;
#[cfg(test)]
use visard_geometry::synth;
use visard_geometry::{function, surface};
use visard_io::io;
use visard_job::job;
use visard_mechanism::mechanism;
use visard_privacy::privacy;
use visard_study::study;
