//! `visard shape`: landmark shapes, in the plane and in space.

use super::super::Global;
use super::super::output::{Failure, Printer};
use super::common::{Common, failure, say};
use super::masks::{OutlinesArgs, outlines};
use super::plan::{self, ShapePlanArgs};
use super::shape_assess::{ShapeAssessArgs, shape_assess};
use super::shape_choice::{ShapeChoice, choices};
use super::shape_demo::{ShapeDemoArgs, shape_demo};
use super::shape_sample::{ShapeSampleArgs, shape_sample};
use super::specimens::{SpecimenArgs, centre, shapes_help};
use super::treatment::{TableArgs, TreatmentArgs};
use crate::cli::answer::{MeanFindings, Release, places};
use crate::cli::heading;
use crate::cli::tangent::{self, Statistics};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use visard::privacy::PrivacyLoss;
use visard::study::Unusable;
use visard::study::points::{
    OutlineSmoothing, PointMechanism, PointRequest, ShapeCentre, ShapeRadius, ShapeStudy, run_shapes,
};
use visard::study::shape::{ShapeInputs, ShapeMeanSettings, run_mean};
use visard::study::tangent::{FoundMean, TangentOutcome};

/// Commands on landmark shapes.
#[derive(Debug, Subcommand)]
pub enum ShapeCommand {
    /// From a table of landmarks to a private mean shape
    Mean(Box<ShapeArgs>),
    #[command(flatten)]
    Statistics(Statistics<SpecimenArgs>),
    /// From masks of an organ to landmarks on its outline; charges nothing
    Outlines(OutlinesArgs),
    /// Synthetic shapes from released modes; free
    Sample(ShapeSampleArgs),
    /// Hold a specimen against released modes; free, for you alone, never a diagnosis
    Assess(ShapeAssessArgs),
    /// Expected error of a private mean shape; reads no data, costs nothing
    Plan(ShapePlanArgs),
    /// Make outlines of made-up people and release their private mean
    Demo(ShapeDemoArgs),
}

/// Arguments of `shape mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard shape mean outlines.tps --landmarks 60 --dimensions 2 --mu 1 --out study\n  visard shape mean outlines.tps --mechanism gaussian --radius 0.15 --center atlas.tps --mu 1 --out study\n  visard shape mean outlines.tps --mechanism kng --public-records public.txt --epsilon 1 --out study\n  visard shape mean masks/ --atlas atlas.png --mu 1 --out study\n  visard shape mean outlines.tps --mechanism gaussian --center private --landmarks 60 --radius 0.2 --mu 1 --out study"
)]
pub struct ShapeArgs {
    #[command(flatten)]
    common: Common,
    #[arg(value_name = "FILE", help = shapes_help())]
    file: PathBuf,
    /// Which private mean (default: joint, two rounds in the tangent space of a centre; for a pure ε, or with --draws, --explore, --smooth or
    /// --calibration, which are for single mechanisms in the plane: the one with the least noise, tangent-laplace or tangent-gaussian)
    #[arg(long, help_heading = heading::RELEASE, value_parser = choices())]
    mechanism: Option<ShapeChoice>,
    /// Public radius: how far shapes may lie from the centre (Riemannian distance), or "private": estimated and paid for; the default is
    /// private where records and budget are enough, within a public one (0.18; with several --public-records half as much again as theirs)
    #[arg(long, help_heading = heading::RELEASE, value_name = "F|private", allow_negative_numbers = true)]
    radius: Option<String>,
    /// Centre: a file with one public shape, or "private" (the default): estimated and paid for, no shape need be public.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "FILE|private", conflicts_with = "public_records")]
    center: Option<PathBuf>,
    /// Public records, excluded from the study: a table of shapes, or a .txt with the names of records; their mean is the centre.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "FILE")]
    public_records: Option<PathBuf>,
    /// The landmarks go around a closed outline, in order, or N of them, one after the other and as many landmarks on each: noise and smoothing are by
    /// frequency along them
    #[arg(long, help_heading = heading::RECORDS, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    outline: Option<u32>,
    /// A 95 % confidence band for the population's mean (joint only)
    #[arg(long, help_heading = heading::RELEASE)]
    band: bool,
    /// Coordinates of a landmark, 2 or 3, a public number: needed where --landmarks is, for landmarks in space
    #[arg(long, help_heading = heading::RECORDS, value_name = "D", value_parser = clap::value_parser!(u8).range(2..=3))]
    dimensions: Option<u8>,
    /// Landmarks of a shape, a public number: needed for TPS and for tables whose heading does not give it, unless a centre or records are
    /// public; with --unusable refuse all records have to agree
    #[arg(long, help_heading = heading::RECORDS, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    landmarks: Option<u32>,
    /// Records with missing landmarks cannot be used (otherwise they are estimated from a public centre, where there is one)
    #[arg(long, help_heading = heading::RECORDS)]
    drop_missing: bool,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    treatment: TreatmentArgs,
    /// Pairs of landmarks left,right (from 1): the mean is published in its symmetric and its asymmetric part too, at no further cost.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "FILE")]
    pairs: Option<PathBuf>,
    /// Smoothing of the release along a closed outline (free)
    #[arg(long, help_heading = heading::RELEASE, value_enum, default_value_t = OutlineSmoothing::None)]
    smooth: OutlineSmoothing,
}

