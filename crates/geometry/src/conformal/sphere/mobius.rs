//! Automorphisms of the sphere, and the one that puts a centre of mass at the centre.

use crate::mesh::Vector;
use nalgebra::{Matrix3, SymmetricEigen};

/// Most Newton steps.
const STEPS: usize = 100;
/// A centre of mass nearer to the centre than this is there.
const CENTRED: f64 = 1e-13;

/// x ↦ (1 − |a|²)(x − a)/|x − a|² − a, |a| < 1: the hyperbolic translation of the ball that takes a to 0, on the sphere.
pub(super) fn translated(x: &Vector, a: &Vector) -> Vector {
    let off = x - a;
    let y = off * ((1.0 - a.norm_squared()) / off.norm_squared()) - a;
    y.normalize()
}

fn mean(x: &[Vector], weights: &[f64]) -> Vector {
    x.iter().zip(weights).map(|(x, w)| x * *w).sum()
}

/// Puts the weighted mean at 0 by hyperbolic translations (conformal barycentre, Hersch 1970): Newton's method, whose steps are halved until
/// the mean comes nearer. The weights sum to 1. Where no vertex has half of all weight there is one such place. Returns how far the mean
/// stays from 0.
pub(super) fn centre(x: &mut Vec<Vector>, weights: &[f64]) -> f64 {
    let mut off = mean(x, weights).norm();
    for _ in 0..STEPS {
        if off <= CENTRED {
            break;
        }
        let moment: Matrix3<f64> = x.iter().zip(weights).map(|(x, w)| x * x.transpose() * *w).sum();
        // The mean moves by −2(1 − E[x xᵀ])a to first order.
        let eigen = SymmetricEigen::new(Matrix3::identity() - moment);
        let target = eigen.eigenvectors.transpose() * mean(x, weights);
        let mut a = eigen.eigenvectors * target.zip_map(&eigen.eigenvalues, |m, e| 0.5 * m / e.max(1e-12));
        if a.norm() > 0.9 {
            a *= 0.9 / a.norm();
        }
        let better = (0..40).find_map(|halvings| {
            let step = a * 0.5f64.powi(halvings);
            let moved: Vec<Vector> = x.iter().map(|x| translated(x, &step)).collect();
            let reached = mean(&moved, weights).norm();
            (reached < off).then_some((moved, reached))
        });
        let Some((moved, reached)) = better else { break };
        (*x, off) = (moved, reached);
    }
    off
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit() -> impl Strategy<Value = Vector> {
        (-1.0..1.0f64, 0.0..std::f64::consts::TAU).prop_map(|(z, t)| {
            let r = (1.0 - z * z).sqrt();
            Vector::new(r * t.cos(), r * t.sin(), z)
        })
    }

    proptest! {
        /// Cross ratios of distances are what Möbius transformations keep.
        #[test]
        fn keeps_cross_ratios(p in [unit(), unit(), unit(), unit()], to in unit(), r in 0.0..0.95f64) {
            let ratio = |p: &[Vector; 4]| (p[0] - p[2]).norm() * (p[1] - p[3]).norm() / ((p[0] - p[3]).norm() * (p[1] - p[2]).norm());
            prop_assume!((p[0] - p[3]).norm() > 0.05 && (p[1] - p[2]).norm() > 0.05);
            let moved = p.map(|x| translated(&x, &(to * r)));
            prop_assert!((ratio(&moved) / ratio(&p) - 1.0).abs() < 1e-8 || ratio(&p) < 1e-9);
        }

        #[test]
        fn the_mean_comes_to_the_centre(a in unit(), r in 0.0..0.99f64) {
            let n = 200;
            let even = |i: usize| {
                let z = 1.0 - 2.0 * (i as f64 + 0.5) / n as f64;
                let t = 2.399963 * i as f64;
                Vector::new((1.0 - z * z).sqrt() * t.cos(), (1.0 - z * z).sqrt() * t.sin(), z)
            };
            let mut x: Vec<Vector> = (0..n).map(|i| translated(&even(i), &(a * r))).collect();
            let weights = vec![1.0 / n as f64; n];
            prop_assert!(centre(&mut x, &weights) < 1e-12);
            prop_assert!(x.iter().all(|x| (x.norm() - 1.0).abs() < 1e-14));
        }
    }
}
