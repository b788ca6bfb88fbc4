//! Where a point of a drawing stands on the picture.

use crate::look::{Look, half_height};
use kiss3d::prelude::Vec3;

/// A look at a picture of a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    look: Look,
    width: f64,
    height: f64,
}

impl View {
    /// Of a picture of this size in pixels; `look` is how the drawing is seen.
    pub fn new(look: Look, width: f64, height: f64) -> Self {
        Self { look, width: width.max(1.0), height: height.max(1.0) }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [f64; 2] {
        [self.width, self.height]
    }

    /// Pixels that a length of one in display coordinates takes, across the line of sight.
    pub fn pixels(&self) -> f64 {
        0.5 * self.height / half_height(self.look.zoom, self.width / self.height)
    }

    /// The pixel of a point in display coordinates.
    pub fn place(&self, p: [f32; 3]) -> [f64; 2] {
        let seen = self.look.place(Vec3::from_array(p));
        let scale = self.pixels();
        [0.5 * self.width + scale * f64::from(seen.x), 0.5 * self.height - scale * f64::from(seen.y)]
    }

    /// How far in front a point stands, in display coordinates; larger is nearer.
    pub fn depth(&self, p: [f32; 3]) -> f32 {
        self.look.place(Vec3::from_array(p)).z
    }

    /// A direction as it is seen: x to the right, y up, z towards the viewer.
    pub fn turned(&self, direction: [f32; 3]) -> [f64; 3] {
        let [x, y, z] = (self.look.rotation() * Vec3::from_array(direction)).to_array();
        [x, y, z].map(f64::from)
    }

    /// A height of letters that is read well on a picture of this size.
    pub fn lettering(&self) -> f64 {
        (self.height.min(self.width) / 60.0).clamp(7.0, 24.0)
    }

    /// A width of lines that goes with it.
    pub fn line(&self) -> f64 {
        (self.lettering() / 7.0).max(1.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_in_the_middle_and_lengths_do_not_depend_on_the_turn() {
        let look = Look { yaw: 30.0, pivot: [0.1, 0.2, 0.3], ..Look::default() };
        let view = View::new(look, 400.0, 300.0);
        assert_eq!(view.place([0.1, 0.2, 0.3]), [200.0, 150.0]);
        let flat = View::new(Look::default(), 400.0, 300.0);
        assert_eq!(view.pixels(), flat.pixels());
        let [a, b] = [flat.place([0.0; 3]), flat.place([0.5, 0.0, 0.0])];
        assert!((b[0] - a[0] - 0.5 * flat.pixels()).abs() < 1e-4 && a[1] == b[1]);
    }
}