/// Runs a shape command.
pub fn shape(command: &ShapeCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    match command {
        ShapeCommand::Mean(args) => mean(args, global, printer),
        ShapeCommand::Statistics(statistic) => statistic.run(global, printer),
        ShapeCommand::Outlines(args) => outlines(args, global, printer),
        ShapeCommand::Sample(args) => shape_sample(args, global, printer),
        ShapeCommand::Assess(args) => shape_assess(args, global, printer),
        ShapeCommand::Plan(args) => plan::shape(args, printer),
        ShapeCommand::Demo(args) => shape_demo(args, global, printer),
    }
}

impl ShapeArgs {
    fn centre(&self) -> ShapeCentre {
        centre(self.center.as_ref(), self.public_records.as_ref(), self.table.atlas())
    }

    /// What is done with shapes that cannot be used.
    fn unusable(&self) -> Unusable {
        let public = !matches!(self.centre(), ShapeCentre::Private);
        self.common.unusable_shapes(&self.file, self.landmarks.is_some() || public)
    }
}

/// A public radius, or the word "private" (`None`).
fn radius(text: &str) -> Result<Option<f64>, Failure> {
    match text {
        "private" => Ok(None),
        text => text
            .parse()
            .map(Some)
            .map_err(|_| Failure::usage(format!("--radius {text:?} is neither a number nor \"private\""))),
    }
}

fn mean(args: &ShapeArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let pure = args.mechanism.is_none() && matches!(args.common.budget().loss()?, PrivacyLoss::Pure(_));
    let single = pure || args.common.wants_single() || args.smooth != OutlineSmoothing::None;
    match args.mechanism {
        None if single => single_mean(args, None, global, printer),
        Some(ShapeChoice::Single(mechanism)) => single_mean(args, Some(mechanism), global, printer),
        None => joint_mean(args, global, printer),
        Some(ShapeChoice::Joint) if single => Err(Failure::usage(
            "--draws, --explore, --smooth and --calibration are for single mechanisms, not for --mechanism joint",
        )
        .with_hint("give --mechanism gaussian; for outlines, joint has --outline in place of --smooth")),
        Some(ShapeChoice::Joint) => joint_mean(args, global, printer),
    }
}

fn joint_mean(args: &ShapeArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let given = args.radius.as_deref().map(radius).transpose()?;
    let table = args.table.options();
    let inputs = ShapeInputs {
        centre: args.centre(),
        radius: given.flatten(),
        outlines: table.outlines(&args.file, args.outline.map(|n| n as usize)),
        table,
        landmarks: args.landmarks.map(|k| k as usize),
        dimensions: args.dimensions.map(usize::from),
        drop_missing: args.drop_missing,
        unusable: args.unusable(),
        counting: args.common.counting(),
        treatment: args.treatment.treatment(args.pairs.as_ref()),
        ..ShapeInputs::new(&args.file, args.common.place(global)?)
    };
    let private_radius = matches!(given, Some(None));
    let settings =
        ShapeMeanSettings { inputs, budget: args.common.budget().mu()?, band: args.band, private_radius };
    let outcome = run_mean(&settings).map_err(failure)?;
    told(&outcome, printer);
    Ok(())
}

fn told(outcome: &TangentOutcome<FoundMean>, printer: &Printer) {
    let TangentOutcome { folder, certificate, found, .. } = outcome;
    tangent::note(outcome, printer);
    printer.result(
        Release::of(folder, certificate, MeanFindings { accuracy: found.accuracy }),
        format!(
            "{} of {}, {}\n  {}\n{}",
            if certificate.private { "private mean" } else { "mean (NOT PRIVATE)" },
            tangent::counted(outcome),
            certificate.loss,
            found.sentence,
            places(folder, certificate)
        ),
    );
}

fn single_mean(
    args: &ShapeArgs,
    mechanism: Option<PointMechanism>,
    global: &Global,
    printer: &Printer,
) -> Result<(), Failure> {
    if args.outline.is_some() || args.band {
        return Err(Failure::usage("--outline and --band are for --mechanism joint, the default")
            .with_hint("leave the mechanism out, or smooth its release with --smooth"));
    }
    let radius = match args.radius.as_deref().map(radius).transpose()? {
        Some(None) => ShapeRadius::Private,
        Some(Some(radius)) => ShapeRadius::Public(radius),
        None if args.public_records.is_some() => ShapeRadius::FromPublicRecords,
        None => ShapeRadius::Default,
    };
    if args.smooth == OutlineSmoothing::Shrink
        && args.common.mechanism(mechanism)? != PointMechanism::TangentGaussian
    {
        return Err(Failure::usage(
            "--smooth shrink needs Gaussian noise of known scale: --mechanism gaussian",
        )
        .with_hint("--smooth local-linear goes with every mechanism"));
    }
    let centre = args.centre();
    let request =
        PointRequest { unusable: args.unusable(), ..args.common.request(mechanism, global, printer)? };
    let study = ShapeStudy {
        landmarks: args.landmarks.map(|k| k as usize),
        dimensions: args.dimensions.map(usize::from),
        table: args.table.options(),
        drop_missing: args.drop_missing,
        treatment: args.treatment.treatment(args.pairs.as_ref()),
        smoothing: args.smooth,
        ..ShapeStudy::new(&args.file, centre, radius, request)
    };
    let published = run_shapes(&study).map_err(failure)?;
    say(&published, "shapes", printer);
    Ok(())
}
