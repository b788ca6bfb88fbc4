//! Building blocks of implicit surfaces: a solid is where a function is negative, and the function is near its
//! zero set close to a signed distance in millimetres, so that blends and displacements mean millimetres.
//!
//! Everything is computed with `+ − × ÷ √` and the portable `libm`, so that the same face comes out bit for bit
//! on every machine.

use crate::mesh::{Point, Vector};
use nalgebra::Matrix3;

/// A smooth minimum (union of solids): equals `a.min(b)` where |a − b| ≥ `width`, and is lower by at most
/// `width`/4 in between, where it fills the crease with a fillet (quadratic polynomial blend, C¹).
pub(super) fn union(a: f64, b: f64, width: f64) -> f64 {
    let h = (width - (a - b).abs()).max(0.0);
    a.min(b) - h * h / (4.0 * width)
}

/// A smooth maximum (intersection of solids), the mirror image of [`union`].
pub(super) fn intersection(a: f64, b: f64, width: f64) -> f64 {
    -union(-a, -b, width)
}

/// What is left of `solid` without `tool`.
pub(super) fn subtraction(solid: f64, tool: f64, width: f64) -> f64 {
    intersection(solid, -tool, width)
}

/// exp(−t²/2): the profile of every gentle rise and hollow.
pub(super) fn bell(t: f64) -> f64 {
    if t.abs() > 9.0 { 0.0 } else { libm::exp(-0.5 * t * t) }
}

/// A bell over (x, y) with its own width in each direction.
pub(super) fn bell2(x: f64, y: f64, width: [f64; 2]) -> f64 {
    let (s, t) = (x / width[0], y / width[1]);
    bell((s * s + t * t).sqrt())
}

/// 0 below `from`, 1 above `to`, with zero slope and curvature at both ends.
pub(super) fn smooth_step(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * t * (t * (6.0 * t - 15.0) + 10.0)
}

/// An ellipsoid in any position.
#[derive(Debug, Clone)]
pub(super) struct Ellipsoid {
    centre: Point,
    /// World to local axes.
    turn: Matrix3<f64>,
    radii: Vector,
}

impl Ellipsoid {
    /// An ellipsoid with half-axes `radii` (mm), turned by Euler angles `roll`, `pitch`, `yaw` (degrees,
    /// about x, y, z in this order).
    pub(super) fn new(centre: [f64; 3], radii: [f64; 3], degrees: [f64; 3]) -> Self {
        let [a, b, c] = degrees.map(rotation_angle);
        let axis = |k: usize, (s, c): (f64, f64)| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let mut m = Matrix3::identity();
            m[(i, i)] = c;
            m[(j, j)] = c;
            m[(i, j)] = -s;
            m[(j, i)] = s;
            m
        };
        let local_to_world = axis(2, c) * axis(1, b) * axis(0, a);
        Self { centre: centre.into(), turn: local_to_world.transpose(), radii: radii.into() }
    }

    /// First-order distance: exact on the surface, and within a few per cent near it.
    pub(super) fn distance(&self, p: &Point) -> f64 {
        let local = self.turn * (p - self.centre);
        let once = local.component_div(&self.radii);
        let twice = once.component_div(&self.radii).norm();
        let level = once.norm();
        if twice > 0.0 { level * (level - 1.0) / twice } else { -self.radii.min() }
    }
}

fn rotation_angle(degrees: f64) -> (f64, f64) {
    let radians = degrees.to_radians();
    (libm::sin(radians), libm::cos(radians))
}

/// A cubic spline through knots: C², straight beyond its ends.
#[derive(Debug, Clone)]
pub(super) struct Spline {
    x: Vec<f64>,
    y: Vec<f64>,
    /// Second derivatives at the knots.
    m: Vec<f64>,
}

impl Spline {
    /// Through `knots` (x increasing), with zero curvature at both ends.
    pub(super) fn natural(knots: &[(f64, f64)]) -> Self {
        Self::new(knots, false)
    }

    /// Through `knots`, level at the first: for an even function given on x ≥ 0.
    pub(super) fn even(knots: &[(f64, f64)]) -> Self {
        Self::new(knots, true)
    }

