//! The whole job, start to finish.

use super::checkpoint::Checkpoint;
use super::data::{self, DataError, PointArray};
use super::error::OptimizeStudyError;
use super::publication::OptimizePublication;
use super::records::Records;
use super::settings::{Frames, MeanSpace, OptimizeStudySettings, Task};
use crate::io::npy::{self, Array};
use crate::io::{Content, Limit, Opened, open, write_text};
use crate::job::layout::TRACE;
use crate::job::unusable::write_problems;
use crate::job::{self, Digest, Job, Paid};
use crate::job::{People, StudyFolder, Unusable, public_input};
use crate::manifold::{
    Grassmann, Lorentz, Manifold, PoincareBall, SpdAffineInvariant, SpdBuresWasserstein, SpdLogEuclidean,
    Sphere, Stiefel,
};
use crate::optimize::{
    Descent, Finished, FrechetMeanProblem, LeadingEigenvector, Optimized, Persons, Plan, PointOf,
    PrincipalSubspace, Problem, Report, State, StopReason, optimize,
};
use crate::privacy::{Certificate, Charge, Drawn, Mechanism, PublicInput, Released};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::ControlFlow;

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptimizeStudyProgress {
    /// Steps made.
    pub step: u64,
    /// Steps planned.
    pub steps: u64,
    /// Stages finished.
    pub stage: u32,
}

/// How a study ended.
#[derive(Debug, Clone)]
pub struct OptimizeStudyOutcome {
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
    /// How many records could not be used; for the data holder only.
    pub failed: usize,
}

/// Runs an optimization study.
///
/// # Errors
/// [`OptimizeStudyError`]; nothing is charged for input that cannot be used.
pub fn run(
    settings: &OptimizeStudySettings,
    progress: &mut dyn FnMut(OptimizeStudyProgress) -> ControlFlow<()>,
) -> Result<OptimizeStudyOutcome, OptimizeStudyError> {
    let file = open(&settings.input, Content::Rows.limit())?;
    let array = npy::of(&file)?;
    let start = Start::load(settings)?;
    let n = array.shape.first().copied().unwrap_or(0);
    let people = settings.counting.people(n, &|i| vec![i.to_string()])?;
    let study = OptimizeStudy { settings, file: &file, array: &array, people, start };
    job::run(&settings.place, |job| study.run(job, progress))
}

/// Told of every stage; may stop the run.
type Step<'a> = &'a mut dyn FnMut(OptimizeStudyProgress) -> ControlFlow<()>;

/// A study whose files have been read.
struct OptimizeStudy<'a> {
    settings: &'a OptimizeStudySettings,
    file: &'a Opened,
    array: &'a Array,
    people: People,
    start: Option<Start>,
}

/// What was optimized, and whether some steps had been made before.
type Steps<P> = (Released<Optimized<PointOf<P>>>, bool);

