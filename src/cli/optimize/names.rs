//! Choices that come with numbers of their own.

use clap::ValueEnum;

/// The methods by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodName {
    /// Components of the noised mean of all products of coordinates, in one step (eigenvector and subspace)
    Moment,
    /// Full gradients
    Rgd,
    /// Gradients of random batches
    Rsgd,
    /// Occasional full gradients, corrected by batches
    Rsvrg,
}

/// The sampling schemes by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SamplingName {
    /// Each record independently; stronger amplification
    Poisson,
    /// Batches of fixed size
    WithoutReplacement,
}

/// The bounds of corrections by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CorrectionName {
    /// Both gradients clipped separately, as in the paper
    Separate,
    /// Their difference clipped
    Difference,
    /// Their difference clipped to the bound times the distance from the anchor, at most the clip radius
    Lipschitz,
}
