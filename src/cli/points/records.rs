//! Matrices, directions and hyperbolic points, for statistics in the tangent space at a centre.

use crate::cli::budget::{BudgetArgs, CountingArgs, PlaceArgs, UnusableArgs};
use crate::cli::output::Failure;
use crate::cli::tangent::{KindArgs, RegressArgs};
use crate::cli::{Global, heading, of_kind};
use clap::{Args, ValueEnum};
use nalgebra::DMatrix;
use std::path::{Path, PathBuf};
use visard::io::{Content, read_matrices};
use visard::study::Place;
use visard::study::points::spd::descriptor_ball;
use visard::study::points::{SpdCentre, SpdMetric, VectorCentre, VectorSpace};
use visard::study::tangent::{TangentInputs, TangentMatrices, TangentVectors};

pub(super) fn points_help() -> String {
    let kind = of_kind("Points, a row for each", Content::Rows);
    format!("{kind}; in tables latitude and longitude in degrees are understood")
}

/// Models of hyperbolic space.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ModelName {
    /// The unit ball; the default centre is its origin
    Poincare,
    /// The hyperboloid in Minkowski space, time first
    Lorentz,
}

impl ModelName {
    pub(super) fn space(self) -> VectorSpace {
        match self {
            Self::Poincare => VectorSpace::Poincare,
            Self::Lorentz => VectorSpace::Lorentz,
        }
    }
}

/// The centre by what was given; `about`: where a radius that is known without data tells it.
pub(super) fn centre(
    center: &str,
    about: Option<DMatrix<f64>>,
    first_radius: Option<&str>,
    file: &Path,
) -> Result<SpdCentre, Failure> {
    Ok(match (center, about) {
        ("private", _) => {
            let first = first_radius.map(|text| ball("--first-radius", text, file));
            let (about, first_radius) = match first.transpose()? {
                Some((about, radius)) => (about, Some(radius)),
                None => (None, None),
            };
            SpdCentre::Private { about, first_radius }
        }
        ("identity", Some(known)) => SpdCentre::Known(known),
        (_, Some(_)) => {
            let message = "--radius descriptor is a ball about a centre of its own: leave out --center, or give a number as radius";
            return Err(Failure::usage(message));
        }
        ("identity", None) => SpdCentre::Identity,
        (file, None) => SpdCentre::File(file.into()),
    })
}

/// A radius, and its centre where that is known without data.
pub(super) fn ball(option: &str, text: &str, file: &Path) -> Result<(Option<DMatrix<f64>>, f64), Failure> {
    if text != "descriptor" {
        let radius = text.parse().map_err(|_| {
            Failure::usage(format!("{option} {text:?} is neither a number nor \"descriptor\""))
        })?;
        return Ok((None, radius));
    }
    let order = read_matrices(file).map_err(Failure::failed)?.order();
    let (known, radius) = descriptor_ball(order).ok_or_else(|| {
        Failure::usage(format!(
            "{option} descriptor is for covariance descriptors: 9 × 9 (grey) or 11 × 11 (colour)"
        ))
    })?;
    Ok((Some(known), radius))
}

/// Options of every study of points but their means
#[derive(Debug, Args)]
struct StudyArgs {
    #[command(flatten)]
    unusable: UnusableArgs,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    counting: CountingArgs,
    #[command(flatten)]
    budget: BudgetArgs,
}

impl StudyArgs {
    fn place(&self, global: &Global) -> Result<Place, Failure> {
        Ok(Place { asked: self.budget.loss().ok(), ..self.place.place(global)? })
    }
}

fn no_radius() -> Failure {
    Failure::usage("a release needs a public bound on the records: --radius F")
}

/// Metrics of matrices that have private statistics.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum MetricName {
    /// Flat in the logarithm
    LogEuclidean,
    /// Invariant under congruence
    AffineInvariant,
}

/// Matrices, and what is known of them in advance
#[derive(Debug, Args)]
pub struct MatrixArgs {
    #[arg(value_name = "FILE.npy", help = format!("{} of shape (n, k, k)", of_kind("Matrices", Content::Matrices)))]
    file: PathBuf,
    /// The metric
    #[arg(long, help_heading = heading::RELEASE, value_enum, default_value_t = MetricName::LogEuclidean)]
    metric: MetricName,
    /// Public radius: how far matrices may lie from the centre in the metric, or "descriptor": the ball of all covariance descriptors;
    /// records beyond it are clipped to it
    #[arg(long, help_heading = heading::RELEASE, value_name = "F|descriptor", allow_negative_numbers = true)]
    radius: Option<String>,
    /// Centre: a file with one public matrix, "identity", or "private": estimated within --first-radius and paid for.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "FILE|identity|private", default_value = "identity")]
    center: String,
    /// With --center private: public radius about the identity that holds the centre, or "descriptor"
    #[arg(long, help_heading = heading::RELEASE, value_name = "F|descriptor", allow_negative_numbers = true)]
    first_radius: Option<String>,
    #[command(flatten)]
    study: StudyArgs,
}

