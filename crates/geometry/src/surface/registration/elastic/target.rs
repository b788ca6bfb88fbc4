//! The scan as the template sees it: closest points, normals, border.

use super::frames::WorkFrames;
use super::settings::ElasticSettings;
use crate::mesh::{Foot, FootFinder, MeshError, Point, TriMesh, Vector};
use crate::numeric::search::SearchTree6;

/// Distance of the points along the scan's border, working units.
const RIM_SPACING: f64 = 3.0;

/// The scan in working coordinates.
pub struct Target {
    /// Closest points.
    pub finder: FootFinder,
    /// Vertex normals.
    pub normals: Vec<Vector>,
    /// Whether a vertex is on the border.
    pub on_border: Vec<bool>,
    /// Between working and scan coordinates.
    pub frames: WorkFrames,
    tree: SearchTree6,
    normal_weight: f64,
    /// Points along the scan's border, evenly spaced.
    pub rim: Vec<Point>,
}

impl Target {
    /// From a scan, its borders, the vertices of each in order, and its frames. The first border is where the scan ends; the others are holes.
    pub fn new(
        scan: &TriMesh,
        borders: &[&[usize]],
        frames: &WorkFrames,
        settings: &ElasticSettings,
    ) -> Result<Self, MeshError> {
        let points: Vec<Point> = scan.vertices().iter().map(|p| frames.work_of_scan(p)).collect();
        let finder = FootFinder::new(scan.with_vertices(points)?)?;
        let points = finder.mesh().vertices();
        let normals = finder.mesh().vertex_normals();
        let keys: Vec<[f64; 6]> =
            points.iter().zip(&normals).map(|(p, n)| key(p, n, settings.normal_weight)).collect();
        let unsearchable = || MeshError::Degenerate("the scan cannot be searched for matches".to_owned());
        if !keys.iter().flatten().all(|c| c.is_finite()) {
            return Err(unsearchable());
        }
        let tree = SearchTree6::new(&keys).ok_or_else(unsearchable)?;
        let border: Vec<Point> = borders.first().into_iter().copied().flatten().map(|&i| points[i]).collect();
        let mut on_border = vec![false; points.len()];
        borders.iter().copied().flatten().for_each(|&i| on_border[i] = true);
        let rim = evenly_spaced(&border, RIM_SPACING);
        Ok(Self {
            finder,
            normals,
            on_border,
            frames: *frames,
            tree,
            normal_weight: settings.normal_weight,
            rim,
        })
    }

    /// The vertex nearest in place and normal together.
    pub fn match_of(&self, p: &Point, n: &Vector) -> usize {
        self.tree.nearest(&key(p, n, self.normal_weight)).0
    }

    /// The normal at a foot, blended from the corners.
    pub fn normal_at(&self, foot: &Foot) -> Vector {
        self.finder.blend(foot, &self.normals).try_normalize(1e-12).unwrap_or_else(Vector::zeros)
    }

    /// Whether a foot lies on the scan's border: what it is the foot of may lie beyond.
    pub fn at_border(&self, foot: &Foot) -> bool {
        self.finder.at_border(foot, &self.on_border)
    }
}

/// Points on a closed polygon, about `apart` from one another along it.
fn evenly_spaced(polygon: &[Point], apart: f64) -> Vec<Point> {
    let n = polygon.len();
    if n == 0 {
        return Vec::new();
    }
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
