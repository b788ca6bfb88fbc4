//! The computational disk, and the q of piecewise linear surfaces over it.

use crate::conformal::Complex;
use crate::mesh::{Point, Vector};

/// A triangulated disk of concentric rings, ring k with 6k points.
pub struct Grid {
    /// Its points.
    pub z: Vec<Complex>,
    /// Its triangles, counter-clockwise.
    pub triangles: Vec<[usize; 3]>,
}

impl Grid {
    /// So many rings about the centre.
    pub fn new(rings: usize) -> Self {
        let mut z = vec![Complex::new(0.0, 0.0)];
        for k in 1..=rings {
            let r = k as f64 / rings as f64;
            z.extend(
                (0..6 * k).map(|i| Complex::from_polar(r, std::f64::consts::TAU * i as f64 / (6 * k) as f64)),
            );
        }
        let first = |k: usize| if k == 0 { 0 } else { 1 + 3 * k * (k - 1) };
        let at = |k: usize, i: usize| if k == 0 { 0 } else { first(k) + i % (6 * k) };
        let mut triangles = Vec::with_capacity(6 * rings * rings);
        for k in 1..=rings {
            for sector in 0..6 {
                for i in 0..k {
                    let (outer, inner) = (sector * k + i, sector * (k - 1) + i);
                    triangles.push([at(k - 1, inner), at(k, outer), at(k, outer + 1)]);
                    if i + 1 < k {
                        triangles.push([at(k - 1, inner), at(k, outer + 1), at(k - 1, inner + 1)]);
                    }
                }
            }
        }
        Self { z, triangles }
    }
}

/// Area of a triangle of the disk; negative where it is turned over.
pub fn signed_area([a, b, c]: [Complex; 3]) -> f64 {
    0.5 * ((b - a).re * (c - a).im - (b - a).im * (c - a).re)
}

/// Half the cross product of two sides of a triangle.
pub fn area_vector(p: &[Point], &[a, b, c]: &[usize; 3]) -> Vector {
    0.5 * (p[b] - p[a]).cross(&(p[c] - p[a]))
}

/// N/√|N|: the q of a triangle with this area vector.
pub fn square_root_normal(n: &Vector) -> Vector {
    let size = n.norm();
    if size > 0.0 { n / size.sqrt() } else { Vector::zeros() }
}
