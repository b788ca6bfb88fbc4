//! `visard optimize`: private Riemannian optimization.

mod embed;
mod names;
mod report;

use super::answer::Answers;
use super::budget::{BudgetArgs, CountingArgs, PlaceArgs, UnusableArgs};
use super::output::{Failure, Printer};
use super::{Global, heading};
use clap::{Args, Subcommand};
use embed::{EmbedArgs, embed};
use indicatif::{ProgressBar, ProgressStyle};
use names::{CorrectionName, MethodName, SamplingName};
use report::{report, report_moment};
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::PathBuf;
use visard::optimize::{
    Correction, Method, NoiseSplit, OptimizeError, Output, PlanError, Sampling, Settings, StepSize,
};
use visard::privacy::{ClipRadius, ClipSource, PrivacyLoss};
use visard::study::Place;
use visard::study::optimize::{
    Frames, MeanSpace, MomentStudy, OptimizeStudyError, OptimizeStudySettings, Task, run as run_study,
    run_moment,
};

/// Commands of private optimization.
#[derive(Debug, Subcommand)]
pub enum OptimizeCommand {
    /// The Fréchet mean of matrices or points
    FrechetMean(Box<MeanArgs>),
    /// The leading eigenvector of the records' second moment (first principal component, not centred)
    Eigenvector(Box<EigenvectorArgs>),
    /// The leading subspace of the records' second moment (private PCA)
    Subspace(Box<SubspaceArgs>),
    /// Embed a public tree in the Poincaré ball (no privacy): a table of points to take private means of
    EmbedTree(EmbedArgs),
}

/// Arguments of `optimize frechet-mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard optimize frechet-mean spd.npy --space affine-invariant --method rgd --clip-radius 2 --epsilon 1 --delta 1e-6 --out mean\n  visard optimize frechet-mean points.npy --space poincare --method rsvrg --batch 64 --clip-radius 3 --epsilon 0.5 --delta 1e-6 --out mean"
)]
pub struct MeanArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Space of the records
    #[arg(long, value_enum)]
    space: MeanSpace,
}

/// Arguments of `optimize eigenvector`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard optimize eigenvector images.npy --unit-records --method moment --epsilon 0.5 --delta 1e-6 --out pc1"
)]
pub struct EigenvectorArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Scale every record to unit length first; its gradient is then no longer than 1
    #[arg(long, help_heading = heading::RECORDS)]
    unit_records: bool,
}

/// Arguments of `optimize subspace`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard optimize subspace images.npy --rank 3 --unit-records --method moment --mu 1 --out pca\n  visard optimize subspace images.npy --rank 3 --unit-records --method rgd --step 2 --clip-radius 1 --mu 1 --out pca"
)]
pub struct SubspaceArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Dimension of the subspace
    #[arg(long, value_name = "R")]
    rank: usize,
    /// The manifold
    #[arg(long, value_enum, default_value_t = Frames::Grassmann)]
    manifold: Frames,
    /// Scale every record to unit length first
    #[arg(long, help_heading = heading::RECORDS)]
    unit_records: bool,
}

/// What all tasks share.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The records: a .npy array, one record along the first axis
    #[arg(value_name = "FILE.npy")]
    input: PathBuf,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    counting: CountingArgs,
    #[command(flatten)]
    unusable: UnusableArgs,
    /// The method
    #[arg(long, help_heading = heading::METHOD, value_enum)]
    method: MethodName,
    /// Public bound on the length of one record's gradient, or for moment of one record; what is longer is clipped. Not needed by moment
    /// for --unit-records
    #[arg(long, help_heading = heading::RELEASE, value_name = "F", allow_negative_numbers = true)]
    clip_radius: Option<f64>,
    /// Steps (default: 20 for rgd, 500 for rsgd)
    #[arg(long, help_heading = heading::METHOD, value_name = "T")]
    steps: Option<u32>,
    /// Epochs of rsvrg
    #[arg(long, help_heading = heading::METHOD, value_name = "S", default_value_t = 5)]
    epochs: u32,
    /// Steps in an epoch of rsvrg
    #[arg(long, help_heading = heading::METHOD, value_name = "M", default_value_t = 20)]
    inner: u32,
    /// Runs of rsvrg, each from the output of the one before
    #[arg(long, help_heading = heading::METHOD, value_name = "K", default_value_t = 1)]
    restarts: u32,
    /// Records in a batch
    #[arg(long, help_heading = heading::METHOD, value_name = "B", default_value_t = 64)]
    batch: usize,
    /// How batches are drawn
    #[arg(long, help_heading = heading::METHOD, value_enum, default_value_t = SamplingName::Poisson)]
    sampling: SamplingName,
    /// How corrections of rsvrg are bounded
    #[arg(long, help_heading = heading::METHOD, value_enum, default_value_t = CorrectionName::Lipschitz)]
    correction: CorrectionName,
    /// The bound: a radius, or the Lipschitz constant of the gradients
    #[arg(long, help_heading = heading::METHOD, value_name = "F", default_value_t = 2.0, allow_negative_numbers = true)]
    correction_bound: f64,
    /// Division of noise between anchors and corrections: half, optimized, or the anchors' share between 0 and 1
    #[arg(long, help_heading = heading::METHOD, value_name = "half|optimized|F", default_value = "optimized")]
    split: String,
    /// Step size (default: 0.5 for rgd, 0.1 otherwise)
    #[arg(long, help_heading = heading::METHOD, value_name = "F", allow_negative_numbers = true)]
    step: Option<f64>,
    /// Let step sizes fall like 1/(1 + t/T0)
    #[arg(long, help_heading = heading::METHOD, value_name = "T0", allow_negative_numbers = true)]
    step_delay: Option<f64>,
    /// Which iterate is released (default: last for rgd, tail-mean otherwise)
    #[arg(long, help_heading = heading::RELEASE, value_enum)]
    output: Option<Output>,
    /// Keep the iterates within this distance of the start point
    #[arg(long, help_heading = heading::METHOD, value_name = "F", allow_negative_numbers = true)]
    domain: Option<f64>,
    /// Shorten noised steps to this length
    #[arg(long, help_heading = heading::METHOD, value_name = "F", allow_negative_numbers = true)]
    longest_step: Option<f64>,
    /// Stop when the noised gradient is no longer than this (does not lower the cost)
    #[arg(long, help_heading = heading::METHOD, value_name = "F", allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// A public start point, .npy. Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::METHOD, value_name = "FILE.npy")]
    start: Option<PathBuf>,
    #[command(flatten)]
    place: PlaceArgs,
}

