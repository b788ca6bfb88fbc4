//! Denoising of coefficients whose noise variances are known.
//!
//! What is noised is public, so anything computed from it is post-processing and costs no privacy (theory: matched
//! noise makes smoothing post-processing). Each estimator multiplies coefficient i by a factor f_i in [0, 1] that
//! depends on the noised coefficients only, and comes with Stein's unbiased estimate of its risk.

mod james_stein;
mod spectral;

use super::FunctionError;
use super::error::{check_positive, check_values};
use serde::{Deserialize, Serialize};

/// Noised coefficients of one function: y_i ~ N(θ_i, v_i) independent, with v_i known.
#[derive(Debug, Clone, Copy)]
pub struct NoisyCoefficients<'a> {
    values: &'a [f64],
    variances: &'a [f64],
    roughness: &'a [f64],
    size: f64,
}

impl<'a> NoisyCoefficients<'a> {
    /// Coefficients, their noise variances (zero or more), their roughness λ ≥ 0 (see
    /// [`super::FunctionSpace::roughness`]), and a public guess of the norm √Σθ², right within a factor of ten or so.
    ///
    /// # Errors
    /// [`FunctionError`] when lengths differ or a number is outside its range.
    pub fn new(
        values: &'a [f64],
        variances: &'a [f64],
        roughness: &'a [f64],
        size: f64,
    ) -> Result<Self, FunctionError> {
        check_values("noised coefficients", values, values.len())?;
        check_values("noise variances", variances, values.len())?;
        check_values("roughness", roughness, values.len())?;
        check_positive("expected size", size)?;
        for (name, list) in [("noise variance", variances), ("roughness", roughness)] {
            if let Some(&value) = list.iter().find(|&&x| x < 0.0) {
                return Err(FunctionError::BadParameter { name, range: "zero or more", value });
            }
        }
        Ok(Self { values, variances, roughness, size })
    }

    /// The smallest positive roughness, the natural unit of the others.
    fn unit_roughness(&self) -> f64 {
        let largest = self.roughness.iter().copied().fold(0.0, f64::max);
        let positive = self.roughness.iter().copied().filter(|&l| l > 1e-9 * largest);
        let smallest = positive.fold(f64::INFINITY, f64::min);
        if smallest.is_finite() { smallest } else { 1.0 }
    }
}

/// How noised coefficients are denoised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Shrinkage {
    /// Not at all.
    None,
    /// Wiener filter for a smooth power spectrum Var θ_i = A·(1 + λ_i/λ₀)^(−s), averaged over A, λ₀ and s by their
    /// posterior weights (empirical Bayes that cannot fail to converge). Best on faces at every budget tried, and
    /// the only one that falls back to zero without harm when there is more noise than signal.
    #[default]
    Spectral,
    /// Positive-part James–Stein in bands of roughness, each a factor of four wide: assumes no spectrum at all.
    JamesStein,
    /// Whichever of the three has the least Stein's unbiased risk estimate.
    Sure,
}

/// Denoised coefficients.
#[derive(Debug, Clone, PartialEq)]
pub struct Shrunk {
    /// f_i y_i.
    pub values: Vec<f64>,
    /// Stein's unbiased estimate of Σ (f_i y_i − θ_i)²; it can be negative.
    pub risk: f64,
}

impl Shrinkage {
    /// Denoises one function.
    pub fn apply(self, noisy: &NoisyCoefficients<'_>) -> Shrunk {
        let factors = match self {
            Self::None => vec![Factor { value: 1.0, slope: 0.0 }; noisy.values.len()],
            Self::Spectral => spectral::factors(noisy),
            Self::JamesStein => james_stein::factors(noisy),
            Self::Sure => {
                let tried = [Self::Spectral, Self::JamesStein, Self::None].map(|s| s.apply(noisy));
                let least = tried.iter().map(|s| s.risk).fold(f64::INFINITY, f64::min);
                let [spectral, james_stein, none] = tried;
                return if spectral.risk <= least {
                    spectral
                } else if james_stein.risk <= least {
                    james_stein
                } else {
                    none
                };
            }
        };
        finish(noisy, &factors)
    }
}

/// f_i and y_i ∂f_i/∂y_i.
#[derive(Debug, Clone, Copy)]
struct Factor {
    value: f64,
    slope: f64,
}

