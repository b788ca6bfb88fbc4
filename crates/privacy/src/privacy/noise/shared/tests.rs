//! Shares make the whole, and no less; what they are added to is what one place would have added up.

use super::*;
use crate::privacy::{ClipRadius, ClipSource, ClippedMean, Ledger};
use proptest::prelude::*;

fn paid(mu: f64) -> Charge {
    Ledger::in_memory(None).charge("sum", PrivacyLoss::Gaussian(Mu::new(mu).unwrap())).unwrap()
}

/// 6000 values of each sum of K′ shares: a variance is known within 1.8 % (one standard deviation), so ten per cent too little noise (a variance of
/// .81) is 10 standard deviations off; the limits are 5.
#[test]
fn honest_shares_together_are_the_whole_noise_and_not_much_more() {
    for (honest, mu, radius) in [(1, 1.0, 0.3), (4, 0.5, 2.0), (30, 3.0, 1e-3)] {
        let noise = SharedNoise::new(6000, radius, Mu::new(mu).unwrap(), honest).unwrap();
        let mut source = NoiseSource::seeded(honest);
        let mut sum = vec![0i128; 6000];
        for _ in 0..honest {
            let share = noise.share(&mut source, &paid(mu)).unwrap();
            sum.iter_mut().zip(share).for_each(|(sum, k)| *sum += k);
        }
        let variance = sum.iter().map(|k| noise.clip().to_f64(*k).powi(2)).sum::<f64>() / 6000.0;
        let whole = (2.0 * radius / mu).powi(2);
        assert!((0.91..1.09).contains(&(variance / whole)), "{honest}: {}", variance / whole);
        assert!((noise.sigma(honest) * mu / (2.0 * radius) - 1.0).abs() < 2e-4);
    }
}

/// K′ shares on the diagonal of products and above it: what `ClippedSecond` has in one place, within 5 standard deviations of 6000 values.
#[test]
fn products_alone_have_the_noise_of_a_second_moment() {
    let (mu, honest, radius) = (Mu::new(0.7).unwrap(), 4, 1.0);
    let noise = SharedNoise::second(110, radius, mu, honest).unwrap();
    assert_eq!(noise.dimension(), 110 * 111 / 2);
    let mut source = NoiseSource::seeded(9);
    let mut sum = vec![0i128; noise.dimension()];
    for _ in 0..honest {
        let share = noise.share(&mut source, &paid(0.7)).unwrap();
        sum.iter_mut().zip(share).for_each(|(sum, k)| *sum += k);
    }
    let second = noise.noised_second(&noise.to_f64(&sum), honest, 1).unwrap();
    let whole = 2f64.sqrt() * radius * radius / mu.get();
    assert!((second.sigma / whole - 1.0).abs() < 2e-4, "{}", second.sigma / whole);
    let diagonal = second.diagonal();
    let square = |of: &[f64]| of.iter().map(|x| (x / whole).powi(2)).sum::<f64>();
    let above = 2.0 * (square(&second.entries) - square(&diagonal)) / (noise.dimension() - 110) as f64;
    assert!((0.91..1.09).contains(&above), "{above}");
    // 110 values: a variance within .135.
    let on = square(&diagonal) / 110.0;
    assert!((0.6..1.5).contains(&on), "{on}");
}

/// Sums of several parties are the second moment of all, and one record moves them by no more than the noise allows.
#[test]
fn products_of_several_parties_are_those_of_one() {
    let mu = Mu::new(1.0).unwrap();
    let noise = SharedNoise::second(3, 1.0, mu, 2).unwrap();
    let steps = |records: &[[f64; 3]]| {
        let mut sum = noise.sum(records.len() as u64);
        records.iter().for_each(|record| sum.add(Some(record)).unwrap());
        noise.bare(&sum, &paid(1.0)).unwrap()
    };
    let records = [[0.6, 0.3, -0.2], [5.0, 0.0, 0.0], [0.0, 0.1, 0.9], [-0.4, 0.2, 0.1]];
    let (a, b) = (steps(&records[..1]), steps(&records[1..]));
    let apart: Vec<i128> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    assert_eq!(apart, steps(&records));
    assert!(apart.iter().all(|k| k.unsigned_abs() <= noise.range(4)));
    let means: Vec<f64> = noise.to_f64(&apart).iter().map(|x| x / 4.0).collect();
    let expected = 0.25 * (0.36 + 1.0 + 0.16);
    assert!((means[0] - expected).abs() < 1e-5, "{}", means[0]);
    // Orthogonal records at the rim: √2 in the Frobenius norm, all that there can be.
    let moved = steps(&[[1e9, 0.0, 0.0]])
        .iter()
        .zip(&steps(&[[0.0, 1e9, 0.0]]))
        .map(|(a, b)| a - b)
        .collect::<Vec<_>>();
    let weights = [1.0, 2.0, 2.0, 1.0, 2.0, 1.0];
    let far = noise.to_f64(&moved).iter().zip(weights).map(|(x, w)| w * x * x).sum::<f64>().sqrt();
    let allowed = noise.sensitivity();
    assert!(far <= allowed && far > 0.999 * allowed, "{far} {allowed}");
    let moments = SharedNoise::moments(3, 1.0, mu, 2, 2.0).unwrap();
    assert!(
        moments.bare(&noise.sum(0), &paid(1.0)).is_err() && noise.bare(&moments.sum(0), &paid(1.0)).is_err()
    );
    assert!(noise.noised_moments(&means, 2, &[4]).is_none() && moments.noised_second(&means, 2, 4).is_none());
}

