//! `visard sum` and `visard release`: one release of very many prepared faces, whose records are added up in parts.

use super::answer::{Answers, DryRunAnswer, Release};
use super::budget::{BudgetArgs, CountingArgs, PlaceArgs, UnusableArgs};
use super::face::{
    FaceMean, MakingArgs, failure, report, report_fields, report_groups, report_modes, template_source,
    with_progress,
};
use super::output::{Failure, Printer};
use super::tangent::{DesignArgs, FieldFindings, GroupFindings, ModesFindings, ResidualArgs};
use super::{Global, heading};
use crate::cli::answer::shown;
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::parts::{self, Drawn, Part, PartStatistic, ReleaseSettings, SumOf, SumSettings, Summed};
use visard::privacy::{ClipRadius, ClipSource};
use visard::study::Place;
use visard::study::face::FaceMechanism;
use visard::study::face::compare::Want;
use visard::study::tangent::MOST_MODES;

/// Arguments of `sum`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard sum people.npy --part 1/2 --mu 1 --out sum-1.json\n  visard sum people.npy --part 2/2 --mu 1 --out sum-2.json\n  visard release sum-1.json sum-2.json --mu 1 --out study\n  visard sum people.npy --part 1/2 --mu 1 --about study/round-1.json --out sum-2-1.json\n  visard sum people.npy --part 1/2 --statistic compare --groups groups.csv --mu 1 --out sum-1.json\n  visard sum people.npy --part 1/2 --statistic regress --covariates ages.csv --bounds age=3:40 --mu 1 --out sum-1.json\n\nParts may run at once, on many machines: each reads its own records only, one by one. No ledger is touched.\nA sum is as secret as the records; only its owner may read the file."
)]
pub struct SumArgs {
    /// The records, the same file for all parts: unit-area faces in the template's frame, any number of them, as an NPY array (n, J, m, 3) or a
    /// Parquet file of one column with a list of J·m·3 numbers in each row
    #[arg(value_name = "RECORDS")]
    records: PathBuf,
    /// Part to add up: k of N, counted from 1. Parts share out persons
    #[arg(long, value_name = "k/N", default_value_t = Part::WHOLE)]
    part: Part,
    /// The round file that `visard release` wrote after the pass before
    #[arg(long, value_name = "ROUND")]
    about: Option<PathBuf>,
    /// File for the sum
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    budget: BudgetArgs,
    /// What is to be released
    #[arg(long, help_heading = heading::RELEASE, value_enum, default_value_t = Statistic::Mean)]
    statistic: Statistic,
    /// Which private mean: joint (the default) or joint-1
    #[arg(long, help_heading = heading::RELEASE, value_enum)]
    mechanism: Option<FaceMechanism>,
    /// Also release a 95 % confidence band for the population's mean
    #[arg(long, help_heading = heading::RELEASE)]
    band: bool,
    /// Clip radius: a public number chosen without looking at the records
    #[arg(long, help_heading = heading::RELEASE, value_name = "F", allow_negative_numbers = true)]
    clip_radius: Option<f64>,
    /// Group of each record, for compare: a table with the heading record,group; a record is its number from 0
    #[arg(long, help_heading = heading::RECORDS, value_name = "FILE.csv")]
    groups: Option<PathBuf>,
    /// What the budget of compare is for [default: both]
    #[arg(long, help_heading = heading::RELEASE, value_enum)]
    want: Option<Want>,
    /// Covariates of each record, for regress: a table with the heading record,NAME…; a record is its number from 0
    #[arg(long, help_heading = heading::COVARIATES, value_name = "FILE.csv")]
    covariates: Option<PathBuf>,
    #[command(flatten)]
    design: DesignArgs,
    #[command(flatten)]
    residuals: ResidualArgs,
    #[command(flatten)]
    counting: CountingArgs,
    #[command(flatten)]
    unusable: UnusableArgs,
    #[command(flatten)]
    making: MakingArgs,
}

/// What is released of sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Statistic {
    /// A mean face
    Mean,
    /// Modes of variation, with their mean
    Modes,
    /// What covariates do, and the mean at their reference values
    Regress,
    /// Groups: their means, where they differ, and a test
    Compare,
}

impl SumArgs {
    /// What is added up for; options of another statistic are refused.
    fn of(&self) -> Result<SumOf, Failure> {
        let Self { mechanism, band, clip_radius, groups, want, .. } = self;
        let (of_mean, of_groups) =
            (mechanism.is_some() || *band || clip_radius.is_some(), groups.is_some() || want.is_some());
        let of_covariates = self.covariates.is_some() || !self.design.is_empty() || self.residuals.residuals;
        let only = |options: &str, statistic: &str| {
            Err(Failure::usage(format!("{options} go with --statistic {statistic} only")))
        };
        if of_mean && self.statistic != Statistic::Mean {
            return only("--mechanism, --band and --clip-radius", "mean");
        }
        if of_groups && self.statistic != Statistic::Compare {
            return only("--groups and --want", "compare");
        }
        if of_covariates && self.statistic != Statistic::Regress {
            return only("--covariates, --bounds, --levels, --spline and --residuals", "regress");
        }
        if let Some(radius) = *clip_radius {
            ClipRadius::new(radius, ClipSource::Public).map_err(Failure::usage)?;
        }
        Ok(match (self.statistic, groups) {
            (Statistic::Mean, _) => SumOf::People(PartStatistic::Mean {
                mechanism: mechanism.unwrap_or(FaceMechanism::Joint),
                band: *band,
                clip_radius: *clip_radius,
            }),
            (Statistic::Modes, _) => SumOf::People(PartStatistic::Modes),
            (Statistic::Regress, _) => {
                let Some(table) = &self.covariates else {
                    return Err(Failure::usage("--statistic regress needs the table of --covariates"));
                };
                SumOf::Regression(table.clone(), self.design.design()?, self.residuals.residuals)
            }
            (Statistic::Compare, Some(table)) => SumOf::Groups(table.clone(), want.unwrap_or_default()),
            (Statistic::Compare, None) => {
                return Err(Failure::usage("--statistic compare needs the table of --groups"));
            }
        })
    }
}