/// Stein (1981): E Σ (g_i(y) − θ_i)² = E Σ [(g_i − y_i)² − v_i + 2 v_i ∂g_i/∂y_i], here with g_i = f_i y_i.
fn finish(noisy: &NoisyCoefficients<'_>, factors: &[Factor]) -> Shrunk {
    let mut risk = 0.0;
    let values = (noisy.values.iter().zip(noisy.variances).zip(factors))
        .map(|((y, v), f)| {
            risk += ((1.0 - f.value) * y).powi(2) - v + 2.0 * v * (f.value + f.slope);
            f.value * y
        })
        .collect();
    Shrunk { values, risk }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;
    use rand_distr::{Distribution, StandardNormal};

    /// A disk-like problem: 300 coefficients with a power-law spectrum and unequal noise.
    fn problem(signal: f64) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let roughness: Vec<f64> = (0..300).map(|i| 3.0 * i as f64).collect();
        let theta = roughness
            .iter()
            .enumerate()
            .map(|(i, l)| signal * ((7 * i * i + 3) as f64).sin() * (1.0 + l / 10.0_f64).powf(-1.1))
            .collect();
        let variances = roughness.iter().map(|l| 0.01 / (1.0 + l / 20.0_f64).sqrt()).collect();
        (theta, variances, roughness)
    }

    fn noised(theta: &[f64], variances: &[f64], seed: u64) -> Vec<f64> {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        theta
            .iter()
            .zip(variances)
            .map(|(t, v)| {
                let z: f64 = StandardNormal.sample(&mut rng);
                t + v.sqrt() * z
            })
            .collect()
    }

    fn loss(shrunk: &Shrunk, theta: &[f64]) -> f64 {
        shrunk.values.iter().zip(theta).map(|(a, b)| (a - b) * (a - b)).sum()
    }

    #[test]
    fn the_risk_estimate_is_unbiased() {
        let runs = 200;
        for signal in [0.0, 0.1, 1.0] {
            let (theta, v, roughness) = problem(signal);
            for kind in [Shrinkage::None, Shrinkage::Spectral, Shrinkage::JamesStein] {
                let differences: Vec<f64> = (0..runs)
                    .map(|seed| {
                        let y = noised(&theta, &v, seed);
                        let shrunk = kind.apply(&NoisyCoefficients::new(&y, &v, &roughness, 1.0).unwrap());
                        shrunk.risk - loss(&shrunk, &theta)
                    })
                    .collect();
                let mean = differences.iter().sum::<f64>() / runs as f64;
                let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / runs as f64;
                let error = (variance / runs as f64).sqrt();
                // Five standard errors: a false alarm has probability 6e-7 (the seeds are fixed, so it is none).
                assert!(
                    mean.abs() < 5.0 * error,
                    "{kind:?} at {signal}: bias {mean}, standard error {error}"
                );
            }
        }
    }

    #[test]
    fn shrinking_helps_and_pure_noise_is_removed() {
        for (signal, most) in [(0.0, 0.03), (0.1, 0.15), (1.0, 0.5)] {
            let (theta, v, roughness) = problem(signal);
            let (mut raw, mut spectral, mut sure) = (0.0, 0.0, 0.0);
            for seed in 0..50 {
                let y = noised(&theta, &v, seed);
                let noisy = NoisyCoefficients::new(&y, &v, &roughness, 1.0).unwrap();
                raw += loss(&Shrinkage::None.apply(&noisy), &theta);
                spectral += loss(&Shrinkage::Spectral.apply(&noisy), &theta);
                sure += loss(&Shrinkage::Sure.apply(&noisy), &theta);
            }
            assert!(spectral < most * raw, "signal {signal}: {} of the raw error", spectral / raw);
            assert!(sure < 1.2 * most * raw, "signal {signal}: {} of the raw error", sure / raw);
        }
    }

    #[test]
    fn almost_noiseless_coefficients_are_left_alone() {
        let (theta, _, roughness) = problem(1.0);
        let v = vec![1e-18; theta.len()];
        for kind in [Shrinkage::Spectral, Shrinkage::JamesStein, Shrinkage::Sure] {
            let shrunk = kind.apply(&NoisyCoefficients::new(&theta, &v, &roughness, 1.0).unwrap());
            assert!(loss(&shrunk, &theta) < 1e-12, "{kind:?}");
        }
    }

    #[test]
    fn degenerate_input_gives_finite_output() {
        for (y, v, l) in [
            (vec![], vec![], vec![]),
            (vec![0.0], vec![0.0], vec![0.0]),
            (vec![0.0; 5], vec![1.0; 5], vec![0.0; 5]),
            (vec![1e200; 5], vec![1.0; 5], vec![0.0, 1.0, 2.0, 3.0, 4.0]),
            (vec![1.0; 5], vec![0.0; 5], vec![0.0, 1.0, 2.0, 3.0, 4.0]),
        ] {
            for kind in [Shrinkage::None, Shrinkage::Spectral, Shrinkage::JamesStein, Shrinkage::Sure] {
                let shrunk = kind.apply(&NoisyCoefficients::new(&y, &v, &l, 1.0).unwrap());
                assert!(shrunk.values.iter().all(|x| x.is_finite()), "{kind:?} of {y:?}");
            }
        }
        assert!(NoisyCoefficients::new(&[1.0], &[-1.0], &[0.0], 1.0).is_err());
        assert!(NoisyCoefficients::new(&[1.0], &[1.0], &[0.0], 0.0).is_err());
        assert!(NoisyCoefficients::new(&[1.0, 2.0], &[1.0], &[0.0, 1.0], 1.0).is_err());
        assert!(NoisyCoefficients::new(&[f64::NAN], &[1.0], &[0.0], 1.0).is_err());
    }
}
