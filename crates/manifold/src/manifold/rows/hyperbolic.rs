//! The two models of hyperbolic space, eight rows at a time.

use super::elementary::{LANES, Lane, asinh, lanes, sinhc_and_cosh, sqrt};
use super::vectors::{
    Coefficients, Eights, Task, Width, ambient_mean, gather, mean_log, run, sums, vector_rows,
};
use super::{Batch, MeanRows, RowError, Rows};
use crate::manifold::error::ManifoldError;
use crate::manifold::lorentz::{self, Lorentz};
use crate::manifold::poincare::{self, PoincareBall};
use crate::manifold::space::{Manifold, MeanLog};
use nalgebra::DVector;
use pulp::Simd;

/// Longer vectors are left to the functions of the library.
const LONGEST: f64 = 700.0;

/// ⟨q − p, q − p⟩_L as in [`Lorentz`], of points of the hyperboloid.
#[inline(always)]
fn chord_squares<W: Width>(w: W, p: [&[f64]; LANES], q: [&[f64]; LANES]) -> Lane {
    let [dot, delta_sum, sum, delta] = gather(|l| {
        sums(w, 1, p[l], q[l], |a, b| {
            let (d, s) = (b - a, b + a);
            [a * b, d * s, s * s, d * d]
        })
    });
    let slope = lanes!(l => if sum[l] > 0.0 { delta_sum[l] / sum[l] } else { 0.0 });
    let [across] = gather(|l| {
        sums(w, 1, p[l], q[l], |a, b| {
            let x = (b - a) - slope[l] * (b + a);
            [x * x]
        })
    });
    lanes!(l => {
        let times = p[l][0] * q[l][0];
        let direct = times - dot[l];
        let along = delta_sum[l] / (sum[l].sqrt() * (p[l][0] + q[l][0]));
        let careful = (across[l] + 4.0 * along * along) / ((1.0 - along) * (1.0 + along));
        let near = if sum[l] > 0.0 { careful } else { delta[l] };
        if direct > 0.25 * times && direct > 2.0 { 2.0 * (direct - 1.0) } else { near }
    })
}

impl Eights for Lorentz {
    fn width(&self) -> usize {
        self.dim() + 1
    }

    #[inline(always)]
    fn are_points<S: Simd, W: Width>(&self, simd: S, w: W, p: [&[f64]; LANES]) -> bool {
        let [square] = gather(|l| sums(w, 1, p[l], p[l], |a, b| [a * b]));
        let expected = sqrt(simd, &square.map(|s| 1.0 + s));
        let wrong = lanes!(l => {
            let time = p[l][0];
            // NaN is not near either.
            let fits = (time - expected[l]).abs() <= 0.9e-8 * time && expected[l] < 1e150;
            if fits { 0.0 } else { 1.0 }
        });
        wrong.iter().sum::<f64>() == 0.0
    }

    #[inline(always)]
    fn dists<S: Simd, W: Width>(&self, simd: S, w: W, p: [&[f64]; LANES], q: [&[f64]; LANES]) -> Lane {
        let square = chord_squares(w, p, q);
        let half = asinh(simd, &sqrt(simd, &square).map(|s| 0.5 * s));
        lanes!(l => 2.0 * half[l])
    }

    /// f (q − p) − g p with f = d/sinh d and g = ½⟨q − p, q − p⟩_L f; the time coordinate follows from the others.
    #[inline(always)]
    fn logs<S: Simd, W: Width>(&self, simd: S, w: W, p: [&[f64]; LANES], q: [&[f64]; LANES]) -> Coefficients {
        let square = chord_squares(w, p, q);
        let half = sqrt(simd, &square).map(|s| 0.5 * s);
        let d = asinh(simd, &half).map(|x| 2.0 * x);
        let root = sqrt(simd, &half.map(|x| 1.0 + x * x));
        let f = lanes!(l => {
            let sinh = 2.0 * half[l] * root[l];
            if half[l] > 0.0 { d[l] / sinh } else { 1.0 }
        });
        Coefficients {
            g: lanes!(l => 0.5 * square[l] * f[l]),
            f,
            s: [-1.0; LANES],
            square: lanes!(l => d[l] * d[l]),
        }
    }

