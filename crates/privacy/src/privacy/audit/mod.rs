//! Audits: the real mechanism, run on worst-case neighbours, against its claim.
//!
//! A mechanism is run on two neighbouring datasets; on a fifth of the runs the best event is looked for (which statistic,
//! which side, which threshold), on the rest its two probabilities are bounded exactly (Clopper and Pearson 1934). An
//! event with false-alarm rate at most α and power at least π refutes every claim that allows less power at α, so it
//! gives a lower bound on μ or ε that holds with confidence 1 − 1e-3 whatever the mechanism does. A bound above the
//! claim is a bug (or one chance in a thousand, in practice far less); one below it proves nothing, but should be close.
//!
//! Whether an audit could have refuted its claim is found out by planting a fault: the same mechanism on the same neighbours with noise so
//! small that their loss exceeds the claim by [`EXCESS`], audited in the same way. What is not refuted then proves nothing now.

mod event;
#[doc(hidden)]
pub mod interval;
mod pair;
mod renyi;
mod standard;

pub use pair::{Look, PairAudit, WorstCase, whole};
pub use standard::STANDARD_AUDITS;

use super::{BudgetError, Delta, PrivacyLoss};
use event::{Event, rounded_up};
pub use interval::FALSE_ALARM;
use interval::{lower_limit, upper_limit};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many times its claim a mechanism loses with the fault that an audit has to find before it may say `held`.
pub const EXCESS: f64 = 1.3;

/// One of two neighbouring datasets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbour {
    /// D.
    First,
    /// D′, one record replaced.
    Second,
}

/// A mechanism with its worst-case neighbours built in.
///
/// `draw` must run the mechanism's real code; what it returns may be anything an attacker can compute from the whole
/// release, files and counts included.
pub trait Auditable: Sync {
    /// The mechanism's name.
    fn name(&self) -> &str;
    /// What one run is claimed to lose.
    fn claim(&self) -> PrivacyLoss;
    /// One run on `which`, with all its randomness from `seed` (never the same twice): one or more scalar statistics,
    /// the same number each time. NaN stands for a visible failure, itself an event.
    fn draw(&self, which: Neighbour, seed: u64) -> Vec<f64>;
    /// What these two neighbours truly lose, in the unit of the claim, where it is known: at most the claim, if that is right.
    fn loss_of_pair(&self) -> Option<f64> {
        None
    }
    /// The same mechanism on the same neighbours with so little noise that they lose this much: what an audit has to find out. `None` where
    /// there is none; the audit cannot tell then whether it would have.
    fn losing(&self, _loss: f64) -> Option<Result<Box<dyn Auditable>, AuditError>> {
        None
    }
}

/// Why there was no audit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// Too few runs to say anything.
    #[error("an audit needs at least 100 runs, got {0}")]
    TooFewRuns(u64),
    /// A claim of nothing cannot be refuted.
    #[error("{0} claims no loss bound, so there is nothing to audit")]
    NoClaim(String),
    /// The mechanism gives no statistics, or not always as many.
    #[error("{0} does not return the same number of statistics from every run")]
    Statistics(String),
    /// No such mechanism.
    #[error("no audit is called {name}; visard privacy audit --help lists them")]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// A claim out of range.
    #[error(transparent)]
    Budget(#[from] BudgetError),
}

/// What an audit says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub enum AuditVerdict {
    /// The bound is not above it, and the bound on a mechanism that loses [`EXCESS`] times as much was.
    Held,
    /// The lower bound is above it.
    Refuted,
    /// So many runs would not have refuted it, had the mechanism lost [`EXCESS`] times as much.
    Inconclusive,
}

