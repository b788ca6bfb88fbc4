//! Rényi differential privacy and its one-parameter case, zero-concentrated privacy.
//!
//! A release has the Rényi curve τ(α) when D_α(A(D) ‖ A(D′)) ≤ τ(α) for all neighbours and α > 1 (Mironov 2017).
//! Curves of a composition add. For each order, (α, τ)-RDP gives (ε, δ)-DP with
//!
//! ```text
//! ε = τ + ln((α−1)/α) − (ln δ + ln α)/(α − 1)
//! ```
//!
//! (Balle, Barthe, Gaboardi, Hsu and Sato 2020, Theorem 21; Canonne, Kamath and Steinke 2020, Proposition 12). Each
//! order is a valid bound by itself, so minimizing over them needs no care: only each value is rounded up.

use super::rounding::{SLACK, add_up, mul_up, up};
use super::{BudgetError, Delta, Epsilon, Mu, Rho};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// ε at δ from order `order` with divergence `tau`, rounded up; may be negative.
fn epsilon_from(order: f64, tau: f64, ln_delta: f64) -> f64 {
    let terms =
        [tau, libm::log1p(-1.0 / order), -ln_delta / (order - 1.0), -libm::log(order) / (order - 1.0)];
    terms.iter().sum::<f64>() + SLACK * terms.iter().map(|t| t.abs()).sum::<f64>()
}

/// ln δ at ε from one order, rounded up; may be positive.
fn ln_delta_from(order: f64, tau: f64, epsilon: f64) -> f64 {
    let terms = [
        (order - 1.0) * tau,
        -(order - 1.0) * epsilon,
        (order - 1.0) * libm::log1p(-1.0 / order),
        -libm::log(order),
    ];
    terms.iter().sum::<f64>() + SLACK * terms.iter().map(|t| t.abs()).sum::<f64>()
}

impl Rho {
    /// The ε for which a ρ-zCDP release is (ε, δ)-DP, rounded up, the order optimized.
    ///
    /// # Errors
    /// [`BudgetError::NoSuchBound`] at δ = 0 or when ε would overflow.
    pub fn epsilon_at(self, delta: Delta) -> Result<Epsilon, BudgetError> {
        let ln_delta = positive(delta)?;
        let best = minimize(|order| epsilon_from(order, order * self.get(), ln_delta));
        if best.is_finite() { Epsilon::new(best.max(0.0)) } else { Err(OVERFLOW) }
    }

    /// A bound on δ(ε) of a ρ-zCDP release, rounded up, at most 1.
    pub fn delta_at(self, epsilon: Epsilon) -> f64 {
        up(libm::exp(minimize(|order| ln_delta_from(order, order * self.get(), epsilon.get())))).min(1.0)
    }
}

const OVERFLOW: BudgetError = BudgetError::NoSuchBound("epsilon is too large to be written as a number");

fn positive(delta: Delta) -> Result<f64, BudgetError> {
    if delta.get() > 0.0 {
        Ok(libm::log(delta.get()))
    } else {
        Err(BudgetError::NoSuchBound(
            "a Renyi bound gives no finite epsilon at delta = 0; state a positive delta",
        ))
    }
}

/// The smallest value of `f` seen over orders 1 + 2^x: a scan, then golden sections about its best point.
fn minimize(f: impl Fn(f64) -> f64) -> f64 {
    let at = |x: f64| {
        let value = f(1.0 + libm::exp2(x));
        if value.is_nan() { f64::INFINITY } else { value }
    };
    let (mut centre, mut best) = (0.0, f64::INFINITY);
    for k in -80..=160 {
        let x = 0.5 * k as f64;
        let value = at(x);
        if value < best {
            (centre, best) = (x, value);
        }
    }
    let (mut low, mut high) = (centre - 0.5, centre + 0.5);
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    for _ in 0..60 {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        let (at_left, at_right) = (at(left), at(right));
        best = best.min(at_left).min(at_right);
        if at_left < at_right { high = right } else { low = left }
    }
    best
}

/// The orders every curve is tabulated on: all integers from 2 to 128, every 2nd and 4th to 256 and 512 (where subsampled
/// mechanisms of small rates have their best order), and 1 + 2^(k/4) from 1.016 to 1e6.
fn orders() -> &'static [f64] {
    static ORDERS: OnceLock<Vec<f64>> = OnceLock::new();
    ORDERS.get_or_init(|| {
        let integers = (2..=128).chain((130..=256).step_by(2)).chain((260..=512).step_by(4));
        let mut all: Vec<f64> = integers.map(f64::from).collect();
        all.extend((-24..=80).map(|k| 1.0 + libm::exp2(k as f64 / 4.0)));
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    })
}

/// A Rényi curve τ(α), tabulated on fixed orders so that curves add; ∞ where a bound does not hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<(f64, Option<f64>)>", into = "Vec<(f64, Option<f64>)>")]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(extend("items" = {
    "type": "array",
    "minItems": 2,
    "maxItems": 2,
    "prefixItems": [{"type": "number", "exclusiveMinimum": 1}, {"type": ["number", "null"], "minimum": 0}]
})))]
pub struct RenyiCurve {
    values: Vec<f64>,
}

