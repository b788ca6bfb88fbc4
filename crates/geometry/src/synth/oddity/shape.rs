//! What changes the skin itself: a child's proportions, an open mouth.

use super::super::expressions::{jaw_turned, untorn};
use super::kinds::{Oddity, Sitter};
use crate::mesh::{LipLine, Point, Vector};
use rand::{Rng, RngExt};

/// The skin as it is when scanned.
pub(super) struct Shaped {
    pub vertices: Vec<Point>,
    /// Without those that are torn.
    pub triangles: Vec<[usize; 3]>,
}

pub(super) fn shaped<R: Rng + ?Sized>(sitter: &Sitter<'_>, oddity: Oddity, rng: &mut R) -> Shaped {
    let triangles = sitter.triangles.to_vec();
    match oddity {
        Oddity::Child => Shaped { vertices: child(sitter), triangles },
        Oddity::OpenMouth => open_mouth(sitter, rng),
        _ => Shaped { vertices: sitter.vertices.to_vec(), triangles },
    }
}

/// Proportions of a child of about six against an adult's (Farkas, Anthropometry of the Head and Face, 1994): face height .80, width .88;
/// the forehead keeps more of its height, the jaw and the nose less.
fn child(sitter: &Sitter<'_>) -> Vec<Point> {
    let nose = sitter.vertices[sitter.marks.nose_tip];
    let eyes = sitter.eyes();
    let one = |p: &Point| {
        let up = p.y - eyes.y;
        let y = if up > 0.0 { 0.92 * up } else { 0.74 * up };
        let away = (p - nose).norm() / 20.0;
        // The nose stands out a third less.
        let flatter = 7.0 * libm::exp(-0.5 * away * away);
        Point::new(nose.x + 0.88 * (p.x - nose.x), eyes.y + y, nose.z + 0.86 * (p.z - nose.z) - flatter)
    };
    sitter.vertices.iter().map(one).collect()
}

/// The jaw turns by 12 to 16 degrees.
fn open_mouth<R: Rng + ?Sized>(sitter: &Sitter<'_>, rng: &mut R) -> Shaped {
    let eyes = sitter.eyes();
    // The condyles lie some 80 mm behind the eyes' fronts and 35 mm below them.
    let hinge = eyes + Vector::new(0.0, -35.0, -80.0);
    let angle = (12.0 + 4.0 * rng.random::<f64>()).to_radians();
    let line = sitter.lip_line();
    let moved = |p: &Point| p + jaw_turned(p, &hinge, &line, angle);
    let vertices: Vec<Point> = sitter.vertices.iter().map(moved).collect();
    let triangles = untorn(sitter.vertices, sitter.triangles, &vertices);
    Shaped { vertices, triangles }
}

impl Sitter<'_> {
    /// The middle between the eyes.
    pub(super) fn eyes(&self) -> Point {
        self.middle(self.marks.eyes)
    }

    /// The line between the lips.
    pub(super) fn lip_line(&self) -> LipLine {
        LipLine::of(self.vertices, self.triangles, self.marks.mouth)
    }

    fn middle(&self, pair: [usize; 2]) -> Point {
        nalgebra::center(&self.vertices[pair[0]], &self.vertices[pair[1]])
    }
}
