//! The nose: bridge, tip, wings, nostrils.

use super::super::implicit::{Ellipsoid, Spline, bell, bell2, intersection, smooth_step, subtraction, union};
use crate::mesh::Point;

/// The nose, and how it grows out of the face.
#[derive(Debug, Clone)]
pub(super) struct Nose {
    /// Sagittal profile of the bridge, z over y.
    profile: Spline,
    /// Radius of the ridge, and slope of its sides, over y.
    ridge: Spline,
    side: Spline,
    tip: Ellipsoid,
    wing: Ellipsoid,
    nostril: Ellipsoid,
}

impl Nose {
    pub(super) fn new() -> Self {
        Self {
            profile: Spline::natural(&[
                (-25.0, 0.0),
                (-10.0, -0.5),
                (0.0, -1.5),
                (8.0, -5.0),
                (16.0, -9.6),
                (24.0, -15.2),
                (32.0, -21.6),
                (38.0, -25.8),
                (44.0, -28.6),
                (52.0, -34.0),
                (60.0, -45.0),
            ]),
            ridge: Spline::natural(&[
                (-12.0, 5.5),
                (0.0, 5.2),
                (12.0, 4.7),
                (24.0, 4.0),
                (36.0, 5.6),
                (46.0, 11.0),
            ]),
            side: Spline::natural(&[
                (-12.0, 2.3),
                (0.0, 2.0),
                (12.0, 1.85),
                (24.0, 2.0),
                (36.0, 1.8),
                (46.0, 1.0),
            ]),
            tip: Ellipsoid::new([0.0, -0.8, -9.4], [8.4, 7.8, 9.2], [0.0; 3]),
            wing: Ellipsoid::new([11.0, -4.8, -19.0], [4.8, 6.5, 9.6], [-10.0, 17.0, 8.0]),
            nostril: Ellipsoid::new([6.4, -12.6, -12.6], [3.0, 5.2, 5.4], [0.0, 28.0, -14.0]),
        }
    }

    /// The face `skin` with the nose on it.
    pub(super) fn join(&self, skin: f64, p: &Point) -> f64 {
        if p.x > 45.0 || p.y > 70.0 || p.y < -45.0 {
            return skin;
        }
        let body = intersection(self.bridge(p), underside(p), 4.0);
        let nose = union(body, self.tip.distance(p), 5.0);
        let nose = union(nose, self.wing.distance(p), 5.5);
        // Soft beside the bridge, a crease around the wings.
        let blend = 2.4 + 5.6 * smooth_step(-2.0, 16.0, p.y);
        let skin = union(skin, nose, blend);
        let skin = subtraction(skin, self.nostril.distance(p), 2.0);
        skin - philtrum(p)
    }

    /// A ridge with a rounded back and straight sides: z = profile − side·(√(r² + x²) − r).
    fn bridge(&self, p: &Point) -> f64 {
        let y = p.y.min(46.0);
        let (r, side) = (self.ridge.at(y), self.side.at(y));
        let reach = (r * r + p.x * p.x).sqrt();
        let height = self.profile.at(p.y) - side * (reach - r);
        let slope = side * p.x / reach;
        (p.z - height) / (1.35 + slope * slope).sqrt()
    }
}

/// Solid above the base of the nose.
fn underside(p: &Point) -> f64 {
    let base = -12.6 + 0.22 * (p.z + 16.5);
    (base - p.y) / 1.024
}

/// The groove from the nose to the upper lip, between its two columns.
fn philtrum(p: &Point) -> f64 {
    let groove = bell2(p.x, p.y + 20.5, [2.9, 5.0]);
    let columns = (bell((p.x - 6.0) / 2.2) + bell((p.x + 6.0) / 2.2)) * bell((p.y + 21.0) / 5.5);
    let front = 1.0 / (1.0 + libm::exp((-(p.z) - 24.0) * 1.0));
    front * (0.7 * columns - 1.3 * groove)
}