impl RenyiCurve {
    /// Tabulates `tau`, a bound on D_α for each order α > 1, which must be rounded up by the caller and be ∞ (or NaN)
    /// where its theorem does not apply.
    pub fn from_fn(tau: impl Fn(f64) -> f64) -> Self {
        let value = |order: &f64| {
            let tau = tau(*order);
            if tau.is_nan() { f64::INFINITY } else { tau.max(0.0) }
        };
        Self { values: orders().iter().map(value).collect() }
    }

    /// ε at δ by the tabulated order nearest to `order`, rounded up: for sums whose order is fixed before they are made.
    ///
    /// # Errors
    /// As [`Self::epsilon_at`].
    pub(super) fn epsilon_by_order(&self, order: f64, delta: Delta) -> Result<Epsilon, BudgetError> {
        let ln_delta = positive(delta)?;
        let pairs = orders().iter().zip(&self.values);
        let nearest = pairs.min_by(|(a, _), (b, _)| (*a - order).abs().total_cmp(&(*b - order).abs()));
        let epsilon = nearest.map_or(f64::INFINITY, |(order, tau)| epsilon_from(*order, *tau, ln_delta));
        if epsilon.is_finite() { Epsilon::new(epsilon.max(0.0)) } else { Err(OVERFLOW) }
    }

    /// αμ²/2: the Gaussian mechanism, and every μ-GDP release.
    pub fn of_gaussian(mu: Mu) -> Self {
        Self::from_fn(|order| mul_up(mul_up(mu.get(), mu.get()), 0.5 * order))
    }

    /// αρ.
    pub fn of_rho(rho: Rho) -> Self {
        Self::from_fn(|order| mul_up(rho.get(), order))
    }

    /// ε-DP: the curve of randomized response, which every ε-DP release lies under (Bun and Steinke 2016, Proposition 3.3 and its proof);
    /// never above min(ε, αε²/2).
    pub fn of_pure(epsilon: Epsilon) -> Self {
        let e = epsilon.get();
        Self::from_fn(|order| {
            // 1/(α−1) ln(p e^y + (1−p) e^{−y}), y = (α−1)ε, p = 1/(1+e^{−ε}), with e^y taken out.
            let y = (order - 1.0) * e;
            let miss = libm::exp(-e) / (1.0 + libm::exp(-e));
            let rest = libm::log1p(miss * libm::expm1(-2.0 * y));
            let exact = (y + rest + SLACK * (y + rest.abs())) / (order - 1.0);
            up(exact).min(up(0.5 * order * e * e)).min(e)
        })
    }

    /// The curve of this release and `other` together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self { values: self.values.iter().zip(&other.values).map(|(a, b)| add_up(*a, *b)).collect() }
    }

    /// The curve of `times` such releases.
    #[must_use]
    pub fn times(&self, times: u32) -> Self {
        let scaled = |a: &f64| if times == 0 { 0.0 } else { mul_up(*a, f64::from(times)) };
        Self { values: self.values.iter().map(scaled).collect() }
    }

    /// τ(α) at each tabulated order.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        orders().iter().copied().zip(self.values.iter().copied())
    }

    /// The ε at δ, over the tabulated orders, rounded up.
    ///
    /// # Errors
    /// [`BudgetError::NoSuchBound`] at δ = 0 or when no order gives a finite ε.
    pub fn epsilon_at(&self, delta: Delta) -> Result<Epsilon, BudgetError> {
        let ln_delta = positive(delta)?;
        let best = self.points().map(|(a, tau)| epsilon_from(a, tau, ln_delta)).fold(f64::INFINITY, f64::min);
        if best.is_finite() { Epsilon::new(best.max(0.0)) } else { Err(OVERFLOW) }
    }

    /// A bound on δ(ε) over the tabulated orders, rounded up, at most 1.
    pub fn delta_at(&self, epsilon: Epsilon) -> f64 {
        let best =
            self.points().map(|(a, tau)| ln_delta_from(a, tau, epsilon.get())).fold(f64::INFINITY, f64::min);
        up(libm::exp(best)).min(1.0)
    }
}

impl From<RenyiCurve> for Vec<(f64, Option<f64>)> {
    fn from(curve: RenyiCurve) -> Self {
        curve.points().map(|(order, tau)| (order, tau.is_finite().then_some(tau))).collect()
    }
}