    #[inline(always)]
    fn put_log<W: Width>(&self, w: W, [f, s, g]: [f64; 3], p: &[f64], q: &[f64], out: &mut [f64]) {
        for ((out, q), p) in out[..w.get()].iter_mut().zip(&q[..w.get()]).zip(&p[..w.get()]) {
            *out = f * (q + s * p) - g * p;
        }
        // Tangent to the last digit.
        let [dot] = sums(w, 1, p, out, |a, b| [a * b]);
        out[0] = dot / p[0];
    }

    #[inline(always)]
    fn exps<S: Simd, W: Width>(
        &self,
        simd: S,
        w: W,
        p: [&[f64]; LANES],
        v: [&[f64]; LANES],
        out: &mut [f64],
    ) {
        let n = w.get();
        let rows = out.len() / n;
        let [dot, own] = gather(|l| sums(w, 1, p[l], v[l], |x, v| [x * v, x * x]));
        // The tangent part v + c p.
        let c = lanes!(l => dot[l] - p[l][0] * v[l][0]);
        let [along] = gather(|l| sums(w, 1, p[l], v[l], |x, v| [x * (v + c[l] * x)]));
        let share = lanes!(l => if own[l] > 0.0 { along[l] / own[l] } else { 0.0 });
        let [across] = gather(|l| {
            sums(w, 1, p[l], v[l], |x, v| {
                let y = (v + c[l] * x) - share[l] * x;
                [y * y]
            })
        });
        let t = sqrt(simd, &lanes!(l => across[l] + share[l] * share[l] * own[l] / (p[l][0] * p[l][0])));
        let (sinhc, cosh) = sinhc_and_cosh(simd, &lanes!(l => t[l].min(LONGEST)));
        for l in 0..rows {
            let out = &mut out[l * n..(l + 1) * n];
            for ((out, x), v) in out[1..].iter_mut().zip(&p[l][1..n]).zip(&v[l][1..n]) {
                *out = cosh[l] * x + sinhc[l] * (v + c[l] * x);
            }
            let [square] = sums(w, 1, out, out, |a, b| [a * b]);
            out[0] = if t[l] < LONGEST { (1.0 + square).sqrt() } else { f64::NAN };
        }
    }

    fn mean(&self, p: &[f64], sum: &mut [f64], rest: f64) {
        sum.iter_mut().zip(p).for_each(|(sum, p)| *sum -= rest * p);
        sum[0] = sum[1..].iter().zip(&p[1..]).map(|(s, p)| s * p).sum::<f64>() / p[0];
    }
}

vector_rows!(Lorentz, lorentz::NAME, |space: &Lorentz, mean: DVector<f64>| Some(space.scaled(mean)));

/// 1 − ‖p‖² from ‖p‖².
#[inline(always)]
fn gaps<S: Simd>(simd: S, square: &Lane) -> Lane {
    let r = sqrt(simd, square);
    lanes!(l => (1.0 - r[l]) * (1.0 + r[l]))
}

impl Eights for PoincareBall {
    fn width(&self) -> usize {
        self.dim()
    }

    #[inline(always)]
    fn are_points<S: Simd, W: Width>(&self, _: S, w: W, p: [&[f64]; LANES]) -> bool {
        let [square] = gather(|l| sums(w, 0, p[l], p[l], |a, b| [a * b]));
        // NaN is not below 1 either.
        let wrong = lanes!(l => if square[l] < 1.0 - 1e-15 { 0.0 } else { 1.0 });
        wrong.iter().sum::<f64>() == 0.0
    }

    #[inline(always)]
    fn dists<S: Simd, W: Width>(&self, simd: S, w: W, p: [&[f64]; LANES], q: [&[f64]; LANES]) -> Lane {
        let [square, pp, qq] = gather(|l| sums(w, 0, p[l], q[l], |a, b| [(b - a) * (b - a), a * a, b * b]));
        let (p, q) = (gaps(simd, &pp), gaps(simd, &qq));
        let half = asinh(simd, &sqrt(simd, &lanes!(l => square[l] / (p[l] * q[l]))));
        lanes!(l => 2.0 * half[l])
    }

