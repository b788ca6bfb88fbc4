//! Why a mechanism could not be set up or drawn.

use super::manifold::GaussianGdpError;
use crate::manifold::ManifoldError;
use crate::privacy::noise::NoiseError;
use crate::privacy::{BudgetError, ChargeError};

/// A mechanism could not be set up, or nothing was drawn. But for records of the wrong shape, which the data holder is told
/// before anything is charged, nothing here depends on a record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MechanismError {
    /// A budget, radius or n out of range.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// Shapes that do not fit together.
    #[error("{0}")]
    Shape(&'static str),
    /// A grid of radii to choose from.
    #[error("a grid of radii needs 0 < low < high and a ratio of at least 1.01")]
    Grid,
    /// The share of records that a quantile is to hold.
    #[error("the share of records inside the radius must lie between 0 and 1")]
    Share,
    /// Too few records for the budget: a public condition on n and μ.
    #[error(
        "{n} records at mu = {mu} are too few for a private clip radius: its rank would be off by about \
         {doubt:.0} records; {records} records would do, or {times:.2} times this mu; or give a public radius"
    )]
    TooFew {
        /// n.
        n: u64,
        /// The quantile's own μ.
        mu: f64,
        /// Standard deviation of the rank.
        doubt: f64,
        /// The smallest n that would do.
        records: u64,
        /// By how much μ would have to be larger.
        times: f64,
    },
    /// More covariates than n records at this budget can tell anything of: a public condition.
    #[error(
        "{columns} {} too many for {n} records at mu = {mu:.3}: the noise would hide how they vary; {records} \
         records would do, or {times:.2} times this mu, or fewer covariates (a spline has several columns)",
        if *columns == 1 { "column of covariates is" } else { "columns of covariates are" }
    )]
    Covariates {
        /// Columns of the design without the intercept.
        columns: usize,
        /// n.
        n: u64,
        /// μ.
        mu: f64,
        /// The smallest n that would do.
        records: u64,
        /// By how much μ would have to be larger.
        times: f64,
    },
    /// The radius is beyond the theorem.
    #[error(
        "the radius {radius} is not below {bound:.6}, where the sensitivity bounds of this space end; take a smaller ball"
    )]
    Radius {
        /// The radius asked for.
        radius: f64,
        /// The bound.
        bound: f64,
    },
    /// A point off the manifold, or geometry that failed.
    #[error(transparent)]
    Manifold(#[from] ManifoldError),
    /// Noise without a law.
    #[error(
        "noise of scale {scale} has no law on this space (its volume grows faster than the density falls); take a larger \
         budget, more records or a smaller ball"
    )]
    NoiseTooWide {
        /// σ.
        scale: f64,
    },
    /// Too few records for the budget: a condition on public numbers only.
    #[error(
        "{n} records at this budget are too few for a private centre: {}, where {most:.2} is the most that helps; give a public \
         centre, or a larger budget", off(*.error)
    )]
    CentreTooRough {
        /// n.
        n: u64,
        /// How far off it would be.
        error: f64,
        /// How far off it may be.
        most: f64,
    },
    /// Exact accounting or sampling is not known here.
    #[error(
        "this mechanism needs a two-point homogeneous space (ℝᵈ, spheres, hyperbolic spaces, planar shapes)"
    )]
    NotTwoPointHomogeneous,
    /// Logarithms jump across the cut locus, which no curvature keeps away.
    #[error(
        "this mechanism is not known on a circle and other closed flat spaces; choose laplace or gaussian"
    )]
    ClosedFlat,
    /// No scale for this μ.
    #[error(transparent)]
    GaussianScale(#[from] GaussianGdpError),
    /// The mean was not found to the accuracy the sensitivity counts on: told to the data holder, before anything is charged.
    #[error("the mean of the records was not found to the accuracy the guarantee needs; nothing was charged")]
    NotConverged,
    /// Coordinates that are those of no point, which no mean of checked records has.
    #[error("the coordinates of the mean are those of no point of this space; nothing is released")]
    NoPoint,
    /// A mechanism that does not exist on this space.
    #[error("the {mechanism} mechanism is not known on {space}; {remedy}")]
    NotHere {
        /// The mechanism.
        mechanism: &'static str,
        /// The space.
        space: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A pure budget for a Gaussian mechanism.
    #[error("this mechanism adds Gaussian noise, which gives no pure epsilon; give --delta too, or --mu")]
    NeedsDelta,
    /// No noise was drawn.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The payment does not cover its parts.
    #[error(transparent)]
    Charge(#[from] ChargeError),
}

fn off(error: f64) -> String {
    if error.is_finite() {
        format!("it would be off by about {error:.2}")
    } else {
        "it would be noise alone".into()
    }
}
