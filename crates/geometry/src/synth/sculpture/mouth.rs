//! The lips.

use super::super::implicit::{Spline, bell, smooth_step, union};
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
}

impl Mouth {
    pub(super) fn new() -> Self {
        Self {
            upper: Lip {
                y: Spline::even(&[
                    (0.0, -30.7),
                    (5.5, -29.9),
                    (10.0, -30.9),
                    (15.0, -32.6),
                    (20.0, -34.4),
                    (25.5, -36.2),
                ]),
                z: Spline::even(&[
                    (0.0, -19.0),
                    (5.5, -19.3),
                    (10.0, -20.5),
                    (15.0, -22.8),
                    (20.0, -26.4),
                    (25.5, -32.0),
                ]),
                height: Spline::even(&[
                    (0.0, 4.4),
                    (5.5, 5.0),
                    (10.0, 4.5),
                    (15.0, 3.4),
                    (20.0, 2.2),
                    (25.5, 0.8),
                ]),
                depth: Spline::even(&[
                    (0.0, 5.6),
                    (5.5, 5.7),
                    (10.0, 5.2),
                    (15.0, 4.4),
                    (20.0, 3.2),
                    (25.5, 1.2),
                ]),
                end: 25.5,
            },
            lower: Lip {
                y: Spline::even(&[(0.0, -41.0), (8.0, -40.7), (15.0, -39.3), (20.0, -38.0), (25.5, -36.8)]),
                z: Spline::even(&[(0.0, -21.0), (8.0, -21.7), (15.0, -24.4), (20.0, -27.8), (25.5, -32.4)]),
                height: Spline::even(&[(0.0, 5.6), (8.0, 5.3), (15.0, 3.9), (20.0, 2.5), (25.5, 0.8)]),
                depth: Spline::even(&[(0.0, 5.8), (8.0, 5.6), (15.0, 4.7), (20.0, 3.4), (25.5, 1.2)]),
                end: 25.5,
            },
            line: Spline::even(&[(0.0, -35.5), (6.0, -35.0), (14.0, -35.4), (20.0, -36.0), (27.0, -36.7)]),
        }
    }

    /// The face `skin` with the lips on it.
    pub(super) fn join(&self, skin: f64, p: &Point) -> f64 {
        if p.x > 45.0 || p.y > 0.0 || p.y < -70.0 {
            return skin;
        }
        let lips = union(self.upper.distance(p), self.lower.distance(p), 1.8);
        let skin = union(skin, lips, 2.0);
        let fade = 1.0 - smooth_step(19.0, 28.0, p.x);
        let groove = 1.4 * bell((p.y - self.line.at(p.x)) / 1.15) * fade;
        let pit = 1.3 * bell((p.x - 27.0) / 3.0) * bell((p.y + 37.2) / 3.5);
        skin + groove + pit
    }

    /// Points of the line between the lips, from near the middle to the left corner.
    pub(super) fn line_between_lips(&self) -> Vec<Point> {
        (10..=265).map(|i| 0.1 * f64::from(i)).map(|x| Point::new(x, self.line.at(x), -25.0)).collect()
    }
}
