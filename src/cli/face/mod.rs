//! `visard face`: private mean, planning one, flattening, dense correspondence.

mod flatten;
mod mean;
mod plan;
mod register;

pub use mean::{ShapeArgs, report, run_with_progress, study_settings};

use super::Global;
use super::of_kind;
use super::output::{Failure, Printer};
use clap::Subcommand;
use std::path::Path;
use visard::io::Content;
use visard::study::face::TemplateSource;

/// Commands on face scans.
#[derive(Debug, Subcommand)]
pub enum FaceCommand {
    /// From a folder of scans to a private average face
    Mean(Box<mean::MeanArgs>),
    /// What error to expect of a private average face; reads nothing, costs nothing
    Plan(plan::PlanArgs),
    /// Map a face mesh conformally onto the unit disk
    Flatten(flatten::FlattenArgs),
    /// Put scans into dense correspondence with a template mesh
    Register(register::RegisterArgs),
}

/// Runs a face command.
pub fn run(command: &FaceCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    match command {
        FaceCommand::Mean(args) => mean::run(args, global, printer),
        FaceCommand::Plan(args) => plan::run(args, printer),
        FaceCommand::Flatten(args) => flatten::run(args, global, printer),
        FaceCommand::Register(args) => register::run(args, global, printer),
    }
}

fn scans_help() -> String {
    of_kind("Folders of scans, or scan files, one for each person", Content::Scan)
}

fn template_source(name: &str) -> TemplateSource {
    if name == "builtin" { TemplateSource::Builtin } else { TemplateSource::File(name.into()) }
}

fn make_folder(out: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(out)
        .map_err(|e| Failure::failed(format!("cannot prepare {}: {e}", out.display())))
}

fn refuse_existing(file: &Path, global: &Global) -> Result<(), Failure> {
    if file.exists() && !global.force {
        return Err(Failure::failed(format!("{} exists", file.display()))
            .with_hint("choose another --out, or --force to replace it"));
    }
    Ok(())
}
