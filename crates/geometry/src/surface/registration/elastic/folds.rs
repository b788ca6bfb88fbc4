//! No folds: the Jacobian determinants of the registration, made positive.

use crate::mesh::{Point, TriMesh, Vector};

/// Smallest Jacobian determinant left, relative to the mean; less only where the smooth displacement itself goes below.
const LEAST: f64 = 0.02;
/// Sweeps that smooth a fold out before its surroundings return to the smoothly moved template, where there is none.
const SMOOTHING_SWEEPS: usize = 24;
const SWEEPS: usize = 100;

/// The registered template while its folds are taken out.
pub struct Sheet<'a> {
    /// The template.
    pub template: &'a TriMesh,
    /// The template moved by similarity and displacement.
    pub moved: &'a TriMesh,
    /// From the moved template to the registered one.
    pub offsets: Vec<Vector>,
    /// Whether a vertex lies on the scan.
    pub landed: Vec<bool>,
    /// The scan's normals where a vertex landed.
    pub normals: Vec<Vector>,
}

impl Sheet<'_> {
    /// Where a vertex is.
    pub fn position(&self, i: usize) -> Point {
        self.moved.vertices()[i] + self.offsets[i]
    }

    /// Jacobian determinants of the map from the template, relative to the mean: signed by the scan's normal where all
    /// corners landed, by the moved template's own elsewhere.
    fn jacobians(&self) -> Vec<f64> {
        let signed: Vec<f64> = (0..self.template.triangles().len())
            .map(|t| {
                let corners = self.template.triangles()[t];
                let [a, b, c] = corners.map(|i| self.position(i));
                let normal: Vector = if corners.iter().all(|&i| self.landed[i]) {
                    corners.iter().map(|&i| self.normals[i]).sum()
                } else {
                    self.moved.area_vector(t)
                };
                let unit = normal.try_normalize(1e-300).unwrap_or_else(Vector::zeros);
                let own = self.template.area_vector(t).norm();
                0.5 * (b - a).cross(&(c - a)).dot(&unit) / own.max(1e-300)
            })
            .collect();
        let mean = signed.iter().sum::<f64>() / signed.len() as f64;
        signed.into_iter().map(|j| j / mean).collect()
    }

    /// Takes the corners of turned triangles off the scan, to follow their neighbours, until no triangle is turned;
    /// the smallest Jacobian determinant.
    pub fn unfold(&mut self, neighbours: &[Vec<u32>]) -> f64 {
        let mut least = f64::NEG_INFINITY;
        let mut loose = vec![false; self.offsets.len()];
        for sweep in 0..SWEEPS {
            let jacobians = self.jacobians();
            least = jacobians.iter().copied().fold(f64::INFINITY, f64::min);
            let turned: Vec<usize> = (0..jacobians.len()).filter(|&t| jacobians[t] <= LEAST).collect();
            let corners = |t: &usize| self.template.triangles()[*t];
            let still = |t: &usize| corners(t).iter().all(|&i| self.offsets[i] == Vector::zeros());
            if turned.iter().all(still) {
                break;
            }
            let mut area = vec![false; loose.len()];
            turned.iter().flat_map(corners).for_each(|i| area[i] = true);
            // A fold that stays takes its surroundings with it.
            for _ in 0..(sweep / 6).min(3) {
                let seeds: Vec<usize> = (0..area.len()).filter(|&i| area[i]).collect();
                seeds.iter().flat_map(|&i| &neighbours[i]).for_each(|&j| area[j as usize] = true);
            }
            for i in (0..area.len()).filter(|&i| area[i]) {
                loose[i] = true;
                self.landed[i] = false;
                if sweep >= SMOOTHING_SWEEPS {
                    self.offsets[i] = Vector::zeros();
                }
            }
            if sweep < SMOOTHING_SWEEPS {
                self.relax(&loose, neighbours);
            }
        }
        least
    }

    /// Loose vertices take the mean offset of their neighbours.
    fn relax(&mut self, loose: &[bool], neighbours: &[Vec<u32>]) {
        for _ in 0..10 {
            for i in (0..loose.len()).filter(|&i| loose[i]) {
                let sum: Vector = neighbours[i].iter().map(|&j| self.offsets[j as usize]).sum();
                self.offsets[i] = sum / neighbours[i].len() as f64;
            }
        }
    }
}
