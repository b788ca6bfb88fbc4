//! The budget of a release on the command line: `--mu F`, or `--epsilon F --delta F`. There is no default.

use super::output::Failure;
use super::{Global, heading};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Duration;
use visard::privacy::{BudgetError, Mu, PrivacyLoss, convert};
use visard::study::{Counting, Identical, LedgerChoice, Place, Unusable};

const HINT: &str =
    "give --mu F, or --epsilon F with --delta F (--epsilon F alone where the mechanism has pure epsilon)";

/// How much privacy loss the release may have; give --mu, or --epsilon and --delta
#[derive(Debug, Clone, Default, Args)]
pub struct BudgetArgs {
    /// Budget in Gaussian differential privacy (at most .5 is strong, 1 moderate, 3 weak)
    #[arg(long, help_heading = heading::BUDGET, value_name = "F", allow_negative_numbers = true)]
    mu: Option<f64>,
    /// Budget ε of differential privacy; needs --delta unless the mechanism gives pure ε
    #[arg(long, help_heading = heading::BUDGET, value_name = "F", allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// δ of (ε, δ)-differential privacy; needs --epsilon
    #[arg(long, help_heading = heading::BUDGET, value_name = "F", allow_negative_numbers = true)]
    delta: Option<f64>,
}

impl BudgetArgs {
    /// A budget of μ.
    pub fn of_mu(mu: f64) -> Self {
        Self { mu: Some(mu), ..Self::default() }
    }

    /// Of parts that may be missing.
    pub fn of(mu: Option<f64>, epsilon: Option<f64>, delta: Option<f64>) -> Self {
        Self { mu, epsilon, delta }
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

/// Where a study works and where its release is recorded
#[derive(Debug, Clone, Args)]
pub struct PlaceArgs {
    /// The study's folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print the price and what the certificate will say, and stop: nothing is charged, and no value of a record is used
    #[arg(long)]
    dry_run: bool,
    /// Continue an interrupted run: finished work is kept, and nothing is paid twice
    #[arg(long)]
    resume: bool,
    /// Charge this ledger, shared by all studies of the same people (default: one in the study's folder)
    #[arg(long, help_heading = heading::LEDGER, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Allow a budget that protects nobody (mu above 20, delta of 1/n and more); the certificate says so
    #[arg(long, help_heading = heading::BUDGET)]
    vacuous_budget: bool,
    /// Refuse releases beyond this total mu of the ledger, now and in later runs
    #[arg(long, help_heading = heading::LEDGER, value_name = "F", allow_negative_numbers = true)]
    ceiling_mu: Option<f64>,
    /// Wait up to this many seconds for another process that has the ledger open
    #[arg(long, help_heading = heading::LEDGER, value_name = "SECONDS", default_value_t = 0)]
    wait: u64,
}

impl PlaceArgs {
    /// The study's place.
    pub fn place(&self, global: &Global) -> Result<Place, Failure> {
        let ceiling = self.ceiling_mu.map(Mu::new).transpose().map_err(Failure::usage)?;
        let ceiling = ceiling.map(PrivacyLoss::Gaussian);
        let ledger =
            LedgerChoice { file: self.ledger.clone(), ceiling, wait: Duration::from_secs(self.wait) };
        let Self { resume, dry_run, vacuous_budget: vacuous, .. } = *self;
        Ok(Place { ledger, resume, dry_run, vacuous, ..place_of(&self.out, global) })
    }
}

/// What counts as a person
#[derive(Debug, Clone, Default, Args)]
pub struct CountingArgs {
    /// Which person each record belongs to: a table with the heading record,person (a scan by its file name or path, a shape by its ID, a row by its
    /// number from 0); or the word folders (all scans of a folder are one person's) or scans (each is a person). The average of a person's records is
    /// one record, and n counts persons
    #[arg(long, help_heading = heading::RECORDS, value_name = "FILE.csv|folders|scans")]
    people: Option<PathBuf>,
    /// Accept records that are identical to the last bit, or nearer than any two people's, as different people's, instead of stopping
    #[arg(long, help_heading = heading::RECORDS)]
    allow_identical: bool,
}

impl CountingArgs {
    /// What counts as a person.
    pub fn counting(&self) -> Counting {
        let identical = if self.allow_identical { Identical::Allow } else { Identical::Refuse };
        Counting { people: self.people.clone().map(Into::into), identical }
    }
}

/// What is done with records that cannot be used
#[derive(Debug, Clone, Args)]
pub struct UnusableArgs {
    /// Records that cannot be used (not a number, off the space, landmarks missing or all in one place, a scan that cannot be processed):
    /// they contribute zero, which only noised values tell, or the study stops before its charge. internal/ says which, and why.
    /// Default: zero; refuse for a TPS file if neither --landmarks nor a public centre gives the number of landmarks
    #[arg(long, help_heading = heading::RECORDS, value_enum)]
    unusable: Option<Unusable>,
    // What is now the default.
    #[arg(long, help_heading = heading::RECORDS, hide = true, conflicts_with = "unusable")]
    drop_unusable: bool,
}

impl UnusableArgs {
    /// The rule.
    pub fn rule(&self) -> Unusable {
        self.unusable.unwrap_or_default()
    }

    /// The rule for the landmarks in this file; whether their number is `told` by an option or a public centre. In a TPS file nothing else
    /// tells it but the records, and then all of them have to agree.
    pub fn rule_of_shapes(&self, file: &Path, told: bool) -> Unusable {
        let is_tps = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tps"));
        match self.unusable {
            None if is_tps && !told && !self.drop_unusable => Unusable::Refuse,
            _ => self.rule(),
        }
    }
}

/// A place with a ledger of its own.
pub fn place_of(out: &Path, global: &Global) -> Place {
    Place { seed: global.seed, replace: global.force, stop: global.stop.clone(), ..Place::new(out) }
}
