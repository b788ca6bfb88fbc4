//! The whole job, start to finish.

use super::checkpoint::Checkpoint;
use super::data::{self, DataError, PointArray};
use super::output::{Facts, certify, write_release};
use super::settings::{Frames, MeanSpace, OptimizeStudySettings, Task};
use crate::io::npy::{self, Array};
use crate::io::{ReadError, WriteError, write_text};
use crate::manifold::{
    Grassmann, Lorentz, Manifold, ManifoldError, PoincareBall, SpdAffineInvariant, SpdBuresWasserstein,
    SpdLogEuclidean, Sphere, Stiefel,
};
use crate::optimize::{
    FrechetMeanProblem, LeadingEigenvector, OptimizeError, OracleError, Outcome as Finished, Plan, PlanError,
    Point, PrincipalSubspace, Problem, Report, State, StopReason, check_start, optimize,
};
use crate::privacy::noise::{NoiseError, NoiseSource};
use crate::privacy::{Certificate, CertificateError, Charge, Ledger, LedgerError, Part, PublicInput};
use crate::study::{FolderError, StudyFolder};
use sha2::{Digest, Sha256};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Steps made.
    pub step: u64,
    /// Steps planned.
    pub steps: u64,
    /// Stages finished.
    pub stage: u32,
}

/// How a study ended.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The study's folder.
    pub folder: StudyFolder,
    /// n.
    pub records: usize,
    /// The certificate that was written.
    pub certificate: Certificate,
    /// Why the run ended.
    pub stop: StopReason,
    /// F at the result, without privacy: for the data holder only.
    pub risk: f64,
    /// Whether an interrupted run was continued, so that nothing was charged now.
    pub continued: bool,
    /// What the data holder should know.
    pub warnings: Vec<String>,
}

/// Why a study stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptimizeStudyError {
    /// The study's folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The records or the start point do not fit the task.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A parameter no such manifold has.
    #[error(transparent)]
    Manifold(#[from] ManifoldError),
    /// The plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The run.
    #[error(transparent)]
    Optimize(#[from] OptimizeError),
    /// The ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The generator.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The certificate.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// A result could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The release could not be put into place.
    #[error("cannot write {0}: {1}")]
    Release(String, io::Error),
    /// An interrupted run is in the folder.
    #[error("{0} holds an interrupted run that has been paid for")]
    Interrupted(PathBuf),
    /// The interrupted run is another one.
    #[error("the interrupted run in {0} has other records or settings")]
    OtherRun(PathBuf),
    /// Progress asked for a stop.
    #[error("stopped; what is done is kept")]
    Stopped,
}

impl From<OracleError> for OptimizeStudyError {
    fn from(error: OracleError) -> Self {
        Self::Optimize(error.into())
    }
}

/// Runs an optimization study: `release/solution.npy`, `release/certificate.json`, `internal/trace.csv`.
///
/// # Errors
/// [`OptimizeStudyError`]. Whatever can be refused is refused before the ledger is charged; errors afterwards leave the charge
/// standing and the run to be resumed.
pub fn run(
    settings: &OptimizeStudySettings,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Outcome, OptimizeStudyError> {
    let array = npy::read(&settings.input)?;
    let record = array.shape.get(1..).unwrap_or_default().to_vec();
    let job = |start: Option<Start>| Job { settings, array: &array, start, progress };
    let start = Start::load(settings)?;
    let order = record.first().copied().unwrap_or(0);
    match settings.task {
        Task::FrechetMean(space) => match space {
            MeanSpace::AffineInvariant => {
                let points = data::matrices(&array)?;
                job(start).run(&FrechetMeanProblem::new(SpdAffineInvariant::new(order)?, points)?)
            }
            MeanSpace::LogEuclidean => {
                let points = data::matrices(&array)?;
                job(start).run(&FrechetMeanProblem::new(SpdLogEuclidean::new(order)?, points)?)
            }
            MeanSpace::BuresWasserstein => {
                let points = data::matrices(&array)?;
                job(start).run(&FrechetMeanProblem::new(SpdBuresWasserstein::new(order)?, points)?)
            }
            MeanSpace::Sphere => {
                let points = data::vectors(&array)?;
                job(start).run(&FrechetMeanProblem::new(Sphere::unit(order.saturating_sub(1))?, points)?)
            }
            MeanSpace::Poincare => {
                let points = data::vectors(&array)?;
                job(start).run(&FrechetMeanProblem::new(PoincareBall::new(order)?, points)?)
            }
            MeanSpace::Lorentz => {
                let points = data::vectors(&array)?;
                job(start).run(&FrechetMeanProblem::new(Lorentz::new(order.saturating_sub(1))?, points)?)
            }
        },
        Task::Eigenvector => {
            let records = data::columns(&array, settings.unit_records)?;
            job(start).run(&LeadingEigenvector::new(records)?)
        }
        Task::Subspace { rank, frames } => {
            let records = data::columns(&array, settings.unit_records)?;
            let rows = records.nrows();
            if rank == 0 || rank >= rows {
                return Err(DataError::Parameter(format!(
                    "rank {rank} is not between 1 and {}: records have {rows} numbers",
                    rows - 1
                ))
                .into());
            }
            match frames {
                Frames::Stiefel => {
                    job(start).run(&PrincipalSubspace::new(Stiefel::new(rows, rank)?, records)?)
                }
                Frames::Grassmann => {
                    job(start).run(&PrincipalSubspace::new(Grassmann::new(rows, rank)?, records)?)
                }
            }
        }
    }
}

/// A start point from a file.
struct Start {
    array: Array,
    input: PublicInput,
}

impl Start {
    fn load(settings: &OptimizeStudySettings) -> Result<Option<Self>, OptimizeStudyError> {
        let Some(path) = &settings.start else { return Ok(None) };
        let array = npy::read(path)?;
        let bytes =
            std::fs::read(path).map_err(|e| OptimizeStudyError::Release(path.display().to_string(), e))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Some(Self { input: PublicInput::of_bytes(name, &bytes), array }))
    }
}

/// One task with its data.
struct Job<'a, F> {
    settings: &'a OptimizeStudySettings,
    array: &'a Array,
    start: Option<Start>,
    progress: F,
}

