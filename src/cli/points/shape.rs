//! `visard shape`: private means of planar landmark shapes.

use super::super::Global;
use super::super::output::{Failure, Printer};
use super::common::{Common, among, failure, say};
use super::plan::{self, ShapePlanArgs};
use super::shape_demo::{ShapeDemoArgs, shape_demo};
use crate::cli::of_kind;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use visard::io::Content;
use visard::study::points::{
    OutlineSmoothing, PointMechanism, ShapeCentre, ShapeRadius, ShapeStudy, Sliding, Treatment, run_shapes,
};

/// Commands on planar landmark shapes.
#[derive(Debug, Subcommand)]
pub enum ShapeCommand {
    /// From a table of landmarks to a private mean shape
    Mean(Box<ShapeArgs>),
    /// What error to expect of a private mean shape; reads nothing, costs nothing
    Plan(ShapePlanArgs),
    /// Make outlines of made-up people and release their private mean
    Demo(ShapeDemoArgs),
}

/// Arguments of `shape mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard shape mean outlines.tps --mu 1 --out study\n  visard shape mean outlines.tps --mechanism gaussian --radius 0.15 --center atlas.tps --mu 1 --out study\n  visard shape mean outlines.tps --mechanism kng --public-records public.txt --epsilon 1 --out study\n  visard shape mean outlines.tps --mechanism gaussian --center private --landmarks 60 --radius 0.2 --mu 1 --out study"
)]
pub struct ShapeArgs {
    #[arg(value_name = "FILE", help = of_kind("Shapes by their landmarks", Content::Shapes))]
    file: PathBuf,
    /// Which private mean (default: the least noise at the budget, tangent-laplace for a pure ε and tangent-gaussian otherwise)
    #[arg(long, value_parser = among(PointMechanism::OF_SHAPES))]
    mechanism: Option<PointMechanism>,
    /// Public radius of the ball that bounds the shapes (Riemannian distance, below π/8), or "private": estimated and paid for;
    /// with --public-records the default is half as much again as theirs, otherwise it is private where the records and the budget are
    /// enough, and 0.6 of the largest public radius where they are not
    #[arg(long, value_name = "F|private", allow_negative_numbers = true)]
    radius: Option<String>,
    /// Centre: a file with one public shape, or "private" (the default): estimated and paid for, no shape need be public
    #[arg(long, value_name = "FILE|private", conflicts_with = "public_records")]
    center: Option<PathBuf>,
    /// Public records, excluded from the study: a table of shapes, or a .txt with the names of records; their mean is the centre
    #[arg(long, value_name = "FILE")]
    public_records: Option<PathBuf>,
    /// Landmarks of a shape, a public number: needed with --drop-missing or --drop-unusable for TPS and for tables whose heading does not
    /// tell, unless a centre or records are public; otherwise all records have to agree
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    landmarks: Option<u32>,
    /// Records with missing landmarks count as the centre (otherwise they are estimated from a public centre, and without one stop the study)
    #[arg(long)]
    drop_missing: bool,
    /// A number that stands for a missing landmark, beside NA and nothing; may be given several times
    #[arg(long, value_name = "CODE", allow_negative_numbers = true)]
    missing: Vec<f64>,
    /// Semilandmarks slide along their curves towards the public centre's shape: a table before,slide,after (landmarks from 1, as geomorph
    /// writes it), or "curves": all inner points of the curves (CURVES=) in the centre's file
    #[arg(long, value_name = "FILE|curves")]
    sliders: Option<PathBuf>,
    /// Pairs of landmarks left,right (from 1): the mean is published in its symmetric and its asymmetric part too, at no further cost
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
    /// Pairs of landmarks (from 1) that pictures join by lines
    #[arg(long, value_name = "FILE")]
    links: Option<PathBuf>,
    /// Reflect records that lie nearer to the mirror image of the public centre
    #[arg(long)]
    unmirror: bool,
    /// Smoothing of the release along a closed outline (free)
    #[arg(long, value_enum, default_value_t = OutlineSmoothing::None)]
    smooth: OutlineSmoothing,
    #[command(flatten)]
    common: Common,
}

/// Runs a shape command.
pub fn shape(command: &ShapeCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    match command {
        ShapeCommand::Mean(args) => mean(args, global, printer),
        ShapeCommand::Plan(args) => plan::shape(args, printer),
        ShapeCommand::Demo(args) => shape_demo(args, global, printer),
    }
}

impl ShapeArgs {
    fn treatment(&self) -> Treatment {
        let sliding = match &self.sliders {
            None => Sliding::None,
            Some(word) if word.as_os_str() == "curves" => Sliding::Curves,
            Some(file) => Sliding::File(file.clone()),
        };
        Treatment {
            missing: self.missing.clone(),
            sliding,
            unmirror: self.unmirror,
            pairs: self.pairs.clone(),
            links: self.links.clone(),
        }
    }
}

fn mean(args: &ShapeArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let radius =
        match args.radius.as_deref() {
            Some("private") => ShapeRadius::Private,
            Some(text) => ShapeRadius::Public(text.parse().map_err(|_| {
                Failure::usage(format!("--radius {text:?} is neither a number nor \"private\""))
            })?),
            None if args.public_records.is_some() => ShapeRadius::FromPublicRecords,
            None => ShapeRadius::Default,
        };
    if args.smooth == OutlineSmoothing::Shrink
        && args.common.mechanism(args.mechanism)? != PointMechanism::TangentGaussian
    {
        return Err(Failure::usage(
            "--smooth shrink needs Gaussian noise of known scale: --mechanism gaussian",
        )
        .with_hint("--smooth local-linear goes with every mechanism"));
    }
    let centre = match (&args.center, &args.public_records) {
        (Some(word), _) if word.as_os_str() == "private" => ShapeCentre::Private,
        (Some(file), _) => ShapeCentre::File(file.clone()),
        (None, Some(file)) => ShapeCentre::PublicRecords(file.clone()),
        (None, None) => ShapeCentre::Private,
    };
    let request = args.common.request(args.mechanism, global)?;
    let study = ShapeStudy {
        landmarks: args.landmarks.map(|k| k as usize),
        drop_missing: args.drop_missing,
        treatment: args.treatment(),
        smoothing: args.smooth,
        ..ShapeStudy::new(&args.file, centre, radius, request)
    };
    let published = run_shapes(&study).map_err(failure)?;
    say(&published, "shapes", printer);
    Ok(())
}
