//! Calibration: the noise scale a budget buys. Every scale is rounded up (more noise).

use super::rounding::{div_up, mul_up, up};
use super::{BudgetError, Delta, Epsilon, L1Sensitivity, L2Sensitivity, Mu, PrivacyLoss};
use std::ops::Range;

/// How a Gaussian mechanism is calibrated to (ε, δ).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Calibration {
    /// The smallest sufficient noise (Balle and Wang 2018): σ with the exact δ(ε) of μ = Δ/σ
    #[default]
    Analytic,
    /// The textbook formula, for ε < 1: σ = Δ √(2 ln(1.25/δ)) / ε (Dwork and Roth 2014, Theorem A.1)
    Classical,
}

/// The noise scales that can be drawn: their squares, and those of the steps of their lattices, are far from overflow.
pub(crate) const SCALES: Range<f64> = 1e-280..1e280;

/// The losses (μ, ε) that noise is scaled to. Nobody means a loss outside, and its square may not be a number.
const LOSSES: Range<f64> = 1e-100..1e100;

/// σ = Δ/μ for μ-GDP.
///
/// # Errors
/// [`BudgetError::OutOfRange`] for μ outside 1e-100 to 1e100, [`BudgetError::NoSuchBound`] for σ outside 1e-280 to 1e280.
pub fn gaussian_sigma(sensitivity: L2Sensitivity, mu: Mu) -> Result<f64, BudgetError> {
    scalable("mu", mu.get())?;
    drawable(div_up(sensitivity.get(), mu.get()))
}

/// σ for (ε, δ)-DP.
///
/// The classical formula is returned only where the exact curve confirms that its σ suffices; for large ε it does not.
///
/// # Errors
/// [`BudgetError::NoSuchBound`] at δ = 0, at ε = 0 with the classical formula, where the classical formula gives too
/// little noise, or for σ outside 1e-280 to 1e280; [`BudgetError::OutOfRange`] for ε above 1e100.
///
/// ```
/// use visard_privacy::privacy::{Calibration, Delta, Epsilon, L2Sensitivity, gaussian_sigma_for};
/// let (e, d, s) = (Epsilon::new(1.0)?, Delta::new(1e-9)?, L2Sensitivity::new(1.0)?);
/// let sigma = gaussian_sigma_for(Calibration::Analytic, e, d, s)?;
/// assert!((sigma / 5.495_266_157_238_296 - 1.0).abs() < 1e-12);
/// # Ok::<(), visard_privacy::privacy::BudgetError>(())
/// ```
pub fn gaussian_sigma_for(
    calibration: Calibration,
    epsilon: Epsilon,
    delta: Delta,
    sensitivity: L2Sensitivity,
) -> Result<f64, BudgetError> {
    scalable("epsilon", epsilon.get().max(LOSSES.start))?;
    let largest = Mu::within(epsilon, delta)?;
    match calibration {
        Calibration::Analytic => gaussian_sigma(sensitivity, largest),
        Calibration::Classical => {
            if epsilon.get() == 0.0 {
                return Err(BudgetError::NoSuchBound(
                    "the classical Gaussian calibration needs epsilon > 0; use the analytic one",
                ));
            }
            let factor = up(libm::sqrt(2.0 * (libm::log(1.25) - libm::log(delta.get()))) / epsilon.get());
            // σ = factor · Δ gives μ = 1/factor.
            if mul_up(factor, largest.get()) < 1.0 {
                return Err(BudgetError::NoSuchBound(
                    "the classical Gaussian calibration adds too little noise at this epsilon \
                     (it is proved for epsilon < 1); use the analytic one",
                ));
            }
            drawable(mul_up(factor, sensitivity.get()))
        }
    }
}

/// b = Δ₁/ε, the scale of the Laplace mechanism for ε-DP.
///
/// # Errors
/// [`BudgetError::NoSuchBound`] at ε = 0 or for b outside 1e-280 to 1e280, [`BudgetError::OutOfRange`] for ε outside
/// 1e-100 to 1e100.
pub fn laplace_scale(sensitivity: L1Sensitivity, epsilon: Epsilon) -> Result<f64, BudgetError> {
    if epsilon.get() == 0.0 {
        return Err(BudgetError::NoSuchBound("a Laplace mechanism needs epsilon > 0"));
    }
    scalable("epsilon", epsilon.get())?;
    drawable(div_up(sensitivity.get(), epsilon.get()))
}

fn scalable(name: &'static str, loss: f64) -> Result<(), BudgetError> {
    if LOSSES.contains(&loss) {
        Ok(())
    } else {
        Err(BudgetError::OutOfRange {
            name,
            range: "between 1e-100 and 1e100 for noise to be scaled to it",
            value: loss,
        })
    }
}

fn drawable(scale: f64) -> Result<f64, BudgetError> {
    if SCALES.contains(&scale) {
        Ok(scale)
    } else {
        Err(BudgetError::NoSuchBound(
            "the noise scale is outside 1e-280 to 1e280; state the data in other units",
        ))
    }
}

/// μ, ε and δ of one Gaussian mechanism: any two give the third.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conversion {
    /// μ.
    pub mu: f64,
    /// ε.
    pub epsilon: f64,
    /// δ; 1 where no smaller number bounds it.
    pub delta: f64,
}