/// What an audit found.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditReport {
    /// The mechanism.
    pub mechanism: String,
    /// Its claim.
    pub claim: PrivacyLoss,
    /// Runs on each of the two datasets.
    pub runs: u64,
    /// The claim's parameter (μ, ε at the claim's δ, or ρ).
    pub claimed: f64,
    /// The lower confidence bound on it.
    pub lower_bound: f64,
    /// What the two neighbours truly lose, where it is known.
    pub loss_of_pair: Option<f64>,
    /// The largest claim that the same audit refutes when the neighbours lose [`EXCESS`] times this one: the bound that it finds then.
    pub largest_refutable: Option<f64>,
    /// About how many runs would have been enough, where these were too few and any number is.
    pub runs_needed: Option<u64>,
    /// What follows for the claim.
    pub verdict: AuditVerdict,
    /// Upper confidence limit on the false-alarm rate of the event found.
    pub false_alarm: f64,
    /// Lower confidence limit on its power.
    pub power: f64,
    /// The empirical trade-off curve of the best statistic on the held-out runs: (false alarms, missed detections).
    pub trade_off: Vec<(f64, f64)>,
    /// Wall-clock seconds.
    pub seconds: f64,
}

impl AuditReport {
    /// Whether the claim held.
    pub fn passed(&self) -> bool {
        self.verdict == AuditVerdict::Held
    }

    /// For `--json`.
    pub fn answer(&self) -> AuditAnswer {
        let unit = match self.claim {
            PrivacyLoss::Gaussian(_) => "mu",
            PrivacyLoss::ZeroConcentrated(_) => "rho",
            _ => "epsilon",
        };
        let bounds = [
            ("claimed", Some(self.claimed)),
            ("lower_bound", Some(self.lower_bound)),
            ("largest_refutable", self.largest_refutable),
        ];
        AuditAnswer {
            mechanism: self.mechanism.clone(),
            bounds: bounds.into_iter().map(|(what, value)| (format!("{what}_{unit}"), value)).collect(),
            loss_of_pair: self.loss_of_pair,
            verdict: self.verdict,
            runs: self.runs,
            runs_needed: self.runs_needed,
            confidence: 1.0 - FALSE_ALARM,
            seconds: self.seconds,
            passed: self.passed(),
            delta: if let PrivacyLoss::Approximate(_, delta) = self.claim { Some(delta) } else { None },
        }
    }
}

/// What an audit answers: beside these `claimed_U`, `lower_bound_U` and `largest_refutable_U`, where U is mu, epsilon or rho.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct AuditAnswer {
    /// The mechanism.
    pub mechanism: String,
    /// The claim, the lower confidence bound on it, and the largest claim that would have been refuted.
    #[serde(flatten)]
    pub bounds: BTreeMap<String, Option<f64>>,
    /// What the two neighbours truly lose, where it is known.
    pub loss_of_pair: Option<f64>,
    /// What follows for the claim.
    pub verdict: AuditVerdict,
    /// Runs on each of the two datasets.
    pub runs: u64,
    /// About how many would have been enough, where these were too few.
    pub runs_needed: Option<u64>,
    /// The confidence of the bound.
    pub confidence: f64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Whether the claim held.
    pub passed: bool,
    /// The δ of the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
}

