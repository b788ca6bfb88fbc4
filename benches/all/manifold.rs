//! The operations of each manifold, one call each.
//!
//! `cargo bench --profile dist --bench all -- manifold`

use divan::black_box;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use visard::manifold::*;

fn expect<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

macro_rules! operations {
    ($module:ident, $space:expr, $reach:expr) => {
        mod $module {
            use super::*;

            #[divan::bench]
            fn exp(bencher: divan::Bencher) {
                let space = expect($space);
                let mut rng = ChaCha8Rng::seed_from_u64(1);
                let p = space.random_point(&mut rng);
                let v = space.scale($reach, &space.random_direction(&p, &mut rng));
                bencher.bench_local(|| space.exp(black_box(&p), black_box(&v)));
            }

            #[divan::bench]
            fn log(bencher: divan::Bencher) {
                let space = expect($space);
                let mut rng = ChaCha8Rng::seed_from_u64(1);
                let p = space.random_point(&mut rng);
                let q = space.exp(&p, &space.scale($reach, &space.random_direction(&p, &mut rng)));
                bencher.bench_local(|| space.log(black_box(&p), black_box(&q)));
            }

            #[divan::bench]
            fn dist(bencher: divan::Bencher) {
                let space = expect($space);
                let mut rng = ChaCha8Rng::seed_from_u64(1);
                let p = space.random_point(&mut rng);
                let q = space.exp(&p, &space.scale($reach, &space.random_direction(&p, &mut rng)));
                bencher.bench_local(|| space.dist(black_box(&p), black_box(&q)));
            }

            #[divan::bench]
            fn transport(bencher: divan::Bencher) {
                let space = expect($space);
                let mut rng = ChaCha8Rng::seed_from_u64(1);
                let p = space.random_point(&mut rng);
                let q = space.exp(&p, &space.scale($reach, &space.random_direction(&p, &mut rng)));
                let v = space.random_direction(&p, &mut rng);
                bencher.bench_local(|| space.transport(black_box(&p), black_box(&q), black_box(&v)));
            }
        }
    };
}

operations!(sphere_2, Sphere::unit(2), 1.0);
operations!(sphere_100, Sphere::unit(100), 1.0);
operations!(kendall_50, Kendall::new(50), 0.5);
operations!(poincare_100, PoincareBall::new(100), 1.0);
operations!(lorentz_100, Lorentz::new(100), 1.0);
operations!(affine_invariant_3, SpdAffineInvariant::new(3), 1.0);
operations!(affine_invariant_11, SpdAffineInvariant::new(11), 1.0);
operations!(log_euclidean_11, SpdLogEuclidean::new(11), 1.0);
operations!(bures_wasserstein_11, SpdBuresWasserstein::new(11), 0.1);
operations!(grassmann_100_5, Grassmann::new(100, 5), 1.0);
operations!(stiefel_20_3, Stiefel::new(20, 3), 1.0);
