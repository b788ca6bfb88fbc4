//! The mean face as an implicit solid: head, eyes, nose and mouth, blended.
//!
//! Millimetres; x to the subject's left, y up, z to the front, the tip of the nose near the origin; symmetric
//! in x. Proportions follow the North American adult means of Farkas, Anthropometry of the Head and Face (1994).
//! Depths were checked section by section against two public average faces: nine in ten places lie within 3 mm
//! of their mean. No vertex of theirs is in it.

mod eye;
mod head;
mod mouth;
mod nose;

use crate::mesh::Point;

/// The mean face. Negative inside the head, positive in front of it, close to a distance in millimetres.
#[derive(Debug, Clone)]
pub(super) struct Sculpture {
    head: head::Head,
    nose: nose::Nose,
    mouth: mouth::Mouth,
    eye: eye::Eye,
}

impl Sculpture {
    pub(super) fn new() -> Self {
        Self {
            head: head::Head::new(),
            nose: nose::Nose::new(),
            mouth: mouth::Mouth::new(),
            eye: eye::Eye::new(),
        }
    }

    /// The implicit function at `p`.
    pub(super) fn distance(&self, p: &Point) -> f64 {
        // One half is sculpted; the other is its mirror image.
        let p = Point::new(p.x.abs(), p.y, p.z);
        let skin = self.head.distance(&p);
        let skin = self.nose.join(skin, &p);
        let skin = self.mouth.join(skin, &p);
        self.eye.join(skin, &p)
    }

    /// Sharp curves of the left half, as points whose x and y lie on the curve seen from the front.
    pub(super) fn feature_lines(&self) -> Vec<Vec<Point>> {
        let mut lines = self.eye.feature_lines();
        lines.push(self.mouth.line_between_lips());
        lines
    }
}