/// The proof's claim where it can be computed: for small M the sum of rounded normals and the rounded sum differ by what aliasing allows.
#[test]
fn sums_of_rounded_normals_are_rounded_sums_with_uniform_errors() {
    use crate::privacy::normal::cdf;
    for m in [1.0f64, 1.5, 2.0] {
        let reach = 40i32;
        let p: Vec<f64> =
            (-reach..=reach).map(|j| cdf((f64::from(j) + 0.5) / m) - cdf((f64::from(j) - 0.5) / m)).collect();
        // Two shares: by convolution, and as round(Y + U) by a fine midpoint rule over U.
        let sum = |j: i32| -> f64 {
            (-reach..=reach)
                .filter(|i| (j - i).abs() <= reach)
                .map(|i| p[(i + reach) as usize] * p[(j - i + reach) as usize])
                .sum()
        };
        let sigma = 2f64.sqrt() * m;
        let points = 4000;
        let rounded = |j: i32| -> f64 {
            (0..points)
                .map(|i| (f64::from(i) + 0.5) / f64::from(points) - 0.5)
                .map(|u| {
                    let x = f64::from(j) - u;
                    (cdf((x + 0.5) / sigma) - cdf((x - 0.5) / sigma)) / f64::from(points)
                })
                .sum()
        };
        let rho = 3.0 * (-std::f64::consts::PI.powi(2) * m * m / 2.0).exp();
        for j in -6..=6 {
            let gap = (sum(j) - rounded(j)).abs();
            assert!(gap <= 5.0 * rho + 1e-7, "M = {m}, {j}: {gap:e}");
            // And no rounded normal of the same variance as Y: the uniform errors are there.
            let plain = cdf((f64::from(j) + 0.5) / sigma) - cdf((f64::from(j) - 0.5) / sigma);
            assert!(j != 0 || (sum(j) - plain).abs() > 10.0 * gap);
        }
    }
}

proptest! {
    /// Sites' integer sums add up to the integer sum of all records, whatever the split; and neighbours are within 2B of each other.
    #[test]
    fn sums_of_sites_are_the_sum(
        records in prop::collection::vec(prop::collection::vec(-2.0f64..2.0, 5), 1..12), cut in 0usize..12,
    ) {
        let noise = SharedNoise::new(5, 1.0, Mu::new(1.0).unwrap(), 3).unwrap();
        let sum = |records: &[Vec<f64>]| {
            let mut sum = vec![0i128; 5];
            for record in records {
                let clipped = noise.clip().clip(record).unwrap();
                sum.iter_mut().zip(clipped).for_each(|(sum, k)| *sum += i128::from(k));
            }
            sum
        };
        let (a, b) = records.split_at(cut.min(records.len()));
        let apart: Vec<i128> = sum(a).iter().zip(sum(b)).map(|(a, b)| a + b).collect();
        prop_assert_eq!(&apart, &sum(&records));
        // As the central mean has it, within the lattices' roundings.
        let radius = ClipRadius::new(1.0, ClipSource::Public).unwrap();
        let mut central = ClippedMean::new(5, records.len() as u64, radius, Mu::new(1.0).unwrap()).unwrap().sum();
        for record in &records {
            central.add(Some(record)).unwrap();
        }
        for (k, mean) in apart.iter().zip(central.nonprivate_mean()) {
            prop_assert!((noise.clip().to_f64(*k) / records.len() as f64 - mean).abs() < 2e-7);
        }
        for k in &apart {
            prop_assert!(k.unsigned_abs() <= noise.range(records.len() as u64));
        }
    }
}

#[test]
fn what_cannot_be_shared_is_refused_and_nothing_is_drawn_unpaid() {
    let mu = Mu::new(1.0).unwrap();
    assert!(SharedNoise::new(0, 1.0, mu, 1).is_err() && SharedNoise::new(3, 1.0, mu, 0).is_err());
    assert!(SharedNoise::new(3, 1.0, mu, 1001).is_err() && SharedNoise::new(3, 1e-300, mu, 1).is_err());
    // A share would be below 2¹⁶ steps.
    assert!(SharedNoise::new(3, 1.0, Mu::new(20.0).unwrap(), 1000).is_err());
    let noise = SharedNoise::new(3, 1.0, mu, 1).unwrap();
    assert!(noise.share(&mut NoiseSource::seeded(1), &paid(0.9)).is_err());
}
