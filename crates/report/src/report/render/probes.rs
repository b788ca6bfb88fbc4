//! Where the neighbourhood of a pixel is looked at for shade and shadow.

use crate::mesh::Vector;

/// Which of the four of its pixel.
pub(super) fn subpixel(x: usize, y: usize) -> usize {
    (x & 1) + 2 * (y & 1)
}

/// Places of a spiral looked at from each subpixel.
pub(super) const SPIRAL: usize = 8;
/// Steps towards the light from each subpixel.
const MARCH: usize = 14;

/// Where the neighbourhood is looked at: four different sets for the four subpixels, which a pixel averages.
pub(super) struct Probes {
    /// As far as a spiral goes, in (large) pixels.
    pub(super) reach: f64,
    /// What facets may rise over one another.
    pub(super) facet: f64,
    pub(super) spirals: [[Probe; SPIRAL]; 4],
    /// Towards the key light; none so near that a facet would shade itself.
    pub(super) marches: [[Probe; MARCH]; 4],
}

/// A place looked at from the middle of a pixel.
#[derive(Clone, Copy)]
pub(super) struct Probe {
    /// How far away it is, in (large) pixels.
    pub(super) away: f64,
    /// How far to the right and down.
    pub(super) step: [f64; 2],
    /// The pixel it falls in, counted from the one looked from.
    pub(super) pixel: [isize; 2],
}

impl Probe {
    fn new(away: f64, step: [f64; 2]) -> Self {
        Self { away, step, pixel: step.map(|s| (0.5 + s).floor() as isize) }
    }
}

impl Probes {
    /// For pictures of so many (large) pixels on their shorter side, lit from this direction (x to the right, y up).
    pub(super) fn new(side: usize, light: &Vector) -> Self {
        const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
        let (reach, far) = (0.055 * side as f64, 0.30 * side as f64);
        let offset = |first: usize, k: usize| {
            let radius = reach * (k as f64 + 0.25 * first as f64 + 0.125) / SPIRAL as f64;
            let angle = GOLDEN_ANGLE * k as f64 + first as f64 * std::f64::consts::FRAC_PI_8;
            Probe::new(radius, [radius * angle.cos(), radius * angle.sin()])
        };
        let distance = |first: usize, k: usize| {
            let away = (far * ((k as f64 + 0.3 + first as f64 / 4.0) / MARCH as f64).powi(2)).max(3.0);
            Probe::new(away, [away * light.x, -away * light.y])
        };
        Self {
            reach,
            facet: 0.004 * side as f64,
            spirals: std::array::from_fn(|first| std::array::from_fn(|k| offset(first, k))),
            marches: std::array::from_fn(|first| std::array::from_fn(|k| distance(first, k))),
        }
    }
}
