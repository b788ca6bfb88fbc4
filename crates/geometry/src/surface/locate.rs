//! A flattened mesh as a map f: D → ℝ³: finds the triangle of the disk that holds a point.

use crate::conformal::{Complex, DiskMap};
use crate::mesh::{DiskMesh, Point, TriMesh, Vector};
use nalgebra::Matrix3x2;

/// A place on a flattened mesh: a triangle and barycentric weights in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Located {
    /// The triangle.
    pub triangle: usize,
    /// Weights of its three corners; they sum to one and are not negative.
    pub weights: [f64; 3],
}

/// A disk-parameterized surface: a mesh and its map to the unit disk.
///
/// f is linear on every triangle; outside the image of the mesh (slivers between chord and circle) it takes the value of the
/// nearest triangle.
#[derive(Debug, Clone)]
pub struct DiskSurface {
    mesh: TriMesh,
    z: Vec<Complex>,
    derivatives: Vec<Matrix3x2<f64>>,
    cells: Vec<Vec<u32>>,
    side: usize,
}

impl DiskSurface {
    /// From a mesh and its disk map.
    pub fn new(disk: &DiskMesh, map: &DiskMap) -> Self {
        let mesh = disk.mesh().clone();
        let side = ((mesh.triangles().len() as f64 / 2.0).sqrt().ceil() as usize).clamp(4, 256);
        let mut cells = vec![Vec::new(); side * side];
        for (t, corners) in mesh.triangles().iter().enumerate() {
            let span = |part: fn(&Complex) -> f64| {
                let values = corners.map(|i| part(&map.z[i]));
                let low = values.iter().copied().fold(f64::INFINITY, f64::min);
                let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                cell_of(low, side)..=cell_of(high, side)
            };
            for y in span(|z| z.im) {
                for x in span(|z| z.re) {
                    cells[y * side + x].push(t as u32);
                }
            }
        }
        let mut surface = Self { mesh, z: map.z.clone(), derivatives: Vec::new(), cells, side };
        surface.derivatives = surface.vertex_derivatives();
        surface
    }

    /// The mesh.
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// Where the vertices lie in the disk.
    pub fn z(&self) -> &[Complex] {
        &self.z
    }

    /// Finds a point of the disk.
    pub fn locate(&self, z: Complex) -> Located {
        let (x, y) = (cell_of(z.re, self.side), cell_of(z.im, self.side));
        let mut best = (f64::NEG_INFINITY, Located { triangle: 0, weights: [1.0, 0.0, 0.0] });
        for reach in 0..self.side {
            self.search_ring(z, x, y, reach, &mut best);
            // Inside a triangle, or the nearest miss was seen with a ring to spare.
            if best.0 >= -1e-12 || (best.0 > f64::NEG_INFINITY && reach >= 1) {
                break;
            }
        }
        let mut found = best.1;
        let sum: f64 = found.weights.iter().map(|w| w.max(0.0)).sum();
        found.weights = found.weights.map(|w| w.max(0.0) / sum);
        found
    }

    fn search_ring(&self, z: Complex, x: usize, y: usize, reach: usize, best: &mut (f64, Located)) {
        let range = |c: usize| c.saturating_sub(reach)..=(c + reach).min(self.side - 1);
        for row in range(y) {
            for column in range(x) {
                if row.abs_diff(y).max(column.abs_diff(x)) != reach {
                    continue;
                }
                for &t in &self.cells[row * self.side + column] {
                    let weights = self.barycentric(t as usize, z);
                    let lowest = weights.iter().copied().fold(f64::INFINITY, f64::min);
                    if lowest > best.0 {
                        *best = (lowest, Located { triangle: t as usize, weights });
                    }
                    if lowest >= 0.0 {
                        return;
                    }
                }
            }
        }
    }

    fn barycentric(&self, t: usize, z: Complex) -> [f64; 3] {
        let [a, b, c] = self.mesh.triangles()[t].map(|i| self.z[i]);
        let cross = |p: Complex, q: Complex| p.re * q.im - p.im * q.re;
        let area = cross(b - a, c - a);
        if area <= 0.0 {
            return [f64::NEG_INFINITY; 3];
        }
        [cross(b - z, c - z) / area, cross(c - z, a - z) / area, cross(a - z, b - z) / area]
    }

    /// f at a located place.
    pub fn point(&self, at: &Located) -> Point {
        Point::from(self.blend(at, |i| self.mesh.vertices()[i].coords))
    }

