//! The mean organs as implicit solids, in millimetres, after textbook proportions: capsules, ellipsoids, fillets.

use super::net::Implicit;
use crate::mesh::{Point, Vector};
use crate::synth::implicit::{Ellipsoid, bell, intersection, subtraction, union};
use std::sync::LazyLock;

/// A rod from one point to another, with a radius at either end.
fn rod(p: &Point, a: [f64; 3], b: [f64; 3], radii: (f64, f64)) -> f64 {
    let (a, b) = (Point::from(a), Point::from(b));
    let axis = b - a;
    let t = ((p - a).dot(&axis) / axis.norm_squared()).clamp(0.0, 1.0);
    (p - (a + axis * t)).norm() - (radii.0 + (radii.1 - radii.0) * t)
}

/// Rods from knot to knot (x, y, z, radius).
fn chain(p: &Point, knots: &[[f64; 4]], width: f64) -> f64 {
    let link =
        |w: &[[f64; 4]]| rod(p, [w[0][0], w[0][1], w[0][2]], [w[1][0], w[1][1], w[1][2]], (w[0][3], w[1][3]));
    knots
        .windows(2)
        .map(link)
        .fold(f64::INFINITY, |all, next| if all.is_finite() { union(all, next, width) } else { next })
}

/// Ellipsoids made once: centre, half-axes, turn in degrees.
macro_rules! ellipsoids {
    ($($name:ident: $centre:expr, $radii:expr, $turn:expr;)+) => {
        $(static $name: LazyLock<Ellipsoid> = LazyLock::new(|| Ellipsoid::new($centre, $radii, $turn));)+
    };
}

ellipsoids! {
    MEDIAL_CONDYLE: [-24.0, -8.0, 2.0], [15.5, 32.0, 23.0], [0.0, 0.0, 8.0];
    LATERAL_CONDYLE: [23.0, -5.0, 4.0], [14.0, 33.0, 20.0], [0.0, 0.0, -4.0];
    TROCHLEA: [4.0, 16.0, 9.0], [29.0, 15.0, 17.0], [0.0; 3];
    NOTCH: [-1.0, -28.0, -9.0], [9.0, 24.0, 18.0], [-15.0, 0.0, 0.0];
    GROOVE: [1.0, 37.0, -6.0], [6.5, 9.0, 24.0], [0.0; 3];
    MEDIAL_EPICONDYLE: [-37.0, -4.0, 14.0], [7.0, 9.0, 9.0], [0.0; 3];
    LATERAL_EPICONDYLE: [34.0, -6.0, 12.0], [6.0, 7.0, 7.0], [0.0; 3];
    METAPHYSIS: [0.0, 0.0, 28.0], [28.0, 20.0, 32.0], [0.0; 3];
}

/// The lower end of a right thigh bone: x to the side, y forward, z up the shaft.
fn femur(p: &Point) -> f64 {
    let bow = Point::new(p.x, p.y - 0.0006 * p.z * p.z, p.z);
    let shaft = rod(&bow, [1.0, -1.0, 30.0], [4.0, -1.0, 112.0], (17.5, 14.5));
    let shaft = union(shaft, METAPHYSIS.distance(p), 14.0);
    let ends = union(MEDIAL_CONDYLE.distance(p), LATERAL_CONDYLE.distance(p), 4.0);
    let ends = union(ends, TROCHLEA.distance(p), 9.0);
    let knuckles = union(MEDIAL_EPICONDYLE.distance(p), LATERAL_EPICONDYLE.distance(p), 4.0);
    let bone = union(union(shaft, ends, 10.0), knuckles, 6.0);
    subtraction(subtraction(bone, NOTCH.distance(p), 6.0), GROOVE.distance(p), 7.0)
}

