//! How far inside the template's border the scan ends: a smooth unknown function along the border.

use super::settings::BorderModel;
use crate::mesh::Point;
use std::f64::consts::TAU;

/// Depth functions at the template's border nodes: 1, and cos kθ and sin kθ, θ the share of the border's length; scaled so
/// that their coefficients are independent standard normal variables.
pub struct DepthBasis {
    /// Functions at node 0, then at node 1, ...
    values: Vec<f64>,
    /// Functions.
    count: usize,
}

impl DepthBasis {
    /// For a closed border through these points.
    pub fn new(border: &[Point], model: &BorderModel) -> Self {
        let length = |k: usize| (border[(k + 1) % border.len()] - border[k]).norm();
        let total: f64 = (0..border.len()).map(length).sum();
        // Variances fall with the square of the frequency; together they make the model's.
        let norm: f64 = (1..=model.harmonics).map(|k| (k as f64).powi(-2)).sum();
        let mut values = Vec::with_capacity(border.len() * (1 + 2 * model.harmonics));
        let mut at = 0.0;
        for node in 0..border.len() {
            let theta = TAU * at / total.max(1e-300);
            values.push(model.mean);
            for k in 1..=model.harmonics {
                let (sin, cos) = (k as f64 * theta).sin_cos();
                let size = model.spread / (k as f64 * norm.sqrt());
                values.extend([size * cos, size * sin]);
            }
            at += length(node);
        }
        Self { values, count: 1 + 2 * model.harmonics }
    }

    /// How many functions there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// All functions at a border node.
    pub fn at(&self, node: usize) -> &[f64] {
        &self.values[node * self.count..(node + 1) * self.count]
    }

    /// The depth at a border node.
    pub fn depth(&self, coefficients: &[f64], node: usize) -> f64 {
        self.at(node).iter().zip(coefficients).map(|(f, c)| f * c).sum()
    }
}
