//! Procrustes means of planar shapes.

use crate::manifold::{Kendall, Manifold, ManifoldError};
use nalgebra::{Complex, DMatrix, DVector};

/// The full Procrustes mean of planar shapes: the leading eigenvector of Σ w_i z_i z_i*, the minimizer of
/// Σ w_i sin²d(·, z_i) (Kent 1994). Points are preshapes of `space`; weights equal if `None`. It is the extrinsic mean of
/// ℂPᵏ⁻², and a good start for the Fréchet mean.
///
/// # Errors
/// No shapes, weights that do not fit, or a preshape that is not one.
pub fn full_procrustes_mean(
    space: &Kendall,
    shapes: &[DVector<Complex<f64>>],
    weights: Option<&[f64]>,
) -> Result<DVector<Complex<f64>>, ManifoldError> {
    // Checks the weights, and gives the phase of the result.
    let rough = space.rough_mean(shapes, weights)?;
    let k = space.landmarks();
    let mut sum = DMatrix::<Complex<f64>>::zeros(k, k);
    for (i, z) in shapes.iter().enumerate() {
        space.check(z)?;
        let weight = Complex::from(weights.map_or(1.0, |w| w[i]));
        sum.gerc(weight, z, z, Complex::from(1.0));
    }
    let eigen = sum.symmetric_eigen();
    let mean = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
    // Centred and of unit norm to the last digit, rotated like the data.
    let configuration = space.configuration(&mean);
    let mean = space.preshape(&configuration)?;
    space.align(&rough, &mean)
}