impl RunArgs {
    fn method(&self) -> Result<Method, Failure> {
        let batch = self.batch;
        let sampling = match self.sampling {
            SamplingName::Poisson => Sampling::Poisson { batch },
            SamplingName::WithoutReplacement => Sampling::WithoutReplacement { batch },
        };
        let bound = self.correction_bound;
        Ok(match self.method {
            MethodName::Moment => {
                return Err(Failure::usage("moment is for eigenvector and subspace"));
            }
            MethodName::Rgd => Method::GradientDescent { steps: self.steps.unwrap_or(20) },
            MethodName::Rsgd => Method::Stochastic { steps: self.steps.unwrap_or(500), sampling },
            MethodName::Rsvrg if self.steps.is_some() => {
                return Err(Failure::usage("rsvrg counts its steps by --epochs and --inner, not --steps"));
            }
            MethodName::Rsvrg => Method::VarianceReduced {
                epochs: self.epochs,
                inner: self.inner,
                restarts: self.restarts,
                sampling,
                correction: match self.correction {
                    CorrectionName::Separate => Correction::Separate(bound),
                    CorrectionName::Difference => Correction::Difference(bound),
                    CorrectionName::Lipschitz => {
                        Correction::Lipschitz { constant: bound, cap: self.clip()?.get() }
                    }
                },
                split: self.split()?,
            },
        })
    }

    fn split(&self) -> Result<NoiseSplit, Failure> {
        match self.split.as_str() {
            "half" => Ok(NoiseSplit::Half),
            // The corrections' noise averages out over an epoch, the anchor's does not.
            "optimized" => Ok(NoiseSplit::Optimized { weight: 0.5 * self.step_size() }),
            share => share.parse().map(NoiseSplit::Share).map_err(|_| {
                Failure::usage(format!("--split {share}: expected half, optimized or a number"))
            }),
        }
    }

    fn step_size(&self) -> f64 {
        self.step.unwrap_or(if self.method == MethodName::Rgd { 0.5 } else { 0.1 })
    }

    fn clip(&self) -> Result<ClipRadius, Failure> {
        let radius = self.clip_radius.ok_or_else(|| {
            Failure::usage("the bound on a record's gradient is missing").with_hint("give --clip-radius F")
        })?;
        ClipRadius::new(radius, ClipSource::Public).map_err(Failure::usage)
    }

