//! What the metrics share: symmetric matrices and their functions.

use super::product::{congruence, scaled_congruence};
use crate::manifold::error::ManifoldError;
use crate::manifold::normal::fill_standard_normal;
use crate::numeric::elementary::all_finite;
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use rand::Rng;
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

pub(super) const NAME: &str = "space of positive definite matrices";

/// k ≥ 1, or an error.
pub(super) fn check_order(order: usize) -> Result<usize, ManifoldError> {
    if order == 0 {
        let (parameter, remedy) = ("order 0", "take matrices of order 1 or more");
        return Err(ManifoldError::Parameter { manifold: NAME, parameter, remedy });
    }
    Ok(order)
}

/// Whether a symmetric matrix is positive definite beyond rounding: eigenvalues below k·ε of the largest are those of a singular one.
pub fn is_positive_definite(a: &DMatrix<f64>) -> bool {
    let s = symmetric_part(a);
    let order = s.nrows() as f64;
    let rest = |lambda: &DVector<f64>| lambda.min() > order * f64::EPSILON * lambda.max();
    s.clone().cholesky().is_some() && rest(&s.symmetric_eigenvalues())
}

/// Finite, symmetric to 1e-8 of its largest entry, positive definite.
pub(super) fn check_spd(p: &DMatrix<f64>, order: usize) -> Result<(), ManifoldError> {
    if p.nrows() != order || p.ncols() != order {
        return Err(ManifoldError::WrongSize { manifold: NAME, expected: order * order, found: p.len() });
    }
    if !all_finite(p.as_slice()) {
        return Err(ManifoldError::NotFinite(NAME));
    }
    let largest = p.amax();
    let asymmetric = (0..order).any(|i| (0..i).any(|j| (p[(i, j)] - p[(j, i)]).abs() > 1e-8 * largest));
    if asymmetric {
        return Err(ManifoldError::OffManifold {
            manifold: NAME,
            constraint: "is not symmetric",
            remedy: "use the mean of the matrix and its transpose if that is what is meant",
        });
    }
    if !is_positive_definite(p) {
        return Err(ManifoldError::OffManifold {
            manifold: NAME,
            constraint: "is not positive definite",
            remedy: "add a small multiple of the identity or remove the record",
        });
    }
    Ok(())
}

/// (A + Aᵀ)/2.
pub(super) fn symmetric_part(a: &DMatrix<f64>) -> DMatrix<f64> {
    let mut s = a.clone();
    symmetrize(&mut s);
    s
}

/// A ← (A + Aᵀ)/2.
pub(super) fn symmetrize(a: &mut DMatrix<f64>) {
    for j in 0..a.ncols() {
        for i in 0..j {
            let mean = 0.5 * (a[(i, j)] + a[(j, i)]);
            a[(i, j)] = mean;
            a[(j, i)] = mean;
        }
    }
}

/// A symmetric Gaussian matrix: diagonal N(0, σ²), off the diagonal N(0, σ²/2): isotropic for the Frobenius norm.
pub(super) fn symmetric_gaussian<R: Rng + ?Sized>(order: usize, sigma: f64, rng: &mut R) -> DMatrix<f64> {
    let mut numbers = vec![0.0; order * (order + 1) / 2];
    fill_standard_normal(rng, &mut numbers);
    let mut a = DMatrix::zeros(order, order);
    let mut rest = &numbers[..];
    for j in 0..order {
        let (column, after) = rest.split_at(j + 1);
        rest = after;
        for (i, z) in column.iter().enumerate() {
            let z = sigma * FRAC_1_SQRT_2 * z;
            a[(i, j)] = z;
            a[(j, i)] = z;
        }
        a[(j, j)] = sigma * column[j];
    }
    a
}

/// Places on and above the diagonal, by columns.
fn upper(order: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..order).flat_map(|j| (0..=j).map(move |i| (i, j)))
}

/// The upper triangle of a symmetric matrix by columns, off the diagonal times √2: an isometry of the Frobenius norm.
pub(super) fn symmetric_coordinates(a: &DMatrix<f64>) -> Vec<f64> {
    upper(a.nrows()).map(|(i, j)| if i == j { a[(i, i)] } else { a[(i, j)] * SQRT_2 }).collect()
}

/// The symmetric matrix with these coordinates; missing ones are 0.
pub(super) fn symmetric_of_coordinates(order: usize, coordinates: &[f64]) -> DMatrix<f64> {
    let mut a = DMatrix::zeros(order, order);
    for ((i, j), x) in upper(order).zip(coordinates) {
        let value = if i == j { *x } else { x * FRAC_1_SQRT_2 };
        a[(i, j)] = value;
        a[(j, i)] = value;
    }
    a
}

/// A random well-conditioned positive definite matrix: exp of a symmetric Gaussian.
pub(super) fn random_spd<R: Rng + ?Sized>(order: usize, rng: &mut R) -> DMatrix<f64> {
    let scale = 1.0 / (order as f64).sqrt();
    spectral(&symmetric_gaussian(order, scale, rng).symmetric_eigen(), f64::exp)
}

/// V f(Λ) Vᵀ.
pub(super) fn spectral(eigen: &SymmetricEigen<f64, nalgebra::Dyn>, f: impl Fn(f64) -> f64) -> DMatrix<f64> {
    let mapped = eigen.eigenvalues.map(f);
    scaled_congruence(&eigen.eigenvectors, mapped.as_slice())
}

/// Vᵀ A V for symmetric A, exactly symmetric.
pub(super) fn congruence_transposed(v: &DMatrix<f64>, a: &DMatrix<f64>) -> DMatrix<f64> {
    congruence(&v.transpose(), a)
}
