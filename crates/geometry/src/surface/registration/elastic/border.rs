//! The template's border against the scan's, which ends an unknown smooth depth inside it.

use super::control::ControlMesh;
use super::settings::BorderModel;
use crate::mesh::{Point, Vector};
use std::f64::consts::TAU;

/// Half the stretch of border that tells its direction, working units. A shorter one turns with every wave of the displacement,
/// which feeds back; a longer one cuts corners.
const HALF_STRETCH: f64 = 5.0;

/// The template's border, every vertex of it.
pub struct Border {
    /// Its places in working coordinates.
    pub points: Vec<Point>,
    /// The depth functions at its vertices.
    pub depths: DepthBasis,
    /// How many vertices to either side tell the direction of the border.
    reach: usize,
    /// The blend of control nodes each vertex is.
    blends: Vec<([usize; 3], [f64; 3])>,
}

/// A point of the scan's rim as seen from the template's border.
pub struct Sighting {
    /// The nearest vertex of the border.
    pub vertex: usize,
    /// Outward direction along the surface there.
    pub out: Vector,
    /// How far outside the border the point lies.
    pub gap: f64,
    /// How far from the border it lies, any way.
    pub away: f64,
}

impl Border {
    /// Of these template vertices, in order, at these places.
    pub fn new(vertices: &[usize], points: Vec<Point>, control: &ControlMesh, model: &BorderModel) -> Self {
        let n = points.len();
        let length: f64 = (0..n).map(|k| (points[(k + 1) % n] - points[k]).norm()).sum();
        let reach = ((HALF_STRETCH * n as f64 / length.max(1e-300)).round() as usize).clamp(1, n.max(3) / 3);
        let blends = vertices.iter().map(|&i| control.blends[i]).collect();
        let depths = DepthBasis::new(&points, model);
        Self { points, depths, reach, blends }
    }

    /// Outward along the surface at the vertices of the moved border, given the normals at the control nodes.
    pub fn outward(&self, moved: &[Point], normals: &[Vector]) -> Vec<Vector> {
        let n = moved.len();
        let one = |(k, (corners, weights)): (usize, &([usize; 3], [f64; 3]))| {
            let normal: Vector = (0..3).map(|c| normals[corners[c]] * weights[c]).sum();
            // The slope of a fitted line: a border cut from triangles may zigzag.
            let along: Vector =
                (1..=self.reach).map(|j| (moved[(k + j) % n] - moved[(k + n - j) % n]) * j as f64).sum();
            unit(&along.cross(&normal))
        };
        self.blends.iter().enumerate().map(one).collect()
    }

    /// A point of the rim, in the moved border's coordinates. Seen from this side, since the template's border is the
    /// smoother: the feet of ragged points spread evenly on it, while its own nearest points on a ragged rim pick peaks.
    pub fn sight(&self, moved: &[Point], outward: &[Vector], p: &Point) -> Sighting {
        let n = moved.len();
        let nearest =
            (0..n).min_by(|&a, &b| (moved[a] - p).norm_squared().total_cmp(&(moved[b] - p).norm_squared()));
        let vertex = nearest.unwrap_or(0);
        let foot = |a: usize, b: usize| {
            let side = moved[b] - moved[a];
            let t = ((p - moved[a]).dot(&side) / side.norm_squared().max(1e-12)).clamp(0.0, 1.0);
            (moved[a] + side * t, unit(&(outward[a] * (1.0 - t) + outward[b] * t)))
        };
        let (first, second) = (foot((vertex + n - 1) % n, vertex), foot(vertex, (vertex + 1) % n));
        let nearer = (p - first.0).norm_squared() < (p - second.0).norm_squared();
        let (q, out) = if nearer { first } else { second };
        Sighting { vertex, out, gap: (p - q).dot(&out), away: (p - q).norm() }
    }
}

fn unit(v: &Vector) -> Vector {
    v.try_normalize(1e-9).unwrap_or_else(Vector::zeros)
}

/// Depth functions at the template's border: 1, and cos kθ and sin kθ, θ the share of the border's length; scaled so
/// that the coefficients of the latter are independent standard normal variables where the standard deviation about the mean is 1.
pub struct DepthBasis {
    /// Functions at vertex 0, then at vertex 1, ...
    values: Vec<f64>,
    /// Functions.
    count: usize,
}

impl DepthBasis {
    /// For a closed border through these points.
    fn new(border: &[Point], model: &BorderModel) -> Self {
        let length = |k: usize| (border[(k + 1) % border.len()] - border[k]).norm();
        let total: f64 = (0..border.len()).map(length).sum();
        // Variances fall with the square of the frequency; together they make the model's.
        let norm: f64 = (1..=model.harmonics).map(|k| (k as f64).powi(-2)).sum();
        let mut values = Vec::with_capacity(border.len() * (1 + 2 * model.harmonics));
        let mut at = 0.0;
        for k in 0..border.len() {
            let theta = TAU * at / total.max(1e-300);
            values.push(1.0);
            for k in 1..=model.harmonics {
                let (sin, cos) = (k as f64 * theta).sin_cos();
                let size = 1.0 / (k as f64 * norm.sqrt());
                values.extend([size * cos, size * sin]);
            }
            at += length(k);
        }
        Self { values, count: 1 + 2 * model.harmonics }
    }

    /// How many functions there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// All functions at a border vertex.
    pub fn at(&self, vertex: usize) -> &[f64] {
        &self.values[vertex * self.count..(vertex + 1) * self.count]
    }

    /// The depth at a border vertex.
    pub fn depth(&self, coefficients: &[f64], vertex: usize) -> f64 {
        self.at(vertex).iter().zip(coefficients).map(|(f, c)| f * c).sum()
    }
}
