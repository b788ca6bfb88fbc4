//! What follows, for free, from a release of how people vary about their mean.
//!
//! Everything here reads a release and public inputs only, so it costs no privacy.
//!
//! * [`norm`]: a released mean and variation read back; synthetic people drawn from them, with a forecast of what these are good for;
//!   a patient held against them.

pub mod norm;

use visard_base::fault;
use visard_estimate::estimate;
use visard_geometry::{function, mesh, surface, synth};
use visard_io::io;
use visard_landmark::landmark;
use visard_manifold::manifold;
use visard_privacy::privacy;
use visard_report::report;
use visard_study::study;
use visard_surface::surface_study;
