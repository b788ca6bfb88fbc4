//! Products and factors of eight matrices side by side, by columns; symmetric ones are their lower triangles where nothing else is said.

use super::lockstep::{LANES, Lane, columns};
use crate::manifold::rows::elementary::lanes;
use pulp::Simd;

const ZERO: Lane = [0.0; LANES];

/// −x.
#[inline(always)]
fn negative(x: &Lane) -> Lane {
    lanes!(l => -x[l])
}

/// Lower triangles of rows (matrices row by row), mirrored.
#[inline(always)]
pub(super) fn load(n: usize, rows: &[&[f64]; LANES], into: &mut [Lane]) {
    for j in 0..n {
        for i in j..n {
            let x = lanes!(l => rows[l][i * n + j]);
            into[j * n + i] = x;
            into[i * n + j] = x;
        }
    }
}

/// Their symmetric parts.
#[inline(always)]
pub(super) fn load_symmetric(n: usize, rows: &[&[f64]; LANES], into: &mut [Lane]) {
    for j in 0..n {
        for i in j..n {
            let x = lanes!(l => 0.5 * (rows[l][i * n + j] + rows[l][j * n + i]));
            into[j * n + i] = x;
            into[i * n + j] = x;
        }
    }
}

/// The upper triangle from the lower one.
#[inline(always)]
pub(super) fn mirror(n: usize, a: &mut [Lane]) {
    for j in 0..n {
        for i in j + 1..n {
            a[i * n + j] = a[j * n + i];
        }
    }
}

/// The lower factor L of A = LLᵀ in the place of A's lower triangle. Which were positive definite.
#[inline(always)]
pub(super) fn cholesky<S: Simd>(simd: S, n: usize, a: &mut [Lane]) -> [bool; LANES] {
    let mut fit = [true; LANES];
    for j in 0..n {
        let (done, rest) = a.split_at_mut(j * n);
        for k in 0..j {
            let column = &done[k * n + j..(k + 1) * n];
            columns::axpy(simd, &negative(&column[0]), column, &mut rest[j..n]);
        }
        let pivot = rest[j];
        (0..LANES).for_each(|l| fit[l] &= pivot[l] > 0.0 && pivot[l].is_finite());
        let root = pivot.map(f64::sqrt);
        rest[j] = root;
        for x in &mut rest[j + 1..n] {
            *x = lanes!(l => x[l] / root[l]);
        }
    }
    fit
}

/// X ← L⁻¹X for the columns of X from `first` on, of which what stands above row `first` is 0.
#[inline(always)]
fn solve_column<S: Simd>(simd: S, n: usize, l: &[Lane], x: &mut [Lane], first: usize) {
    for k in first..n {
        let pivot = l[k * n + k];
        x[k] = lanes!(m => x[k][m] / pivot[m]);
        let (solved, rest) = x.split_at_mut(k + 1);
        columns::axpy(simd, &negative(&solved[k]), &l[k * n + k + 1..(k + 1) * n], rest);
    }
}

/// A ← L⁻¹AL⁻ᵀ for a whole symmetric A; the lower triangle of the result.
#[inline(always)]
pub(super) fn whiten<S: Simd>(simd: S, n: usize, l: &[Lane], a: &mut [Lane]) {
    for column in a.chunks_exact_mut(n) {
        solve_column(simd, n, l, column, 0);
    }
    // S_ij = (X_ij − Σ_{k<j} S_ik L_jk)/L_jj.
    for j in 0..n {
        let (done, rest) = a.split_at_mut(j * n);
        for k in 0..j {
            columns::axpy(simd, &negative(&l[k * n + j]), &done[k * n + j..(k + 1) * n], &mut rest[j..n]);
        }
        let pivot = l[j * n + j];
        for x in &mut rest[j..n] {
            *x = lanes!(m => x[m] / pivot[m]);
        }
    }
}

