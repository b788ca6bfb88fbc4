use super::*;
use crate::privacy::gaussian::delta_nearest;
use crate::privacy::normal::{cdf, upper_tail};
use crate::privacy::{
    Charge, ClipRadius, ClipSource, ClippedMean, ClippedSum, Epsilon, L1Sensitivity, L2Sensitivity, Ledger,
    Mu, PrivacyLoss, Rho,
};
use proptest::prelude::*;

fn mu(x: f64) -> Mu {
    Mu::new(x).unwrap()
}
fn l2(x: f64) -> L2Sensitivity {
    L2Sensitivity::new(x).unwrap()
}
fn clip(x: f64) -> ClipRadius {
    ClipRadius::new(x, ClipSource::Public).unwrap()
}
fn paid(loss: PrivacyLoss) -> Charge {
    Ledger::in_memory(None).charge("test", loss).unwrap()
}
fn for_mu(m: f64) -> Charge {
    paid(PrivacyLoss::Gaussian(mu(m)))
}

/// P(round(M Z) = k), accurate in both tails.
fn rounded_pmf(m: f64, k: i64) -> f64 {
    let (low, high) = ((k as f64 - 0.5) / m, (k as f64 + 0.5) / m);
    if low > 0.0 { upper_tail(low) - upper_tail(high) } else { cdf(high) - cdf(low) }
}

/// P(k) of the discrete Gaussian.
fn discrete_pmf(m: f64, k: i64) -> f64 {
    let weight = |k: i64| (-(k as f64).powi(2) / (2.0 * m * m)).exp();
    let reach = (40.0 * m) as i64;
    weight(k) / (-reach..=reach).map(weight).sum::<f64>()
}

/// Σ (P(k) − e^ε P(k − shift))⁺.
fn hockey_stick(pmf: impl Fn(i64) -> f64, shift: i64, epsilon: f64, reach: i64) -> f64 {
    (-reach..=reach).map(|k| (pmf(k) - epsilon.exp() * pmf(k - shift)).max(0.0)).sum()
}

/// The exact trade-off of the lattice path against G_μ, in one dimension, at steps far coarser than are ever used.
#[test]
fn rounded_noise_is_gaussian_dp_at_any_step() {
    for (m, shift) in [(1.0, 1), (1.0, 3), (2.0, 1), (5.0, 7), (20.0, 20)] {
        let target = shift as f64 / m;
        let mut closest = 0f64;
        for i in 0..60 {
            let epsilon = 0.1 * i as f64;
            let exact = hockey_stick(|k| rounded_pmf(m, k), shift, epsilon, (12.0 * m) as i64 + shift);
            let allowed = delta_nearest(target, epsilon);
            assert!(
                exact <= allowed * (1.0 + 1e-9) + 1e-15,
                "M {m} shift {shift} eps {epsilon}: {exact} {allowed}"
            );
            closest = closest.max(exact / allowed);
        }
        assert!(closest > 0.9, "M {m} shift {shift}: the bound is nearly met, {closest}");
    }
}

/// In two dimensions, worst direction included: product law, diagonal and axis shifts.
#[test]
fn rounded_noise_is_gaussian_dp_in_the_plane() {
    let m = 3.0;
    let reach = 30i64;
    let p: Vec<f64> = (-40..=40).map(|k| rounded_pmf(m, k)).collect();
    let at = |k: i64| p[(k + 40) as usize];
    for (a, b) in [(3, 0), (2, 2), (3, 1), (4, 3)] {
        let target = ((a * a + b * b) as f64).sqrt() / m;
        for i in 0..20 {
            let epsilon = 0.25 * i as f64;
            let mut exact = 0.0;
            for x in -reach..=reach {
                for y in -reach..=reach {
                    exact += (at(x) * at(y) - epsilon.exp() * at(x - a) * at(y - b)).max(0.0);
                }
            }
            let allowed = delta_nearest(target, epsilon);
            assert!(exact <= allowed + 1e-13, "shift ({a}, {b}) eps {epsilon}: {exact} {allowed}");
        }
    }
}

/// Why the discrete Gaussian is not the default: it exceeds G_μ, by about 1/(24M²) of μ.
#[test]
fn the_discrete_gaussian_is_not_gaussian_dp_at_its_scale() {
    for m in [1.0, 2.0, 4.0] {
        let (exact, allowed) =
            (hockey_stick(|k| discrete_pmf(m, k), 1, 0.0, 60), delta_nearest(1.0 / m, 0.0));
        let excess = exact / allowed - 1.0;
        assert!((excess * 24.0 * m * m - 1.0).abs() < 0.2, "M {m}: excess {excess}");
    }
}