    fn new(knots: &[(f64, f64)], level_start: bool) -> Self {
        let n = knots.len();
        let (x, y): (Vec<f64>, Vec<f64>) = knots.iter().copied().unzip();
        let slope = |i: usize| (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
        // Tridiagonal system for the second derivatives, solved by elimination.
        let (mut diagonal, mut right, mut upper) = (vec![1.0; n], vec![0.0; n], vec![0.0; n]);
        if level_start {
            let h = x[1] - x[0];
            diagonal[0] = h / 3.0;
            upper[0] = h / 6.0;
            right[0] = slope(0);
        }
        for i in 1..n - 1 {
            let (before, after) = (x[i] - x[i - 1], x[i + 1] - x[i]);
            let lower = before / 6.0;
            let factor = lower / diagonal[i - 1];
            diagonal[i] = (before + after) / 3.0 - factor * upper[i - 1];
            upper[i] = after / 6.0;
            right[i] = slope(i) - slope(i - 1) - factor * right[i - 1];
        }
        let mut m = vec![0.0; n];
        for i in (0..n - 1).rev() {
            m[i] = (right[i] - upper[i] * m[i + 1]) / diagonal[i];
        }
        Self { x, y, m }
    }

    /// The value at `x`.
    pub(super) fn at(&self, x: f64) -> f64 {
        let n = self.x.len();
        let (first, last) = (self.x[0], self.x[n - 1]);
        if x <= first {
            return self.y[0] + (x - first) * self.end_slope(0);
        }
        if x >= last {
            return self.y[n - 1] + (x - last) * self.end_slope(n - 1);
        }
        let i = self.x.partition_point(|&k| k <= x) - 1;
        let h = self.x[i + 1] - self.x[i];
        let (b, a) = ((x - self.x[i]) / h, (self.x[i + 1] - x) / h);
        let cubic = (a * a * a - a) * self.m[i] + (b * b * b - b) * self.m[i + 1];
        a * self.y[i] + b * self.y[i + 1] + cubic * h * h / 6.0
    }

    fn end_slope(&self, knot: usize) -> f64 {
        let i = knot.min(self.x.len() - 2);
        let h = self.x[i + 1] - self.x[i];
        let secant = (self.y[i + 1] - self.y[i]) / h;
        if knot == i {
            secant - h * (2.0 * self.m[i] + self.m[i + 1]) / 6.0
        } else {
            secant + h * (self.m[i] + 2.0 * self.m[i + 1]) / 6.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn blends_agree_with_min_and_max_away_from_the_crease() {
        assert_eq!(union(1.0, 4.0, 2.0), 1.0);
        assert_eq!(intersection(1.0, 4.0, 2.0), 4.0);
        assert_eq!(union(1.0, 1.0, 2.0), 0.5);
        assert_eq!(subtraction(-1.0, 5.0, 0.5), -1.0_f64.min(5.0));
    }

    #[test]
    fn ellipsoid_is_exact_for_a_sphere_and_zero_on_its_poles() {
        let ball = Ellipsoid::new([1.0, 2.0, 3.0], [2.0; 3], [20.0, 30.0, 40.0]);
        assert_relative_eq!(ball.distance(&Point::new(1.0, 2.0, 8.0)), 3.0, epsilon = 1e-12);
        let egg = Ellipsoid::new([0.0; 3], [1.0, 2.0, 3.0], [0.0, 0.0, 90.0]);
        // A quarter turn about z puts the y half-axis on x.
        assert_relative_eq!(egg.distance(&Point::new(2.0, 0.0, 0.0)), 0.0, epsilon = 1e-12);
        assert!(egg.distance(&Point::origin()) < 0.0);
    }

    #[test]
    fn splines_meet_their_knots_with_continuous_slope() {
        let knots = [(0.0, 1.0), (1.0, 3.0), (2.5, -1.0), (4.0, 0.0)];
        for s in [Spline::natural(&knots), Spline::even(&knots)] {
            for (x, y) in knots {
                assert_relative_eq!(s.at(x), y, epsilon = 1e-12);
                let h = 1e-5;
                let slopes = [(s.at(x) - s.at(x - h)) / h, (s.at(x + h) - s.at(x)) / h];
                if x > 0.0 {
                    assert_relative_eq!(slopes[0], slopes[1], epsilon = 1e-3);
                }
            }
        }
        let level = Spline::even(&knots);
        assert!(((level.at(1e-6) - level.at(0.0)) / 1e-6).abs() < 1e-4);
    }
}
