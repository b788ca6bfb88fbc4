//! What an optimization study is told before it reads a record: all of it public.

use crate::job::{Counting, Place, Unusable};
use crate::optimize::{Method, Settings};
use crate::privacy::{ClipRadius, PrivacyLoss};
use serde::Serialize;
use std::path::PathBuf;

/// A space to take Fréchet means in. Records: k × k matrices for the first three, vectors for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum MeanSpace {
    /// Positive definite matrices, affine-invariant metric
    AffineInvariant,
    /// Positive definite matrices, log-Euclidean metric.
    LogEuclidean,
    /// Positive definite matrices, Bures–Wasserstein metric.
    BuresWasserstein,
    /// The unit sphere.
    Sphere,
    /// Hyperbolic space as the Poincaré ball.
    Poincare,
    /// Hyperbolic space as the hyperboloid, time coordinate first.
    Lorentz,
}

/// Where subspaces live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Frames {
    /// Orthonormal frames.
    Stiefel,
    /// Frames modulo rotation of the columns.
    Grassmann,
}

/// What is optimized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// The Fréchet mean.
    FrechetMean(MeanSpace),
    /// The leading eigenvector of the records' second moment; records of any shape are flattened.
    Eigenvector,
    /// The leading subspace of this dimension.
    Subspace {
        /// r.
        rank: usize,
        /// Where.
        frames: Frames,
    },
}

/// Everything an optimization study needs to know.
#[derive(Debug, Clone)]
pub struct OptimizeStudySettings {
    /// The records: an `.npy` array, one record along the first axis.
    pub input: PathBuf,
    /// Folder, ledger, seed; whether to resume or replace.
    pub place: Place,
    /// What is optimized.
    pub task: Task,
    /// How.
    pub method: Method,
    /// Step sizes, output, limits.
    pub run: Settings,
    /// Bound on one record's gradient.
    pub clip: ClipRadius,
    /// μ for DP-RGD, (ε, δ) for all.
    pub budget: PrivacyLoss,
    /// A public start point (`.npy`, shape of one record or of the solution); by default the identity, the uniform direction,
    /// the origin, or the first coordinate axes.
    pub start: Option<PathBuf>,
    /// Scale every record to unit length first (eigenvector and subspace).
    pub unit_records: bool,
    /// What is done with records that have no gradient: off the manifold, not numbers, without a direction.
    pub unusable: Unusable,
    /// What counts as a person.
    pub counting: Counting,
}