    /// A positive multiple of (1 − ‖p‖²)(q − p) − ‖q − p‖² p, whose length is ‖q − p‖ √(‖q − p‖² + (1 − ‖p‖²)(1 − ‖q‖²)).
    #[inline(always)]
    fn logs<S: Simd, W: Width>(&self, simd: S, w: W, p: [&[f64]; LANES], q: [&[f64]; LANES]) -> Coefficients {
        let [square, pp, qq] = gather(|l| sums(w, 0, p[l], q[l], |a, b| [(b - a) * (b - a), a * a, b * b]));
        let (p, q) = (gaps(simd, &pp), gaps(simd, &qq));
        let half = asinh(simd, &sqrt(simd, &lanes!(l => square[l] / (p[l] * q[l]))));
        let length = sqrt(simd, &lanes!(l => square[l] * (square[l] + p[l] * q[l])));
        let factor = lanes!(l => {
            if length[l] > 0.0 { half[l] * p[l] / length[l] } else { 1.0 / q[l] }
        });
        Coefficients {
            f: lanes!(l => factor[l] * p[l]),
            s: [-1.0; LANES],
            g: lanes!(l => factor[l] * square[l]),
            square: lanes!(l => 4.0 * half[l] * half[l]),
        }
    }

    #[inline(always)]
    fn put_log<W: Width>(&self, w: W, [f, s, g]: [f64; 3], p: &[f64], q: &[f64], out: &mut [f64]) {
        for ((out, q), p) in out[..w.get()].iter_mut().zip(&q[..w.get()]).zip(&p[..w.get()]) {
            *out = f * (q + s * p) - g * p;
        }
    }

    #[inline(always)]
    fn exps<S: Simd, W: Width>(
        &self,
        simd: S,
        w: W,
        p: [&[f64]; LANES],
        v: [&[f64]; LANES],
        out: &mut [f64],
    ) {
        let n = w.get();
        let rows = out.len() / n;
        let [dot, pp, vv] = gather(|l| sums(w, 0, p[l], v[l], |p, v| [p * v, p * p, v * v]));
        let gap = gaps(simd, &pp);
        let length = sqrt(simd, &vv);
        // At 20 the hyperbolic tangent is 1.
        let x = lanes!(l => (length[l] / gap[l]).min(20.0));
        let (sinhc, cosh) = sinhc_and_cosh(simd, &x);
        // p ⊕ (t v/‖v‖), t = tanh x.
        let t_over_length =
            lanes!(l => if length[l] > 0.0 { x[l] * sinhc[l] / (cosh[l] * length[l]) } else { 0.0 });
        let along = lanes!(l => dot[l] * t_over_length[l]);
        let ww = lanes!(l => vv[l] * t_over_length[l] * t_over_length[l]);
        let denominator = lanes!(l => 1.0 + 2.0 * along[l] + pp[l] * ww[l]);
        for l in 0..rows {
            let a = (1.0 + 2.0 * along[l] + ww[l]) / denominator[l];
            let b = gap[l] * t_over_length[l] / denominator[l];
            let out = &mut out[l * n..(l + 1) * n];
            for ((out, p), v) in out.iter_mut().zip(&p[l][..n]).zip(&v[l][..n]) {
                *out = a * p + b * v;
            }
            let [square] = sums(w, 0, out, out, |a, b| [a * b]);
            let size = square.sqrt();
            if size > poincare::LARGEST {
                out.iter_mut().for_each(|x| *x *= poincare::LARGEST / size);
            }
        }
    }

    fn mean(&self, p: &[f64], sum: &mut [f64], rest: f64) {
        sum.iter_mut().zip(p).for_each(|(sum, p)| *sum -= rest * p);
    }
}

vector_rows!(PoincareBall, poincare::NAME, |space: &PoincareBall, mean: DVector<f64>| space
    .check(&mean)
    .is_ok()
    .then_some(mean));
