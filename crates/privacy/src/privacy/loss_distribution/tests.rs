//! Against closed forms and against intervals that another program computed.

use super::*;
use crate::privacy::pairs::DominatingPairs;
use crate::privacy::{Batches, Composition, Cost, RenyiCurve, Rule};

fn step(batches: Batches, rate: f64, multiplier: f64) -> SampledGaussian {
    SampledGaussian::new(batches, rate, multiplier).unwrap()
}

fn epsilon(
    terms: &[(SampledGaussian, u32)],
    mu: Option<f64>,
    approximate: &[ApproximateTerm],
    delta: f64,
) -> f64 {
    let mu = mu.map(|mu| Mu::new(mu).unwrap());
    let losses = LossDistributions::new(terms, mu, approximate).unwrap();
    losses.epsilon_at(Delta::new(delta).unwrap()).unwrap().epsilon.get()
}

/// Without sampling the truth is the exact curve of √K·2/z: never below it, and hardly above.
#[test]
fn without_sampling_it_is_the_exact_gaussian_curve() {
    for (z, times, delta) in [
        (4.0, 1, 1e-6),
        (20.0, 100, 1e-5),
        (80.0, 1000, 1e-12),
        (1.0, 3, 1e-9),
        (300.0, 20_000, 1e-30),
        (0.2, 1, 1e-3),
    ] {
        let mu = Mu::new(2.0 / z * f64::from(times).sqrt()).unwrap();
        let truth = mu.epsilon_at(Delta::new(delta).unwrap()).unwrap().get();
        for batches in [Batches::Poisson, Batches::Subset] {
            let got = epsilon(&[(step(batches, 1.0, z), times)], None, &[], delta);
            assert!(got >= truth * (1.0 - 1e-12), "{z} {times} {delta}: {got} below {truth}");
            assert!(got <= truth * (1.0 + 2e-4), "{z} {times} {delta}: {got} above {truth}");
        }
    }
}

/// Estimates by another program (tests/reference/loss_distributions.py), good to 3e-6: never below them by more, and hardly above.
#[test]
fn sampled_steps_agree_with_another_program() {
    let table = include_str!("../../../../../tests/reference/loss_distributions.csv");
    let mut worst = 0f64;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |i: usize| cells[i].parse::<f64>().unwrap();
        let batches = if cells[0] == "poisson" { Batches::Poisson } else { Batches::Subset };
        let (one, times, delta) = (step(batches, number(1), number(2)), number(3) as u32, number(4));
        let (got, truth) = (epsilon(&[(one, times)], None, &[], delta), number(5));
        worst = worst.max(got / truth - 1.0);
        assert!(got >= truth * (1.0 - 3e-6), "{line}: {got}");
        let curve: RenyiCurve = one.renyi_curve().times(times);
        let by_curve = curve.epsilon_at(Delta::new(delta).unwrap()).unwrap().get();
        println!("{line}: {:.1e} above; Renyi {:.3}", got / truth - 1.0, by_curve / truth);
        assert!(by_curve > got, "{line}: a Renyi bound of {by_curve} is below {got}");
    }
    assert!(worst < 2e-4, "{worst:e} above");
}

/// Gaussian and approximate terms: the exact product of pairs is computed in another way.
#[test]
fn mixed_kinds_agree_with_the_product_of_pairs() {
    let terms = [
        ApproximateTerm { epsilon: 0.3, delta: 0.0, times: 4 },
        ApproximateTerm { epsilon: 0.05, delta: 1e-8, times: 3 },
    ];
    let mu = Mu::new(0.8).unwrap();
    for delta in [1e-7, 1e-5, 1e-3] {
        let truth = DominatingPairs::new(Some(mu), &terms).unwrap().epsilon_at(delta).unwrap().get();
        let got = epsilon(&[], Some(0.8), &terms, delta);
        assert!(got >= truth * (1.0 - 1e-9) && got <= truth * (1.0 + 4e-4), "{delta}: {got} {truth}");
        // A step that costs next to nothing changes next to nothing.
        let idle = step(Batches::Poisson, 1e-4, 50.0);
        let more = epsilon(&[(idle, 10)], Some(0.8), &terms, delta);
        assert!(more >= truth && more <= truth * (1.0 + 6e-4), "{delta}: {more} {truth}");
    }
}

