//! Shapes of landmarks in D dimensions as numbers in a row, landmark by landmark.

use super::turn::{Shapes, Turn};
use crate::numeric::elementary::sinc;

pub(super) type Square<const D: usize> = [[f64; D]; D];

/// Σ x_i y_iᵀ over landmarks.
#[inline(always)]
pub(super) fn moments<const D: usize>(x: &[f64], y: &[f64]) -> Square<D> {
    // Two running sums, so that additions do not wait for one another.
    let mut sums = [[[0.0; D]; D]; 2];
    for (x, y) in x.chunks(2 * D).zip(y.chunks(2 * D)) {
        for ((x, y), sum) in x.chunks_exact(D).zip(y.chunks_exact(D)).zip(&mut sums) {
            for i in 0..D {
                for j in 0..D {
                    sum[i][j] += x[i] * y[j];
                }
            }
        }
    }
    std::array::from_fn(|i| std::array::from_fn(|j| sums[0][i][j] + sums[1][i][j]))
}

#[inline(always)]
pub(super) fn centre<const D: usize>(z: &mut [f64]) {
    let mut sums = [[0.0; D]; 4];
    for four in z.chunks(4 * D) {
        for (x, sum) in four.chunks_exact(D).zip(&mut sums) {
            (0..D).for_each(|i| sum[i] += x[i]);
        }
    }
    let k = (z.len() / D) as f64;
    let mean: [f64; D] = std::array::from_fn(|i| (sums[0][i] + sums[1][i] + sums[2][i] + sums[3][i]) / k);
    z.chunks_exact_mut(D).for_each(|x| (0..D).for_each(|i| x[i] -= mean[i]));
}

#[inline(always)]
pub(super) fn scale(z: &mut [f64], by: f64) {
    z.iter_mut().for_each(|x| *x *= by);
}

/// The preshape of a configuration: centred, of unit norm; `false` for none.
#[inline(always)]
pub(super) fn preshape<const D: usize>(row: &[f64], out: &mut [f64]) -> bool {
    let largest = row.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    // Dividing by the largest coordinate first keeps squares from overflowing or vanishing.
    let unit = if largest > 0.0 { largest } else { 1.0 };
    out.iter_mut().zip(row).for_each(|(z, x)| *z = x / unit);
    centre::<D>(out);
    let size = dot(out, out).sqrt();
    // Below this the differences between landmarks are rounding error. NaN is none either.
    if !(size > 1e-13 && unit.is_finite()) {
        return false;
    }
    scale(out, 1.0 / size);
    centre::<D>(out);
    let size = dot(out, out).sqrt();
    scale(out, 1.0 / size);
    true
}

/// Σ x_i y_i.
#[inline(always)]
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (xs, ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let tail: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in xs.zip(ys) {
        (0..8).for_each(|k| sums[k] += x[k] * y[k]);
    }
    tail + ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
}

/// out ← z R.
#[inline(always)]
pub(super) fn turned<const D: usize>(z: &[f64], turn: &Square<D>, out: &mut [f64]) {
    for (out, z) in out.chunks_exact_mut(D).zip(z.chunks_exact(D)) {
        for j in 0..D {
            out[j] = (0..D).map(|i| z[i] * turn[i][j]).sum();
        }
    }
}

/// R, cos θ, θ and θ/sin θ of preshapes.
#[inline(always)]
pub(super) fn aligned<const D: usize>(p: &[f64], z: &[f64], room: &mut [f64]) -> (Square<D>, f64, f64, f64)
where
    Shapes: Turn<D>,
{
    let m = moments::<D>(z, p);
    let turn = Shapes::turn(&m);
    let mut cos = 0.0;
    for i in 0..D {
        for j in 0..D {
            cos += turn[i][j] * m[i][j];
        }
    }
    // Of near shapes the residual keeps the digits.
    let mut square = (1.0 - cos) * (1.0 + cos);
    if square.is_nan() || square < 1e-4 {
        turned(z, &turn, room);
        room.iter_mut().zip(p).for_each(|(x, p)| *x -= cos * p);
        square = dot(room, room);
    }
    let sin = square.sqrt();
    let theta = sin.atan2(cos);
    (turn, cos, theta, if sin > 0.0 { theta / sin } else { 1.0 })
}

/// log_p(z) of preshapes into `out`; cos θ.
#[inline(always)]
pub(super) fn log<const D: usize>(p: &[f64], z: &[f64], out: &mut [f64]) -> f64
where
    Shapes: Turn<D>,
{
    let (turn, cos, theta, _) = aligned(p, z, out);
    turned(z, &turn, out);
    out.iter_mut().zip(p).for_each(|(out, p)| *out -= cos * p);
    // Once more: for near shapes the first pass leaves rounding error along p.
    let rest = dot(p, out);
    let sin = (dot(out, out) - rest * rest).sqrt();
    let by = if sin > 0.0 { theta / sin } else { 0.0 };
    out.iter_mut().zip(p).for_each(|(out, p)| *out = by * (*out - rest * p));
    cos
}

/// exp_p of the tangent part of v into `out`; v becomes that part.
#[inline(always)]
pub(super) fn exp<const D: usize>(p: &[f64], v: &mut [f64], out: &mut [f64])
where
    Shapes: Turn<D>,
{
    // The tangent part: without what moves, scales or turns p.
    centre::<D>(v);
    let along = dot(p, v);
    v.iter_mut().zip(p).for_each(|(v, p)| *v -= along * p);
    let turn = Shapes::vertical(&moments::<D>(p, p), &moments::<D>(p, v));
    for (v, p) in v.chunks_exact_mut(D).zip(p.chunks_exact(D)) {
        for j in 0..D {
            v[j] -= (0..D).map(|i| p[i] * turn[i][j]).sum::<f64>();
        }
    }
    let t = dot(v, v).sqrt();
    let (cos, sinc) = (t.cos(), sinc(t));
    out.iter_mut().zip(p).zip(&*v).for_each(|((out, p), v)| *out = cos * p + sinc * v);
    centre::<D>(out);
    let size = dot(out, out).sqrt();
    scale(out, 1.0 / size);
}