#[test]
fn releases_have_the_stated_centre_and_spread() {
    let n = 40_000;
    let statistic = vec![0.3; n];
    let mut source = NoiseSource::seeded(5);
    let e = Epsilon::new(0.5).unwrap();
    let pure = || paid(PrivacyLoss::Pure(e));
    let l1 = L1Sensitivity::new(0.01).unwrap();
    let rho = Rho::new(0.125).unwrap();
    let gaussian = source.gaussian_vector(&statistic, l2(0.01), mu(0.5), for_mu(0.5)).unwrap();
    let float = source.gaussian_vector_idealized(&statistic, l2(0.01), mu(0.5), for_mu(0.5)).unwrap();
    let discrete = source
        .discrete_gaussian_vector(&statistic[..2000], l2(0.01), rho, paid(PrivacyLoss::ZeroConcentrated(rho)))
        .unwrap();
    let laplace = source.laplace_vector(&statistic[..2000], l1, e, pure()).unwrap();
    let laplace_float = source.laplace_vector_idealized(&statistic, l1, e, pure()).unwrap();
    // Variance σ², kurtosis 3 (Gaussian); 2b², 6 (Laplace).
    for (name, values, variance, kurtosis) in [
        ("gaussian", &gaussian.values, gaussian.sigma.powi(2), 3.0),
        ("float gaussian", &float.values, float.sigma.powi(2), 3.0),
        ("discrete gaussian", &discrete.values, discrete.sigma.powi(2), 3.0),
        ("laplace", &laplace.values, 2.0 * laplace.scale.powi(2), 6.0),
        ("float laplace", &laplace_float.values, 2.0 * laplace_float.scale.powi(2), 6.0),
    ] {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let var = values.iter().map(|x| (x - 0.3).powi(2)).sum::<f64>() / n;
        // 4.9 standard errors: false alarm 1e-6.
        assert!((mean - 0.3).abs() < 4.9 * (variance / n).sqrt(), "{name}: mean {mean}");
        assert!((var / variance - 1.0).abs() < 4.9 * ((kurtosis - 1.0) / n).sqrt(), "{name}: variance {var}");
    }
    assert!((gaussian.sigma / 0.02 - 1.0).abs() < 1e-8 && gaussian.sigma >= 0.02);
    assert!((laplace.scale / 0.02 - 1.0).abs() < 1e-6 && laplace.scale >= 0.02);
    // Isotropic Laplace: the radius has mean d b and variance d b².
    let radii: Vec<f64> = (0..4000)
        .map(|_| {
            let r = source.isotropic_laplace_vector(&[0.0; 6], l2(0.01), e, pure()).unwrap();
            r.values.iter().map(|x| x * x).sum::<f64>().sqrt() / r.scale
        })
        .collect();
    let mean = radii.iter().sum::<f64>() / 4000.0;
    assert!((mean - 6.0).abs() < 4.9 * (6.0f64 / 4000.0).sqrt(), "mean radius {mean}");
}

#[test]
fn every_lattice_release_is_on_its_lattice() {
    let mut source = NoiseSource::seeded(6);
    let release = source.gaussian_vector(&[0.1, -7.3, 1e3], l2(0.3), mu(2.0), for_mu(2.0)).unwrap();
    let step = release.noise.step.unwrap();
    assert!(release.values.iter().all(|x| (x / step).fract() == 0.0));
    assert_eq!((release.noise.path, release.noise.dimension), (NoisePath::Lattice, 3));
}

#[test]
fn two_draws_share_no_stream_and_seeds_repeat() {
    let draw = |source: &mut NoiseSource| {
        source.gaussian_vector(&[0.0; 8], l2(1.0), mu(1.0), for_mu(1.0)).unwrap().values
    };
    let mut one = NoiseSource::seeded(7);
    let (first, second) = (draw(&mut one), draw(&mut one));
    assert_ne!(first, second);
    assert_eq!(first, draw(&mut NoiseSource::seeded(7)));
    assert!(one.is_seeded());
    let (mut a, mut b) = (NoiseSource::from_os().unwrap(), NoiseSource::from_os().unwrap());
    assert!(!a.is_seeded());
    assert_ne!(draw(&mut a), draw(&mut b));
}

