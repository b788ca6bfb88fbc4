//! Spheres, eight rows at a time.

use super::elementary::{LANES, LARGEST_ANGLE, Lane, angle, cos_and_sinc, lanes, sqrt};
use super::vectors::{
    Coefficients, Eights, Task, Width, ambient_mean, gather, mean_log, run, sums, vector_rows,
};
use super::{Batch, MeanRows, RowError, Rows};
use crate::manifold::error::ManifoldError;
use crate::manifold::space::{Manifold, MeanLog};
use crate::manifold::sphere::{NAME, Sphere};
use nalgebra::DVector;
use pulp::Simd;

impl Eights for Sphere {
    fn width(&self) -> usize {
        self.dim() + 1
    }

    #[inline(always)]
    fn are_points<S: Simd, W: Width>(&self, _: S, w: W, p: [&[f64]; LANES]) -> bool {
        let [square] = gather(|l| sums(w, 0, p[l], p[l], |a, b| [a * b]));
        // A little closer to the radius than need be. NaN is not near 1 either.
        let inverse = 1.0 / (self.radius() * self.radius());
        let wrong = lanes!(l => if (square[l] * inverse - 1.0).abs() <= 1.9e-8 { 0.0 } else { 1.0 });
        wrong.iter().sum::<f64>() == 0.0
    }

    #[inline(always)]
    fn dists<S: Simd, W: Width>(&self, simd: S, w: W, p: [&[f64]; LANES], q: [&[f64]; LANES]) -> Lane {
        let [chord, co_chord] =
            gather(|l| sums(w, 0, p[l], q[l], |a, b| [(b - a) * (b - a), (b + a) * (b + a)]));
        let half = angle(simd, &sqrt(simd, &chord), &sqrt(simd, &co_chord));
        lanes!(l => 2.0 * self.radius() * half[l])
    }

    /// With the shorter v of q − p and q + p: f = θ/sin θ by which its tangent part v − c p, c = ⟨p, v⟩/R², is as long as θ.
    #[inline(always)]
    fn logs<S: Simd, W: Width>(&self, simd: S, w: W, p: [&[f64]; LANES], q: [&[f64]; LANES]) -> Coefficients {
        let r = self.radius();
        let [chord, co_chord, along, co_along] = gather(|l| {
            sums(w, 0, p[l], q[l], |a, b| [(b - a) * (b - a), (b + a) * (b + a), a * (b - a), a * (b + a)])
        });
        let roots = (sqrt(simd, &chord), sqrt(simd, &co_chord));
        let half = angle(simd, &roots.0, &roots.1);
        let near = lanes!(l => if chord[l] < co_chord[l] { 1.0 } else { 0.0 });
        let s = lanes!(l => if near[l] > 0.0 { -1.0 } else { 1.0 });
        let c = lanes!(l => (if near[l] > 0.0 { along[l] } else { co_along[l] }) / (r * r));
        let length = sqrt(
            simd,
            &lanes!(l => {
                let square = (if near[l] > 0.0 { chord[l] } else { co_chord[l] }) - c[l] * c[l] * r * r;
                if square > 0.0 { square } else { 0.0 }
            }),
        );
        let f = lanes!(l => {
            let length = length[l];
            let f = if length > 0.0 { 2.0 * r * half[l] / length } else { 1.0 };
            if roots.1[l] > 8.0 * f64::EPSILON * r { f } else { f64::NAN }
        });
        Coefficients { g: lanes!(l => f[l] * c[l]), f, s, square: lanes!(l => (2.0 * r * half[l]).powi(2)) }
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
        let (n, r) = (w.get(), self.radius());
        let rows = out.len() / n;
        let [along, own] = gather(|l| sums(w, 0, p[l], v[l], |p, v| [p * v, p * p]));
        let [square] = gather(|l| {
            let c = along[l] / (r * r);
            sums(w, 0, p[l], v[l], |p, v| [(v - c * p) * (v - c * p)])
        });
        let t = sqrt(simd, &lanes!(l => square[l] / (r * r)));
        let (cos, sinc) = cos_and_sinc(simd, &t);
        let size = sqrt(simd, &lanes!(l => cos[l] * cos[l] * own[l] + sinc[l] * sinc[l] * square[l]));
        // Rounding may not carry long chains of steps off the sphere.
        let scale = lanes!(l => {
            if t[l] <= LARGEST_ANGLE { r / size[l] } else { f64::NAN }
        });
        for l in 0..rows {
            let (b, c) = (sinc[l] * scale[l], along[l] / (r * r));
            let a = cos[l] * scale[l];
            for ((out, p), v) in out[l * n..(l + 1) * n].iter_mut().zip(&p[l][..n]).zip(&v[l][..n]) {
                *out = a * p + b * (v - c * p);
            }
        }
    }

    /// The tangent part; `rest` is what it takes away.
    fn mean(&self, p: &[f64], sum: &mut [f64], rest: f64) {
        sum.iter_mut().zip(p).for_each(|(sum, p)| *sum -= rest * p);
        // Once more: the sum may be much shorter than its terms.
        let square = self.radius() * self.radius();
        let c = sum.iter().zip(p).map(|(s, p)| s * p).sum::<f64>() / square;
        sum.iter_mut().zip(p).for_each(|(sum, p)| *sum -= c * p);
    }
}

vector_rows!(Sphere, NAME, |space: &Sphere, mean: DVector<f64>| {
    // A balanced cloud has no direction.
    if mean.norm() < 1e-6 * space.radius() { None } else { space.normalize(&mean) }
});
