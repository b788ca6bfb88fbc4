//! The exact Gaussian-DP parameter of the Riemannian Gaussian mechanism, by quadrature.
//!
//! N(η, σ²) has density ∝ exp(−d²(y, η)/2σ²). On a two-point homogeneous space the pair of neighbouring means matters only
//! through its distance Δ, and the likelihood-ratio sets are A = {d²(y, η′) − d²(y, η) ≥ 2σ²ε}. The mechanism is μ-GDP iff
//! δ(ε) = P_η(A) − e^ε P_η′(A) ≤ δ_μ(ε) for all ε ≥ 0 (Jiang et al. 2023, Theorem 3; Dong, Roth and Su 2022, Corollary 2.13).
//! An isometry that swaps η and η′ gives P_η′(A) = P_η{d²(y, η′) ≤ d²(y, η) − 2σ²ε}: one family of integrals.
//!
//! The implied μ(ε) is often largest at ε = 0, but not always: on H² with Δ = 4 and σ = 1 it is 4.40607 at 0 and 4.40696 at ε = 5.7; on
//! ℂP⁹⁸ with Δ = 0.7 and σ = 2 (noise as wide as the space) it rises by 0.09 % to a maximum near ε = μ. So the supremum is taken
//! over a grid of ε down to δ(ε) of 1e-13, refined about its largest value, and a margin added ([`margins::GAUSSIAN_CURVE`]).

use crate::manifold::TwoPointSpace;
use crate::numeric::margins;
use crate::numeric::quadrature::integrate;
use crate::privacy::gaussian::ln_delta_nearest;
use crate::privacy::normal;
use crate::privacy::{BudgetError, Mu};
use rayon::prelude::*;

/// Why no μ or σ was found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GaussianGdpError {
    /// σ, μ or Δ out of range.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// A dimension no such space has.
    #[error("the dimension must be at least 1")]
    Dimension,
    /// Δ beyond the space.
    #[error("the sensitivity {delta} exceeds the largest distance {diameter} of the space")]
    Sensitivity {
        /// Δ.
        delta: f64,
        /// The space's diameter.
        diameter: f64,
    },
    /// No σ gives this μ.
    #[error("no noise scale between 1e-9 and 1e9 gives mu = {0} on this space")]
    NoScale(f64),
}

/// The smallest μ for which the Riemannian Gaussian with scale σ is μ-GDP for means at most Δ apart.
///
/// # Errors
/// [`GaussianGdpError`] for parameters out of range.
///
/// ```
/// use visard_manifold::manifold::TwoPointSpace;
/// use visard_mechanism::mechanism::manifold::riemannian_gaussian_mu;
/// let mu = riemannian_gaussian_mu(TwoPointSpace::Sphere { dim: 2 }, 1.0, 1.0)?;
/// assert!((mu.get() - 0.822482728545).abs() < 1e-9);
/// # Ok::<(), visard_mechanism::mechanism::manifold::GaussianGdpError>(())
/// ```
pub fn riemannian_gaussian_mu(space: TwoPointSpace, delta: f64, sigma: f64) -> Result<Mu, GaussianGdpError> {
    check(space, delta, sigma)?;
    if let TwoPointSpace::Euclidean { .. } = space {
        return Ok(Mu::new(delta / sigma)?);
    }
    let implied = |epsilon: f64| implied_mu(space, delta, sigma, epsilon);
    let at_zero = implied(0.0);
    // ε up to where the Gaussian curve's δ has fallen to about 1e-13: beyond, noise of the quadrature rules.
    let largest = at_zero * (7.3 + 0.5 * at_zero);
    // On ℂPᵐ every integral is a double one.
    let steps = if matches!(space, TwoPointSpace::ComplexProjective { .. }) { 12 } else { 24 };
    let at = |i: i32| largest * (f64::from(i) / f64::from(steps)).powi(2);
    let values: Vec<f64> = (1..=steps).into_par_iter().map(|i| implied(at(i))).collect();
    let (mut sup, mut best) = (at_zero, 0);
    for (i, mu) in (1..).zip(values) {
        // NaN where δ is too small to tell.
        if mu > sup {
            (sup, best) = (mu, i);
        }
    }
    if best == 0 && implied(0.1 * at(1)) > at_zero * (1.0 + 1e-12) {
        best = 1;
    }
    if best > 0 {
        sup = sup.max(largest_between(implied, at(best - 1), at(best + 1)));
    }
    Ok(Mu::new(sup * (1.0 + margins::GAUSSIAN_CURVE))?)
}

/// The largest value of a unimodal function on an interval, by golden section: of a smooth peak far more digits than of its place.
fn largest_between(f: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    let (mut low, mut high) = (low, high);
    let (mut x, mut y) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_x, mut at_y) = (f(x), f(y));
    for _ in 0..18 {
        // NaN, beyond the last ε that can be told, counts as small.
        if at_y > at_x {
            (low, x, at_x) = (x, y, at_y);
            y = low + GOLDEN * (high - low);
            at_y = f(y);
        } else {
            (high, y, at_y) = (y, x, at_x);
            x = high - GOLDEN * (high - low);
            at_x = f(x);
        }
    }
    at_x.max(at_y)
}

