//! `visard function`: functions that users bring, sampled on a circle, an interval or a disk.

use super::answer::{Answers, MeanFindings, NothingReleased, Own, Release, places};
use super::budget::{BudgetArgs, CountingArgs, PlaceArgs, UnusableArgs};
use super::output::{Failure, Printer};
use super::points::{failure, note_failed};
use super::tangent::{KindArgs, RegressArgs, Statistics};
use super::{Global, heading, of_kind, tangent};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use visard::estimate::Smoothness;
use visard::io::Content;
use visard::study::Place;
use visard::study::function::{
    DomainKind, FunctionInputs, FunctionMeanOutcome, FunctionMeanSettings, ReleasedMeanFunction, run_mean,
};
use visard::study::points::PointAccuracy;
use visard::study::tangent::{TangentFunctions, TangentInputs};

/// Commands on functions.
#[derive(Debug, Subcommand)]
pub enum FunctionCommand {
    /// From samples of functions to a private mean function
    Mean(Box<FunctionMeanArgs>),
    #[command(flatten)]
    Statistics(Statistics<FunctionArgs>),
}

/// Which mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// Two rounds: a rough private centre, then a tight clip about it
    Joint,
    /// Mean without noise, written under internal/ only
    None,
}

/// Functions, and what is known of them in advance
#[derive(Debug, Args)]
pub struct FunctionArgs {
    #[command(flatten)]
    budget: BudgetArgs,
    #[arg(value_name = "FILE", help = of_kind("Samples, a record along the first axis", Content::Rows))]
    file: PathBuf,
    /// Domain of the functions
    #[arg(long, help_heading = heading::RECORDS, value_enum)]
    domain: DomainKind,
    /// Public bound: how far records may lie from the centre, root mean square over the samples, in their own units; records beyond it are
    /// clipped to it
    #[arg(long, help_heading = heading::RELEASE, value_name = "F", allow_negative_numbers = true)]
    bound: Option<f64>,
    /// Centre: a file with one public function, sampled like the records (default: zero).
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "FILE")]
    center: Option<PathBuf>,
    /// Positions of the samples, if not at equal steps: a public file of rising numbers, on a circle in radians.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RECORDS, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Length scale: little detail narrower than this is expected; a circle and a disk have radius 1, an interval length 1
    #[arg(long, help_heading = heading::RELEASE, value_name = "F", default_value_t = Smoothness::default().length)]
    length: f64,
    /// How fast finer detail falls off: expected variances are (1 + (length frequency)^2)^-smoothness
    #[arg(long, help_heading = heading::RELEASE, value_name = "F", default_value_t = Smoothness::default().power)]
    smoothness: f64,
    #[command(flatten)]
    unusable: UnusableArgs,
    #[command(flatten)]
    counting: CountingArgs,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Arguments of `function mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard function mean heights.csv --domain interval --bound 40 --center standard.csv --mu 1 --out study\n  visard function mean cycles.npy --domain circle --bound 2 --length 0.3 --band --mu 1 --out study"
)]
pub struct FunctionMeanArgs {
    #[command(flatten)]
    records: FunctionArgs,
    /// Also release a 95 % band for the population's mean, about the mean before it is smoothed
    #[arg(long, help_heading = heading::RELEASE)]
    band: bool,
    /// Which mean
    #[arg(long, help_heading = heading::RELEASE, value_enum, default_value_t = Choice::Joint)]
    mechanism: Choice,
}

/// Runs a command on functions.
pub fn run(command: &FunctionCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let args = match command {
        FunctionCommand::Mean(args) => args,
        FunctionCommand::Statistics(statistic) => return statistic.run(global, printer),
    };
    let outcome = run_mean(&args.settings(global)?).map_err(failure)?;
    note_failed(printer, outcome.failed, outcome.released.is_some(), &outcome.folder.internal());
    let beyond = format!(
        "{} of {} records were outside the public bound and were shortened to it",
        outcome.beyond, outcome.people
    );
    printer.secret("beyond", outcome.beyond, (outcome.beyond > 0).then_some(beyond));
    printer.remarks(&outcome.remarks);
    say(&outcome, printer);
    Ok(())
}

impl FunctionMeanArgs {
    fn settings(&self, global: &Global) -> Result<FunctionMeanSettings, Failure> {
        let none = self.mechanism == Choice::None;
        let records = &self.records;
        let bound = match records.bound {
            Some(bound) => bound,
            // Nothing is released: only a note depends on it.
            None if none => f64::MAX,
            None => {
                return Err(no_bound().with_hint(
                    "--mechanism none gives the mean without noise, for the data holder only, and needs no bound",
                ));
            }
        };
        Ok(FunctionMeanSettings {
            inputs: records.files(global)?,
            bound,
            smoothness: records.smoothness(),
            budget: if none { None } else { Some(records.budget.mu()?) },
            band: self.band,
        })
    }
}

fn no_bound() -> Failure {
    Failure::usage("a release needs a public bound on the records: --bound F")
}

impl FunctionArgs {
    fn files(&self, global: &Global) -> Result<FunctionInputs, Failure> {
        let place = Place { asked: self.budget.loss().ok(), ..self.place.place(global)? };
        Ok(FunctionInputs {
            centre: self.center.clone(),
            positions: self.positions.clone(),
            unusable: self.unusable.rule(),
            counting: self.counting.counting(),
            ..FunctionInputs::new(&self.file, self.domain, place)
        })
    }

    fn smoothness(&self) -> Smoothness {
        Smoothness { length: self.length, power: self.smoothness }
    }
}

impl KindArgs for FunctionArgs {
    const COMMAND: &'static str = "function";
    const RECORDS: &'static str = "functions";
    const EXAMPLE: &'static str = "cycles.npy --domain circle --bound 2";
    type Covariates = RegressArgs;

    fn inputs(&self, global: &Global) -> Result<TangentInputs, Failure> {
        Ok(TangentInputs::Functions(TangentFunctions {
            bound: self.bound.ok_or_else(no_bound)?,
            inputs: self.files(global)?,
            smoothness: self.smoothness(),
        }))
    }

    fn budget(&self) -> &BudgetArgs {
        &self.budget
    }
}

fn say(outcome: &FunctionMeanOutcome, printer: &Printer) {
    let FunctionMeanOutcome { folder, people, released, .. } = outcome;
    let Some(ReleasedMeanFunction { accuracy, sentence, certificate, .. }) = released else {
        let internal = folder.internal();
        return printer.own_result(
            NothingReleased::of(folder, *people as u64),
            format!("non-private mean of {people} functions: {}", internal.display()),
        );
    };
    let text = format!(
        "{} of {people} functions, {}\n  {sentence}\n{}",
        if certificate.private { "private mean" } else { "mean (NOT PRIVATE)" },
        certificate.loss,
        places(folder, certificate)
    );
    let findings = MeanFindings { accuracy: *accuracy };
    printer.result(Release::of(folder, certificate, findings), text);
}

/// What these commands answer.
pub fn answers(all: &mut Answers) {
    all.add_study::<MeanFindings<PointAccuracy>>("function mean");
    all.add::<Own<NothingReleased>>("function mean");
    tangent::answers("function", all);
}
