use super::worst_case::{mechanism, scales};
use super::*;
use crate::privacy::audit::audit;
use crate::privacy::{ClipSource, Ledger, release};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

fn drawn(modes: &VectorModes, records: &VectorRecords, seed: u64) -> NoisedModes {
    release(modes, records, &mut Ledger::in_memory(None), &mut NoiseSource::seeded(seed)).unwrap().value
}

/// What the parts cost is what was asked for, and no part may be paid twice.
#[test]
fn the_parts_pay_for_the_whole() {
    for (n, mu) in [(10, 1.0), (100, 0.5), (100, 1.0), (5000, 3.0)] {
        let modes = mechanism(n, Mu::new(mu).unwrap()).unwrap();
        let parts = &modes.price().parts;
        let total = parts.mu().unwrap().unwrap().get();
        assert!(total <= mu && total > mu * (1.0 - 1e-9), "{total} {mu}");
        assert_eq!(parts.parts().len(), if n as f64 * mu >= 60.0 { 3 } else { 2 });
        assert_eq!(modes.price().clip.is_some(), n as f64 * mu < 60.0);
    }
}

/// With next to no noise, mean and second moment are those of the clipped deviations from the centre.
#[test]
fn moments_are_those_of_clipped_deviations() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let mut records: Vec<Option<Vec<f64>>> =
        (0..5000).map(|_| Some(vec![0.5 + 0.3 * normal(), -0.2 + 0.1 * normal()])).collect();
    records[7] = None;
    records[8] = Some(vec![f64::NAN, 0.0]);
    records[9] = Some(vec![1e300, -1e300]);
    let modes = mechanism(5000, Mu::new(19.0).unwrap()).unwrap();
    let NoisedModes { recentred, moments } = drawn(&modes, &records, 1);
    let (tau, n) = (recentred.radius.get(), records.len() as f64);
    let (mut mean, mut second) = ([0.0; 2], [0.0; 3]);
    for (i, record) in records.iter().enumerate() {
        let mut y = recentred.about(record.as_deref().filter(|_| i != 8));
        let length = y[0].hypot(y[1]);
        y.iter_mut().for_each(|x| *x *= if length > tau { tau / length } else { 1.0 });
        (mean[0], mean[1]) = (mean[0] + y[0] / n, mean[1] + y[1] / n);
        let products = [y[0] * y[0], y[0] * y[1], y[1] * y[1]];
        second.iter_mut().zip(products).for_each(|(s, p)| *s += p / n);
    }
    for (found, expected) in moments.mean.iter().zip(mean) {
        assert!((found - expected).abs() < 5.0 * moments.mean_sigma + 1e-6, "{found} {expected}");
    }
    for (found, expected) in moments.second.entries.iter().zip(second) {
        assert!((found - expected).abs() < 5.0 * moments.second.sigma + 1e-6, "{found} {expected}");
    }
}

/// Pairs on the boundary: none moves both moments together by more than the noise is made for, and the extremal one by all of it.
#[test]
fn extremal_pairs_are_covered_and_the_bound_is_attained() {
    let modes = mechanism(24, Mu::new(1.0).unwrap()).unwrap();
    let second = modes.second(ClipRadius::new(1.0, ClipSource::Public).unwrap()).unwrap();
    let (sm, sd, n, mu) = (second.mean_sigma(), second.second_sigma(), 24.0, modes.recentring.second().get());
    let distance = |cosine: f64| {
        let sine = (1.0 - cosine * cosine).sqrt();
        let mean = (2.0 - 2.0 * cosine) / (sm * sm);
        let matrix =
            ((1.0 - cosine * cosine).powi(2) + 2.0 * (cosine * sine).powi(2) + sine.powi(4)) / (sd * sd);
        (mean + matrix).sqrt() / n
    };
    let (antipodal, orthogonal, extremal) = (distance(-1.0), distance(0.0), distance(-0.5 * RATIO));
    assert!(
        antipodal <= mu && orthogonal <= mu && extremal <= mu,
        "{antipodal} {orthogonal} {extremal} {mu}"
    );
    assert!(extremal > mu * (1.0 - 1e-6) && orthogonal < extremal && antipodal < extremal);
    let most = (0..=2000).map(|i| distance(f64::from(i) / 1000.0 - 1.0)).fold(0.0, f64::max);
    assert!(most <= mu);
}

#[test]
fn diagonal_and_off_diagonal_noise_are_each_as_claimed() {
    for check in scales(3, 6000).unwrap() {
        assert!(check.holds() && check.would_notice(), "{check:?}");
    }
}

/// `VISARD_RUNS=100000` for the figure of docs/measurements.md.
#[test]
fn the_audit_comes_near_the_claim() {
    let runs = std::env::var("VISARD_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(20_000);
    let case = &ENTRY.worst_cases[0];
    let report = audit((case.make)(case.name, 1.0).unwrap().as_ref(), runs, 1).unwrap();
    println!("{} runs: {:.3} of the claim", runs, report.lower_bound / report.claimed);
    let least = if runs >= 100_000 { 0.9 } else { 0.85 };
    assert!(
        report.lower_bound <= report.claimed && report.lower_bound > least * report.claimed,
        "{report:?}"
    );
}

#[test]
fn records_of_the_wrong_form_are_refused_before_anything_is_paid() {
    let modes = mechanism(3, Mu::new(1.0).unwrap()).unwrap();
    assert!(modes.prepare(&vec![None; 2]).is_err() && modes.prepare(&vec![None; 4]).is_err());
    assert!(modes.prepare(&[None, None, Some(vec![1.0])]).is_err());
    assert!(mechanism(0, Mu::new(1.0).unwrap()).is_err());
    let public = ClipRadius::new(1.0, ClipSource::Public).unwrap();
    assert!(VectorModes::new(Vec::new(), public, 10, Mu::new(1.0).unwrap()).is_err());
}
