//! Forehead, temples, cheeks, jaw and chin: a lofted solid with gentle rises and hollows.

use super::super::implicit::{Ellipsoid, Spline, bell, bell2, intersection, smooth_step, union};
use crate::mesh::Point;

/// The head without eyes, nose and lips.
///
/// At each height the horizontal section is a superellipse: its front `front(y)`, its half-width `width(y)`
/// reached at depth `back(y)`, its exponent `power(y)`.
#[derive(Debug, Clone)]
pub(super) struct Head {
    front: Spline,
    width: Spline,
    back: Spline,
    power: Spline,
    dental_arch: Ellipsoid,
    chin: Ellipsoid,
}

impl Head {
    pub(super) fn new() -> Self {
        Self {
            front: Spline::natural(&[
                (-170.0, -60.0),
                (-120.0, -40.0),
                (-95.0, -31.0),
                (-75.0, -26.5),
                (-60.0, -25.0),
                (-45.0, -25.0),
                (-30.0, -24.5),
                (-15.0, -25.0),
                (0.0, -26.5),
                (15.0, -28.5),
                (30.0, -28.0),
                (40.0, -27.0),
                (50.0, -24.6),
                (60.0, -24.0),
                (75.0, -26.5),
                (90.0, -31.5),
                (105.0, -39.0),
                (130.0, -58.0),
            ]),
            width: Spline::natural(&[
                (-170.0, 20.0),
                (-120.0, 25.0),
                (-95.0, 31.0),
                (-80.0, 39.0),
                (-70.0, 46.5),
                (-60.0, 53.5),
                (-45.0, 60.5),
                (-30.0, 66.0),
                (-15.0, 69.5),
                (0.0, 71.0),
                (15.0, 71.5),
                (30.0, 71.5),
                (45.0, 73.2),
                (60.0, 74.2),
                (75.0, 73.6),
                (90.0, 70.5),
                (105.0, 64.0),
                (130.0, 48.0),
            ]),
            back: Spline::natural(&[
                (-100.0, -84.0),
                (-60.0, -90.0),
                (0.0, -100.0),
                (60.0, -108.0),
                (110.0, -112.0),
            ]),
            power: Spline::natural(&[
                (-90.0, 2.0),
                (-60.0, 2.0),
                (-30.0, 2.2),
                (0.0, 2.35),
                (30.0, 2.3),
                (60.0, 2.15),
                (100.0, 2.0),
            ]),
            dental_arch: Ellipsoid::new([0.0, -27.0, -46.0], [34.5, 31.0, 30.5], [0.0; 3]),
            chin: Ellipsoid::new([0.0, -67.5, -37.0], [20.0, 16.0, 17.5], [0.0; 3]),
        }
    }

    /// Signed distance to first order, for x ≥ 0.
    pub(super) fn distance(&self, p: &Point) -> f64 {
        let skull = union(self.loft(p), self.dental_arch.distance(p), 12.0);
        let skull = union(skull, self.chin.distance(p), 10.0);
        let jaw = intersection(skull, under_jaw(p), 13.0);
        jaw - relief(p)
    }

    fn loft(&self, p: &Point) -> f64 {
        let (front, width) = (self.front.at(p.y), self.width.at(p.y));
        let (back, power) = (self.back.at(p.y), self.power.at(p.y));
        let depth = front - back;
        let (x, z) = (p.x / width, ((p.z - back) / depth).max(0.0));
        let (xn, zn) = (libm::pow(x, power), libm::pow(z, power));
        let sum = xn + zn;
        if sum <= 1e-9 {
            return -depth.min(width);
        }
        let level = libm::pow(sum, 1.0 / power);
        // |∇level| by the chain rule; the slope in y is left out (it is small where the loft shows).
        let factor = level / sum;
        let slope_x = if x > 0.0 { factor * xn / (x * width) } else { 0.0 };
        let slope_z = if z > 0.0 { factor * zn / (z * depth) } else { 0.0 };
        (level - 1.0) / (slope_x * slope_x + slope_z * slope_z).sqrt()
    }
}

/// The floor of the mouth and the lower edge of the jaw: solid above it.
fn under_jaw(p: &Point) -> f64 {
    let floor = -84.5 + 0.10 * (p.z + 35.0) + 0.006 * p.x * p.x;
    let slope = 0.012 * p.x;
    (floor - p.y) / (1.01 + slope * slope).sqrt()
}

/// Rises (positive) and hollows of the skin, in millimetres along the normal.
fn relief(p: &Point) -> f64 {
    let (x, y) = (p.x, p.y);
    let at = |cx: f64, cy: f64, sx: f64, sy: f64| on_both_sides(x, y, [cx, cy], [sx, sy]);
    // The ridge over the eyes follows an arch that falls off towards the temple.
    let arch = 48.5 - 0.0035 * (x - 26.0) * (x - 26.0);
    let brow = bell((y - arch) / 5.0) * (1.0 - bell(x / 8.0)) * (1.0 - smooth_step(38.0, 58.0, x));
    let hair = bell((y - 48.5 + 0.012 * (x - 36.0) * (x - 36.0)) / 2.2)
        * smooth_step(8.0, 16.0, x)
        * (1.0 - smooth_step(44.0, 56.0, x));
    let bones = 2.2 * brow
        + 0.7 * hair
        + 1.0 * bell2(x, y - 54.0, [9.0, 7.0])
        + 0.8 * at(24.0, 76.0, 15.0, 12.0)
        + 1.6 * at(45.0, 9.0, 12.0, 8.0)
        + 0.4 * at(62.0, 6.0, 9.0, 9.0)
        + 1.0 * at(58.0, -36.0, 8.0, 12.0);
    let sockets =
        7.5 * at(17.5, 36.0, 7.0, 9.0) + 5.0 * at(33.0, 33.0, 13.0, 10.0) + 2.2 * at(22.0, 21.0, 9.0, 6.0);
    let hollows = 0.6 * at(66.0, 55.0, 9.0, 18.0)
        + 2.2 * at(47.0, -20.0, 12.0, 14.0)
        + 1.4 * bell2(x, y + 52.0, [14.0, 4.5])
        + 1.2 * at(23.0, -50.0, 9.0, 9.0);
    // The fold from the wing of the nose to beside the mouth: a shallow valley, the cheek fuller beside it.
    let along = smooth_step(-44.0, -30.0, y) * (1.0 - smooth_step(-12.0, -1.0, y));
    let across = x - (19.5 - 0.42 * (y + 8.0));
    let fold = along * (0.9 * bell(across / 3.6) - 0.9 * bell((across - 9.0) / 6.5));
    bones - sockets - hollows - fold
}

/// A bell at (cx, cy) and its mirror image, so that the sum is smooth across the midline.
fn on_both_sides(x: f64, y: f64, [cx, cy]: [f64; 2], width: [f64; 2]) -> f64 {
    bell2(x - cx, y - cy, width) + bell2(x + cx, y - cy, width)
}
