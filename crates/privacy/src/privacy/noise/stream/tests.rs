use super::*;
use crate::privacy::release::{Mechanism, release};
use crate::privacy::{ClipSource, Ledger};
use proptest::prelude::*;

fn noise(dim: usize, steps: usize, visits: usize, mu: f64) -> StreamNoise {
    let radius = ClipRadius::new(2.0, ClipSource::Public).unwrap();
    StreamNoise::new(dim, radius, steps, visits, Mu::new(mu).unwrap()).unwrap()
}

/// How much noisier the worst running sum is than one that is released once.
fn ratio(steps: usize, visits: usize) -> f64 {
    let noise = noise(4, steps, visits, 1.0);
    let worst = (1..=steps).map(|t| noise.running_sigma(t)).fold(0.0, f64::max);
    worst / noise.once_sigma()
}

#[test]
fn the_noise_is_that_of_the_square_root() {
    // Of one step it is what a single release has.
    assert!((ratio(1, 1) - 1.0).abs() < 1e-8);
    // Σ_{k<T} r_k², r_k the coefficients of (1 − z)^(−½).
    for (steps, most) in [(20, 2.1), (64, 2.5)] {
        let squares = (0..steps)
            .map(|k| (0..k).map(|i| (2 * i + 1) as f64 / (2 * i + 2) as f64).product::<f64>().powi(2));
        let expected: f64 = squares.sum();
        let found = ratio(steps, 1);
        assert!((found / expected - 1.0).abs() < 1e-5 && found < most, "{steps}: {found}, {expected}");
    }
    assert!(ratio(20, 2) < 4.0 && ratio(20, 2) > ratio(20, 1));
}

/// No set of k columns moves the answers more than the first k.
#[test]
fn the_first_visits_are_the_worst() {
    for steps in 1..=11usize {
        let weights = weights(steps);
        for set in 1u32..1 << steps {
            let at: Vec<usize> = (0..steps).filter(|i| set >> i & 1 == 1).collect();
            let first: Vec<usize> = (0..at.len()).collect();
            assert!(square(&weights, &at) <= square(&weights, &first), "{steps}: {at:?}");
        }
    }
    let longest = weights(STEPS_MOST);
    assert!(longest.windows(2).all(|pair| pair[0] >= pair[1] && pair[1] > 0));
    // No overflow: the largest that there is.
    assert!(square(&longest, &(0..STEPS_MOST).collect::<Vec<_>>()) < 1 << 60);
}

proptest! {
    /// M ≥ Δ/μ in whole numbers: (M μ)² ≥ 4B²‖C_0 + … + C_{k−1}‖², and hardly more.
    #[test]
    fn the_certified_mu_holds(steps in 1usize..=64, visits in 1usize..=64, lg in -1.3f64..1.3, dim in 1usize..6000) {
        let visits = visits.min(steps);
        let mu = 10f64.powf(lg);
        let noise = noise(dim, steps, visits, mu);
        let moved = 4.0 * (noise.clip.bound() as f64).powi(2) * square(&noise.weights, &(0..visits).collect::<Vec<_>>()) as f64;
        let covered = (noise.clip.lattice().multiplier() as f64 * mu).powi(2);
        prop_assert!(covered >= moved * (1.0 - 1e-15) && covered < moved * (1.0 + 1e-12) + 2.0 * covered.sqrt() * mu);
        let price = noise.price(7, "sums").unwrap();
        let (sensitivity, scale) = (price.sensitivity.unwrap().get(), price.scale.unwrap());
        prop_assert!(scale * mu >= sensitivity * (1.0 - 1e-8), "{scale} {sensitivity}");
    }
}

#[test]
fn running_sums_come_back_without_bias_and_with_the_stated_noise() {
    let (steps, dim) = (12, 40);
    let stream = WholeStream::new(noise(dim, steps, 1, 1.0), 30).unwrap();
    let records: Vec<Vec<Option<Vec<f64>>>> = (0..steps)
        .map(|t| (0..=t % 4).map(|i| (i != 2).then(|| vec![0.01 * (t + i) as f64; dim])).collect())
        .collect();
    let sums = stream.prepare(&records).unwrap();
    let mut rng = NoiseSource::seeded(3);
    let mut squares = vec![0.0; steps];
    let draws = 60;
    for _ in 0..draws {
        let answers = release(&stream, &records[..], &mut Ledger::in_memory(None), &mut rng).unwrap().value;
        for t in 1..=steps {
            let running = stream.noise().running(&answers[..t]).unwrap();
            let exact = stream.noise().nonprivate(&sums[..t]);
            squares[t - 1] += running.iter().zip(&exact).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        }
    }
    // 2400 squares a step: 5 standard errors.
    for (t, square) in squares.iter().enumerate() {
        let found = square / f64::from(draws * dim as u32) / stream.noise().running_sigma(t + 1).powi(2);
        assert!((found - 1.0).abs() < 5.0 * (2.0f64 / 2400.0).sqrt(), "step {}: {found}", t + 1);
    }
}

#[test]
fn what_does_not_belong_there_is_refused_before_a_draw() {
    let noise = noise(2, 3, 1, 1.0);
    let radius = noise.radius();
    let mu = Mu::new(1.0).unwrap();
    for (dim, steps, visits) in [(2, 0, 1), (2, 65, 1), (2, 3, 0), (2, 3, 4), (0, 3, 1)] {
        assert!(StreamNoise::new(dim, radius, steps, visits, mu).is_err());
    }
    let less = PrivacyLoss::Gaussian(Mu::new(0.9).unwrap());
    let mut source = NoiseSource::seeded(1);
    let mut answer = |sums: &[Vec<i128>], loss| {
        let paid = Ledger::in_memory(None).charge("stream", loss).unwrap();
        noise.answer(sums, &mut source, &paid)
    };
    assert!(matches!(answer(&[vec![0, 0]], less), Err(NoiseError::Charge(_))));
    let whole = noise.loss();
    assert!(answer(&[vec![0, 0]], whole).is_ok());
    for bad in [vec![], vec![vec![0]], vec![vec![0, 0]; 4]] {
        assert!(matches!(answer(&bad, whole), Err(NoiseError::Incomplete(_))));
    }
    let mut sum = noise.sum(2);
    sum.add(None).unwrap();
    assert!(noise.closed(&sum).is_err());
    assert!(super::tests::noise(2, 3, 1, 1.0).closed(&super::tests::noise(2, 3, 1, 2.0).sum(0)).is_err());
}
