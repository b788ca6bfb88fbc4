//! Fréchet means of many points, to the stated gradient norm (asserted).
//!
//! `cargo bench --profile dist --bench all -- frechet`

use nalgebra::{Complex, DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use visard::manifold::*;
use visard::stats::*;

/// Covariance matrices of 44 Gaussian vectors whose scales differ: eigenvalues over three decades.
fn covariances(n: usize, order: usize) -> Vec<DMatrix<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut numbers = vec![0.0; order * 4 * order];
    (0..n)
        .map(|_| {
            fill_standard_normal(&mut rng, &mut numbers);
            let mut x = DMatrix::from_column_slice(order, 4 * order, &numbers);
            for i in 0..order {
                let scale = 10f64.powf(-1.5 * i as f64 / order as f64);
                x.row_mut(i).scale_mut(scale);
            }
            let p = &x * x.transpose() / (4 * order) as f64;
            (&p + p.transpose()) * 0.5
        })
        .collect()
}

/// Outlines of 50 landmarks, at distances of 0.05 or so from their mean, at random rotations.
fn outlines(n: usize, landmarks: usize) -> (Kendall, Vec<DVector<Complex<f64>>>) {
    let Ok(space) = Kendall::new(landmarks) else { panic!("three landmarks or more") };
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let center = space.random_point(&mut rng);
    let shapes = (0..n)
        .map(|_| {
            let v = space.tangent_gaussian(&center, 0.005, &mut rng);
            let turn = Complex::from_polar(1.0, 6.0 * rng.random::<f64>());
            space.exp(&center, &v).map(|z| z * turn)
        })
        .collect();
    (space, shapes)
}

fn converged<P>(mean: Result<FrechetMean<P>, ManifoldError>) -> P {
    match mean {
        Ok(mean) if mean.certificate.converged() => mean.point,
        Ok(mean) => panic!("not converged: {:?}", mean.certificate),
        Err(error) => panic!("{error}"),
    }
}

#[divan::bench(args = [1, 2], sample_count = 10)]
fn affine_invariant_10000_matrices_of_order_11(bencher: divan::Bencher, threads: usize) {
    let Ok(space) = SpdAffineInvariant::new(11) else { panic!("order 11") };
    let points = covariances(10_000, 11);
    let options = FrechetOptions { gradient_tolerance: 1e-11, ..FrechetOptions::default() };
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { panic!("threads") };
    bencher.bench_local(|| pool.install(|| converged(frechet_mean(&space, &points, None, None, options))));
}

#[divan::bench(args = [1, 2], sample_count = 10)]
fn log_euclidean_10000_matrices_of_order_11(bencher: divan::Bencher, threads: usize) {
    let Ok(space) = SpdLogEuclidean::new(11) else { panic!("order 11") };
    let points = covariances(10_000, 11);
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { panic!("threads") };
    bencher.bench_local(|| pool.install(|| space.mean(&points, None)));
}

#[divan::bench(args = [1, 2], sample_count = 50)]
fn planar_shapes_400_of_50_landmarks(bencher: divan::Bencher, threads: usize) {
    let (space, shapes) = outlines(400, 50);
    let options = FrechetOptions { gradient_tolerance: 1e-14, ..FrechetOptions::default() };
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { panic!("threads") };
    bencher.bench_local(|| pool.install(|| converged(frechet_mean(&space, &shapes, None, None, options))));
}

#[divan::bench(sample_count = 20)]
fn full_procrustes_mean_400_of_50_landmarks(bencher: divan::Bencher) {
    let (space, shapes) = outlines(400, 50);
    bencher.bench_local(|| full_procrustes_mean(&space, &shapes, None));
}