ellipsoids! {
    RIGHT_LOBE: [-36.0, -4.0, 0.0], [64.0, 54.0, 72.0], [0.0, 16.0, 0.0];
    LEFT_LOBE: [46.0, 14.0, 26.0], [74.0, 38.0, 34.0], [0.0, -4.0, -12.0];
    STOMACH: [56.0, -34.0, -46.0], [92.0, 58.0, 64.0], [0.0, 22.0, 20.0];
    KIDNEY: [-54.0, -62.0, -46.0], [38.0, 36.0, 56.0], [14.0, 0.0, 0.0];
    CAUDATE: [4.0, -28.0, 18.0], [13.0, 15.0, 24.0], [0.0; 3];
    GALLBLADDER: [-14.0, 30.0, -66.0], [12.0, 26.0, 20.0], [-25.0, 0.0, 10.0];
    FISSURE: [18.0, 52.0, -6.0], [4.0, 18.0, 30.0], [0.0; 3];
    RIEDEL: [-70.0, 2.0, -58.0], [22.0, 26.0, 28.0], [0.0; 3];
}

/// A liver: x to the left of the body, y forward, z up.
fn liver(p: &Point) -> f64 {
    let lobes = union(RIGHT_LOBE.distance(p), LEFT_LOBE.distance(p), 38.0);
    let lobes = union(lobes, RIEDEL.distance(p), 16.0);
    let below = subtraction(subtraction(lobes, STOMACH.distance(p), 16.0), KIDNEY.distance(p), 14.0);
    let liver = union(below, CAUDATE.distance(p), 10.0);
    subtraction(subtraction(liver, GALLBLADDER.distance(p), 14.0), FISSURE.distance(p), 12.0)
}

ellipsoids! {
    UNCUS: [-6.5, 14.0, 0.5], [4.2, 5.6, 4.0], [0.0, 0.0, 20.0];
    DIGIT_1: [-1.0, 21.0, 1.2], [3.0, 3.8, 3.4], [0.0; 3];
    DIGIT_2: [4.8, 19.0, 0.6], [2.7, 3.6, 3.2], [0.0, 0.0, -20.0];
    DIGIT_3: [8.6, 14.5, -0.8], [2.4, 3.2, 2.8], [0.0; 3];
    SULCUS: [-0.5, -4.0, -5.0], [2.2, 14.0, 3.0], [0.0, 0.0, 8.0];
}

/// A hippocampus: x to the side, y forward, z up; its head in front, its tail bent up and in.
fn hippocampus(p: &Point) -> f64 {
    let flat = Point::new(p.x * 0.86, p.y, p.z * 1.12);
    let body = chain(
        &flat,
        &[
            [0.5, 17.0, -3.4, 6.6],
            [3.0, 8.0, -3.0, 6.0],
            [5.2, -2.0, -1.4, 5.0],
            [6.2, -11.0, 2.2, 4.4],
            [4.4, -18.0, 7.6, 3.7],
            [0.6, -22.0, 13.0, 2.5],
        ],
        3.0,
    );
    let digits = union(union(DIGIT_1.distance(p), DIGIT_2.distance(p), 0.8), DIGIT_3.distance(p), 0.8);
    let head = union(union(body, digits, 1.6), UNCUS.distance(p), 2.4);
    subtraction(head, SULCUS.distance(p), 2.0)
}

ellipsoids! {
    RAMUS: [45.5, -24.0, 20.0], [4.6, 14.5, 27.0], [0.0, 0.0, 4.0];
    ANGLE: [44.5, -26.0, -1.0], [5.5, 12.0, 11.0], [0.0; 3];
    CONDYLE: [48.5, -38.5, 51.0], [10.0, 5.2, 6.0], [0.0, 0.0, -14.0];
    CHIN: [0.0, 46.0, -9.0], [12.0, 6.0, 7.0], [0.0; 3];
}