/// Σ (L⁻¹)²_ij, which bounds the inverse of the smallest eigenvalue of LLᵀ. `room`: n.
#[inline(always)]
pub(super) fn inverse_square<S: Simd>(simd: S, n: usize, l: &[Lane], room: &mut [Lane]) -> Lane {
    let mut sum = ZERO;
    for j in 0..n {
        room[j..n].fill(ZERO);
        room[j] = [1.0; LANES];
        solve_column(simd, n, l, room, j);
        let square = columns::dot(simd, &room[j..n], &room[j..n]);
        (0..LANES).for_each(|k| sum[k] += square[k]);
    }
    sum
}

/// X ← L⁻ᵀX for all columns of X.
#[inline(always)]
pub(super) fn solve_transposed<S: Simd>(simd: S, n: usize, l: &[Lane], x: &mut [Lane]) {
    for x in x.chunks_exact_mut(n) {
        for k in (0..n).rev() {
            let dot = columns::dot(simd, &l[k * n + k + 1..(k + 1) * n], &x[k + 1..n]);
            let pivot = l[k * n + k];
            x[k] = lanes!(m => (x[k][m] - dot[m]) / pivot[m]);
        }
    }
}

/// L X, L with nothing above the diagonal.
#[inline(always)]
pub(super) fn lower_times<S: Simd>(simd: S, n: usize, l: &[Lane], x: &[Lane], out: &mut [Lane]) {
    for (x, out) in x.chunks_exact(n).zip(out.chunks_exact_mut(n)) {
        out.fill(ZERO);
        for j in 0..n {
            columns::axpy(simd, &x[j], &l[j * n + j..(j + 1) * n], &mut out[j..]);
        }
    }
}

/// X Y.
#[inline(always)]
pub(super) fn product<S: Simd>(simd: S, n: usize, x: &[Lane], y: &[Lane], out: &mut [Lane]) {
    for (y, out) in y.chunks_exact(n).zip(out.chunks_exact_mut(n)) {
        out.fill(ZERO);
        for j in 0..n {
            columns::axpy(simd, &y[j], &x[j * n..(j + 1) * n], out);
        }
    }
}

/// The lower triangle of XᵀY.
#[inline(always)]
pub(super) fn transposed_product<S: Simd>(simd: S, n: usize, x: &[Lane], y: &[Lane], out: &mut [Lane]) {
    for j in 0..n {
        for i in j..n {
            out[j * n + i] = columns::dot(simd, &x[i * n..(i + 1) * n], &y[j * n..(j + 1) * n]);
        }
    }
}

/// The lower triangle of Σ_k w_k x_k x_kᵀ over the columns x_k of X.
#[inline(always)]
pub(super) fn gram<S: Simd>(simd: S, n: usize, x: &[Lane], w: &[Lane], out: &mut [Lane]) {
    out.fill(ZERO);
    for (x, w) in x.chunks_exact(n).zip(w) {
        for j in 0..n {
            let scaled = lanes!(l => w[l] * x[j][l]);
            columns::axpy(simd, &scaled, &x[j..], &mut out[j * n + j..(j + 1) * n]);
        }
    }
}

/// The lower triangle of X Yᵀ.
#[inline(always)]
pub(super) fn product_transposed<S: Simd>(simd: S, n: usize, x: &[Lane], y: &[Lane], out: &mut [Lane]) {
    out.fill(ZERO);
    for (x, y) in x.chunks_exact(n).zip(y.chunks_exact(n)) {
        for j in 0..n {
            columns::axpy(simd, &y[j], &x[j..], &mut out[j * n + j..(j + 1) * n]);
        }
    }
}

/// The square of the Frobenius norm of a symmetric matrix.
#[inline(always)]
pub(super) fn square(n: usize, a: &[Lane]) -> Lane {
    let mut sum = ZERO;
    for j in 0..n {
        for i in j..n {
            let double = if i == j { 1.0 } else { 2.0 };
            let x = &a[j * n + i];
            (0..LANES).for_each(|l| sum[l] += double * x[l] * x[l]);
        }
    }
    sum
}
