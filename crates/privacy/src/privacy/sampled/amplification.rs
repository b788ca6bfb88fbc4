//! Amplification by sampling: Rényi curves of the subsampled Gaussian mechanism when one record is *replaced*.
//!
//! A step draws a batch, sums clipped gradients of norm at most C, adds noise N(0, σ²) per dimension. In units of σ a record
//! moves the sum by at most m = C/σ when it joins, by 2m when it is replaced. Let the batch be drawn at rate q.
//!
//! # Poisson sampling
//!
//! Given the other records of the batch, the laws of the step under neighbours are (1−q)P₀ + qP₁ and (1−q)P₀ + qP₁′ with
//! P₁, P₁′ = N(z, I), N(z′, I), ‖z‖, ‖z′‖ ≤ m. **The worst pair is the one on a line,**
//!
//! ```text
//! P = (1−q) N(0, 1) + q N(m, 1),     Q = (1−q) N(0, 1) + q N(−m, 1),
//! ```
//!
//! for every hockey-stick divergence E_γ, γ ≥ 1. Proof. By advanced joint convexity (Balle, Barthe, Gaboardi 2018, Thm 2)
//! E_γ = q E_α(P₁ ‖ R), R = (1−β)P₀ + βP₁′, γ = 1 + q(α−1), β = γ/α. Under P₁, x = z + g with g standard normal, and
//!
//! ```text
//! dR/dP₁ = (1−β) e^{−⟨g, z⟩ − ‖z‖²/2} + β e^{−⟨g, z−z′⟩ − ‖z−z′‖²/2} = (1−β) U + β V,
//! ```
//!
//! U and V lognormal of mean 1 with parameters ‖z‖ ≤ m and ‖z − z′‖ ≤ 2m. E_α = E(1 − α((1−β)U + βV))₊ is the mean of a
//! convex function of a sum: it is largest when U and V are comonotone, and then grows with each of them in convex order,
//! that is with its parameter. Comonotone with parameters m and 2m: z = −z′ of length m. ∎ The pair is its own mirror
//! image, so it bounds both directions, and D_λ(P‖Q) bounds the step's Rényi divergence at every order; it is attained.
//!
//! # Sampling without replacement
//!
//! E_γ ≤ q H_α(2m), H that of N(2m, 1) from N(0, 1) (Balle, Barthe, Gaboardi 2018, Thm 11), in both directions: the
//! profile of t = 1 + q(e^{dx − d²/2} − 1), d = 2m, x ~ N(0, 1), on t ≥ 1. With (Sason and Verdú 2016, eq. 51)
//! exp((λ−1)D_λ) − 1 ≤ λ(λ−1) ∫₁^∞ (γ^{λ−2} + γ^{−λ−1}) E_γ dγ and E_γ = E(t − γ)₊ the integral over γ is done in closed
//! form, and both cases read
//!
//! ```text
//! exp((λ−1) D_λ) − 1 ≤ E_Q[t^λ + t^{1−λ} − 1 − t; t ≥ 1] = E_Q[4 √t sinh(λL/2) sinh((λ−1)L/2); L ≥ 0],   L = ln t,
//! ```
//!
//! a positive integrand: nothing cancels. It holds for every real λ > 1: no order is excluded, none is interpolated. At q = 1
//! it is the Gaussian mechanism's λ(2m)²/2.

use crate::numeric::margins;
use crate::numeric::quadrature::panels;
use crate::privacy::normal::LN_SQRT_2PI;
use serde::{Deserialize, Serialize};

/// How a batch is drawn. Batches are secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub enum Batches {
    /// Each record on its own, with probability q.
    Poisson,
    /// A uniform subset of qn records.
    Subset,
}

/// Above this product of order and shift the unamplified curve is taken: by then amplification has long been lost.
const LARGEST: f64 = 150.0;

/// Rényi divergences of one step under replacement of a record.
pub(super) struct Amplified {
    /// 2m.
    shift: f64,
    /// Distance of the nodes from the first, L, and ln of the weighted density under Q; empty without amplification.
    nodes: Vec<(f64, f64, f64)>,
}

/// ln(1 + q(eʸ − 1)).
pub(in super::super) fn ln_mixed(rate: f64, y: f64) -> f64 {
    if y < 30.0 {
        (rate * y.exp_m1()).ln_1p()
    } else {
        rate.ln() + y + ((1.0 - rate) / rate * (-y).exp()).ln_1p()
    }
}