/// The smallest σ (to 1e-10, rounded up) for which the Riemannian Gaussian is μ-GDP for means at most Δ apart.
///
/// # Errors
/// [`GaussianGdpError`].
pub fn riemannian_gaussian_sigma(space: TwoPointSpace, delta: f64, mu: Mu) -> Result<f64, GaussianGdpError> {
    check(space, delta, 1.0)?;
    if let TwoPointSpace::Euclidean { .. } = space {
        return Ok((delta / mu.get()).next_up());
    }
    let mut sigma = sigma_at_zero(space, delta, mu, 1e-11)?;
    // Where the supremum lies at another ε, the scale grows until the full check holds.
    loop {
        let found = riemannian_gaussian_mu(space, delta, sigma)?.get();
        if found <= mu.get() {
            return Ok(sigma);
        }
        sigma *= (found / mu.get()).max(1.0 + 1e-9);
    }
}

/// σ to about one per mille, from the implied μ at ε = 0 only: for figures, not for noise that is released.
#[doc(hidden)]
pub fn riemannian_gaussian_sigma_roughly(
    space: TwoPointSpace,
    delta: f64,
    mu: Mu,
) -> Result<f64, GaussianGdpError> {
    check(space, delta, 1.0)?;
    sigma_at_zero(space, delta, mu, 1e-3)
}

/// The upper end of an interval of ln σ, no wider than `width`, that holds the root of the implied μ at ε = 0.
fn sigma_at_zero(space: TwoPointSpace, delta: f64, mu: Mu, width: f64) -> Result<f64, GaussianGdpError> {
    // μ falls with σ, nearly as 1/σ: regula falsi (Illinois) in logarithms on the cheap ε = 0 value.
    let target = mu.get() * (1.0 - 3.0 * margins::GAUSSIAN_CURVE);
    let excess = |ln_sigma: f64| (implied_mu(space, delta, ln_sigma.exp(), 0.0) / target).ln();
    let flat = (delta / mu.get()).ln();
    let (mut low, mut high) = (flat - 0.1, flat + 0.1);
    let (mut at_low, mut at_high) = (excess(low), excess(high));
    let none = || GaussianGdpError::NoScale(mu.get());
    while at_low < 0.0 {
        (high, at_high) = (low, at_low);
        low -= 0.7;
        at_low = excess(low);
        if low < -21.0 {
            return Err(none());
        }
    }
    while at_high.is_nan() || at_high > 0.0 {
        (low, at_low) = (high, at_high);
        high += 0.7;
        at_high = excess(high);
        if high > 21.0 {
            return Err(none());
        }
    }
    let (mut weight_low, mut weight_high) = (at_low, at_high);
    for _ in 0..100 {
        if high - low < width {
            break;
        }
        let middle = ((low * weight_high - high * weight_low) / (weight_high - weight_low))
            .clamp(low + 1e-3 * (high - low), high - 1e-3 * (high - low));
        let value = excess(middle);
        if value > 0.0 {
            (low, weight_low, weight_high) = (middle, value, 0.5 * weight_high);
        } else {
            (high, weight_high, weight_low) = (middle, value, 0.5 * weight_low);
        }
    }
    Ok(high.exp())
}

fn check(space: TwoPointSpace, delta: f64, sigma: f64) -> Result<(), GaussianGdpError> {
    for (name, value) in [("sensitivity", delta), ("sigma", sigma)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(BudgetError::OutOfRange { name, range: "a positive finite number", value }.into());
        }
    }
    if space.real_dim() == 0 {
        return Err(GaussianGdpError::Dimension);
    }
    if delta > space.diameter() {
        return Err(GaussianGdpError::Sensitivity { delta, diameter: space.diameter() });
    }
    Ok(())
}

/// The joint law of d(y, η) and d(y, η′) for y ~ N(η, σ²).
struct DistanceLaw {
    space: TwoPointSpace,
    delta: f64,
    sigma: f64,
    /// ln of the largest radial density.
    peak: f64,
    /// Ends of intervals that resolve the radial density.
    breaks: Vec<f64>,
    total: f64,
}

impl DistanceLaw {
    /// `depth`: how far ln-density falls before the tail is cut.
    fn new(space: TwoPointSpace, delta: f64, sigma: f64, depth: f64) -> Self {
        let ln = |t: f64| space.ln_area(t) - 0.5 * (t / sigma).powi(2);
        let (mode, low, high) =
            support(&ln, space.diameter(), sigma * (space.real_dim() as f64).sqrt(), depth);
        let pieces = 5 + (depth / 15.0) as i32;
        let mut breaks: Vec<f64> =
            (0..=pieces).map(|i| low + (high - low) * f64::from(i) / f64::from(pieces)).collect();
        breaks.push(mode);
        breaks.sort_by(f64::total_cmp);
        let peak = ln(mode);
        let mut law = Self { space, delta, sigma, peak, breaks, total: 1.0 };
        law.total = law.expect(&law.breaks, |_| 1.0);
        law
    }