impl Job<'_, &mut dyn FnMut(Progress) -> ControlFlow<()>> {
    fn run<P: Problem>(self, problem: &P) -> Result<Outcome, OptimizeStudyError>
    where
        Point<P>: PointArray,
    {
        let Self { settings, array, start, progress } = self;
        let record = array.shape.get(1..).unwrap_or_default();
        let given =
            start.as_ref().map_or_else(|| data::default_start(settings.task, record), |s| s.array.clone());
        let origin = Point::<P>::from_array(&given).ok_or_else(|| DataError::Shape {
            what: "the start point",
            expected: "the shape of the solution",
            found: given.shape.clone(),
        })?;
        let plan = Plan::calibrate(settings.method, problem.records(), settings.clip, settings.budget)?;
        check_start(problem, &plan, &settings.run, &origin)?;
        let folder = StudyFolder::prepare(&settings.out, settings.replace)?;
        let mut ledger = settings.ledger.open::<OptimizeStudyError>(&folder)?;
        let fingerprint = fingerprint(settings, array, &given);
        let begun = begin(settings, &folder, &mut ledger, &plan, &fingerprint, State::at(origin))?;
        let Begun { state, charge, name, mut trace, continued, finished } = begun;
        let recorded = charge.is_durable();
        let mut noise = match settings.seed {
            // A continued experiment must not draw the numbers of its first part again.
            Some(seed) => NoiseSource::seeded(seed.wrapping_add(u64::from(state.stage) << 32)),
            None => NoiseSource::from_os()?,
        };
        let steps = plan.method().steps();
        let mut trouble = None;
        let mut observe = |report: &Report, state: &State<Point<P>>| {
            trace.push_str(&trace_line(problem, report, state));
            if !report.ends_stage {
                return ControlFlow::Continue(());
            }
            if let Err(error) = Checkpoint::new(&fingerprint, &name, state, &trace).store(&folder.internal())
            {
                trouble = Some(error);
                return ControlFlow::Break(());
            }
            progress(Progress { step: state.step, steps, stage: state.stage })
        };
        let done = match finished {
            Some(stop) => Finished { point: state.output().clone(), state, stop },
            None => optimize(problem, &plan, &settings.run, state, &mut noise, charge, &mut observe)?,
        };
        if let Some(error) = trouble {
            return Err(error.into());
        }
        if done.stop == StopReason::Interrupted && done.state.step < steps {
            return Err(OptimizeStudyError::Stopped);
        }
        // One charge pays for one release: from here on a crash leaves this result to be published, not another to be drawn.
        Checkpoint::new(&fingerprint, &name, &done.state, &trace)
            .finished(done.stop)
            .store(&folder.internal())?;
        write_text(&folder.internal().join("trace.csv"), &format!("{TRACE_HEADER}{trace}"))?;
        let certificate = certify(&Facts {
            settings,
            plan: &plan,
            dimension: problem.space().dim(),
            start: start.map(|s| s.input),
            seeded: noise.is_seeded(),
            recorded,
            spent: ledger.spent(),
            stop: done.stop,
        })?;
        write_release(&folder, &done.point, &certificate)?;
        // The charge is used up: from now on there is nothing to resume.
        remove_checkpoint(&folder.internal())?;
        Ok(Outcome {
            records: problem.records(),
            risk: problem.risk(&done.point),
            certificate,
            stop: done.stop,
            continued,
            warnings: plan.warnings(),
            folder,
        })
    }
}

