//! The exponential of symmetric matrices by products, several times faster than by an eigendecomposition.

use super::matrix::spectral;
use super::product::symmetric_product;
use nalgebra::DMatrix;

/// Orders below which an eigendecomposition is as quick.
const FEW: usize = 8;
/// How wide a spectrum, about its middle, is left to the eigendecomposition.
const WIDE: f64 = 64.0;
/// The norm up to which the Taylor polynomial of degree 16 is taken: θ¹⁷/17! = 2e-18 of e^(−θ), even times 2⁴.
const THETA: f64 = 0.65;

/// exp S, exactly symmetric. Like that of an eigendecomposition the error is relative to the largest eigenvalue of the result.
///
/// Scaling and squaring (Higham 2008, §10.3) about the middle t = tr S/k: exp S = e^t (T₁₆((S − tI)/2^s))^(2^s) with the Taylor polynomial in
/// powers up to the fourth (Paterson and Stockmeyer 1973). All factors are polynomials in S, so every product is symmetric and
/// half of it suffices; ‖A⁴‖^¼ bounds the spectral norm closely.
pub(super) fn exponential(s: &DMatrix<f64>) -> DMatrix<f64> {
    let k = s.nrows();
    if k < FEW {
        return spectral(&s.clone().symmetric_eigen(), f64::exp);
    }
    let middle = s.trace() / k as f64;
    let mut a = s.clone();
    (0..k).for_each(|i| a[(i, i)] -= middle);
    let second = symmetric_product(&a, &a);
    let third = symmetric_product(&second, &a);
    let fourth = symmetric_product(&second, &second);
    let bound = fourth.norm().sqrt().sqrt();
    if bound.is_nan() || bound > WIDE {
        return spectral(&s.clone().symmetric_eigen(), f64::exp);
    }
    let squarings = (bound / THETA).log2().ceil().max(0.0) as i32;
    // 1/j! 2^(−sj).
    let mut coefficients = [1.0; 17];
    for j in 1..17 {
        coefficients[j] = coefficients[j - 1] / (j as f64 * f64::from(squarings).exp2());
    }
    let cubic = |j: usize, out: &mut DMatrix<f64>| {
        let c = &coefficients[j..j + 4];
        for (((x, a), b), d) in out.iter_mut().zip(a.iter()).zip(second.iter()).zip(third.iter()) {
            *x += c[1] * a + c[2] * b + c[3] * d;
        }
        (0..k).for_each(|i| out[(i, i)] += c[0]);
    };
    let mut sum = &fourth * coefficients[16];
    cubic(12, &mut sum);
    for j in [8, 4, 0] {
        sum = symmetric_product(&sum, &fourth);
        cubic(j, &mut sum);
    }
    for _ in 0..squarings {
        sum = symmetric_product(&sum, &sum);
    }
    sum * middle.exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::spd::matrix::symmetric_gaussian;
    use rand::SeedableRng;

    /// Against the eigendecomposition, at spectra from narrow to wider than a double's range of digits, and off centre.
    #[test]
    fn agrees_with_the_eigendecomposition() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(14);
        for k in [1, 2, 7, 8, 11, 30, 50] {
            for scale in [0.0, 1e-9, 0.01, 0.3, 1.0, 4.0] {
                let mut s = symmetric_gaussian(k, scale, &mut rng);
                (0..k).for_each(|i| s[(i, i)] -= 7.0);
                let (found, expected) = (exponential(&s), spectral(&s.clone().symmetric_eigen(), f64::exp));
                let error = (&found - &expected).norm() / expected.norm();
                assert!(error < 2e-14 * (1.0 + scale * (k as f64).sqrt()), "{k} {scale}: {error:e}");
                assert_eq!(found, found.transpose());
                if scale <= 1.0 {
                    assert!(found.cholesky().is_some(), "{k} {scale}");
                }
            }
        }
        // Too wide, and broken.
        let wide = DMatrix::from_fn(9, 9, |i, j| if i == j { 100.0 * i as f64 - 400.0 } else { 0.0 });
        assert!((exponential(&wide)[(8, 8)] / f64::exp(400.0) - 1.0).abs() < 1e-13);
        assert!(exponential(&DMatrix::from_element(9, 9, f64::NAN)).iter().all(|x| x.is_nan()));
    }
}
