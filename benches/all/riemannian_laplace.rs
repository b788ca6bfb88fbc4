//! One draw of the Riemannian Laplace mechanism on positive definite matrices of order 30, log-Euclidean, as a study makes it: in the
//! coordinates of the logarithm, with the noise's cryptographic generator, and back by the exponential. (Hajri et al.'s Markov
//! chain takes 73 s in the paper; exact in numpy 197 µs.)
//!
//! `cargo bench --profile dist --bench all -- riemannian_laplace`

use divan::black_box;
use nalgebra::DVector;
use visard::manifold::{Euclidean, Manifold, SpdLogEuclidean};
use visard::mechanism::manifold::{PublicBall, RiemannianLaplace};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{ClipRadius, ClipSource, Epsilon, Ledger, Mechanism, pay};

fn expect<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

#[divan::bench(args = [2, 5, 10, 20, 30], min_time = 0.2)]
fn log_euclidean(bencher: divan::Bencher, order: usize) {
    let space = expect(SpdLogEuclidean::new(order));
    let flat = Euclidean::new(space.dim());
    let radius = expect(ClipRadius::new((order as f64).sqrt() / 4.0, ClipSource::Public));
    let ball = expect(PublicBall::new(flat, DVector::zeros(space.dim()), radius));
    let epsilon = expect(Epsilon::new(0.1));
    let mechanism = expect(RiemannianLaplace::new(ball, 500, epsilon));
    let records = vec![Some(DVector::from_element(space.dim(), 0.01)); 500];
    let located = expect(mechanism.prepare(&records));
    let mut noise = NoiseSource::seeded(1);
    // A ledger that forgets grows all the same: a new one for each charge.
    let pay = || expect(pay(mechanism.price(), &mut Ledger::in_memory(None)));
    bencher.with_inputs(pay).bench_local_values(|paid| {
        space.from_chart(&expect(mechanism.draw(black_box(&located), &mut noise, paid)).value.point)
    });
}
