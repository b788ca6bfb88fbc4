//! The rotation that brings one shape nearest another, for many pairs.

use crate::numeric::nearest_rotation;
use nalgebra::{Matrix3, Matrix4, Quaternion, UnitQuaternion, Vector3};

/// Steps of Newton's method on the quartic before the singular value decomposition takes over.
const STEPS: usize = 40;
/// How near to several best rotations the decomposition takes over, as a share of the trace.
const NARROW: f64 = 1e-4;

/// The R that maximizes tr(RᵀM) for M = zᵀp of shapes of unit size; any of them where several do.
pub(super) trait Turn<const D: usize> {
    fn turn(m: &[[f64; D]; D]) -> [[f64; D]; D];
    /// The w that minimizes Σ‖v_i − p_i Ω(w)‖² over the turns Ω of p, as the matrix Ω.
    fn vertical(a: &[[f64; D]; D], m: &[[f64; D]; D]) -> [[f64; D]; D];
}

/// Shapes of landmarks in the plane or in space.
pub(super) struct Shapes;

impl Turn<2> for Shapes {
    #[inline(always)]
    fn turn(m: &[[f64; 2]; 2]) -> [[f64; 2]; 2] {
        let (c, s) = (m[0][0] + m[1][1], m[0][1] - m[1][0]);
        let size = (c * c + s * s).sqrt();
        let (c, s) = if size > 0.0 { (c / size, s / size) } else { (1.0, 0.0) };
        [[c, s], [-s, c]]
    }

    /// `a` = pᵀp of trace 1, `m` = pᵀv.
    #[inline(always)]
    fn vertical(_: &[[f64; 2]; 2], m: &[[f64; 2]; 2]) -> [[f64; 2]; 2] {
        let w = m[0][1] - m[1][0];
        [[0.0, w], [-w, 0.0]]
    }
}

impl Turn<3> for Shapes {
    /// The quaternion of the rotation is the eigenvector of the largest eigenvalue of a 4 × 4 matrix (Horn 1987), which Newton's method on
    /// its characteristic polynomial finds from above (Theobald 2005); two Newton steps on the rotation itself make it good to the last digit.
    #[inline(always)]
    fn turn(m: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
        let matrix = Matrix3::from_fn(|i, j| m[i][j]);
        let turn = by_quaternion(&matrix).and_then(|turn| polished(&matrix, turn)).unwrap_or_else(|| {
            nearest_rotation(&matrix).map(|(turn, _)| turn.into_inner()).unwrap_or_else(Matrix3::identity)
        });
        std::array::from_fn(|i| std::array::from_fn(|j| turn[(i, j)]))
    }

    #[inline(always)]
    fn vertical(a: &[[f64; 3]; 3], m: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
        // (tr A − A) w = Σ p_i × v_i with turns v ↦ w × p.
        let a = Matrix3::from_fn(|i, j| if i == j { 1.0 - a[i][j] } else { -a[i][j] });
        let moment = Vector3::new(m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0]);
        let w = match a.try_inverse() {
            Some(inverse) if a.determinant() > 1e-9 => inverse * moment,
            // Landmarks on a line, which a turn about that line leaves as they are.
            _ => a.pseudo_inverse(1e-9).map_or_else(|_| Vector3::zeros(), |inverse| inverse * moment),
        };
        // Rows: (w × p)ᵀ = pᵀ Ω.
        [[0.0, w.z, -w.y], [-w.z, 0.0, w.x], [w.y, -w.x, 0.0]]
    }
}