/// A lower jaw: x to the side, y forward, z up; a little crooked, as jaws are.
fn mandible(p: &Point) -> f64 {
    let crooked = Point::new(p.x - 0.0006 * p.y * p.y, p.y + 0.035 * p.x, p.z - 0.03 * p.x);
    let p = &Point::new((crooked.x * crooked.x + 0.25).sqrt(), crooked.y, crooked.z);
    let base =
        [[0.0, 42.0, -6.0, 8.0], [17.0, 35.0, -6.0, 7.4], [31.0, 15.0, -5.0, 7.2], [41.0, -10.0, -3.0, 7.0]];
    let ridge =
        [[0.0, 41.0, 9.0, 4.8], [17.0, 34.0, 9.0, 5.2], [29.0, 15.0, 9.5, 5.6], [39.0, -7.0, 10.0, 5.0]];
    let body = union(chain(p, &base, 6.0), chain(p, &ridge, 6.0), 9.0);
    let body = union(body, CHIN.distance(p), 6.0);
    let branch = union(union(RAMUS.distance(p), ANGLE.distance(p), 8.0), body, 9.0);
    let neck = rod(p, [46.5, -34.0, 36.0], [48.5, -38.0, 50.0], (5.0, 4.0));
    let neck = union(neck, CONDYLE.distance(p), 5.0);
    let coronoid = rod(p, [45.5, -15.0, 32.0], [45.5, -11.0, 52.0], (5.2, 2.6));
    union(union(branch, neck, 6.0), coronoid, 7.0)
}

ellipsoids! {
    PALM: [0.0, 46.0, 0.0], [40.0, 46.0, 13.5], [0.0; 3];
    THENAR: [-26.0, 26.0, 9.0], [15.0, 26.0, 12.0], [0.0, 0.0, 24.0];
    HYPOTHENAR: [27.0, 26.0, 7.0], [12.0, 27.0, 11.0], [0.0, 0.0, -6.0];
    WRIST: [0.0, -14.0, 0.0], [27.0, 40.0, 18.0], [0.0; 3];
}

/// A right hand, half open, its palm towards +z: x to the little finger, y along the fingers; closed at the wrist.
fn hand(p: &Point) -> f64 {
    let finger = |knots: [[f64; 4]; 4]| chain(p, &knots, 4.0);
    let index = finger([
        [-28.0, 82.0, 0.0, 9.6],
        [-35.0, 118.0, 6.0, 8.6],
        [-38.5, 139.0, 17.0, 7.6],
        [-39.0, 152.0, 31.0, 6.6],
    ]);
    let middle = finger([
        [-8.5, 87.0, -1.0, 9.8],
        [-10.5, 128.0, 5.0, 8.8],
        [-11.5, 153.0, 17.0, 7.8],
        [-12.0, 166.0, 33.0, 6.8],
    ]);
    let ring = finger([
        [11.0, 83.0, -1.0, 9.4],
        [16.0, 120.0, 7.0, 8.2],
        [18.5, 141.0, 21.0, 7.4],
        [19.5, 150.0, 36.0, 6.4],
    ]);
    let little = finger([
        [29.0, 73.0, 0.0, 8.6],
        [40.0, 102.0, 7.0, 7.2],
        [44.5, 117.0, 17.0, 6.4],
        [46.5, 124.0, 29.0, 5.6],
    ]);
    let thumb = chain(
        p,
        &[
            [-24.0, 22.0, 10.0, 14.0],
            [-50.0, 50.0, 22.0, 11.0],
            [-62.0, 76.0, 30.0, 9.6],
            [-66.0, 97.0, 36.0, 7.6],
        ],
        5.0,
    );
    let palm = union(PALM.distance(p), WRIST.distance(p), 22.0);
    let palm = union(union(palm, THENAR.distance(p), 12.0), HYPOTHENAR.distance(p), 12.0);
    let palm = subtraction(palm, rod(p, [-4.0, 36.0, 22.0], [4.0, 58.0, 23.0], (12.0, 12.0)), 8.0);
    let fingers = union(union(index, middle, 5.0), union(ring, little, 5.0), 5.0);
    union(union(palm, fingers, 8.0), thumb, 8.0)
}

