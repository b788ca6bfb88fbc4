//! A pair's loss brought to a grid, upwards.
//!
//! Mass whose loss is between grid points l and l + h goes to both ends, so that its P-mass and its Q-mass stay: to the lower end the share
//! (e^{l+h−L} − 1)/(e^h − 1). This spreads e^{−L} under P about its mean, and E_γ(P‖Q) = E_P(1 − γe^{−L})₊ is the mean of a convex function
//! of e^{−L}: no E_γ falls (Jensen), so the new pair dominates the old one. (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022, "connect
//! the dots", seen from the loss.) The mirror image is kept. Mass of losses beyond the last grid point counts as lost (L = ∞), its mirror
//! image is moved up to the lowest grid point.

use super::pair::Pair;
use crate::numeric::quadrature::{eight_point_mean, three_point_mean};

/// The most grid points of one step.
const MOST: f64 = (1u64 << 21) as f64;

/// A mirrored law on multiples of h.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// P-mass at l = jh, j ≥ 0.
    pub(super) above: Vec<f64>,
    /// P-mass that is moved up to the lowest grid point.
    pub(super) below: f64,
    /// P-mass at L = ∞.
    pub(super) lost: f64,
}

impl Grid {
    /// `None` for more grid points than are sensible. Loss beyond s = `reach` is lost.
    pub(super) fn of_pair(pair: Pair, h: f64, reach: f64) -> Option<Self> {
        let count = (pair.loss(reach) / h).ceil();
        if !(1.0..MOST).contains(&count) {
            return None;
        }
        let mut above = vec![0.0; count as usize + 1];
        let mut from = 0.0;
        for j in 0..count as usize {
            let low = j as f64 * h;
            let to = pair.at(low + h).max(from);
            let (mass, lower) = cell(pair, (from, to), low, h);
            above[j] += lower;
            above[j + 1] += mass - lower;
            from = to;
        }
        // Both halves meet at 0.
        above[0] = 2.0 * above[0] + pair.at_zero();
        let (lost, below) = pair.beyond(from);
        Some(Self { above, below, lost })
    }

    /// ±ε with probabilities e^ε/(1 + e^ε) and the rest.
    pub(super) fn of_response(epsilon: f64, h: f64) -> Option<Self> {
        let j = (epsilon / h).floor();
        if j >= MOST {
            return None;
        }
        let mut above = vec![0.0; j as usize + 2];
        let mass = 1.0 / (1.0 + libm::exp(-epsilon));
        let lower = mass * share(epsilon - j * h, h);
        above[j as usize] = lower;
        above[j as usize + 1] = mass - lower;
        if j == 0.0 {
            above[0] *= 2.0;
        }
        Some(Self { above, below: 0.0, lost: 0.0 })
    }

    /// All finite losses as (j, mass), l = jh; the mirror images too.
    pub(super) fn atoms(&self, h: f64) -> impl Iterator<Item = (i64, f64)> + '_ {
        let last = self.above.len() as i64 - 1;
        let mirror = self.above.iter().enumerate().skip(1);
        let mirror = mirror.map(move |(j, mass)| (-(j as i64), mass * libm::exp(-(j as f64) * h)));
        let own = self.above.iter().enumerate().map(|(j, mass)| (j as i64, *mass));
        mirror.chain(own).chain([(-last, self.below)]).filter(|(_, mass)| *mass > 0.0)
    }
}

/// The share of mass at l + x that goes to l.
fn share(x: f64, h: f64) -> f64 {
    (libm::expm1(h - x) / libm::expm1(h)).clamp(0.0, 1.0)
}

/// The mass of s in an interval, whose losses are between `low` and `low` + h, and what of it goes to `low`.
fn cell(pair: Pair, (from, to): (f64, f64), low: f64, h: f64) -> (f64, f64) {
    let mass = |s: f64| pair.density(s);
    let lower = |s: f64| mass(s) * share(pair.loss(s) - low, h);
    // The mass is nothing beyond s = 40 + slope.
    let end = 40.0 + pair.slope();
    let width = (to.min(end) - from).max(0.0);
    // Derivatives of the density grow like powers of s and of the slope.
    let scale = 1.0 + pair.slope() + to.min(end);
    if width * scale < 0.03 {
        let middle = from + 0.5 * width;
        return (
            width * three_point_mean(middle, width, mass),
            width * three_point_mean(middle, width, lower),
        );
    }
    let pieces = (width * scale / 2.0).ceil().max(1.0);
    let piece = width / pieces;
    (0..pieces as u64).fold((0.0, 0.0), |sum, k| {
        let start = from + k as f64 * piece;
        (
            sum.0 + piece * eight_point_mean(start, piece, mass),
            sum.1 + piece * eight_point_mean(start, piece, lower),
        )
    })
}
