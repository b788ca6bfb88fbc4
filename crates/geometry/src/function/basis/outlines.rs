//! Functions on one closed curve or several, as many points on each.

use super::domain::Domain;
use super::grid::Grid;
use crate::function::shrink::SpectralPlace;

/// Curve after curve in the samples `(points, channels)`; the coordinates of every curve are channels of one circle.
#[derive(Debug, Clone)]
pub(super) struct Outlines {
    count: usize,
    channels: usize,
    circle: Grid,
}

impl Outlines {
    pub(super) fn new(count: usize, points: usize, channels: usize) -> Self {
        let circle = Grid::new(Domain::Circle { samples: points }, count * channels);
        Self { count, channels, circle }
    }

    pub(super) fn points(&self) -> usize {
        self.count * self.circle.points()
    }

    pub(super) fn len(&self) -> usize {
        self.circle.len()
    }

    pub(super) fn place(&self, i: usize) -> SpectralPlace {
        self.circle.place(i)
    }

    pub(super) fn analyse(&self, values: &[f64]) -> Vec<f64> {
        // A circle's norm is the mean over its own points.
        let scale = 1.0 / (self.count as f64).sqrt();
        let mut channels = vec![0.0; values.len()];
        self.places().zip(values).for_each(|(at, x)| channels[at] = scale * x);
        self.circle.analyse(&channels)
    }

    pub(super) fn synthesize(&self, coefficients: &[f64]) -> Vec<f64> {
        let scale = (self.count as f64).sqrt();
        let channels = self.circle.synthesize(coefficients);
        self.places().map(|at| scale * channels[at]).collect()
    }

    pub(super) fn variances(&self, of_coefficients: &[f64]) -> Vec<f64> {
        let channels = self.circle.variances(of_coefficients);
        self.places().map(|at| self.count as f64 * channels[at]).collect()
    }

    /// Where the circle has each sample.
    fn places(&self) -> impl Iterator<Item = usize> + use<'_> {
        let (points, d) = (self.circle.points(), self.channels);
        (0..self.len()).map(move |i| {
            let (point, c) = (i / d, i % d);
            let (curve, along) = (point / points, point % points);
            (along * self.count + curve) * d + c
        })
    }
}
