//! A coarse mesh over the template that carries the displacement.

use crate::conformal::Complex;
use crate::mesh::{FootFinder, MeshError, Point, TriMesh};
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
        Ok(Self { nodes, triangles: finder.mesh().triangles().to_vec(), blends })
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
