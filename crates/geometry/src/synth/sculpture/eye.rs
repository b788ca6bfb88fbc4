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
const LID: f64 = 13.2;
/// Height of the fold above the edge of the upper lid.
const FOLD: f64 = 4.4;
/// How far behind the lids the corners of the eye lie.
const CORNER_DEPTH: f64 = 1.6;

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
        let cut = intersection(skin, -self.opening(&q), 1.2);
        // Between the lids lies the eyeball; in the corners, where it is far behind, moist skin fills the gap.
        let ball = union(q.norm() - EYEBALL, skin + CORNER_DEPTH, 1.5);
        union(cut, ball, 1.2)
    }

    /// Negative between the lids. Their margins slant, so that the opening is wider in front.
    fn opening(&self, q: &Vector) -> f64 {
        let slant = 0.45 * (q.norm() - EYEBALL).clamp(0.0, LID - EYEBALL);
        let between = (q.y - self.upper.at(q.x) - slant).max(self.lower.at(q.x) - slant - q.y);
        // Only in front: behind the eyeball's equator there is nothing to cut.
        between.max(-q.z)
    }

    /// The fold of the upper lid and a faint one under the lower lid, in millimetres of depth.
    fn crease(&self, q: &Vector) -> f64 {
        let span = smooth_step(-14.0, -8.0, q.x) * (1.0 - smooth_step(9.0, 17.0, q.x));
        let fold = 1.2 * bell((q.y - self.upper.at(q.x) - FOLD) / 1.0) * span;
        let under = 0.4 * bell((q.y - self.lower.at(q.x) + 5.5) / 1.5) * span;
        if q.z > 0.0 { fold + under } else { 0.0 }
    }

    /// Margins of the lids, outer and inner edge, and the fold; see
    /// [`Sculpture::feature_lines`](super::Sculpture::feature_lines).
    pub(super) fn feature_lines(&self) -> Vec<Vec<Point>> {
        let curve = |lid: &Spline, offset: f64, from: i32, to: i32| {
            (from..=to)
                .map(|i| 0.1 * f64::from(i))
                .map(|x| self.centre + Vector::new(x, lid.at(x) + offset, 12.0))
                .collect()
        };
        vec![
            curve(&self.upper, 0.9, -145, 140),
            curve(&self.lower, -0.9, -135, 130),
            curve(&self.upper, -0.2, -125, 120),
            curve(&self.lower, 0.2, -125, 120),
            curve(&self.upper, FOLD, -120, 140),
        ]
    }
}
