//! The diffeomorphism γ as it is built up, step by step and level by level.

use super::grid::signed_area;
use super::level::{Accepted, Level};
use super::settings::SrnfLevel;
use super::tangential::TangentialFields;
use crate::conformal::Complex;
use crate::surface::locate::DiskSurface;
use crate::surface::template::Template;
use nalgebra::Rotation3;

/// A level ends when a step lowers the energy by less than this share.
const LEAST_GAIN: f64 = 1e-3;

/// One accepted step, along Σ c_k b_k.
struct Step {
    fields: TangentialFields,
    coefficients: Vec<f64>,
}

/// γ, a composition of steps, and the rotation that goes with it.
pub struct Flow<'a> {
    scan: &'a DiskSurface,
    template: &'a Template,
    rotation: Rotation3<f64>,
    steps: Vec<Step>,
}

impl<'a> Flow<'a> {
    /// The identity of the disk, with a first rotation from scan to template.
    pub fn new(scan: &'a DiskSurface, template: &'a Template, rotation: Rotation3<f64>) -> Self {
        Self { scan, template, rotation, steps: Vec::new() }
    }

    fn warp(&self, z: Complex) -> Complex {
        self.steps.iter().fold(z, |z, s| s.fields.step(&s.coefficients, z))
    }

    /// Descends on one level; the energy before the first and after every accepted step.
    pub fn descend(&mut self, settings: &SrnfLevel) -> Vec<f64> {
        let level = Level::new(self.scan, self.template, settings.rings);
        let mut y: Vec<Complex> = level.points_of_the_disk().iter().map(|&z| self.warp(z)).collect();
        let fields = TangentialFields::new(settings.degree);
        let mut rotation = level.best_rotation(&y).unwrap_or(self.rotation);
        let mut energy = level.energy(&y, &rotation);
        let mut trace = vec![energy];
        let mut damping = 1e-2;
        for _ in 0..settings.steps {
            let Some(Accepted { y: next, coefficients, energy: value, rotation: turn }) =
                level.gauss_newton(&y, &rotation, &fields, energy, &mut damping)
            else {
                break;
            };
            let gain = (energy - value) / energy.max(f64::MIN_POSITIVE);
            (y, energy, rotation) = (next, value, turn);
            trace.push(energy);
            self.steps.push(Step { fields: fields.clone(), coefficients });
            if gain < LEAST_GAIN {
                break;
            }
        }
        self.rotation = rotation;
        trace
    }

    /// γ at the template's vertices and its smallest Jacobian determinant over the template's triangles; the last steps are
    /// taken back while one of them is flipped.
    pub fn on_template(&mut self) -> (Vec<Complex>, f64) {
        let z = self.template.surface().z();
        let triangles = self.template.mesh().triangles();
        loop {
            let y: Vec<Complex> = z.iter().map(|&z| self.warp(z)).collect();
            let jacobian = triangles
                .iter()
                .map(|t| signed_area(t.map(|i| y[i])) / signed_area(t.map(|i| z[i])))
                .fold(f64::INFINITY, f64::min);
            if jacobian > 0.0 || self.steps.pop().is_none() {
                return (y, jacobian);
            }
        }
    }
}