/// A run that has been paid for.
struct Begun<T> {
    state: State<T>,
    charge: Charge,
    name: String,
    trace: String,
    continued: bool,
    /// Why it ended, where only the release is missing.
    finished: Option<StopReason>,
}

/// Pays for a new run, or finds what an interrupted one paid.
fn begin<T: PointArray>(
    settings: &OptimizeStudySettings,
    folder: &StudyFolder,
    ledger: &mut Ledger,
    plan: &Plan,
    fingerprint: &str,
    fresh: State<T>,
) -> Result<Begun<T>, OptimizeStudyError> {
    let internal = folder.internal();
    if let Some(kept) = Checkpoint::load(&internal) {
        let part = plan.named_part(&kept.charge);
        if settings.resume {
            let state = kept.state::<T>().filter(|_| kept.fingerprint == fingerprint);
            let state = state.ok_or_else(|| OptimizeStudyError::OtherRun(folder.root().to_owned()))?;
            let (charge, continued) = pay(ledger, &part)?;
            let Checkpoint { charge: name, trace, finished, .. } = kept;
            return Ok(Begun { state, charge, name, trace, continued, finished });
        }
        if ledger.reissue(&part).is_some() && !settings.replace {
            return Err(OptimizeStudyError::Interrupted(folder.root().to_owned()));
        }
    }
    let name = format!("{}, run {}", plan.method().name(), ledger.spent().parts().len() + 1);
    // Written first: a crash after the charge then finds by which name it was made.
    Checkpoint::new(fingerprint, &name, &fresh, "").store(&internal)?;
    let charge = ledger.charge_part(plan.named_part(&name)).inspect_err(|_| {
        let _ = remove_checkpoint(&internal);
    })?;
    Ok(Begun { state: fresh, charge, name, trace: String::new(), continued: false, finished: None })
}

/// The charge on record, or a new one where the run was interrupted before it was made.
fn pay(ledger: &mut Ledger, part: &Part) -> Result<(Charge, bool), LedgerError> {
    match ledger.reissue(part) {
        Some(charge) => Ok((charge, true)),
        None => Ok((ledger.charge_part(part.clone())?, false)),
    }
}

fn remove_checkpoint(internal: &Path) -> Result<(), OptimizeStudyError> {
    let path = Checkpoint::path(internal);
    match std::fs::remove_file(&path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            Err(OptimizeStudyError::Release(path.display().to_string(), e))
        }
        _ => Ok(()),
    }
}

/// Hash of the records, the start point and all settings of the run.
fn fingerprint(settings: &OptimizeStudySettings, array: &Array, start: &Array) -> String {
    let mut hash = Sha256::new();
    for array in [array, start] {
        hash.update(format!("{:?}", array.shape));
        array.data.iter().for_each(|x| hash.update(x.to_le_bytes()));
    }
    hash.update(format!(
        "{} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        env!("CARGO_PKG_VERSION"),
        settings.task,
        settings.method,
        settings.run,
        settings.clip,
        settings.budget,
        settings.unit_records,
        settings.seed
    ));
    hash.finalize().iter().map(|b| format!("{b:02x}")).collect()
}

const TRACE_HEADER: &str = "step,stage,gradient_calls,noised_gradient,noise_sigma,clipped,used,risk\n";

/// One line; the risk, which costs a pass over the records, at the end of stages only.
fn trace_line<P: Problem>(problem: &P, report: &Report, state: &State<Point<P>>) -> String {
    let risk = if report.ends_stage { format!("{:e}", problem.risk(state.output())) } else { String::new() };
    format!(
        "{},{},{},{:.6e},{:.6e},{},{},{risk}\n",
        state.step,
        state.stage,
        state.gradient_calls,
        report.direction,
        report.sigma,
        report.clipped,
        report.used
    )
}
