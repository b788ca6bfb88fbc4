//! The eyes: eyeball, lids, the fold above them.

use super::super::implicit::{Spline, bell, intersection, smooth_step, union};
use crate::mesh::{Point, Vector};

/// The left eye (x > 0). Local coordinates: from the centre of the eyeball.
#[derive(Debug, Clone)]
pub(super) struct Eye {
    centre: Point,
    /// Edges of the upper and the lower lid, local y over local x.
    upper: Spline,
    lower: Spline,
}

const EYEBALL: f64 = 12.0;
const LID: f64 = 13.5;

impl Eye {
    pub(super) fn new() -> Self {
        Self {
            centre: Point::new(31.3, 32.5, -48.3),
            upper: Spline::natural(&[
                (-14.5, -2.2),
                (-10.0, 1.9),
                (-4.0, 4.9),
                (0.0, 5.5),
                (5.0, 5.1),
                (10.0, 3.1),
                (14.0, 0.2),
            ]),
            lower: Spline::natural(&[
                (-14.5, -2.2),
                (-10.0, -3.6),
                (-4.0, -4.9),
                (2.0, -5.3),
                (8.0, -4.0),
                (14.0, 0.2),
            ]),
        }
    }

    /// The face `skin` with the eyes in it.
    pub(super) fn join(&self, skin: f64, p: &Point) -> f64 {
        let q = p - self.centre;
        if q.x.abs() > 35.0 || q.y.abs() > 35.0 {
            return skin;
        }
        let skin = union(skin, q.norm() - LID, 5.0);
        let skin = skin + self.crease(&q);
        let skin = intersection(skin, -self.opening(&q), 0.8);
        let caruncle = (q - Vector::new(-12.4, -1.6, 5.0)).norm() - 2.6;
        let ball = union(q.norm() - EYEBALL, caruncle, 2.0);
        union(skin, ball, 0.5)
    }

    /// Negative between the lids.
    fn opening(&self, q: &Vector) -> f64 {
        let between = (q.y - self.upper.at(q.x)).max(self.lower.at(q.x) - q.y);
        // Only in front: behind the eyeball's equator there is nothing to cut.
        between.max(-q.z)
    }

    /// The fold of the upper lid and a faint one under the lower lid, in millimetres of depth.
    fn crease(&self, q: &Vector) -> f64 {
        let span = smooth_step(-14.0, -8.0, q.x) * (1.0 - smooth_step(9.0, 17.0, q.x));
        let fold = 1.2 * bell((q.y - self.upper.at(q.x) - 4.2) / 0.9) * span;
        let under = 0.4 * bell((q.y - self.lower.at(q.x) + 5.5) / 1.5) * span;
        if q.z > 0.0 { fold + under } else { 0.0 }
    }
}
