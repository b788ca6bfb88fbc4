//! Composition through privacy loss distributions, with bounds from above.
//!
//! Steps with dominating pairs ([`pair`]) compose by adding independent losses: products of dominating pairs dominate adaptive compositions
//! (Zhu, Dong and Wang 2022, Theorem 10), and with L the sum
//!
//! ```text
//! δ(ε) = E(1 − e^{ε−L})₊ .
//! ```
//!
//! Every loss is moved to a grid so that the pair only gets worse ([`grid`]); sums are formed by Fourier transforms, tilted by e^{θL}
//! ([`convolve`]); then with p̃ the tilted law of L, M = E e^{θL} over finite losses, and the window ending at T,
//!
//! ```text
//! δ(ε) ≤ M Σ_{ε<l≤T} (1 − e^{ε−l}) e^{−θl} (p̃(l) + error)  +  M e^{−θT}  +  Σ times · P(L = ∞),
//! ```
//!
//! where what wraps around only adds to p̃, the second term is Chernoff's bound on the mass beyond T, and the third holds what the grids
//! left out. The sum is formed from above by recursions of positive terms. Between grid points δ is linear in e^ε.
//!
//! Margins: δ is raised by [`margins::LOSS_MASS`] for each step (masses, their quadrature, the powers of M), by 4u for each grid point (the
//! recursion), ε by [`margins::LOSS`] for each step (losses are computed in doubles).

mod convolve;
mod grid;
mod pair;
mod scale;
#[cfg(test)]
mod tests;

use super::pairs::ApproximateTerm;
use super::rounding::{add_up, mul_up};
use super::{Delta, Epsilon, Mu, SampledGaussian};
use crate::numeric::margins;
use grid::Grid;
use pair::{Law, Pair, Term};
use scale::Scale;

/// The most steps that are composed this way.
const MOST_STEPS: u32 = 1 << 24;

/// The share of δ that each of these may be: what is lost beyond the grids.
const LOST: f64 = 1e-6;

/// What is composed.
#[derive(Debug, Clone)]
pub(super) struct LossDistributions {
    terms: Vec<Term>,
    /// Σ of the terms' own δ.
    lost: f64,
}

/// An ε, and whether the grid was as fine as it should be: a coarse one is as valid, and may be beaten by another rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bound {
    pub(super) epsilon: Epsilon,
    pub(super) fine: bool,
}

impl LossDistributions {
    /// Of sampled steps, a μ-GDP release (all of them as one), and (ε, δ)-DP ones; `None` where a term is out of scale.
    pub(super) fn new(
        steps: &[(SampledGaussian, u32)],
        mu: Option<Mu>,
        approximate: &[ApproximateTerm],
    ) -> Option<Self> {
        let mut terms = Vec::new();
        for (step, times) in steps {
            terms.push(Term { law: Law::Pair(Pair::of_step(step)?), times: *times });
        }
        if let Some(mu) = mu {
            terms.push(Term { law: Law::Pair(Pair::of_gaussian(mu.get())?), times: 1 });
        }
        for term in approximate.iter().filter(|term| term.epsilon > 0.0) {
            terms.push(Term { law: Law::Response(term.epsilon), times: term.times });
        }
        let all = terms.iter().map(|term| term.times).fold(0, u32::saturating_add);
        let lost = approximate.iter().map(|t| mul_up(t.delta, f64::from(t.times))).fold(0.0, add_up);
        (!terms.is_empty() && all <= MOST_STEPS).then_some(Self { terms, lost })
    }

    /// A bound on ε at δ.
    pub(super) fn epsilon_at(&self, delta: Delta) -> Option<Bound> {
        let rest = delta.get() - self.lost;
        if rest.is_nan() || rest <= 1e-100 {
            return None;
        }
        let ln_lost = libm::log(rest * LOST / f64::from(self.steps()));
        let reaches: Vec<f64> = self.terms.iter().map(|term| term.reach(ln_lost)).collect();
        let scale = Scale::choose(&self.terms, libm::log(rest), &reaches)?;
        let epsilon = self.composed(&scale, &reaches)?.epsilon_at(rest)?;
        Some(Bound {
            epsilon: Epsilon::new(epsilon + margins::LOSS * f64::from(self.steps())).ok()?,
            fine: scale.fine,
        })
    }

