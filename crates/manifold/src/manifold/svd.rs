//! A singular value decomposition that is right to the last digits.
//!
//! nalgebra 0.35's own loses up to half the digits and more on matrices that are nearly diagonal (residuals of 1e-2 were
//! seen), and faer's is slower at the sizes met here.

use super::linear::axpy;
use crate::numeric::elementary::dot;
use nalgebra::{DMatrix, DVector};

/// A = U diag(s) Vᵀ with s decreasing; U has the shape of A, V is square. Columns of U for which s = 0 are zero.
pub(super) struct Svd {
    pub(super) u: DMatrix<f64>,
    pub(super) s: DVector<f64>,
    pub(super) v: DMatrix<f64>,
}

/// Sweeps; quadratic convergence ends it after 6 to 10.
const SWEEPS: usize = 60;

/// By one-sided Jacobi rotations (Hestenes 1958), which keep the relative accuracy of small singular values (Demmel and
/// Veselić 1992). At least as many rows as columns. `None` if an entry is not finite.
pub(super) fn svd(a: &DMatrix<f64>) -> Option<Svd> {
    if a.nrows() > 2 * a.ncols() {
        let qr = a.clone().qr();
        let mut small = svd(&qr.r())?;
        small.u = qr.q() * small.u;
        return Some(small);
    }
    if !a.iter().all(|x| x.is_finite()) {
        return None;
    }
    let n = a.ncols();
    let (mut u, mut v) = (a.clone(), DMatrix::identity(n, n));
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for j in 1..n {
            for i in 0..j {
                rotated |= orthogonalize(&mut u, &mut v, i, j);
            }
        }
        if !rotated {
            break;
        }
    }
    let lengths: Vec<f64> = u.column_iter().map(|c| c.norm()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| lengths[*j].total_cmp(&lengths[*i]));
    let mut sorted = Svd { u: u.select_columns(&order), s: DVector::zeros(n), v: v.select_columns(&order) };
    for (j, i) in order.into_iter().enumerate() {
        sorted.s[j] = lengths[i];
        if lengths[i] > 0.0 {
            sorted.u.column_mut(j).unscale_mut(lengths[i]);
        }
    }
    Some(sorted)
}

/// Makes columns i < j of U orthogonal by a rotation, applied to V too. Whether one was needed.
fn orthogonalize(u: &mut DMatrix<f64>, v: &mut DMatrix<f64>, i: usize, j: usize) -> bool {
    let (x, y) = columns(u, i, j);
    let (xx, yy, xy) = (dot(x, x), dot(y, y), dot(x, y));
    if xy.abs() <= 2.0 * f64::EPSILON * (xx * yy).sqrt() || xy == 0.0 {
        return false;
    }
    let zeta = (yy - xx) / (2.0 * xy);
    let t = zeta.signum() / (zeta.abs() + 1.0_f64.hypot(zeta));
    let c = 1.0 / 1.0_f64.hypot(t);
    rotate(x, y, c, c * t);
    let (x, y) = columns(v, i, j);
    rotate(x, y, c, c * t);
    true
}

fn columns(a: &mut DMatrix<f64>, i: usize, j: usize) -> (&mut [f64], &mut [f64]) {
    let rows = a.nrows();
    let (head, tail) = a.as_mut_slice().split_at_mut(j * rows);
    (&mut head[i * rows..(i + 1) * rows], &mut tail[..rows])
}

/// (x, y) ← (c x − s y, s x + c y).
fn rotate(x: &mut [f64], y: &mut [f64], c: f64, s: f64) {
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}

/// The orthogonal factor UVᵀ of a square matrix; `None` where it is not unique to rounding.
pub(super) fn polar(a: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let Svd { u, s, v } = svd(a)?;
    let n = s.len();
    (n == 0 || s[n - 1] > 8.0 * f64::EPSILON * s[0]).then(|| u * v.transpose())
}

/// The x for which ‖A x − b‖ is smallest; directions of relative singular value below `cutoff` are left out.
pub(super) fn least_squares(a: &DMatrix<f64>, b: &DVector<f64>, cutoff: f64) -> Option<DVector<f64>> {
    let Svd { u, s, v } = svd(a)?;
    let mut x = DVector::zeros(s.len());
    for j in (0..s.len()).take_while(|j| s[*j] > cutoff * s[0]) {
        let c = dot(u.column(j).as_slice(), b.as_slice()) / s[j];
        axpy(c, v.column(j).as_slice(), x.as_mut_slice());
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn reproduces_matrices_of_every_kind() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for (rows, columns) in [(1, 1), (2, 2), (3, 3), (4, 3), (11, 11), (40, 7)] {
            for trial in 0..300 {
                // Every second one nearly diagonal, every third of low rank.
                let small = if trial % 2 == 0 { 10f64.powf(-16.0 * rng.random::<f64>()) } else { 1.0 };
                let mut a = DMatrix::from_fn(rows, columns, |i, j| {
                    (rng.random::<f64>() - 0.5) * if i == j { 1.0 } else { small }
                });
                if trial % 3 == 0 && columns > 1 {
                    let first = a.column(0).into_owned();
                    a.set_column(1, &(first * 3.0));
                }
                let Some(Svd { u, s, v }) = svd(&a) else { panic!("finite") };
                assert!((&u * DMatrix::from_diagonal(&s) * v.transpose() - &a).amax() < 1e-14);
                assert!((v.tr_mul(&v) - DMatrix::identity(columns, columns)).amax() < 1e-14);
                assert!(s.as_slice().windows(2).all(|w| w[0] >= w[1]));
                let rank = s.iter().filter(|x| **x > 1e-12).count();
                let head = u.columns(0, rank);
                assert!((head.tr_mul(&head) - DMatrix::identity(rank, rank)).amax() < 1e-13);
            }
        }
        assert!(svd(&DMatrix::from_element(2, 2, f64::NAN)).is_none());
    }

    #[test]
    fn small_singular_values_keep_their_digits() -> Result<(), &'static str> {
        // Singular values 1, 1e-20 of a graded matrix, exact by construction up to a rotation of the small column.
        let a = DMatrix::from_column_slice(2, 2, &[0.6, 0.8, -0.8e-20, 0.6e-20]);
        let s = svd(&a).ok_or("finite")?.s;
        assert!((s[1] / 1e-20 - 1.0).abs() < 1e-15 && (s[0] - 1.0).abs() < 1e-15);
        Ok(())
    }
}
