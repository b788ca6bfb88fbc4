//! Sensitivities against brute force and worst cases; shapes, failures and data-driven bounds.

use super::*;
use crate::function::circle::{Fourier, PowerExponential};
use crate::function::{Basis, Domain, FaceCurves};
use crate::mechanism::MechanismError;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Ledger, Mechanism, Mu, PrivacyLoss, release};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const J: usize = 3;
const M: usize = 8;
const N: u64 = 5;
const DISK: Domain = Domain::Disk { curves: J, samples: M };

fn template() -> FaceCurves {
    let data = (0..3 * J * M).map(|i| ((i * 7) % 13) as f64 / 13.0).collect();
    FaceCurves::new(J, M, data).unwrap()
}

fn public(radius: f64) -> ClipRadius {
    ClipRadius::new(radius, ClipSource::Public).unwrap()
}

fn joint(mu: f64) -> FunctionalMean {
    let centre = template().data().to_vec();
    FunctionalMean::new(DISK, 3, centre, public(0.3), Mu::new(mu).unwrap(), N).unwrap()
}

fn per_curve(noise: BlockNoise, radii: BlockRadii, mu: f64) -> Result<PerCurveMean, MechanismError> {
    let settings = PerCurveSettings { noise, ..PerCurveSettings::paper().unwrap() };
    PerCurveMean::new(template(), radii, settings, Mu::new(mu).unwrap(), N)
}

fn block_radii(radius: impl Fn(usize) -> f64) -> BlockRadii {
    BlockRadii::Public((0..3 * J).map(|b| public(radius(b))).collect())
}

fn pointwise(ranges: PointwiseRanges, mu: f64) -> PointwiseMean {
    let (centre, mu) = (template().data().to_vec(), Mu::new(mu).unwrap());
    PointwiseMean::new(centre, ranges, RangeScale::OfMean, mu, N).unwrap()
}

fn mechanisms(mu: f64) -> Vec<CurveMean> {
    let mut all = vec![CurveMean::Joint(joint(mu))];
    for noise in [BlockNoise::PaperBound, BlockNoise::ExactBound, BlockNoise::Matched] {
        let radii = block_radii(|b| 0.1 + 0.02 * b as f64);
        all.push(CurveMean::PerCurve(per_curve(noise, radii, mu).unwrap()));
    }
    all.push(CurveMean::Pointwise(pointwise(PointwiseRanges::Public(public(0.2)), mu)));
    all
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

type Records = Vec<Option<Vec<f64>>>;

/// What is noised, without the noise.
fn statistic(mechanism: &CurveMean, records: &Records) -> Vec<f64> {
    match mechanism.prepare(records).unwrap() {
        PreparedMean::Joint(sum) => sum.nonprivate_mean(),
        PreparedMean::PerCurve(prepared) => prepared.statistic(),
        PreparedMean::Pointwise(prepared) => prepared.statistic(),
        PreparedMean::PrivateRadius(_)
        | PreparedMean::TwoRounds(_)
        | PreparedMean::Sites(_)
        | PreparedMean::Stream(_) => {
            unreachable!("not among them")
        }
    }
}

fn sensitivity(mechanism: &CurveMean) -> f64 {
    mechanism.price().sensitivity.unwrap().get()
}

/// Random neighbours never move a statistic further than its stated sensitivity, wild and failed records included.
#[test]
fn random_neighbours_stay_within_the_sensitivity() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for mechanism in mechanisms(1.3) {
        let bound = sensitivity(&mechanism);
        for trial in 0..60 {
            let spread = [0.1, 1.0, 1e6][trial % 3];
            let mut record = || -> Option<Vec<f64>> {
                (rng.random::<f64>() > 0.2)
                    .then(|| (0..3 * J * M).map(|_| spread * (rng.random::<f64>() - 0.5)).collect())
            };
            let mut data: Records = (0..N).map(|_| record()).collect();
            let before = statistic(&mechanism, &data);
            data[2] = record();
            let after = statistic(&mechanism, &data);
            assert!(distance(&before, &after) <= bound, "{}", mechanism.price().mechanism);
        }
    }
}

