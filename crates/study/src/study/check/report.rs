//! What was found.

use super::look::{Candidate, Looked};
use super::units::Scale;
use crate::privacy::PrivacyLoss;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a study would find: for the data holder only.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Report {
    /// The files that count, those that fail among them: a person whose scans all fail contributes zero.
    pub people: Vec<Counted>,
    /// What is passed over.
    pub skipped: Vec<Skipped>,
    /// What cannot be used, or would stop the study.
    pub failed: Vec<Failed>,
    /// Why a study would stop, other than for what is in `duplicates`.
    pub refused: Vec<String>,
    /// Files of different people with the same bytes, and where scans were registered near copies: they would stop the study.
    pub duplicates: Vec<Vec<PathBuf>>,
    /// What a study would tell of them beside, and what was not looked for.
    pub notes: Vec<String>,
    /// Number of people.
    pub n: usize,
    /// The groups of the manifest and how many lines each has.
    pub groups: Option<BTreeMap<String, usize>>,
    /// In what they are measured.
    pub units: Scale,
    /// Seconds of wall time that the records of all scans would take on this machine.
    pub seconds: Option<f64>,
    /// Seconds of work that one takes.
    pub seconds_per_scan: Option<f64>,
    /// Memory that one process with all records takes.
    pub memory_bytes: Option<u64>,
    /// What the mean face would cost, where a budget is given.
    pub price: Option<Planned>,
    /// Seconds that this took.
    pub looked_seconds: f64,
}

/// A file that counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Counted {
    /// Where it is.
    pub file: PathBuf,
    /// Whose it is, where that is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// `ok` or `failed`.
    pub status: &'static str,
    /// Its number of points.
    pub points: usize,
    /// Whether it has triangles.
    pub mesh: bool,
    /// Whether it has colours or a texture, which are not used.
    pub appearance: bool,
    /// The landmark file beside it, which is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landmarks: Option<PathBuf>,
    /// What was repaired or left out, where it was registered.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub repairs: String,
}

impl Counted {
    pub(super) fn new(candidate: &Candidate, looked: &Looked) -> Self {
        Self {
            file: candidate.file.clone(),
            person: candidate.person.clone(),
            status: if looked.problem.is_none() { "ok" } else { "failed" },
            points: looked.points,
            mesh: looked.is_mesh,
            appearance: looked.has_appearance,
            landmarks: looked.landmarks.clone(),
            repairs: looked.repairs.clone(),
        }
    }
}

/// What is passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Skipped {
    /// Where it is.
    pub file: PathBuf,
    /// Why.
    pub why: String,
}

/// What cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Failed {
    /// Where it is.
    pub file: PathBuf,
    /// What is wrong and what to do.
    pub problem: String,
}

/// A price.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Planned {
    /// What would be charged for.
    pub mechanism: String,
    /// How much.
    pub loss: PrivacyLoss,
    /// For so many people.
    pub n: u64,
    /// What the ledger would then hold.
    pub ledger_total_after: Option<PrivacyLoss>,
    /// Why the ledger would refuse.
    pub problem: Option<String>,
}

impl Report {
    /// Whether a study of these files would go through with every scan.
    pub fn is_fine(&self) -> bool {
        let room = self.price.as_ref().is_none_or(|price| price.problem.is_none());
        self.failed.is_empty()
            && self.refused.is_empty()
            && self.duplicates.is_empty()
            && !self.people.is_empty()
            && room
    }
}
