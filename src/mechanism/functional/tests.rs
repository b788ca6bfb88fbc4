//! Sensitivities against brute force and worst cases; noise against its claimed variance.

use super::*;
use crate::function::circle::PowerExponential;
use crate::function::{Domain, FaceCurves};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, ClipSource};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const J: usize = 3;
const M: usize = 8;
const N: u64 = 5;

fn template() -> FaceCurves {
    let data = (0..3 * J * M).map(|i| ((i * 7) % 13) as f64 / 13.0).collect();
    FaceCurves::new(J, M, data).unwrap()
}

fn public(radius: f64) -> ClipRadius {
    ClipRadius::new(radius, ClipSource::Public).unwrap()
}

fn mechanisms(mu: f64) -> Vec<Box<dyn MeanMechanism>> {
    let mu = Mu::new(mu).unwrap();
    let t = template();
    let disk = Domain::Disk { curves: J, samples: M };
    let joint = FunctionalMean::new(disk, 3, t.data().to_vec(), public(0.3), mu, N).unwrap();
    let weights: Vec<f64> = (0..3 * J * M).map(|i| 0.5 + (i % 4) as f64).collect();
    let weighted = joint.clone().with_weights(&weights).unwrap();
    let radii: Vec<ClipRadius> = (0..3 * J).map(|b| public(0.1 + 0.02 * b as f64)).collect();
    let mut all: Vec<Box<dyn MeanMechanism>> = vec![Box::new(joint), Box::new(weighted)];
    for noise in [BlockNoise::PaperBound, BlockNoise::ExactBound, BlockNoise::Matched] {
        let settings = PerCurveSettings { noise, ..PerCurveSettings::paper().unwrap() };
        all.push(Box::new(PerCurveMean::new(t.clone(), &radii, settings, mu, N).unwrap()));
    }
    all.push(Box::new(PointwiseMean::around(t.data().to_vec(), public(0.2), mu, N).unwrap()));
    all
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

fn statistic(mechanism: &dyn MeanMechanism, records: &[Option<Vec<f64>>]) -> Vec<f64> {
    mechanism.statistic(&mut records.iter().map(|r| r.as_deref()))
}

/// Random neighbours never move a statistic further than its stated sensitivity, wild and failed records included.
#[test]
fn random_neighbours_stay_within_the_sensitivity() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for mechanism in mechanisms(1.3) {
        let bound = mechanism.price().sensitivity.get();
        for trial in 0..60 {
            let spread = [0.1, 1.0, 1e6][trial % 3];
            let mut record = || -> Option<Vec<f64>> {
                (rng.random::<f64>() > 0.2)
                    .then(|| (0..3 * J * M).map(|_| spread * (rng.random::<f64>() - 0.5)).collect())
            };
            let mut data: Vec<_> = (0..N).map(|_| record()).collect();
            let before = statistic(mechanism.as_ref(), &data);
            data[2] = record();
            let after = statistic(mechanism.as_ref(), &data);
            assert!(distance(&before, &after) <= bound, "{}", mechanism.price().mechanism);
        }
    }
}

/// Opposite records on the clip sphere reach the bound where it is exact, and half of it (the paper's factor) where it is the
/// paper's: the sensitivity is neither too small nor larger than said.
#[test]
fn worst_neighbours_reach_the_sensitivity() {
    let t = template();
    let far = |sign: f64| -> Vec<f64> { t.data().iter().map(|x| x + sign * 1e6).collect() };
    let mu = Mu::new(1.0).unwrap();
    let joint =
        FunctionalMean::new(Domain::Disk { curves: J, samples: M }, 3, t.data().to_vec(), public(0.3), mu, N)
            .unwrap();
    let point = PointwiseMean::around(t.data().to_vec(), public(0.2), mu, N).unwrap();
    for mechanism in [&joint as &dyn MeanMechanism, &point] {
        let mut data = vec![None; N as usize];
        data[0] = Some(far(1.0));
        let one = statistic(mechanism, &data);
        data[0] = Some(far(-1.0));
        let gap = distance(&one, &statistic(mechanism, &data));
        assert!(gap > 0.999_999 * mechanism.price().sensitivity.get(), "{}", mechanism.price().mechanism);
    }
    // Kernel noise: the worst direction is the basis function with the largest √λ/(λ+φ).
    let kernel = PowerExponential::new(0.2, 1.0).unwrap();
    let lambda = kernel.eigenvalues(M);
    for (noise, expected) in
        [(BlockNoise::ExactBound, 1.0), (BlockNoise::Matched, 1.0), (BlockNoise::PaperBound, f64::NAN)]
    {
        let settings = PerCurveSettings { noise, ..PerCurveSettings::paper().unwrap() };
        let gain = |k: usize, l: f64| l.sqrt() / (l + settings.penalty[k]);
        let radii = vec![public(0.2); 3 * J];
        let mechanism = PerCurveMean::new(t.clone(), &radii, settings.clone(), mu, N).unwrap();
        let fourier = crate::function::circle::Fourier::new(M);
        let wave = |sign: f64| -> Vec<f64> {
            let mut data = vec![0.0; 3 * J * M];
            for b in 0..3 * J {
                let best = (0..M)
                    .max_by(|&p, &q| gain(b % 3, lambda[p]).total_cmp(&gain(b % 3, lambda[q])))
                    .unwrap();
                let mut c = vec![0.0; M];
                c[best] = sign * 1e3;
                for (l, v) in fourier.synthesize(&c).into_iter().enumerate() {
                    data[3 * ((b / 3) * M + l) + b % 3] = v;
                }
            }
            data
        };
        let mut data = vec![None; N as usize];
        data[0] = Some(wave(1.0));
        let one = statistic(&mechanism, &data);
        data[0] = Some(wave(-1.0));
        let ratio = distance(&one, &statistic(&mechanism, &data)) / mechanism.price().sensitivity.get();
        if expected.is_nan() {
            assert!(ratio < 0.5 + 1e-9, "the paper's bound is at least twice too large: {ratio}");
        } else {
            assert!((ratio - expected).abs() < 1e-6, "{noise:?}: {ratio}");
        }
    }
}

