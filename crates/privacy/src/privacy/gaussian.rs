//! Gaussian differential privacy: μ ↔ (ε, δ) ↔ pure ε, and composition.
//!
//! A mechanism is μ-GDP exactly when it is (ε, δ(ε))-DP for all ε ≥ 0 (Dong, Roth and Su 2019, Corollary 2.13):
//!
//! ```text
//! δ(ε) = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2)
//!      = φ(a) (M(a) − M(a + μ)),   a = ε/μ − μ/2,   M Mills' ratio,
//! ```
//!
//! the second form because e^ε φ(a + μ) = φ(a). It needs no e^ε, and M(a) − M(a + μ) is one integral of a positive
//! function, so neither small μ nor large ε costs digits.
//!
//! Error budget, relative, u = 2⁻⁵³: a is formed in twice the working precision (fused remainder of the division), so
//! φ(a) is good to 4u; the integral to 4u (measured); their product to 10u < 2⁻⁴⁹. In the other branch, used for
//! μ > 2 and a ≤ 0, the subtrahend is at most 0.53 of the minuend, which costs a factor of 3. The results then move
//! by `SLACK` = 2⁻⁴³, over sixty times that. Inversions are not trusted to converge: their results are checked
//! with the forward bound, which has the slack in it.

use super::normal::{
    LN_SQRT_2PI, cdf, density, ln_density, mills, mills_difference, quantile, upper_quantile_ln, upper_tail,
};
use super::rounding::{SLACK, add_up, down, mul_up, sqrt_up, up};
use super::{BudgetError, Delta, Epsilon, Mu, Rho};
use crate::numeric::margins;

/// a = ε/μ − μ/2 as an unevaluated sum of two doubles.
fn threshold(mu: f64, epsilon: f64) -> (f64, f64) {
    let quotient = epsilon / mu;
    if !quotient.is_finite() {
        return (quotient, 0.0);
    }
    let remainder = (-quotient).mul_add(mu, epsilon) / mu;
    let half = -0.5 * mu;
    let high = quotient + half;
    let half_part = high - quotient;
    let error = (quotient - (high - half_part)) + (half - half_part);
    (high, error + remainder)
}

/// Whether Q(a) − φ(a) M(a+μ) is formed as it stands.
fn subtracts_safely(mu: f64, a: f64) -> bool {
    mu > 2.0 && a <= 0.0
}

/// δ(ε) of μ-GDP for ε ≥ 0, to nearest; underflows to 0.
pub(crate) fn delta_nearest(mu: f64, epsilon: f64) -> f64 {
    let (a, low) = threshold(mu, epsilon);
    if subtracts_safely(mu, a) {
        let density = density(a, low);
        // Q(a + low) = Q(a) − φ(a) low.
        upper_tail(a) - density * low - density * mills(a + mu)
    } else if a.is_finite() {
        density(a, low) * mills_difference(a, mu)
    } else {
        0.0
    }
}

/// ln δ(ε), which does not underflow.
#[doc(hidden)]
pub fn ln_delta_nearest(mu: f64, epsilon: f64) -> f64 {
    let (a, low) = threshold(mu, epsilon);
    if subtracts_safely(mu, a) {
        libm::log(delta_nearest(mu, epsilon))
    } else if a.is_finite() {
        ln_density(a, low) + libm::log(mills_difference(a, mu))
    } else {
        f64::NEG_INFINITY
    }
}

/// An upper bound on δ(ε) for any real ε; for ε < 0 it is 1 − e^ε (1 − δ(−ε)), the symmetry of G_μ. At most 1.
pub(crate) fn delta_bound(mu: f64, epsilon: f64) -> f64 {
    if epsilon.is_nan() {
        // Of sums that overflowed nothing is known.
        1.0
    } else if epsilon >= 0.0 {
        up(delta_nearest(mu, epsilon)).min(1.0)
    } else {
        let other = delta_bound(mu, -epsilon);
        up(-libm::expm1(epsilon) + libm::exp(epsilon) * other).min(1.0)
    }
}

impl Mu {
    /// δ(ε), rounded up: a μ-GDP release is (ε, δ)-DP with this δ. Where the true value underflows, the smallest
    /// positive number; 1 where no smaller double bounds it.
    ///
    /// ```
    /// use visard_privacy::privacy::{Epsilon, Mu};
    /// let delta = Mu::new(1.0)?.delta_at(Epsilon::new(1.0)?);
    /// assert!((delta - 0.126_936_737_506_643_95).abs() < 1e-12);
    /// # Ok::<(), visard_privacy::privacy::BudgetError>(())
    /// ```
    pub fn delta_at(self, epsilon: Epsilon) -> f64 {
        delta_bound(self.get(), epsilon.get())
    }

