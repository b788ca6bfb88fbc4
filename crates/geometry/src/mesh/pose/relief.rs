//! Whether what a template was laid on has a nose at all.
//!
//! A ball has no nose, and yet a template of a face lies on it closer than the limit allows: three quarters of a face are round. What tells
//! them apart is what is left when the roundness is taken away. About the nose tip of a face, the surface of second order that fits best
//! leaves nose, lips and chin: .08 to .14 of the template's size on 156 faces of three populations (.05 of it on a bump on a cylinder);
//! on spheres, ellipsoids and tori it leaves less than .01.

use super::super::{Point, Vector};
use nalgebra::{Matrix6, Vector6};

/// How far from the nose tip relief is looked for, as a fraction of the template's size.
const REACH: f64 = 0.7;
/// Fewer points than this tell nothing.
pub(super) const FEWEST: usize = 30;
/// The least relief taken for a face's, as a fraction of the template's.
pub(super) const LEAST: f64 = 0.35;

/// Whether a point lies where relief is looked for.
pub(super) fn is_near(point: &Point, nose: &Point, size: f64) -> bool {
    ((point - nose) / size).norm_squared() < REACH * REACH
}

/// Root mean square height over the surface of second order that fits best (in a frame whose third axis is `facing`), of those points
/// that lie near the nose tip; in units of `size`. `None` where too few lie there, or all in a plane through `facing`.
pub(super) fn relief(
    points: impl Iterator<Item = Point>,
    nose: &Point,
    facing: &Vector,
    size: f64,
) -> Option<f64> {
    let across = if facing.x.abs() < 0.8 { Vector::x() } else { Vector::y() };
    let across = (across - facing * facing.dot(&across)).normalize();
    let up = facing.cross(&across);
    let rows: Vec<(Vector6<f64>, f64)> = points
        .filter(|p| is_near(p, nose, size))
        .map(|p| (p - nose) / size)
        .map(|d| {
            let (u, v) = (d.dot(&across) / REACH, d.dot(&up) / REACH);
            (Vector6::new(1.0, u, v, u * u, u * v, v * v), d.dot(facing))
        })
        .collect();
    if rows.len() < FEWEST {
        return None;
    }
    let (mut normal, mut right) = (Matrix6::zeros(), Vector6::zeros());
    for (row, height) in &rows {
        normal += row * row.transpose();
        right += row * *height;
    }
    let n = rows.len() as f64;
    let fit = (normal / n).cholesky()?.solve(&(right / n));
    let square: f64 = rows.iter().map(|(row, height)| (height - row.dot(&fit)).powi(2)).sum();
    Some((square / n).sqrt()).filter(|root| root.is_finite())
}
