//! The mean face as a parametric surface over the unit disk.

use super::implicit::{Spline, smooth_step};
use super::sculpture::Sculpture;
use crate::mesh::Point;

/// The mean face F: D → ℝ³, D the closed unit disk, x-axis of D to the subject's left, y-axis up.
///
/// Each place of D has its own straight line in space; lines of different places never meet in the layer that
/// holds the face. F(u) is the outermost point of the line on the sculpted solid. So
/// F is injective however deep the sculpture's folds are: the face is an embedded disk.
#[derive(Debug, Clone)]
pub struct FaceSurface {
    sculpture: Sculpture,
    slope: Spline,
}

/// A line r ↦ (r sin φ, y + m (r − 70), r cos φ − 95), outwards with r in mm.
#[derive(Debug, Clone, Copy)]
struct Line {
    sin: f64,
    cos: f64,
    y: f64,
    slope: f64,
}

/// Depth of the vertical axis that the lines come from.
const AXIS_Z: f64 = -95.0;
/// Distance from the axis at which a line's height is its label.
const LABEL_R: f64 = 70.0;
/// The layer that holds the face, as distances from the axis.
const R_MIN: f64 = 24.0;
const R_MAX: f64 = 125.0;
/// Angles around the axis (radians) and labels that the disk spans.
const HALF_ANGLE: f64 = 1.40;
const MIDDLE_Y: f64 = -26.0;
const HALF_HEIGHT: f64 = 124.0;

impl Line {
    fn at(&self, r: f64) -> Point {
        Point::new(r * self.sin, self.y + self.slope * (r - LABEL_R), AXIS_Z + r * self.cos)
    }
}

impl FaceSurface {
    /// The mean face.
    pub fn new() -> Self {
        Self {
            sculpture: Sculpture::new(),
            slope: Spline::natural(&[
                (-170.0, -2.4),
                (-140.0, -1.85),
                (-110.0, -1.25),
                (-80.0, -0.78),
                (-50.0, -0.55),
                (-25.0, -0.47),
                (0.0, -0.36),
                (30.0, -0.10),
                (60.0, 0.12),
                (110.0, 0.45),
            ]),
        }
    }

    /// The line of a place of the disk. `u` beyond the disk is answered by the same formula.
    fn line(&self, u: [f64; 2]) -> Line {
        let [a, b] = squircle(u);
        let (angle, y) = (HALF_ANGLE * a, MIDDLE_Y + HALF_HEIGHT * b);
        Line { sin: libm::sin(angle), cos: libm::cos(angle), y, slope: self.slope.at(y) }
    }

    /// F(u): the point of the face at a place of the unit disk.
    pub fn point(&self, u: [f64; 2]) -> Point {
        let line = self.line(u);
        let f = |r: f64| self.sculpture.distance(&line.at(r));
        // March inwards; f is close to a distance, so a step of that length cannot skip a wall.
        let stretch = (1.0 + line.slope * line.slope).sqrt();
        let (mut outside, mut inside) = (R_MAX, R_MIN);
        let mut r = R_MAX;
        while r > R_MIN {
            let d = f(r);
            if d <= 0.0 {
                inside = r;
                break;
            }
            outside = r;
            r -= (0.6 * d / stretch).max(0.02);
        }
        line.at(bisect(f, inside, outside))
    }

    /// The place whose line passes through `p`: a left inverse of F on the layer that holds the face.
    pub fn place(&self, p: &Point) -> [f64; 2] {
        let (x, depth) = (p.x, p.z - AXIS_Z);
        let r = (x * x + depth * depth).sqrt();
        let (mut low, mut high) = (MIDDLE_Y - 1.4 * HALF_HEIGHT, MIDDLE_Y + 1.4 * HALF_HEIGHT);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let y = middle + self.slope.at(middle) * (r - LABEL_R);
            if y < p.y { low = middle } else { high = middle }
        }
        let wanted = [libm::atan2(x, depth) / HALF_ANGLE, (0.5 * (low + high) - MIDDLE_Y) / HALF_HEIGHT];
        let mut u = wanted;
        for _ in 0..80 {
            let got = squircle(u);
            u = [u[0] + wanted[0] - got[0], u[1] + wanted[1] - got[1]];
        }
        u
    }

    /// Curves on the left half of the face that a mesh should follow with its edges: edges of the lids, the fold
    /// above the eye, the line between the lips. Closely spaced places.
    pub(super) fn feature_lines(&self) -> Vec<Vec<[f64; 2]>> {
        let on_face = |mut p: Point| {
            // Seen from the front a curve is (x, y); its depth is found by going back and forth to the surface.
            for _ in 0..12 {
                p.z = self.point(self.place(&p)).z;
            }
            self.place(&p)
        };
        self.sculpture
            .feature_lines()
            .into_iter()
            .map(|line| line.into_iter().map(on_face).collect())
            .collect()
    }
}

