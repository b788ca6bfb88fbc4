//! The far ends of the numbers: nothing loops, overflows into a smaller loss, or panics there.

use super::noise::NoiseSource;
use super::*;

const LOSSES: [f64; 13] =
    [5e-324, 1e-308, 1e-300, 1e-155, 1e-101, 1e-20, 1.0, 700.0, 1e20, 1e101, 1e154, 1e200, 1e308];
const DELTAS: [f64; 6] = [5e-324, 1e-300, 1e-17, 1e-6, 0.5, 1.0 - 1e-16];

fn all_losses() -> Vec<PrivacyLoss> {
    let mut all = vec![PrivacyLoss::NonPrivate];
    for x in LOSSES {
        all.push(PrivacyLoss::Gaussian(Mu::new(x).unwrap()));
        all.push(PrivacyLoss::ZeroConcentrated(Rho::new(x).unwrap()));
        all.push(PrivacyLoss::Pure(Epsilon::new(x).unwrap()));
        for delta in DELTAS {
            all.push(PrivacyLoss::approximate(Epsilon::new(x).unwrap(), Delta::new(delta).unwrap()));
        }
    }
    all
}

/// A computed bound is a number or an error; a probability lies in [0, 1].
#[test]
fn every_question_about_an_extreme_loss_has_an_answer() {
    for loss in all_losses() {
        for x in [0.0, 5e-324, 1e-9, 0.5, 1.0] {
            assert!((0.0..=1.0).contains(&loss.power_at(x)), "{loss} {x}");
        }
        assert!((0.0..=1.0).contains(&loss.guess_probability()), "{loss}");
        for delta in DELTAS.into_iter().chain([0.0]) {
            if let Ok(epsilon) = loss.epsilon_at(Delta::new(delta).unwrap()) {
                assert!(epsilon.get().is_finite(), "{loss} {delta}");
            }
        }
        let _ = loss.vacuous(1000);
    }
    for x in LOSSES {
        let (mu, epsilon, rho) = (Mu::new(x).unwrap(), Epsilon::new(x).unwrap(), Rho::new(x).unwrap());
        assert_eq!(mu.to_rho().is_err(), x > 1.5e154, "{x:e}");
        assert_eq!(Mu::of_pure(epsilon).is_err(), !(1e-320..1e307).contains(&x), "{x:e}");
        for y in LOSSES.map(|y| Epsilon::new(y).unwrap()) {
            assert!(
                (0.0..=1.0).contains(&mu.delta_at(y)) && (0.0..=1.0).contains(&rho.delta_at(y)),
                "{x} {y}"
            );
            assert!(!mu.ln_delta_at(y).is_nan(), "{x} {y}");
            let _ = convert(Some(x), Some(y.get()), None).unwrap();
        }
        for delta in DELTAS {
            let within = Mu::within(epsilon, Delta::new(delta).unwrap());
            assert!(within.is_ok_and(|mu| mu.delta_at(epsilon) <= delta), "{x} {delta}");
        }
    }
}

#[test]
fn noise_is_not_scaled_to_extreme_losses() {
    let (l1, l2) = (L1Sensitivity::new(1.0).unwrap(), L2Sensitivity::new(1.0).unwrap());
    for x in LOSSES {
        let (mu, epsilon) = (Mu::new(x).unwrap(), Epsilon::new(x).unwrap());
        let extreme = !(1e-100..1e100).contains(&x);
        assert_eq!(gaussian_sigma(l2, mu).is_err(), extreme, "{x}");
        assert_eq!(laplace_scale(l1, epsilon).is_err(), extreme, "{x}");
        for calibration in [Calibration::Analytic, Calibration::Classical] {
            let sigma = gaussian_sigma_for(calibration, epsilon, Delta::new(1e-6).unwrap(), l2);
            assert!(sigma.is_err() || x < 1e100, "{x}");
        }
    }
    for sensitivity in [1e-300, 1e300] {
        let (l1, l2) = (L1Sensitivity::new(sensitivity).unwrap(), L2Sensitivity::new(sensitivity).unwrap());
        assert!(gaussian_sigma(l2, Mu::new(1.0).unwrap()).is_err());
        assert!(laplace_scale(l1, Epsilon::new(1.0).unwrap()).is_err());
    }
}

/// Two of every kind with every other, and very many of one: a total is never below what a part costs alone.
#[test]
fn extreme_losses_compose_or_are_refused() {
    let losses = all_losses();
    for (i, first) in losses.iter().enumerate() {
        for (j, second) in losses.iter().enumerate().skip(i) {
            let mut both = Composition::new();
            let times = if (i + j) % 3 == 0 { 2 } else { 1 };
            both.push("a", times, Cost::Loss(*first)).push("b", 1, Cost::Loss(*second));
            let _ = (both.total(), both.mu(), both.rho(), both.pure_epsilon());
            let delta = Delta::new(0.75).unwrap();
            if let (Ok(both), Ok(alone)) = (both.epsilon_at(delta), first.epsilon_at(delta)) {
                let epsilon = both.epsilon.get();
                assert!(epsilon >= alone.get() * (1.0 - 1e-9) - 1e-9, "{first} with {second}: {epsilon}");
            }
        }
        let mut many = Composition::new();
        many.push("a", u32::MAX, Cost::Loss(*first));
        let _ = (many.total(), many.epsilon_at(Delta::new(1e-6).unwrap()));
    }
    // A curve of infinities beside a number.
    let mut curves = Composition::new();
    curves.add_renyi("curve", RenyiCurve::of_gaussian(Mu::new(1e200).unwrap()));
    curves.add("b", PrivacyLoss::Pure(Epsilon::new(1e308).unwrap()));
    assert!(curves.total().is_err());
}

/// Very many equal draws are counted, though not by the exact product.
#[test]
fn more_draws_than_can_be_composed_exactly_are_counted_by_another_rule() {
    let (times, epsilon, delta) = ((1 << 20) + 1, 1e-4, Delta::new(1e-6).unwrap());
    let mut all = Composition::new();
    all.push("response", times, Cost::Loss(PrivacyLoss::Pure(Epsilon::new(epsilon).unwrap())));
    let bound = all.epsilon_at(delta).unwrap();
    assert_eq!(bound.rule, Rule::RenyiSum);
    // Near the central limit, μ² = Σε².
    let limit = Mu::new(f64::from(times).sqrt() * epsilon).unwrap().epsilon_at(delta).unwrap().get();
    assert!(bound.epsilon.get() > limit && bound.epsilon.get() < 1.2 * limit, "{bound:?}, {limit}");
}

#[test]
fn extreme_noise_is_refused_before_anything_is_drawn() {
    let mut noise = NoiseSource::seeded(1);
    for x in [5e-324, 1e-300, 1e308] {
        let (mu, epsilon, rho) = (Mu::new(x).unwrap(), Epsilon::new(x).unwrap(), Rho::new(x).unwrap());
        let paid = || Charge::for_tests();
        let (l1, l2) = (L1Sensitivity::new(1.0).unwrap(), L2Sensitivity::new(1.0).unwrap());
        assert!(noise.gaussian_vector(&[1.0], l2, mu, paid()).is_err(), "{x}");
        assert!(noise.laplace_vector(&[1.0], l1, epsilon, paid()).is_err(), "{x}");
        let concentrated = noise.discrete_gaussian_vector(&[1.0], l2, rho, paid());
        assert!(concentrated.is_err() || (1e-300..=1e300).contains(&x), "{x}");
    }
}
