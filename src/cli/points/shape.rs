//! `visard shape`: private means of planar landmark shapes.

use super::super::Global;
use super::super::output::{Failure, Printer};
use super::shape_demo::{ShapeDemoArgs, shape_demo};
use super::{Common, failure, say};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use visard::study::points::shape::{Centre, Radius, ShapeStudy, run as run_shape};
use visard::study::points::{PointMechanism, Smoothing, StandardPages};

/// Commands on planar landmark shapes.
#[derive(Debug, Subcommand)]
pub enum ShapeCommand {
    /// From a table of landmarks to a private mean shape
    Mean(ShapeArgs),
    /// Make outlines of made-up people and release their private mean
    Demo(ShapeDemoArgs),
}

/// Arguments of `shape mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard shape mean outlines.tps --mechanism gaussian --radius 0.15 --center atlas.tps --mu 1 --out study\n  visard shape mean outlines.tps --mechanism kng --public-records public.txt --epsilon 1 --out study\n  visard shape mean outlines.tps --mechanism gaussian --center private --radius 0.2 --mu 1 --out study"
)]
pub struct ShapeArgs {
    /// Landmarks: .tps, .csv or .npy
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Which private mean
    #[arg(long, value_enum)]
    mechanism: ShapeMechanism,
    /// Public radius of the ball that bounds the shapes (Riemannian distance, below π/8), or "private": estimated and paid for;
    /// with --public-records the default is half as much again as theirs
    #[arg(long, value_name = "F|private", allow_negative_numbers = true)]
    radius: Option<String>,
    /// Centre: a file with one public shape, or "private": estimated and paid for, no shape need be public
    #[arg(long, value_name = "FILE|private", conflicts_with = "public_records", required_unless_present_any = ["public_records", "help"])]
    center: Option<PathBuf>,
    /// Public records, excluded from the study: a table of shapes, or a .txt with the names of records; their mean is the centre
    #[arg(long, value_name = "FILE")]
    public_records: Option<PathBuf>,
    /// Records with missing landmarks count as the centre instead of stopping the study
    #[arg(long)]
    drop_missing: bool,
    /// Smoothing of the release along a closed outline (free)
    #[arg(long, value_enum, default_value_t = SmoothingName::None)]
    smooth: SmoothingName,
    #[command(flatten)]
    common: Common,
}

/// Mechanisms for shapes.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ShapeMechanism {
    /// K-norm gradient: pure ε
    Kng,
    /// Riemannian Laplace: pure ε
    Laplace,
    /// Gaussian in the tangent space at the centre: the least noise
    Gaussian,
    /// Riemannian Gaussian with exact accounting
    RiemannianGaussian,
    /// Laplace noise on every coordinate, shapes aligned (a baseline)
    Pointwise,
    /// The same without alignment (a baseline)
    PointwiseUnaligned,
    /// The mean without noise, under internal/ only
    None,
}

/// Smoothing of released outlines.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum SmoothingName {
    /// Landmarks are landmarks
    None,
    /// Wiener shrinkage along the outline (with the gaussian mechanism)
    Shrink,
    /// Local linear regression along the outline
    LocalLinear,
}

/// Runs a shape command.
pub fn shape(command: &ShapeCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    match command {
        ShapeCommand::Mean(args) => mean(args, global, printer),
        ShapeCommand::Demo(args) => shape_demo(args, global, printer),
    }
}

fn mean(args: &ShapeArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let mechanism = match args.mechanism {
        ShapeMechanism::Kng => PointMechanism::Kng,
        ShapeMechanism::Laplace => PointMechanism::Laplace,
        ShapeMechanism::Gaussian => PointMechanism::TangentGaussian,
        ShapeMechanism::RiemannianGaussian => PointMechanism::RiemannianGaussian,
        ShapeMechanism::Pointwise => PointMechanism::Pointwise,
        ShapeMechanism::PointwiseUnaligned => PointMechanism::PointwiseUnaligned,
        ShapeMechanism::None => PointMechanism::None,
    };
    let radius =
        match args.radius.as_deref() {
            Some("private") => Radius::Private,
            Some(text) => Radius::Public(text.parse().map_err(|_| {
                Failure::usage(format!("--radius {text:?} is neither a number nor \"private\""))
            })?),
            None if args.public_records.is_some() => Radius::FromPublicRecords,
            None => {
                return Err(Failure::usage(
                    "give --radius F (public), or --radius private, or --public-records FILE",
                ));
            }
        };
    let smoothing = match args.smooth {
        SmoothingName::None => Smoothing::None,
        SmoothingName::Shrink if !matches!(args.mechanism, ShapeMechanism::Gaussian) => {
            return Err(Failure::usage(
                "--smooth shrink needs Gaussian noise of known scale: --mechanism gaussian",
            )
            .with_hint("--smooth local-linear goes with every mechanism"));
        }
        SmoothingName::Shrink => Smoothing::Shrink,
        SmoothingName::LocalLinear => Smoothing::LocalLinear,
    };
    let centre = match (&args.center, &args.public_records) {
        (Some(word), _) if word.as_os_str() == "private" => Centre::Private,
        (Some(file), _) => Centre::File(file.clone()),
        (None, Some(file)) => Centre::PublicRecords(file.clone()),
        (None, None) => return Err(Failure::usage("give --center FILE or --public-records FILE")),
    };
    let study = ShapeStudy {
        file: args.file.clone(),
        centre,
        radius,
        drop_missing: args.drop_missing,
        smoothing,
        request: args.common.request(mechanism, global)?,
    };
    let published = run_shape(&study, &StandardPages).map_err(failure)?;
    say(&published, "shapes", printer);
    Ok(())
}
