//! Stereographic charts of the sphere, and harmonic functions in them.

use crate::conformal::ConformalError;
use crate::conformal::elimination::Elimination;
use crate::conformal::factor::Factor;
use crate::mesh::Vector;
use faer::Mat;
use nalgebra::Complex;
use std::sync::Arc;

/// The stereographic chart with `middle` at 0 and the opposite point at infinity; it turns nothing over, seen from outside.
pub(super) struct Chart {
    axes: [Vector; 2],
    middle: Vector,
}

impl Chart {
    /// About a unit vector.
    pub fn about(middle: Vector) -> Self {
        let least = middle.iamin();
        let first = (Vector::ith(least, 1.0) - middle * middle[least]).normalize();
        Self { axes: [first, middle.cross(&first)], middle }
    }

    /// A point of the sphere in the plane.
    pub fn down(&self, x: &Vector) -> Complex<f64> {
        Complex::new(x.dot(&self.axes[0]), x.dot(&self.axes[1])) / (1.0 + x.dot(&self.middle)).max(1e-300)
    }

    /// A point of the plane on the sphere.
    pub fn up(&self, z: Complex<f64>) -> Vector {
        let square = z.norm_sqr();
        if !square.is_finite() {
            return -self.middle;
        }
        let x = self.axes[0] * (2.0 * z.re) + self.axes[1] * (2.0 * z.im) + self.middle * (1.0 - square);
        x.normalize()
    }
}

/// Sets the vertices that are not fixed to the harmonic map with these values at the fixed ones: L z = 0 there, for the Laplacian with this
/// lower triangle on the pattern of the elimination.
///
/// # Errors
/// [`ConformalError::Factorization`] when the block of the free vertices is not positive definite to rounding.
pub(super) fn extend(
    elimination: &Arc<Elimination>,
    laplacian: &[f64],
    fixed: &[bool],
    z: &mut [Complex<f64>],
) -> Result<(), ConformalError> {
    let (pattern, position) = (elimination.pattern(), elimination.position());
    let n = elimination.n();
    let (mut held, mut right) = (vec![false; n], Mat::<f64>::zeros(n, 2));
    for (v, &p) in position.iter().enumerate().filter(|(v, _)| fixed[*v]) {
        held[p] = true;
        (right[(p, 0)], right[(p, 1)]) = (z[v].re, z[v].im);
    }
    let mut lower = laplacian.to_vec();
    let (offsets, rows) = (pattern.major_offsets(), pattern.minor_indices());
    for column in 0..n {
        for slot in offsets[column]..offsets[column + 1] {
            let row = rows[slot];
            if !held[column] && !held[row] {
                continue;
            }
            // What is fixed goes to the right side; its own rows say that it is what it is.
            for c in 0..2 {
                if held[row] && !held[column] {
                    right[(column, c)] -= lower[slot] * right[(row, c)];
                } else if held[column] && !held[row] {
                    right[(row, c)] -= lower[slot] * right[(column, c)];
                }
            }
            lower[slot] = if row == column { 1.0 } else { 0.0 };
        }
    }
    let factor = Factor::<f64>::new(elimination, lower, Vec::new())?;
    factor.forward(right.as_mut())?;
    factor.backward(right.as_mut())?;
    for (v, &p) in position.iter().enumerate().filter(|(v, _)| !fixed[*v]) {
        z[v] = Complex::new(right[(p, 0)], right[(p, 1)]);
    }
    Ok(())
}