    fn density(&self, t: f64) -> f64 {
        (self.space.ln_area(t) - 0.5 * (t / self.sigma).powi(2) - self.peak).exp() / self.total
    }

    fn expect(&self, breaks: &[f64], f: impl Fn(f64) -> f64) -> f64 {
        integrate(breaks, |t| self.density(t) * f(t))
    }

    /// P_η{d²(y, η′) < d²(y, η) + c}.
    fn nearer(&self, c: f64) -> f64 {
        self.share(c, |r, rho| self.space.share_within(r, self.delta, rho), 0.0)
    }

    /// P_η{d²(y, η′) ≥ d²(y, η) + c}: the rest, not as a difference.
    fn farther(&self, c: f64) -> f64 {
        self.share(c, |r, rho| self.space.share_beyond(r, self.delta, rho), 1.0)
    }

    /// The expectation of `share`(r, √(r² + c)), `otherwise` where there is no root.
    fn share(&self, c: f64, share: impl Fn(f64, f64) -> f64, otherwise: f64) -> f64 {
        let ends = (self.breaks[0], self.breaks[self.breaks.len() - 1]);
        let mut breaks = self.breaks.clone();
        breaks.extend(self.space.kinks(self.delta, c).into_iter().filter(|k| *k > ends.0 && *k < ends.1));
        breaks.sort_by(f64::total_cmp);
        self.expect(&breaks, |r| {
            let square = r * r + c;
            if square <= 0.0 { otherwise } else { share(r, square.sqrt()) }
        })
    }
}

/// The μ whose Gaussian curve passes through (ε, δ(ε)); NaN where δ(ε) is too small to tell.
fn implied_mu(space: TwoPointSpace, delta: f64, sigma: f64, epsilon: f64) -> f64 {
    let law = DistanceLaw::new(space, delta, sigma, 45.0 + 4.0 * epsilon);
    if epsilon == 0.0 {
        // δ(0) = 1 − 2Q with Q = P{nearer to η′}, μ = −2Φ⁻¹(Q): Q keeps its digits where μ is large.
        return -2.0 * normal::quantile(law.nearer(0.0));
    }
    let c = 2.0 * sigma * sigma * epsilon;
    let other = epsilon.exp() * law.nearer(-c);
    // δ = P_η(A) − e^ε P_η′(A), or its complement where that is the smaller: each a sum of positive terms up to one difference that
    // costs a digit or two.
    let small = law.farther(c) - other;
    let wanted = if small < 0.5 { small.ln() } else { -(law.nearer(c) + other) };
    if wanted.is_nan() || small < SMALLEST_DELTA {
        return f64::NAN;
    }
    let of_gaussian = |mu: f64| match small < 0.5 {
        true => ln_delta_nearest(mu, epsilon),
        false => {
            -(normal::cdf(epsilon / mu - 0.5 * mu) + epsilon.exp() * normal::cdf(-epsilon / mu - 0.5 * mu))
        }
    };
    let (mut low, mut high) = (1e-9, 1e3);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if of_gaussian(middle) < wanted {
            low = middle
        } else {
            high = middle
        }
        if high - low < 1e-14 * high {
            break;
        }
    }
    0.5 * (low + high)
}

/// Below this δ(ε) is left to the quadrature's rounding.
const SMALLEST_DELTA: f64 = 1e-14;

/// Mode of a unimodal ln-density on (0, end), and where it has fallen by `depth` on both sides.
fn support(ln: &impl Fn(f64) -> f64, end: f64, guess: f64, depth: f64) -> (f64, f64, f64) {
    let end = if end.is_finite() { end } else { grow(ln, guess, 2.0 * depth) };
    let (mut a, mut b) = (0.0, end);
    for _ in 0..200 {
        let (x, y) = (a + (b - a) / 3.0, b - (b - a) / 3.0);
        if ln(x) < ln(y) { a = x } else { b = y }
    }
    let mode = 0.5 * (a + b);
    let floor = ln(mode) - depth;
    let fall = |inside: f64, outside: f64| {
        if ln(outside) > floor {
            return outside;
        }
        let (mut inside, mut outside) = (inside, outside);
        for _ in 0..100 {
            let middle = 0.5 * (inside + outside);
            if ln(middle) > floor { inside = middle } else { outside = middle }
        }
        outside
    };
    (mode, fall(mode, 0.0), fall(mode, end))
}

/// A radius beyond which nothing is left.
fn grow(ln: &impl Fn(f64) -> f64, guess: f64, depth: f64) -> f64 {
    let mut end = 4.0 * guess;
    for _ in 0..200 {
        if ln(end) < ln(0.5 * end) - depth {
            return end;
        }
        end *= 1.5;
    }
    end
}

#[cfg(test)]
mod tests;
