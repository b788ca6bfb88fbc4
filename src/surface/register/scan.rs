//! The scan as seen from the template: normals, border, closest points.

use super::prior::Work;
use super::settings::ElasticSettings;
use crate::mesh::{DiskMesh, MeshError, Point, TriMesh, Vector};
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use std::num::NonZero;

/// A point of a triangle mesh.
#[derive(Debug, Clone, Copy)]
pub struct Foot {
    /// Its triangle.
    pub triangle: usize,
    /// Barycentric weights.
    pub weights: [f64; 3],
    /// The point.
    pub point: Point,
}

/// Closest points on a mesh: the triangles about the nearest vertices.
pub struct Finder {
    /// The mesh.
    pub mesh: TriMesh,
    tree: ImmutableKdTree<f64, 3>,
    starts: Vec<u32>,
    around: Vec<u32>,
}

impl Finder {
    /// Over a mesh of finite vertices.
    pub fn new(mesh: TriMesh) -> Self {
        let places: Vec<[f64; 3]> = mesh.vertices().iter().map(|p| [p.x, p.y, p.z]).collect();
        let tree = ImmutableKdTree::new_from_slice(&places).expect("finite");
        let mut starts = vec![0u32; places.len() + 1];
        mesh.triangles().iter().flatten().for_each(|&i| starts[i + 1] += 1);
        for i in 0..places.len() {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut around = vec![0u32; 3 * mesh.triangles().len()];
        for (t, corners) in mesh.triangles().iter().enumerate() {
            for &i in corners {
                around[next[i] as usize] = t as u32;
                next[i] += 1;
            }
        }
        Self { mesh, tree, starts, around }
    }

    pub fn about(&self, i: usize) -> &[u32] {
        &self.around[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    pub fn best_of(&self, p: &Point, vertices: impl Iterator<Item = usize>) -> Foot {
        let mut best = (f64::INFINITY, Foot { triangle: 0, weights: [1.0, 0.0, 0.0], point: *p });
        for i in vertices {
            for &t in self.about(i) {
                let corners = self.mesh.corners(t as usize);
                let weights = closest_weights(p, &corners);
                let point = Point::from(
                    corners[0].coords * weights[0]
                        + corners[1].coords * weights[1]
                        + corners[2].coords * weights[2],
                );
                let d = (point - p).norm_squared();
                if d < best.0 {
                    best = (d, Foot { triangle: t as usize, weights, point });
                }
            }
        }
        best.1
    }

    /// The closest point.
    pub fn closest(&self, p: &Point) -> Foot {
        const NEAR: NonZero<usize> = NonZero::new(4).unwrap();
        let found = self.tree.query(&[p.x, p.y, p.z]).nearest_n::<SquaredEuclidean<f64>>(NEAR).execute();
        self.best_of(p, found.into_iter().map(|f| f.item as usize))
    }
}

/// Barycentric weights of the point of a triangle nearest to p (Ericson 2005, 5.1.5).
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

/// The scan in the template's working coordinates.
pub struct Target {
    pub finder: Finder,
    pub normals: Vec<Vector>,
    pub border: Vec<bool>,
    pub work: Work,
    tree: ImmutableKdTree<f64, 6>,
    normal_weight: f64,
}

impl Target {
    pub fn new(scan: &DiskMesh, work: &Work, settings: &ElasticSettings) -> Result<Self, MeshError> {
        let points: Vec<Point> = scan.mesh().vertices().iter().map(|p| work.from_scan(p)).collect();
        let mesh = scan.mesh().with_vertices(points)?;
        let normals = mesh.vertex_normals();
        let mut border = vec![false; normals.len()];
        scan.boundary().iter().for_each(|&i| border[i] = true);
        let k = settings.normal_weight;
        let keys: Vec<[f64; 6]> = mesh.vertices().iter().zip(&normals).map(|(p, n)| key(p, n, k)).collect();
        let tree = ImmutableKdTree::new_from_slice(&keys)
            .map_err(|_| MeshError::Degenerate("the scan cannot be searched".to_owned()))?;
        Ok(Self { finder: Finder::new(mesh), normals, border, work: *work, tree, normal_weight: k })
    }

    /// The vertex nearest in place and normal.
    pub fn nearest(&self, p: &Point, n: &Vector) -> usize {
        self.tree.query(&key(p, n, self.normal_weight)).nearest_one::<SquaredEuclidean<f64>>().execute().item
            as usize
    }

    pub fn normal_at(&self, foot: &Foot) -> Vector {
        let t = self.finder.mesh.triangles()[foot.triangle];
        (0..3).map(|k| self.normals[t[k]] * foot.weights[k]).sum::<Vector>().normalize()
    }

    /// Whether a foot lies on the scan's border.
    pub fn at_border(&self, foot: &Foot) -> bool {
        let t = self.finder.mesh.triangles()[foot.triangle];
        (0..3).all(|k| foot.weights[k] < 1e-9 || self.border[t[k]])
    }
}

fn key(p: &Point, n: &Vector, k: f64) -> [f64; 6] {
    [p.x, p.y, p.z, k * n.x, k * n.y, k * n.z]
}
