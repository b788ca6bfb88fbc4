//! The exact Gaussian-DP parameter of the Riemannian Gaussian mechanism, by quadrature.
//!
//! N(η, σ²) has density ∝ exp(−d²(y, η)/2σ²). On a two-point homogeneous space the pair of neighbouring means matters only
//! through its distance Δ, and the likelihood-ratio sets are A = {d²(y, η′) − d²(y, η) ≥ 2σ²ε}. The mechanism is μ-GDP iff
//! δ(ε) = P_η(A) − e^ε P_η′(A) ≤ δ_μ(ε) for all ε ≥ 0 (Jiang et al. 2023, Theorem 3; Dong, Roth and Su 2022, Corollary 2.13).
//! An isometry that swaps η and η′ gives P_η′(A) = P_η{d²(y, η′) ≤ d²(y, η) − 2σ²ε}: one family of integrals.
//!
//! The implied μ(ε) was found largest at ε = 0 in every case computed so far; no proof is known, so the supremum over a grid
//! of ε is taken and a margin of 1e-10 added.

use super::quadrature::integrate;
use super::two_point::TwoPointSpace;
use crate::privacy::normal;
use crate::privacy::{BudgetError, Mu};
use rayon::prelude::*;

/// Relative margin on μ for quadrature error.
const MARGIN: f64 = 1e-10;

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
/// use visard::mechanism::manifold::{TwoPointSpace, riemannian_gaussian_mu};
/// let mu = riemannian_gaussian_mu(TwoPointSpace::Sphere { dim: 2 }, 1.0, 1.0)?;
/// assert!((mu.get() - 0.822482728545).abs() < 1e-9);
/// # Ok::<(), visard::mechanism::manifold::GaussianGdpError>(())
/// ```
pub fn riemannian_gaussian_mu(space: TwoPointSpace, delta: f64, sigma: f64) -> Result<Mu, GaussianGdpError> {
    check(space, delta, sigma)?;
    if let TwoPointSpace::Euclidean { .. } = space {
        return Ok(Mu::new(delta / sigma)?);
    }
    let at_zero = implied_mu(space, delta, sigma, 0.0);
    // ε up to where the Gaussian curve's δ has fallen to about 1e-2 of its value: beyond, noise of the quadrature rules.
    let largest = at_zero * (2.0 + 0.5 * at_zero);
    // On ℂPᵐ every integral is a double one.
    let steps = if matches!(space, TwoPointSpace::ComplexProjective { .. }) { 6 } else { 20 };
    let sup = (1..=steps)
        .into_par_iter()
        .map(|i| implied_mu(space, delta, sigma, largest * (f64::from(i) / f64::from(steps)).powi(2)))
        .filter(|mu| mu.is_finite())
        .reduce(|| at_zero, f64::max);
    Ok(Mu::new(sup * (1.0 + MARGIN))?)
}

