//! The least noise that meets a budget.
//!
//! Rényi curves are quick and tell about where; the accountant that the certificate goes by ([`Composition::epsilon_at`]: privacy loss
//! distributions) tells exactly. How the noise of DP-RSVRG is best divided is left to the curves: any division is a valid one.

use super::PlanError;
use super::accounting::Sampling;
use super::method::NoiseSplit;
use crate::numeric::margins;
use crate::privacy::{BudgetError, Composition, Delta, Epsilon, Mu, PrivacyLoss, RenyiCurve};

/// Relative width to which multipliers are bracketed; the upper end is used.
const TOLERANCE: f64 = 1e-6;

/// The budget, in the units a method may ask for.
pub(super) struct Target {
    mu: Option<Mu>,
    approximate: Option<(Epsilon, Delta)>,
    method: &'static str,
}

impl Target {
    pub fn new(budget: PrivacyLoss, method: &'static str) -> Result<Self, PlanError> {
        match budget {
            PrivacyLoss::Gaussian(mu) => Ok(Self { mu: Some(mu), approximate: None, method }),
            PrivacyLoss::Approximate(epsilon, delta) => {
                Ok(Self { mu: Mu::within(epsilon, delta).ok(), approximate: Some((epsilon, delta)), method })
            }
            _ => Err(PlanError::NeedsDelta(method)),
        }
    }

    fn mu(&self) -> Result<Mu, PlanError> {
        self.mu.ok_or(PlanError::OutOfReach)
    }

    fn epsilon_delta(&self) -> Result<(f64, Delta), PlanError> {
        let (epsilon, delta) = self.approximate.ok_or(PlanError::NeedsDelta(self.method))?;
        Ok((epsilon.get(), delta))
    }
}

/// z of `times` full gradients: exact Gaussian composition, μ/√times each.
pub(super) fn full_gradient_multiplier(times: u32, target: &Target) -> Result<f64, PlanError> {
    Ok(2.0 * f64::from(times).sqrt() / target.mu()?.get() * (1.0 + margins::MULTIPLIER))
}

/// ε at δ of a curve; ∞ where no order gives one.
fn epsilon(curve: &RenyiCurve, delta: Delta) -> f64 {
    curve.epsilon_at(delta).map_or(f64::INFINITY, Epsilon::get)
}

/// ε at δ of everything together, raised so that another machine's rounding agrees; ∞ where there is none.
fn composed(all: &Composition, delta: Delta) -> f64 {
    all.epsilon_at(delta).map_or(f64::INFINITY, |bound| bound.epsilon.get() * (1.0 + margins::CALIBRATED))
}

/// z of `times` gradients of sampled batches.
pub(super) fn smallest_multiplier(
    n: usize,
    times: u32,
    sampling: Sampling,
    target: &Target,
) -> Result<f64, PlanError> {
    let (limit, delta) = target.epsilon_delta()?;
    let by_curves =
        smallest(|z| epsilon(&sampling.renyi_curve(n, z).times(times), delta), limit, &Search::FROM_AFAR)?;
    let cost = |factor: f64| {
        let mut all = Composition::new();
        match sampling.cost(n, factor * by_curves) {
            Ok(cost) => composed(all.push("gradient", times, cost), delta),
            Err(_) => f64::INFINITY,
        }
    };
    Ok(by_curves * smallest(cost, limit, &Search::NEARBY)?)
}

/// How a search goes about it, in ln z.
struct Search {
    /// The first stride away from 1.
    stride: f64,
    /// Relative width to which the answer is bracketed; the upper end is used.
    tolerance: f64,
}

impl Search {
    const FROM_AFAR: Self = Self { stride: 1.0, tolerance: 1e-2 };
    const EXACT: Self = Self { stride: 1.0, tolerance: TOLERANCE };
    /// Curves ask for some per cent too much.
    const NEARBY: Self = Self { stride: 0.06, tolerance: TOLERANCE };
}

