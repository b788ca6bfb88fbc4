//! Elastic registration of curves by their square-root velocity functions (Srivastava, Klassen, Joshi and Jermyn, IEEE PAMI 33, 2011).
//!
//! A curve of unit length has q = c'/√|c'|. Reparameterized by γ it is (q∘γ)√γ', and the distance of two curves is the arc between q₁ and the
//! nearest of these and of their rotations and starts. γ is found by dynamic programming on a grid with 23 slopes, as there.

use super::closed::{Closed, turn};
use nalgebra::Complex;

/// Pieces that registered outlines are cut into, and such as starts are compared by.
const FINE: usize = 128;
const COARSE: usize = 48;
/// The steepest slopes of γ: at most this many pieces of one curve for one of the other.
const STEEPEST: usize = 6;
/// How far γ may run ahead, as a part of the curve, while starts are compared.
const BAND: f64 = 0.25;
/// Rounds of rotation and reparameterization.
const ROUNDS: usize = 4;
/// What it costs where landmarks are put that γ is not the identity: this times ∫(√γ' − 1)². Without it the noise of an outline is followed: on
/// masks drawn from 389 outlines of the corpus callosum at 1 mm, landmarks came nearest to their own with 1.
const STIFF: f64 = 1.0;

/// Pieces of a curve by their square-root velocity, of unit norm.
type Srvf = Vec<Complex<f64>>;

/// The square-root velocity of an open curve by points evenly along it.
fn srvf(points: &[[f64; 2]]) -> Srvf {
    let chords: Vec<Complex<f64>> =
        points.windows(2).map(|p| Complex::new(p[1][0] - p[0][0], p[1][1] - p[0][1])).collect();
    let length: f64 = chords.iter().map(|v| v.norm()).sum();
    let n = chords.len() as f64;
    let root = |v: &Complex<f64>| {
        let speed = v.norm() * n / length;
        if speed > 0.0 { v * n / length / speed.sqrt() } else { Complex::default() }
    };
    chords.iter().map(root).collect()
}

/// A step of γ: over so many pieces of both curves; and which pairs of pieces meet in it, with their weights.
struct Step {
    over: [usize; 2],
    pairs: Vec<([usize; 2], f64)>,
}

/// All steps with slopes of small whole numbers.
fn steps() -> Vec<Step> {
    let is_coprime =
        |a: usize, b: usize| (2..=a.min(b)).all(|d| !(a.is_multiple_of(d) && b.is_multiple_of(d)));
    let all = (1..=STEEPEST).flat_map(|a| (1..=STEEPEST).map(move |b| [a, b]));
    all.filter(|[a, b]| is_coprime(*a, *b)).map(|over| Step { over, pairs: pairs(over) }).collect()
}

/// Both curves are cut where either has a corner; times in units of 1/(ab) of a step.
fn pairs([a, b]: [usize; 2]) -> Vec<([usize; 2], f64)> {
    let (mut at, mut out) = (0, Vec::new());
    while at < a * b {
        let (i, j) = (at / b, at / a);
        let next = ((i + 1) * b).min((j + 1) * a);
        // √γ' times the time that the pieces meet.
        out.push(([i, j], (b as f64 / a as f64).sqrt() * (next - at) as f64 / b as f64));
        at = next;
    }
    out
}

/// The best γ from (0, 0) to (1, 1) by its corners in pieces, and the inner product ⟨q₁, (q₂∘γ)√γ'⟩.
fn best(q1: &Srvf, q2: &Srvf, steps: &[Step], band: f64, stiff: f64) -> (f64, Vec<[usize; 2]>) {
    let (n, m) = (q1.len(), q2.len());
    let reach = (band * n as f64).ceil() as usize;
    let dots: Vec<f64> = q1.iter().flat_map(|a| q2.iter().map(move |b| a.re * b.re + a.im * b.im)).collect();
    let flat: Vec<Vec<(usize, f64)>> =
        steps.iter().map(|step| step.pairs.iter().map(|([i, j], w)| (i * m + j, *w)).collect()).collect();
    let price: Vec<f64> = steps
        .iter()
        .map(|Step { over: [a, b], .. }| {
            let (a, b) = (*a as f64, *b as f64);
            stiff * a * ((b / a).sqrt() - 1.0).powi(2)
        })
        .collect();
    let mut value = vec![f64::NEG_INFINITY; (n + 1) * (m + 1)];
    let mut came = vec![u8::MAX; value.len()];
    value[0] = 0.0;
    for i in 1..=n {
        let middle = i * m / n;
        for j in middle.saturating_sub(reach).max(1)..=(middle + reach).min(m) {
            let (mut most, mut by) = (f64::NEG_INFINITY, u8::MAX);
            for (k, step) in steps.iter().enumerate() {
                let [a, b] = step.over;
                if a > i || b > j {
                    continue;
                }
                let before = value[(i - a) * (m + 1) + j - b];
                if before == f64::NEG_INFINITY {
                    continue;
                }
                let from = &dots[(i - a) * m + j - b..];
                let found = before + flat[k].iter().map(|(at, w)| from[*at] * w).sum::<f64>() - price[k];
                if found > most {
                    (most, by) = (found, k as u8);
                }
            }
            value[i * (m + 1) + j] = most;
            came[i * (m + 1) + j] = by;
        }
    }
    let (mut at, mut path) = ([n, m], vec![[n, m]]);
    while let Some(step) = steps.get(usize::from(came[at[0] * (m + 1) + at[1]])) {
        at = [at[0] - step.over[0], at[1] - step.over[1]];
        path.push(at);
    }
    path.reverse();
    (value[n * (m + 1) + m] / n as f64, path)
}

