//! Composition of tilted laws by fast Fourier transforms, with a bound on what rounding does to it.
//!
//! Tilted, p̃(l) = e^{θl} p(l)/M(θ), the part of a law that decides δ is the bulk of it: rounding errors are then small beside δ, not
//! beside 1. Sums of losses are taken modulo the window's length; masses are not negative, so what wraps around only adds.
//!
//! Rounding. In a transform of length 2ᵗ every output is a sum of inputs times up to t factors of modulus 1, formed in at most t steps of
//! a rounded product and a rounded sum; with each worth [`UNITS`] units of rounding u (Higham 2002, §24.1, has (3 + 3√2)u + twiddles within
//! u), the output misses by at most e = t·UNITS·u times Σ|x|, which is 1 here. Of the spectra f with multiplicities k the product
//! Y = ∏f^k then misses by at most (e + 16u) Σᵢ kᵢ|fᵢ|^{kᵢ−1}∏_{j≠i}|f_j|^{k_j} =: (e + 16u) G, |f| taken with its own error, and a mass of the
//! result by the mean of that over frequencies and e times the mean of |Y|.

use crate::numeric::fourier::{self, Complex};

/// The units of rounding allowed for each level of a transform.
const UNITS: f64 = 16.0;

/// The law of a sum.
pub(super) struct Sum {
    /// Tilted masses by index modulo the length, not negative.
    pub(super) masses: Vec<f64>,
    /// None of them is below the truth by more than this.
    pub(super) error: f64,
}

/// The sum of `times` independent draws from each law; laws as tilted masses by index modulo `length`, each with sum 1.
pub(super) fn sum(laws: Vec<(Vec<f64>, u32)>, length: usize) -> Sum {
    let forward = fourier::forward(length);
    let unit = 0.5 * f64::EPSILON;
    let per_transform = f64::from(length.ilog2()) * UNITS * unit;
    let per_factor = per_transform + 16.0 * unit;
    let mut spectra: Vec<(Vec<Complex<f64>>, u32)> = Vec::with_capacity(laws.len());
    for (law, times) in laws {
        let mut spectrum: Vec<Complex<f64>> = law.into_iter().map(|p| Complex::new(p, 0.0)).collect();
        forward.process(&mut spectrum);
        spectra.push((spectrum, times));
    }
    let (mut product, mut growth, mut size) = (vec![Complex::new(0.0, 0.0); length], 0.0, 0.0);
    for (k, out) in product.iter_mut().enumerate() {
        *out = spectra.iter().map(|(f, times)| f[k].powu(*times)).product();
        growth += spread(&spectra, k, per_factor);
        size += out.norm();
    }
    fourier::inverse(length).process(&mut product);
    let scale = 1.0 / length as f64;
    let error = scale * (per_factor * growth + per_transform * size) * (1.0 + 1e-6);
    Sum { masses: product.into_iter().map(|z| (z.re * scale).max(0.0)).collect(), error }
}

/// G at frequency k.
fn spread(spectra: &[(Vec<Complex<f64>>, u32)], k: usize, error: f64) -> f64 {
    let size = |f: &[Complex<f64>]| f[k].norm() + error;
    let whole = |skip: usize| {
        let factor = |(i, (f, times)): (usize, &(Vec<Complex<f64>>, u32))| {
            libm::pow(size(f), f64::from(*times) - f64::from(u8::from(i == skip)))
        };
        spectra.iter().enumerate().map(factor).product::<f64>()
    };
    spectra.iter().enumerate().map(|(i, (_, times))| f64::from(*times) * whole(i)).sum()
}