/// From the largest eigenvalue; the transpose of Horn's rotation, since shapes are turned from the right.
fn by_quaternion(m: &Matrix3<f64>) -> Option<Matrix3<f64>> {
    let (sum, d) = (m + m.transpose(), m - m.transpose());
    let (x, y, z) = (d[(1, 2)], d[(2, 0)], d[(0, 1)]);
    let (a, b, c) = (m[(0, 0)], m[(1, 1)], m[(2, 2)]);
    #[rustfmt::skip]
    let mut k = Matrix4::new(
        a + b + c, x, y, z,
        x, a - b - c, sum[(0, 1)], sum[(0, 2)],
        y, sum[(0, 1)], b - a - c, sum[(1, 2)],
        z, sum[(0, 2)], sum[(1, 2)], c - a - b,
    );
    let (c2, c1, c0) = (-2.0 * m.norm_squared(), -8.0 * m.determinant(), k.determinant());
    // Not above ‖z‖‖p‖ = 1.
    let mut largest = 1.0 + 1e-12;
    for step in 0.. {
        let square = largest * largest;
        let value = (square + c2) * square + c1 * largest + c0;
        let slope = (4.0 * square + 2.0 * c2) * largest + c1;
        let change = value / slope;
        if !change.is_finite() || step == STEPS {
            return None;
        }
        largest -= change;
        if change.abs() < 1e-9 * largest {
            break;
        }
    }
    (0..4).for_each(|i| k[(i, i)] -= largest);
    // A column of the adjugate; the longest.
    let minor = |i: usize, j: usize| {
        let r = k.remove_row(i).remove_column(j).determinant();
        if (i + j).is_multiple_of(2) { r } else { -r }
    };
    let best = (0..4).map(|i| (minor(i, i).abs(), i)).max_by(|a, b| a.0.total_cmp(&b.0))?.1;
    let q: [f64; 4] = std::array::from_fn(|j| minor(best, j));
    let turn = UnitQuaternion::try_new(Quaternion::new(q[0], q[1], q[2], q[3]), 1e-12)?;
    Some(turn.to_rotation_matrix().into_inner().transpose())
}

/// R exp[w] with (tr S − S) w the axis of the skew part of RᵀM and S its symmetric part, twice.
fn polished(m: &Matrix3<f64>, mut turn: Matrix3<f64>) -> Option<Matrix3<f64>> {
    for _ in 0..2 {
        let b = turn.tr_mul(m);
        let trace = b.trace();
        let s = (b + b.transpose()) * 0.5;
        let axis = Vector3::new(b[(2, 1)] - b[(1, 2)], b[(0, 2)] - b[(2, 0)], b[(1, 0)] - b[(0, 1)]);
        let hessian = Matrix3::identity() * trace - s;
        let factor = hessian.cholesky()?;
        let narrow = factor.l_dirty().diagonal().min();
        let w = factor.solve(&axis);
        // NaN is not small either.
        let quick = narrow * narrow > NARROW * trace && w.norm() < 1e-2;
        if !quick {
            return None;
        }
        let step = UnitQuaternion::from_quaternion(Quaternion::new(1.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z));
        turn *= step.to_rotation_matrix().into_inner();
    }
    Some(turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn it_is_the_nearest_rotation() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        for trial in 0..2_000 {
            let mut m = Matrix3::from_fn(|_, _| rng.random::<f64>() - 0.5);
            if trial % 3 == 0 {
                // Of near shapes, flat ones among them.
                let turn = nearest_rotation(&m).unwrap().0;
                let mut size = Vector3::from_fn(|_, _| rng.random::<f64>());
                size[2] *= f64::from(trial % 2);
                m = turn.matrix() * Matrix3::from_diagonal(&size);
            }
            let mut size = m.svd(false, false).singular_values.sum();
            if trial % 5 == 0 {
                size *= 1.0 + rng.random::<f64>();
            }
            m /= size;
            let found =
                <Shapes as Turn<3>>::turn(&std::array::from_fn(|i| std::array::from_fn(|j| m[(i, j)])));
            let found = Matrix3::from_fn(|i, j| found[i][j]);
            let best = nearest_rotation(&m).unwrap();
            assert!((found.tr_mul(&m).trace() - best.1).abs() < 1e-14, "{trial}");
            assert!((found.tr_mul(&found) - Matrix3::identity()).norm() < 1e-14, "{trial}");
            let s = found.tr_mul(&m);
            assert!((s - s.transpose()).norm() < 1e-14, "{trial}");
        }
    }
}
