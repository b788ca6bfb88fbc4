//! The mean of logarithms of many planar shapes.

use super::preshape::{NAME, Preshape, dot};
use crate::manifold::error::ManifoldError;
use crate::manifold::space::MeanLog;
use crate::manifold::weights::{blocks, total_weight};
use nalgebra::Complex;
use pulp::{Arch, Simd, WithSimd};
use visard_base::parallel;

/// Σ w_i log_p(x_i) / Σ w_i and the mean of d², with one pass over each shape: log_p(z) = (θ/sin θ)(z e^{−iφ} − cos θ p)
/// for p*z = cos θ e^{iφ}.
pub(super) fn mean_log(
    p: &Preshape,
    points: &[Preshape],
    weights: Option<&[f64]>,
) -> Result<MeanLog<Preshape>, ManifoldError> {
    let total = total_weight(points.len(), weights)?;
    let block = |range: std::ops::Range<usize>| {
        let weights = weights.map(|w| &w[range.clone()]);
        Arch::new().dispatch(Block { p, points: &points[range], weights })
    };
    let parts: Vec<_> = match blocks(points.len()) {
        few if few.len() <= 2 => few.into_iter().map(block).collect(),
        many => parallel::map_vec(many, block),
    };
    let (mut log, mut along, mut square) = (Preshape::zeros(p.len()), 0.0, 0.0);
    for part in parts {
        let Sums { shapes, along: a, square: s } = part.ok_or(ManifoldError::CutLocus(NAME))?;
        log += shapes;
        along += a;
        square += s;
    }
    log -= p * Complex::from(along);
    // Horizontal to the last digit: the mean is much shorter than its terms.
    let rest = dot(p.as_slice(), log.as_slice());
    log -= p * rest;
    log /= Complex::from(total);
    Ok(MeanLog { log, mean_square: square / total })
}

/// Σ w (θ/sin θ) z e^{−iφ}, Σ w (θ/sin θ) cos θ and Σ w θ².
struct Sums {
    shapes: Preshape,
    along: f64,
    square: f64,
}

/// Some of the shapes.
struct Block<'a> {
    p: &'a Preshape,
    points: &'a [Preshape],
    weights: Option<&'a [f64]>,
}

impl WithSimd for Block<'_> {
    type Output = Option<Sums>;

    /// `None` if a shape lies on the cut locus.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Option<Sums> {
        let mut sums = Sums { shapes: Preshape::zeros(self.p.len()), along: 0.0, square: 0.0 };
        for (i, z) in self.points.iter().enumerate() {
            let weight = self.weights.map_or(1.0, |w| w[i]);
            let c = dot(self.p.as_slice(), z.as_slice());
            let cos = c.norm_sqr().sqrt();
            // Not `<=`: NaN is no shape either.
            if cos > 8.0 * f64::EPSILON {
                let (theta, ratio) = angle(cos, self.p, z, c);
                let a = c.conj() * (weight * ratio / cos);
                for (sum, z) in sums.shapes.as_mut_slice().iter_mut().zip(z.as_slice()) {
                    sum.re += a.re * z.re - a.im * z.im;
                    sum.im += a.re * z.im + a.im * z.re;
                }
                sums.along += weight * ratio * cos;
                sums.square += weight * theta * theta;
            } else {
                return None;
            }
        }
        Some(sums)
    }
}

/// θ and θ/sin θ.
#[inline(always)]
fn angle(cos: f64, p: &Preshape, z: &Preshape, c: Complex<f64>) -> (f64, f64) {
    let sin_square = ((1.0 - cos) * (1.0 + cos)).max(0.0);
    // θ/sin θ is smooth in sin²θ, so this is good to the last digit; θ itself needs the residual when it is small.
    if sin_square > 1e-4 {
        let sin = sin_square.sqrt();
        let theta = sin.atan2(cos);
        return (theta, theta / sin);
    }
    let residual: f64 = p.as_slice().iter().zip(z.as_slice()).map(|(p, z)| (z - p * c).norm_sqr()).sum();
    let ratio = 1.0 + sin_square / 6.0 + 3.0 * sin_square * sin_square / 40.0;
    (residual.sqrt() * ratio, ratio)
}
