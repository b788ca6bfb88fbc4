//! Landmarks on an outline: by arc length from a start that a public rule or the atlas tells, or by elastic registration to the atlas.

use super::closed::Closed;
use super::elastic::register;
use super::making::Correspondence;
use nalgebra::Complex;

/// Landmarks, and what is doubtful about them.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub points: Vec<[f64; 2]>,
    /// Whether another start is nearly as good.
    pub ambiguous: bool,
    /// Whether the atlas's mirror image fits better.
    pub mirrored: bool,
}

/// How many starts are tried.
const STARTS: usize = 360;
/// Starts nearer than this fraction of the outline are one.
const APART: f64 = 0.1;
/// Another start is nearly as good where what is left of the best fit is more than this part of what it leaves; for a point far out, where it is
/// nearly as far.
const NEARLY: f64 = 0.9;

/// Puts landmarks on an outline that runs counter-clockwise; as many as the atlas has, which gives their order and the way round.
pub(super) fn place(
    curve: &Closed,
    how: Correspondence,
    atlas: Option<&Closed>,
    landmarks: usize,
) -> Option<Placed> {
    let Some(atlas) = atlas.filter(|_| how != Correspondence::Index) else {
        let (start, ambiguous) = farthest(curve);
        return Some(Placed { points: curve.even(landmarks, start), ambiguous, mirrored: false });
    };
    let curve = if atlas.area() < 0.0 { curve.reversed()? } else { curve.clone() };
    let fractions = atlas.fractions();
    let fit = Fit::new(atlas);
    let (start, left, ambiguous) = fit.best(&curve);
    let mirrored = Closed::new(curve.points().iter().rev().map(|p| [-p[0], p[1]]).collect())?;
    let mirrored = fit.best(&mirrored).1 < NEARLY * left;
    let points = match how {
        Correspondence::Elastic => {
            let way = register(atlas, &curve, start);
            fractions.iter().map(|t| curve.at(way.at(*t))).collect()
        }
        _ => fractions.iter().map(|t| curve.at(start + t)).collect(),
    };
    Some(Placed { points, ambiguous, mirrored })
}

/// The fraction of the point farthest from the mean of the outline, and whether another one is nearly as far.
fn farthest(curve: &Closed) -> (f64, bool) {
    let points = curve.even(STARTS, 0.0);
    let mean = [0, 1].map(|c| points.iter().map(|p| p[c]).sum::<f64>() / STARTS as f64);
    let far: Vec<f64> = points.iter().map(|p| -(p[0] - mean[0]).hypot(p[1] - mean[1])).collect();
    let (best, other) = lowest(&far);
    let reach = |at: f64| {
        let p = curve.at(at);
        -(p[0] - mean[0]).hypot(p[1] - mean[1])
    };
    let ambiguous = other.is_some_and(|other| -far[other] > 0.97 * -far[best]);
    (refined(best, reach), ambiguous)
}

/// The lowest of values around a circle, and the lowest one apart from it that is lower than its neighbours.
fn lowest(values: &[f64]) -> (usize, Option<usize>) {
    let n = values.len();
    let least = |a: &usize, b: &usize| values[*a].total_cmp(&values[*b]);
    let best = (0..n).min_by(least).unwrap_or_default();
    let is_apart = |i: &usize| {
        let gap = i.abs_diff(best);
        gap.min(n - gap) as f64 > APART * n as f64
    };
    let is_valley = |i: &usize| values[*i] <= values[(i + 1) % n] && values[*i] <= values[(i + n - 1) % n];
    (best, (0..n).filter(is_apart).filter(is_valley).min_by(least))
}

/// A start between its neighbours, by thirds.
fn refined(start: usize, value: impl Fn(f64) -> f64) -> f64 {
    let step = 1.0 / STARTS as f64;
    let (mut low, mut high) = ((start as f64 - 1.0) * step, (start as f64 + 1.0) * step);
    while high - low > 1e-7 {
        let third = (high - low) / 3.0;
        if value(low + third) < value(high - third) { high -= third } else { low += third }
    }
    0.5 * (low + high)
}

/// How well outlines fit an atlas, whatever their place, size and rotation.
struct Fit {
    fractions: Vec<f64>,
    atlas: Vec<Complex<f64>>,
}

/// Centred, of unit norm.
fn preshape(points: impl Iterator<Item = [f64; 2]>) -> Vec<Complex<f64>> {
    let mut z: Vec<Complex<f64>> = points.map(|[x, y]| Complex::new(x, y)).collect();
    let mean = z.iter().sum::<Complex<f64>>() / z.len() as f64;
    z.iter_mut().for_each(|z| *z -= mean);
    let norm = z.iter().map(Complex::norm_sqr).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    z.iter_mut().for_each(|z| *z /= norm);
    z
}

impl Fit {
    fn new(atlas: &Closed) -> Self {
        Self { fractions: atlas.fractions(), atlas: preshape(atlas.points().iter().copied()) }
    }

    /// What a start leaves: 1 − |⟨a, z⟩|², the squared full Procrustes distance.
    fn left(&self, curve: &Closed, start: f64) -> f64 {
        let z = preshape(self.fractions.iter().map(|t| curve.at(start + t)));
        1.0 - self.atlas.iter().zip(&z).map(|(a, z)| a.conj() * z).sum::<Complex<f64>>().norm_sqr()
    }

    /// The best start, what it leaves, and whether another one is nearly as good.
    fn best(&self, curve: &Closed) -> (f64, f64, bool) {
        let left: Vec<f64> = (0..STARTS).map(|k| self.left(curve, k as f64 / STARTS as f64)).collect();
        let (best, other) = lowest(&left);
        let start = refined(best, |start| self.left(curve, start));
        let least = self.left(curve, start);
        (start, least, other.is_some_and(|other| least > NEARLY * NEARLY * left[other]))
    }
}
