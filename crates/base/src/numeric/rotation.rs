//! Rotations of space.

use nalgebra::{Matrix3, Rotation3, Vector3};

/// The rotation R maximizing tr(Rᵀ M), and that maximum.
pub fn nearest_rotation(m: &Matrix3<f64>) -> Option<(Rotation3<f64>, f64)> {
    if !m.iter().all(|x| x.is_finite()) {
        return None;
    }
    let svd = m.svd(true, true);
    let (u, vt) = (svd.u?, svd.v_t?);
    let sign = (u * vt).determinant().signum();
    let flip = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, sign));
    let s = svd.singular_values;
    // nalgebra sorts singular values in decreasing order.
    Some((Rotation3::from_matrix_unchecked(u * flip * vt), s[0] + s[1] + sign * s[2]))
}
