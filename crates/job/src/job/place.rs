//! Where a study works.

use super::ledger::LedgerChoice;
use super::stop::Stop;
use crate::privacy::PrivacyLoss;
use std::path::PathBuf;

/// Where a study works, and under which conditions; all of it public.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The study's folder.
    pub out: PathBuf,
    /// Which ledger is charged.
    pub ledger: LedgerChoice,
    /// Fixed noise seed: an experiment, not private.
    pub seed: Option<u64>,
    /// Go on with an interrupted run.
    pub resume: bool,
    /// Replace a finished release, or give up an interrupted run.
    pub replace: bool,
    /// Stop at the price ([`JobError::DryRun`](super::JobError::DryRun)): nothing is charged, no ceiling set, nothing left behind, and no value of a record used.
    pub dry_run: bool,
    /// The budget in the words it was asked for in, where the mechanism states its loss in others.
    pub asked: Option<PrivacyLoss>,
    /// Allow a budget that protects nobody ([`Vacuous`](crate::privacy::Vacuous)); the certificate says so.
    pub vacuous: bool,
    /// Whoever holds a clone of it can stop the study as long as nothing is charged.
    pub stop: Stop,
}

impl Place {
    /// A new study in this folder, with a ledger of its own and noise from the operating system.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        Self { out: out.into(), ..Self::default() }
    }
}
