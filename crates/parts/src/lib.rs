//! One release of very many prepared faces, whose records are added up in parts: by any engine, on one machine or on many.
//!
//! * [`parts`]: the sum of a part, and the release that is drawn of all of them. Its bytes are those of one process.

pub mod parts;

use visard_estimate::estimate;
use visard_geometry::function;
use visard_io::io;
use visard_job::job;
use visard_mechanism::mechanism;
use visard_privacy::privacy;
use visard_study::study;
