//! Expressions: what muscles of the face and the jaw do to a face at rest, as displacements of space.

use super::implicit::{bell2, smooth_step};
use crate::mesh::{LipLine, Point, TriMesh, Vector};
use nalgebra::Rotation3;

/// Where an expression is wanted: points of a face in the built-in template's frame, and where its lips meet.
struct At<'a> {
    point: &'a Point,
    lips: &'a LipLine,
}

/// An expression at full strength: its name, and what it does at a point of the mean face, in millimetres.
type Expression = (&'static str, fn(&At<'_>) -> Vector);

/// After the action units of Ekman and Friesen (Facial Action Coding System, 1978); those of one side move that side alone.
const EXPRESSIONS: [Expression; 17] = [
    // The jaw moves on a circle: two strengths, for one straight way does not follow it.
    ("jaw_open", |at| jaw(at, 7.0)),
    ("jaw_wide_open", |at| jaw(at, 14.0)),
    ("smile_left", |at| smile(at.point)),
    ("smile_right", |at| mirrored(at, smile)),
    ("corner_down_left", |at| corner_down(at.point)),
    ("corner_down_right", |at| mirrored(at, corner_down)),
    ("pucker", |at| {
        let window = middle(at.point, -36.0, 24.0, 13.0);
        Vector::new(-0.28 * at.point.x, 0.0, 6.0) * window
    }),
    ("lips_pressed", |at| {
        let window = middle(at.point, -36.0, 22.0, 9.0);
        Vector::new(0.0, -0.25 * (at.point.y + 35.5), -3.0) * window
    }),
    ("mouth_left", |at| Vector::new(6.0, 0.0, 0.0) * middle(at.point, -40.0, 30.0, 20.0)),
    ("chin_raise", |at| {
        let below = f64::from(at.point.y < at.lips.height(at.point.x));
        Vector::new(0.0, 3.0, 1.5) * middle(at.point, -52.0, 20.0, 13.0) * (0.5 + 0.5 * below)
    }),
    ("nose_wrinkle", |at| Vector::new(0.0, 3.0, 0.0) * middle(at.point, -12.0, 22.0, 14.0)),
    ("brow_up_left", |at| Vector::new(0.0, 6.0, 1.0) * left(at.point, 26.0, 52.0, 18.0, 11.0)),
    ("brow_up_right", |at| mirrored(at, |p| Vector::new(0.0, 6.0, 1.0) * left(p, 26.0, 52.0, 18.0, 11.0))),
    ("brows_together", |at| {
        let side = |x: f64| {
            Vector::new(-3.0, -3.0, 1.0) * left(&Point::new(x, at.point.y, 0.0), 16.0, 48.0, 10.0, 9.0)
        };
        let (l, r) = (side(at.point.x), side(-at.point.x));
        l + Vector::new(-r.x, r.y, r.z)
    }),
    ("cheek_puff_left", |at| puff(at.point)),
    ("cheek_puff_right", |at| mirrored(at, puff)),
    ("squint", |at| {
        let window = left(at.point, 34.0, 20.0, 16.0, 9.0) + left(at.point, -34.0, 20.0, 16.0, 9.0);
        Vector::new(0.0, 3.0, 1.5) * window
    }),
];

/// The built-in expressions at full strength, each as a displacement (mm) of these points, the vertices of a mesh of a face in the built-in
/// template's frame with these corners of the mouth.
pub fn expressions(face: &TriMesh, mouth: [usize; 2]) -> Vec<(&'static str, Vec<Vector>)> {
    let lips = LipLine::of(face.vertices(), face.triangles(), mouth);
    let one = |&(name, moved): &Expression| {
        let moved = |point: &Point| moved(&At { point, lips: &lips });
        (name, face.vertices().iter().map(moved).collect())
    };
    EXPRESSIONS.iter().map(one).collect()
}

