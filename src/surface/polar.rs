//! The polar grid of the disk on which surfaces are resampled.

use nalgebra::Complex;
use std::f64::consts::TAU;

/// Why a grid cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a polar grid of {rings} rings and {rays} rays is too coarse; give at least 1 ring and 3 rays")]
pub struct GridError {
    rings: usize,
    rays: usize,
}

/// Nodes of the unit disk: the centre, and `rays` equally spaced angles on each of `rings` circles of radius
/// 1/rings, 2/rings, …, 1. A public setting: it never depends on a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolarGrid {
    rings: usize,
    rays: usize,
}

impl PolarGrid {
    /// A grid of this many rings (≥ 1) and rays (≥ 3).
    ///
    /// # Errors
    /// [`GridError`] when it is coarser than that.
    pub fn new(rings: usize, rays: usize) -> Result<Self, GridError> {
        if rings < 1 || rays < 3 { Err(GridError { rings, rays }) } else { Ok(Self { rings, rays }) }
    }

    /// Number of circles.
    pub fn rings(self) -> usize {
        self.rings
    }

    /// Number of nodes on each circle.
    pub fn rays(self) -> usize {
        self.rays
    }

    /// Number of nodes, the centre included.
    pub fn n_nodes(self) -> usize {
        1 + self.rings * self.rays
    }

    /// Node number of ray `ray` (taken modulo the number of rays) on ring `ring` (1 is the innermost).
    pub fn node(self, ring: usize, ray: usize) -> usize {
        1 + (ring - 1) * self.rays + ray % self.rays
    }

    /// The places: the centre first, then ring by ring from the inside, each from angle 0 counter-clockwise.
    pub fn nodes(self) -> Vec<Complex<f64>> {
        let rim = (0..self.rays).map(|k| Complex::from_polar(1.0, TAU * k as f64 / self.rays as f64));
        let rim: Vec<Complex<f64>> = rim.collect();
        let mut out = Vec::with_capacity(self.n_nodes());
        out.push(Complex::new(0.0, 0.0));
        for ring in 1..=self.rings {
            out.extend(rim.iter().map(|&z| z * (ring as f64 / self.rings as f64)));
        }
        out
    }

    /// The triangles between the nodes, counter-clockwise: a fan around the centre, then quadrilaterals cut in
    /// alternating directions so that no direction is preferred.
    pub fn triangles(self) -> Vec<[usize; 3]> {
        let mut out = Vec::with_capacity(self.rays * (2 * self.rings - 1));
        out.extend((0..self.rays).map(|k| [0, self.node(1, k), self.node(1, k + 1)]));
        for ring in 2..=self.rings {
            for k in 0..self.rays {
                let [a, b] = [self.node(ring - 1, k), self.node(ring - 1, k + 1)];
                let [c, d] = [self.node(ring, k), self.node(ring, k + 1)];
                if (ring + k).is_multiple_of(2) {
                    out.extend([[a, c, d], [a, d, b]]);
                } else {
                    out.extend([[a, c, b], [b, c, d]]);
                }
            }
        }
        out
    }

    /// The boundary nodes, counter-clockwise.
    pub fn boundary(self) -> std::ops::Range<usize> {
        self.node(self.rings, 0)..self.n_nodes()
    }
}

#[cfg(test)]
mod tests {
    use super::super::locate::cross;
    use super::*;
    use crate::mesh::{DiskMesh, Point, TriMesh};

    #[test]
    fn triangles_tile_the_polygon_once() {
        for (rings, rays) in [(1, 3), (2, 3), (5, 17), (24, 80)] {
            let grid = PolarGrid::new(rings, rays).unwrap();
            let z = grid.nodes();
            assert_eq!(z.len(), grid.n_nodes());
            let areas: Vec<f64> =
                grid.triangles().iter().map(|&[a, b, c]| 0.5 * cross(z[b] - z[a], z[c] - z[a])).collect();
            assert!(areas.iter().all(|&a| a > 0.0));
            // A regular polygon of n corners in the unit circle has area n/2 sin(2π/n).
            let polygon = 0.5 * rays as f64 * (TAU / rays as f64).sin();
            approx::assert_relative_eq!(areas.iter().sum::<f64>(), polygon, epsilon = 1e-12);
            let flat = z.iter().map(|z| Point::new(z.re, z.im, 0.0)).collect();
            let disk = DiskMesh::try_new(TriMesh::new(flat, grid.triangles()).unwrap()).unwrap();
            assert_eq!(disk.boundary().len(), rays);
            assert!(disk.boundary().iter().all(|v| grid.boundary().contains(v)));
        }
    }

    #[test]
    fn too_coarse_is_refused() {
        assert!(PolarGrid::new(0, 10).is_err());
        let e = PolarGrid::new(4, 2).unwrap_err();
        assert!(e.to_string().contains("4 rings and 2 rays"));
    }
}
