//! How DP-RSVRG ends beside the other iterative methods, case by case.

use super::Context;
use crate::reproduce::descent::risk::{RiskRow, RiskSummary};

/// The iterative methods.
pub(super) const METHODS: [&str; 4] =
    ["DP-RGD", "DP-RSGD", "DP-RSVRG", "DP-RSVRG (corrections as in the paper)"];

/// The quick variant shows one ε, at which its smaller sets of records still say something.
pub(super) fn epsilons(context: &Context) -> &'static [f64] {
    context.pick(&[0.5], &[0.1, 0.3, 0.5])
}

/// One problem: what the runs gave, and the excess risk of the public start.
pub(super) struct Ran {
    pub(super) rows: Vec<RiskRow>,
    pub(super) start: f64,
}

/// How DP-RSVRG ends beside the better of the other two, over the runs.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Standing {
    /// Its worst run is better than the best of theirs.
    Better,
    /// The runs overlap.
    Alike,
    /// Its best run is worse than the worst of theirs.
    Worse,
    /// No method comes half the way from the start: the noise drowns all.
    Drowned,
}

fn standing(method: Option<&RiskSummary>, others: &[Option<&RiskSummary>], start: f64) -> Standing {
    let best = others.iter().flatten().min_by(|a, b| a.excess_risk.total_cmp(&b.excess_risk));
    let arrives = |s: &RiskSummary| s.excess_risk < 0.5 * start;
    match (method, best) {
        (Some(m), Some(b)) if !arrives(m) && !arrives(b) => Standing::Drowned,
        (Some(m), Some(b)) if m.largest < b.least => Standing::Better,
        (Some(m), Some(b)) if m.least > b.largest => Standing::Worse,
        (Some(_), Some(_)) => Standing::Alike,
        (Some(_), None) => Standing::Better,
        (None, Some(_)) => Standing::Worse,
        (None, None) => Standing::Drowned,
    }
}

/// How often a method stands how.
#[derive(Default)]
pub(super) struct Count {
    pub(super) better: u32,
    pub(super) alike: u32,
    pub(super) worse: u32,
    pub(super) drowned: u32,
}

impl Count {
    fn add(&mut self, standing: Standing) {
        match standing {
            Standing::Better => self.better += 1,
            Standing::Alike => self.alike += 1,
            Standing::Worse => self.worse += 1,
            Standing::Drowned => self.drowned += 1,
        }
    }

    /// Cases in which some method arrives.
    pub(super) fn said(&self) -> u32 {
        self.better + self.alike + self.worse
    }
}

/// What is told of all cases.
#[derive(Default)]
pub(super) struct Tally {
    /// Corrections as in the paper.
    pub(super) paper: Count,
    /// Corrections bounded by the distance from the anchor.
    pub(super) ours: Count,
    /// Cases that say something in which DP-RSVRG needed fewer gradients than both others.
    pub(super) cheaper: u32,
    /// The ends at ε = 0.5, the paper's methods.
    pub(super) told: Vec<String>,
    /// The same, ours.
    pub(super) best: Vec<String>,
}

impl Tally {
    pub(super) fn add(&mut self, ran: &Ran, ends: &[RiskSummary], context: &Context) {
        let Some(name) = ran.rows.first().map(|r| r.problem.as_str()) else { return };
        for epsilon in epsilons(context) {
            let find = |method: &str| {
                ends.iter().find(|s| s.problem == name && s.epsilon == *epsilon && s.method == method)
            };
            let [gd, sgd, ours, paper] = METHODS.map(find);
            let of_paper = standing(paper, &[gd, sgd], ran.start);
            self.paper.add(of_paper);
            self.ours.add(standing(ours, &[gd, sgd], ran.start));
            let calls = |s: Option<&RiskSummary>| s.map_or(f64::INFINITY, |s| s.gradient_calls);
            if of_paper != Standing::Drowned && calls(paper) < calls(gd).min(calls(sgd)) {
                self.cheaper += 1;
            }
            if *epsilon == 0.5 {
                let risk = |s: Option<&RiskSummary>| {
                    s.map_or("too noisy".into(), |s| format!("{:.4}", s.excess_risk))
                };
                self.told.push(format!(
                    "{name} (start {:.3}): DP-RGD {}, DP-RSGD {}, DP-RSVRG {}",
                    ran.start,
                    risk(gd),
                    risk(sgd),
                    risk(paper)
                ));
                self.best.push(format!("{name}: {}{}", risk(ours), one_shot(ends, name, *epsilon)));
            }
        }
    }
}

/// The best mechanism that releases once, in words.
fn one_shot(ends: &[RiskSummary], name: &str, epsilon: f64) -> String {
    ends.iter()
        .filter(|s| s.problem == name && s.epsilon == epsilon && !METHODS.contains(&s.method.as_str()))
        .min_by(|a, b| a.excess_risk.total_cmp(&b.excess_risk))
        .map_or(String::new(), |s| {
            format!(" ({} in one shot {:.4})", s.method.replace(", ", ", public "), s.excess_risk)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(excess_risk: f64, least: f64, largest: f64) -> RiskSummary {
        let (problem, method) = (String::new(), String::new());
        RiskSummary {
            problem,
            records: 1,
            epsilon: 0.5,
            method,
            gradient_calls: 1.0,
            excess_risk,
            least,
            largest,
        }
    }

    #[test]
    fn cases_are_told_apart() {
        let (low, high, wide) = (end(1.0, 0.9, 1.1), end(2.0, 1.9, 2.1), end(1.5, 0.5, 2.5));
        let of = |m: Option<&RiskSummary>, others: &[Option<&RiskSummary>]| standing(m, others, 10.0);
        assert_eq!(of(Some(&low), &[Some(&high), None]), Standing::Better);
        assert_eq!(of(Some(&high), &[Some(&wide), Some(&low)]), Standing::Worse);
        assert_eq!(of(Some(&wide), &[Some(&low), Some(&high)]), Standing::Alike);
        assert_eq!(of(None, &[Some(&low), None]), Standing::Worse);
        assert_eq!(standing(Some(&low), &[Some(&high)], 1.5), Standing::Drowned);
    }
}