/// Audits `mechanism` with `runs` runs on each neighbour, and as many of the same with a planted fault. `seed` makes it repeatable: give a
/// fresh one otherwise.
///
/// # Errors
/// [`AuditError`].
pub fn audit(mechanism: &dyn Auditable, runs: u64, seed: u64) -> Result<AuditReport, AuditError> {
    let start = std::time::Instant::now();
    if runs < 100 {
        return Err(AuditError::TooFewRuns(runs));
    }
    let claim = mechanism.claim();
    let claimed = parameter(claim).ok_or_else(|| AuditError::NoClaim(mechanism.name().to_owned()))?;
    let faulty = mechanism.losing(EXCESS * claimed).transpose()?;
    let found = Sample::of(mechanism, runs, seed)?.found(claim)?;
    let (mut largest_refutable, mut runs_needed) = (None, None);
    if let Some(faulty) = faulty {
        let sample = Sample::of(faulty.as_ref(), runs, mix(seed))?;
        let most = sample.found(claim)?.lower_bound;
        if most <= claimed {
            runs_needed = sample.runs_needed(claim, claimed, most);
        }
        largest_refutable = Some(most);
    }
    let verdict = if found.lower_bound > claimed {
        AuditVerdict::Refuted
    } else if largest_refutable.is_some_and(|most| most > claimed) {
        AuditVerdict::Held
    } else {
        AuditVerdict::Inconclusive
    };
    Ok(AuditReport {
        mechanism: mechanism.name().to_owned(),
        claim,
        runs,
        claimed,
        lower_bound: found.lower_bound,
        loss_of_pair: mechanism.loss_of_pair(),
        largest_refutable,
        runs_needed: runs_needed.filter(|_| verdict == AuditVerdict::Inconclusive),
        verdict,
        false_alarm: found.false_alarm,
        power: found.power,
        trade_off: found.trade_off,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// The statistics of all runs.
struct Sample {
    name: String,
    runs: u64,
    first: Vec<Vec<f64>>,
    second: Vec<Vec<f64>>,
}

/// What they show.
struct Found {
    lower_bound: f64,
    false_alarm: f64,
    power: f64,
    trade_off: Vec<(f64, f64)>,
}

impl Sample {
    fn of(mechanism: &dyn Auditable, runs: u64, seed: u64) -> Result<Self, AuditError> {
        let first = draws(mechanism, Neighbour::First, runs, seed);
        let second = draws(mechanism, Neighbour::Second, runs, seed);
        let width = first.first().map_or(0, Vec::len);
        let name = mechanism.name().to_owned();
        if width == 0 || first.iter().chain(&second).any(|row| row.len() != width) {
            return Err(AuditError::Statistics(name));
        }
        Ok(Self { name, runs, first, second })
    }

    /// The bound by the event that a fifth of the runs chooses, on the rest.
    fn found(&self, claim: PrivacyLoss) -> Result<Found, AuditError> {
        let (held_first, first) = self.first.split_at((self.runs / 5) as usize);
        let (held_second, second) = self.second.split_at((self.runs / 5) as usize);
        let none = || AuditError::Statistics(self.name.clone());
        let event = Event::best(held_first, held_second, self.runs, claim).ok_or_else(none)?;
        let n = first.len() as u64;
        let false_alarm = upper_limit(event.count(first), n, FALSE_ALARM / 2.0);
        let power = lower_limit(event.count(second), n, FALSE_ALARM / 2.0);
        let lower_bound = match claim {
            PrivacyLoss::ZeroConcentrated(_) => renyi::Cells::best(held_first, held_second, self.runs)
                .map_or(0.0, |cells| cells.bound(first, second)),
            _ => event::implied(claim, false_alarm, power),
        };
        Ok(Found { lower_bound, false_alarm, power, trade_off: event.curve(first, second) })
    }

    /// About how many runs would have shown more than the claim, of which these showed `most`.
    fn runs_needed(&self, claim: PrivacyLoss, claimed: f64, most: f64) -> Option<u64> {
        match claim {
            // What a bound falls short of the truth by goes with the root of the runs.
            PrivacyLoss::ZeroConcentrated(_) => {
                let short = (EXCESS * claimed - most) / (EXCESS - 1.0) / claimed;
                Some(rounded_up(self.runs as f64 * short * short))
            }
            _ => Event::runs_needed(&self.first, &self.second, claim, [claimed, EXCESS * claimed]),
        }
    }
}

fn draws(mechanism: &dyn Auditable, which: Neighbour, runs: u64, seed: u64) -> Vec<Vec<f64>> {
    let side = u64::from(which == Neighbour::Second);
    (0..runs).into_par_iter().map(|run| mechanism.draw(which, mix(mix(seed) ^ (2 * run + side)))).collect()
}

/// SplitMix64's finalizer (Steele, Lea and Flood 2014): a bijection, so no two runs share a seed.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The parameter a claim is stated in.
fn parameter(claim: PrivacyLoss) -> Option<f64> {
    match claim {
        PrivacyLoss::Gaussian(mu) => Some(mu.get()),
        PrivacyLoss::Pure(epsilon) | PrivacyLoss::Approximate(epsilon, _) => Some(epsilon.get()),
        PrivacyLoss::ZeroConcentrated(rho) => Some(rho.get()),
        PrivacyLoss::NonPrivate => None,
    }
}
