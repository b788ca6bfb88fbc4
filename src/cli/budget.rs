//! The budget of a release on the command line: `--mu F`, or `--epsilon F --delta F`. There is no default.

use super::output::Failure;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use visard::privacy::{BudgetError, Calibration, Mu, PrivacyLoss, convert};
use visard::study::LedgerChoice;

const HINT: &str =
    "give --mu F, or --epsilon F with --delta F (--epsilon F alone where the mechanism has pure epsilon)";

/// How much privacy loss the release may have; give --mu, or --epsilon and --delta
#[derive(Debug, Clone, Default, Args)]
pub struct BudgetArgs {
    /// Budget in Gaussian differential privacy (1 is strong, 3 moderate)
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    mu: Option<f64>,
    /// Budget ε of differential privacy; needs --delta unless the mechanism gives pure ε
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// δ of (ε, δ)-differential privacy; needs --epsilon
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    delta: Option<f64>,
}

impl BudgetArgs {
    /// A budget of μ.
    pub fn of_mu(mu: f64) -> Self {
        Self { mu: Some(mu), ..Self::default() }
    }

    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.mu.is_none() && self.epsilon.is_none() && self.delta.is_none()
    }

    /// The budget in the unit it was given in.
    pub fn loss(&self) -> Result<PrivacyLoss, Failure> {
        PrivacyLoss::requested(self.mu, self.epsilon, self.delta)
            .map_err(|e| Failure::usage(e).with_hint(HINT))
    }

    /// The budget as μ of a Gaussian mechanism; (ε, δ) becomes the largest μ that meets it.
    pub fn mu(&self) -> Result<Mu, Failure> {
        let usage = |e: BudgetError| Failure::usage(e).with_hint(HINT);
        match PrivacyLoss::requested(self.mu, self.epsilon, self.delta).map_err(usage)? {
            PrivacyLoss::Gaussian(mu) => Ok(mu),
            PrivacyLoss::Approximate(epsilon, delta) => {
                let found = convert(None, Some(epsilon.get()), Some(delta.get())).map_err(usage)?;
                Mu::new(found.mu).map_err(usage)
            }
            _ => {
                Err(Failure::usage("this Gaussian mechanism has no pure epsilon; give --delta too, or --mu"))
            }
        }
    }
}

/// Where a release is recorded
#[derive(Debug, Clone, Default, Args)]
pub struct LedgerArgs {
    /// Charge this ledger, shared by all studies of the same people (default: one in the study's folder)
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Refuse releases beyond this total mu of the ledger, now and in later runs
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    ceiling_mu: Option<f64>,
}

impl LedgerArgs {
    /// The choice of ledger.
    pub fn choice(&self) -> Result<LedgerChoice, Failure> {
        let ceiling = self.ceiling_mu.map(Mu::new).transpose().map_err(Failure::usage)?;
        Ok(LedgerChoice { file: self.ledger.clone(), ceiling: ceiling.map(PrivacyLoss::Gaussian) })
    }
}

/// How Gaussian noise is calibrated to (ε, δ).
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub enum CalibrationName {
    /// The smallest noise that will do (Balle and Wang 2018)
    #[default]
    Analytic,
    /// The textbook formula, for ε < 1
    Classical,
}

impl From<CalibrationName> for Calibration {
    fn from(name: CalibrationName) -> Self {
        match name {
            CalibrationName::Analytic => Self::Analytic,
            CalibrationName::Classical => Self::Classical,
        }
    }
}