/// The distance between the statistics of two datasets that differ in their first record.
fn gap(mechanism: &CurveMean, first: Vec<f64>, second: Vec<f64>) -> f64 {
    let mut data: Records = vec![None; N as usize];
    data[0] = Some(first);
    let one = statistic(mechanism, &data);
    data[0] = Some(second);
    distance(&one, &statistic(mechanism, &data))
}

/// Opposite records on the clip sphere reach the bound where it is exact, and half of it (the paper's factor) where it is the
/// paper's: the sensitivity is neither too small nor larger than said.
#[test]
fn worst_neighbours_reach_the_sensitivity() {
    let far = |sign: f64| -> Vec<f64> { template().data().iter().map(|x| x + sign * 1e6).collect() };
    let ranges = PointwiseRanges::Public(public(0.2));
    for mechanism in [CurveMean::Joint(joint(1.0)), CurveMean::Pointwise(pointwise(ranges, 1.0))] {
        let reached = gap(&mechanism, far(1.0), far(-1.0));
        assert!(reached > 0.999_999 * sensitivity(&mechanism), "{}", mechanism.price().mechanism);
    }
    // Kernel noise: the worst direction is the basis function with the largest √λ/(λ+φ).
    let lambda = PowerExponential::new(1.0, 1.0).unwrap().eigenvalues(M);
    let penalty = PerCurveSettings::paper().unwrap().penalty;
    let gain = |k: usize, l: f64| l.sqrt() / (l + penalty[k]);
    let fourier = Fourier::new(M);
    let wave = |sign: f64| -> Vec<f64> {
        let mut data = vec![0.0; 3 * J * M];
        for b in 0..3 * J {
            let best =
                (0..M).max_by(|&p, &q| gain(b % 3, lambda[p]).total_cmp(&gain(b % 3, lambda[q]))).unwrap();
            let mut c = vec![0.0; M];
            c[best] = sign * 1e3;
            for (l, v) in fourier.synthesize(&c).into_iter().enumerate() {
                data[3 * ((b / 3) * M + l) + b % 3] = v;
            }
        }
        data
    };
    for (noise, expected) in [
        (BlockNoise::ExactBound, Some(1.0)),
        (BlockNoise::Matched, Some(1.0)),
        (BlockNoise::PaperBound, None),
    ] {
        let mechanism = CurveMean::PerCurve(per_curve(noise, block_radii(|_| 0.2), 1.0).unwrap());
        let ratio = gap(&mechanism, wave(1.0), wave(-1.0)) / sensitivity(&mechanism);
        match expected {
            None => assert!(ratio < 0.5 + 1e-9, "the paper's bound is at least twice too large: {ratio}"),
            Some(expected) => assert!((ratio - expected).abs() < 1e-6, "{noise:?}: {ratio}"),
        }
    }
}

/// Without noise and inside the ball, a mechanism gives back the mean.
#[test]
fn without_noise_the_mean_comes_back() {
    let t = template();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let records: Records = (0..N)
        .map(|i| (i > 0).then(|| t.data().iter().map(|x| x + 0.05 * (rng.random::<f64>() - 0.5)).collect()))
        .collect();
    let mean: Vec<f64> = (0..3 * J * M)
        .map(|i| records.iter().map(|r| r.as_deref().unwrap_or(t.data())[i]).sum::<f64>() / N as f64)
        .collect();
    let joint = joint(1.0);
    let sum = joint.prepare(&records).unwrap().nonprivate_mean();
    assert!(distance(&joint.finish(&sum, 0.0).samples, &mean) < 1e-9);
    let curves = per_curve(BlockNoise::Matched, block_radii(|_| 10.0), 1.0).unwrap();
    // Records are rounded to the lattice that the noise is drawn on: 2⁻³² of the clip radius.
    assert!(distance(&curves.nonprivate(&records).unwrap(), &mean) < 1e-7);
    // Hardly any noise.
    let pointwise = CurveMean::Pointwise(pointwise(PointwiseRanges::Public(public(0.2)), 1e6));
    let mut noise = NoiseSource::seeded(1);
    let released = release(&pointwise, &records, &mut Ledger::in_memory(None), &mut noise).unwrap();
    let noise = sensitivity(&pointwise) / 1e6 * ((3 * J * M) as f64).sqrt();
    assert!(distance(&released.value.samples, &mean) < 2.0 * noise);
}

