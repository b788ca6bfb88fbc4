//! Vectors of ℂᵏ: centred, of unit norm, modulo phase.

use crate::manifold::error::ManifoldError;
use crate::manifold::normal::fill_standard_normal;
use nalgebra::{Complex, DVector};
use rand::Rng;

pub(super) const NAME: &str = "planar shape space";

/// A preshape or a horizontal vector: one complex number for each landmark.
pub(super) type Preshape = DVector<Complex<f64>>;

/// p*q of preshapes.
pub(super) fn hermitian(p: &Preshape, q: &Preshape) -> Complex<f64> {
    dot(p.as_slice(), q.as_slice())
}

/// p*q = Σ p̄_j q_j.
#[inline(always)]
pub(super) fn dot(p: &[Complex<f64>], q: &[Complex<f64>]) -> Complex<f64> {
    // Running sums apart, so that additions do not wait for one another.
    let (mut same, mut cross) = ([0.0; 8], [0.0; 8]);
    let (ps, qs) = (p.chunks_exact(4), q.chunks_exact(4));
    let tail: Complex<f64> = ps.remainder().iter().zip(qs.remainder()).map(|(a, b)| a.conj() * b).sum();
    for (a, b) in ps.zip(qs) {
        for k in 0..4 {
            same[2 * k] += a[k].re * b[k].re;
            same[2 * k + 1] += a[k].im * b[k].im;
            cross[2 * k] += a[k].re * b[k].im;
            cross[2 * k + 1] += a[k].im * b[k].re;
        }
    }
    let mut sum = tail;
    for k in 0..4 {
        sum.re += same[2 * k] + same[2 * k + 1];
        sum.im += cross[2 * k] - cross[2 * k + 1];
    }
    sum
}

/// ‖z‖.
pub(super) fn norm(z: &Preshape) -> f64 {
    z.iter().map(|z| z.norm_sqr()).sum::<f64>().sqrt()
}

/// z less its mean.
pub(super) fn center(z: &mut Preshape) {
    let mean = z.iter().sum::<Complex<f64>>() / z.len() as f64;
    z.iter_mut().for_each(|z| *z -= mean);
}

/// c/|c|, or an error if |c| is rounding error.
pub(super) fn phase(c: Complex<f64>) -> Result<Complex<f64>, ManifoldError> {
    let size = c.norm();
    if size <= 8.0 * f64::EPSILON { Err(ManifoldError::CutLocus(NAME)) } else { Ok(c / size) }
}

/// y ← y + a·x.
pub(super) fn axpy(a: Complex<f64>, x: &Preshape, y: &mut Preshape) {
    for (y, x) in y.as_mut_slice().iter_mut().zip(x.as_slice()) {
        *y += a * x;
    }
}

/// k complex numbers with independent standard normal parts.
pub(super) fn gaussian<R: Rng + ?Sized>(k: usize, rng: &mut R) -> Preshape {
    let mut numbers = vec![0.0; 2 * k];
    fill_standard_normal(rng, &mut numbers);
    Preshape::from_iterator(k, numbers.chunks_exact(2).map(|z| Complex::new(z[0], z[1])))
}

/// Helmert's coordinates of centred numbers, an isometry onto ℂᵏ⁻¹: h_j = (z₁ + … + z_j − j z_{j+1})/√(j(j + 1)).
pub(super) fn helmert(z: &Preshape) -> Vec<Complex<f64>> {
    let mut sum = Complex::from(0.0);
    let pairs = z.as_slice().windows(2).zip(1..);
    let coordinate = |(pair, j): (&[Complex<f64>], i32)| {
        let j = f64::from(j);
        sum += pair[0];
        (sum - pair[1] * j) / (j * (j + 1.0)).sqrt()
    };
    pairs.map(coordinate).collect()
}

/// The centred numbers with these Helmert coordinates.
pub(super) fn from_helmert(h: &[Complex<f64>]) -> Preshape {
    let mut z = Preshape::zeros(h.len() + 1);
    // z_i = Σ_{j ≥ i} h_j/√(j(j + 1)) − (i − 1) h_{i−1}/√((i − 1) i), from the last to the first.
    let mut later = Complex::from(0.0);
    for (i, h) in h.iter().enumerate().rev() {
        let j = (i + 1) as f64;
        let share = h / (j * (j + 1.0)).sqrt();
        z[i + 1] = later - share * j;
        later += share;
    }
    z[0] = later;
    z
}