impl OptimizeStudy<'_> {
    fn run(&self, job: &mut Job<'_>, step: Step<'_>) -> Result<OptimizeStudyOutcome, OptimizeStudyError> {
        let record = self.array.shape.get(1..).unwrap_or_default();
        let order = record.first().copied().unwrap_or(0);
        match self.settings.task {
            Task::FrechetMean(space) => match space {
                MeanSpace::AffineInvariant => {
                    self.solve(job, step, SpdAffineInvariant::new(order)?, |space, array| {
                        Ok(FrechetMeanProblem::new(space, data::matrices(array)?)?)
                    })
                }
                MeanSpace::LogEuclidean => {
                    self.solve(job, step, SpdLogEuclidean::new(order)?, |space, array| {
                        Ok(FrechetMeanProblem::new(space, data::matrices(array)?)?)
                    })
                }
                MeanSpace::BuresWasserstein => {
                    self.solve(job, step, SpdBuresWasserstein::new(order)?, |space, array| {
                        Ok(FrechetMeanProblem::new(space, data::matrices(array)?)?)
                    })
                }
                MeanSpace::Sphere => {
                    self.solve(job, step, Sphere::unit(order.saturating_sub(1))?, |space, array| {
                        Ok(FrechetMeanProblem::new(space, data::vectors(array)?)?)
                    })
                }
                MeanSpace::Poincare => self.solve(job, step, PoincareBall::new(order)?, |space, array| {
                    Ok(FrechetMeanProblem::new(space, data::vectors(array)?)?)
                }),
                MeanSpace::Lorentz => {
                    self.solve(job, step, Lorentz::new(order.saturating_sub(1))?, |space, array| {
                        Ok(FrechetMeanProblem::new(space, data::vectors(array)?)?)
                    })
                }
            },
            Task::Eigenvector => {
                let rows: usize = record.iter().product();
                self.solve(job, step, Sphere::unit(rows.saturating_sub(1))?, |_, array| {
                    Ok(LeadingEigenvector::new(self.columns(array)?)?)
                })
            }
            Task::Subspace { rank, frames } => {
                let rows: usize = record.iter().product();
                if rank == 0 || rank >= rows {
                    let problem = format!(
                        "rank {rank} is not between 1 and {}: records have {rows} numbers",
                        rows.saturating_sub(1)
                    );
                    return Err(DataError::Parameter(problem).into());
                }
                match frames {
                    Frames::Stiefel => self.solve(job, step, Stiefel::new(rows, rank)?, |space, array| {
                        Ok(PrincipalSubspace::new(space, self.columns(array)?)?)
                    }),
                    Frames::Grassmann => {
                        self.solve(job, step, Grassmann::new(rows, rank)?, |space, array| {
                            Ok(PrincipalSubspace::new(space, self.columns(array)?)?)
                        })
                    }
                }
            }
        }
    }

    fn columns(&self, array: &Array) -> Result<nalgebra::DMatrix<f64>, DataError> {
        data::columns(array, self.settings.unit_records)
    }

    /// Whether a record has a gradient: it is a point of the space, or has a direction where it is scaled.
    fn fits<M: Manifold<Point: PointArray>>(&self, space: &M, row: &[f64]) -> bool {
        if let Task::FrechetMean(_) = self.settings.task {
            let shape = self.array.shape.get(1..).unwrap_or_default().to_vec();
            let point = PointArray::from_array(&Array { shape, data: row.to_vec() });
            return point.is_some_and(|point| space.check(&point).is_ok());
        }
        data::has_direction(row) || !self.settings.unit_records && row.iter().all(|x| x.is_finite())
    }

    /// Price, records, charge, steps, release, in this order.
    fn solve<P: Problem>(
        &self,
        job: &mut Job<'_>,
        step: Step<'_>,
        space: P::Space,
        problem: impl FnOnce(P::Space, &Array) -> Result<P, OptimizeStudyError>,
    ) -> Result<OptimizeStudyOutcome, OptimizeStudyError>
    where
        PointOf<P>: PointArray + Serialize + DeserializeOwned,
    {
        let settings = self.settings;
        let people = &self.people;
        let n = people.count();
        let plan = Plan::calibrate(settings.method, n, settings.clip, settings.budget)?;
        let input = self.start.as_ref().map(|start| start.input.clone());
        let publication = OptimizePublication::<PointOf<P>>::new(settings, plan.clone(), input);
        let priced = job.price(&plan.price(space.dim())?, publication)?;
        let records = match Records::of(self.array, settings.unusable, |row| self.fits(&space, row)) {
            Ok(records) => records,
            // An array of another shape is a mistake in the file, and says so better.
            Err(none) => return problem(space, self.array).and(Err(none)),
        };
        let problem = problem(space, &records.array)?;
        records.refuse_copies(&settings.counting, people)?;
        let problem = Persons::new(problem, records.members(people), settings.clip.get())
            .lenient(settings.unusable == Unusable::Zero);
        let start = self.start_point::<PointOf<P>>()?;
        let mechanism = Descent::<Persons<P>>::new(problem.space(), plan, settings.run, start)?;
        mechanism.prepare(&problem).map_err(|error| records.named(error, people))?;
        let problems = records.all_problems(&problem.without_gradient(mechanism.start()), people);
        write_problems(&job.folder().internal(), &problems)?;
        let digest = self.digest(&mechanism);
        let (published, continued) = match job.pay(&priced, &digest)? {
            Paid::Stored(published) => (*published, true),
            Paid::Charge(charge) => {
                let (released, continued) = self.steps(job, &mechanism, &problem, charge, step)?;
                (job.store(released)?, continued)
            }
        };
        let certificate = job.publish(&priced, &published)?;
        let _ = crate::fault::remove(&job.progress_file());
        job.finish()?;
        Ok(OptimizeStudyOutcome {
            folder: job.folder().clone(),
            records: problem.records(),
            risk: problem.risk(&published.value.point),
            certificate,
            stop: published.value.stop,
            continued,
            warnings: mechanism.plan().warnings(),
            failed: problems.len(),
        })
    }

    /// All steps that are left, the state kept at the end of every stage; whether some had been made before.
    fn steps<P: Problem>(
        &self,
        job: &Job<'_>,
        mechanism: &Descent<P>,
        problem: &P,
        charge: Charge,
        step: Step<'_>,
    ) -> Result<Steps<P>, OptimizeStudyError>
    where
        PointOf<P>: PointArray + Serialize + DeserializeOwned,
    {
        let (file, plan) = (job.progress_file(), mechanism.plan());
        let head = charge.receipt().map_or("", |receipt| &receipt.head);
        // A fixed seed makes the same steps again, from the first: its release is the one that an uninterrupted run makes.
        let mut kept = match job.place().seed {
            Some(_) => Checkpoint::begun(head, mechanism.start().clone()),
            None => Checkpoint::load_or(&file, head, mechanism.start().clone()),
        };
        let continued = job.resumed();
        let mut noise = job.noise(0)?;
        let (recorded, steps) = (charge.is_durable(), plan.method().steps());
        let state = kept.state.clone();
        let mut trouble = None;
        let mut observe = |report: &Report, state: &State<PointOf<P>>| {
            kept.trace.push_str(&trace_line(problem, report, state));
            if !report.ends_stage {
                return ControlFlow::Continue(());
            }
            kept.state = state.clone();
            if let Err(error) = kept.store(&file) {
                trouble = Some(error);
                return ControlFlow::Break(());
            }
            step(OptimizeStudyProgress { step: state.step, steps, stage: state.stage })
        };
        let done = optimize(problem, plan, mechanism.settings(), state, &mut noise, charge, &mut observe)?;
        if let Some(error) = trouble {
            return Err(error);
        }
        let Finished { point, state, stop } = done;
        if stop == StopReason::Interrupted && state.step < steps {
            return Err(OptimizeStudyError::Stopped);
        }
        write_text(&job.folder().internal().join(TRACE), &format!("{TRACE_HEADER}{}", kept.trace))?;
        let Drawn { value, parts } = mechanism.drawn(Optimized { point, stop });
        let price = mechanism.price().clone();
        Ok((Released { value, parts, price, seeded: noise.is_seeded(), recorded }, continued))
    }

    fn start_point<T: PointArray>(&self) -> Result<T, OptimizeStudyError> {
        let given = match &self.start {
            Some(start) => start.array.clone(),
            None => data::default_start(self.settings.task, self.array.shape.get(1..).unwrap_or_default()),
        };
        Ok(T::from_array(&given).ok_or_else(|| DataError::Shape {
            what: "the start point",
            expected: "the shape of the solution",
            found: given.shape.clone(),
        })?)
    }

    /// Of the records, the start point and all settings of the run.
    fn digest<P: Problem>(&self, mechanism: &Descent<P>) -> Digest {
        let OptimizeStudySettings {
            place,
            input: _,
            task,
            method,
            run,
            clip,
            budget,
            start: _,
            unit_records,
            unusable,
            counting,
        } = self.settings;
        let text = format!(
            "{task:?} {method:?} {run:?} {clip:?} {budget:?} {unit_records:?} {unusable:?} {:?} {:?} {:?}",
            counting.identical,
            place.seed,
            self.start.as_ref().map(|start| &start.input)
        );
        Digest::of(&text, mechanism.price(), [self.file.sha256(), self.people.table().unwrap_or_default()])
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
        let file = open(path, Limit::TABLE)?;
        Ok(Some(Self { input: public_input(&file)?, array: npy::of(&file)? }))
    }
}

const TRACE_HEADER: &str = "step,stage,gradient_calls,noised_gradient,noise_sigma,clipped,used,risk\n";

/// One line; the risk, which costs a pass over the records, at the end of stages only.
fn trace_line<P: Problem>(problem: &P, report: &Report, state: &State<PointOf<P>>) -> String {
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
