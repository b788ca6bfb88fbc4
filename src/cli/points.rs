//! `visard shape`, `spd`, `sphere`, `hyperbolic`: private means of points on manifolds.

use super::Global;
use super::output::{Failure, Printer};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use std::path::PathBuf;
use visard::privacy::{Calibration, Mu, PrivacyLoss};
use visard::study::FolderError;
use visard::study::points::shape::{Centre, Radius, ShapeStudy, run as run_shape};
use visard::study::points::spd::{Images, descriptor_ball};
use visard::study::points::{
    PointMechanism, PointRequest, PointStudyError, Published, Smoothing, SpdCentre, SpdMetric, SpdStudy,
    VectorSpace, VectorStudy, run_spd, run_vectors,
};

/// Options of every private mean of points.
#[derive(Debug, Args)]
pub struct Common {
    /// Budget in Gaussian differential privacy
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    mu: Option<f64>,
    /// Budget ε; pure unless --delta is given
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// δ of (ε, δ)-differential privacy
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    delta: Option<f64>,
    /// How Gaussian noise is calibrated to (ε, δ)
    #[arg(long, value_enum, default_value_t = CalibrationName::Analytic)]
    calibration: CalibrationName,
    /// The study's folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Independent draws, each charged
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    draws: u32,
    /// Refuse releases beyond this total mu of the study's ledger, now and in later runs
    #[arg(long, value_name = "F")]
    ceiling_mu: Option<f64>,
}

/// How Gaussian noise is calibrated to (ε, δ).
#[derive(Debug, Clone, Copy, ValueEnum)]
enum CalibrationName {
    /// The smallest noise that will do
    Analytic,
    /// The textbook formula, for ε < 1
    Classical,
}

impl Common {
    fn request(&self, mechanism: PointMechanism, global: &Global) -> Result<PointRequest, Failure> {
        let nothing = self.mu.is_none() && self.epsilon.is_none() && self.delta.is_none();
        let budget = match (mechanism, nothing) {
            (PointMechanism::None, true) => None,
            (PointMechanism::None, false) => {
                return Err(Failure::usage("--mechanism none takes no budget: nothing private is released"));
            }
            _ => Some(PrivacyLoss::requested(self.mu, self.epsilon, self.delta).map_err(|e| {
                Failure::usage(e).with_hint("give --mu F, or --epsilon F, or --epsilon F with --delta F")
            })?),
        };
        let calibration = match self.calibration {
            CalibrationName::Analytic => Calibration::Analytic,
            CalibrationName::Classical => Calibration::Classical,
        };
        Ok(PointRequest {
            out: self.out.clone(),
            mechanism,
            budget,
            calibration,
            draws: self.draws,
            seed: global.seed,
            ceiling: self.ceiling_mu.map(Mu::new).transpose().map_err(Failure::usage)?,
            replace: global.force,
            public_inputs: Vec::new(),
            paid_before: Vec::new(),
        })
    }
}

/// Commands on planar landmark shapes.
#[derive(Debug, Subcommand)]
pub enum ShapeCommand {
    /// From a table of landmarks to a private mean shape
    Mean(ShapeArgs),
}

/// Arguments of `shape mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard shape mean outlines.tps --mechanism gaussian --radius 0.15 --center atlas.tps --mu 1 --out study\n  visard shape mean outlines.tps --mechanism kng --public-records public.txt --epsilon 1 --out study"
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
    /// Public centre: a file with one shape
    #[arg(long, value_name = "FILE", conflicts_with = "public_records", required_unless_present_any = ["public_records", "help"])]
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

/// Commands on positive definite matrices.
#[derive(Debug, Subcommand)]
pub enum SpdCommand {
    /// Covariance descriptors of images
    Describe(DescribeArgs),
    /// From matrices to a private mean
    Mean(SpdArgs),
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
    after_help = "Examples:\n  visard spd mean tensors.npy --mechanism tangent-gaussian --radius 3 --epsilon 1 --delta 1e-6 --out study\n  visard spd mean descriptors.npy --mechanism laplace --radius descriptor --epsilon 1 --out study"
)]
pub struct SpdArgs {
    /// Matrices: .npy of shape (n, k, k)
    #[arg(value_name = "FILE.npy")]
    file: PathBuf,
    /// The metric of the mean
    #[arg(long, value_enum, default_value_t = MetricName::LogEuclidean)]
    metric: MetricName,
    /// Which private mean
    #[arg(long, value_enum)]
    mechanism: PlainMechanism,
    /// Public radius of the ball that bounds the records, or "descriptor": the ball of all covariance descriptors
    #[arg(long, value_name = "F|descriptor", allow_negative_numbers = true)]
    radius: String,
    /// Public centre: a file with one matrix, or "identity"
    #[arg(long, value_name = "FILE|identity", default_value = "identity")]
    center: String,
    #[command(flatten)]
    common: Common,
}

