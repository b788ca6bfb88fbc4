//! A well-shaped triangle mesh of a surface over half a disk: vertices placed by a size field, Delaunay
//! triangles, then flips and centroidal smoothing until the triangles are nearly equilateral in space.

use crate::mesh::Point;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use spade::{DelaunayTriangulation, Point2, Triangulation};
use std::collections::HashMap;

/// A place in the parameter disk.
pub(super) type Place = [f64; 2];

/// A surface to triangulate, and the edge length wanted at each of its points, in millimetres.
pub(super) struct Target<'a> {
    pub surface: &'a (dyn Fn(Place) -> Point + Sync),
    pub edge_length: &'a (dyn Fn(&Point) -> f64 + Sync),
    /// Curves the mesh should follow, as closely spaced places inside the half disk.
    pub lines: &'a [Vec<Place>],
}

/// Where a vertex may move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Freedom {
    Inside,
    /// On the straight side x = 0 of the half disk.
    OnMidline,
    /// On the arc, at a corner, or on a line the mesh follows.
    Fixed,
}

/// The mesh of a half disk x ≥ 0: places, points and triangles; counter-clockwise.
#[derive(Debug, Clone)]
pub(super) struct HalfMesh {
    pub places: Vec<Place>,
    pub points: Vec<Point>,
    pub triangles: Vec<[usize; 3]>,
    freedom: Vec<Freedom>,
}

const ROUNDS: usize = 24;
/// Dart throwing keeps this fraction of the wanted edge length free around each vertex; a maximal set of darts
/// then has edges of the wanted length on average.
const FREE: f64 = 0.78;

impl HalfMesh {
    /// Triangulates the half disk.
    pub(super) fn new(target: &Target<'_>) -> Self {
        let mut mesh = Self::scattered(target);
        mesh.triangles = delaunay(&mesh.places);
        for _ in 0..ROUNDS {
            mesh.flip_edges();
            mesh.smooth(target);
        }
        mesh.flip_edges();
        mesh
    }

    /// Whether a vertex lies on the straight side.
    pub(super) fn on_midline(&self, vertex: usize) -> bool {
        self.places[vertex][0] == 0.0
    }

    fn scattered(target: &Target<'_>) -> Self {
        let arc = along(target, |t| {
            let angle = std::f64::consts::PI * (t - 0.5);
            [libm::cos(angle), libm::sin(angle)]
        });
        let midline = along(target, |t| [0.0, 2.0 * t - 1.0]);
        let mut places: Vec<Place> = Vec::new();
        let mut freedom = Vec::new();
        for (i, &place) in arc.iter().enumerate() {
            // The corners belong to both curves: kept once, exactly on the midline.
            let corner = i == 0 || i + 1 == arc.len();
            places.push(if corner { [0.0, place[1].signum()] } else { place });
            freedom.push(Freedom::Fixed);
        }
        for &place in &midline[1..midline.len() - 1] {
            places.push(place);
            freedom.push(Freedom::OnMidline);
        }
        let mut points: Vec<Point> = places.iter().map(|&u| (target.surface)(u)).collect();
        follow_lines(target, &mut places, &mut points);
        freedom.resize(places.len(), Freedom::Fixed);
        throw_darts(target, &mut places, &mut points);
        freedom.resize(places.len(), Freedom::Inside);
        Self { places, points, triangles: Vec::new(), freedom }
    }

    /// Lawson's flips until every inner edge is Delaunay in space and no triangle is turned over in the disk.
    fn flip_edges(&mut self) {
        for _ in 0..40 {
            let edges = edge_table(&self.triangles);
            let mut touched = vec![false; self.triangles.len()];
            let mut flips = 0;
            let mut list: Vec<_> = edges.iter().filter(|(_, t)| t.len() == 2).collect();
            list.sort_unstable_by_key(|(edge, _)| **edge);
            for (&[a, b], sides) in list {
                let (s, t) = (sides[0], sides[1]);
                if touched[s] || touched[t] {
                    continue;
                }
                let (c, d) = (opposite(self.triangles[s], a, b), opposite(self.triangles[t], a, b));
                if self.should_flip(a, b, c, d) {
                    // Triangle s holds the edge in the direction a → b or b → a; keep its sense.
                    let forward = holds(self.triangles[s], a, b);
                    let (p, q) = if forward { (a, b) } else { (b, a) };
                    self.triangles[s] = [p, d, c];
                    self.triangles[t] = [d, q, c];
                    touched[s] = true;
                    touched[t] = true;
                    flips += 1;
                }
            }
            if flips == 0 {
                break;
            }
        }
    }

