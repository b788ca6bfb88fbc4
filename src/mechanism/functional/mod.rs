//! Private means of functions: the functional mechanism of Soto et al. (2024, sections 4 and 5), and better ones.
//!
//! All of them release (1/n) Σ L(clip(f_i)) + noise for a linear map L, under replacement of one record. They differ
//! in what is clipped, in L and in the noise; the mean-square error falls in this order (see the `mse_table` example):
//!
//! | mechanism | clipped | noise |
//! | --- | --- | --- |
//! | [`PointwiseMean`] | each coordinate of each point, to a range | independent, budget μ/√(3p) each |
//! | [`PaperMean`] | each curve of each coordinate, uncentred | N(0, C), scaled by the paper's bound 2τ/(n√φ) |
//! | [`CurvesMean`] | each curve's deviation from the template | exact sensitivity, matched noise, best budget split |
//! | [`JointMean`] | the whole face's deviation, in a Sobolev-type norm | white in that norm, shrunk afterwards |
//!
//! **Why the matched noise is private.** Let S be any linear map and ‖f_i‖ ≤ τ. One replaced record moves the mean of
//! the f_i by d, ‖d‖ ≤ 2τ/n, so the mean plus white noise of standard deviation 2τ/(nμ) in an orthonormal basis is
//! μ-GDP (Dong, Roth and Su 2022, theorem 2.7). Applying S afterwards is post-processing. Conversely noise N(0, Q)
//! added after S costs sup ‖Q^{−1/2} S d‖, so μ-GDP needs Q ⪰ (2τ/(nμ))² S S*: the matched noise is the least there
//! is, in every direction, and since S came last it may be chosen from the noised coefficients.
//!
//! **Why weights are free.** The argument holds in any public norm ‖f‖_a² = Σ a_i c_i² of the coefficients c_i: clip
//! in it, add noise of variance (2τ/(nμ))²/a_i. Σ 1/a_i against the radius the norm needs is the trade-off: with
//! spectrum Var c_i = s_i² the least total noise is had at a_i ∝ 1/s_i. Faces have s_i² falling as roughness^−2.2 (two
//! public face models agree), so a_i grows with roughness ([`SpectralWeight`]); it does so less steeply than 1/s_i,
//! because scans are rougher than models.
//!
//! Records are summed in integers ([`crate::privacy::ClippedMean`]): their order has no influence, the memory used
//! does not grow with n, and the sensitivity has no floating-point fine print. A failed scan is given as `None`,
//! counts, and contributes the template.

mod blocks;
mod curves;
mod face;
mod joint;
mod mean;
mod measured;
mod paper;
mod plan;
mod pointwise;
mod quantile;
mod split;
mod tally;
#[cfg(test)]
mod tests;

pub use curves::{CurveNoise, CurvesMean, KernelSettings};
pub use face::{FaceMean, FaceRelease, FaceSetting};
pub use joint::JointMean;
pub use mean::{FunctionalMean, MeanRelease, MeanSettings, SpectralWeight};
pub use paper::PaperMean;
pub use plan::{FunctionalError, Plan};
pub use pointwise::{PointwiseMean, PointwiseRange};
pub use quantile::{PrivateQuantile, QuantileGrid};
pub use split::best_split;
pub use tally::Tally;