    /// ln δ(ε), rounded up, for values below the smallest double.
    pub fn ln_delta_at(self, epsilon: Epsilon) -> f64 {
        let value = ln_delta_nearest(self.get(), epsilon.get());
        // δ moves by SLACK, so ln δ does; and the logarithm itself is rounded.
        if value.is_finite() { value + SLACK + 4.0 * f64::EPSILON * value.abs() } else { value }
    }

    /// The ε for which a μ-GDP release is (ε, δ)-DP, rounded up.
    ///
    /// # Errors
    /// [`BudgetError::NoSuchBound`] at δ = 0 (a Gaussian mechanism has no pure ε) or when ε would overflow.
    pub fn epsilon_at(self, delta: Delta) -> Result<Epsilon, BudgetError> {
        let (mu, delta) = (self.get(), delta.get());
        if delta == 0.0 {
            return Err(BudgetError::NoSuchBound(
                "a mu-GDP release has no finite epsilon at delta = 0; state a positive delta",
            ));
        }
        if delta_bound(mu, 0.0) <= delta {
            return Epsilon::new(0.0);
        }
        let ln_delta = libm::log(delta);
        // δ(ε) ≤ Q(a) ≤ exp(−a²/2): an upper end that certainly meets the target.
        let (mut low, mut high) = (0.0, 0.5 * mu * mu + mu * libm::sqrt(-2.0 * ln_delta));
        if !high.is_finite() {
            return Err(BudgetError::NoSuchBound("epsilon is too large to be written as a number"));
        }
        let mut epsilon = 0.5 * high;
        for _ in 0..200 {
            let here = ln_delta_nearest(mu, epsilon);
            let excess = here - ln_delta;
            // Nearer than ln δ is known steps go to and fro.
            if excess.abs() <= 4.0 * f64::EPSILON * (1.0 + ln_delta.abs()) {
                break;
            }
            if excess > 0.0 {
                low = epsilon
            } else {
                high = epsilon
            }
            // d ln δ/dε = −e^ε Φ(−ε/μ−μ/2)/δ = −φ(a) M(a+μ)/δ.
            let (a, part) = threshold(mu, epsilon);
            let slope = ln_density(a, part) + libm::log(mills(a + mu)) - here;
            let newton = epsilon + excess / libm::exp(slope);
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if (next - epsilon).abs() <= 2.0 * f64::EPSILON * epsilon {
                break;
            }
            epsilon = next;
        }
        // What is returned has been verified, whatever the iteration did.
        let mut step = SLACK;
        while delta_bound(mu, epsilon) > delta {
            epsilon = (epsilon * (1.0 + step)).next_up();
            step *= 2.0;
        }
        Epsilon::new(epsilon)
    }

    /// The largest μ all of whose μ-GDP releases are (ε, δ)-DP, rounded down: the budget (ε, δ) spent on a Gaussian
    /// mechanism. (An arbitrary (ε, δ)-DP release is *not* μ-GDP for this or any μ.)
    ///
    /// # Errors
    /// [`BudgetError::NoSuchBound`] at δ = 0.
    pub fn within(epsilon: Epsilon, delta: Delta) -> Result<Self, BudgetError> {
        let (epsilon, delta) = (epsilon.get(), delta.get());
        if delta == 0.0 {
            return Err(BudgetError::NoSuchBound(
                "no Gaussian mechanism meets delta = 0; state a positive delta or use a Laplace mechanism",
            ));
        }
        let ln_delta = libm::log(delta);
        // Two lower ends that certainly meet the target: δ(ε) ≤ exp(−a²/2), and δ(ε) ≤ δ(0) ≤ μ/√(2π).
        let depth = libm::sqrt(-2.0 * ln_delta);
        let from_tail = 2.0 * epsilon / (depth + libm::sqrt(depth * depth + 2.0 * epsilon));
        let from_centre = delta * libm::exp(LN_SQRT_2PI);
        let mut low = from_tail.max(from_centre).max(f64::MIN_POSITIVE);
        let mut high = 2.0 * low;
        while ln_delta_nearest(high, epsilon) <= ln_delta && high < 1e300 {
            (low, high) = (high, 2.0 * high);
        }
        let mut mu = low;
        for _ in 0..200 {
            let here = ln_delta_nearest(mu, epsilon);
            let excess = here - ln_delta;
            if excess > 0.0 {
                high = mu
            } else {
                low = mu
            }
            // dδ/dμ = φ(a).
            let (a, part) = threshold(mu, epsilon);
            let slope = libm::exp(ln_density(a, part) - here);
            let newton = mu - excess / slope;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if (next - mu).abs() <= 2.0 * f64::EPSILON * mu {
                break;
            }
            mu = next;
        }
        let mut step = SLACK;
        while delta_bound(mu, epsilon) > delta {
            mu = down(mu * (1.0 - step));
            step = (2.0 * step).min(0.5);
        }
        Self::new(mu)
    }