    fn should_flip(&self, a: usize, b: usize, c: usize, d: usize) -> bool {
        let cotangent = |apex: usize| {
            let (u, v) = (self.points[a] - self.points[apex], self.points[b] - self.points[apex]);
            u.dot(&v) / u.cross(&v).norm().max(1e-300)
        };
        // Opposite angles sum to more than a half turn.
        cotangent(c) + cotangent(d) < -1e-9
            && self.turns(a, d, c) * self.turns(d, b, c) > 0.0
            && self.turns(a, d, c).abs().min(self.turns(d, b, c).abs()) > 1e-12
    }

    /// Twice the signed area of a triangle in the disk.
    fn turns(&self, a: usize, b: usize, c: usize) -> f64 {
        doubled_area(self.places[a], self.places[b], self.places[c])
    }

    /// Moves each free vertex to the centroid of its triangles, weighted by area over squared edge length.
    fn smooth(&mut self, target: &Target<'_>) {
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); self.places.len()];
        for (t, triangle) in self.triangles.iter().enumerate() {
            triangle.iter().for_each(|&i| around[i].push(t));
        }
        let weight: Vec<f64> = self
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| self.points[i]);
                let centre = Point::from((a.coords + b.coords + c.coords) / 3.0);
                let length = (target.edge_length)(&centre);
                (b - a).cross(&(c - a)).norm() / (length * length)
            })
            .collect();
        let moved: Vec<(Place, Point)> = (0..self.places.len())
            .into_par_iter()
            .map(|v| {
                let to = self.centroid(v, &around[v], &weight);
                if to == self.places[v] { (to, self.points[v]) } else { (to, (target.surface)(to)) }
            })
            .collect();
        for (v, (place, point)) in moved.into_iter().enumerate() {
            let before = self.places[v];
            self.places[v] = place;
            // One at a time, so that a move that would turn a triangle over is seen and undone.
            let valid = around[v].iter().all(|&t| {
                let [a, b, c] = self.triangles[t];
                self.turns(a, b, c) > 1e-12
            });
            if valid {
                self.points[v] = point;
            } else {
                self.places[v] = before;
            }
        }
    }

    fn centroid(&self, v: usize, around: &[usize], weight: &[f64]) -> Place {
        let here = self.places[v];
        if self.freedom[v] == Freedom::Fixed {
            return here;
        }
        let (mut sum, mut total) = ([0.0; 2], 0.0);
        for &t in around {
            for &i in &self.triangles[t] {
                sum[0] += weight[t] * self.places[i][0];
                sum[1] += weight[t] * self.places[i][1];
                total += weight[t];
            }
        }
        let mean = sum.map(|s| s / total);
        let step = 0.9;
        let to = [here[0] + step * (mean[0] - here[0]), here[1] + step * (mean[1] - here[1])];
        if self.freedom[v] == Freedom::OnMidline { [0.0, to[1]] } else { to }
    }
}

fn doubled_area(a: Place, b: Place, c: Place) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn opposite(triangle: [usize; 3], a: usize, b: usize) -> usize {
    triangle.into_iter().find(|&i| i != a && i != b).unwrap_or(a)
}

fn holds(triangle: [usize; 3], a: usize, b: usize) -> bool {
    (0..3).any(|k| triangle[k] == a && triangle[(k + 1) % 3] == b)
}

fn edge_table(triangles: &[[usize; 3]]) -> HashMap<[usize; 2], Vec<usize>> {
    let mut table: HashMap<[usize; 2], Vec<usize>> = HashMap::with_capacity(2 * triangles.len());
    for (t, triangle) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
            table.entry([a.min(b), a.max(b)]).or_default().push(t);
        }
    }
    table
}

