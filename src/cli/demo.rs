//! `visard demo`: a synthetic population of raw scans, and the whole face job on it.

use super::budget::{BudgetArgs, place_of};
use super::face::{budget_of, report, run_with_progress};
use super::output::{Failure, Printer};
use super::{Global, heading};
use clap::Args;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use visard::io::write_ply;
use visard::mesh::TriMesh;
use visard::study::face::{ClipChoice, FaceInputs, FaceMechanism, FaceStudySettings, run as run_study};
use visard::study::layout::SCANS;
use visard::study::{Place, StudyFolder};
use visard::synth::{FaceParameters, ScanConditions, person_about};

/// Make a synthetic population of raw face scans and run the whole job on it
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  visard demo\n  visard demo --out my-demo --scans 50 --mu 3")]
pub struct DemoArgs {
    /// The study's folder
    #[arg(long, value_name = "DIR", default_value = "visard-demo")]
    out: PathBuf,
    /// Continue an interrupted run: nothing is paid twice
    #[arg(long)]
    resume: bool,
    /// How many people
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u16).range(1..))]
    scans: u16,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Which private mean
    #[arg(long, help_heading = heading::RELEASE, value_enum, default_value_t = FaceMechanism::Joint)]
    mechanism: FaceMechanism,
}

/// The people of the demo are always the same unless `--seed` says otherwise; the privacy noise never is.
const POPULATION: u64 = 20_240_719;

/// Runs the demo.
pub fn run(args: &DemoArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let default = BudgetArgs::of_mu(1.0);
    let budget =
        if args.budget.is_empty() && args.mechanism != FaceMechanism::None { &default } else { &args.budget };
    let scans = args.out.join(SCANS);
    let place = Place { resume: args.resume, ..place_of(&args.out, global) };
    let settings = FaceStudySettings {
        records: FaceInputs::new([scans.clone()], place),
        mechanism: args.mechanism,
        budget: budget_of(args.mechanism, budget, printer)?,
        clip_radius: ClipChoice::Default,
        band: false,
        size: None,
        prior: None,
    };
    refuse_study(&args.out, args.resume, global)?;
    printer.note(format!("making {} synthetic scans in {}", args.scans, scans.display()));
    write_population(&scans, usize::from(args.scans), global.seed.unwrap_or(POPULATION))?;
    let outcome = run_with_progress(printer, |show| run_study(&settings, show))?;
    report(&outcome, printer);
    Ok(())
}

/// Refuses to make people where a study of them has been.
pub fn refuse_study(out: &Path, resume: bool, global: &Global) -> Result<(), Failure> {
    let folder = StudyFolder::at(out);
    if out.is_file() || (!global.force && !resume && (folder.has_release() || folder.has_nonprivate_mean())) {
        return Err(Failure::failed(format!("{} already holds a study", out.display()))
            .with_hint("choose another --out, or --force to replace its release"));
    }
    Ok(())
}

fn write_population(folder: &Path, count: usize, seed: u64) -> Result<(), Failure> {
    let prepare = |e| Failure::failed(format!("cannot prepare {}: {e}", folder.display()));
    if folder.exists() {
        clear_earlier(folder)?;
    }
    std::fs::create_dir_all(folder).map_err(prepare)?;
    let (conditions, mean) = (ScanConditions::demo(), FaceParameters::elsewhere());
    (0..count).into_par_iter().try_for_each(|i| {
        let scan = person_about(&mean, seed, i, &conditions);
        let cloud = TriMesh::new(scan.points, Vec::new()).map_err(Failure::failed)?;
        write_ply(&folder.join(format!("person-{:04}.ply", i + 1)), &cloud).map_err(Failure::failed)
    })
}

/// Removes the scans of an earlier demo, and nothing else.
fn clear_earlier(folder: &Path) -> Result<(), Failure> {
    let failed = |e| Failure::failed(format!("cannot prepare {}: {e}", folder.display()));
    let ours = |name: &str| {
        let number = name.strip_prefix("person-").and_then(|n| n.strip_suffix(".ply"));
        number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if !entry.file_name().to_str().is_some_and(ours) {
            return Err(Failure::failed(format!("{} is not of a demo", entry.path().display()))
                .with_hint("the demo writes its scans there; choose another --out"));
        }
        files.push(entry.path());
    }
    files.into_iter().try_for_each(std::fs::remove_file).map_err(failed)
}
