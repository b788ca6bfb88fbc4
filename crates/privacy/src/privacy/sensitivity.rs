//! Sensitivities as types: a bound in one norm is not a bound in another.

use super::BudgetError;
use super::budget::parameter;
use super::rounding::{add_up, div_up, mul_up};
use serde::{Deserialize, Serialize};
use std::fmt;

parameter!(
    /// Δ₂: a bound on ‖h(D) − h(D′)‖₂ over all neighbouring datasets, in the coordinates the noise is added in and
    /// in the statistic's own units.
    L2Sensitivity, "L2 sensitivity", "a positive finite number", ["exclusiveMinimum" = 0], |x| x > 0.0
);
parameter!(
    /// Δ₁: a bound on ‖h(D) − h(D′)‖₁ over all neighbouring datasets, in the coordinates the noise is added in and
    /// in the statistic's own units.
    L1Sensitivity, "L1 sensitivity", "a positive finite number", ["exclusiveMinimum" = 0], |x| x > 0.0
);

parameter!(
    /// A bound on how far one record moves a point of a space: the geodesic distance between the statistics of neighbours.
    DistanceSensitivity, "sensitivity in distance", "a positive finite number", ["exclusiveMinimum" = 0], |x| x > 0.0
);
parameter!(
    /// A bound on ‖∇F_D(x) − ∇F_D′(x)‖ over all neighbouring datasets and all points x where the mechanism may release: what one
    /// record can do to the gradient of an objective, in the norm of the tangent space at x.
    GradientSensitivity, "gradient sensitivity", "a positive finite number", ["exclusiveMinimum" = 0], |x| x > 0.0
);

/// What one record can do to a statistic, with the norm it is measured in: a bound in one is not a bound in another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "norm", content = "bound", rename_all = "lowercase")]
pub enum Sensitivity {
    /// Sum of the absolute changes of the coordinates.
    L1(L1Sensitivity),
    /// Euclidean norm of the change.
    L2(L2Sensitivity),
    /// Geodesic distance that a point moves.
    Distance(DistanceSensitivity),
    /// Norm of the change of a gradient, everywhere.
    Gradient(GradientSensitivity),
}

impl Sensitivity {
    /// The bound.
    pub fn get(self) -> f64 {
        match self {
            Self::L1(bound) => bound.get(),
            Self::L2(bound) => bound.get(),
            Self::Distance(bound) => bound.get(),
            Self::Gradient(bound) => bound.get(),
        }
    }

    /// The norm's name in certificates.
    pub fn norm(self) -> &'static str {
        match self {
            Self::L1(_) => "l1",
            Self::L2(_) => "l2",
            Self::Distance(_) => "distance",
            Self::Gradient(_) => "gradient",
        }
    }
}

impl L2Sensitivity {
    /// Of the mean of `n` records of norm at most `radius`, one record replaced: 2τ/n, rounded up.
    ///
    /// # Errors
    /// [`BudgetError::OutOfRange`] when n = 0.
    ///
    /// ```
    /// use visard_privacy::privacy::{ClipRadius, ClipSource, L2Sensitivity};
    /// let clip = ClipRadius::new(3.0, ClipSource::Public)?;
    /// assert_eq!(L2Sensitivity::of_clipped_mean(clip, 24)?.get(), 0.25);
    /// # Ok::<(), visard_privacy::privacy::BudgetError>(())
    /// ```
    pub fn of_clipped_mean(radius: super::ClipRadius, n: u64) -> Result<Self, BudgetError> {
        if n == 0 {
            return Err(BudgetError::OutOfRange {
                name: "n",
                range: "at least 1: a mean of no records has no sensitivity",
                value: 0.0,
            });
        }
        // Above 2⁵³ the conversion may round n up, which would lower the bound.
        let count = if n > (1 << 53) { (n as f64).next_down() } else { n as f64 };
        Self::new(div_up(2.0 * radius.get(), count))
    }