/// Σ q₁ conj(q₂∘γ)√γ' along a path: its length is the inner product at the best rotation, its angle that rotation.
fn product(q1: &Srvf, q2: &Srvf, steps: &[Step], path: &[[usize; 2]]) -> Complex<f64> {
    let mut sum = Complex::default();
    for pair in path.windows(2) {
        let over = [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
        let Some(step) = steps.iter().find(|step| step.over == over) else { continue };
        sum += step
            .pairs
            .iter()
            .map(|([i, j], w)| q1[pair[0][0] + i] * q2[pair[0][1] + j].conj() * *w)
            .sum::<Complex<f64>>();
    }
    sum / q1.len() as f64
}

fn turned(q: &Srvf, angle: f64) -> Srvf {
    let by = Complex::from_polar(1.0, angle);
    q.iter().map(|q| q * by).collect()
}

/// γ by its corners, and how well the curves agree then.
struct Matched {
    /// The inner product less the price of γ.
    value: f64,
    agree: f64,
    path: Vec<[usize; 2]>,
}

/// Rotation and reparameterization in turns, from a first rotation.
fn matched(
    q1: &Srvf,
    q2: &Srvf,
    angle: f64,
    steps: &[Step],
    band: f64,
    stiff: f64,
    rounds: usize,
) -> Matched {
    let mut angle = angle;
    let mut found = Matched { value: f64::NEG_INFINITY, agree: 0.0, path: Vec::new() };
    for _ in 0..rounds {
        let (value, path) = best(q1, &turned(q2, angle), steps, band, stiff);
        if value <= found.value + 1e-9 {
            break;
        }
        let product = product(q1, q2, steps, &path);
        found = Matched { value, agree: product.norm(), path };
        angle = product.arg();
    }
    found
}

/// The elastic distance of two open curves in the plane, whatever their places, sizes, rotations and parameterizations: the arc between their
/// square-root velocity functions, in [0, π/2]. Each curve is cut into as many pieces, evenly along it, as the first has chords.
///
/// `None` for curves of fewer than two points, or of no length.
pub fn elastic_distance(first: &[[f64; 2]], second: &[[f64; 2]]) -> Option<f64> {
    let n = first.len().checked_sub(1).filter(|n| *n > 0)?;
    let (first, second) = (evenly(first, n)?, evenly(second, n)?);
    let (q1, q2) = (srvf(&first), srvf(&second));
    let agree =
        matched(&q1, &q2, turn(&centred(&first), &centred(&second)), &steps(), 1.0, 0.0, ROUNDS).agree;
    Some(agree.clamp(-1.0, 1.0).acos())
}

/// The elastic distance of two closed curves, whatever their starts too; they run the same way round.
///
/// `None` for curves of fewer than three points, or of no length.
pub fn elastic_distance_closed(first: &[[f64; 2]], second: &[[f64; 2]]) -> Option<f64> {
    let (first, second) = (Closed::new(first.to_vec())?, Closed::new(second.to_vec())?);
    let starts = (0..COARSE / 2).map(|k| 2.0 * k as f64 / COARSE as f64).collect();
    Some(registered(&first, &second, (starts, None), 0.0).1.clamp(-1.0, 1.0).acos())
}

/// Points evenly along an open curve, its ends among them.
fn evenly(points: &[[f64; 2]], n: usize) -> Option<Vec<[f64; 2]>> {
    // There and back: a closed curve of which we go the first half.
    let back: Vec<[f64; 2]> = points
        .iter()
        .chain(points.iter().rev().skip(1).take(points.len().saturating_sub(2)))
        .copied()
        .collect();
    let there = if points.len() == 2 { vec![points[0], points[1], points[1]] } else { back };
    let curve = Closed::new(there)?;
    let mut out: Vec<[f64; 2]> = (0..=n).map(|k| curve.at(0.5 * k as f64 / n as f64)).collect();
    *out.last_mut()? = *points.last()?;
    Some(out)
}

fn centred(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mean = [0, 1].map(|c| points.iter().map(|p| p[c]).sum::<f64>() / points.len() as f64);
    points.iter().map(|p| [p[0] - mean[0], p[1] - mean[1]]).collect()
}

/// Where along a curve the points of another one lie.
pub(super) struct Way {
    start: f64,
    /// Fractions of the other curve's length, and of this one's from the start.
    corners: Vec<[f64; 2]>,
}

impl Way {
    /// The fraction of this curve for one of the other's.
    pub fn at(&self, fraction: f64) -> f64 {
        let k = self.corners.partition_point(|corner| corner[0] <= fraction).clamp(1, self.corners.len() - 1);
        let ([a, x], [b, y]) = (self.corners[k - 1], self.corners[k]);
        self.start + x + (fraction - a) / (b - a) * (y - x)
    }
}

/// The elastic registration of a closed curve to an atlas, near a start or near any other: they run the same way round. Where the rotation is
/// known (by what the angle brings the curve onto the atlas), near the start only.
pub(super) fn register(atlas: &Closed, curve: &Closed, start: f64, known: Option<f64>) -> Way {
    let step = |k: f64| start + k / COARSE as f64;
    let starts = match known {
        None => (0..COARSE / 2).map(|k| step(2.0 * k as f64)).collect(),
        Some(_) => (-2..=2).map(|k| step(f64::from(k))).collect(),
    };
    registered(atlas, curve, (starts, known), STIFF).0
}

/// All starts on a coarse grid, then what is near the best of them on a fine one.
fn registered(
    atlas: &Closed,
    curve: &Closed,
    (starts, known): (Vec<f64>, Option<f64>),
    stiff: f64,
) -> (Way, f64) {
    let steps = steps();
    let closed = |curve: &Closed, n: usize, from: f64| {
        let mut points = curve.even(n, from);
        points.push(points[0]);
        points
    };
    let fit = |n: usize, start: f64, band: f64, rounds: usize| {
        let (a, b) = (closed(atlas, n, 0.0), closed(curve, n, start));
        let angle = known.unwrap_or_else(|| turn(&centred(&a[..n]), &centred(&b[..n])));
        // A rotation that is known is kept.
        let rounds = if known.is_some() { 1 } else { rounds };
        matched(&srvf(&a), &srvf(&b), angle, &steps, band, stiff, rounds)
    };
    let coarse = starts.into_iter().map(|start| (fit(COARSE, start, BAND, 1).value, start));
    let best = coarse.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(0.0, |best| best.1);
    let near = (-2..=2).map(|k| best + f64::from(k) / COARSE as f64 / 2.0);
    let fine = near.map(|start| (fit(FINE, start, BAND, ROUNDS), start));
    let found = fine.max_by(|a, b| a.0.value.total_cmp(&b.0.value));
    let Some((Matched { agree, path, .. }, start)) = found else {
        return (Way { start: best, corners: vec![[0.0, 0.0], [1.0, 1.0]] }, 0.0);
    };
    let corner = |[i, j]: &[usize; 2]| [*i as f64 / FINE as f64, *j as f64 / FINE as f64];
    (Way { start, corners: path.iter().map(corner).collect() }, agree)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// An ellipse with a dent, by this many points, begun and run through at another speed.
    fn curve(n: usize, dent: f64, begin: f64, speed: f64, turn: f64) -> Vec<[f64; 2]> {
        let point = |k: usize| {
            let u = k as f64 / n as f64;
            let t = TAU * (u + begin) + speed * (TAU * u).sin();
            let (x, y) = ((2.0 + dent * (2.0 * t).cos()) * t.cos(), (1.0 + dent * (3.0 * t).sin()) * t.sin());
            [x * turn.cos() - y * turn.sin() + 3.0, x * turn.sin() + y * turn.cos() - 1.0]
        };
        (0..n).map(point).collect()
    }

    #[test]
    fn the_same_curve_is_at_no_distance_however_it_is_run_through() {
        let one = curve(900, 0.3, 0.0, 0.0, 0.0);
        for (begin, speed, turn) in [(0.0, 0.4, 0.0), (0.31, 0.0, 1.0), (0.77, 0.5, 2.5)] {
            let other = curve(900, 0.3, begin, speed, turn);
            let found = elastic_distance_closed(&one, &other).unwrap();
            assert!(found < 0.05, "{begin} {speed} {turn}: {found}");
        }
    }

    #[test]
    fn distances_are_symmetric_and_grow() {
        let of = |dent: f64| curve(600, dent, 0.0, 0.0, 0.0);
        let distance = |a: f64, b: f64| elastic_distance_closed(&of(a), &of(b)).unwrap();
        for (a, b) in [(0.0, 0.2), (0.1, 0.4)] {
            let (there, back) = (distance(a, b), distance(b, a));
            assert!((there - back).abs() < 0.02 * there, "{there} {back}");
        }
        assert!(distance(0.0, 0.1) < distance(0.0, 0.2) && distance(0.0, 0.2) < distance(0.0, 0.4));
    }

    #[test]
    fn a_corner_against_a_line_by_hand() {
        // The velocities of a line and of a right angle with equal sides, at the best rotation 45 degrees apart: the inner product is
        // cos 45°, whatever γ.
        let line: Vec<[f64; 2]> = (0..=100).map(|k| [f64::from(k), 0.0]).collect();
        let corner: Vec<[f64; 2]> =
            (0..=100).map(|k| if k < 50 { [f64::from(k), 0.0] } else { [50.0, f64::from(k - 50)] }).collect();
        let found = elastic_distance(&line, &corner).unwrap();
        assert!((found - TAU / 8.0).abs() < 1e-3, "{found}");
        assert_eq!(elastic_distance(&line, &line[..1]), None);
    }
}
