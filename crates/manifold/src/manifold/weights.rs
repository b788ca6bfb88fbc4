//! Weighted means: weights that fit, blocks for the threads.

use super::error::ManifoldError;
use super::linear::Linear;

/// The first point of positive weight.
pub(super) fn first_point<P: Clone>(points: &[P], weights: Option<&[f64]>) -> Result<P, ManifoldError> {
    total_weight(points.len(), weights)?;
    let first = weights.and_then(|w| w.iter().position(|w| *w > 0.0)).unwrap_or(0);
    points.get(first).cloned().ok_or(ManifoldError::Average("there are no points"))
}

/// Σ w_i x_i / Σ w_i of ambient vectors.
pub(super) fn ambient_mean<'a, T: Linear + 'a>(
    zero: T,
    points: impl ExactSizeIterator<Item = &'a T>,
    weights: Option<&[f64]>,
) -> Result<T, ManifoldError> {
    let total = total_weight(points.len(), weights)?;
    let mut mean = zero;
    for (i, x) in points.enumerate() {
        mean.add_scaled(weights.map_or(1.0, |w| w[i]) / total, x);
    }
    Ok(mean)
}

/// Points a thread takes at a time where logarithms are averaged.
pub(super) const BLOCK: usize = 64;

/// 0..n cut into blocks of at most [`BLOCK`].
#[doc(hidden)]
pub fn blocks(n: usize) -> Vec<std::ops::Range<usize>> {
    (0..n).step_by(BLOCK).map(|start| start..(start + BLOCK).min(n)).collect()
}

/// The sum of the weights, checked.
pub(super) fn total_weight(n: usize, weights: Option<&[f64]>) -> Result<f64, ManifoldError> {
    if n == 0 {
        return Err(ManifoldError::Average("there are no points"));
    }
    let Some(weights) = weights else { return Ok(n as f64) };
    if weights.len() != n {
        return Err(ManifoldError::Average("the number of weights is not the number of points"));
    }
    if weights.iter().any(|w| !(*w >= 0.0 && w.is_finite())) {
        return Err(ManifoldError::Average("a weight is negative or not finite"));
    }
    let total: f64 = weights.iter().sum();
    if total > 0.0 && total.is_finite() {
        Ok(total)
    } else {
        Err(ManifoldError::Average("the weights add up to zero or overflow"))
    }
}
