//! `visard synth`: made-up records whose truth is known.

use super::files::refuse_other_scans;
use super::output::{Failure, Printer};
use super::{Global, make_folder, refuse_existing};
use crate::cli::answer::shown;
use clap::{Args, Subcommand};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::io::{write_npy, write_ply};
use visard::mesh::Point;
use visard::synth::{ORGAN_TRAITS, OrganConditions, OrganKind, OrganScan, organ_scan};

/// What is made up.
#[derive(Debug, Subcommand)]
pub enum SynthCommand {
    /// Organs of made-up people: a public template, scans turned anyhow, and where the template's vertices truly are on each
    Surface(SynthSurfaceArgs),
}

/// Arguments of `synth surface`.
#[derive(Debug, Args)]
#[command(
    after_help = "Every scan is a mesh of its own, with noise. Lengths are in millimetres.\n\n  template.ply   the public template; the population's mean is another\n  scans/         a mesh for everybody\n  truth.npy      the template's vertices on every scan, (scans, vertices, 3)\n  shapes.npy     the same before the scans were turned, moved and grown\n  traits.npy     everybody's twenty traits, in standard deviations\n\nExample:\n  visard synth surface femur --n 300 --out made"
)]
pub struct SynthSurfaceArgs {
    /// The kind of organ
    #[arg(value_enum)]
    kind: OrganKind,
    /// How many people
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    n: u16,
    /// Folder for the population
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// The population is always the same unless `--seed` says otherwise.
const POPULATION: u64 = 1;

/// Made-up scans.
#[derive(Serialize, JsonSchema)]
pub struct MadeUp {
    /// Their folder.
    out: String,
    /// Which organ.
    kind: String,
    /// How many.
    n: u64,
    seed: u64,
    /// Vertices of the template.
    vertices: usize,
    /// `true`: none is of a person.
    synthetic: bool,
}

/// Runs the command.
pub fn run(command: &SynthCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let SynthCommand::Surface(args) = command;
    let file = |name: &str| args.out.join(name);
    let scans = file("scans");
    refuse_existing(&file("template.ply"), global)?;
    refuse_other_scans(&scans)?;
    make_folder(&scans)?;
    let seed = global.seed.unwrap_or(POPULATION);
    let template = args.kind.template();
    let made = (0..u64::from(args.n)).into_par_iter().map(|index| {
        let made = organ_scan(args.kind, seed, index, &OrganConditions::default());
        let path = scans.join(format!("{}-{:04}.ply", args.kind.name(), index + 1));
        write_ply(&path, &made.mesh).map_err(Failure::failed)?;
        Ok(made)
    });
    let made = made.collect::<Result<Vec<OrganScan>, Failure>>()?;
    write_ply(&file("template.ply"), template).map_err(Failure::failed)?;
    let vertices = template.vertices().len();
    let write = |name: &str, shape: &[usize], values: Vec<f64>| {
        write_npy(&file(name), shape, &values).map_err(Failure::failed)
    };
    let rows = [made.len(), vertices, 3];
    write("truth.npy", &rows, made.iter().flat_map(|one| one.truth.iter().flat_map(coordinates)).collect())?;
    let unmoved = |one: &OrganScan| -> Vec<f64> {
        one.truth.iter().flat_map(|p| coordinates(&one.similarity.invert(p))).collect()
    };
    write("shapes.npy", &rows, made.iter().flat_map(unmoved).collect())?;
    write("traits.npy", &[made.len(), ORGAN_TRAITS], made.iter().flat_map(|one| one.traits).collect())?;
    printer.result(
        MadeUp {
            out: shown(&args.out),
            kind: args.kind.name().to_owned(),
            n: args.n.into(),
            seed,
            vertices,
            synthetic: true,
        },
        format!("{} scans of made-up people, none of a person\n  {}", args.n, args.out.display()),
    );
    Ok(())
}

fn coordinates(p: &Point) -> [f64; 3] {
    [p.x, p.y, p.z]
}