/// Masses are a law's: with what is lost they sum to 1.
#[test]
fn grids_hold_all_the_mass() {
    for (batches, rate, z) in [
        (Batches::Poisson, 0.01, 0.5),
        (Batches::Poisson, 0.9, 3.0),
        (Batches::Subset, 1e-5, 0.3),
        (Batches::Subset, 1.0, 10.0),
        (Batches::Poisson, 1e-4, 100.0),
    ] {
        let pair = Pair::of_step(&step(batches, rate, z)).unwrap();
        let reach = 6.0 + 0.5 * pair.slope();
        for cells in [100.0, 10_000.0] {
            let h = pair.loss(reach) / cells;
            let grid = Grid::of_pair(pair, h, reach).unwrap();
            let sum: f64 = grid.atoms(h).map(|(_, p)| p).sum::<f64>() + grid.lost;
            // Mirrored ends are moved up: they may weigh e^{-h} too much, of next to nothing.
            assert!((sum - 1.0).abs() < 1e-13, "{batches:?} {rate} {z} {cells}: {:e}", sum - 1.0);
        }
    }
}

/// Coarse grids are valid bounds: they only get worse.
#[test]
fn coarser_grids_lose_more() {
    let one = step(Batches::Poisson, 0.05, 1.5);
    let losses = LossDistributions::new(&[(one, 200)], None, &[]).unwrap();
    let (delta, reach) = (1e-6, 8.0);
    let fine = Scale::choose(&losses.terms, f64::ln(delta), &[reach]).unwrap();
    let mut last = 0.0;
    for k in [1.0, 4.0, 16.0, 64.0] {
        let first = (fine.first as f64 / k) as i64;
        let scale = Scale { h: k * fine.h, first, ..fine };
        let epsilon = losses.composed(&scale, &[reach]).unwrap().epsilon_at(delta).unwrap();
        assert!(epsilon > last, "{k}: {epsilon} after {last}");
        last = epsilon;
    }
}

#[test]
fn extremes_are_answered_or_left_to_other_rules() {
    for (rate, z, times) in [
        (1e-300, 1.0, 1),
        (1e-9, 1e-3, 1),
        (0.5, 1e300, 5),
        (0.5, 1e9, 1 << 24),
        (1e-6, 0.06, u32::MAX),
        (0.999_999_999, 0.06, 10_000),
    ] {
        for batches in [Batches::Poisson, Batches::Subset] {
            let mut all = Composition::new();
            all.push("step", times, Cost::Sampled(step(batches, rate, z)));
            for delta in [1e-300, 1e-40, 1e-6, 0.5] {
                if let Ok(bound) = all.epsilon_at(Delta::new(delta).unwrap()) {
                    assert!(bound.epsilon.get() >= 0.0 && bound.epsilon.get().is_finite());
                }
            }
        }
    }
    assert!(SampledGaussian::new(Batches::Poisson, 0.0, 1.0).is_err());
    assert!(SampledGaussian::new(Batches::Poisson, 1.1, 1.0).is_err());
    assert!(SampledGaussian::new(Batches::Subset, 0.1, f64::NAN).is_err());
}

/// A ledger adds what it knows: steps of two runs and a Gaussian release by their distributions, beside a bare curve by curves.
#[test]
fn ledgers_compose_steps_with_everything_else() {
    let one = step(Batches::Poisson, 0.05, 3.0);
    let delta = Delta::new(1e-6).unwrap();
    let bound = |all: &Composition| all.epsilon_at(delta).unwrap();
    let mut all = Composition::new();
    all.push("run", 100, Cost::Sampled(one));
    let alone = bound(&all);
    assert_eq!(alone.rule, Rule::LossDistributions);
    let mut twice = all.clone();
    twice.push("again", 100, Cost::Sampled(one));
    all.push("as much at once", 100, Cost::Sampled(one));
    assert_eq!(bound(&twice), bound(&all));
    assert!(bound(&all).epsilon > alone.epsilon);
    twice.add("mean", crate::privacy::PrivacyLoss::Gaussian(Mu::new(0.5).unwrap()));
    let with_mean = bound(&twice);
    assert!(with_mean.rule == Rule::LossDistributions && with_mean.epsilon > bound(&all).epsilon);
    twice.add_renyi("old", one.renyi_curve());
    let with_curve = bound(&twice);
    assert!(with_curve.epsilon > with_mean.epsilon && with_curve.rule != Rule::LossDistributions);
    let text = serde_json::to_string(&twice).unwrap();
    assert!(text.contains(r#""sampled":{"batches":"poisson","rate":0.05,"multiplier":3.0}"#), "{text:.300}");
    assert_eq!(serde_json::from_str::<Composition>(&text).unwrap(), twice);
    assert!(serde_json::from_str::<Composition>(&text.replacen("0.05", "1.05", 1)).is_err());
}
