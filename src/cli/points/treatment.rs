//! What is done to each record of landmarks by itself, on the command line.

use crate::cli::heading;
use clap::Args;
use std::path::PathBuf;
use visard::study::points::{Sliding, Treatment};

/// What is done to each record by itself, against public things only
#[derive(Debug, Args)]
pub struct TreatmentArgs {
    /// A number that stands for a missing landmark, in addition to NA and empty fields; may be given several times
    #[arg(long, help_heading = heading::RECORDS, value_name = "CODE", allow_negative_numbers = true)]
    missing: Vec<f64>,
    /// Semilandmarks slide along their curves towards the public centre's shape: a table before,slide,after (landmarks from 1, as geomorph
    /// writes it), or "curves": all inner points of the curves (CURVES=) in the centre's file.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "FILE|curves")]
    sliders: Option<PathBuf>,
    /// Pairs of landmarks (from 1) to join by lines in pictures.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::OUTPUT, value_name = "FILE")]
    links: Option<PathBuf>,
    /// Reflect records that are nearer to the mirror image of the public centre
    #[arg(long, help_heading = heading::REGISTRATION)]
    unmirror: bool,
}

impl TreatmentArgs {
    /// As a study takes it; `pairs`: a table of landmarks (left, right), where a mean is to be split.
    pub(super) fn treatment(&self, pairs: Option<&PathBuf>) -> Treatment {
        let sliding = match &self.sliders {
            None => Sliding::None,
            Some(word) if word.as_os_str() == "curves" => Sliding::Curves,
            Some(file) => Sliding::File(file.clone()),
        };
        Treatment {
            missing: self.missing.clone(),
            sliding,
            unmirror: self.unmirror,
            pairs: pairs.cloned(),
            links: self.links.clone(),
        }
    }
}
