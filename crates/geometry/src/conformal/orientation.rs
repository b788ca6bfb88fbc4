//! Exact orientation of the triangles of a planar map.

use nalgebra::Complex;
use robust::{Coord, orient2d};

/// Whether a → b → c turns strictly left, decided exactly.
pub(crate) fn turns_left(a: Complex<f64>, b: Complex<f64>, c: Complex<f64>) -> bool {
    let at = |z: Complex<f64>| Coord { x: z.re, y: z.im };
    orient2d(at(a), at(b), at(c)) > 0.0
}

/// Triangles whose image is not strictly counter-clockwise.
pub(crate) fn flipped_triangles(triangles: &[[usize; 3]], z: &[Complex<f64>]) -> Vec<usize> {
    (0..triangles.len())
        .filter(|&t| {
            let [a, b, c] = triangles[t];
            !turns_left(z[a], z[b], z[c])
        })
        .collect()
}