/// The root of `f` between `inside` (f ≤ 0) and `outside` (f > 0), by bisection with secant trials (Illinois).
fn bisect(f: impl Fn(f64) -> f64, mut inside: f64, mut outside: f64) -> f64 {
    let (mut low, mut high) = (f(inside), f(outside));
    for _ in 0..60 {
        if outside - inside < 1e-9 || low >= high {
            break;
        }
        let trial = (inside * high - outside * low) / (high - low);
        let r = trial.clamp(inside + 1e-10, outside - 1e-10);
        let d = f(r);
        if d.abs() < 1e-10 {
            return r;
        }
        if d <= 0.0 {
            (inside, low) = (r, d);
            high *= 0.5;
        } else {
            (outside, high) = (r, d);
            low *= 0.5;
        }
    }
    0.5 * (inside + outside)
}

/// A smooth map of the disk onto a rounded region, one to one: fuller at the temples, narrower at the jaw.
fn squircle(u: [f64; 2]) -> [f64; 2] {
    let [a, b] = u;
    let jaw = smooth_step(0.0, 1.0, -b);
    [a * (1.0 + 0.08 * b * b - 0.10 * jaw), b * (1.0 + 0.04 * a * a + jaw * (0.04 - 0.25 * a * a))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn in_disk() -> impl Strategy<Value = [f64; 2]> {
        (0.0..1.0_f64, -3.2..3.2_f64).prop_map(|(r, angle)| [r.sqrt() * angle.cos(), r.sqrt() * angle.sin()])
    }

    proptest! {
        #[test]
        fn lines_of_different_places_do_not_meet(u in in_disk(), r in R_MIN..R_MAX) {
            // The map (u, r) ↦ line(u).at(r) keeps orientation everywhere, and determines u: see `place`.
            let face = FaceSurface::new();
            let h = 1e-5;
            let at = |u: [f64; 2], r: f64| face.line(u).at(r);
            let by_x = (at([u[0] + h, u[1]], r) - at([u[0] - h, u[1]], r)) / (2.0 * h);
            let by_y = (at([u[0], u[1] + h], r) - at([u[0], u[1] - h], r)) / (2.0 * h);
            let by_r = (at(u, r + h) - at(u, r - h)) / (2.0 * h);
            let volume = by_x.cross(&by_y).dot(&by_r);
            prop_assert!(volume > 100.0, "{volume} mm³ per unit");
            let back = face.place(&at(u, r));
            prop_assert!((back[0] - u[0]).abs() + (back[1] - u[1]).abs() < 1e-9);
        }

        #[test]
        fn points_lie_on_the_sculpture_and_mirror(u in in_disk()) {
            let face = FaceSurface::new();
            let p = face.point(u);
            prop_assert!(face.sculpture.distance(&p).abs() < 1e-6);
            let q = face.point([-u[0], u[1]]);
            prop_assert!((p.x + q.x).abs() + (p.y - q.y).abs() + (p.z - q.z).abs() < 1e-9);
            let back = face.place(&p);
            prop_assert!((back[0] - u[0]).abs() + (back[1] - u[1]).abs() < 1e-9);
        }
    }

    #[test]
    fn nothing_of_the_sculpture_lies_before_the_face() {
        // F(u) is the outermost root: the march must not step over a thin wall.
        let face = FaceSurface::new();
        for i in 0..24 {
            for j in 0..24 {
                let u = [-0.7 + 0.06 * f64::from(i), -0.7 + 0.06 * f64::from(j)];
                let line = face.line(u);
                let found = line.at(R_MIN) - face.point(u);
                let r = R_MIN + found.norm() / (1.0 + line.slope * line.slope).sqrt();
                let mut beyond = r + 0.05;
                while beyond < R_MAX {
                    assert!(face.sculpture.distance(&line.at(beyond)) > 0.0, "{u:?} at {beyond}");
                    beyond += 0.05;
                }
            }
        }
    }
}
