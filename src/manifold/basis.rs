//! Explicit orthonormal bases of tangent spaces: the slow way to sample a tangent Gaussian, kept as the oracle.

use super::linear::Linear;
use super::normal::fill_standard_normal;
use super::space::Manifold;
use rand::Rng;

/// An orthonormal basis of T_pM: ambient unit vectors projected onto the tangent space and orthogonalized in the metric
/// at p by Gram–Schmidt (twice each, for accuracy), as in Utpala et al. 2023, §3.1. Costs O(dim² · ambient dimension)
/// or more. May hold fewer than dim M vectors if p is so ill-conditioned that the metric degenerates in rounding.
pub fn orthonormal_basis<M: Manifold>(m: &M, p: &M::Point) -> Vec<M::Tangent> {
    let zero = m.zero(p);
    let mut basis: Vec<M::Tangent> = Vec::with_capacity(m.dim());
    for i in 0..zero.real_len() {
        if basis.len() == m.dim() {
            break;
        }
        let mut ambient = zero.clone();
        ambient.set_real(i, 1.0);
        let mut v = m.project_tangent(p, &ambient);
        let before = m.norm(p, &v);
        for _ in 0..2 {
            for b in &basis {
                let c = m.inner(p, b, &v);
                v.add_scaled(-c, b);
            }
            v = m.project_tangent(p, &v);
        }
        let after = m.norm(p, &v);
        if after > 1e-7 * before && after > 0.0 {
            v.scale_by(1.0 / after);
            basis.push(v);
        }
    }
    basis
}

/// An isotropic Gaussian Σ_j σ z_j b_j in the span of an orthonormal basis of T_pM.
pub fn basis_gaussian<M: Manifold, R: Rng + ?Sized>(
    m: &M,
    p: &M::Point,
    basis: &[M::Tangent],
    sigma: f64,
    rng: &mut R,
) -> M::Tangent {
    let mut z = vec![0.0; basis.len()];
    fill_standard_normal(rng, &mut z);
    let mut v = m.zero(p);
    for (z, b) in z.iter().zip(basis) {
        v.add_scaled(sigma * z, b);
    }
    v
}
