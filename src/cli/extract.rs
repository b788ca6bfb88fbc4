//! `visard surface extract`: from labelled volumes to surfaces.

use super::files::{make_folder, refuse_existing};
use super::output::{Failure, Printer};
use super::points::{LabelArgs, masks_help};
use super::{Global, heading};
use crate::cli::answer::shown;
use clap::Args;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::images::extract;
use visard::io::{beside_masks, open_masks, write_ply_with_comment};

/// Arguments of `surface extract`.
#[derive(Debug, Args)]
#[command(
    after_help = "Meshes are in mm, towards left, back and head (LPS). Nothing is charged and nothing is private: the meshes are records.\n\nExample:\n  visard surface extract volumes/ --label 3 --smooth --out meshes"
)]
pub struct ExtractArgs {
    #[arg(value_name = "VOLUME_OR_DIR", required = true, help = masks_help())]
    masks: Vec<PathBuf>,
    #[command(flatten)]
    label: LabelArgs,
    /// Take off the steps of the voxels (without shrinking the organ)
    #[arg(long, help_heading = heading::REGISTRATION)]
    smooth: bool,
    /// Folder for the meshes, a PLY file for each volume
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// What every mesh says of itself.
const FRAME: &str = "mm, LPS (left, posterior, superior) where the volume tells its orientation";

/// Surfaces of volumes.
#[derive(Serialize, JsonSchema)]
pub struct ExtractAnswer {
    /// The folder of the meshes.
    out: String,
    /// How many volumes have a surface.
    meshes: usize,
    /// How many have none.
    failed: usize,
}

/// Runs the command.
pub fn run(args: &ExtractArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let file = open_masks(&args.masks).map_err(Failure::failed)?;
    let making = args.label.making();
    if making.curves() > 1 {
        return Err(Failure::usage("a surface is of one label; run the command once for each"));
    }
    let found = extract(&file, &making, args.smooth).map_err(Failure::failed)?;
    let of = |name: &str| args.out.join(format!("{name}.ply"));
    for (name, _) in &found.meshes {
        refuse_existing(&of(name), global)?;
    }
    make_folder(&args.out)?;
    let passed_over = args.masks.iter().filter_map(|path| beside_masks(path));
    printer.remarks(&passed_over.chain(found.notes).collect::<Vec<_>>());
    let write = |(name, mesh): &(String, Result<_, String>)| match mesh {
        Ok(mesh) => write_ply_with_comment(&of(name), mesh, None, FRAME).map_err(Failure::failed),
        Err(_) => Ok(()),
    };
    found.meshes.par_iter().try_for_each(write)?;
    let problems = found.meshes.iter().filter_map(|(name, mesh)| Some((name, mesh.as_ref().err()?)));
    let failed = problems.map(|(name, problem)| printer.note(format!("error: {name:?}: {problem}"))).count();
    let all = found.meshes.len();
    printer.own_result(
        ExtractAnswer { out: shown(&args.out), meshes: all - failed, failed },
        format!("surfaces of {} of {all} volumes: {}", all - failed, args.out.display()),
    );
    match failed {
        0 => Ok(()),
        _ => Err(Failure::failed(format!("{failed} of {all} volumes have no surface"))),
    }
}
