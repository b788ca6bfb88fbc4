//! `visard sphere`, `visard hyperbolic`: private means of directions and of points of hyperbolic space, and their commands.

use super::super::Global;
use super::super::output::{Failure, Printer};
use super::common::{Common, among, failure, no_radius, say};
use super::records::{DirectionArgs, HyperbolicPointArgs, ModelName, points_help};
use crate::cli::heading;
use crate::cli::tangent::Statistics;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use visard::study::points::{PointMechanism, VectorCentre, VectorSpace, VectorStudy, run_vectors};

/// Commands on rows of numbers: one for each kind of space.
#[derive(Debug, Subcommand)]
pub enum VectorsCommand {
    /// Directions: private mean, modes of variation, regression, groups
    #[command(
        subcommand,
        after_help = "Example:\n  visard sphere mean cities.csv --radius 0.7 --center greenwich.csv --mu 1 --out study"
    )]
    Sphere(SphereCommand),
    /// Points of hyperbolic space: private mean, modes of variation, regression, groups
    #[command(
        subcommand,
        after_help = "Example:\n  visard hyperbolic mean embedding.npy --radius 2 --mu 1 --out study"
    )]
    Hyperbolic(HyperbolicCommand),
}

/// Commands on directions.
#[derive(Debug, Subcommand)]
pub enum SphereCommand {
    /// From directions to a private mean direction
    Mean(Box<VectorArgs>),
    #[command(flatten)]
    Statistics(Statistics<DirectionArgs>),
}

/// Commands on points of hyperbolic space.
#[derive(Debug, Subcommand)]
pub enum HyperbolicCommand {
    /// From points of hyperbolic space to a private mean
    Mean(Box<HyperbolicArgs>),
    #[command(flatten)]
    Statistics(Statistics<HyperbolicPointArgs>),
}

/// Arguments of `sphere mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard sphere mean cities.csv --mechanism kng --radius 0.7 --center greenwich.csv --epsilon 1 --out study"
)]
pub struct VectorArgs {
    #[command(flatten)]
    common: Common,
    #[arg(value_name = "FILE", help = points_help())]
    file: PathBuf,
    /// Numbers in a row, a public number: needed for a table without a heading, unless the centre is public
    #[arg(long, help_heading = heading::RECORDS, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    dim: Option<u32>,
    /// Which private mean (default: the least noise at the budget, tangent-laplace for a pure ε and tangent-gaussian otherwise)
    #[arg(long, help_heading = heading::RELEASE, value_parser = among(PointMechanism::OF_POINTS))]
    mechanism: Option<PointMechanism>,
    /// Public radius of the ball that bounds the records; --mechanism none needs none
    #[arg(long, help_heading = heading::RELEASE, value_name = "F", allow_negative_numbers = true)]
    radius: Option<f64>,
    /// Centre: a file with one public row, or "private": estimated and paid for.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "FILE|private")]
    center: Option<PathBuf>,
    /// With --center private, in hyperbolic space: public radius about the origin that holds the centre
    #[arg(long, help_heading = heading::RELEASE, value_name = "F", allow_negative_numbers = true)]
    first_radius: Option<f64>,
}

/// Arguments of `hyperbolic mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard hyperbolic mean embedding.npy --mechanism laplace --radius 2 --epsilon 1 --out study"
)]
pub struct HyperbolicArgs {
    #[command(flatten)]
    points: VectorArgs,
    /// Which coordinates the points are in
    #[arg(long, help_heading = heading::RECORDS, value_enum, default_value_t = ModelName::Poincare)]
    model: ModelName,
}

/// Runs a command on rows of numbers.
pub fn vectors(command: &VectorsCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    match command {
        VectorsCommand::Sphere(command) => sphere(command, global, printer),
        VectorsCommand::Hyperbolic(command) => hyperbolic(command, global, printer),
    }
}

fn sphere(command: &SphereCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    match command {
        SphereCommand::Mean(args) => mean(args, VectorSpace::Sphere, global, printer),
        SphereCommand::Statistics(statistic) => statistic.run(global, printer),
    }
}

fn hyperbolic(command: &HyperbolicCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    match command {
        HyperbolicCommand::Mean(args) => mean(&args.points, args.model.space(), global, printer),
        HyperbolicCommand::Statistics(statistic) => statistic.run(global, printer),
    }
}

fn mean(args: &VectorArgs, space: VectorSpace, global: &Global, printer: &Printer) -> Result<(), Failure> {
    if args.radius.is_none() && !args.common.is_plain(args.mechanism) {
        return Err(no_radius());
    }
    let request = args.common.request(args.mechanism, global, printer)?;
    let study = VectorStudy {
        file: args.file.clone(),
        space,
        centre: match &args.center {
            None => VectorCentre::Origin,
            Some(word) if word.as_os_str() == "private" => {
                VectorCentre::Private { first_radius: args.first_radius }
            }
            Some(file) => VectorCentre::File(file.clone()),
        },
        radius: args.radius,
        dim: args.dim.map(|n| n as usize),
        request,
    };
    let published = run_vectors(&study).map_err(failure)?;
    say(&published, "points", printer);
    Ok(())
}