ellipsoids! {
    BLADE: [4.0, 2.0, 11.0], [20.0, 31.0, 4.5], [0.0, -24.0, -6.0];
    CONCHA: [-5.0, -5.0, 15.5], [9.5, 12.0, 10.0], [0.0, -20.0, 0.0];
    LOBULE: [-3.0, -29.0, 9.0], [9.0, 9.0, 4.2], [0.0, -18.0, 0.0];
    TRAGUS: [-15.5, -6.0, 7.0], [4.0, 6.5, 6.0], [0.0, 30.0, 0.0];
    FOSSA: [6.0, 18.0, 17.5], [5.0, 7.0, 4.0], [0.0, -24.0, 0.0];
}

/// An ear on the side of a head: x backward, y up, z outward.
fn ear(p: &Point) -> f64 {
    let skin = p.z
        + 0.0022 * (p.x * p.x + 0.5 * p.y * p.y)
        + 1.5 * bell(((p.x + 24.0).powi(2) + p.y * p.y).sqrt() / 14.0);
    let helix = chain(
        p,
        &[
            [-14.0, 6.0, 6.0, 3.0],
            [-17.0, 19.0, 7.0, 3.4],
            [-9.0, 31.0, 9.5, 3.8],
            [5.0, 35.0, 15.0, 3.8],
            [17.0, 29.0, 20.0, 3.7],
            [22.5, 14.0, 22.0, 3.5],
            [20.0, -2.0, 20.5, 3.1],
            [12.0, -17.0, 16.0, 3.0],
            [3.0, -27.0, 11.5, 3.4],
        ],
        3.0,
    );
    let antihelix = chain(
        p,
        &[
            [-2.0, 23.0, 13.0, 2.6],
            [6.0, 10.0, 16.8, 3.2],
            [7.5, -3.0, 17.0, 3.4],
            [3.0, -15.0, 13.5, 3.6],
            [-6.0, -20.0, 10.0, 3.2],
        ],
        3.0,
    );
    let blade = union(BLADE.distance(p), LOBULE.distance(p), 8.0);
    let blade = subtraction(union(blade, helix, 4.0), FOSSA.distance(p), 3.0);
    let blade = union(blade, antihelix, 3.5);
    let root = rod(p, [-6.0, -14.0, 0.0], [-5.0, 20.0, 0.0], (8.0, 8.0));
    let auricle = subtraction(union(blade, root, 7.0), CONCHA.distance(p), 4.0);
    let auricle = union(auricle, TRAGUS.distance(p), 4.0);
    union(skin, auricle, 5.0)
}

/// The oval about an ear within which it is seen.
fn about_ear(p: &Point) -> f64 {
    let v = Vector::new(p.x / 38.0, (p.y - 1.0) / 50.0, 0.0);
    intersection(38.0 * (v.norm() - 1.0), p.z - 80.0, 1.0)
}

pub(super) const EAR: Implicit =
    Implicit { solid: ear, kept: Some(about_ear), low: [-46.0, -60.0, -9.0], high: [46.0, 60.0, 30.0] };
pub(super) const HAND: Implicit =
    Implicit { solid: hand, kept: None, low: [-78.0, -58.0, -22.0], high: [56.0, 176.0, 50.0] };
pub(super) const FEMUR: Implicit =
    Implicit { solid: femur, kept: None, low: [-50.0, -48.0, -28.0], high: [46.0, 40.0, 128.0] };
pub(super) const LIVER: Implicit =
    Implicit { solid: liver, kept: None, low: [-112.0, -68.0, -98.0], high: [130.0, 66.0, 86.0] };
pub(super) const HIPPOCAMPUS: Implicit =
    Implicit { solid: hippocampus, kept: None, low: [-14.0, -28.0, -12.0], high: [16.0, 28.0, 17.0] };
pub(super) const MANDIBLE: Implicit =
    Implicit { solid: mandible, kept: None, low: [-66.0, -54.0, -22.0], high: [66.0, 58.0, 64.0] };