#[test]
fn data_driven_bounds_are_not_private_and_say_what_they_were() {
    let records: Records =
        vec![None, Some(template().data().iter().map(|x| 2.0 * x).collect()), None, None, None];
    let measured = [
        CurveMean::PerCurve(per_curve(BlockNoise::PaperBound, BlockRadii::Measured, 1.0).unwrap()),
        CurveMean::Pointwise(pointwise(PointwiseRanges::Measured, 1.0)),
    ];
    for mechanism in measured {
        assert_eq!(mechanism.price().loss, PrivacyLoss::NonPrivate);
        let mut noise = NoiseSource::seeded(1);
        let released = release(&mechanism, &records, &mut Ledger::in_memory(None), &mut noise).unwrap();
        let clip = released.clip().unwrap();
        assert!(clip.source() == ClipSource::Data && clip.get() > 0.1);
        let certificate = released.statement().certify().unwrap();
        assert!(!certificate.private && certificate.caveats.iter().any(|c| c.starts_with("data-driven")));
        let mut ceiling = Ledger::in_memory(Some(PrivacyLoss::Gaussian(Mu::new(5.0).unwrap())));
        assert!(release(&mechanism, &records, &mut ceiling, &mut noise).is_err());
    }
}

#[test]
fn bad_shapes_are_refused_before_anything_is_charged() {
    let mu = Mu::new(1.0).unwrap();
    let circle = Domain::Circle { samples: 4 };
    assert!(FunctionalMean::new(circle, 3, vec![0.0; 5], public(1.0), mu, 2).is_err());
    assert!(FunctionalMean::new(circle, 1, vec![0.0; 4], public(1.0), mu, 0).is_err());
    let few = BlockRadii::Public(vec![public(1.0); 2]);
    assert!(per_curve(BlockNoise::Matched, few, 1.0).is_err());
    let wrong: Records = vec![Some(vec![0.0; 3]); N as usize];
    let few: Records = vec![None; 2];
    for mechanism in mechanisms(1.0) {
        let mut ledger = Ledger::in_memory(None);
        for records in [&wrong, &few] {
            assert!(release(&mechanism, records, &mut ledger, &mut NoiseSource::seeded(1)).is_err());
        }
        assert!(ledger.spent().is_empty());
    }
}

/// The parts never cost more than the whole, the radius is one of the grid's, and each part says how it was noised.
#[test]
fn a_private_radius_is_paid_from_the_same_budget() {
    let mu = Mu::new(3.0).unwrap();
    let n = 400;
    let mean = PrivateRadiusMean::new(Basis::new(DISK, 3), template().data().to_vec(), mu, n).unwrap();
    let total = mean.price().parts.mu().unwrap().unwrap().get();
    assert!(total <= 3.0 && total > 2.9999);
    let records: Records = (0..n)
        .map(|i| Some(template().data().iter().map(|x| x + 1e-4 * (i as f64 - 200.0)).collect()))
        .collect();
    let mut ledger = Ledger::in_memory(None);
    let released = release(&mean, &records, &mut ledger, &mut NoiseSource::seeded(1)).unwrap();
    assert_eq!(ledger.spent().parts().len(), 1);
    assert_eq!(released.first_passes().len(), 1);
    let clip = released.clip().unwrap();
    // The largest deviation is 0.02·√3.
    assert!(
        clip.source() == ClipSource::Private && clip.get() > 0.025 && clip.get() < 0.06,
        "{}",
        clip.get()
    );
    let certificate = released.statement().certify();
    assert!(certificate.unwrap().details.contains_key("first_passes"));
    assert!(PrivateRadiusMean::new(Basis::new(DISK, 3), template().data().to_vec(), mu, 10).is_err());
}
