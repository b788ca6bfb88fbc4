//! Which way round the triangles of a map to the sphere are, decided exactly, and how flipped ones are turned back.

use super::chart::Chart;
use crate::conformal::untangle::{Stars, kernel_centroid};
use crate::mesh::Vector;
use nalgebra::Complex;
use robust::{Coord3D, orient3d};

/// Rounds of moving single vertices.
const SWEEPS: usize = 60;

/// Whether the geodesic triangle a → b → c turns strictly left seen from outside, decided exactly: det(a, b, c) > 0.
fn turns_left([a, b, c]: [&Vector; 3]) -> bool {
    let at = |x: &Vector| Coord3D { x: x.x, y: x.y, z: x.z };
    orient3d(at(a), at(b), at(c), Coord3D { x: 0.0, y: 0.0, z: 0.0 }) > 0.0
}

/// Triangles that are not strictly counter-clockwise seen from outside.
pub(super) fn flipped(triangles: &[[usize; 3]], x: &[Vector]) -> Vec<usize> {
    (0..triangles.len()).filter(|&t| !turns_left(triangles[t].map(|v| &x[v]))).collect()
}

/// How often the triangles cover the sphere: their solid angles over 4π (Van Oosterom and Strackee 1983). A whole number where the
/// triangulated surface is closed and none is flipped; the map is one-to-one where that number is 1.
pub(super) fn covering(triangles: &[[usize; 3]], x: &[Vector]) -> f64 {
    let angle = |t: &[usize; 3]| {
        let [a, b, c] = t.map(|v| &x[v]);
        2.0 * a.dot(&b.cross(c)).atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// Moves vertices of flipped triangles into the kernels of their stars, seen from the centre of the sphere, until nothing is flipped.
/// Returns whether it succeeded.
pub(super) fn turn_back(triangles: &[[usize; 3]], x: &mut [Vector]) -> bool {
    let mut wrong = flipped(triangles, x);
    if wrong.is_empty() {
        return true;
    }
    let stars = Stars::new(triangles, x.len());
    for _ in 0..SWEEPS {
        let mut movable: Vec<usize> = wrong.iter().flat_map(|&t| triangles[t]).collect();
        movable.sort_unstable();
        movable.dedup();
        for &v in &movable {
            let ring: Vec<[Vector; 2]> = stars
                .of(v)
                .iter()
                .map(|&t| {
                    let k = triangles[t].iter().position(|&c| c == v).unwrap_or(0);
                    [x[triangles[t][(k + 1) % 3]], x[triangles[t][(k + 2) % 3]]]
                })
                .collect();
            let middle = ring.iter().map(|side| side[0]).sum::<Vector>();
            if let Some(middle) = middle.try_normalize(1e-12) {
                x[v] = in_kernel(&ring, middle).unwrap_or(middle);
            }
        }
        wrong = flipped(triangles, x);
        if wrong.is_empty() {
            return true;
        }
    }
    false
}

/// A place from which a star is seen the right way round. In the projection from the centre geodesics are straight.
fn in_kernel(ring: &[[Vector; 2]], middle: Vector) -> Option<Vector> {
    if ring.iter().any(|side| side[0].dot(&middle) < 1e-3) {
        return None;
    }
    // A chart projects as far as orientation of triangles about its middle goes; z/(1 − |z|²)·2 is the projection from the centre.
    let chart = Chart::about(middle);
    let flat = |x: &Vector| {
        let z = chart.down(x);
        z * (2.0 / (1.0 - z.norm_sqr()))
    };
    let sides: Vec<[Complex<f64>; 2]> = ring.iter().map(|side| [flat(&side[0]), flat(&side[1])]).collect();
    let at = kernel_centroid(&sides)?;
    Some(chart.up(at / (1.0 + (1.0 + at.norm_sqr()).sqrt())))
}
