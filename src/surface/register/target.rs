//! The scan as the template sees it: closest points, normals, border.

use super::prepared::Frames;
use super::settings::ElasticSettings;
use crate::mesh::{DiskMesh, MeshError, Point, TriMesh, Vector};
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use std::num::NonZero;

/// Distance of the points along the scan's border, working units.
const RIM_SPACING: f64 = 3.0;

/// A point of a triangle mesh.
#[derive(Debug, Clone, Copy)]
pub struct Foot {
    /// Its triangle.
    pub triangle: usize,
    /// Barycentric weights; none is negative.
    pub weights: [f64; 3],
    /// Where it is.
    pub point: Point,
}

/// Closest points on a mesh, looked for in the triangles about the nearest vertices.
pub struct Finder {
    /// The mesh.
    pub mesh: TriMesh,
    tree: ImmutableKdTree<f64, 3>,
    /// `around[starts[i]..starts[i + 1]]` are the triangles about vertex i.
    starts: Vec<u32>,
    around: Vec<u32>,
}

fn unsearchable<E>(_: E) -> MeshError {
    MeshError::Degenerate("a mesh has no finite vertices to search among".to_owned())
}

impl Finder {
    /// Over a mesh of finite vertices.
    pub fn new(mesh: TriMesh) -> Result<Self, MeshError> {
        let places: Vec<[f64; 3]> = mesh.vertices().iter().map(|p| [p.x, p.y, p.z]).collect();
        if places.is_empty() || !places.iter().flatten().all(|c| c.is_finite()) {
            return Err(unsearchable(()));
        }
        let tree = ImmutableKdTree::new_from_slice(&places).map_err(unsearchable)?;
        let mut starts = vec![0u32; places.len() + 1];
        mesh.triangles().iter().flatten().for_each(|&i| starts[i + 1] += 1);
        (0..places.len()).for_each(|i| starts[i + 1] += starts[i]);
        let mut next = starts.clone();
        let mut around = vec![0u32; 3 * mesh.triangles().len()];
        for (t, corners) in mesh.triangles().iter().enumerate() {
            for &i in corners {
                around[next[i] as usize] = t as u32;
                next[i] += 1;
            }
        }
        Ok(Self { mesh, tree, starts, around })
    }

    /// The closest point.
    pub fn closest(&self, p: &Point) -> Foot {
        const NEAR: NonZero<usize> = NonZero::new(4).unwrap();
        let near = self.tree.query(&[p.x, p.y, p.z]).nearest_n::<SquaredEuclidean<f64>>(NEAR).execute();
        let mut best = (f64::INFINITY, Foot { triangle: 0, weights: [1.0, 0.0, 0.0], point: *p });
        for i in near.into_iter().map(|found| found.item as usize) {
            for &t in &self.around[self.starts[i] as usize..self.starts[i + 1] as usize] {
                let corners = self.mesh.corners(t as usize);
                let weights = closest_weights(p, &corners);
                let point: Vector = (0..3).map(|k| corners[k].coords * weights[k]).sum();
                let distance = (point - p.coords).norm_squared();
                if distance < best.0 {
                    best = (distance, Foot { triangle: t as usize, weights, point: point.into() });
                }
            }
        }
        best.1
    }
}

/// Barycentric weights of the point of a triangle nearest to p (Ericson 2005, section 5.1.5).
fn closest_weights(p: &Point, [a, b, c]: &[Point; 3]) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return [1.0 - t, t, 0.0];
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return [1.0 - t, 0.0, t];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - t, t];
    }
    let sum = va + vb + vc;
    [va / sum, vb / sum, vc / sum]
}

/// The scan in working coordinates.
pub struct Target {
    /// Closest points.
    pub finder: Finder,
    /// Vertex normals.
    pub normals: Vec<Vector>,
    /// Whether a vertex is on the border.
    pub on_border: Vec<bool>,
    /// Between working and scan coordinates.
    pub frames: Frames,
    tree: ImmutableKdTree<f64, 6>,
    normal_weight: f64,
    /// Points along the scan's border, evenly spaced.
    pub rim: Vec<Point>,
}

impl Target {
    /// From a scan and its frames.
    pub fn new(scan: &DiskMesh, frames: &Frames, settings: &ElasticSettings) -> Result<Self, MeshError> {
        let points: Vec<Point> = scan.mesh().vertices().iter().map(|p| frames.work_of_scan(p)).collect();
        let finder = Finder::new(scan.mesh().with_vertices(points)?)?;
        let points = finder.mesh.vertices();
        let normals = finder.mesh.vertex_normals();
        let mut on_border = vec![false; normals.len()];
        scan.boundary().iter().for_each(|&i| on_border[i] = true);
        let keys: Vec<[f64; 6]> =
            points.iter().zip(&normals).map(|(p, n)| key(p, n, settings.normal_weight)).collect();
        if !keys.iter().flatten().all(|c| c.is_finite()) {
            return Err(unsearchable(()));
        }
        let tree = ImmutableKdTree::new_from_slice(&keys).map_err(unsearchable)?;
        let border: Vec<Point> = scan.boundary().iter().map(|&i| points[i]).collect();
        let rim = evenly_spaced(&border, RIM_SPACING);
        let normal_weight = settings.normal_weight;
        Ok(Self { finder, normals, on_border, frames: *frames, tree, normal_weight, rim })
    }

    /// The vertex nearest in place and normal together.
    pub fn match_of(&self, p: &Point, n: &Vector) -> usize {
        let key = key(p, n, self.normal_weight);
        self.tree.query(&key).nearest_one::<SquaredEuclidean<f64>>().execute().item as usize
    }

    /// The normal at a foot, blended from the corners.
    pub fn normal_at(&self, foot: &Foot) -> Vector {
        let corners = self.finder.mesh.triangles()[foot.triangle];
        let sum: Vector = (0..3).map(|k| self.normals[corners[k]] * foot.weights[k]).sum();
        sum.try_normalize(1e-12).unwrap_or_else(Vector::zeros)
    }

    /// Whether a foot lies on the scan's border: what it is the foot of may lie beyond.
    pub fn at_border(&self, foot: &Foot) -> bool {
        let corners = self.finder.mesh.triangles()[foot.triangle];
        (0..3).all(|k| foot.weights[k] < 1e-9 || self.on_border[corners[k]])
    }
}

/// Points on a closed polygon, about `apart` from one another along it.
fn evenly_spaced(polygon: &[Point], apart: f64) -> Vec<Point> {
    let n = polygon.len();
    let side = |k: usize| polygon[(k + 1) % n] - polygon[k];
    let total: f64 = (0..n).map(|k| side(k).norm()).sum();
    let count = (total / apart).ceil().max(3.0) as usize;
    let (mut k, mut passed) = (0, 0.0);
    (0..count)
        .map(|i| {
            let at = (i as f64 + 0.5) * total / count as f64;
            while k + 1 < n && passed + side(k).norm() < at {
                passed += side(k).norm();
                k += 1;
            }
            polygon[k] + side(k) * ((at - passed) / side(k).norm().max(1e-300)).min(1.0)
        })
        .collect()
}

fn key(p: &Point, n: &Vector, weight: f64) -> [f64; 6] {
    [p.x, p.y, p.z, weight * n.x, weight * n.y, weight * n.z]
}