/// Completes two of μ, ε, δ: δ(ε; μ) and ε(δ; μ) rounded up, μ(ε, δ) rounded down (a budget must not be overspent).
/// With ε and δ = 0, μ is that of pure ε-DP, rounded up.
///
/// # Errors
/// [`BudgetError`] for other than two values, values out of range, or (μ, δ = 0).
pub fn convert(mu: Option<f64>, epsilon: Option<f64>, delta: Option<f64>) -> Result<Conversion, BudgetError> {
    match (mu, epsilon, delta) {
        (Some(mu), Some(epsilon), None) => {
            let delta = Mu::new(mu)?.delta_at(Epsilon::new(epsilon)?);
            Ok(Conversion { mu, epsilon, delta })
        }
        (Some(mu), None, Some(delta)) => {
            let epsilon = Mu::new(mu)?.epsilon_at(Delta::new(delta)?)?.get();
            Ok(Conversion { mu, epsilon, delta })
        }
        (None, Some(epsilon), Some(delta)) => {
            let mu = match PrivacyLoss::approximate(Epsilon::new(epsilon)?, Delta::new(delta)?) {
                PrivacyLoss::Pure(epsilon) => Mu::of_pure(epsilon)?,
                _ => Mu::within(Epsilon::new(epsilon)?, Delta::new(delta)?)?,
            };
            Ok(Conversion { mu: mu.get(), epsilon, delta })
        }
        _ => Err(BudgetError::NotTwoOfThree),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared_data::shared;

    #[test]
    fn noise_scales_agree_with_the_reference_table() {
        let (rows, refused) =
            compare_scales(include_str!("../../../../tests/reference/analytic_gaussian_sigma.csv"));
        assert_eq!((rows, refused), (40, 10));
    }

    #[test]
    #[ignore = "needs VISARD_DATA: the shared reference tables"]
    fn noise_scales_agree_with_the_shared_table() {
        let table = std::fs::read_to_string(shared("reference/analytic_gaussian_sigma.csv")).unwrap();
        let (rows, refused) = compare_scales(&table);
        assert!(rows > 50 && refused > 0);
    }

    /// Compares with a table of ε, δ, the analytic and the classical scale; how many rows it has, and in how many the classical
    /// formula was refused because it gives too little.
    fn compare_scales(table: &str) -> (usize, usize) {
        let one = L2Sensitivity::new(1.0).unwrap();
        let (mut count, mut refused) = (0, 0);
        for line in table.lines().skip(1) {
            let cells: Vec<f64> = line.split(',').map(|c| c.parse().unwrap()).collect();
            let (e, d) = (Epsilon::new(cells[0]).unwrap(), Delta::new(cells[1]).unwrap());
            let analytic = gaussian_sigma_for(Calibration::Analytic, e, d, one).unwrap();
            assert!(analytic >= cells[2] && analytic < cells[2] * (1.0 + 1e-12), "{line}: {analytic}");
            match gaussian_sigma_for(Calibration::Classical, e, d, one) {
                Ok(classical) => {
                    assert!((classical / cells[3] - 1.0).abs() < 1e-12, "{line}: {classical}");
                    assert!(cells[3] >= cells[2]);
                }
                Err(_) => {
                    refused += 1;
                    assert!(cells[3] < cells[2] && cells[0] >= 1.0, "{line}: refused without need");
                }
            }
            count += 1;
        }
        (count, refused)
    }

    #[test]
    fn completing_two_of_three() {
        let full = convert(Some(1.0), Some(1.0), None).unwrap();
        let back = convert(None, Some(1.0), Some(full.delta)).unwrap();
        assert!((back.mu - 1.0).abs() < 1e-11 && back.mu >= 1.0 - 1e-11);
        let again = convert(Some(1.0), None, Some(full.delta)).unwrap();
        assert!((again.epsilon - 1.0).abs() < 1e-11);
        assert!((convert(None, Some(1.0), Some(0.0)).unwrap().mu - 1.232_035_385_344_901).abs() < 1e-11);
        for bad in [
            convert(None, None, None),
            convert(Some(1.0), None, None),
            convert(Some(1.0), Some(1.0), Some(0.1)),
            convert(Some(1.0), None, Some(0.0)),
            convert(Some(-1.0), Some(1.0), None),
            convert(None, Some(1.0), Some(1.0)),
            convert(Some(f64::NAN), Some(1.0), None),
        ] {
            assert!(bad.is_err());
        }
    }

    #[test]
    fn scales_are_rounded_up() {
        let third = gaussian_sigma(L2Sensitivity::new(1.0).unwrap(), Mu::new(3.0).unwrap()).unwrap();
        assert!(third >= 1.0 / 3.0 && third <= (1.0f64 / 3.0).next_up());
        assert_eq!(
            laplace_scale(L1Sensitivity::new(1.0).unwrap(), Epsilon::new(4.0).unwrap()).unwrap(),
            0.25
        );
        assert!(laplace_scale(L1Sensitivity::new(1.0).unwrap(), Epsilon::new(0.0).unwrap()).is_err());
        assert!(gaussian_sigma(L2Sensitivity::new(1e300).unwrap(), Mu::new(1e-300).unwrap()).is_err());
    }
}