/// The smallest z with `cost`(z) ≤ `limit`, from above. `cost` falls with z.
fn smallest(mut cost: impl FnMut(f64) -> f64, limit: f64, search: &Search) -> Result<f64, PlanError> {
    // In ln z against ln cost the curve is nearly straight, so the secant of a bracket lands close.
    let mut excess = |t: f64| (cost(t.exp()).clamp(1e-300, 1e300) / limit).ln();
    let (mut low, mut high) = (0.0f64, 0.0f64);
    let first = excess(0.0);
    let (mut at_low, mut at_high) = (first, first);
    let mut stride = search.stride;
    if first > 0.0 {
        while at_high > 0.0 {
            (low, at_low) = (high, at_high);
            high += stride;
            stride *= 1.5;
            at_high = excess(high);
            if high > 60.0 {
                return Err(PlanError::OutOfReach);
            }
        }
    } else {
        while at_low <= 0.0 && low > -30.0 {
            (high, at_high) = (low, at_low);
            low -= stride;
            stride *= 1.5;
            at_low = excess(low);
        }
    }
    let mut weight = 1.0;
    for round in 0..200 {
        if high - low <= search.tolerance {
            break;
        }
        // Illinois: regula falsi with the stale end halved; bisection every fourth round for safety.
        let secant = low + (high - low) * at_low / (at_low - at_high * weight);
        let inside = secant > low && secant < high && round % 4 != 3;
        // Steps just past the root so that both ends close in.
        let t = if inside {
            (secant + 0.4 * search.tolerance).min(0.5 * (secant + high))
        } else {
            0.5 * (low + high)
        };
        let value = excess(t);
        if value > 0.0 {
            (low, at_low) = (t, value);
            weight *= 0.5;
        } else {
            (high, at_high) = (t, value.min(-1e-300));
            weight = 1.0;
        }
    }
    Ok(high.exp())
}

/// The two noises of DP-RSVRG.
pub(super) struct VarianceReducedNoise {
    pub n: usize,
    pub anchors: u32,
    pub corrections: u32,
    pub sampling: Sampling,
    /// σ₁/z₁.
    pub first: f64,
    /// σ₂/z₂.
    pub second: f64,
}

impl VarianceReducedNoise {
    /// (z₁, z₂) within the budget.
    pub fn calibrate(&self, split: NoiseSplit, target: &Target) -> Result<(f64, f64), PlanError> {
        let (limit, delta) = target.epsilon_delta()?;
        let (first, second) = self.by_curves(split, limit, delta)?;
        let cost = |factor: f64| match self.composition(factor * first, factor * second) {
            Ok(all) => composed(&all, delta),
            Err(_) => f64::INFINITY,
        };
        let factor = smallest(cost, limit, &Search::NEARBY)?;
        Ok((factor * first, factor * second))
    }

    fn composition(&self, first: f64, second: f64) -> Result<Composition, BudgetError> {
        let mut all = Composition::new();
        all.push("anchor gradient", self.anchors, Sampling::All.cost(self.n, first)?);
        all.push("correction", self.corrections, self.sampling.cost(self.n, second)?);
        Ok(all)
    }

    fn by_curves(&self, split: NoiseSplit, limit: f64, delta: Delta) -> Result<(f64, f64), PlanError> {
        let share = match split {
            NoiseSplit::Half => 0.5,
            NoiseSplit::Share(share) => share,
            NoiseSplit::Optimized { weight } => return self.optimize(weight, limit, delta),
        };
        if !(share > 0.0 && share < 1.0) {
            let (name, range) = ("the anchor's share of the noise", "between 0 and 1");
            return Err(PlanError::Parameter { name, range, value: share });
        }
        // σ₁ = √α σ, σ₂ = √(1−α) σ, with σ in units of `second`.
        let pair = |sigma: f64| {
            let first = share.sqrt() * sigma * self.second / self.first;
            (first, (1.0 - share).sqrt() * sigma)
        };
        let cost = |sigma: f64| {
            let (first, second) = pair(sigma);
            epsilon(&self.curve(second).plus(&self.anchor_curve(first)), delta)
        };
        Ok(pair(smallest(cost, limit, &Search::EXACT)?))
    }

    fn curve(&self, second: f64) -> RenyiCurve {
        self.sampling.renyi_curve(self.n, second).times(self.corrections)
    }

    fn anchor_curve(&self, first: f64) -> RenyiCurve {
        let mu = 2.0 * f64::from(self.anchors).sqrt() / first * (1.0 + margins::MULTIPLIER);
        Mu::new(mu).map_or_else(|_| RenyiCurve::from_fn(|_| f64::INFINITY), RenyiCurve::of_gaussian)
    }

