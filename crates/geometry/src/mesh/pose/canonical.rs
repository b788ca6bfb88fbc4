//! A frame of the scan's own: where a face lies must not hang on how the scan was turned, moved or measured.

use super::super::{Point, Vector};
use super::similarity::Similarity;
use nalgebra::{Matrix3, Rotation3, SymmetricEigen};

/// Steps of coordinates in the frame, for each unit of the root mean square radius: coarser than what single precision leaves of a face that was
/// turned and moved, finer than any scanner.
const STEPS: f64 = 16_384.0;

/// From the frame to the scan: its origin is the mean of the points, its axes are the principal ones, pointing the way in which the points reach
/// farther (by the third moments; the axis that tells least follows from the other two), its unit the root mean square radius. `None` for points
/// without extent.
pub(crate) fn frame(points: &[Point]) -> Option<Similarity> {
    let n = points.len() as f64;
    // From the first point: coordinates may be large.
    let first = points.first()?;
    let mean = points.iter().map(|p| (p - first) / n).sum::<Vector>();
    let away: Vec<Vector> = points.iter().map(|p| p - first - mean).collect();
    let scale = (away.iter().map(|v| v.norm_squared() / n).sum::<f64>()).sqrt();
    if !(scale.is_finite() && scale > 0.0) {
        return None;
    }
    let moments = away.iter().map(|v| v / scale).map(|v| v * v.transpose() / n).sum::<Matrix3<f64>>();
    let eigen = SymmetricEigen::new(moments);
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let axes = order.map(|i| eigen.eigenvectors.column(i).into_owned());
    let skew = |axis: &Vector| away.iter().map(|v| (v.dot(axis) / scale).powi(3)).sum::<f64>();
    let skews = [skew(&axes[0]), skew(&axes[1]), skew(&axes[2])];
    let [mut x, mut y, mut z] = [0, 1, 2].map(|i| if skews[i] < 0.0 { -axes[i] } else { axes[i] });
    match (0..3).min_by(|&a, &b| skews[a].abs().total_cmp(&skews[b].abs())) {
        Some(0) => x = y.cross(&z),
        Some(1) => y = z.cross(&x),
        _ => z = x.cross(&y),
    }
    let rotation = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, y, z]));
    Some(Similarity { scale, rotation, translation: first.coords + mean })
}

/// Points in the frame, on a fine grid: the same numbers but for rounding at its edges, however the scan was turned, moved or measured.
pub(super) fn seen_from(frame: &Similarity, points: &[Point]) -> Vec<Point> {
    let rounded = |p: &Point| frame.invert(p).map(|x| (x * STEPS).round() / STEPS);
    points.iter().map(rounded).collect()
}