impl Amplified {
    /// One step at rate q ∈ (0, 1] whose noise is `multiplier` = 1/m times one record's largest contribution.
    pub(super) fn new(law: Batches, rate: f64, multiplier: f64, largest_order: f64) -> Self {
        let (m, shift) = (1.0 / multiplier, 2.0 / multiplier);
        let largest_order = largest_order.min(LARGEST / shift);
        if rate >= 1.0 || largest_order <= 1.0 {
            return Self { shift, nodes: Vec::new() };
        }
        // L is analytic within π/shift of the axis: panels stay well inside.
        let width = 0.5f64.min(2.0 / shift);
        let nodes = panels(largest_order * shift + shift + 12.0, width).map(|(s, weight)| {
            let ln_density = |x: f64| -0.5 * x * x - LN_SQRT_2PI;
            let (l, ln_q) = match law {
                Batches::Poisson => {
                    let below = ln_mixed(rate, -m * s - 0.5 * m * m);
                    (ln_mixed(rate, m * s - 0.5 * m * m) - below, ln_density(s) + below)
                }
                // s = x − d/2, where t passes 1.
                Batches::Subset => (ln_mixed(rate, shift * s), ln_density(s + 0.5 * shift)),
            };
            (s, l, ln_q + weight.ln())
        });
        Self { shift, nodes: nodes.collect() }
    }