/// The triangles of a skin (mm) that an expression does not tear: a mouth that opens shows nothing between the lips.
pub fn untorn(rest: &[Point], triangles: &[[usize; 3]], moved: &[Point]) -> Vec<[usize; 3]> {
    let length = |v: &[Point], [a, b, c]: [usize; 3]| {
        (v[a] - v[b]).norm().max((v[b] - v[c]).norm()).max((v[c] - v[a]).norm())
    };
    let whole = |&t: &[usize; 3]| length(moved, t) < 2.5 * length(rest, t) + 1.0;
    triangles.iter().copied().filter(whole).collect()
}

fn middle(p: &Point, cy: f64, sx: f64, sy: f64) -> f64 {
    bell2(p.x, p.y - cy, [sx, sy])
}

fn left(p: &Point, cx: f64, cy: f64, sx: f64, sy: f64) -> f64 {
    bell2(p.x - cx, p.y - cy, [sx, sy])
}

/// What the left side does, on the right.
fn mirrored(at: &At<'_>, left: impl Fn(&Point) -> Vector) -> Vector {
    let moved = left(&Point::new(-at.point.x, at.point.y, at.point.z));
    Vector::new(-moved.x, moved.y, moved.z)
}

/// The corner of the mouth goes out, up and back; the cheek rises.
fn smile(p: &Point) -> Vector {
    Vector::new(6.0, 7.0, -4.0) * left(p, 24.0, -34.0, 14.0, 13.0)
        + Vector::new(1.5, 3.0, 3.0) * left(p, 42.0, -6.0, 16.0, 14.0)
}

fn corner_down(p: &Point) -> Vector {
    Vector::new(2.0, -6.0, -1.0) * left(p, 24.0, -38.0, 12.0, 12.0)
}

fn puff(p: &Point) -> Vector {
    Vector::new(6.0, 0.0, 6.0) * left(p, 46.0, -28.0, 18.0, 18.0)
}

/// Where the jaw's hinge lies: the condyles, some 80 mm behind the fronts of the eyes and 35 mm below them.
const HINGE: [f64; 3] = [0.0, -2.0, -115.0];

fn jaw(at: &At<'_>, degrees: f64) -> Vector {
    jaw_turned(at.point, &HINGE.into(), at.lips, degrees.to_radians())
}

/// The jaw turns about the ears; the lips part along their line from corner to corner.
pub(super) fn jaw_turned(p: &Point, hinge: &Point, lips: &LipLine, angle: f64) -> Vector {
    let below = lips.height(p.x) - p.y;
    let beyond = ((p.x - lips.middle).abs() - 0.5 * lips.width).max(0.0);
    // A tear between the corners, softer the farther out.
    let part = if beyond == 0.0 { f64::from(below > 0.0) } else { smooth_step(-beyond, beyond, below) };
    // The corners of the mouth and the cheeks go half the way, what lies at the ears none.
    let weight = part * smooth_step(hinge.z, hinge.z + 60.0, p.z);
    (hinge + Rotation3::from_axis_angle(&Vector::x_axis(), angle) * (p - hinge) - p) * weight
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::{builtin_landmarks, builtin_template};

    fn of(name: &str) -> Vec<Vector> {
        let marks = builtin_landmarks();
        let all = expressions(builtin_template(), [marks.right_mouth_corner, marks.left_mouth_corner]);
        all.into_iter().find(|(n, _)| *n == name).unwrap().1
    }

    #[test]
    fn mouths_open_corners_rise_and_the_eyes_stay() {
        let marks = builtin_landmarks();
        let open = of("jaw_wide_open");
        assert!(open[marks.chin].y < -10.0, "{}", open[marks.chin]);
        assert!(open[marks.nose_tip].norm() < 0.5 && open[marks.left_eye_outer].norm() < 0.5);
        let smile = of("smile_left");
        assert!(smile[marks.left_mouth_corner].y > 5.0 && smile[marks.left_mouth_corner].x > 4.0);
        assert!(smile[marks.right_mouth_corner].norm() < 0.1);
        assert!(of("smile_right")[marks.right_mouth_corner].x < -4.0);
    }
}
