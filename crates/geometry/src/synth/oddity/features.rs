//! What lies on the skin, before it, or keeps it from being seen: beards, hair, glasses, the scanner's side.

use super::super::implicit::smooth_step;
use super::kinds::{Oddity, Sight, Sitter};
use super::shape::Shaped;
use crate::mesh::{Point, Vector};
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;
use std::f64::consts::TAU;

/// What a scanner sees of a face.
pub(super) struct Shown {
    /// The sitter's vertices, on whatever covers them.
    pub surface: Vec<Point>,
    pub sight: Vec<Sight>,
    /// Points of what stands before the face.
    pub added: Vec<Point>,
    /// The front view of what hides the face behind it: middles of wires.
    wires: Vec<[f64; 2]>,
}

/// Half the breadth of skin hidden behind a wire, and of skin counted as covered by it.
const HIDDEN_MM: f64 = 3.0;
const COVERED_MM: f64 = 6.0;

impl Shown {
    /// Whether a point of the surface lies behind a wire.
    pub fn hidden(&self, p: &Point) -> bool {
        self.distance_to_wires(p) < HIDDEN_MM
    }

    fn distance_to_wires(&self, p: &Point) -> f64 {
        let squared = |w: &[f64; 2]| (p.x - w[0]).powi(2) + (p.y - w[1]).powi(2);
        self.wires.iter().map(squared).fold(f64::INFINITY, f64::min).sqrt()
    }
}

pub(super) fn shown<R: Rng + ?Sized>(
    sitter: &Sitter<'_>,
    shaped: &Shaped,
    oddity: Oddity,
    rng: &mut R,
) -> Shown {
    let n = shaped.vertices.len();
    let mut shown = Shown {
        surface: shaped.vertices.clone(),
        sight: vec![Sight::Skin; n],
        added: Vec::new(),
        wires: Vec::new(),
    };
    match oddity {
        Oddity::Beard => shown.cover(shaped, beard(sitter, rng)),
        Oddity::Fringe => shown.cover(shaped, fringe(sitter, rng)),
        Oddity::Glasses => shown.put_on_glasses(sitter),
        Oddity::OneSide => {
            let side = if rng.random() { 1.0 } else { -1.0 };
            let angle = 55f64.to_radians();
            let view = Vector::new(side * libm::sin(angle), 0.0, libm::cos(angle));
            for (sight, normal) in shown.sight.iter_mut().zip(outward_normals(shaped)) {
                // Scanners lose surfaces seen at less than some 20 degrees.
                if normal.dot(&view) < 0.35 {
                    *sight = Sight::Unseen;
                }
            }
        }
        _ => {}
    }
    shown
}

impl Shown {
    /// Raises the surface along its normals by a thickness.
    fn cover(&mut self, shaped: &Shaped, thickness: impl Fn(&Point) -> f64) {
        for (i, normal) in outward_normals(shaped).into_iter().enumerate() {
            let thick = thickness(&shaped.vertices[i]);
            if thick > 0.5 {
                self.surface[i] += normal * thick;
                self.sight[i] = Sight::Covered;
            }
        }
    }

    /// Two rims of 46 by 38 mm, 12 mm before the eyes, a bridge, and temples that go back 70 mm.
    fn put_on_glasses(&mut self, sitter: &Sitter<'_>) {
        let [right, left] = sitter.marks.eyes.map(|i| sitter.vertices[i]);
        let front = right.z.max(left.z) + 12.0;
        let mut wire: Vec<Point> = Vec::new();
        for (eye, side) in [(right, -1.0), (left, 1.0)] {
            let rim = (0..90).map(|k| {
                let (sin, cos) = libm::sincos(TAU * f64::from(k) / 90.0);
                Point::new(eye.x + 23.0 * cos, eye.y + 19.0 * sin, front)
            });
            wire.extend(rim);
            let outer = Point::new(eye.x + side * 23.0, eye.y + 6.0, front);
            wire.extend((0..45).map(|k| {
                let along = f64::from(k) / 45.0;
                outer + Vector::new(side * 16.0 * along.sqrt(), 0.0, -70.0 * along)
            }));
        }
        let inner = [right.x + 23.0, left.x - 23.0];
        wire.extend((0..=10).map(|k| {
            let x = inner[0] + (inner[1] - inner[0]) * f64::from(k) / 10.0;
            Point::new(x, 0.5 * (right.y + left.y) + 5.0, front)
        }));
        self.wires = wire.iter().map(|p| [p.x, p.y]).collect();
        // The front half of a wire 3 mm thick.
        for p in &wire {
            for k in 0..4 {
                let (sin, cos) = libm::sincos(TAU / 2.0 * (f64::from(k) + 0.5) / 4.0);
                self.added.push(p + Vector::new(0.0, 1.5 * cos, 1.5 * sin));
            }
        }
        for i in 0..self.sight.len() {
            if self.distance_to_wires(&self.surface[i]) < COVERED_MM {
                self.sight[i] = Sight::Covered;
            }
        }
    }
}

