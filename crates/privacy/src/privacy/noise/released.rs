//! Noised vectors, and what a certificate says about their noise.

use serde::{Deserialize, Serialize};

/// Whether noise was drawn on a lattice, exactly, or in floating point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NoisePath {
    /// Integers times a public step, exactly distributed.
    Lattice,
    /// Floating-point numbers, for which the theorem's reals are an idealization.
    IdealizedReals,
}

/// What a certificate says about the noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseDescription {
    /// The law, for example `gaussian`.
    pub distribution: String,
    /// How it was drawn.
    pub path: NoisePath,
    /// Its scale (σ, b, ...) in the statistic's units.
    pub scale: f64,
    /// The number of coordinates.
    pub dimension: usize,
    /// The lattice step g, for the lattice path.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub step: Option<f64>,
    /// Which algorithm drew it.
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