/// Places along a curve t ∈ [0, 1], ends included, one edge length apart.
fn along(target: &Target<'_>, curve: impl Fn(f64) -> Place) -> Vec<Place> {
    const STEPS: usize = 1200;
    let points: Vec<Point> = (0..=STEPS).map(|i| (target.surface)(curve(i as f64 / STEPS as f64))).collect();
    let mut edges = vec![0.0];
    for pair in points.windows(2) {
        let middle = nalgebra::center(&pair[0], &pair[1]);
        edges.push(edges[edges.len() - 1] + (pair[1] - pair[0]).norm() / (target.edge_length)(&middle));
    }
    let total = edges[STEPS];
    let pieces = total.round().max(1.0);
    (0..=pieces as usize)
        .map(|k| {
            let wanted = total * k as f64 / pieces;
            let i = edges.partition_point(|&e| e < wanted).clamp(1, STEPS);
            let within = (wanted - edges[i - 1]) / (edges[i] - edges[i - 1]);
            curve(((i - 1) as f64 + within) / STEPS as f64)
        })
        .collect()
}

/// Adds places along the curves, one edge length apart, unless a vertex of another curve is too near.
fn follow_lines(target: &Target<'_>, places: &mut Vec<Place>, points: &mut Vec<Point>) {
    for line in target.lines {
        let before = points.len();
        for &place in line {
            let p = (target.surface)(place);
            let wanted = (target.edge_length)(&p);
            let near = |range: &[Point]| range.iter().map(|q| (q - p).norm()).fold(f64::INFINITY, f64::min);
            if near(&points[before..]) >= 0.95 * wanted && near(&points[..before]) >= 0.75 * wanted {
                places.push(place);
                points.push(p);
            }
        }
    }
}

/// Adds places in random order wherever no vertex is nearer than [`FREE`] edge lengths.
fn throw_darts(target: &Target<'_>, places: &mut Vec<Place>, points: &mut Vec<Point>) {
    const SIDE: usize = 230;
    let mut candidates: Vec<Place> = Vec::new();
    for j in 0..2 * SIDE {
        for i in 0..SIDE {
            // Staggered rows, half a cell away from the midline.
            let u = [
                (i as f64 + 0.35 + 0.5 * (j % 2) as f64) / SIDE as f64,
                (j as f64 + 0.5) / SIDE as f64 - 1.0,
            ];
            if u[0] * u[0] + u[1] * u[1] < 0.9995 {
                candidates.push(u);
            }
        }
    }
    candidates.shuffle(&mut ChaCha8Rng::seed_from_u64(20_240_601));
    let tried: Vec<Point> = candidates.par_iter().map(|&u| (target.surface)(u)).collect();
    const CELL: f64 = 4.0;
    let cell = |p: &Point| [p.x, p.y, p.z].map(|c| (c / CELL).floor() as i32);
    let mut grid: HashMap<[i32; 3], Vec<usize>> = HashMap::new();
    for (i, p) in points.iter().enumerate() {
        grid.entry(cell(p)).or_default().push(i);
    }
    for (u, p) in candidates.into_iter().zip(tried) {
        let free = FREE * (target.edge_length)(&p);
        let [x, y, z] = cell(&p);
        let crowded = (-1..=1).any(|i| {
            (-1..=1).any(|j| {
                (-1..=1).any(|k| {
                    grid.get(&[x + i, y + j, z + k])
                        .is_some_and(|near| near.iter().any(|&q| (points[q] - p).norm() < free))
                })
            })
        });
        if !crowded {
            grid.entry([x, y, z]).or_default().push(points.len());
            places.push(u);
            points.push(p);
        }
    }
}

/// Delaunay triangles of places in the plane, counter-clockwise, degenerate ones left out.
fn delaunay(places: &[Place]) -> Vec<[usize; 3]> {
    let corners: Vec<Point2<f64>> = places.iter().map(|u| Point2::new(u[0], u[1])).collect();
    let Ok(mesh) = DelaunayTriangulation::<Point2<f64>>::bulk_load_stable(corners) else {
        return Vec::new();
    };
    mesh.inner_faces()
        .map(|f| f.vertices().map(|v| v.index()))
        .filter(|&[a, b, c]| doubled_area(places[a], places[b], places[c]) > 1e-12)
        .collect()
}
