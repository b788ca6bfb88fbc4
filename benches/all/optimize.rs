//! What a private step costs, a thread: noise, clipped gradients, plans. `cargo bench --profile dist --bench all -- optimize`
//!
//! Ids name the problem, its size and the method.

use divan::{Bencher, black_box};
use nalgebra::DMatrix;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use std::ops::ControlFlow;
use visard::manifold::{Manifold, SpdAffineInvariant, Sphere};
use visard::optimize::{
    Correction, FrechetMeanProblem, LeadingEigenvector, Method, NoiseSplit, Plan, Problem, Sampling,
    Settings, State, StepSize, optimize,
};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{ClipRadius, ClipSource, Ledger, PrivacyLoss};

fn expect<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

fn clip() -> ClipRadius {
    expect(ClipRadius::new(1.0, ClipSource::Public))
}

fn budget() -> PrivacyLoss {
    expect(PrivacyLoss::requested(None, Some(1.0), Some(1e-6)))
}

/// 3·10⁵ steps of this kind are Table 2 of the paper: 41 s (SPD 11) and 24 s (sphere 786) there.
fn privatize<M: Manifold>(bencher: Bencher, m: M) {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let p = m.random_point(&mut rng);
    let gradient = m.tangent_gaussian(&p, 1.0, &mut rng);
    bencher.bench_local(|| {
        let mut v = m.tangent_gaussian(black_box(&p), 0.1, &mut rng);
        m.axpy(1.0, &gradient, &mut v);
        v
    });
}

#[divan::bench]
fn privatize_spd11(bencher: Bencher) {
    privatize(bencher, expect(SpdAffineInvariant::new(11)));
}

#[divan::bench]
fn privatize_sphere786(bencher: Bencher) {
    privatize(bencher, expect(Sphere::unit(785)));
}

/// Whole steps of DP-RSGD, batches of one record: sample, gradient, clip, noise, exponential map.
fn rsgd<P: Problem>(bencher: Bencher, problem: &P, start: visard::optimize::PointOf<P>) {
    let method = Method::Stochastic { steps: 1000, sampling: Sampling::WithoutReplacement { batch: 1 } };
    let plan = expect(Plan::calibrate(method, problem.records(), clip(), budget()));
    let settings =
        Settings { step: StepSize::Constant(1e-4), longest_step: Some(1e3), ..Settings::default() };
    bencher.counter(divan::counter::ItemsCount::new(1000u32)).bench_local(|| {
        let paid = expect(Ledger::in_memory(None).charge_part(plan.part()));
        let (mut noise, state) = (NoiseSource::seeded(1), State::at(start.clone()));
        expect(optimize(problem, &plan, &settings, state, &mut noise, paid, &mut |_, _| {
            ControlFlow::Continue(())
        }))
    });
}

#[divan::bench(sample_count = 5)]
fn thousand_rsgd_steps_spd11(bencher: Bencher) {
    let space = expect(SpdAffineInvariant::new(11));
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    let points: Vec<_> = (0..200).map(|_| space.random_point(&mut rng)).collect();
    rsgd(bencher, &expect(FrechetMeanProblem::new(space, points)), DMatrix::identity(11, 11));
}

#[divan::bench(sample_count = 5)]
fn thousand_rsgd_steps_sphere786(bencher: Bencher) {
    let space = expect(Sphere::unit(785));
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    let columns: Vec<_> = (0..200).map(|_| space.random_point(&mut rng)).collect();
    let problem = expect(LeadingEigenvector::new(DMatrix::from_columns(&columns)));
    rsgd(bencher, &problem, columns[0].clone());
}

#[divan::bench(sample_count = 5)]
fn calibrate_rsgd_n10000_batch100_1000steps() -> Plan {
    let method = Method::Stochastic { steps: 1000, sampling: Sampling::Poisson { batch: 100 } };
    expect(Plan::calibrate(method, 10_000, clip(), budget()))
}

#[divan::bench(sample_count = 3)]
fn calibrate_rsvrg_n10000_batch100_5x50steps() -> Plan {
    let method = Method::VarianceReduced {
        epochs: 5,
        inner: 50,
        restarts: 1,
        sampling: Sampling::Poisson { batch: 100 },
        correction: Correction::Lipschitz { constant: 2.0, cap: 1.0 },
        split: NoiseSplit::Optimized { weight: 0.1 },
    };
    expect(Plan::calibrate(method, 10_000, clip(), budget()))
}
