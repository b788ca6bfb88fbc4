//! A coarse mesh over the template that carries the displacement.

use crate::conformal::Complex;
use crate::mesh::{MeshError, Point, TriMesh};
use crate::surface::template::Template;
use spade::{DelaunayTriangulation, HasPosition, Point2, Triangulation};
use std::collections::HashMap;

/// Chosen vertices of the template, joined in the disk; every vertex of the template is a blend of three of them.
pub struct ControlMesh {
    /// Template vertices.
    pub nodes: Vec<usize>,
    /// Triangles between nodes.
    pub triangles: Vec<[usize; 3]>,
    /// For every template vertex the three nodes and weights.
    pub blends: Vec<([usize; 3], [f64; 3])>,
}

struct Node {
    at: Point2<f64>,
    index: usize,
}

impl HasPosition for Node {
    type Scalar = f64;
    fn position(&self) -> Point2<f64> {
        self.at
    }
}

fn degenerate(text: &str) -> MeshError {
    MeshError::Degenerate(text.to_owned())
}

/// Vertices no two of which are nearer than `apart`, greedily in the given order.
fn spread(points: &[Point], order: &[usize], apart: f64) -> Vec<usize> {
    let cell = |p: &Point| [p.x, p.y, p.z].map(|c| (c / apart).floor() as i64);
    let mut grid: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    let mut chosen = Vec::new();
    for &i in order {
        let [a, b, c] = cell(&points[i]);
        let near = (a - 1..=a + 1).any(|x| {
            (b - 1..=b + 1).any(|y| {
                (c - 1..=c + 1).any(|z| {
                    grid.get(&[x, y, z])
                        .is_some_and(|held| held.iter().any(|&j| (points[i] - points[j]).norm() < apart))
                })
            })
        });
        if !near {
            grid.entry([a, b, c]).or_default().push(i);
            chosen.push(i);
        }
    }
    chosen
}

impl ControlMesh {
    /// About `count` nodes.
    pub fn new(template: &Template, count: usize) -> Result<Self, MeshError> {
        let mesh = template.mesh();
        let points = mesh.vertices();
        let border = template.border();
        let mut on_border = vec![false; points.len()];
        border.iter().for_each(|&i| on_border[i] = true);
        let order: Vec<usize> =
            border.iter().copied().chain((0..points.len()).filter(|&i| !on_border[i])).collect();
        let mut apart = (0.9 * mesh.area() / count as f64).sqrt();
        let mut nodes = spread(points, &order, apart);
        for _ in 0..4 {
            let ratio = nodes.len() as f64 / count as f64;
            if (0.97..1.03).contains(&ratio) || nodes.len() == points.len() {
                break;
            }
            apart *= ratio.sqrt();
            nodes = spread(points, &order, apart);
        }
        let z = template.surface().z();
        let mut net: DelaunayTriangulation<Node> = DelaunayTriangulation::new();
        for (index, &i) in nodes.iter().enumerate() {
            net.insert(Node { at: Point2::new(z[i].re, z[i].im), index })
                .map_err(|_| degenerate("the template's disk map has no finite coordinates"))?;
        }
        let triangles: Vec<[usize; 3]> =
            net.inner_faces().map(|f| f.vertices().map(|v| v.data().index)).collect();
        if triangles.is_empty() {
            return Err(degenerate("the template's disk map is degenerate"));
        }
        let blends = Self::blends(z, &nodes, &triangles);
        Ok(Self { nodes, triangles, blends })
    }

    fn blends(z: &[Complex], nodes: &[usize], triangles: &[[usize; 3]]) -> Vec<([usize; 3], [f64; 3])> {
        let flat = TriMesh::new(
            nodes.iter().map(|&i| Point::new(z[i].re, z[i].im, 0.0)).collect(),
            triangles.to_vec(),
        );
        let Ok(flat) = flat else { return Vec::new() };
        let finder = super::scan::Finder::new(flat);
        z.iter()
            .map(|q| {
                let found = finder.closest(&Point::new(q.re, q.im, 0.0));
                (finder.mesh.triangles()[found.triangle], found.weights)
            })
            .collect()
    }
}