/// Metrics on positive definite matrices.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum MetricName {
    /// Flat in the logarithm
    LogEuclidean,
    /// Invariant under congruence
    AffineInvariant,
}

/// Mechanisms for matrices, directions and hyperbolic points.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum PlainMechanism {
    /// Gaussian in the tangent space at the centre
    #[value(alias = "gaussian")]
    TangentGaussian,
    /// Riemannian Gaussian with exact accounting
    RiemannianGaussian,
    /// Riemannian Laplace: pure ε
    Laplace,
    /// K-norm gradient: pure ε
    Kng,
    /// Noise in the surrounding space (a baseline)
    Extrinsic,
    /// The mean without noise, under internal/ only
    None,
}

impl From<PlainMechanism> for PointMechanism {
    fn from(name: PlainMechanism) -> Self {
        match name {
            PlainMechanism::TangentGaussian => Self::TangentGaussian,
            PlainMechanism::RiemannianGaussian => Self::RiemannianGaussian,
            PlainMechanism::Laplace => Self::Laplace,
            PlainMechanism::Kng => Self::Kng,
            PlainMechanism::Extrinsic => Self::Extrinsic,
            PlainMechanism::None => Self::None,
        }
    }
}

/// Commands on directions.
#[derive(Debug, Subcommand)]
pub enum SphereCommand {
    /// From directions to a private mean direction
    Mean(VectorArgs),
}

/// Commands on points of hyperbolic space.
#[derive(Debug, Subcommand)]
pub enum HyperbolicCommand {
    /// From points of hyperbolic space to a private mean
    Mean(HyperbolicArgs),
}

/// Arguments of `sphere mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard sphere mean cities.csv --mechanism kng --radius 0.7 --center greenwich.csv --epsilon 1 --out study"
)]
pub struct VectorArgs {
    /// Points: .npy of shape (n, d), or .csv (latitude and longitude in degrees are understood)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Which private mean
    #[arg(long, value_enum)]
    mechanism: PlainMechanism,
    /// Public radius of the ball that bounds the records
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    radius: f64,
    /// Public centre: a file with one row
    #[arg(long, value_name = "FILE")]
    center: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

/// Arguments of `hyperbolic mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard hyperbolic mean embedding.npy --mechanism laplace --radius 2 --epsilon 1 --out study"
)]
pub struct HyperbolicArgs {
    /// Which coordinates the points are in
    #[arg(long, value_enum, default_value_t = ModelName::Poincare)]
    model: ModelName,
    #[command(flatten)]
    points: VectorArgs,
}

/// Models of hyperbolic space.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ModelName {
    /// The unit ball; the default centre is its origin
    Poincare,
    /// The hyperboloid in Minkowski space, time first
    Lorentz,
}

/// Runs a shape command.
pub fn shape(command: &ShapeCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let ShapeCommand::Mean(args) = command;
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
    let published = run_shape(&study, &visard::study::points::shape_page).map_err(failure)?;
    say(&published, "shapes", printer);
    Ok(())
}

/// Runs a command on matrices.
pub fn spd(command: &SpdCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let args = match command {
        SpdCommand::Describe(args) => return describe(args, global, printer),
        SpdCommand::Mean(args) => args,
    };
    let metric = match args.metric {
        MetricName::LogEuclidean => SpdMetric::LogEuclidean,
        MetricName::AffineInvariant => SpdMetric::AffineInvariant,
    };
    let mut centre = match args.center.as_str() {
        "identity" => SpdCentre::Identity,
        file => SpdCentre::File(file.into()),
    };
    let radius = if args.radius == "descriptor" {
        let order = visard::io::npy::read(&args.file).map_err(Failure::failed)?.shape.last().copied();
        let (known, radius) = order.and_then(descriptor_ball).ok_or_else(|| {
            Failure::usage(
                "--radius descriptor is for covariance descriptors: 9 × 9 (grey) or 11 × 11 (colour)",
            )
        })?;
        centre = SpdCentre::Known(known);
        radius
    } else {
        args.radius.parse().map_err(|_| {
            Failure::usage(format!("--radius {:?} is neither a number nor \"descriptor\"", args.radius))
        })?
    };
    let request = args.common.request(args.mechanism.into(), global)?;
    let study = SpdStudy { file: args.file.clone(), metric, centre, radius, request };
    let published = run_spd(&study).map_err(failure)?;
    say(&published, "matrices", printer);
    Ok(())
}