    fn steps(&self) -> u32 {
        self.terms.iter().map(|term| term.times).sum()
    }

    /// The tilted law of the sum.
    fn composed(&self, scale: &Scale, reaches: &[f64]) -> Option<Composed> {
        let (mut laws, mut ln_moment, mut lost) = (Vec::new(), 0.0, 0.0);
        for (term, reach) in self.terms.iter().zip(reaches) {
            let grid = match term.law {
                Law::Pair(pair) => Grid::of_pair(pair, scale.h, *reach)?,
                Law::Response(epsilon) => Grid::of_response(epsilon, scale.h)?,
            };
            lost += f64::from(term.times) * grid.lost;
            let (law, ln_of_one) = tilted(&grid, scale);
            ln_moment += f64::from(term.times) * ln_of_one;
            laws.push((law, term.times));
        }
        let sum = convolve::sum(laws, scale.length);
        let margin = margins::LOSS_MASS * f64::from(self.steps()) + 4.0 * f64::EPSILON * scale.length as f64;
        Some(Composed { scale: *scale, sum, ln_moment: ln_moment + margin, lost: lost * (1.0 + margin) })
    }
}

/// A law tilted and taken modulo the window, and the logarithm of its moment.
fn tilted(grid: &Grid, scale: &Scale) -> (Vec<f64>, f64) {
    let exponent = |j: i64| scale.tilt * scale.h * j as f64;
    let largest =
        grid.atoms(scale.h).map(|(j, p)| exponent(j) + libm::log(p)).fold(f64::NEG_INFINITY, f64::max);
    let mut law = vec![0.0; scale.length];
    let mut sum = 0.0;
    for (j, p) in grid.atoms(scale.h) {
        let mass = p * libm::exp(exponent(j) - largest);
        law[j.rem_euclid(scale.length as i64) as usize] += mass;
        sum += mass;
    }
    law.iter_mut().for_each(|mass| *mass /= sum);
    (law, largest + libm::log(sum))
}

/// The composed law on its window.
struct Composed {
    scale: Scale,
    sum: convolve::Sum,
    /// ln M, raised by the margin.
    ln_moment: f64,
    lost: f64,
}

impl Composed {
    /// The smallest ε ≥ 0 at which the bound is within `delta`.
    fn epsilon_at(&self, delta: f64) -> Option<f64> {
        let Scale { h, length, first, tilt, .. } = self.scale;
        let loss = |i: usize| (first + i as i64) as f64 * h;
        let ln_scale = |i: usize| self.ln_moment - tilt * loss(i);
        let beyond = libm::exp(ln_scale(length - 1));
        let ln_rest = libm::log(delta - self.lost - beyond);
        if ln_rest.is_nan() {
            return None;
        }
        let step = libm::exp(-tilt * h);
        let (stay, rise) = (libm::exp(-h), -libm::expm1(-h));
        // In units of M e^{−θl}: the mass above grid point i, and δ there.
        let (mut mass, mut value) = (0.0, 0.0);
        for i in (0..length - 1).rev() {
            let at = (first + i as i64 + 1).rem_euclid(length as i64) as usize;
            let before = (value, i + 1);
            mass = step * (mass + self.sum.masses[at] + self.sum.error);
            value = step * stay * value + rise * mass;
            if loss(i) < 0.0 || libm::log(value) + ln_scale(i) > ln_rest {
                let ends = (libm::log(value) + ln_scale(i), libm::log(before.0) + ln_scale(before.1));
                return Some(between(ends, ln_rest, loss(i), h).max(0.0));
            }
        }
        Some(loss(0).max(0.0))
    }
}

/// Where a function that is linear in e^ε, with these logarithms at `low` and `low` + h, falls to a level.
fn between((at_low, at_high): (f64, f64), level: f64, low: f64, h: f64) -> f64 {
    if at_low <= level {
        return low;
    }
    let (above, whole) = (-libm::expm1(level - at_low), -libm::expm1(at_high - at_low));
    let share = (above / whole).min(1.0);
    low + libm::log1p(share * libm::expm1(h)).min(h)
}