/// Arguments of `release`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard release sum-1.json sum-2.json --mu 1 --out study\n\nMost statistics take two or three passes over the records (four for regressions with residuals, six for map and test of groups). After each but the last this command writes a round file; make the sums of the\nnext pass with `visard sum --about` that file, and give them to this command again. One charge pays for all passes."
)]
pub struct ReleaseArgs {
    /// The sums of all parts of one pass, in any order
    #[arg(value_name = "SUM", required = true)]
    sums: Vec<PathBuf>,
    /// Maximum number of modes, of sums of modes; only modes above the noise are released [default: 5]
    #[arg(long, help_heading = heading::RELEASE, value_name = "K", value_parser = clap::value_parser!(u16).range(1..=MOST_MODES as i64))]
    modes: Option<u16>,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Public template face of the sums: a mesh file, or "builtin".
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "FILE|builtin", default_value = "builtin")]
    template: String,
    #[command(flatten)]
    place: PlaceArgs,
}

/// The sum of one part of the records, which must not be published.
#[derive(Serialize, JsonSchema)]
pub struct SumAnswer {
    /// The file.
    sum: String,
    /// Which part, as k/N.
    part: String,
    /// Which pass over the records.
    pass: usize,
    /// How many passes there are.
    passes: usize,
    /// People of all parts.
    n: usize,
    /// People of this part.
    people: usize,
    /// Their records.
    records: usize,
}

/// A pass that was drawn and paid for, with all that follow.
#[derive(Serialize, JsonSchema)]
pub struct RoundDrawn {
    /// What the next sums are about.
    round: String,
    pass: usize,
    /// How many passes there are.
    passes: usize,
    /// People of all parts.
    n: usize,
    /// `false`.
    released: bool,
}

/// Runs `sum`.
pub fn sum(args: &SumArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let statistic = args.of()?;
    let making = args.making.inputs(&[], Place::new("."))?;
    let settings = SumSettings {
        records: args.records.clone(),
        part: args.part,
        about: args.about.clone(),
        out: args.out.clone(),
        replace: global.force,
        statistic,
        mu: args.budget.mu()?,
        template: making.template,
        curves: making.curves,
        samples: making.samples,
        registration: making.registration,
        counting: args.counting.counting(),
        unusable: args.unusable.rule(),
    };
    let Summed { pass, people, records, failed, unusable, notes } =
        with_progress(printer, |_| parts::sum(&settings)).map_err(failure)?;
    printer.remarks(&notes);
    let words = |one| {
        format!(
            "{failed} of {records} records of this part cannot be used, and contribute zero; {one}, for instance"
        )
    };
    printer.secret("failed", failed, unusable.map(words));
    printer.result(
        SumAnswer {
            sum: shown(&args.out),
            part: args.part.to_string(),
            pass: pass.0,
            passes: pass.1,
            n: people.1,
            people: people.0,
            records,
        },
        format!(
            "part {} of {} people, pass {} of {}: {} people added up\n  do not share: {}",
            args.part,
            people.1,
            pass.0,
            pass.1,
            people.0,
            args.out.display()
        ),
    );
    Ok(())
}

/// Runs `release`.
pub fn release(args: &ReleaseArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let settings = ReleaseSettings {
        sums: args.sums.clone(),
        mu: args.budget.mu()?,
        modes: args.modes.map(usize::from),
        template: template_source(&args.template),
        place: Place { asked: args.budget.loss().ok(), ..args.place.place(global)? },
    };
    match with_progress(printer, |_| parts::release(&settings)).map_err(failure)? {
        Drawn::Mean(outcome) => report(&outcome, printer),
        Drawn::Modes(outcome) => report_modes(&outcome, printer),
        Drawn::Fields(outcome) => report_fields(&outcome, printer),
        Drawn::Groups(outcome) => report_groups(&outcome, printer),
        Drawn::Round { file, pass: (at, of), people } => printer.result(
            RoundDrawn { round: shown(&file), pass: at, passes: of, n: people, released: false },
            format!(
                "pass {at} of {of} over {people} people is drawn and paid for, with all that follow\n  next: `visard sum` of every part again, with --about {}",
                file.display()
            ),
        ),
    }
    Ok(())
}

/// What these commands answer.
pub fn answers(all: &mut Answers) {
    all.add::<SumAnswer>("sum");
    all.add::<RoundDrawn>("release");
    all.add::<Release<FaceMean>>("release");
    all.add::<Release<ModesFindings>>("release");
    all.add::<Release<FieldFindings>>("release");
    all.add::<Release<GroupFindings>>("release");
    all.add::<DryRunAnswer>("release");
}
