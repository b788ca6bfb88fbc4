//! What is done to each record of landmarks by itself, on the command line.

use super::masks::MaskArgs;
use crate::cli::heading;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use visard::io::shapes::{Negative, ShapeColumns};
use visard::study::points::{Sliding, TableOptions, Treatment};

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

/// What a negative coordinate means
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum NegativeName {
    /// A coordinate like any other
    Valid,
    /// The landmark is missing
    Missing,
}

impl From<NegativeName> for Negative {
    fn from(name: NegativeName) -> Self {
        match name {
            NegativeName::Valid => Self::Valid,
            NegativeName::Missing => Self::Missing,
        }
    }
}

/// What a table of landmarks means, where its heading does not tell
#[derive(Debug, Args)]
pub struct TableArgs {
    /// In a table with a row for each landmark: the column that names the records, each of which is counted as one person ("none": one record)
    #[arg(long, help_heading = heading::RECORDS, value_name = "NAME")]
    record_column: Option<String>,
    /// In a table with a row for each landmark: the column that names the landmarks ("none": rows are in order)
    #[arg(long, help_heading = heading::RECORDS, value_name = "NAME")]
    landmark_column: Option<String>,
    /// What a negative coordinate in TPS means (default: the landmark is missing in specimens with IMAGE=, and valid in others)
    #[arg(long, help_heading = heading::RECORDS, value_name = "WHAT", value_enum)]
    negative: Option<NegativeName>,
    #[command(flatten)]
    masks: MaskArgs,
}

impl TableArgs {
    /// The public outline for masks.
    pub(super) fn atlas(&self) -> Option<&PathBuf> {
        self.masks.atlas.as_ref()
    }

    /// As a study takes it.
    pub(super) fn options(&self) -> TableOptions {
        TableOptions {
            columns: ShapeColumns {
                record: self.record_column.clone(),
                landmark: self.landmark_column.clone(),
            },
            negative: self.negative.map(Into::into),
            masks: self.masks.making(),
            atlas: self.masks.atlas.clone(),
        }
    }
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
