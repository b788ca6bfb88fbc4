//! `visard sum` and `visard release`: one mean of very many prepared faces, whose records are added up in parts.

use super::budget::{BudgetArgs, CountingArgs, PlaceArgs, UnusableArgs};
use super::face::{MakingArgs, failure, report, template_source, with_progress};
use super::output::{Failure, Printer};
use super::{Global, heading};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use visard::parts::{self, Drawn, Part, ReleaseSettings, SumSettings, Summed};
use visard::privacy::{ClipRadius, ClipSource};
use visard::study::Place;
use visard::study::face::FaceMechanism;

/// Arguments of `sum`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard sum people.npy --part 1/2 --mu 1 --out sum-1.json\n  visard sum people.npy --part 2/2 --mu 1 --out sum-2.json\n  visard release sum-1.json sum-2.json --mu 1 --out study\n  visard sum people.npy --part 1/2 --mu 1 --about study/round-1.json --out sum-2-1.json\n\nParts may run at once, on many machines: each reads its own records only, one by one. No ledger is touched.\nA sum is as secret as the records; only its owner may read the file."
)]
pub struct SumArgs {
    /// The records, the same file for all parts: an NPY array (n, J, m, 3) of unit-area faces in the template's frame, of any size
    #[arg(value_name = "RECORDS.npy")]
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
    /// Which private mean: joint or joint-1
    #[arg(long, help_heading = heading::RELEASE, value_enum, default_value_t = FaceMechanism::Joint)]
    mechanism: FaceMechanism,
    /// Also release a 95 % confidence band for the population's mean
    #[arg(long, help_heading = heading::RELEASE)]
    band: bool,
    /// Clip radius: a public number chosen without looking at the records
    #[arg(long, help_heading = heading::RELEASE, value_name = "F", allow_negative_numbers = true)]
    clip_radius: Option<f64>,
    #[command(flatten)]
    counting: CountingArgs,
    #[command(flatten)]
    unusable: UnusableArgs,
    #[command(flatten)]
    making: MakingArgs,
}

/// Arguments of `release`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard release sum-1.json sum-2.json --mu 1 --out study\n\nThe default mean takes two or three passes over the records. After each but the last this command writes a round file; make the sums of the\nnext pass with `visard sum --about` that file, and give them to this command again. One charge pays for all passes."
)]
pub struct ReleaseArgs {
    /// The sums of all parts of one pass, in any order
    #[arg(value_name = "SUM", required = true)]
    sums: Vec<PathBuf>,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Public template face of the sums: a mesh file, or "builtin".
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "FILE|builtin", default_value = "builtin")]
    template: String,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Runs `sum`.
pub fn sum(args: &SumArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    if let Some(radius) = args.clip_radius {
        ClipRadius::new(radius, ClipSource::Public).map_err(Failure::usage)?;
    }
    let making = args.making.inputs(&[], Place::new("."))?;
    let settings = SumSettings {
        records: args.records.clone(),
        part: args.part,
        about: args.about.clone(),
        out: args.out.clone(),
        replace: global.force,
        mechanism: args.mechanism,
        band: args.band,
        mu: args.budget.mu()?,
        clip_radius: args.clip_radius,
        template: making.template,
        curves: making.curves,
        samples: making.samples,
        registration: making.registration,
        counting: args.counting.counting(),
        unusable: args.unusable.rule(),
    };
    let Summed { pass, people, records, failed, notes } =
        with_progress(printer, |_| parts::sum(&settings)).map_err(failure)?;
    notes.iter().for_each(|note| printer.note(note));
    let words = format!("{failed} of {records} records of this part cannot be used, and contribute zero");
    printer.secret("failed", failed, (failed > 0).then_some(words));
    printer.result(
        json!({
            "sum": args.out, "part": args.part.to_string(), "pass": pass.0, "passes": pass.1, "n": people.1, "people": people.0,
            "records": records,
        }),
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
        template: template_source(&args.template),
        place: Place { asked: args.budget.loss().ok(), ..args.place.place(global)? },
    };
    match with_progress(printer, |_| parts::release(&settings)).map_err(failure)? {
        Drawn::Mean(outcome) => report(&outcome, printer),
        Drawn::Round { file, pass: (at, of), people } => printer.result(
            json!({"round": file, "pass": at, "passes": of, "n": people, "released": false}),
            format!(
                "pass {at} of {of} over {people} people is drawn and paid for, with all that follow\n  next: `visard sum` of every part again, with --about {}",
                file.display()
            ),
        ),
    }
    Ok(())
}
