//! A coarse mesh over the template that carries the displacement.

use crate::conformal::Complex;
use crate::mesh::{FootFinder, MeshError, NearestPoint, Point, Similarity, TriMesh};
use crate::surface::template::Template;
use rayon::prelude::*;
use spade::{DelaunayTriangulation, HasPosition, Point2, Triangulation};
use std::collections::HashMap;

/// Chosen vertices of the template, joined in the disk; every vertex of the template is a blend of three of them.
pub struct ControlMesh {
    /// Template vertices.
    pub nodes: Vec<usize>,
    /// Triangles between nodes.
    pub triangles: Vec<[usize; 3]>,
    /// For every template vertex three nodes and their weights.
    pub blends: Vec<([usize; 3], [f64; 3])>,
    /// Which of the nodes are matched to scans.
    pub matched: Vec<usize>,
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

impl ControlMesh {
    /// About `count` nodes, evenly spread over the surface.
    pub fn new(template: &Template, count: usize) -> Result<Self, MeshError> {
        let points = template.mesh().vertices();
        let on_border = template.disk().on_boundary();
        let inner = (0..points.len()).filter(|&i| !on_border[i]);
        let order: Vec<usize> = template.disk().boundary().iter().copied().chain(inner).collect();
        let nodes = spread_evenly(points, &order, template.mesh().area(), count);
        let z = template.surface().z();
        let triangles = delaunay(z, &nodes)?;
        let flat = TriMesh::new(nodes.iter().map(|&i| flat(z[i])).collect(), triangles)?;
        let finder = FootFinder::new(flat)?;
        let blends = z
            .par_iter()
            .map(|&q| {
                let found = finder.closest(&self::flat(q));
                (finder.corners(&found), found.weights)
            })
            .collect();
        let matched = (0..nodes.len()).collect();
        Ok(Self { nodes, triangles: finder.mesh().triangles().to_vec(), blends, matched })
    }

    /// Every vertex of a surface, of which about `count` are matched.
    pub fn whole(mesh: &TriMesh, boundary: &[usize], count: usize) -> Self {
        let n = mesh.vertices().len();
        let mut order = boundary.to_vec();
        order.extend((0..n).filter(|i| !boundary.contains(i)));
        let mut matched = if n > count {
            spread_evenly(mesh.vertices(), &order, mesh.area(), count)
        } else {
            (0..n).collect()
        };
        matched.sort_unstable();
        let blends = (0..n).map(|i| ([i; 3], [1.0, 0.0, 0.0])).collect();
        Self { nodes: (0..n).collect(), triangles: mesh.triangles().to_vec(), blends, matched }
    }

    /// The mesh of the nodes of a template of this shape, moved.
    pub fn placed(&self, whole: &TriMesh, by: &Similarity) -> Result<TriMesh, MeshError> {
        let nodes = self.nodes.iter().map(|&i| by.apply(&whole.vertices()[i])).collect();
        TriMesh::new(nodes, self.triangles.clone())
    }

    /// The area every node stands for, given their mesh: that of the vertices nearest to it, if it is matched.
    pub fn areas(&self, mesh: &TriMesh) -> Vec<f64> {
        let areas = mesh.vertex_areas();
        let matched = self.matched.iter().map(|&i| &mesh.vertices()[i]);
        let Some(tree) =
            (self.matched.len() < areas.len()).then(|| NearestPoint::new(matched).ok()).flatten()
        else {
            return areas;
        };
        let mut out = vec![0.0; areas.len()];
        for (p, area) in mesh.vertices().iter().zip(areas) {
            out[self.matched[tree.find(p).0]] += area;
        }
        out
    }
}

fn flat(z: Complex) -> Point {
    Point::new(z.re, z.im, 0.0)
}

fn delaunay(z: &[Complex], nodes: &[usize]) -> Result<Vec<[usize; 3]>, MeshError> {
    let places =
        nodes.iter().enumerate().map(|(index, &i)| Node { at: Point2::new(z[i].re, z[i].im), index });
    let net: DelaunayTriangulation<Node> = DelaunayTriangulation::bulk_load_stable(places.collect())
        .map_err(|_| MeshError::Degenerate("the template's disk map is not finite".to_owned()))?;
    Ok(net.inner_faces().map(|face| face.vertices().map(|v| v.data().index)).collect())
}

/// About `count` of the points, no two nearer to one another than a common distance.
fn spread_evenly(points: &[Point], order: &[usize], area: f64, count: usize) -> Vec<usize> {
    let mut apart = (0.9 * area / count as f64).sqrt();
    let mut nodes = spread(points, order, apart);
    for _ in 0..4 {
        let ratio = nodes.len() as f64 / count as f64;
        if (0.97..1.03).contains(&ratio) || nodes.len() == points.len() {
            break;
        }
        apart *= ratio.sqrt();
        nodes = spread(points, order, apart);
    }
    nodes
}

/// Points no two of which are nearer than `apart`, greedily in the given order.
fn spread(points: &[Point], order: &[usize], apart: f64) -> Vec<usize> {
    // Chosen points by the cells they are in or beside: fewer are chosen than asked about.
    let mut grid: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    let mut chosen = Vec::new();
    for &i in order {
        let [a, b, c] = [points[i].x, points[i].y, points[i].z].map(|v| (v / apart).floor() as i64);
        let mut near = grid.get(&[a, b, c]).into_iter().flatten();
        if near.any(|&j| (points[i] - points[j]).norm() < apart) {
            continue;
        }
        let cells = (a - 1..=a + 1)
            .flat_map(|x| (b - 1..=b + 1).flat_map(move |y| (c - 1..=c + 1).map(move |z| [x, y, z])));
        cells.for_each(|cell| grid.entry(cell).or_default().push(i));
        chosen.push(i);
    }
    chosen
}
