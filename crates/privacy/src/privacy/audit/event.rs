//! Events, and what their two probabilities say of a loss.

use crate::privacy::PrivacyLoss;
use crate::privacy::normal::{quantile, upper_tail};

/// The smallest parameter (in the claim's unit) that allows power `power` at false-alarm rate `alpha`; 0 at best. Of zCDP, whose bound is
/// that of several events at once, as if it were μ: only the order of events matters there.
pub(super) fn implied(claim: PrivacyLoss, alpha: f64, power: f64) -> f64 {
    if power <= alpha {
        return 0.0;
    }
    let by_odds = |delta: f64| {
        let near_zero = ((power - delta) / alpha).ln();
        let near_one = ((1.0 - delta - alpha) / (1.0 - power)).ln();
        near_zero.max(near_one).max(0.0)
    };
    match claim {
        PrivacyLoss::Gaussian(_) | PrivacyLoss::ZeroConcentrated(_) => quantile(power) - quantile(alpha),
        PrivacyLoss::Pure(_) => by_odds(0.0),
        PrivacyLoss::Approximate(_, delta) => by_odds(delta.get()),
        PrivacyLoss::NonPrivate => 0.0,
    }
}

/// A set of outcomes: a statistic's score above a threshold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    column: usize,
    /// ±1: above or below.
    sign: f64,
    /// Distance from here rather than the value itself.
    centre: Option<f64>,
    threshold: f64,
}

impl Event {
    /// The one that promises the largest bound, of events at quantiles of both samples together: one-sided and two-sided ones of each
    /// statistic.
    pub(super) fn best(
        first: &[Vec<f64>],
        second: &[Vec<f64>],
        runs: u64,
        claim: PrivacyLoss,
    ) -> Option<Self> {
        let mut best: Option<(Self, f64)> = None;
        each(first, second, &mut |event, rates| {
            let promise = promise(rates, first.len() as f64, runs as f64, claim);
            if best.is_none_or(|(_, most)| promise > most) {
                best = Some((event, promise));
            }
        });
        best.map(|(event, _)| event)
    }

    /// About how many runs it would take to bound the loss above `claimed` by an event of those that were tried, where the two laws lose
    /// `loss`: `None` where none shows so much. Of Gaussian claims so few runs may tell too little of any event; then as for normal laws.
    pub(super) fn runs_needed(
        first: &[Vec<f64>],
        second: &[Vec<f64>],
        claim: PrivacyLoss,
        [claimed, loss]: [f64; 2],
    ) -> Option<u64> {
        let (mut fewest, drawn) = (f64::INFINITY, first.len() as f64);
        let enough = |rates, runs: f64| promise(rates, 0.2 * runs, runs, claim) > claimed;
        let least = |rates, fewest: f64| {
            let (mut low, mut high) = (100.0, fewest.min(1e12));
            if !enough(rates, high) {
                return fewest;
            }
            for _ in 0..24 {
                let middle = f64::sqrt(low * high);
                if enough(rates, middle) { high = middle } else { low = middle }
            }
            high
        };
        each(first, second, &mut |_, [alpha, power]| {
            // The luckiest of many events is less good than it looks: by about one standard error each.
            let doubt = |p: f64| (p * (1.0 - p) / drawn).sqrt();
            fewest = least([alpha + doubt(alpha), power - doubt(power)], fewest);
        });
        if matches!(claim, PrivacyLoss::Gaussian(_)) && fewest.is_infinite() {
            // Audits show some nine tenths of what normal laws lose.
            let rates = |k: i32| 0.05 * f64::from(k) - 3.0;
            let rates = (0..200).map(rates).map(|z| [upper_tail(z), upper_tail(z - 0.95 * loss)]);
            fewest = rates.fold(fewest, |fewest, rates| least(rates, fewest));
        }
        fewest.is_finite().then(|| rounded_up(fewest))
    }

    fn score_of(&self, x: f64) -> f64 {
        let x = visible(x);
        self.sign * self.centre.map_or(x, |centre| (x - centre).abs())
    }

    pub(super) fn count(&self, rows: &[Vec<f64>]) -> u64 {
        rows.iter().filter(|row| self.score_of(row[self.column]) >= self.threshold).count() as u64
    }

    fn scores(&self, rows: &[Vec<f64>]) -> Vec<f64> {
        let mut scores: Vec<f64> = rows.iter().map(|row| self.score_of(row[self.column])).collect();
        scores.sort_by(f64::total_cmp);
        scores
    }

    pub(super) fn curve(&self, first: &[Vec<f64>], second: &[Vec<f64>]) -> Vec<(f64, f64)> {
        let (a, b) = (self.scores(first), self.scores(second));
        let below = |scores: &[f64], t: f64| scores.partition_point(|x| *x < t) as f64 / scores.len() as f64;
        (1..100)
            .map(|k| {
                let t = a[a.len() * k / 100];
                (1.0 - below(&a, t), below(&b, t))
            })
            .collect()
    }
}

/// Every event that is tried, with the smoothed frequencies of it.
fn each(first: &[Vec<f64>], second: &[Vec<f64>], tell: &mut dyn FnMut(Event, [f64; 2])) {
    for column in 0..first.first().map_or(0, Vec::len) {
        let mut pooled: Vec<f64> = first.iter().chain(second).map(|row| visible(row[column])).collect();
        pooled.sort_by(f64::total_cmp);
        let median = pooled[pooled.len() / 2];
        let centre = if median.is_finite() { Some(median) } else { None };
        for centre in [None, centre] {
            for sign in [1.0, -1.0] {
                let event = Event { column, sign, centre, threshold: 0.0 };
                let mut scores: Vec<f64> = pooled.iter().map(|x| event.score_of(*x)).collect();
                scores.sort_by(f64::total_cmp);
                let own = [event.scores(first), event.scores(second)];
                // Finer towards the ends, where small probabilities are compared.
                for k in 1..400 {
                    let rank = 0.5 - 0.5 * (std::f64::consts::PI * f64::from(k) / 400.0).cos();
                    let threshold = scores[((scores.len() - 1) as f64 * rank) as usize];
                    let rates = [&own[0], &own[1]].map(|scores| {
                        let hits = scores.len() - scores.partition_point(|x| *x < threshold);
                        (hits as f64 + 0.5) / (scores.len() as f64 + 1.0)
                    });
                    tell(Event { threshold, ..event }, rates);
                }
            }
        }
    }
}

/// The bound to count on, from frequencies in `held` runs and the normal approximation. Part of what these leave open is held against an
/// event: many are compared, and the luckiest of the rare ones would win otherwise.
fn promise([alpha, power]: [f64; 2], held: f64, runs: f64, claim: PrivacyLoss) -> f64 {
    let reach = |p: f64| (p * (1.0 - p) * (10.9 / (runs - held) + 4.0 / held)).sqrt() + 7.6 / held;
    implied(claim, (alpha + reach(alpha)).min(1.0), (power - reach(power)).max(0.0))
}

/// To two digits.
pub(super) fn rounded_up(runs: f64) -> u64 {
    let unit = libm::exp10(libm::log10(runs).floor() - 1.0);
    ((runs / unit).ceil() * unit).round() as u64
}

/// A failure is an outcome like any other: the largest.
pub(super) fn visible(x: f64) -> f64 {
    if x.is_nan() { f64::INFINITY } else { x }
}
