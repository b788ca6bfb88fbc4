//! Plans and runs.

use super::*;
use crate::manifold::{Manifold, PoincareBall, SpdAffineInvariant, SpdLogEuclidean, Sphere, TangentFrame};
use crate::privacy::noise::{IntegerClip, NoiseSource};
use crate::privacy::{Charge, ClipRadius, ClipSource, Delta, Epsilon, Ledger, Mu, PrivacyLoss};
use nalgebra::{DVector, dvector};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use std::ops::ControlFlow;

/// What covers any loss.
fn paid() -> Charge {
    Ledger::in_memory(None).charge("test", PrivacyLoss::NonPrivate).unwrap()
}

fn clip(radius: f64) -> ClipRadius {
    ClipRadius::new(radius, ClipSource::Public).unwrap()
}

fn approximate(epsilon: f64, delta: f64) -> PrivacyLoss {
    PrivacyLoss::approximate(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap())
}

fn gaussian(mu: f64) -> PrivacyLoss {
    PrivacyLoss::Gaussian(Mu::new(mu).unwrap())
}

fn keep_on<T>(_: &Report, _: &State<T>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Points near a centre, within about `spread`.
fn cluster<M: Manifold>(space: &M, n: usize, spread: f64, seed: u64) -> (M::Point, Vec<M::Point>) {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let centre = space.random_point(&mut rng);
    let sigma = spread / (space.dim() as f64).sqrt();
    let points =
        (0..n).map(|_| space.exp(&centre, &space.tangent_gaussian(&centre, sigma, &mut rng))).collect();
    (centre, points)
}

const STOCHASTIC: Method = Method::Stochastic { steps: 200, sampling: Sampling::Poisson { batch: 50 } };
const SVRG: Method = Method::VarianceReduced {
    epochs: 5,
    inner: 20,
    restarts: 1,
    sampling: Sampling::Poisson { batch: 50 },
    correction: Correction::Lipschitz { constant: 1.5, cap: 1.0 },
    split: NoiseSplit::Optimized { weight: 1.0 },
};

#[test]
fn a_plan_spends_its_budget_and_not_more() {
    for method in [Method::GradientDescent { steps: 30 }, STOCHASTIC, SVRG] {
        for (epsilon, delta) in [(0.3, 1e-6), (3.0, 1e-5)] {
            let plan = Plan::calibrate(method, 2000, clip(1.0), approximate(epsilon, delta)).unwrap();
            let spent = plan.composition().epsilon_at(Delta::new(delta).unwrap()).unwrap().epsilon.get();
            assert!(spent <= epsilon * (1.0 + 1e-12), "{method:?}: {spent} of {epsilon}");
            assert!(spent > 0.97 * epsilon, "{method:?} wastes budget: {spent} of {epsilon}");
            assert!(plan.price(3).unwrap().statement().certify().unwrap().private);
        }
    }
    // DP-RGD is one Gaussian mechanism: 9 steps at μ = 3 are 9 at 1 each, σ = 2C/(nμ).
    let plan = Plan::calibrate(Method::GradientDescent { steps: 9 }, 100, clip(0.5), gaussian(3.0)).unwrap();
    assert!((plan.gradient_sigma() / 0.01 - 1.0).abs() < 1e-8);
    assert!((plan.composition().mu().unwrap().unwrap().get() - 3.0).abs() < 1e-11);
}

/// The anchor is charged once an epoch: its part of the composition has as many entries as there are epochs.
#[test]
fn anchors_are_charged_once_an_epoch() {
    let plan = Plan::calibrate(SVRG, 2000, clip(1.0), approximate(1.0, 1e-6)).unwrap();
    let times: Vec<u32> = plan.composition().parts().iter().map(|p| p.times).collect();
    assert_eq!(times, [5, 100]);
    assert_eq!(SVRG.gradient_calls(2000), 5 * 2000 + 2 * 100 * 50);
}

/// Of all divisions within a budget the optimized one has the least total variance (weight 1: the paper's criterion).
#[test]
fn the_optimized_split_beats_the_half_split_and_its_neighbours() {
    let with = |split| {
        let Method::VarianceReduced { epochs, inner, restarts, sampling, .. } = SVRG else { unreachable!() };
        let correction = Correction::Separate(0.1);
        let method = Method::VarianceReduced { epochs, inner, restarts, sampling, correction, split };
        let plan = Plan::calibrate(method, 2000, clip(1.0), approximate(1.0, 1e-6)).unwrap();
        let (first, second) = (plan.gradient_sigma(), plan.correction_sigma(1.0));
        (first * first + second * second, first * first / (first * first + second * second))
    };
    let (best, share) = with(NoiseSplit::Optimized { weight: 1.0 });
    for other in [NoiseSplit::Half, NoiseSplit::Share(share * 0.8), NoiseSplit::Share(0.5 * (1.0 + share))] {
        let (value, _) = with(other);
        assert!(value >= best * 0.9999, "{other:?}: {value} below {best}");
    }
    let (again, found) = with(NoiseSplit::Share(share));
    assert!((again / best - 1.0).abs() < 1e-3 && (found / share - 1.0).abs() < 1e-3);
}

#[test]
fn nonsense_is_refused_before_anything_is_charged() {
    let budget = approximate(1.0, 1e-6);
    let plan = |method, n, budget| Plan::calibrate(method, n, clip(1.0), budget);
    let batches = |batch| Method::Stochastic { steps: 5, sampling: Sampling::WithoutReplacement { batch } };
    assert!(matches!(plan(batches(101), 100, budget), Err(PlanError::Batch { batch: 101, n: 100 })));
    assert!(matches!(plan(batches(0), 100, budget), Err(PlanError::Batch { .. })));
    assert!(matches!(plan(batches(10), 0, budget), Err(PlanError::NoRecords)));
    assert!(matches!(plan(Method::GradientDescent { steps: 0 }, 9, budget), Err(PlanError::Zero(_))));
    assert!(matches!(plan(batches(10), 100, gaussian(1.0)), Err(PlanError::NeedsDelta(_))));
    assert!(plan(batches(10), 100, PrivacyLoss::Pure(Epsilon::new(1.0).unwrap())).is_err());
    assert!(plan(SVRG, 40, budget).is_err(), "its batch is larger than n");
    assert!(plan(batches(10), 100, approximate(1.0, 0.5)).unwrap().warnings()[0].contains("1/n"));
    let svrg = |correction| Method::VarianceReduced {
        epochs: 1,
        inner: 1,
        restarts: 1,
        sampling: Sampling::All,
        correction,
        split: NoiseSplit::Half,
    };
    assert!(plan(svrg(Correction::Separate(f64::NAN)), 100, budget).is_err());

    let space = Sphere::unit(2).unwrap();
    let (centre, points) = cluster(&space, 100, 0.2, 1);
    let problem = FrechetMeanProblem::new(space, points).unwrap();
    let good = plan(Method::GradientDescent { steps: 2 }, 100, gaussian(1.0)).unwrap();
    let check = |plan: &Plan, settings: &Settings, start| check_start(&problem, plan, settings, &start);
    let settings = Settings::default();
    assert!(check(&good, &settings, centre.clone()).is_ok());
    assert!(matches!(check(&good, &settings, dvector![1.0, 1.0, 0.0]), Err(OptimizeError::Start(_))));
    let weak = plan(Method::GradientDescent { steps: 2 }, 100, gaussian(1e-4)).unwrap();
    assert!(matches!(check(&weak, &settings, centre.clone()), Err(OptimizeError::NoiseTooLarge { .. })));
    let other = plan(Method::GradientDescent { steps: 2 }, 99, gaussian(1.0)).unwrap();
    assert!(matches!(check(&other, &settings, centre.clone()), Err(OptimizeError::Records { .. })));
    let step = StepSize::Constant(-1.0);
    assert!(check(&good, &Settings { step, ..settings }, centre).is_err());
    assert!(FrechetMeanProblem::new(space, vec![dvector![2.0, 0.0, 0.0]]).is_err());
}

/// Gradients that are no numbers, or of the wrong size.
struct Broken {
    space: Sphere,
    bad: Option<DVector<f64>>,
}

impl Problem for Broken {
    type Space = Sphere;
    fn space(&self) -> &Sphere {
        &self.space
    }
    fn records(&self) -> usize {
        10
    }
    fn loss(&self, _: &DVector<f64>, _: usize) -> f64 {
        0.0
    }
    fn gradient(&self, w: &DVector<f64>, i: usize) -> Option<DVector<f64>> {
        if i % 5 == 3 { self.bad.clone() } else { Some(w * 0.0) }
    }
}

#[test]
fn a_broken_oracle_is_named_and_its_records_count_as_zero_later() {
    let space = Sphere::unit(2).unwrap();
    let start = dvector![1.0, 0.0, 0.0];
    let verdict = |bad| check_oracle(&Broken { space, bad }, &start);
    assert_eq!(
        verdict(Some(dvector![f64::NAN, 0.0, 0.0])),
        Err(OracleError::NotFinite { record: 3, count: 2 })
    );
    assert_eq!(verdict(None), Err(OracleError::NotFinite { record: 3, count: 2 }));
    assert_eq!(
        verdict(Some(dvector![0.0, 0.0])),
        Err(OracleError::Size { record: 3, expected: 3, found: 2 })
    );
    assert!(verdict(Some(dvector![0.0, 0.0, 1.0])).is_ok());
    let plan = Plan::calibrate(Method::GradientDescent { steps: 3 }, 10, clip(1.0), gaussian(5.0)).unwrap();
    let problem = Broken { space, bad: Some(dvector![f64::NAN, 0.0, 0.0]) };
    let mut noise = NoiseSource::seeded(1);
    let run = optimize(
        &problem,
        &plan,
        &Settings::default(),
        State::at(start.clone()),
        &mut noise,
        paid(),
        &mut keep_on,
    );
    assert!(matches!(run, Err(OptimizeError::Oracle(_))), "refused before a draw");
    for bad in [Some(dvector![f64::NAN, 0.0, 0.0]), Some(dvector![1.0]), None] {
        let (frame, radius) =
            (TangentFrame::new(space, start.clone()), IntegerClip::with_multiplier(2, 1.0, 1.0).unwrap());
        let problem = Broken { space, bad };
        let query = clip::Query { problem: &problem, point: &start, frame: &frame, clip: &radius };
        assert_eq!(query.gradients(&clip::Batch::All(10)).sum, [0, 0]);
    }
}

#[test]
fn an_underpaid_run_is_refused() {
    let space = Sphere::unit(2).unwrap();
    let (centre, points) = cluster(&space, 2000, 0.2, 1);
    let problem = FrechetMeanProblem::new(space, points).unwrap();
    let plan = Plan::calibrate(STOCHASTIC, 2000, clip(1.0), approximate(1.0, 1e-6)).unwrap();
    let mut ledger = Ledger::in_memory(None);
    let paid = ledger.charge("too little", gaussian(1e-3)).unwrap();
    let (mut noise, settings) = (NoiseSource::seeded(1), Settings::default());
    let run = optimize(&problem, &plan, &settings, State::at(centre), &mut noise, paid, &mut keep_on);
    assert!(matches!(run, Err(OptimizeError::Noise(_))));
}

/// Without noise to speak of every method finds the Fréchet mean, on spaces of every curvature.
#[test]
fn every_method_converges_when_the_budget_is_huge() {
    fn find<M: Manifold>(space: M, spread: f64) {
        let (_, points) = cluster(&space, 300, spread, 9);
        let start = points[0].clone();
        let problem = FrechetMeanProblem::new(space, points).unwrap();
        let space = problem.space();
        let mut truth = start.clone();
        for _ in 0..200 {
            truth = space.exp(&truth, &space.mean_log(&truth, problem.points(), None).unwrap().log);
        }
        let sampling = Sampling::WithoutReplacement { batch: 20 };
        let correction = Correction::Separate(10.0);
        let svrg = |correction, restarts| Method::VarianceReduced {
            epochs: 8,
            inner: 30,
            restarts,
            sampling,
            correction,
            split: NoiseSplit::Half,
        };
        let runs = [
            (Method::GradientDescent { steps: 40 }, StepSize::Constant(0.7), 1e-3),
            (
                Method::Stochastic { steps: 1500, sampling },
                StepSize::Polynomial { initial: 0.5, delay: 20.0, power: 1.0 },
                0.05,
            ),
            (svrg(correction, 1), StepSize::Constant(0.2), 1e-3),
            (svrg(Correction::Difference(10.0), 2), StepSize::Constant(0.2), 1e-3),
            (svrg(Correction::Lipschitz { constant: 3.0, cap: 10.0 }, 1), StepSize::Constant(0.2), 1e-3),
        ];
        for (method, step, tolerance) in runs {
            let second = matches!(method, Method::VarianceReduced { .. }).then_some(1e-6);
            let plan = Plan::with_noise(method, 300, clip(10.0), 1e-6, second, Delta::new(1e-6).unwrap());
            let settings = Settings { step, ..Settings::default() };
            let done = optimize(
                &problem,
                &plan.unwrap(),
                &settings,
                State::at(start.clone()),
                &mut NoiseSource::seeded(4),
                paid(),
                &mut keep_on,
            )
            .unwrap();
            assert_eq!(done.stop, StopReason::StepsDone);
            assert!(!done.stop.indicates_convergence());
            let error = space.dist(&done.point, &truth);
            assert!(error < tolerance * spread.max(1.0), "{method:?}: {error} from the mean");
        }
    }
    find(Sphere::unit(3).unwrap(), 0.3);
    find(PoincareBall::new(2).unwrap(), 0.7);
    find(SpdAffineInvariant::new(3).unwrap(), 0.7);
    find(SpdLogEuclidean::new(2).unwrap(), 0.7);
}

/// The noise of one step of each kind against its plan: 4000 steps in dimension 5, Σ‖v‖²/σ² is chi-square with 20,000 degrees
/// of freedom, standard deviation 1 %. Six deviations: false alarm below 1e-8; noise 10 % too small is 19 deviations off.
#[test]
fn steps_are_as_noisy_as_planned() {
    let space = SpdLogEuclidean::new(2).unwrap();
    let identity = nalgebra::DMatrix::identity(2, 2);
    let problem = FrechetMeanProblem::new(space, vec![identity.clone(); 50]).unwrap();
    let runs = 4000;
    for method in [
        Method::GradientDescent { steps: 1 },
        Method::Stochastic { steps: 1, sampling: Sampling::Poisson { batch: 10 } },
        Method::VarianceReduced {
            epochs: 1,
            inner: 1,
            restarts: 1,
            sampling: Sampling::Poisson { batch: 10 },
            correction: Correction::Separate(0.5),
            split: NoiseSplit::Half,
        },
    ] {
        let plan = Plan::calibrate(method, 50, clip(1.0), approximate(2.0, 1e-5)).unwrap();
        let sigma = plan.gradient_sigma().hypot(plan.correction_sigma(0.0));
        let settings = Settings { step: StepSize::Constant(1e-3), ..Settings::default() };
        let mut noise = NoiseSource::seeded(11);
        let mut sum = 0.0;
        for _ in 0..runs {
            let start = State::at(identity.clone());
            let done = optimize(&problem, &plan, &settings, start, &mut noise, paid(), &mut keep_on);
            sum += (space.dist(&identity, &done.unwrap().point) / (1e-3 * sigma)).powi(2);
        }
        let freedom = f64::from(runs) * space.dim() as f64;
        let z = (sum - freedom) / (2.0 * freedom).sqrt();
        assert!(z.abs() < 6.0, "{method:?}: variance {} of the plan's", sum / freedom);
    }
}

#[test]
fn an_interrupted_run_continues_and_stops_are_told_apart() {
    let space = Sphere::unit(2).unwrap();
    let (centre, points) = cluster(&space, 200, 0.2, 3);
    let problem = FrechetMeanProblem::new(space, points).unwrap();
    let plan = Plan::calibrate(SVRG, 200, clip(1.0), approximate(3.0, 1e-4)).unwrap();
    let settings = Settings {
        step: StepSize::Constant(0.1),
        output: Output::TailMean,
        domain: Some(0.4),
        ..Settings::default()
    };
    let mut noise = NoiseSource::seeded(2);
    let mut run =
        |state, observe: &mut dyn FnMut(&Report, &State<_>) -> ControlFlow<()>, settings: &Settings| {
            optimize(&problem, &plan, settings, state, &mut noise, paid(), observe).unwrap()
        };
    let mut stop_early = |report: &Report, state: &State<DVector<f64>>| {
        if report.ends_stage && state.stage == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let first = run(State::at(centre.clone()), &mut stop_early, &settings);
    assert_eq!((first.stop, first.state.step, first.state.stage), (StopReason::Interrupted, 40, 2));
    let second = run(first.state, &mut keep_on, &settings);
    assert_eq!((second.stop, second.state.step), (StopReason::StepsDone, 100));
    assert_eq!(second.state.selected.as_ref().unwrap().1, 50, "half of the iterates are averaged");
    assert!(space.dist(&centre, &second.point) <= 0.4 + 1e-12, "inside the domain");
    // A tolerance above everything stops at once; it indicates convergence only where the noise is shorter.
    let eager = Settings { gradient_tolerance: Some(1e9), ..settings };
    let third = run(State::at(centre), &mut keep_on, &eager);
    let StopReason::SmallGradient { gradient, noise: floor } = third.stop else { panic!("{:?}", third.stop) };
    assert_eq!(third.stop.indicates_convergence(), floor <= gradient);
    assert_eq!(third.state.step, 1);
}

/// Option II: each of the iterates is the result equally often. 3000 runs of 4 steps; chi-square with 3 degrees of freedom is
/// above 40 with probability 1e-8.
#[test]
fn option_two_chooses_uniformly() {
    let space = Sphere::unit(2).unwrap();
    let (centre, points) = cluster(&space, 20, 0.2, 3);
    let problem = FrechetMeanProblem::new(space, points).unwrap();
    let plan = Plan::calibrate(Method::GradientDescent { steps: 4 }, 20, clip(1.0), gaussian(3.0)).unwrap();
    let settings = Settings { output: Output::Random, longest_step: Some(3.0), ..Settings::default() };
    let mut noise = NoiseSource::seeded(8);
    let mut counts = [0.0f64; 4];
    for _ in 0..3000 {
        let mut iterates = Vec::new();
        let mut record = |_: &Report, state: &State<DVector<f64>>| {
            iterates.push(state.point.clone());
            ControlFlow::Continue(())
        };
        let start = State::at(centre.clone());
        let done = optimize(&problem, &plan, &settings, start, &mut noise, paid(), &mut record).unwrap();
        counts[iterates.iter().position(|p| *p == done.point).unwrap()] += 1.0;
    }
    let chi: f64 = counts.iter().map(|c| (c - 750.0).powi(2) / 750.0).sum();
    assert!(chi < 40.0, "{counts:?}");
}

mod problems;
