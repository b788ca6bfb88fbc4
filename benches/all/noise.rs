//! What the ways of drawing noise cost, for the 5520 coordinates of a face.
//!
//! `cargo bench --profile dist --bench all -- noise`

use divan::black_box;
use visard::privacy::noise::NoiseSource;
use visard::privacy::{Charge, Epsilon, L1Sensitivity, L2Sensitivity, Ledger, Mu, PrivacyLoss, Rho};

const DIM: usize = 5520;

fn expect<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

/// A ledger that forgets grows all the same: a new one for each charge.
fn paid(loss: PrivacyLoss) -> Charge {
    expect(Ledger::in_memory(None).charge("bench", loss))
}

fn bench(bencher: divan::Bencher, loss: PrivacyLoss, draw: impl Fn(&mut NoiseSource, &[f64], Charge)) {
    let (statistic, mut noise) = (vec![0.1; DIM], NoiseSource::seeded(1));
    let bencher = bencher.counter(divan::counter::ItemsCount::new(DIM));
    bencher
        .with_inputs(|| paid(loss))
        .bench_local_values(|charge| draw(&mut noise, black_box(&statistic), charge));
}

fn one() -> (Mu, L2Sensitivity) {
    (expect(Mu::new(1.0)), expect(L2Sensitivity::new(0.01)))
}

#[divan::bench]
fn lattice_gaussian(bencher: divan::Bencher) {
    let (mu, sensitivity) = one();
    bench(bencher, PrivacyLoss::Gaussian(mu), |noise, x, paid| {
        expect(noise.gaussian_vector(x, sensitivity, mu, paid));
    });
}

#[divan::bench]
fn float_gaussian(bencher: divan::Bencher) {
    let (mu, sensitivity) = one();
    bench(bencher, PrivacyLoss::Gaussian(mu), |noise, x, paid| {
        expect(noise.gaussian_vector_idealized(x, sensitivity, mu, paid));
    });
}

#[divan::bench]
fn discrete_gaussian(bencher: divan::Bencher) {
    let (_, sensitivity) = one();
    let rho = expect(Rho::new(0.5));
    bench(bencher, PrivacyLoss::ZeroConcentrated(rho), |noise, x, paid| {
        expect(noise.discrete_gaussian_vector(x, sensitivity, rho, paid));
    });
}

#[divan::bench]
fn lattice_laplace(bencher: divan::Bencher) {
    let (epsilon, sensitivity) = (expect(Epsilon::new(1.0)), expect(L1Sensitivity::new(0.01)));
    bench(bencher, PrivacyLoss::Pure(epsilon), |noise, x, paid| {
        expect(noise.laplace_vector(x, sensitivity, epsilon, paid));
    });
}

#[divan::bench]
fn float_laplace(bencher: divan::Bencher) {
    let (epsilon, sensitivity) = (expect(Epsilon::new(1.0)), expect(L1Sensitivity::new(0.01)));
    bench(bencher, PrivacyLoss::Pure(epsilon), |noise, x, paid| {
        expect(noise.laplace_vector_idealized(x, sensitivity, epsilon, paid));
    });
}