impl KindArgs for MatrixArgs {
    const COMMAND: &'static str = "spd";
    const RECORDS: &'static str = "matrices";
    const EXAMPLE: &'static str = "tensors.npy --radius 3";
    type Covariates = RegressArgs;

    fn inputs(&self, global: &Global) -> Result<TangentInputs, Failure> {
        let radius = self.radius.as_deref().ok_or_else(no_radius)?;
        let (about, radius) = ball("--radius", radius, &self.file)?;
        let centre = centre(&self.center, about, self.first_radius.as_deref(), &self.file)?;
        Ok(TangentInputs::Matrices(TangentMatrices {
            file: self.file.clone(),
            metric: match self.metric {
                MetricName::LogEuclidean => SpdMetric::LogEuclidean,
                MetricName::AffineInvariant => SpdMetric::AffineInvariant,
            },
            centre,
            radius,
            unusable: self.study.unusable.rule(),
            counting: self.study.counting.counting(),
            place: self.study.place(global)?,
        }))
    }

    fn budget(&self) -> &BudgetArgs {
        &self.study.budget
    }
}

/// Rows of numbers, and what is known of them in advance
#[derive(Debug, Args)]
struct RowArgs {
    #[arg(value_name = "FILE", help = points_help())]
    file: PathBuf,
    /// Numbers in a row, a public number: needed for a table without a heading, unless the centre is public
    #[arg(long, help_heading = heading::RECORDS, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    dim: Option<u32>,
    /// Public radius: how far points may lie from the centre; records beyond it are clipped to it
    #[arg(long, help_heading = heading::RELEASE, value_name = "F", allow_negative_numbers = true)]
    radius: Option<f64>,
    /// Centre: a file with one public row, or "private": estimated and paid for; in hyperbolic space the origin if none is given.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "FILE|private")]
    center: Option<PathBuf>,
    #[command(flatten)]
    study: StudyArgs,
}

impl RowArgs {
    fn inputs(
        &self,
        space: VectorSpace,
        first_radius: Option<f64>,
        global: &Global,
    ) -> Result<TangentInputs, Failure> {
        Ok(TangentInputs::Vectors(TangentVectors {
            file: self.file.clone(),
            space,
            centre: match &self.center {
                None => VectorCentre::Origin,
                Some(word) if word.as_os_str() == "private" => VectorCentre::Private { first_radius },
                Some(file) => VectorCentre::File(file.clone()),
            },
            radius: self.radius.ok_or_else(no_radius)?,
            dim: self.dim.map(|n| n as usize),
            unusable: self.study.unusable.rule(),
            counting: self.study.counting.counting(),
            place: self.study.place(global)?,
        }))
    }
}

/// Directions
#[derive(Debug, Args)]
pub struct DirectionArgs {
    #[command(flatten)]
    rows: RowArgs,
}

impl KindArgs for DirectionArgs {
    const COMMAND: &'static str = "sphere";
    const RECORDS: &'static str = "directions";
    const EXAMPLE: &'static str = "cities.csv --radius 0.7 --center greenwich.csv";
    type Covariates = RegressArgs;

    fn inputs(&self, global: &Global) -> Result<TangentInputs, Failure> {
        self.rows.inputs(VectorSpace::Sphere, None, global)
    }

    fn budget(&self) -> &BudgetArgs {
        &self.rows.study.budget
    }
}

/// Points of hyperbolic space
#[derive(Debug, Args)]
pub struct HyperbolicPointArgs {
    /// Which coordinates the points are in
    #[arg(long, help_heading = heading::RECORDS, value_enum, default_value_t = ModelName::Poincare)]
    model: ModelName,
    /// With --center private: public radius about the origin that holds the centre
    #[arg(long, help_heading = heading::RELEASE, value_name = "F", allow_negative_numbers = true)]
    first_radius: Option<f64>,
    #[command(flatten)]
    rows: RowArgs,
}

impl KindArgs for HyperbolicPointArgs {
    const COMMAND: &'static str = "hyperbolic";
    const RECORDS: &'static str = "points of hyperbolic space";
    const EXAMPLE: &'static str = "embedding.npy --radius 2";
    type Covariates = RegressArgs;

    fn inputs(&self, global: &Global) -> Result<TangentInputs, Failure> {
        self.rows.inputs(self.model.space(), self.first_radius, global)
    }

    fn budget(&self) -> &BudgetArgs {
        &self.rows.study.budget
    }
}
