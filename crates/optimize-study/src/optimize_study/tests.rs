//! The job on made-up records: files, charges, resumption, refusals.

use super::*;
use crate::io::{npy, write_npy};
use crate::job::Unusable;
use crate::job::{JobError, LedgerChoice, Place, StudyFolder};
use crate::manifold::{Manifold, SpdAffineInvariant};
use crate::optimize::{
    Correction, Method, NoiseSplit, OptimizeError, Output, PlanError, Sampling, Settings, StepSize,
    StopReason,
};
use crate::privacy::noise::NoisePath;
use crate::privacy::{Certificate, ClipRadius, ClipSource, Delta, Epsilon, Ledger, Mu, PrivacyLoss};
use rand::SeedableRng;
use std::ops::ControlFlow;
use std::path::Path;

fn keep_on(_: OptimizeStudyProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// `n` matrices about a multiple of the identity.
fn write_matrices(path: &Path, n: usize) {
    let space = SpdAffineInvariant::new(3).unwrap();
    let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(1);
    let centre = nalgebra::DMatrix::identity(3, 3) * 1.5;
    let data: Vec<f64> = (0..n)
        .flat_map(|_| space.exp(&centre, &space.tangent_gaussian(&centre, 0.2, &mut rng)).as_slice().to_vec())
        .collect();
    write_npy(path, &[n, 3, 3], &data).unwrap();
}

fn settings(dir: &Path) -> OptimizeStudySettings {
    let (epsilon, delta) = (Epsilon::new(2.0).unwrap(), Delta::new(1e-6).unwrap());
    OptimizeStudySettings {
        input: dir.join("records.npy"),
        place: Place::new(dir.join("study")),
        task: Task::FrechetMean(MeanSpace::AffineInvariant),
        method: Method::GradientDescent { steps: 10 },
        run: Settings { step: StepSize::Constant(0.5), ..Settings::default() },
        clip: ClipRadius::new(1.0, ClipSource::Public).unwrap(),
        budget: PrivacyLoss::Approximate(epsilon, delta),
        start: None,
        unit_records: false,
        unusable: Default::default(),
        counting: Default::default(),
    }
}

impl OptimizeStudySettings {
    fn replacing(mut self, replace: bool) -> Self {
        self.place.replace = replace;
        self
    }

    fn resuming(mut self) -> Self {
        self.place.resume = true;
        self
    }
}

fn charges(settings: &OptimizeStudySettings) -> usize {
    let ledger = StudyFolder::at(&settings.place.out).own_ledger();
    Ledger::history(&ledger).unwrap().charges.len()
}

#[test]
fn a_study_releases_a_solution_with_its_certificate() {
    let dir = tempfile::tempdir().unwrap();
    write_matrices(&dir.path().join("records.npy"), 1500);
    let svrg = Method::VarianceReduced {
        epochs: 3,
        inner: 10,
        restarts: 1,
        sampling: Sampling::Poisson { batch: 50 },
        correction: Correction::Lipschitz { constant: 2.0, cap: 1.0 },
        split: NoiseSplit::Optimized { weight: 0.1 },
    };
    let rsgd = Method::Stochastic { steps: 60, sampling: Sampling::WithoutReplacement { batch: 50 } };
    for (charged, method) in [(1, Method::GradientDescent { steps: 10 }), (2, rsgd), (3, svrg)] {
        let settings = OptimizeStudySettings { method, ..settings(dir.path()) }.replacing(charged > 1);
        let done = run(&settings, &mut keep_on).unwrap();
        let release = settings.place.out.join("release");
        let solution = npy::read(&release.join("solution.npy")).unwrap();
        assert_eq!(solution.shape, [3, 3]);
        assert!((solution.data[0] - 1.5).abs() < 0.5, "{method:?}: {:?}", solution.data);
        let text = std::fs::read_to_string(release.join("certificate.json")).unwrap();
        let certificate = Certificate::from_json(&text).unwrap();
        assert!(certificate.private && !certificate.seeded, "{text}");
        assert_eq!((certificate.n, certificate.mechanism.as_str()), (1500, method.name()));
        assert_eq!(certificate.loss, settings.budget);
        assert!(!certificate.caveats.iter().any(|c| c.starts_with("idealized-reals")));
        assert_eq!(certificate.noise.map(|noise| noise.path), Some(NoisePath::Lattice));
        assert_eq!(certificate.details["converged"], false);
        let trace = std::fs::read_to_string(settings.place.out.join("internal/trace.csv")).unwrap();
        assert_eq!(trace.lines().count() as u64, 1 + method.steps());
        assert_eq!(std::fs::read_dir(&release).unwrap().count(), 2, "nothing else is released");
        assert!(!settings.place.out.join("internal/run.json").exists());
        assert!(!done.continued);
        assert_eq!(charges(&settings), charged);
    }
}

#[test]
fn an_interrupted_study_is_paid_for_once() {
    let dir = tempfile::tempdir().unwrap();
    write_matrices(&dir.path().join("records.npy"), 1500);
    let method = Method::Stochastic { steps: 100, sampling: Sampling::Poisson { batch: 50 } };
    let run_ = Settings { output: Output::TailMean, step: StepSize::Constant(0.1), ..Settings::default() };
    let first = OptimizeStudySettings { method, run: run_, ..settings(dir.path()) };
    let mut stop_at_60 = |now: OptimizeStudyProgress| {
        if now.step == 60 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    assert!(matches!(run(&first, &mut stop_at_60), Err(OptimizeStudyError::Stopped)));
    assert!(!first.place.out.join("release").exists());
    assert_eq!(charges(&first), 1);
    // Not resumed by accident, not resumed with other settings.
    assert!(matches!(run(&first, &mut keep_on), Err(OptimizeStudyError::Job(JobError::Interrupted(_)))));
    let other = Settings { step: StepSize::Constant(0.2), ..run_ };
    let other = OptimizeStudySettings { run: other, ..first.clone() }.resuming();
    assert!(matches!(run(&other, &mut keep_on), Err(OptimizeStudyError::Job(JobError::OtherRun(_)))));
    let resumed = first.clone().resuming();
    let mut from = None;
    let done = run(&resumed, &mut |now| {
        from.get_or_insert(now.step);
        ControlFlow::Continue(())
    });
    assert!(done.unwrap().continued);
    assert_eq!(from, Some(65));
    assert_eq!(charges(&first), 1, "one charge for both parts");
    let trace = std::fs::read_to_string(first.place.out.join("internal/trace.csv")).unwrap();
    assert_eq!(trace.lines().count(), 101, "the trace is whole");
    // The charge is used up: a second resumption publishes the same once more, a new run is refused without --force and charged
    // with it.
    let solution = || std::fs::read(first.place.out.join("release/solution.npy")).unwrap();
    let released = solution();
    assert!(run(&resumed, &mut keep_on).unwrap().continued);
    assert_eq!((solution(), charges(&first)), (released.clone(), 1));
    assert!(matches!(run(&first, &mut keep_on), Err(OptimizeStudyError::Job(JobError::HasRelease(_)))));
    assert!(!run(&first.clone().replacing(true), &mut keep_on).unwrap().continued);
    assert_ne!(solution(), released);
    assert_eq!(charges(&first), 2);
}

/// A crash between the last step and the release: what is published later is the result that was paid for, not another draw.
#[test]
fn one_charge_never_gives_two_results() {
    let dir = tempfile::tempdir().unwrap();
    write_matrices(&dir.path().join("records.npy"), 1500);
    let first =
        OptimizeStudySettings { method: Method::GradientDescent { steps: 30 }, ..settings(dir.path()) };
    let run_ = Settings { gradient_tolerance: Some(1e9), ..first.run };
    let first = OptimizeStudySettings { run: run_, ..first };
    // The release cannot be put together where a file stands.
    let aside = first.place.out.join(".release.tmp");
    std::fs::create_dir_all(&first.place.out).unwrap();
    std::fs::write(&aside, "in the way").unwrap();
    assert!(matches!(run(&first, &mut keep_on), Err(OptimizeStudyError::Job(JobError::Io { .. }))));
    let kept = std::fs::read_to_string(first.place.out.join("internal/drawn.json")).unwrap();
    let kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
    std::fs::remove_file(&aside).unwrap();
    let resumed = first.resuming();
    let done = run(&resumed, &mut keep_on).unwrap();
    assert!(done.continued && matches!(done.stop, StopReason::SmallGradient { .. }));
    let solution = npy::read(&resumed.place.out.join("release/solution.npy")).unwrap();
    let paid: Vec<f64> = kept["released"]["value"]["point"][0]
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect();
    assert_eq!(solution.data, paid);
    assert_eq!(charges(&resumed), 1);
}

#[test]
fn nothing_is_charged_for_what_cannot_run() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("records.npy");
    write_matrices(&file, 100);
    let good = settings(dir.path());
    let refused = |settings: &OptimizeStudySettings| {
        let error = run(settings, &mut keep_on).unwrap_err();
        assert!(
            !settings.place.out.join("visard.ledger.jsonl").exists() || charges(settings) == 0,
            "{error}"
        );
        error
    };
    let sampling = Sampling::Poisson { batch: 101 };
    let batch = OptimizeStudySettings { method: Method::Stochastic { steps: 5, sampling }, ..good.clone() };
    assert!(matches!(refused(&batch), OptimizeStudyError::Plan(PlanError::Batch { .. })));
    let mu = PrivacyLoss::Gaussian(Mu::new(1e-4).unwrap());
    let noisy = OptimizeStudySettings { budget: mu, ..good.clone() };
    let error = refused(&noisy);
    assert!(matches!(error, OptimizeStudyError::Optimize(OptimizeError::NoiseTooLarge { .. })), "{error}");
    let sphere = OptimizeStudySettings { task: Task::FrechetMean(MeanSpace::Sphere), ..good.clone() };
    assert!(matches!(refused(&sphere), OptimizeStudyError::Data(DataError::Shape { .. })));
    let frames = Frames::Grassmann;
    let rank = OptimizeStudySettings { task: Task::Subspace { rank: 9, frames }, ..good.clone() };
    assert!(matches!(refused(&rank), OptimizeStudyError::Data(DataError::Parameter(_))));
    let start = dir.path().join("start.npy");
    write_npy(&start, &[3, 3], &[-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
    let off = OptimizeStudySettings { start: Some(start.clone()), ..good.clone() };
    assert!(matches!(refused(&off), OptimizeStudyError::Optimize(OptimizeError::Start(_))));
    write_npy(&start, &[3], &[1.0, 0.0, 0.0]).unwrap();
    assert!(matches!(refused(&off), OptimizeStudyError::Data(DataError::Shape { .. })));
    write_npy(&file, &[2, 2, 2], &[1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, f64::NAN]).unwrap();
    let strict = OptimizeStudySettings { unusable: Unusable::Refuse, ..good.clone() };
    let error = refused(&strict).to_string();
    assert!(error.contains("record 2") && error.contains("not a finite number"), "{error}");
    write_npy(&file, &[2, 2, 2], &[1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 1.0]).unwrap();
    assert!(refused(&strict).to_string().contains("not positive definite"));
    std::fs::write(&file, b"junk").unwrap();
    assert!(matches!(refused(&good), OptimizeStudyError::Read(_)));
    // A ceiling that is too low: refused, and no run is left behind to be resumed unpaid.
    write_matrices(&file, 100);
    let ceiling = Some(PrivacyLoss::Gaussian(Mu::new(0.01).unwrap()));
    let ledger = LedgerChoice { ceiling, ..LedgerChoice::default() };
    let mut low = good;
    low.place.ledger = ledger;
    assert!(matches!(refused(&low), OptimizeStudyError::Job(JobError::Ledger(_))));
    assert!(!low.place.out.join("internal/run.json").exists());
}

#[test]
fn every_space_and_task_runs() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("records.npy");
    let go = |task, unit_records, shape: &[usize]| {
        let settings = OptimizeStudySettings {
            task,
            unit_records,
            place: Place { replace: true, seed: Some(3), ..Place::new(dir.path().join("study")) },
            budget: PrivacyLoss::Gaussian(Mu::new(8.0).unwrap()),
            ..settings(dir.path())
        };
        let done = run(&settings, &mut keep_on).unwrap();
        assert!(!done.certificate.private && done.certificate.seeded);
        let solution = npy::read(&settings.place.out.join("release/solution.npy")).unwrap();
        assert_eq!(solution.shape, shape);
        solution.data
    };
    write_matrices(&file, 300);
    for space in [MeanSpace::LogEuclidean, MeanSpace::BuresWasserstein] {
        let mean = go(Task::FrechetMean(space), false, &[3, 3]);
        assert!((mean[0] - 1.5).abs() < 0.2, "{space:?}: {mean:?}");
    }
    // Points near (0.3, 0) of the ball, and the same on the hyperboloid and (scaled) on the sphere.
    let ring: Vec<(f64, f64)> =
        (0..400).map(|i| f64::from(i) * 0.7).map(|t| (0.3 + 0.1 * t.cos(), 0.1 * t.sin())).collect();
    write_npy(&file, &[400, 2], &ring.iter().flat_map(|p| [p.0, p.1]).collect::<Vec<_>>()).unwrap();
    let mean = go(Task::FrechetMean(MeanSpace::Poincare), false, &[2]);
    assert!((mean[0] - 0.3).abs() < 0.05 && mean[1].abs() < 0.05, "{mean:?}");
    let lorentz = |p: &(f64, f64)| {
        let square = p.0 * p.0 + p.1 * p.1;
        [(1.0 + square) / (1.0 - square), 2.0 * p.0 / (1.0 - square), 2.0 * p.1 / (1.0 - square)]
    };
    write_npy(&file, &[400, 3], &ring.iter().flat_map(lorentz).collect::<Vec<_>>()).unwrap();
    let upper = go(Task::FrechetMean(MeanSpace::Lorentz), false, &[3]);
    assert!((upper[1] / (1.0 + upper[0]) - mean[0]).abs() < 0.05, "{upper:?} {mean:?}");
    let sphere = |p: &(f64, f64)| [p.0, p.1, (1.0 - p.0 * p.0 - p.1 * p.1).sqrt()];
    write_npy(&file, &[400, 3], &ring.iter().flat_map(sphere).collect::<Vec<_>>()).unwrap();
    let mean = go(Task::FrechetMean(MeanSpace::Sphere), false, &[3]);
    assert!((mean[0] - 0.3).abs() < 0.05, "{mean:?}");
    let first = go(Task::Eigenvector, true, &[3]);
    assert!(first[2].abs() > 0.9, "{first:?}");
    for frames in [Frames::Stiefel, Frames::Grassmann] {
        let plane = go(Task::Subspace { rank: 2, frames }, true, &[3, 2]);
        assert_eq!(plane.len(), 6);
    }
}

/// Records about a line, a record of another direction among them.
fn write_cloud(path: &Path, n: usize, d: usize, first: Option<f64>) {
    use rand_distr::{Distribution, StandardNormal};
    let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(4);
    let scale = |j: usize| [3.0, 2.0, 0.5].get(j).copied().unwrap_or(0.5);
    let mut data: Vec<f64> =
        (0..n * d).map(|i| scale(i % d) * Distribution::<f64>::sample(&StandardNormal, &mut rng)).collect();
    if let Some(x) = first {
        data[..d].fill(x);
    }
    write_npy(path, &[n, d], &data).unwrap();
}

fn moment(dir: &Path, rank: Option<usize>, mu: f64) -> MomentStudy {
    MomentStudy {
        input: dir.join("records.npy"),
        place: Place { replace: true, vacuous: true, ..Place::new(dir.join("study")) },
        rank,
        clip: ClipRadius::new(20.0, ClipSource::Public).unwrap(),
        mu: Mu::new(mu).unwrap(),
        unit_records: false,
        unusable: Default::default(),
        counting: Default::default(),
    }
}

#[test]
fn components_at_one_stroke_are_those_of_the_records_and_err_as_stated() {
    let dir = tempfile::tempdir().unwrap();
    write_cloud(&dir.path().join("records.npy"), 4000, 12, None);
    let exact = run_moment(&moment(dir.path(), Some(2), 1e5)).unwrap();
    assert!(exact.excess.abs() < 1e-6 && exact.expected_excess < 1e-6, "{exact:?}");
    let solution = npy::read(&dir.path().join("study/release/solution.npy")).unwrap();
    assert_eq!(solution.shape, [12, 2]);
    assert!(solution.data[0].abs() > 0.99 && solution.data[3].abs() > 0.99, "{:?}", &solution.data[..4]);
    // Twenty draws: what is lost on average is what was said, within a third.
    let (mut lost, mut said) = (0.0, 0.0);
    for seed in 0..20 {
        let mut study = moment(dir.path(), Some(2), 1.0);
        study.place.seed = Some(seed);
        let done = run_moment(&study).unwrap();
        lost += done.excess;
        said += done.expected_excess;
        assert!(done.certificate.details["visible"].as_u64() >= Some(2));
    }
    assert!((said / lost - 1.0).abs() < 0.33, "{said} {lost}");
    let table = std::fs::read_to_string(dir.path().join("study/release/variances.csv")).unwrap();
    assert!(table.starts_with("mode,variance,lower,upper,share,cosine_squared\n1,"), "{table}");
    assert_eq!(table.lines().count(), 13);
    // Too little budget to see the second: said.
    let mut faint = moment(dir.path(), Some(2), 0.05);
    faint.place.seed = Some(0);
    let faint = run_moment(&faint).unwrap();
    assert!(faint.certificate.caveats.iter().any(|c| c.starts_with("components-in-noise")), "{faint:?}");
}

/// One person of two records is the average of their products; what is unusable contributes zero or stops the study.
#[test]
fn people_and_unusable_records_of_components() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("records.npy");
    write_npy(&file, &[3, 2], &[3.0, 0.0, 0.0, 1.0, 0.0, 2.0]).unwrap();
    let table = dir.path().join("people.csv");
    std::fs::write(&table, "record,person\n0,a\n1,b\n2,b\n").unwrap();
    let mut study = moment(dir.path(), None, 1e6);
    study.counting.people = Some(table.into());
    let done = run_moment(&study).unwrap();
    assert_eq!(done.certificate.n, 2);
    let variances = std::fs::read_to_string(dir.path().join("study/release/variances.csv")).unwrap();
    let second: f64 = variances.lines().nth(2).unwrap().split(',').nth(1).unwrap().parse().unwrap();
    // (1² + 2²)/2 of one of two people.
    assert!((second - 1.25).abs() < 1e-3, "{variances}");
    write_npy(&file, &[3, 2], &[3.0, 0.0, f64::NAN, 1.0, 0.0, 2.0]).unwrap();
    let lenient = moment(dir.path(), None, 10.0);
    let strict = MomentStudy { unusable: Unusable::Refuse, ..lenient.clone() };
    let error = run_moment(&strict).unwrap_err().to_string();
    assert!(error.contains("record 2") && error.contains("--unusable refuse"), "{error}");
    assert_eq!(run_moment(&lenient).unwrap().certificate.n, 3);
    for (rank, words) in [(Some(2), "rank 2 is not between 1 and 1"), (Some(0), "rank 0")] {
        let error = run_moment(&MomentStudy { rank, ..lenient.clone() }).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// Two folders whose studies differ in one record: the same files, the same keys, and nothing exact differs.
#[test]
fn neighbours_differ_in_noised_numbers_only() {
    let release = |first: f64| {
        let dir = tempfile::tempdir().unwrap();
        write_cloud(&dir.path().join("records.npy"), 300, 6, Some(first));
        let mut study = moment(dir.path(), Some(2), 1.0);
        study.place.seed = Some(5);
        run_moment(&study).unwrap();
        let release = dir.path().join("study/release");
        let mut names: Vec<_> =
            std::fs::read_dir(&release).unwrap().map(|f| f.unwrap().file_name()).collect();
        names.sort();
        let size = |name: &str| std::fs::metadata(release.join(name)).unwrap().len();
        let text = std::fs::read_to_string(release.join("certificate.json")).unwrap();
        let mut certificate: serde_json::Value = serde_json::from_str(&text).unwrap();
        for noised in ["visible", "expected_excess"] {
            assert!(certificate["details"][noised].take().is_number());
        }
        for drawn in ["files", "ledger"] {
            certificate[drawn].take();
        }
        (names, size("solution.npy"), certificate)
    };
    let (one, other) = (release(0.3), release(1e9));
    assert_eq!(one, other);
    assert_eq!(one.0, ["certificate.json", "solution.npy", "variances.csv"]);
}
