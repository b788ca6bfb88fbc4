//! Tangent Gaussian draws, one at a time at one base point, by the strategies of Utpala et al. 2023 (Figure 1):
//! `fast` is ours; `explicit` enumerates the basis and combines it; `gram_schmidt` orthogonalizes one first; `metropolis`
//! walks (the sampler that paper replaces, Han et al. 2022: 1000 steps here, no more exact for it). The generator is
//! SmallRng, as others measure; `fast_chacha20` draws from the cryptographic generator the mechanisms use.
//!
//! `cargo bench --profile dist --bench all -- tangent_gaussian`

use divan::black_box;
use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use visard::manifold::*;

fn expect<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

fn draw<M: Manifold, R: Rng + SeedableRng>(bencher: divan::Bencher, space: M) {
    let mut rng = R::seed_from_u64(1);
    let p = space.random_point(&mut rng);
    bencher.bench_local(|| space.tangent_gaussian(black_box(&p), 1.0, &mut rng));
}

/// Basis ready: only the linear combination.
fn explicit<M: Manifold>(bencher: divan::Bencher, space: M) {
    let mut rng = SmallRng::seed_from_u64(1);
    let p = space.random_point(&mut rng);
    let basis = orthonormal_basis(&space, &p);
    bencher.bench_local(|| basis_gaussian(&space, &p, black_box(&basis), 1.0, &mut rng));
}

fn gram_schmidt<M: Manifold>(bencher: divan::Bencher, space: M) {
    let mut rng = SmallRng::seed_from_u64(1);
    let p = space.random_point(&mut rng);
    bencher.bench_local(|| {
        let basis = orthonormal_basis(&space, black_box(&p));
        basis_gaussian(&space, &p, &basis, 1.0, &mut rng)
    });
}

fn metropolis<M: Manifold>(bencher: divan::Bencher, space: M) {
    let mut rng = SmallRng::seed_from_u64(1);
    let p = space.random_point(&mut rng);
    let zero = space.zero(&p);
    bencher.bench_local(|| {
        let mut v = zero.clone();
        for _ in 0..1000 {
            let mut ambient = zero.clone();
            for i in 0..ambient.real_len() {
                ambient.set_real(i, 0.3 * (rng.random::<f64>() - 0.5));
            }
            let mut w = v.clone();
            space.axpy(1.0, &space.project_tangent(&p, &ambient), &mut w);
            let log_ratio = 0.5 * (space.inner(&p, &v, &v) - space.inner(&p, &w, &w));
            if rng.random::<f64>().ln() < log_ratio {
                v = w;
            }
        }
        v
    });
}

macro_rules! strategies {
    ($module:ident, $sizes:expr, $slow:expr, $size:ty, $space:expr) => {
        mod $module {
            use super::*;

            #[divan::bench(args = $sizes, min_time = 0.05)]
            fn fast(bencher: divan::Bencher, size: $size) {
                draw::<_, SmallRng>(bencher, expect($space(size)));
            }

            #[divan::bench(args = $sizes, min_time = 0.05)]
            fn fast_chacha20(bencher: divan::Bencher, size: $size) {
                draw::<_, ChaCha20Rng>(bencher, expect($space(size)));
            }

            #[divan::bench(args = $slow, sample_count = 10)]
            fn explicit(bencher: divan::Bencher, size: $size) {
                super::explicit(bencher, expect($space(size)));
            }

            #[divan::bench(args = $slow, sample_count = 3)]
            fn gram_schmidt(bencher: divan::Bencher, size: $size) {
                super::gram_schmidt(bencher, expect($space(size)));
            }

            #[divan::bench(args = $slow, sample_count = 3)]
            fn metropolis(bencher: divan::Bencher, size: $size) {
                super::metropolis(bencher, expect($space(size)));
            }
        }
    };
}

const ORDERS: [usize; 5] = [5, 10, 20, 30, 50];
const LENGTHS: [usize; 5] = [250, 500, 1000, 1500, 2000];
const FRAMES: [(usize, usize); 10] = [
    (100, 5),
    (250, 5),
    (500, 5),
    (750, 5),
    (1000, 5),
    (100, 20),
    (250, 20),
    (500, 20),
    (750, 20),
    (1000, 20),
];

/// A size as divan can print it: m × r.
#[derive(Clone, Copy)]
struct Shape(usize, usize);

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.0, self.1)
    }
}

fn shapes() -> Vec<Shape> {
    FRAMES.iter().map(|(m, r)| Shape(*m, *r)).collect()
}

fn small_shapes() -> Vec<Shape> {
    vec![Shape(20, 3)]
}

strategies!(spd_affine_invariant, ORDERS, [5, 10], usize, SpdAffineInvariant::new);
strategies!(spd_bures_wasserstein, ORDERS, [5, 10], usize, SpdBuresWasserstein::new);
strategies!(spd_log_euclidean, ORDERS, [5, 10], usize, SpdLogEuclidean::new);
strategies!(sphere, LENGTHS, [250], usize, |m: usize| Sphere::unit(m - 1));
strategies!(lorentz, LENGTHS, [250], usize, |m: usize| Lorentz::new(m - 1));
strategies!(poincare, LENGTHS, [250], usize, PoincareBall::new);
strategies!(stiefel, shapes(), small_shapes(), Shape, |s: Shape| Stiefel::new(s.0, s.1));
strategies!(grassmann, shapes(), small_shapes(), Shape, |s: Shape| Grassmann::new(s.0, s.1));