    /// A bound on D_λ, rounded up.
    pub(super) fn divergence(&self, order: f64) -> f64 {
        let plain = 0.5 * order * self.shift * self.shift * (1.0 + margins::RENYI);
        if self.nodes.is_empty() || order * self.shift > LARGEST {
            return plain;
        }
        // Beyond its last peak, near s = λd at most, the integrand falls like a Gaussian.
        let used = self.nodes.partition_point(|(s, _, _)| *s <= order * self.shift + self.shift + 12.0);
        let nodes = &self.nodes[..used];
        let term = |(_, l, ln_q): &(f64, f64, f64)| order * l + ln_q;
        let largest = nodes.iter().map(term).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = nodes
            .iter()
            .filter_map(|node| {
                let relative = term(node) - largest;
                let tails = || (-order * node.1).exp_m1() * (-(order - 1.0) * node.1).exp_m1();
                (relative > -50.0).then(|| relative.exp() * tails())
            })
            .sum();
        let ln_excess = largest + sum.ln() + margins::AMPLIFICATION;
        let ln_moment =
            if ln_excess > 0.0 { ln_excess + (-ln_excess).exp().ln_1p() } else { ln_excess.exp().ln_1p() };
        (ln_moment / (order - 1.0) * (1.0 + margins::RENYI)).min(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn ln_add(x: f64, y: f64) -> f64 {
        let (low, high) = if x < y { (x, y) } else { (y, x) };
        if high == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
    }

    /// Mironov, Talwar and Zhang 2019, eq. (3): ln E[(1 − q + q e^{mx − m²/2})^λ]/(λ−1), integer λ: a record joins.
    fn record_joins(order: u32, rate: f64, m: f64) -> f64 {
        let mut ln_choose = 0.0;
        let mut sum = f64::NEG_INFINITY;
        for j in 0..=order {
            if j > 0 {
                ln_choose += (f64::from(order - j + 1) / f64::from(j)).ln();
            }
            let k = f64::from(j);
            let rest = f64::from(order - j) * (-rate).ln_1p();
            sum = ln_add(sum, ln_choose + k * rate.ln() + rest + 0.5 * k * (k - 1.0) * m * m);
        }
        sum / f64::from(order - 1)
    }

    /// D_λ((1−q)N(0, I) + qN(z, I) ‖ (1−q)N(0, I) + qN(z′, I)) in the plane, z = (a, 0), z′ = b(cos θ, sin θ), by plain
    /// rectangles, which are exact to rounding for such functions.
    fn in_the_plane(order: f64, rate: f64, a: f64, b: f64, theta: f64) -> f64 {
        let h = 0.05;
        let mut sum = 0.0;
        let reach = order * 2.0 * a.max(b) + 9.0;
        let count = (reach / h) as i32;
        for i in -count..=count {
            for j in -count..=count {
                let (x, y) = (f64::from(i) * h, f64::from(j) * h);
                let p = (rate * (a * x - 0.5 * a * a).exp_m1()).ln_1p();
                let along = b * (x * theta.cos() + y * theta.sin());
                let q = (rate * (along - 0.5 * b * b).exp_m1()).ln_1p();
                sum += (order * p - (order - 1.0) * q - 0.5 * (x * x + y * y)).exp();
            }
        }
        (h * h * sum / (2.0 * PI)).ln() / (order - 1.0)
    }

    #[test]
    fn without_sampling_it_is_the_gaussian_mechanism() {
        // A rate just below one still goes through the integral.
        for law in [Batches::Poisson, Batches::Subset] {
            for multiplier in [4.0, 20.0] {
                let curve = Amplified::new(law, 1.0 - 1e-13, multiplier, 64.0);
                for order in [1.5, 2.0, 7.0] {
                    let truth = 0.5 * order * 4.0 / (multiplier * multiplier);
                    let got = curve.divergence(order);
                    assert!((got / truth - 1.0).abs() < 1e-6, "{law:?} {multiplier} {order}: {got} {truth}");
                    let exact = Amplified::new(law, 1.0, multiplier, 64.0).divergence(order);
                    assert!((exact / truth - 1.0).abs() < 1e-11);
                }
            }
        }
    }

    /// Integer orders have closed forms of the one-sided part: E[t^λ; t ≥ 1] by the binomial theorem, with Φ's.
    #[test]
    fn without_replacement_agrees_with_the_binomial_sum() {
        for (rate, multiplier, order) in
            [(0.1, 1.0, 2u32), (0.3, 4.0, 5), (0.2, 2.5, 8), (0.1, 0.7, 3), (0.01, 0.5, 4)]
        {
            let (d, q) = (2.0 / multiplier, rate);
            let cdf = |x: f64| 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
            let (mut choose, mut upper) = (1.0, 0.0);
            for j in 0..=order {
                if j > 0 {
                    choose *= f64::from(order - j + 1) / f64::from(j);
                }
                let k = f64::from(j);
                let weight = choose * (1.0f64 - q).powi((order - j) as i32) * f64::powi(q, j as i32);
                upper += weight * (0.5 * k * (k - 1.0) * d * d).exp() * cdf(d * (k - 0.5));
            }
            // E[t^{1−λ} − 1 − t; t ≥ 1] by rectangles: bounded and smooth.
            let h = 1e-4;
            let rest: f64 = (0..300_000)
                .map(|i| {
                    let x = 0.5 * d + (f64::from(i) + 0.5) * h;
                    let t = 1.0 + q * (d * x - 0.5 * d * d).exp_m1();
                    (t.powi(1 - order as i32) - 1.0 - t) * (-0.5 * x * x).exp()
                })
                .sum();
            let truth = (upper + h * rest / (2.0 * PI).sqrt()).ln_1p() / f64::from(order - 1);
            let curve = Amplified::new(Batches::Subset, rate, multiplier, 128.0);
            let got = curve.divergence(f64::from(order));
            assert!((got / truth - 1.0).abs() < 1e-6, "{rate} {multiplier} {order}: {got} against {truth}");
        }
    }

    #[test]
    fn poisson_is_the_worst_pair_and_no_pair_in_the_plane_is_worse() {
        for (rate, m, order) in [(0.1, 0.5, 2.0), (0.3, 0.8, 3.0), (0.05, 1.0, 1.5), (0.5, 0.3, 6.0)] {
            let got = Amplified::new(Batches::Poisson, rate, 1.0 / m, 128.0).divergence(order);
            let opposite = in_the_plane(order, rate, m, m, PI);
            assert!((got / opposite - 1.0).abs() < 1e-6, "{rate} {m} {order}: {got} against {opposite}");
            for (a, b, theta) in [(m, m, 2.6), (m, m, 1.6), (m, 0.5 * m, PI), (0.6 * m, m, PI), (m, 0.0, 0.0)]
            {
                let other = in_the_plane(order, rate, a, b, theta);
                assert!(other <= got * (1.0 + 1e-7), "{a} {b} {theta} loses {other}, bound {got}");
            }
            // Less than a fixed batch of the same size loses; more than a record that only joins.
            let fixed = Amplified::new(Batches::Subset, rate, 1.0 / m, 128.0).divergence(order);
            assert!(got <= fixed, "Poisson {got}, without replacement {fixed}");
            if order.fract() == 0.0 {
                let joins = record_joins(order as u32, rate, m);
                let plane = in_the_plane(order, rate, m, 0.0, 0.0);
                assert!((plane / joins - 1.0).abs() < 1e-6, "the two closed forms: {plane} {joins}");
                assert!(got >= joins);
            }
        }
    }

    #[test]
    fn extreme_orders_and_multipliers_stay_finite_and_below_the_plain_curve() {
        for multiplier in [1e-3, 0.05, 1.0, 1e3, 1e6] {
            for law in [Batches::Poisson, Batches::Subset] {
                let curve = Amplified::new(law, 1e-4, multiplier, 1e6);
                let mut last = 0.0;
                for order in [1.01, 1.5, 2.0, 10.0, 64.0, 1024.0, 1e6] {
                    let got = curve.divergence(order);
                    let plain = 2.0 * order / (multiplier * multiplier);
                    assert!(got > 0.0 && got <= plain * (1.0 + 1e-11), "{law:?} {multiplier} {order}: {got}");
                    assert!(got >= last, "D rises with the order: {law:?} {multiplier} {order}");
                    last = got;
                }
            }
        }
    }
}
