//! Audits: the real mechanism, run on worst-case neighbours, against its claim.
//!
//! A mechanism is run on two neighbouring datasets; on a fifth of the runs the best event is looked for (which statistic,
//! which side, which threshold), on the rest its two probabilities are bounded exactly (Clopper and Pearson 1934). An
//! event with false-alarm rate at most α and power at least π refutes every claim that allows less power at α, so it
//! gives a lower bound on μ or ε that holds with confidence 1 − 1e-3 whatever the mechanism does. A bound above the
//! claim is a bug (or one chance in a thousand, in practice far less); one below it proves nothing, but should be close.

pub(crate) mod interval;
mod pair;
mod standard;

pub use pair::{Look, PairAudit, WorstCase};
pub use standard::STANDARD_AUDITS;

use super::normal::quantile;
use super::{BudgetError, Mu, PrivacyLoss, Rho};
use interval::{lower_limit, upper_limit};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

/// The chance that an audit's lower bound is above the true value.
pub const FALSE_ALARM: f64 = 1e-3;

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
pub enum AuditVerdict {
    /// It could have been refuted, and was not.
    Held,
    /// The lower bound is above it.
    Refuted,
    /// So few runs cannot refute a claim so large, whatever the mechanism does.
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
    /// The largest claim that these runs could have refuted: the bound that they give for two laws with nothing in common.
    pub largest_refutable: f64,
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

    /// `{claimed_mu, lower_bound_mu, largest_refutable_mu, verdict, runs, seconds, passed}`, with epsilon or rho in place of mu.
    pub fn to_json(&self) -> Value {
        let unit = match self.claim {
            PrivacyLoss::Gaussian(_) => "mu",
            PrivacyLoss::ZeroConcentrated(_) => "rho",
            _ => "epsilon",
        };
        let mut value = json!({
            "mechanism": self.mechanism,
            (format!("claimed_{unit}")): self.claimed,
            (format!("lower_bound_{unit}")): self.lower_bound,
            (format!("largest_refutable_{unit}")): self.largest_refutable,
            "verdict": self.verdict,
            "runs": self.runs,
            "confidence": 1.0 - FALSE_ALARM,
            "seconds": self.seconds,
            "passed": self.passed(),
        });
        if let (PrivacyLoss::Approximate(_, delta), Some(object)) = (self.claim, value.as_object_mut()) {
            object.insert("delta".into(), json!(delta.get()));
        }
        value
    }
}

/// Audits `mechanism` with `runs` runs on each neighbour. `seed` makes it repeatable: give a fresh one otherwise.
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
    let first = draws(mechanism, Neighbour::First, runs, seed);
    let second = draws(mechanism, Neighbour::Second, runs, seed);
    let width = first.first().map_or(0, Vec::len);
    if width == 0 || first.iter().chain(&second).any(|row| row.len() != width) {
        return Err(AuditError::Statistics(mechanism.name().to_owned()));
    }
    let held_out = (runs / 5) as usize;
    let event = (0..width)
        .flat_map(|column| Event::candidates(column, &first[..held_out], &second[..held_out]))
        .map(|event| {
            let promise = event.promise(&first[..held_out], &second[..held_out], runs, claim);
            (event, promise)
        })
        .fold(None, |best: Option<(Event, f64)>, next| match best {
            Some(best) if best.1 >= next.1 => Some(best),
            _ => Some(next),
        })
        .map(|(event, _)| event)
        .ok_or_else(|| AuditError::Statistics(mechanism.name().to_owned()))?;
    let (test_first, test_second) = (&first[held_out..], &second[held_out..]);
    let n = test_first.len() as u64;
    let false_alarm = upper_limit(event.count(test_first), n, FALSE_ALARM / 2.0);
    let power = lower_limit(event.count(test_second), n, FALSE_ALARM / 2.0);
    let lower_bound = implied(claim, false_alarm, power);
    let largest_refutable =
        implied(claim, upper_limit(0, n, FALSE_ALARM / 2.0), lower_limit(n, n, FALSE_ALARM / 2.0));
    let verdict = if lower_bound > claimed {
        AuditVerdict::Refuted
    } else if claimed >= largest_refutable {
        AuditVerdict::Inconclusive
    } else {
        AuditVerdict::Held
    };
    Ok(AuditReport {
        mechanism: mechanism.name().to_owned(),
        claim,
        runs,
        claimed,
        lower_bound,
        largest_refutable,
        verdict,
        false_alarm,
        power,
        trade_off: event.curve(test_first, test_second),
        seconds: start.elapsed().as_secs_f64(),
    })
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

