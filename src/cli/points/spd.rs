//! `visard spd`: covariance descriptors of images, private means of positive definite matrices.

use super::super::Global;
use super::super::output::{Failure, Printer};
use super::common::{Common, among, failure, no_radius, say};
use super::plan::{self, SpdPlanArgs};
use super::records::{MatrixArgs, ball, centre};
use super::spd_assess::{SpdAssessArgs, spd_assess};
use crate::cli::answer::shown;
use crate::cli::tangent::Statistics;
use crate::cli::{heading, of_kind};
use clap::{Args, Subcommand};
use nalgebra::DMatrix;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::io::{Content, read_images};
use visard::study::points::spd::descriptors;
use visard::study::points::{PointMechanism, SpdCentre, SpdMetric, SpdStudy, run_spd};

/// Commands on positive definite matrices.
#[derive(Debug, Subcommand)]
pub enum SpdCommand {
    /// Covariance descriptors of images
    Describe(DescribeArgs),
    /// From matrices to a private mean
    Mean(Box<SpdArgs>),
    #[command(flatten)]
    Statistics(Statistics<MatrixArgs>),
    /// Expected error of a private mean of matrices; reads no data, costs nothing
    Plan(SpdPlanArgs),
    /// A matrix held against a released norm; costs nothing, never a diagnosis
    Assess(SpdAssessArgs),
}

/// Arguments of `spd describe`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  visard spd describe images.npy --out descriptors.npy")]
pub struct DescribeArgs {
    /// Images: .npy of shape (n, h, w) or (n, h, w, 3), or a folder of .png
    #[arg(value_name = "IMAGES")]
    images: PathBuf,
    /// The descriptors, (n, 9, 9) for grey images, (n, 11, 11) for colour
    #[arg(long, value_name = "FILE.npy")]
    out: PathBuf,
    /// The value of white in an .npy of images
    #[arg(long, value_name = "F", default_value_t = 255.0)]
    white: f64,
}

/// Arguments of `spd mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard spd mean tensors.npy --radius 3 --epsilon 1 --delta 1e-6 --out study\n  visard spd mean descriptors.npy --mechanism laplace --radius descriptor --epsilon 1 --out study"
)]
pub struct SpdArgs {
    #[command(flatten)]
    common: Common,
    #[arg(value_name = "FILE.npy", help = format!("{} of shape (n, k, k)", of_kind("Matrices", Content::Matrices)))]
    file: PathBuf,
    /// The metric of the mean
    #[arg(long, help_heading = heading::RELEASE, value_enum, default_value_t = SpdMetric::LogEuclidean)]
    metric: SpdMetric,
    /// Which private mean (default: the least noise at the budget, tangent-laplace for a pure ε, two-rounds for log-Euclidean matrices about a
    /// public centre and tangent-gaussian otherwise)
    #[arg(long, help_heading = heading::RELEASE, value_parser = among(PointMechanism::OF_POINTS))]
    mechanism: Option<PointMechanism>,
    /// Public radius of the ball that bounds the records, or "descriptor": the ball of all covariance descriptors; --mechanism none needs none
    #[arg(long, help_heading = heading::RELEASE, value_name = "F|descriptor", allow_negative_numbers = true)]
    radius: Option<String>,
    /// Centre: a file with one public matrix, "identity", or "private": estimated within --first-radius and paid for.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "FILE|identity|private", default_value = "identity")]
    center: String,
    /// With --center private: public radius about the identity that holds the centre, or "descriptor"
    #[arg(long, help_heading = heading::RELEASE, value_name = "F|descriptor", allow_negative_numbers = true)]
    first_radius: Option<String>,
}

/// Runs a command on matrices.
pub fn spd(command: &SpdCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let args = match command {
        SpdCommand::Describe(args) => return describe(args, global, printer),
        SpdCommand::Mean(args) => args,
        SpdCommand::Statistics(statistic) => return statistic.run(global, printer),
        SpdCommand::Assess(args) => return spd_assess(args, global, printer),
        SpdCommand::Plan(args) => return plan::spd(args, printer),
    };
    let (about, radius) = match &args.radius {
        Some(text) => ball("--radius", text, &args.file).map(|(about, radius)| (about, Some(radius)))?,
        None if args.common.is_plain(args.mechanism) => (None, None),
        None => return Err(no_radius()),
    };
    let centre = centre(&args.center, about, args.first_radius.as_deref(), &args.file)?;
    let public = !matches!(centre, SpdCentre::Private { .. });
    let usual = || {
        args.common
            .budget()
            .loss()
            .ok()
            .map(|loss| PointMechanism::best_for_matrices(args.metric, public, loss))
    };
    let request = args.common.request(args.mechanism.or_else(usual), global, printer)?;
    let study = SpdStudy { file: args.file.clone(), metric: args.metric, centre, radius, request };
    let published = run_spd(&study).map_err(failure)?;
    say(&published, "matrices", printer);
    Ok(())
}

/// Covariance descriptors of images.
#[derive(Serialize, JsonSchema)]
pub struct Descriptors {
    /// The array of matrices.
    out: String,
    /// How many.
    n: usize,
    /// Each is order × order.
    order: usize,
}

fn describe(args: &DescribeArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    if args.out.exists() && !global.force {
        return Err(Failure::failed(format!("{} exists", args.out.display()))
            .with_hint("choose another --out, or --force to replace it"));
    }
    if !(args.white > 0.0 && args.white.is_finite()) {
        return Err(Failure::usage("--white must be a positive number"));
    }
    let images = read_images(&args.images, args.white).map_err(Failure::failed)?;
    let descriptors = descriptors(&images).map_err(Failure::failed)?;
    let order = descriptors.first().map_or(0, DMatrix::nrows);
    let data: Vec<f64> = descriptors.iter().flat_map(|m| m.iter().copied()).collect();
    visard::io::write_npy(&args.out, &[descriptors.len(), order, order], &data).map_err(Failure::failed)?;
    printer.result(
        Descriptors { out: shown(&args.out), n: descriptors.len(), order },
        format!("{} descriptors of order {order}: {}", descriptors.len(), args.out.display()),
    );
    Ok(())
}
