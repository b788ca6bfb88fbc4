//! The lips.

use super::super::implicit::{Spline, bell, subtraction, union};
use crate::mesh::Point;

/// One lip: a tube of elliptic section along a curve over x ≥ 0.
#[derive(Debug, Clone)]
struct Lip {
    y: Spline,
    z: Spline,
    height: Spline,
    depth: Spline,
    end: f64,
}

impl Lip {
    fn distance(&self, p: &Point) -> f64 {
        let x = p.x.min(self.end);
        let (ry, rz) = (self.height.at(x).max(0.3), self.depth.at(x).max(0.3));
        let (y, z) = (p.y - self.y.at(x), p.z - self.z.at(x));
        let step = 0.5;
        let slope = (self.z.at(x + step) - self.z.at(x - step)) / (2.0 * step);
        let (u, v) = (y / ry, z / rz);
        let level = (u * u + v * v).sqrt();
        let gradient = ((u / ry) * (u / ry) + (v / rz) * (v / rz) * (1.0 + slope * slope)).sqrt();
        let d = if gradient > 0.0 { level * (level - 1.0) / gradient } else { -ry.min(rz) };
        let past = (p.x - self.end).max(0.0);
        if past > 0.0 { (d.max(0.0) * d.max(0.0) + past * past).sqrt() } else { d }
    }
}

/// Both lips and the line between them.
#[derive(Debug, Clone)]
pub(super) struct Mouth {
    upper: Lip,
    lower: Lip,
    line: Spline,
    line_z: Spline,
}

impl Mouth {
    pub(super) fn new() -> Self {
        Self {
            upper: Lip {
                y: Spline::even(&[
                    (0.0, -31.4),
                    (5.0, -30.9),
                    (10.0, -31.8),
                    (15.0, -33.1),
                    (20.0, -34.6),
                    (25.5, -36.1),
                ]),
                z: Spline::even(&[
                    (0.0, -19.0),
                    (5.0, -19.3),
                    (10.0, -20.6),
                    (15.0, -23.0),
                    (20.0, -26.8),
                    (25.5, -32.5),
                ]),
                height: Spline::even(&[
                    (0.0, 4.2),
                    (5.0, 4.7),
                    (10.0, 4.1),
                    (15.0, 3.2),
                    (20.0, 2.2),
                    (25.5, 0.9),
                ]),
                depth: Spline::even(&[
                    (0.0, 5.2),
                    (5.0, 5.2),
                    (10.0, 4.8),
                    (15.0, 4.2),
                    (20.0, 3.2),
                    (25.5, 1.5),
                ]),
                end: 25.5,
            },
            lower: Lip {
                y: Spline::even(&[(0.0, -40.3), (8.0, -40.1), (15.0, -38.9), (20.0, -37.8), (25.5, -36.7)]),
                z: Spline::even(&[(0.0, -20.6), (8.0, -21.4), (15.0, -24.3), (20.0, -27.8), (25.5, -32.8)]),
                height: Spline::even(&[(0.0, 5.4), (8.0, 5.1), (15.0, 3.8), (20.0, 2.5), (25.5, 0.9)]),
                depth: Spline::even(&[(0.0, 5.8), (8.0, 5.5), (15.0, 4.7), (20.0, 3.4), (25.5, 1.5)]),
                end: 25.5,
            },
            line: Spline::even(&[(0.0, -35.5), (6.0, -35.0), (14.0, -35.4), (20.0, -36.0), (27.0, -36.7)]),
            line_z: Spline::even(&[(0.0, -18.0), (6.0, -18.4), (14.0, -21.0), (20.0, -25.0), (27.0, -31.0)]),
        }
    }

    /// The face `skin` with the lips on it.
    pub(super) fn join(&self, skin: f64, p: &Point) -> f64 {
        if p.x > 45.0 || p.y > 0.0 || p.y < -70.0 {
            return skin;
        }
        let lips = union(self.upper.distance(p), self.lower.distance(p), 1.0);
        let skin = union(skin, lips, 2.6);
        let fade = 1.0 - super::super::implicit::smooth_step(24.0, 30.0, p.x);
        let groove = 1.3 * bell((p.y - self.line.at(p.x)) / 0.8) * fade;
        let pit = 1.6 * bell((p.x - 27.0) / 3.0) * bell((p.y + 37.0) / 3.5);
        let _ = (&self.line_z, subtraction as fn(f64, f64, f64) -> f64);
        skin + groove + pit
    }
}