/// The smallest parameter (in the claim's unit) that allows power `power` at false-alarm rate `alpha`; 0 at best.
fn implied(claim: PrivacyLoss, alpha: f64, power: f64) -> f64 {
    if power <= alpha {
        return 0.0;
    }
    let by_odds = |delta: f64| {
        let near_zero = ((power - delta) / alpha).ln();
        let near_one = ((1.0 - delta - alpha) / (1.0 - power)).ln();
        near_zero.max(near_one).max(0.0)
    };
    match claim {
        PrivacyLoss::Gaussian(_) => quantile(power) - quantile(alpha),
        PrivacyLoss::Pure(_) => by_odds(0.0),
        PrivacyLoss::Approximate(_, delta) => by_odds(delta.get()),
        PrivacyLoss::ZeroConcentrated(_) => {
            let allows = |rho: f64| {
                Rho::new(rho).is_ok_and(|r| PrivacyLoss::ZeroConcentrated(r).power_at(alpha) >= power)
            };
            let (mut low, mut high) = (-30f64, 12f64);
            for _ in 0..40 {
                let middle = 0.5 * (low + high);
                if allows(middle.exp2()) { high = middle } else { low = middle }
            }
            low.exp2()
        }
        PrivacyLoss::NonPrivate => 0.0,
    }
}

/// A set of outcomes: a statistic's score above a threshold.
#[derive(Debug, Clone, Copy)]
struct Event {
    column: usize,
    /// ±1: above or below.
    sign: f64,
    /// Distance from here rather than the value itself.
    centre: Option<f64>,
    threshold: f64,
}

impl Event {
    /// One-sided and two-sided events at quantiles of both samples together.
    fn candidates(column: usize, first: &[Vec<f64>], second: &[Vec<f64>]) -> Vec<Self> {
        let mut pooled: Vec<f64> = first.iter().chain(second).map(|row| visible(row[column])).collect();
        pooled.sort_by(f64::total_cmp);
        let median = pooled[pooled.len() / 2];
        let centre = if median.is_finite() { Some(median) } else { None };
        let mut events = Vec::new();
        for centre in [None, centre] {
            for sign in [1.0, -1.0] {
                let event = Self { column, sign, centre, threshold: 0.0 };
                let mut scores: Vec<f64> = pooled.iter().map(|x| event.score_of(*x)).collect();
                scores.sort_by(f64::total_cmp);
                // Finer towards the ends, where small probabilities are compared.
                let ranks = (1..400).map(|k| 0.5 - 0.5 * (std::f64::consts::PI * f64::from(k) / 400.0).cos());
                events.extend(ranks.map(|rank| Self {
                    threshold: scores[((scores.len() - 1) as f64 * rank) as usize],
                    ..event
                }));
            }
        }
        events
    }

    fn score_of(&self, x: f64) -> f64 {
        let x = visible(x);
        self.sign * self.centre.map_or(x, |centre| (x - centre).abs())
    }

    fn count(&self, rows: &[Vec<f64>]) -> u64 {
        rows.iter().filter(|row| self.score_of(row[self.column]) >= self.threshold).count() as u64
    }

    /// The bound to count on, from smoothed frequencies and the normal approximation. What the held-out runs leave open
    /// is held against an event: many are compared, and the luckiest of the rare ones would win otherwise.
    fn promise(&self, first: &[Vec<f64>], second: &[Vec<f64>], runs: u64, claim: PrivacyLoss) -> f64 {
        let held = first.len() as f64;
        let rest = runs as f64 - held;
        let rate = |rows: &[Vec<f64>]| (self.count(rows) as f64 + 0.5) / (held + 1.0);
        let reach = |p: f64| 3.3 * (p * (1.0 - p) * (1.0 / rest + 1.0 / held)).sqrt() + 7.6 / held;
        let (alpha, power) = (rate(first), rate(second));
        // Only the order of events matters here, and mu is cheaper to imply than rho.
        let unit = match claim {
            PrivacyLoss::ZeroConcentrated(_) => Mu::new(1.0).map_or(claim, PrivacyLoss::Gaussian),
            _ => claim,
        };
        implied(unit, (alpha + reach(alpha)).min(1.0), (power - reach(power)).max(0.0))
    }

    fn curve(&self, first: &[Vec<f64>], second: &[Vec<f64>]) -> Vec<(f64, f64)> {
        let sorted = |rows: &[Vec<f64>]| {
            let mut scores: Vec<f64> = rows.iter().map(|row| self.score_of(row[self.column])).collect();
            scores.sort_by(f64::total_cmp);
            scores
        };
        let (a, b) = (sorted(first), sorted(second));
        let below = |scores: &[f64], t: f64| scores.partition_point(|x| *x < t) as f64 / scores.len() as f64;
        (1..100)
            .map(|k| {
                let t = a[a.len() * k / 100];
                (1.0 - below(&a, t), below(&b, t))
            })
            .collect()
    }
}

/// A failure is an outcome like any other: the largest.
fn visible(x: f64) -> f64 {
    if x.is_nan() { f64::INFINITY } else { x }
}
