//! The words of the command line for what the library calls otherwise.

use clap::ValueEnum;
use visard::optimize::Output;
use visard::study::optimize::{Frames, MeanSpace};

macro_rules! names {
    ($(#[$doc:meta])* $name:ident => $target:ty { $($(#[$what:meta])* $variant:ident => $value:expr,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
        pub(super) enum $name { $($(#[$what])* $variant,)* }
        impl From<$name> for $target {
            fn from(name: $name) -> Self {
                match name { $($name::$variant => $value,)* }
            }
        }
    };
}

names! {
    /// The spaces by name.
    SpaceName => MeanSpace {
        /// Positive definite matrices, affine-invariant metric
        AffineInvariant => MeanSpace::AffineInvariant,
        /// Positive definite matrices, log-Euclidean metric
        LogEuclidean => MeanSpace::LogEuclidean,
        /// Positive definite matrices, Bures–Wasserstein metric
        BuresWasserstein => MeanSpace::BuresWasserstein,
        /// Unit vectors
        Sphere => MeanSpace::Sphere,
        /// Points of the Poincaré ball
        Poincare => MeanSpace::Poincare,
        /// Points of the hyperboloid, time coordinate first
        Lorentz => MeanSpace::Lorentz,
    }
}
names! {
    /// The manifolds of frames by name.
    FramesName => Frames {
        /// Orthonormal frames
        Stiefel => Frames::Stiefel,
        /// Subspaces
        Grassmann => Frames::Grassmann,
    }
}
names! {
    /// The outputs by name.
    OutputName => Output {
        /// The last iterate
        Last => Output::Last,
        /// A uniformly random iterate
        Random => Output::Random,
        /// The geodesic mean of the second half of the iterates
        TailMean => Output::TailMean,
    }
}

/// The methods by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodName {
    /// Full gradients
    Rgd,
    /// Gradients of random batches
    Rsgd,
    /// Full gradients now and then, corrected by batches
    Rsvrg,
}

/// The sampling schemes by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SamplingName {
    /// Each record on its own; the stronger amplification
    Poisson,
    /// Batches of fixed size
    WithoutReplacement,
}

/// The bounds of corrections by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CorrectionName {
    /// Both gradients clipped on their own, as in the paper
    Separate,
    /// Their difference clipped
    Difference,
    /// Their difference clipped to the bound times the distance from the anchor, at most the clip radius
    Lipschitz,
}
