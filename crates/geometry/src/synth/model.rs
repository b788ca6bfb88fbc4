//! The built-in face model: the template with every displacement field tabulated at its vertices.

use super::modes::{Mode, ShapeParameter};
use crate::mesh::{Point, TriMesh, Vector};
use std::sync::OnceLock;

/// Number of centres of the random field on each half of the face.
const CENTRES: usize = 28;
/// Width of its bumps, in millimetres.
const WIDTH_MM: f64 = 21.0;

/// Tables over the vertices of the built-in template.
pub(super) struct FaceModel {
    centres: Vec<Point>,
    /// For each named parameter: the displacement of every vertex.
    named: Vec<Vec<Vector>>,
    /// For each centre: its weight at every vertex.
    weights: Vec<Vec<f64>>,
    /// Edges of the template.
    edges: Vec<[usize; 2]>,
    /// Distance of each vertex from the border, in millimetres.
    pub border_distance: Vec<f64>,
}

/// Every edge of every triangle, sorted: one within the surface comes twice.
fn sorted_edges(triangles: &[[usize; 3]]) -> Vec<[usize; 2]> {
    let edges = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut edges: Vec<[usize; 2]> = edges.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges
}

/// The distance of every point from the border's nearest vertex: endless where there is no border.
fn border_distance(points: &[Point], edges: &[[usize; 2]]) -> Vec<f64> {
    // An edge met once is on the border.
    let border: Vec<usize> =
        edges.chunk_by(|a, b| a == b).filter(|run| run.len() == 1).flat_map(|run| run[0]).collect();
    let from =
        |p: &Point| border.iter().map(|&b| (points[b] - p).norm_squared()).fold(f64::INFINITY, f64::min);
    points.iter().map(|p| from(p).sqrt()).collect()
}

/// The distance of every vertex from the border: see [`border_distance`].
pub(super) fn distance_from_border(mesh: &TriMesh) -> Vec<f64> {
    border_distance(mesh.vertices(), &sorted_edges(mesh.triangles()))
}

impl FaceModel {
    /// The model, built at first use.
    pub(super) fn get() -> &'static Self {
        static MODEL: OnceLock<FaceModel> = OnceLock::new();
        MODEL.get_or_init(Self::build)
    }

    fn build() -> Self {
        let template = super::builtin_template();
        let points = template.vertices();
        let left: Vec<Point> = points.iter().copied().filter(|p| p.x > 0.25 * WIDTH_MM).collect();
        let mut centres = spread(&left, CENTRES);
        centres.extend_from_within(..);
        centres[CENTRES..].iter_mut().for_each(|c| c.x = -c.x);
        let displaced = |k: &ShapeParameter| points.iter().map(|p| Mode::of(*k).displacement(p)).collect();
        let named = ShapeParameter::ALL.iter().map(displaced).collect();
        let weights = weights_of(&centres, points);
        let mut edges = sorted_edges(template.triangles());
        let border_distance = border_distance(points, &edges);
        edges.dedup();
        Self { centres, named, weights, edges, border_distance }
    }

    /// How many centres the random field has on each half; centre k + this number mirrors centre k.
    pub(super) const HALF: usize = CENTRES;

    /// For each centre of the random field: its weight at every point.
    pub(super) fn field_weights_of(&self, points: &[Point]) -> Vec<Vec<f64>> {
        weights_of(&self.centres, points)
    }

    /// Weights of the random field's centres at any point.
    pub(super) fn field_weights(&self, p: &Point) -> Vec<f64> {
        self.centres.iter().map(|c| bump(p, c)).collect()
    }

    /// The template's vertices on the face with these parameters.
    pub(super) fn vertices(&self, shape: &[f64], field: &[Vector]) -> Vec<Point> {
        let points = super::builtin_template().vertices();
        let (mut named, mut random) =
            (vec![Vector::zeros(); points.len()], vec![Vector::zeros(); points.len()]);
        for (displaced, &s) in self.named.iter().zip(shape) {
            named.iter_mut().zip(displaced).for_each(|(sum, d)| *sum += d * s);
        }
        for (weights, c) in self.weights.iter().zip(field) {
            random.iter_mut().zip(weights).for_each(|(sum, &w)| *sum += c * w);
        }
        points.iter().zip(named).zip(random).map(|((p, n), r)| p + n + r).collect()
    }

    /// max |D(p) − D(q)| / |p − q| over the template's edges, D(p) being where p went minus p.
    pub(super) fn stretch(&self, moved: &[Point]) -> f64 {
        let points = super::builtin_template().vertices();
        self.edges
            .iter()
            .map(|&[a, b]| {
                let before = points[a] - points[b];
                ((moved[a] - moved[b]) - before).norm_squared() / before.norm_squared()
            })
            .fold(0.0, f64::max)
            .sqrt()
    }
}

fn weights_of(centres: &[Point], points: &[Point]) -> Vec<Vec<f64>> {
    centres.iter().map(|c| points.iter().map(|p| bump(p, c)).collect()).collect()
}

fn bump(p: &Point, centre: &Point) -> f64 {
    libm::exp(-(p - centre).norm_squared() / (2.0 * WIDTH_MM * WIDTH_MM))
}

/// `n` of the points, each as far from the earlier ones as can be.
fn spread(points: &[Point], n: usize) -> Vec<Point> {
    let mut chosen: Vec<Point> = Vec::new();
    let mut gap = vec![f64::INFINITY; points.len()];
    let mut next = 0;
    for _ in 0..n.min(points.len()) {
        let p = points[next];
        chosen.push(p);
        gap.iter_mut().zip(points).for_each(|(g, q)| *g = g.min((q - p).norm_squared()));
        next = (0..points.len()).max_by(|&a, &b| gap[a].total_cmp(&gap[b])).unwrap_or(0);
    }
    chosen
}