fn describe(args: &DescribeArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    if args.out.exists() && !global.force {
        return Err(Failure::failed(format!("{} exists", args.out.display()))
            .with_hint("choose another --out, or --force to replace it"));
    }
    if !(args.white > 0.0 && args.white.is_finite()) {
        return Err(Failure::usage("--white must be a positive number"));
    }
    let images = if args.images.is_dir() {
        Images::read_folder(&args.images)
    } else {
        Images::read_npy(&args.images, args.white)
    }
    .map_err(failure)?;
    let descriptors = images.descriptors();
    let order = descriptors.first().map_or(0, nalgebra::DMatrix::nrows);
    let data: Vec<f64> = descriptors.iter().flat_map(|m| m.iter().copied()).collect();
    visard::io::write_npy(&args.out, &[descriptors.len(), order, order], &data).map_err(Failure::failed)?;
    printer.result(
        json!({"out": args.out, "n": descriptors.len(), "order": order}),
        format!("{} descriptors of order {order}: {}", descriptors.len(), args.out.display()),
    );
    Ok(())
}

/// Runs a sphere command.
pub fn sphere(command: &SphereCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let SphereCommand::Mean(args) = command;
    vectors(args, VectorSpace::Sphere, global, printer)
}

/// Runs a hyperbolic command.
pub fn hyperbolic(command: &HyperbolicCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let HyperbolicCommand::Mean(args) = command;
    let space = match args.model {
        ModelName::Poincare => VectorSpace::Poincare,
        ModelName::Lorentz => VectorSpace::Lorentz,
    };
    vectors(&args.points, space, global, printer)
}

fn vectors(args: &VectorArgs, space: VectorSpace, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let request = args.common.request(args.mechanism.into(), global)?;
    let study = VectorStudy {
        file: args.file.clone(),
        space,
        centre: args.center.clone(),
        radius: args.radius,
        request,
    };
    let published = run_vectors(&study).map_err(failure)?;
    say(&published, "points", printer);
    Ok(())
}

/// Errors of a study as exit codes and advice.
fn failure(error: PointStudyError) -> Failure {
    match &error {
        PointStudyError::Budget(_) | PointStudyError::NeedsDelta | PointStudyError::NotHere { .. } => {
            Failure::usage(&error)
        }
        PointStudyError::Folder(FolderError::HasRelease(_)) => Failure::failed(&error)
            .with_hint("choose another --out, or --force to replace it (the ledger keeps every charge)"),
        PointStudyError::Record { .. } | PointStudyError::Input(_) | PointStudyError::Read(_) => {
            Failure::failed(&error).with_hint("nothing was charged")
        }
        _ => Failure::failed(&error),
    }
}

fn say(published: &Published, what: &str, printer: &Printer) {
    let (root, release) = (published.folder.root(), published.folder.release());
    let internal = published.folder.internal();
    if published.outside != (0, 0) {
        eprintln!(
            "note (do not publish): {} records lay outside the public ball and were brought to its rim, {} count as its \
             centre",
            published.outside.0, published.outside.1
        );
    }
    match &published.certificate {
        None => printer.result(
            json!({"out": root, "internal": internal, "n": published.n, "released": false}),
            format!("non-private mean of {} {what}: {}", published.n, internal.display()),
        ),
        Some(certificate) => printer.result(
            json!({
                "out": root,
                "release": release,
                "n": published.n,
                "mechanism": certificate.mechanism,
                "loss": certificate.loss,
                "private": certificate.private,
            }),
            format!(
                "{} of {} {what}, {}, {}\n  publish:     {}\n  look first:  {}\n  keep secret: {}",
                if certificate.private { "private mean" } else { "mean (NOT PRIVATE)" },
                published.n,
                certificate.mechanism,
                certificate.loss,
                release.display(),
                release.join("report.html").display(),
                internal.display()
            ),
        ),
    }
}
