//! The exact Gaussian-DP parameter of the Riemannian Gaussian mechanism, by quadrature.
//!
//! N(η, σ²) has density ∝ exp(−d²(y, η)/2σ²). On a two-point homogeneous space the pair of neighbouring means matters only
//! through its distance Δ, and the likelihood-ratio sets are A = {d²(y, η′) − d²(y, η) ≥ 2σ²ε}. The mechanism is μ-GDP iff
//! δ(ε) = P_η(A) − e^ε P_η′(A) ≤ δ_μ(ε) for all ε ≥ 0 (Jiang et al. 2023, Theorem 3; Dong, Roth and Su 2022, Corollary 2.13).
//! An isometry that swaps η and η′ gives P_η′(A) = P_η{d²(y, η′) ≤ d²(y, η) − 2σ²ε}: one family of integrals.
//!
//! On ℝᵈ, Sᵈ and Hᵈ the implied μ(ε) was found largest at ε = 0 in every case computed; no proof is known. On ℂPᵐ it is not always:
//! with m = 98, Δ = 0.7 and σ = 2 (noise as wide as the space) it rises by 0.09 % to a maximum near ε = μ. So the supremum is taken
//! over a grid of ε down to δ(ε) of 1e-13, refined about its largest value, and a margin of 1e-10 added.

use super::quadrature::integrate;
use super::two_point::TwoPointSpace;
use crate::privacy::gaussian::ln_delta_nearest;
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
    Ok(Mu::new(sup * (1.0 + MARGIN))?)
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
        return Ok(delta / mu.get());
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
pub(super) fn riemannian_gaussian_sigma_roughly(
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
                // The table has μ at ε = 0, which is not always the supremum here.
                _ => implied_mu(TwoPointSpace::ComplexProjective { dim }, delta, sigma, 0.0),
            };
            let expected = if field[5].is_empty() { number(4) } else { number(5) };
            assert!((found - expected).abs() < 1e-9 * expected.max(1.0), "{line}: {found}");
        });
    }

    /// δ(ε) itself on ℂPᵐ, by a sum over a grid of the plane spanned by η and η′ that uses neither shares nor Mills' ratios: with
    /// y = (y₀, y₁, …), |y₀|² + |y₁|² = s has law Beta(2, m − 1), and (y₀, y₁)/√s is uniform on S³, whose Hopf map to S² turns
    /// |y₀|² and |⟨η′, y⟩|² into s(1 + n·p)/2, s(1 + n·p′)/2 with p, p′ unit vectors 2Δ apart.
    #[test]
    fn small_deltas_on_complex_projective_spaces() {
        for (m, delta, sigma, epsilon) in [(2, 0.3, 0.25, 4.0), (5, 0.1, 0.08, 5.0), (11, 0.05, 0.03, 7.0)] {
            let space = TwoPointSpace::ComplexProjective { dim: m };
            let law = DistanceLaw::new(space, delta, sigma, 45.0 + 4.0 * epsilon);
            let c = 2.0 * sigma * sigma * epsilon;
            let found = law.farther(c) - epsilon.exp() * law.nearer(-c);
            let (mut total, mut excess) = (0.0, 0.0);
            let (fine, around) = (300, 240);
            let (cosine, sine) = ((2.0 * delta).cos(), (2.0 * delta).sin());
            for i in 0..fine {
                // s = 1 − v², which spreads the end where the mass is.
                let v = (f64::from(i) + 0.5) / f64::from(fine);
                let s = 1.0 - v * v;
                let weight_s = s * v.powi(2 * m as i32 - 3);
                for j in 0..2 * fine {
                    // n·p = 1 − 2x², likewise.
                    let x = (f64::from(j) + 0.5) / f64::from(2 * fine);
                    let u = 1.0 - 2.0 * x * x;
                    let near = (0.5 * s * (1.0 + u)).sqrt().min(1.0).acos();
                    let here = weight_s * x * (-0.5 * (near / sigma).powi(2)).exp();
                    if here == 0.0 {
                        continue;
                    }
                    total += here;
                    for k in 0..around {
                        let angle = std::f64::consts::PI * (f64::from(k) + 0.5) / f64::from(around);
                        let other = u * cosine + (1.0 - u * u).max(0.0).sqrt() * sine * angle.cos();
                        let far = (0.5 * s * (1.0 + other)).max(0.0).sqrt().min(1.0).acos();
                        let loss = (far * far - near * near) / (2.0 * sigma * sigma);
                        if loss > epsilon {
                            excess += here * -(epsilon - loss).exp_m1() / f64::from(around);
                        }
                    }
                }
            }
            let expected = excess / total;
            assert!(found < 1e-3 && (found / expected - 1.0).abs() < 2e-3, "{m}: {found:e} {expected:e}");
        }
    }

    /// Against a scan of ε at all δ(ε) down to 1e-13, in dimensions up to 98 (100 landmarks). With noise that leaves something of the
    /// mean the supremum is at ε = 0; with noise as wide as the space it is not. (By summation as above, for m = 98, Δ = 0.7, σ = 2
    /// the largest of the implied μ is 1.0009 of that at 0, at ε = μ.)
    #[test]
    fn the_supremum_on_complex_projective_spaces() {
        for (m, delta, sigma, at_least, at_most) in [
            (2, 0.01, 0.003, 1.0, 1.0),
            (2, 0.7, 2.0, 1.0, 1.0),
            (11, 0.05, 0.02, 1.0, 1.0),
            (48, 0.002, 0.002, 1.0, 1.0),
            (48, 0.05, 1.0, 1.0, 1.0),
            (98, 0.3, 0.2, 1.0, 1.0),
            (98, 0.7, 2.0, 1.0008, 1.001),
        ] {
            let space = TwoPointSpace::ComplexProjective { dim: m };
            let (at_zero, sup) = (implied_mu(space, delta, sigma, 0.0), mu(space, delta, sigma));
            let ratio = sup / at_zero;
            assert!(ratio > at_least && ratio < at_most * (1.0 + 2e-10), "{m} {delta} {sigma}: {ratio}");
            let end = at_zero * (7.3 + 0.5 * at_zero);
            let seen: Vec<f64> = (1..=16)
                .into_par_iter()
                .map(|i| implied_mu(space, delta, sigma, end * f64::from(i) / 17.0))
                .filter(|mu| mu.is_finite())
                .collect();
            assert!(
                seen.len() >= 5 && seen.iter().all(|mu| *mu <= sup),
                "{m} {delta} {sigma}: {seen:?} {sup}"
            );
        }
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