    /// The bound for a statistic that is computed with an error: each computed value lies within `error` (same norm,
    /// same units) of the exact one, so neighbours differ by at most Δ + 2·error.
    ///
    /// # Errors
    /// [`BudgetError::OutOfRange`] for a negative or non-finite error.
    pub fn plus_error(self, error: f64) -> Result<Self, BudgetError> {
        if !error.is_finite() || error < 0.0 {
            return Err(BudgetError::OutOfRange {
                name: "error of the statistic",
                range: "a finite number, zero or more",
                value: error,
            });
        }
        Self::new(add_up(self.get(), 2.0 * error))
    }

    /// The bound for a mean of `n` vectors of norm at most `radius` that is summed in f64 in any order and divided by
    /// n. Each coordinate of the computed mean is within γ_n·(1/n)Σ|x_i| of the exact one, γ_n = nu/(1 − nu),
    /// u = 2⁻⁵³ (Higham 2002, §4.2; n − 1 additions, one division), so the vector is within γ_n·radius in norm.
    ///
    /// # Errors
    /// [`BudgetError::OutOfRange`] when n is so large (above 2⁵⁰) that the bound says nothing.
    pub fn plus_float_mean(self, radius: super::ClipRadius, n: u64) -> Result<Self, BudgetError> {
        const UNIT: f64 = f64::EPSILON / 2.0;
        let n = n as f64;
        if n > (1u64 << 50) as f64 {
            return Err(BudgetError::OutOfRange {
                name: "n",
                range: "at most 2^50 for summation in f64",
                value: n,
            });
        }
        let gamma = div_up(n * UNIT, 1.0 - n * UNIT);
        self.plus_error(mul_up(gamma, radius.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{ClipRadius, ClipSource};

    #[test]
    fn a_mean_of_none_has_no_sensitivity_and_of_one_has_two_radii() {
        let clip = ClipRadius::new(1.5, ClipSource::Public).unwrap();
        assert!(L2Sensitivity::of_clipped_mean(clip, 0).is_err());
        assert_eq!(L2Sensitivity::of_clipped_mean(clip, 1).unwrap().get(), 3.0);
        // 3/7 is not a double: the bound is the next one above.
        let seventh = L2Sensitivity::of_clipped_mean(clip, 7).unwrap().get();
        assert!((seventh * 7.0).next_up() >= 3.0 && seventh <= (3.0f64 / 7.0).next_up());
    }

    #[test]
    fn errors_add_on_both_sides() {
        let d = L2Sensitivity::new(1.0).unwrap();
        assert_eq!(d.plus_error(0.25).unwrap().get(), 1.5);
        assert!(d.plus_error(-1.0).is_err() && d.plus_error(f64::NAN).is_err());
    }

    /// The worst float error of a mean that could be provoked stays inside the stated bound.
    #[test]
    fn float_means_stay_within_their_allowance() {
        let clip = ClipRadius::new(1.0, ClipSource::Public).unwrap();
        let n = 1000u64;
        let base = L2Sensitivity::of_clipped_mean(clip, n).unwrap();
        let allowed = (base.plus_float_mean(clip, n).unwrap().get() - base.get()) / 2.0;
        let records: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 - 1e-3 / 3.0 } else { 0.1 }).collect();
        let exact: num_rational::BigRational = records
            .iter()
            .map(|x| num_rational::BigRational::from_float(*x).unwrap())
            .sum::<num_rational::BigRational>()
            / num_rational::BigRational::from_integer(n.into());
        let float = records.iter().sum::<f64>() / n as f64;
        let gap = num_rational::BigRational::from_float(float).unwrap() - exact;
        let limit = num_rational::BigRational::from_float(allowed).unwrap();
        assert!(
            gap != num_rational::BigRational::from_integer(0.into()),
            "the example has an error to bound"
        );
        assert!(gap < limit && gap > -limit);
    }
}
