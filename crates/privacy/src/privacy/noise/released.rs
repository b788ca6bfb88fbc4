//! Noised vectors, and what a certificate says about their noise.

use serde::{Deserialize, Serialize};

/// Whether noise was drawn on a lattice, exactly, or in floating point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum NoisePath {
    /// Integers times a public step, exactly distributed.
    Lattice,
    /// Floating-point numbers, for which the theorem's reals are an idealization.
    IdealizedReals,
}

/// What a certificate says about the noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(deny_unknown_fields, extend("if" = {"properties": {"path": {"const": "lattice"}}}, "then" = {"required": ["step"]})))]
pub struct NoiseDescription {
    /// The law, for example `gaussian`.
    #[cfg_attr(feature = "cli", schemars(length(min = 1)))]
    pub distribution: String,
    /// How it was drawn.
    pub path: NoisePath,
    /// Its scale (σ, b, ...) in the statistic's units.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub scale: f64,
    /// The number of coordinates.
    #[cfg_attr(feature = "cli", schemars(range(min = 1)))]
    pub dimension: usize,
    /// The lattice step g, for the lattice path.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub step: Option<f64>,
    /// Which algorithm drew it.
    #[cfg_attr(feature = "cli", schemars(length(min = 1)))]
    pub sampler: String,
}

/// What a Gaussian vector mechanism released.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianRelease {
    /// The noised coordinates.
    pub values: Vec<f64>,
    /// The standard deviation of the noise in each (public; on a lattice, rounding adds g²/12 to its square).
    pub sigma: f64,
    /// For the certificate.
    pub noise: NoiseDescription,
}

/// What a Laplace mechanism released.
#[derive(Debug, Clone, PartialEq)]
pub struct LaplaceRelease {
    /// The noised coordinates.
    pub values: Vec<f64>,
    /// The scale b: of each coordinate's Laplace law, or of the isotropic law exp(−‖x‖/b).
    pub scale: f64,
    /// For the certificate.
    pub noise: NoiseDescription,
}