#[test]
fn underpaid_draws_are_refused_before_any_noise() {
    let mut source = NoiseSource::seeded(8);
    let e = Epsilon::new(1.0).unwrap();
    let small = || for_mu(0.1);
    let results = [
        source.gaussian_vector(&[0.0], l2(1.0), mu(1.0), small()).err(),
        source.gaussian_vector_idealized(&[0.0], l2(1.0), mu(1.0), small()).err(),
        source.discrete_gaussian_vector(&[0.0], l2(1.0), Rho::new(1.0).unwrap(), small()).err(),
        source.laplace_vector(&[0.0], L1Sensitivity::new(1.0).unwrap(), e, small()).err(),
        source.laplace_vector_idealized(&[0.0], L1Sensitivity::new(1.0).unwrap(), e, small()).err(),
        source.isotropic_laplace_vector(&[0.0], l2(1.0), e, small()).err(),
        source.open(small(), PrivacyLoss::Gaussian(mu(1.0))).err(),
    ];
    for result in results {
        assert!(matches!(result, Some(NoiseError::Charge(_))), "{result:?}");
    }
    let after = source.gaussian_vector(&[0.0], l2(1.0), mu(1.0), for_mu(1.0)).unwrap();
    let fresh = NoiseSource::seeded(8).gaussian_vector(&[0.0], l2(1.0), mu(1.0), for_mu(1.0)).unwrap();
    assert_eq!(after.values, fresh.values, "the refusals drew nothing");
}

#[test]
fn refusals_say_nothing_about_the_statistic() {
    let mut source = NoiseSource::seeded(9);
    let mut say = |statistic: &[f64]| {
        source.gaussian_vector(statistic, l2(1.0), mu(1.0), for_mu(1.0)).unwrap_err().to_string()
    };
    assert_eq!(say(&[f64::NAN, 1.0]), say(&[123.0, f64::NAN]));
    assert!(matches!(source.gaussian_vector(&[], l2(1.0), mu(1.0), for_mu(1.0)), Err(NoiseError::Empty)));
    // Infinite coordinates are projected like any far one: visible as huge values, never as an error.
    assert!(source.gaussian_vector(&[f64::INFINITY], l2(1.0), mu(1.0), for_mu(1.0)).is_ok());
}

