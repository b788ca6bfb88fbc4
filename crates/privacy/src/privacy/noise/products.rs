//! Noise for symmetric matrices of products of clipped, rounded coordinates.

use super::integer_clip::IntegerClip;
use super::lattice::Lattice;
use super::{NoiseError, NoiseSource};
use crate::privacy::rounding::{add_up, div_up, mul_up, sqrt_up};
use crate::privacy::{Charge, Mu};

/// Rounding products costs at most 2^−this of the noise.
const COST: i32 = 31;

/// What the noise of a sum of matrices k_i k_j/2^t (i, j of k chosen coordinates) is drawn on: symmetric, M_o ≥ M_d/√2 steps above the
/// diagonal where there are M_d on it, so that it is white in the Frobenius norm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Products {
    /// t.
    pub(super) shift: u32,
    pub(super) diagonal: Lattice,
    pub(super) above: Lattice,
}

impl Products {
    /// For vectors clipped by `clip`, of which `k` coordinates are multiplied, where one record moves the sum by at most
    /// √2 B²(1 + s/2) in units in which all noise is the matrix's (s = 0: the matrix alone). M_d = ⌈(√2 (B²/2^t)(1 + s/2) + k)/μ⌉, every line
    /// rounded towards more noise.
    pub(super) fn new(clip: &IntegerClip, k: usize, mu: Mu, s: f64) -> Result<Self, NoiseError> {
        let reach = reach_of(clip, s);
        let room = libm::ilogb(reach / k as f64) - COST;
        let shift = u32::try_from(room.clamp(0, 126)).map_err(|_| NoiseError::OutOfScale)?;
        Self::shifted(clip, k, mu.get(), s, shift)
    }

    /// The same for products that are rounded to about as many digits as the coordinates have, 2^t about B√s: for sums that have to fit into
    /// few bits, noised at `loss`. Rounding then costs k/(√2 B(1/√s + √s/2)) of the noise; of the matrix alone (s = 0) k/(√2 B), with 2^t about B.
    pub(super) fn coarse(clip: &IntegerClip, k: usize, loss: f64, s: f64) -> Result<Self, NoiseError> {
        let digits = if s > 0.0 { s.sqrt() } else { 1.0 };
        let shift = libm::ilogb(bound_of(clip) * digits).clamp(0, 126);
        Self::shifted(clip, k, loss, s, u32::try_from(shift).map_err(|_| NoiseError::OutOfScale)?)
    }

    fn shifted(clip: &IntegerClip, k: usize, loss: f64, s: f64, shift: u32) -> Result<Self, NoiseError> {
        // Dividing by a power of two is exact.
        let divided = reach_of(clip, s) * libm::ldexp(1.0, -(shift as i32));
        let step = libm::ldexp(clip.step() * clip.step(), shift as i32);
        if !step.is_normal() {
            return Err(NoiseError::OutOfScale);
        }
        let diagonal = Lattice::with_multiplier(step, div_up(add_up(divided, k as f64), loss))?;
        let above = Lattice::with_multiplier(step, mul_up(at_least(diagonal.multiplier()), sqrt_up(0.5)))?;
        Ok(Self { shift, diagonal, above })
    }

    /// Which of the two every entry of the upper half has, row by row.
    pub(super) fn lattices(&self, k: usize) -> impl Iterator<Item = &Lattice> {
        let row =
            |length| std::iter::once(&self.diagonal).chain(std::iter::repeat_n(&self.above, length - 1));
        (1..=k).rev().flat_map(row)
    }

    /// No product is farther from 0: B²/2^t, rounded up.
    pub(super) fn bound(&self, clip: &IntegerClip) -> u128 {
        (u128::from(clip.bound()).pow(2) >> self.shift) + 1
    }

    /// M_d, as a number that is not below it.
    pub(super) fn multiplier(&self) -> f64 {
        at_least(self.diagonal.multiplier())
    }

    /// The upper half of a sum of such matrices, row by row, noised and divided by n.
    pub(super) fn noised(
        &self,
        sum: &[i128],
        k: usize,
        n: f64,
        mu: Mu,
        noise: &mut NoiseSource,
        paid: &Charge,
    ) -> Result<Vec<f64>, NoiseError> {
        let (mut entries, mut rest) = (Vec::with_capacity(upper_half(k)), sum);
        for length in (1..=k).rev() {
            let (row, later) = rest.split_at(length.min(rest.len()));
            let (first, others) = row.split_at(row.len().min(1));
            for (part, lattice) in [(first, &self.diagonal), (others, &self.above)] {
                let steps = noise.gaussian_steps(part, lattice, mu, paid)?;
                entries.extend(steps.into_iter().map(|k| lattice.to_f64(k) / n));
            }
            rest = later;
        }
        Ok(entries)
    }
}

/// √2 B²(1 + s/2), rounded up.
fn reach_of(clip: &IntegerClip, s: f64) -> f64 {
    let bound = bound_of(clip);
    mul_up(mul_up(sqrt_up(2.0), mul_up(bound, bound)), add_up(1.0, 0.5 * s))
}

/// Entries of the upper half of a k × k matrix.
pub(super) fn upper_half(k: usize) -> usize {
    k * (k + 1) / 2
}

/// B, not below it.
pub(super) fn bound_of(clip: &IntegerClip) -> f64 {
    at_least(clip.bound())
}

/// A whole number as one that is not below it.
fn at_least(whole: u64) -> f64 {
    if whole > 1 << 53 { (whole as f64).next_up() } else { whole as f64 }
}