    /// Minimizes σ₁² + weight·σ₂² along the budget's boundary: for each z₂ the smallest z₁, golden sections over ln z₂.
    fn optimize(&self, weight: f64, limit: f64, delta: Delta) -> Result<(f64, f64), PlanError> {
        if !(weight > 0.0 && weight.is_finite()) {
            let (name, range) = ("the weight of corrections", "a positive finite number");
            return Err(PlanError::Parameter { name, range, value: weight });
        }
        let alone = smallest(|z| epsilon(&self.curve(z), delta), limit, &Search::EXACT)?;
        let objective = |t: f64| -> (f64, f64) {
            let second = alone * (1e-3 + t.exp()).exp();
            let curve = self.curve(second);
            let cost = |z: f64| epsilon(&curve.plus(&self.anchor_curve(z)), delta);
            let first = smallest(cost, limit, &Search::EXACT);
            let first = first.unwrap_or(f64::INFINITY);
            let value = (first * self.first).powi(2) + weight * (second * self.second).powi(2);
            (value, first)
        };
        // z₂ = alone·exp(10⁻³ + eᵗ): from just above the least possible to e⁷ times it.
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let (mut low, mut high) = (-7.0f64, 2.0f64);
        let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        let (mut at_left, mut at_right) = (objective(left), objective(right));
        for _ in 0..14 {
            if at_left.0 < at_right.0 {
                (high, right, at_right) = (right, left, at_left);
                left = high - GOLDEN * (high - low);
                at_left = objective(left);
            } else {
                (low, left, at_left) = (left, right, at_right);
                right = low + GOLDEN * (high - low);
                at_right = objective(right);
            }
        }
        let (t, (value, first)) = if at_left.0 < at_right.0 { (left, at_left) } else { (right, at_right) };
        if value.is_finite() {
            Ok((first, alone * (1e-3 + t.exp()).exp()))
        } else {
            Err(PlanError::OutOfReach)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (n, batch, steps, ε, δ) of the command's defaults on small, middling and large studies, and others: privacy loss distributions ask
    /// for 5 to 7 per cent less noise than Rényi curves (a fifth less where few batches hold a record), and what they are asked for they keep.
    #[test]
    fn loss_distributions_need_less_noise_than_curves() {
        for (n, batch, steps, epsilon_, delta) in
            [(1000, 64, 500, 1.0, 1e-6), (1000, 64, 500, 3.0, 1e-6), (1000, 100, 1000, 0.3, 1e-9)]
        {
            let (limit, delta) = (Epsilon::new(epsilon_).unwrap(), Delta::new(delta).unwrap());
            let target = Target::new(PrivacyLoss::approximate(limit, delta), "test").unwrap();
            for sampling in [Sampling::Poisson { batch }, Sampling::WithoutReplacement { batch }] {
                let curve = |z: f64| epsilon(&sampling.renyi_curve(n, z).times(steps), delta);
                let before = smallest(curve, epsilon_, &Search::EXACT).unwrap();
                let after = smallest_multiplier(n, steps, sampling, &target).unwrap();
                println!("{n} {sampling:?} {steps} {epsilon_}: {before:.4} {after:.4} {:.4}", after / before);
                assert!(
                    after < 0.975 * before && after > 0.75 * before,
                    "{n} {sampling:?}: {before} {after}"
                );
                let mut all = Composition::new();
                all.push("gradient", steps, sampling.cost(n, after).unwrap());
                assert!(all.epsilon_at(delta).unwrap().epsilon <= limit);
            }
        }
    }

    /// DP-RSVRG as the command runs it by default on 1000 records: both noises fall by the same share.
    #[test]
    fn variance_reduced_noise_falls_too() {
        let noise = VarianceReducedNoise {
            n: 1000,
            anchors: 5,
            corrections: 100,
            sampling: Sampling::Poisson { batch: 64 },
            first: 1e-3,
            second: 1.0 / 64.0,
        };
        let (limit, delta) = (Epsilon::new(1.0).unwrap(), Delta::new(1e-6).unwrap());
        let target = Target::new(PrivacyLoss::approximate(limit, delta), "test").unwrap();
        for split in [NoiseSplit::Half, NoiseSplit::Optimized { weight: 0.05 }] {
            let before = noise.by_curves(split, 1.0, delta).unwrap();
            let after = noise.calibrate(split, &target).unwrap();
            println!("{split:?}: {before:?} {after:?} {:.4}", after.0 / before.0);
            assert!((after.0 / before.0 - after.1 / before.1).abs() < 1e-12);
            assert!(after.0 < 0.975 * before.0 && after.0 > 0.85 * before.0);
            let all = noise.composition(after.0, after.1).unwrap();
            assert!(all.epsilon_at(delta).unwrap().epsilon <= limit);
        }
    }
}