/// Thickness of a beard: chin, jaw, cheeks below a slanting line, moustache; not the lips.
fn beard<R: Rng + ?Sized>(sitter: &Sitter<'_>, rng: &mut R) -> impl Fn(&Point) -> f64 + use<R> {
    let line = sitter.lip_line();
    let nose = sitter.vertices[sitter.marks.nose_tip];
    let most = 4.0 + 6.0 * rng.random::<f64>();
    let tufts = Waves::random(5.0, rng);
    move |p| {
        let across = (p.x - line.middle).abs();
        let up = p.y - line.height(p.x);
        let half = 0.5 * line.width;
        let lips = (across / (half + 2.0)).powi(2) + (up / 11.0).powi(2) < 1.0;
        // Up to the wings of the nose beside the mouth, and higher towards the ears.
        let upper = 12.0f64.min(0.5 * (nose.y - line.height(p.x))) + 0.5 * (across - half).max(0.0);
        if lips || up > upper {
            return 0.0;
        }
        let longer = smooth_step(-10.0, -45.0, up);
        (1.5 + (most - 1.5) * longer) * (1.0 + 0.3 * tufts.at(p)).max(0.2)
    }
}

/// Thickness of hair on the forehead: strands that end at an uneven line some 25 to 40 mm above the eyes.
fn fringe<R: Rng + ?Sized>(sitter: &Sitter<'_>, rng: &mut R) -> impl Fn(&Point) -> f64 + use<R> {
    let eyes = sitter.eyes();
    let end = 25.0 + 15.0 * rng.random::<f64>();
    let strands = Waves::random(4.0, rng);
    move |p| {
        let strand = strands.at(&Point::new(p.x, 0.0, 0.0));
        let above = p.y - eyes.y - end - 4.0 * strand;
        if above < 0.0 { 0.0 } else { (3.0 + 0.3 * above + 1.5 * strand).clamp(1.0, 15.0) }
    }
}

/// Unit normals at the vertices, outwards: a face looks forward.
fn outward_normals(shaped: &Shaped) -> Vec<Vector> {
    let mut normals = vec![Vector::zeros(); shaped.vertices.len()];
    for t in &shaped.triangles {
        let [a, b, c] = t.map(|i| shaped.vertices[i]);
        let area = (b - a).cross(&(c - a));
        t.iter().for_each(|&i| normals[i] += area);
    }
    let forward = normals.iter().map(|n| n.z).sum::<f64>();
    let unit = |n: Vector| n.try_normalize(1e-12).unwrap_or_else(Vector::z) * forward.signum();
    normals.into_iter().map(unit).collect()
}

/// A sum of a few waves of unit variance.
pub(super) struct Waves(Vec<(Vector, f64)>);

impl Waves {
    /// Of about this length (one radian), in millimetres.
    pub fn random<R: Rng + ?Sized>(length: f64, rng: &mut R) -> Self {
        const WAVES: usize = 12;
        let one = |_| {
            let k = Vector::from_fn(|_, _| rng.sample::<f64, _>(StandardNormal)) / length;
            (k, TAU * rng.random::<f64>())
        };
        Self((0..WAVES).map(one).collect())
    }

    pub fn at(&self, p: &Point) -> f64 {
        let sum: f64 = self.0.iter().map(|(k, phase)| libm::sin(k.dot(&p.coords) + phase)).sum();
        sum * (2.0 / self.0.len() as f64).sqrt()
    }
}