    /// A part s·μ, and what is left: μ² = (sμ)² + rest², a hair less, so that rounding does not carry the sum above the whole.
    ///
    /// # Errors
    /// [`BudgetError`] for shares that leave nothing.
    pub fn split(self, share: f64) -> Result<(Self, Self), BudgetError> {
        let rest = self.get() * (1.0 - share * share).sqrt() * (1.0 - margins::SPLIT);
        Ok((Self::new(share * self.get())?, Self::new(rest)?))
    }

    /// The smallest μ for which every ε-DP release is μ-GDP, rounded up: μ = −2Φ⁻¹(1/(1+e^ε)). An ε-DP release is no
    /// easier to see through than randomized response, whose best test has α + β = 2/(1+e^ε).
    ///
    /// # Errors
    /// [`BudgetError::OutOfRange`] at ε = 0, which is no loss.
    pub fn of_pure(epsilon: Epsilon) -> Result<Self, BudgetError> {
        let epsilon = epsilon.get();
        let mu = if epsilon <= 1.0 {
            // erf(μ/(2√2)) = tanh(ε/2); erf is concave, so Newton's steps from the left do not overshoot.
            let target = libm::tanh(0.5 * epsilon);
            let mut y = 0.5 / std::f64::consts::FRAC_2_SQRT_PI * 2.0 * target;
            for _ in 0..30 {
                let step = (target - libm::erf(y)) / (std::f64::consts::FRAC_2_SQRT_PI * libm::exp(-y * y));
                y += step;
                if step.abs() <= f64::EPSILON * y {
                    break;
                }
            }
            2.0 * std::f64::consts::SQRT_2 * y
        } else {
            2.0 * upper_quantile_ln(-(epsilon + libm::log1p(libm::exp(-epsilon))))
        };
        if mu > 0.0 {
            Self::new(up(mu))
        } else {
            Err(BudgetError::OutOfRange { name: "epsilon", range: "positive", value: epsilon })
        }
    }

    /// √(Σμᵢ²), rounded up: the loss of all of `parts` together, adaptively chosen or not (Dong, Roth and Su 2019,
    /// Corollary 3.3). `None` for no parts.
    ///
    /// # Errors
    /// [`BudgetError::OutOfRange`] when the sum overflows.
    ///
    /// ```
    /// use visard_privacy::privacy::Mu;
    /// assert_eq!(Mu::compose([Mu::new(3.0)?, Mu::new(4.0)?])?, Some(Mu::new(5.0)?));
    /// # Ok::<(), visard_privacy::privacy::BudgetError>(())
    /// ```
    pub fn compose(parts: impl IntoIterator<Item = Self>) -> Result<Option<Self>, BudgetError> {
        let parts: Vec<f64> = parts.into_iter().map(Self::get).collect();
        let Some(largest) = parts.iter().copied().reduce(f64::max) else { return Ok(None) };
        if let [only] = parts[..] {
            return Self::new(only).map(Some);
        }
        // A power of two near the largest keeps the squares in range and is exact to divide by.
        let scale = libm::exp2(libm::floor(libm::log2(largest)).clamp(-1000.0, 1000.0));
        let sum = parts.iter().map(|mu| mul_up(mu / scale, mu / scale)).fold(0.0, add_up);
        Self::new(sqrt_up(sum) * scale).map(Some)
    }

    /// ρ = μ²/2 of zero-concentrated privacy, rounded up: what μ-GDP implies (the Rényi divergence between N(0, 1) and
    /// N(μ, 1) is αμ²/2, and trade-off dominance implies Rényi dominance: Dong, Roth and Su 2019, §B).
    ///
    /// # Errors
    /// [`BudgetError::OutOfRange`] when μ² overflows.
    pub fn to_rho(self) -> Result<Rho, BudgetError> {
        Rho::new(mul_up(self.get(), 0.5 * self.get()).next_up())
    }

    /// The best power of any test at false-alarm rate `alpha`, rounded up: 1 − G_μ(α) = Φ(Φ⁻¹(α) + μ).
    pub fn power_at(self, alpha: f64) -> f64 {
        if alpha <= 0.0 {
            return 0.0;
        }
        up(cdf(quantile(alpha) + self.get())).clamp(alpha.min(1.0), 1.0)
    }

    /// The best chance of a right guess between two equally likely neighbours, rounded up: Φ(μ/2).
    pub fn guess_probability(self) -> f64 {
        up(cdf(0.5 * self.get())).min(1.0)
    }
}

#[cfg(test)]
#[rustfmt::skip]
mod reference;
#[cfg(test)]
mod tests;
