//! Weighted norms: which coefficients of a mean the noise is to spare.

use crate::estimate::prior::spectrum;
use crate::function::shrink::SpectralPlace;

/// A norm ‖x‖² = Σ a_j x_j² on coefficients with a_j = λ_j^(−γ), λ the public spectrum of how much of a coefficient single records
/// have: clipping in it and white noise in the coordinates √a_j x_j give noise of variance ∝ λ_j^γ. γ = 0 is the
/// root-mean-square norm over the samples.
///
/// What is best depends on how much can be seen at all (∝ nμ): γ = ½ is optimal for large nμ, because it minimizes
/// (Σ 1/a_j)(Σ a_j λ_j), the energy of the unshrunk noise; below nμ = 400, where only the lowest frequencies stand out, it takes too
/// much from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Norm {
    /// γ = 0.
    #[default]
    White,
    /// γ = ¼.
    Quarter,
    /// γ = ½.
    Half,
}

/// Below this nμ, γ = ¼.
const MUCH: f64 = 400.0;

impl Norm {
    /// The norm for n records at budget μ.
    pub fn for_budget(n: u64, mu: f64) -> Self {
        if n as f64 * mu < MUCH { Self::Quarter } else { Self::Half }
    }

    /// γ.
    pub fn exponent(self) -> f64 {
        match self {
            Self::White => 0.0,
            Self::Quarter => 0.25,
            Self::Half => 0.5,
        }
    }

    /// The weight a = λ^(−γ) of a coefficient, λ the public [`spectrum`].
    pub fn weight(self, place: &SpectralPlace) -> f64 {
        spectrum(place).powf(-self.exponent())
    }

    /// The public clip radius of unit-area faces about the built-in template, in this norm: it holds nearly all faces of three public
    /// populations (γ = 0: all but 5 % and 29 % of two; γ = ½: all but .6 %).
    pub fn face_radius(self) -> f64 {
        match self {
            Self::White => 0.045,
            Self::Quarter => 0.075,
            Self::Half => 0.16,
        }
    }

    /// In words.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::White => "root mean square over all samples; coefficients in an orthonormal basis",
            Self::Quarter => {
                "weighted root mean square: a coefficient counts by the power -1/4 of the public spectrum of single records, so that \
                 rough ones, of which records have little, are given more of the noise"
            }
            Self::Half => {
                "weighted root mean square: a coefficient counts by the power -1/2 of the public spectrum of single records, so that \
                 rough ones, of which records have little, are given more of the noise"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_the_inverse_spectrum() {
        let place = |frequency, class| SpectralPlace { frequency, class, ..SpectralPlace::default() };
        for norm in [Norm::White, Norm::Quarter, Norm::Half] {
            assert_eq!(norm.weight(&place(0.0, 0)), 1.0);
            let expected = (1.0f64 + 9.0).powf(1.9 * norm.exponent());
            approx::assert_relative_eq!(norm.weight(&place(6.0, 0)), expected, max_relative = 1e-12);
            let odd = norm.weight(&place(6.0, 1)) / expected;
            approx::assert_relative_eq!(odd, 10f64.powf(norm.exponent()), max_relative = 1e-12);
        }
        assert_eq!((Norm::for_budget(399, 1.0), Norm::for_budget(400, 1.0)), (Norm::Quarter, Norm::Half));
    }
}
