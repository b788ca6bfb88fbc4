//! Noise: the one place where random numbers enter a release.
//!
//! The default path never adds a floating-point sample to a private value (whose low bits would tell them apart:
//! Mironov 2012). The statistic is rounded to a lattice g·ℤ^d chosen from public numbers, the rounding goes into the
//! sensitivity, and integers are added:
//!
//! * **Gaussian** ([`NoiseSource::gaussian_vector`]): K = round(M·Z) for an *exactly* drawn normal Z (Karney 2016).
//!   Since the rounded statistic is a lattice vector, statistic + g·K is the nearest lattice point to
//!   statistic + (M g)·Z: post-processing of the real-valued Gaussian mechanism, hence exactly μ-GDP with
//!   μ = (Δ + g√d)/(M g), whatever d is.
//! * **Discrete Gaussian** ([`NoiseSource::discrete_gaussian_vector`]): Canonne, Kamath and Steinke's law and their
//!   exact sampler in `prio`. It is ρ-zCDP with ρ = μ²/2, but *not* μ-GDP (its central atom is too heavy by a factor
//!   1 + 1/(24M²); the tests show the excess), so the first is the default: tighter, exact, and a hundred times faster.
//! * **Laplace** ([`NoiseSource::laplace_vector`]): the discrete Laplace law, by `prio`'s exact sampler: for integer
//!   shifts its loss is |k|/M exactly, hence exactly ε-DP.
//!
//! Functions named `idealized` add floating-point noise; their releases carry the caveat that reals are idealized.

mod clipped_mean;
mod clipped_moments;
mod clipped_second;
#[doc(hidden)]
pub mod digits;
mod error;
mod exact_normal;
mod idealized;
mod integer_clip;
mod isotropic;
mod lattice;
mod products;
mod released;
mod shared;
mod source;
mod stream;
mod vector_noise;
mod vectors;

pub use clipped_mean::{ClippedMean, ClippedSum, NoisedMean};
pub use clipped_moments::{ClippedMoments, MomentSum, NoisedMoments, NoisedSecond};
pub use clipped_second::ClippedSecond;
pub use error::{IncompleteMean, NoiseError};
pub use integer_clip::IntegerClip;
pub use released::{GaussianRelease, LaplaceRelease, NoiseDescription, NoisePath};
pub use shared::{SITES_MOST, SharedNoise, SharedSum};
pub use source::{NoiseSource, PaidGenerator};
#[doc(hidden)]
pub use stream::WholeStream;
pub use stream::{STEPS_MOST, STREAM, StreamNoise};
pub use vector_noise::VectorNoise;

use super::release::Entry;
use clipped_mean::{CLIPPED_MEAN_ENTRY, PURE_CLIPPED_MEAN_ENTRY};
use clipped_moments::CLIPPED_MOMENTS_ENTRY;
use clipped_second::CLIPPED_SECOND_ENTRY;
use stream::STREAM_ENTRY;

/// The mechanisms here, as the registry of all knows them.
pub const ENTRIES: &[&Entry] = &[
    &CLIPPED_MEAN_ENTRY,
    &PURE_CLIPPED_MEAN_ENTRY,
    &CLIPPED_MOMENTS_ENTRY,
    &CLIPPED_SECOND_ENTRY,
    &STREAM_ENTRY,
];

#[cfg(test)]
mod tests;