    /// A smooth version of the derivative of f at a located place: columns ∂f/∂x, ∂f/∂y.
    pub fn derivative(&self, at: &Located) -> Matrix3x2<f64> {
        let corners = self.mesh.triangles()[at.triangle];
        (0..3).map(|k| self.derivatives[corners[k]] * at.weights[k]).sum()
    }

    fn blend(&self, at: &Located, value: impl Fn(usize) -> Vector) -> Vector {
        let corners = self.mesh.triangles()[at.triangle];
        (0..3).map(|k| value(corners[k]) * at.weights[k]).sum()
    }

    /// Derivatives of f at the vertices: means over their triangles, weighted by area in the disk.
    fn vertex_derivatives(&self) -> Vec<Matrix3x2<f64>> {
        let mut sums = vec![(Matrix3x2::zeros(), 0.0); self.z.len()];
        for (t, corners) in self.mesh.triangles().iter().enumerate() {
            let [a, b, c] = self.mesh.corners(t);
            let [u, v, w] = corners.map(|i| self.z[i]);
            let (e, f) = (v - u, w - u);
            let area = e.re * f.im - e.im * f.re;
            if area <= 0.0 {
                continue;
            }
            let (p, q) = (b - a, c - a);
            let dx = (p * f.im - q * e.im) / area;
            let dy = (q * e.re - p * f.re) / area;
            for &i in corners {
                sums[i].0 += Matrix3x2::from_columns(&[dx, dy]) * area;
                sums[i].1 += area;
            }
        }
        sums.into_iter().map(|(m, area)| if area > 0.0 { m / area } else { m }).collect()
    }
}

fn cell_of(c: f64, side: usize) -> usize {
    (((c + 1.0) * 0.5 * side as f64).floor().max(0.0) as usize).min(side - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformal::disk_map;

    fn dome(n: usize) -> DiskMesh {
        let mut v = vec![Point::new(0.0, 0.0, 1.0)];
        let mut t = Vec::new();
        for ring in 1..=n {
            for k in 0..6 * n {
                let (r, a) = (ring as f64 / n as f64, std::f64::consts::TAU * k as f64 / (6 * n) as f64);
                v.push(Point::new(r * a.cos(), r * a.sin(), (1.0 - 0.5 * r * r).sqrt()));
            }
        }
        let at = |ring: usize, k: usize| 1 + (ring - 1) * 6 * n + k % (6 * n);
        (0..6 * n).for_each(|k| t.push([0, at(1, k), at(1, k + 1)]));
        for ring in 1..n {
            for k in 0..6 * n {
                t.push([at(ring, k), at(ring + 1, k), at(ring + 1, k + 1)]);
                t.push([at(ring, k), at(ring + 1, k + 1), at(ring, k + 1)]);
            }
        }
        DiskMesh::try_new(TriMesh::new(v, t).unwrap()).unwrap()
    }

    #[test]
    fn every_vertex_and_midpoint_is_found() {
        let disk = dome(6);
        let map = disk_map(&disk).unwrap();
        let surface = DiskSurface::new(&disk, &map);
        for (i, &z) in map.z.iter().enumerate() {
            assert!((surface.point(&surface.locate(z)) - disk.mesh().vertices()[i]).norm() < 1e-9);
        }
        for (t, corners) in disk.mesh().triangles().iter().enumerate() {
            let middle = corners.iter().map(|&i| map.z[i]).sum::<Complex>() / 3.0;
            assert_eq!(surface.locate(middle).triangle, t);
        }
    }

    #[test]
    fn beyond_the_border_the_nearest_triangle_answers() {
        let disk = dome(6);
        let map = disk_map(&disk).unwrap();
        let surface = DiskSurface::new(&disk, &map);
        for k in 0..100 {
            let z = Complex::from_polar(1.0, 0.0628 * k as f64);
            let at = surface.locate(z);
            assert!(at.weights.iter().all(|w| (0.0..=1.0).contains(w)));
            assert!((surface.point(&at).coords.xy().norm() - 1.0).abs() < 0.02);
        }
    }

    #[test]
    fn the_derivative_agrees_with_differences() {
        let disk = dome(12);
        let surface = DiskSurface::new(&disk, &disk_map(&disk).unwrap());
        let z = Complex::new(0.31, -0.22);
        let h = 0.05;
        let d = surface.derivative(&surface.locate(z));
        for (k, step) in [Complex::new(h, 0.0), Complex::new(0.0, h)].into_iter().enumerate() {
            let up = surface.point(&surface.locate(z + step));
            let down = surface.point(&surface.locate(z - step));
            assert!(((up - down) / (2.0 * h) - d.column(k)).norm() < 0.05);
        }
    }
}
