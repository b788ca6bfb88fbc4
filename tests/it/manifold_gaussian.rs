//! Tangent Gaussians have the law of the explicit-basis sampler.
//!
//! For every space, at two random points: coordinates in a Gram–Schmidt basis. Kolmogorov–Smirnov tests of the norm
//! against χ and of random directions against the normal law, and of every covariance. A correct sampler fails a single
//! test with probability below 1e-7; there are fewer than 1000 in all.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use statrs::function::gamma::gamma_lr;
use visard::manifold::*;

const DRAWS: usize = 6000;
const SIGMA: f64 = 0.7;
/// √n D beyond which Kolmogorov's law leaves 2 exp(−2·2.9²) = 1e-7.
const KOLMOGOROV: f64 = 2.9;

fn kolmogorov_smirnov(what: &str, mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let distance = sample.iter().enumerate().fold(0.0_f64, |worst, (i, x)| {
        let p = cdf(*x);
        worst.max(p - i as f64 / n).max((i + 1) as f64 / n - p)
    });
    assert!(distance * n.sqrt() < KOLMOGOROV, "{what}: √n D = {}", distance * n.sqrt());
}

fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

fn law<M: Manifold>(name: &str, m: &M) {
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    for _ in 0..2 {
        let p = m.random_point(&mut rng);
        let basis = orthonormal_basis(m, &p);
        assert_eq!(basis.len(), m.dim());
        let fast: Vec<M::Tangent> = (0..DRAWS).map(|_| m.tangent_gaussian(&p, SIGMA, &mut rng)).collect();
        check(name, m, &p, &basis, &fast);
    }
    // The oracle passes its own test.
    let p = m.random_point(&mut rng);
    let basis = orthonormal_basis(m, &p);
    let slow: Vec<M::Tangent> = (0..DRAWS).map(|_| basis_gaussian(m, &p, &basis, SIGMA, &mut rng)).collect();
    check(name, m, &p, &basis, &slow);
}

fn check<M: Manifold>(name: &str, m: &M, p: &M::Point, basis: &[M::Tangent], draws: &[M::Tangent]) {
    let coordinates: Vec<Vec<f64>> =
        draws.iter().map(|v| basis.iter().map(|b| m.inner(p, b, v) / SIGMA).collect()).collect();
    let dim = basis.len() as f64;
    // The norm in the metric and in coordinates is one: nothing lies outside the basis' span.
    for (v, c) in draws.iter().zip(&coordinates).take(20) {
        let square: f64 = c.iter().map(|x| x * x).sum::<f64>() * SIGMA * SIGMA;
        assert!((m.inner(p, v, v) / square - 1.0).abs() < 1e-8, "{name}: tangent");
    }
    let squares = coordinates.iter().map(|c| c.iter().map(|x| x * x).sum()).collect();
    kolmogorov_smirnov(&format!("{name}: norm"), squares, |x| gamma_lr(dim / 2.0, x.max(1e-300) / 2.0));
    for shift in 0..3 {
        // Fixed directions that mix all coordinates.
        let weights: Vec<f64> =
            (0..basis.len()).map(|j| ((j * (shift + 2) + shift) as f64 * 1.7).cos()).collect();
        let size = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
        let along = coordinates
            .iter()
            .map(|c| c.iter().zip(&weights).map(|(c, w)| c * w).sum::<f64>() / size)
            .collect();
        kolmogorov_smirnov(&format!("{name}: direction {shift}"), along, normal_cdf);
    }
    for i in 0..basis.len() {
        for j in 0..=i {
            let sum: f64 = coordinates.iter().map(|c| c[i] * c[j] - f64::from(i == j)).sum();
            let deviation = (DRAWS as f64 * if i == j { 2.0 } else { 1.0 }).sqrt();
            assert!((sum / deviation).abs() < 5.8, "{name}: covariance {i} {j}: {} sd", sum / deviation);
        }
    }
}

#[test]
fn euclidean_sphere_and_shapes() -> Result<(), ManifoldError> {
    law("Euclidean", &Euclidean::new(3));
    law("sphere", &Sphere::unit(4)?);
    law("sphere of radius 5", &Sphere::new(2, 5.0)?);
    law("Kendall", &Kendall::new(5)?);
    Ok(())
}

#[test]
fn hyperbolic() -> Result<(), ManifoldError> {
    law("Poincaré", &PoincareBall::new(3)?);
    law("Lorentz", &Lorentz::new(3)?);
    Ok(())
}

#[test]
fn positive_definite_matrices() -> Result<(), ManifoldError> {
    law("affine-invariant", &SpdAffineInvariant::new(3)?);
    law("log-Euclidean", &SpdLogEuclidean::new(3)?);
    law("Bures–Wasserstein", &SpdBuresWasserstein::new(3)?);
    Ok(())
}

#[test]
fn frames_and_products() -> Result<(), ManifoldError> {
    law("Stiefel", &Stiefel::new(5, 2)?);
    law("Stiefel with many columns", &Stiefel::new(11, 9)?);
    law("Grassmann", &Grassmann::new(5, 2)?);
    law("product", &Product::new(Sphere::unit(2)?, SpdAffineInvariant::new(2)?));
    Ok(())
}