    /// Refuses what only makes sense for descents.
    fn without_steps(&self) -> Result<(), Failure> {
        let given = [
            ("--steps", self.steps.is_some()),
            ("--step", self.step.is_some()),
            ("--step-delay", self.step_delay.is_some()),
            ("--output", self.output.is_some()),
            ("--domain", self.domain.is_some()),
            ("--longest-step", self.longest_step.is_some()),
            ("--tolerance", self.tolerance.is_some()),
            ("--start", self.start.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((name, _)) => Err(Failure::usage(format!("moment makes no steps: leave {name} out"))),
        }
    }

    /// The study by one noised second moment.
    fn moment(
        &self,
        rank: Option<usize>,
        unit_records: bool,
        global: &Global,
    ) -> Result<MomentStudy, Failure> {
        self.without_steps()?;
        let radius = match (self.clip_radius, unit_records) {
            (None, true) => 1.0,
            (None, false) => {
                let hint = "give --clip-radius F, or --unit-records to scale every record to length 1";
                return Err(Failure::usage("the bound on a record's length is missing").with_hint(hint));
            }
            (Some(radius), _) => radius,
        };
        Ok(MomentStudy {
            input: self.input.clone(),
            place: Place { asked: self.budget.loss().ok(), ..self.place.place(global)? },
            rank,
            clip: ClipRadius::new(radius, ClipSource::Public).map_err(Failure::usage)?,
            mu: self.budget.mu()?,
            unit_records,
            unusable: self.unusable.rule(),
            counting: self.counting.counting(),
        })
    }

    fn study(
        &self,
        task: Task,
        unit_records: bool,
        global: &Global,
    ) -> Result<OptimizeStudySettings, Failure> {
        let budget = self.budget.loss()?;
        if self.method != MethodName::Rgd && !matches!(budget, PrivacyLoss::Approximate(..)) {
            let hint = "give --epsilon F with --delta F (above 0); only rgd has a mu";
            return Err(Failure::usage("this method is accounted for in epsilon and delta").with_hint(hint));
        }
        if let PrivacyLoss::Pure(_) = budget {
            return Err(Failure::usage("Gaussian noise has no pure epsilon; give --delta too, or --mu"));
        }
        let clip = self.clip()?;
        let initial = self.step_size();
        let step = match self.step_delay {
            None => StepSize::Constant(initial),
            Some(delay) => StepSize::Polynomial { initial, delay, power: 1.0 },
        };
        let averaged = if self.method == MethodName::Rgd { Output::Last } else { Output::TailMean };
        let run = Settings {
            step,
            output: self.output.unwrap_or(averaged),
            longest_step: self.longest_step,
            domain: self.domain,
            gradient_tolerance: self.tolerance,
        };
        run.check().map_err(Failure::usage)?;
        Ok(OptimizeStudySettings {
            input: self.input.clone(),
            place: Place { asked: self.budget.loss().ok(), ..self.place.place(global)? },
            task,
            method: self.method()?,
            run,
            clip,
            budget,
            start: self.start.clone(),
            unit_records,
            unusable: self.unusable.rule(),
            counting: self.counting.counting(),
        })
    }
}

/// Runs an optimization command.
pub fn run(command: &OptimizeCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let at_one_stroke = |args: &RunArgs, rank, unit_records| {
        let outcome = run_moment(&args.moment(rank, unit_records, global)?).map_err(advise)?;
        report_moment(&outcome, printer);
        Ok(())
    };
    let settings = match command {
        OptimizeCommand::Eigenvector(args) if args.run.method == MethodName::Moment => {
            return at_one_stroke(&args.run, None, args.unit_records);
        }
        OptimizeCommand::Subspace(args) if args.run.method == MethodName::Moment => {
            return at_one_stroke(&args.run, Some(args.rank), args.unit_records);
        }
        OptimizeCommand::FrechetMean(args) => args.run.study(Task::FrechetMean(args.space), false, global)?,
        OptimizeCommand::Eigenvector(args) => args.run.study(Task::Eigenvector, args.unit_records, global)?,
        OptimizeCommand::Subspace(args) => {
            let task = Task::Subspace { rank: args.rank, frames: args.manifold };
            args.run.study(task, args.unit_records, global)?
        }
        OptimizeCommand::EmbedTree(args) => return embed(args, global, printer),
    };
    let (bar, told) = (bar(), printer.progress());
    let result = run_study(&settings, &mut |now| {
        match told {
            Some(told) => told("steps", now.step, now.steps),
            None => {
                bar.set_length(now.steps);
                bar.set_position(now.step);
            }
        }
        if global.stop.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    report(&result.map_err(advise)?, printer);
    Ok(())
}

fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    match ProgressStyle::with_template("{bar:32} {pos}/{len} steps  {elapsed} done, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn advise(error: OptimizeStudyError) -> Failure {
    match &error {
        OptimizeStudyError::Plan(PlanError::OutOfReach)
        | OptimizeStudyError::Optimize(OptimizeError::NoiseTooLarge { .. }) => {
            Failure::failed(error).of_kind("budget").with_hint("nothing was charged and nothing released")
        }
        OptimizeStudyError::Plan(PlanError::Budget(_) | PlanError::NoRecords)
        | OptimizeStudyError::Optimize(OptimizeError::Oracle(_)) => {
            Failure::input(error).with_hint("nothing was charged and nothing released")
        }
        OptimizeStudyError::People(_)
        | OptimizeStudyError::NoneUsable(_)
        | OptimizeStudyError::Data(_)
        | OptimizeStudyError::Oracle(_) => Failure::input(error).with_hint("nothing was charged"),
        OptimizeStudyError::Plan(_) => Failure::usage(error),
        OptimizeStudyError::Job(job) => Failure::of_job(&error, Some(job)),
        _ => Failure::input(error),
    }
}

/// What these commands answer.
pub fn answers(all: &mut Answers) {
    for task in ["frechet-mean", "eigenvector", "subspace"] {
        all.add_study::<report::Solution>(&format!("optimize {task}"));
    }
    all.add::<embed::Embedded>("optimize embed-tree");
}
