//! How fine and how wide a grid, and which tilt: estimates from the laws themselves. Nothing here enters a bound: what is badly chosen
//! makes the answer larger.

use super::pair::{Law, Pair, Term};
use crate::numeric::quadrature::panels;

/// The share by which the grid may raise ε. It adds about h²/6 to the variance of each of the K losses, so θ(θ + 1)Kh²/12 to ln M, and a
/// θ-th of that to ε.
const RAISED: f64 = 3e-5;

/// The largest transform.
const LARGEST: usize = 1 << 20;

/// What may wrap around or lie beyond the window, as a share of Chernoff's bound on δ.
const NEGLIGIBLE: f64 = 1e-9;

/// The choices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// The distance of grid points.
    pub(super) h: f64,
    /// The length of the transform.
    pub(super) length: usize,
    /// The window's first grid point.
    pub(super) first: i64,
    /// θ.
    pub(super) tilt: f64,
    /// Whether the grid is as fine as it should be.
    pub(super) fine: bool,
}

/// A law by its losses and their masses.
struct Sketch {
    times: f64,
    atoms: Vec<(f64, f64)>,
}

impl Sketch {
    fn of(term: &Term, reach: f64) -> Self {
        let mut atoms = Vec::new();
        let mut mirrored = |loss: f64, mass: f64| {
            atoms.push((loss, mass));
            atoms.push((-loss, mass * libm::exp(-loss)));
        };
        match term.law {
            Law::Pair(pair) => {
                let width = 0.5f64.min(2.0 / pair.slope());
                let nodes = panels(reach, width);
                nodes.for_each(|(s, weight)| mirrored(pair.loss(s), weight * pair.density(s)));
                atoms.push((0.0, Pair::at_zero(pair)));
            }
            Law::Response(epsilon) => mirrored(epsilon, 1.0 / (1.0 + libm::exp(-epsilon))),
        }
        atoms.retain(|(_, mass)| *mass > 0.0);
        Self { times: f64::from(term.times), atoms }
    }

    /// times · ln E e^{θL}.
    fn ln_moment(&self, theta: f64) -> f64 {
        let largest =
            self.atoms.iter().map(|(l, p)| theta * l + libm::log(*p)).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.atoms.iter().map(|(l, p)| p * libm::exp(theta * l - largest)).sum();
        self.times * (largest + libm::log(sum))
    }
}

impl Scale {
    /// For the composition of `terms` at about this δ; `None` where doubles do not reach.
    pub(super) fn choose(terms: &[Term], ln_delta: f64, reaches: &[f64]) -> Option<Self> {
        let laws: Vec<Sketch> =
            terms.iter().zip(reaches).map(|(term, reach)| Sketch::of(term, *reach)).collect();
        let ln_moment = |theta: f64| laws.iter().map(|law| law.ln_moment(theta)).sum::<f64>();
        let orders = || (-16..=80).map(|k| libm::exp2(0.5 * f64::from(k)));
        let chernoff = |(theta, ln_moment): (f64, f64)| (ln_moment - ln_delta) / theta;
        let (tilt, moment) = orders()
            .map(|theta| (theta, ln_moment(theta)))
            .filter(|(_, moment)| moment.is_finite())
            .min_by(|a, b| chernoff(*a).total_cmp(&chernoff(*b)))?;
        // Chernoff's bounds: on the mass beyond the window, and on the tilted law's on both sides, which wraps around.
        let beyond = (moment - ln_delta - NEGLIGIBLE.ln()) / tilt;
        let tail = |sign: f64| {
            let end = |eta: f64| (ln_moment(tilt + sign * eta) - moment - NEGLIGIBLE.ln()) / eta;
            orders().map(end).filter(|end| end.is_finite()).fold(f64::INFINITY, f64::min)
        };
        let (top, bottom) = (beyond.max(tail(1.0)), -tail(-1.0));
        let steps: f64 = laws.iter().map(|law| law.times).sum();
        let wanted = (12.0 * RAISED * (moment - ln_delta) / (tilt * (tilt + 1.0) * steps)).sqrt();
        let cells = (top - bottom) / wanted;
        if !(top > bottom && wanted > 1e-150 && cells.is_finite()) {
            return None;
        }
        let length = (cells.min(LARGEST as f64) as usize).next_power_of_two().max(1 << 10);
        let h = (top - bottom) / (length - 1) as f64;
        let first = (bottom / h).floor();
        if first.abs() > 1e15 {
            return None;
        }
        Some(Self { h, length, first: first as i64, tilt, fine: h <= 2.0 * wanted })
    }
}
