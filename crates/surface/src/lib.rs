//! Studies of surfaces of any kind: from scans, and a public template that is a disk or closed, to a release.
//!
//! For whoever runs such studies from a program of their own; what registers a scan is in `visard-geometry`, the statistics are those of
//! `visard-study`.

pub mod surface_study;

use visard_estimate::estimate;
use visard_geometry::{function, mesh, surface};
use visard_io::io;
use visard_job::job;
use visard_mechanism::mechanism;
use visard_privacy::privacy;
use visard_report::report;
use visard_study::study;