impl TryFrom<Vec<(f64, Option<f64>)>> for RenyiCurve {
    type Error = BudgetError;
    fn try_from(points: Vec<(f64, Option<f64>)>) -> Result<Self, BudgetError> {
        let on_grid = points.len() == orders().len()
            && points.iter().zip(orders()).all(|((order, tau), expected)| {
                (order / expected - 1.0).abs() < 1e-15 && tau.is_none_or(|tau| tau >= 0.0)
            });
        if !on_grid {
            return Err(BudgetError::NoSuchBound("a Renyi curve is not tabulated on this version's orders"));
        }
        Ok(Self { values: points.into_iter().map(|(_, tau)| tau.unwrap_or(f64::INFINITY)).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn eps(x: f64) -> Epsilon {
        Epsilon::new(x).unwrap()
    }
    fn del(x: f64) -> Delta {
        Delta::new(x).unwrap()
    }

    /// `python3 -c "import mpmath as m; m.mp.dps=30
    /// f=lambda r,d: min((lambda a: a*r+m.log((a-1)/a)-(m.log(d)+m.log(a))/(a-1))(1+m.mpf(10)**(m.mpf(k)/1000)) for k in range(-3000,6000))
    /// [print(r,d,m.nstr(f(m.mpf(r),m.mpf(d)),10)) for r,d in ((0.5,1e-5),(0.005,1e-6),(10,1e-9))]"`
    #[test]
    fn zero_concentrated_conversion_agrees_with_a_dense_scan() {
        for (rho, d, truth) in
            [(0.5, 1e-5, 4.728_389_1), (0.005, 1e-6, 0.429_941_64), (10.0, 1e-9, 37.637_456_1)]
        {
            let got = Rho::new(rho).unwrap().epsilon_at(del(d)).unwrap().get();
            assert!((got / truth - 1.0).abs() < 1e-6, "rho {rho} delta {d}: {got}");
        }
    }

    #[test]
    fn pure_curves_match_the_hyperbolic_form_and_their_limits() {
        for e in [0.1f64, 1.0, 3.0] {
            for (order, tau) in RenyiCurve::of_pure(eps(e)).points().filter(|(order, _)| order * e < 300.0) {
                let form =
                    (((order * e).sinh() - ((order - 1.0) * e).sinh()) / e.sinh()).ln() / (order - 1.0);
                assert!(tau >= form * (1.0 - 1e-10), "order {order}: {tau} below {form}");
                assert!(tau <= form * (1.0 + 1e-9) || tau <= e, "order {order}: {tau} far above {form}");
            }
        }
        let far = RenyiCurve::of_pure(eps(1.0)).points().last().unwrap();
        assert!(far.0 > 1e6 && (far.1 - 1.0).abs() < 1e-5);
    }

    #[test]
    fn curves_survive_json_and_foreign_grids_do_not() {
        let curve = RenyiCurve::from_fn(|a| if a > 50.0 { f64::INFINITY } else { a / 3.0 });
        let text = serde_json::to_string(&curve).unwrap();
        assert_eq!(serde_json::from_str::<RenyiCurve>(&text).unwrap(), curve);
        assert!(serde_json::from_str::<RenyiCurve>("[[2.0,1.0]]").is_err());
        assert!(serde_json::from_str::<RenyiCurve>(&text.replacen("0.3", "-0.3", 1)).is_err());
    }

    #[test]
    fn nothing_holds_at_delta_zero_or_with_no_valid_order() {
        assert!(Rho::new(1.0).unwrap().epsilon_at(del(0.0)).is_err());
        let nowhere = RenyiCurve::from_fn(|_| f64::NAN);
        assert!(nowhere.epsilon_at(del(1e-6)).is_err());
        assert_eq!(nowhere.delta_at(eps(5.0)), 1.0);
        assert_eq!(nowhere.times(0), RenyiCurve::from_fn(|_| 0.0));
    }

    proptest! {
        /// The exact curve of a Gaussian is never above what its Rényi divergence implies.
        #[test]
        fn renyi_bounds_lie_above_the_exact_gaussian_curve(lg_mu in -3.0f64..1.5, lg_delta in -200.0f64..-1.0) {
            let (mu, d) = (Mu::new(10f64.powf(lg_mu)).unwrap(), del(10f64.powf(lg_delta)));
            let exact = mu.epsilon_at(d).unwrap().get();
            let by_rho = mu.to_rho().unwrap().epsilon_at(d).unwrap().get();
            let by_curve = RenyiCurve::of_gaussian(mu).epsilon_at(d).unwrap().get();
            prop_assert!(by_rho >= exact * (1.0 - 1e-12));
            prop_assert!(by_curve >= by_rho * (1.0 - 1e-9));
            prop_assert!(by_curve <= by_rho * 1.05 + 1e-9, "{} {}", by_curve, by_rho);
        }

        #[test]
        fn delta_and_epsilon_are_inverse_bounds(lg_rho in -5.0f64..2.0, lg_delta in -100.0f64..-1.0) {
            let (rho, d) = (Rho::new(10f64.powf(lg_rho)).unwrap(), del(10f64.powf(lg_delta)));
            let e = rho.epsilon_at(d).unwrap();
            prop_assume!(e.get() > 0.0);
            prop_assert!((rho.delta_at(e) / d.get()).ln().abs() < 1e-6);
        }
    }
}