/// The smallest σ (to 1e-10, rounded up) for which the Riemannian Gaussian is μ-GDP for means at most Δ apart.
///
/// # Errors
/// [`GaussianGdpError`].
pub fn riemannian_gaussian_sigma(space: TwoPointSpace, delta: f64, mu: Mu) -> Result<f64, GaussianGdpError> {
    check(space, delta, 1.0)?;
    if let TwoPointSpace::Euclidean { .. } = space {
        return Ok(delta / mu.get());
    }
    // μ falls with σ, nearly as 1/σ: regula falsi (Illinois) in logarithms on the cheap ε = 0 value, then the full check.
    let target = mu.get() * (1.0 - 3.0 * MARGIN);
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
        if high - low < 1e-11 {
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
    // Should the supremum ever lie at another ε, the scale grows until the full check holds.
    let mut sigma = high.exp();
    while riemannian_gaussian_mu(space, delta, sigma)?.get() > mu.get() {
        sigma *= 1.0 + 1e-9;
    }
    Ok(sigma)
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
        let pieces = 8 + (depth / 10.0) as i32;
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
        let ends = (self.breaks[0], self.breaks[self.breaks.len() - 1]);
        let mut breaks = self.breaks.clone();
        breaks.extend(self.space.kinks(self.delta, c).into_iter().filter(|k| *k > ends.0 && *k < ends.1));
        breaks.sort_by(f64::total_cmp);
        self.expect(&breaks, |r| {
            let square = r * r + c;
            if square <= 0.0 { 0.0 } else { self.space.share_within(r, self.delta, square.sqrt()) }
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
    // 1 − δ = Q(c) + e^ε Q(−c), decreasing in μ for the Gaussian: bisect.
    let c = 2.0 * sigma * sigma * epsilon;
    let wanted = law.nearer(c) + epsilon.exp() * law.nearer(-c);
    if wanted.is_nan() || wanted > 1.0 - 1e-3 {
        return f64::NAN;
    }
    let complement = |mu: f64| {
        normal::cdf(epsilon / mu - 0.5 * mu) + epsilon.exp() * normal::cdf(-epsilon / mu - 0.5 * mu)
    };
    let (mut low, mut high) = (1e-9, 1e3);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if complement(middle) > wanted {
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
mod tests {
    use super::*;

    fn mu(space: TwoPointSpace, delta: f64, sigma: f64) -> f64 {
        riemannian_gaussian_mu(space, delta, sigma).unwrap().get()
    }

    #[test]
    fn published_values() {
        for (space, expected) in [
            (TwoPointSpace::Sphere { dim: 1 }, 0.983169214812546),
            (TwoPointSpace::Sphere { dim: 2 }, 0.822482728545),
            (TwoPointSpace::Sphere { dim: 5 }, 0.597471739702),
            (TwoPointSpace::Hyperbolic { dim: 2 }, 1.161223864995),
            (TwoPointSpace::Hyperbolic { dim: 3 }, 1.366561800366197),
        ] {
            let found = mu(space, 1.0, 1.0);
            assert!((found - expected).abs() < 1e-9, "{space:?}: {found}");
            assert!(found >= expected - 1e-12, "rounded towards more loss");
        }
    }

    /// All of `riemannian_gaussian_mu.csv` to 1e-9.
    #[test]
    fn reference_table() {
        let data = std::env::var("VISARD_DATA").unwrap_or_else(|_| "../shared/data".into());
        let Ok(text) = std::fs::read_to_string(format!("{data}/reference/riemannian_gaussian_mu.csv")) else {
            eprintln!("SKIPPED: the reference table is not there; set VISARD_DATA");
            return;
        };
        let lines: Vec<&str> = text.lines().skip(1).collect();
        lines.par_iter().for_each(|line| {
            let field: Vec<&str> = line.split(',').collect();
            let dim = field[1].parse().unwrap();
            let number = |i: usize| field[i].parse::<f64>().unwrap();
            let (delta, sigma) = (number(2), number(3));
            let found = match field[0] {
                "R" => mu(TwoPointSpace::Euclidean { dim }, delta, sigma),
                "S" => mu(TwoPointSpace::Sphere { dim }, delta, sigma),
                "H" => mu(TwoPointSpace::Hyperbolic { dim }, delta, sigma),
                // The double integrals are slow: the whole supremum for small dimensions only.
                _ if dim <= 2 => mu(TwoPointSpace::ComplexProjective { dim }, delta, sigma),
                _ => implied_mu(TwoPointSpace::ComplexProjective { dim }, delta, sigma, 0.0),
            };
            let expected = if field[5].is_empty() { number(4) } else { number(5) };
            assert!((found - expected).abs() < 1e-9 * expected.max(1.0), "{line}: {found}");
        });
    }

    #[test]
    fn complex_line_is_the_sphere_of_radius_half() {
        for (delta, sigma) in [(0.3, 0.2), (0.7, 0.5)] {
            let line = mu(TwoPointSpace::ComplexProjective { dim: 1 }, delta, sigma);
            let sphere = mu(TwoPointSpace::Sphere { dim: 2 }, 2.0 * delta, 2.0 * sigma);
            assert!((line - sphere).abs() < 2e-9, "{line} {sphere}");
        }
    }

    #[test]
    fn calibration_inverts_and_rounds_up() {
        for space in [
            TwoPointSpace::Euclidean { dim: 3 },
            TwoPointSpace::Sphere { dim: 2 },
            TwoPointSpace::Hyperbolic { dim: 3 },
            TwoPointSpace::ComplexProjective { dim: 6 },
        ] {
            for target in [0.1, 1.0, 4.0] {
                let wanted = Mu::new(target).unwrap();
                let sigma = riemannian_gaussian_sigma(space, 0.01, wanted).unwrap();
                let found = mu(space, 0.01, sigma);
                assert!(found <= target && found > target * (1.0 - 1e-8), "{space:?} {target}: {found}");
            }
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let sphere = TwoPointSpace::Sphere { dim: 2 };
        for (delta, sigma) in [(0.0, 1.0), (4.0, 1.0), (1.0, -1.0), (f64::NAN, 1.0)] {
            assert!(riemannian_gaussian_mu(sphere, delta, sigma).is_err());
        }
        assert!(riemannian_gaussian_mu(TwoPointSpace::Sphere { dim: 0 }, 1.0, 1.0).is_err());
    }
}