/// The released noise has the claimed variance: χ² bounds at a false-alarm rate of 1e-6; noise 10% too small fails.
#[test]
fn noise_has_the_claimed_size() {
    use statrs::distribution::{ChiSquared, ContinuousCDF};
    for (k, mechanism) in mechanisms(0.7).into_iter().enumerate() {
        let data = vec![None; N as usize];
        let truth = statistic(mechanism.as_ref(), &data);
        let price = mechanism.price();
        let mut noise = NoiseSource::seeded(100 + k as u64);
        let (mut squares, mut count) = (0.0, 0);
        for _ in 0..60 {
            let released =
                noise.gaussian_vector(&truth, price.sensitivity, price.mu, Charge::for_tests()).unwrap();
            squares += released
                .values
                .iter()
                .zip(&truth)
                .map(|(y, x)| ((y - x) / released.sigma).powi(2))
                .sum::<f64>();
            count += truth.len();
            assert!(released.sigma >= price.sensitivity.get() / price.mu.get());
            assert!(released.sigma < 1.001 * price.sensitivity.get() / price.mu.get());
        }
        let chi = ChiSquared::new(count as f64).unwrap();
        let (low, high) = (chi.inverse_cdf(0.5e-6), chi.inverse_cdf(1.0 - 0.5e-6));
        assert!(squares > low && squares < high, "{}: {low} < {squares} < {high}", price.mechanism);
        assert!(0.81 * high < low, "ten per cent less noise would be seen");
    }
}

/// Without noise and inside the ball, every mechanism gives back the mean (smoothed, for the kernel ones).
#[test]
fn without_noise_the_mean_comes_back() {
    let t = template();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let records: Vec<Option<Vec<f64>>> = (0..N)
        .map(|i| (i > 0).then(|| t.data().iter().map(|x| x + 0.05 * (rng.random::<f64>() - 0.5)).collect()))
        .collect();
    let mean: Vec<f64> = (0..3 * J * M)
        .map(|i| records.iter().map(|r| r.as_deref().unwrap_or(t.data())[i]).sum::<f64>() / N as f64)
        .collect();
    for mechanism in mechanisms(1.0) {
        if mechanism.price().mechanism.contains("per curve") {
            continue;
        }
        let out = mechanism.finish(&statistic(mechanism.as_ref(), &records), 0.0);
        assert!(distance(&out, &mean) < 1e-9, "{}", mechanism.price().mechanism);
    }
}

#[test]
fn data_driven_radii_are_not_private_and_bad_shapes_are_refused() {
    let t = template();
    let mu = Mu::new(1.0).unwrap();
    let radii = PerCurveMean::radii_from_data(&t, &[None, Some(t.clone())], false).unwrap();
    let paper = PerCurveMean::new(t.clone(), &radii, PerCurveSettings::paper().unwrap(), mu, 2).unwrap();
    assert_eq!(paper.price().loss, PrivacyLoss::NonPrivate);
    let point =
        PointwiseMean::from_data(t.data(), [Some(t.data())].into_iter(), RangeScale::OfMean, mu, 1).unwrap();
    assert_eq!(point.price().loss, PrivacyLoss::NonPrivate);
    assert!(FunctionalMean::new(Domain::Circle { samples: 4 }, 3, vec![0.0; 5], public(1.0), mu, 2).is_err());
    assert!(FunctionalMean::new(Domain::Circle { samples: 4 }, 1, vec![0.0; 4], public(1.0), mu, 0).is_err());
    assert!(PerCurveMean::new(t, &radii[1..], PerCurveSettings::paper().unwrap(), mu, 2).is_err());
}