#[test]
fn paid_generators_draw_gammas_and_directions() {
    let mut source = NoiseSource::seeded(10);
    let loss = PrivacyLoss::Pure(Epsilon::new(1.0).unwrap());
    let mut rng = source.open(paid(loss), loss).unwrap();
    let n = 20_000;
    for (shape, scale) in [(0.5, 2.0), (9.0, 0.1), (5520.0, 1.0)] {
        let mean = (0..n).map(|_| rng.gamma(shape, scale).unwrap()).sum::<f64>() / n as f64;
        assert!((mean - shape * scale).abs() < 4.9 * scale * (shape / n as f64).sqrt(), "{shape}: {mean}");
    }
    assert!(rng.gamma(-1.0, 1.0).is_err() && rng.gamma(1.0, f64::NAN).is_err());
    let u = rng.direction(7).unwrap();
    assert!((u.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
    assert!(rng.direction(0).is_err());
    assert!((0..n).all(|_| (0.0..1.0).contains(&rng.uniform())));
}

#[test]
fn clipped_means_are_the_means_of_clipped_records() {
    let mean = ClippedMean::new(3, 4, clip(2.0), mu(1.0)).unwrap();
    let mut sum = mean.sum();
    sum.add(Some(&[1.0, 0.0, -1.0])).unwrap();
    sum.add(Some(&[0.0, 1e300, 0.0])).unwrap(); // → (0, 2, 0)
    sum.add(Some(&[f64::NAN, 0.0, 0.0])).unwrap(); // failed → 0
    assert!(matches!(sum.check_complete(), Err(IncompleteMean::Count { declared: 4, given: 3 })));
    sum.add(None).unwrap();
    sum.check_complete().unwrap();
    assert!(matches!(sum.add(None), Err(IncompleteMean::Count { .. })));
    for (got, want) in sum.nonprivate_mean().iter().zip([0.25, 0.5, -0.25]) {
        assert!((got - want).abs() < 1e-9, "{got} {want}");
    }
    let release = mean.noised(&sum, &mut NoiseSource::seeded(1), for_mu(1.0)).unwrap();
    assert!(
        release.noise.scale >= 1.0 && release.noise.scale < 1.0 + 1e-8,
        "2τ/(nμ) = 1: {}",
        release.noise.scale
    );
}

#[test]
fn bad_means_are_refused() {
    assert!(ClippedMean::new(3, 0, clip(1.0), mu(1.0)).is_err());
    assert!(ClippedMean::new(0, 3, clip(1.0), mu(1.0)).is_err());
    assert!(ClippedMean::new(1, 1, clip(1e300), mu(1.0)).is_err());
    let one = ClippedMean::new(1, 1, clip(1.0), mu(1.0)).unwrap();
    let mut sum = one.sum();
    let noised = |sum: &ClippedSum, m| one.noised(sum, &mut NoiseSource::seeded(1), for_mu(m));
    assert_eq!(sum.add(Some(&[1.0, 2.0])), Err(IncompleteMean::Length { expected: 1, found: 2 }));
    assert!(matches!(noised(&sum, 1.0), Err(NoiseError::Incomplete(_))));
    sum.add(Some(&[0.5])).unwrap();
    assert!(noised(&sum, 0.5).is_err(), "underpaid");
    assert!(noised(&sum, 1.0).is_ok(), "n = 1 is a dataset");
    let mut other = ClippedMean::new(1, 1, clip(2.0), mu(1.0)).unwrap().sum();
    other.add(None).unwrap();
    assert!(matches!(noised(&other, 1.0), Err(NoiseError::Incomplete(IncompleteMean::Mismatch))));
}

proptest! {
    /// Replacing one record, however wild, moves the integer sum by at most 2B in exact arithmetic, and M ≥ 2B/μ.
    #[test]
    fn replacing_a_record_moves_the_sum_by_at_most_the_certified_bound(
        a in prop::collection::vec(prop_oneof![-1e3f64..1e3, -1e300f64..1e300, -1e-300f64..1e-300], 5),
        b in prop::collection::vec(prop_oneof![-2.0f64..2.0, Just(0.0), Just(f64::INFINITY)], 5),
        radius in 1e-6f64..1e6,
        m in 1e-3f64..1e2,
    ) {
        let run = |record: &[f64]| {
            let mut mean = ClippedMean::new(5, 2, clip(radius), mu(m)).unwrap().sum();
            mean.add(Some(record)).unwrap();
            mean.add(Some(&[0.5, -0.25, 0.125, 0.0, 1.0])).unwrap();
            mean
        };
        let (x, y) = (run(&a), run(&b));
        let bound = x.integer_bound();
        let square: i128 = x.integer_sums().iter().zip(y.integer_sums()).map(|(p, q)| (p - q).pow(2)).sum();
        prop_assert!(square <= (2 * i128::from(bound)).pow(2));
        prop_assert!(x.multiplier() as f64 * m >= 2.0 * bound as f64 * (1.0 - 1e-15));
        prop_assert!(2.0 * bound as f64 * x.step() <= 2.0 * radius * (1.0 + 1e-8), "the bound is close to 2τ");
    }

    /// Order and partition do not matter to the last bit.
    #[test]
    fn sums_do_not_depend_on_order(records in prop::collection::vec(prop::collection::vec(-3.0f64..3.0, 4), 2..8), cut in 0usize..8) {
        let n = records.len();
        let empty = ClippedMean::new(4, n as u64, clip(2.0), mu(1.0)).unwrap().sum();
        let (mut forward, mut left, mut right) = (empty.clone(), empty.clone(), empty);
        for r in &records {
            forward.add(Some(r)).unwrap();
        }
        for (i, r) in records.iter().enumerate().rev() {
            if i < cut { left.add(Some(r)).unwrap() } else { right.add(Some(r)).unwrap() }
        }
        left.merge(&right).unwrap();
        prop_assert_eq!(forward.integer_sums(), left.integer_sums());
        prop_assert!(left.merge(&right).is_err() || right.integer_sums().iter().all(|k| *k == 0));
    }
}

#[test]
fn partial_means_of_different_settings_do_not_mix() {
    let mut a = ClippedMean::new(2, 5, clip(1.0), mu(1.0)).unwrap().sum();
    for b in [
        ClippedMean::new(2, 5, clip(1.1), mu(1.0)),
        ClippedMean::new(2, 5, clip(1.0), mu(1.1)),
        ClippedMean::new(2, 6, clip(1.0), mu(1.0)),
        ClippedMean::new(3, 5, clip(1.0), mu(1.0)),
    ] {
        assert_eq!(a.merge(&b.unwrap().sum()), Err(IncompleteMean::Mismatch));
    }
}
