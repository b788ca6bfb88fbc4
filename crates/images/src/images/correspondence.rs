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

/// Puts landmarks on the outlines of one picture, which run counter-clockwise: as many on each as its atlas has, which gives their order and the
/// way round.
pub(super) fn place(
    curves: &[Closed],
    how: Correspondence,
    atlas: Option<&[Closed]>,
    landmarks: usize,
) -> Option<Placed> {
    let Some(atlas) = atlas.filter(|_| how != Correspondence::Index) else {
        let starts: Vec<(f64, bool)> = curves.iter().map(farthest).collect();
        let even = |(curve, (start, _)): (&Closed, &(f64, bool))| curve.even(landmarks, *start);
        let points = curves.iter().zip(&starts).flat_map(even).collect();
        return Some(Placed { points, ambiguous: starts.iter().any(|(_, far)| *far), mirrored: false });
    };
    let way = |curves: Vec<Closed>| -> Option<Vec<Closed>> {
        let turned = |(curve, atlas): (Closed, &Closed)| {
            if (atlas.area() < 0.0) == (curve.area() < 0.0) { Some(curve) } else { curve.reversed() }
        };
        curves.into_iter().zip(atlas).map(turned).collect()
    };
    let curves = way(curves.to_vec())?;
    let fit = Fit::new(atlas);
    let Best { starts, turn, left, ambiguous } = fit.best(&curves);
    // Several outlines are turned together.
    let known = (curves.len() > 1).then_some(turn);
    let mirror = |curve: &Closed| Closed::new(curve.points().iter().rev().map(|p| [-p[0], p[1]]).collect());
    let mirrored = curves.iter().map(mirror).collect::<Option<Vec<Closed>>>()?;
    let mirrored = fit.best(&mirrored).left < NEARLY * left;
    let on = |((curve, atlas), start): ((&Closed, &Closed), f64)| -> Vec<[f64; 2]> {
        match how {
            Correspondence::Elastic => {
                let way = register(atlas, curve, start, known);
                atlas.fractions().iter().map(|t| curve.at(way.at(*t))).collect()
            }
            _ => atlas.fractions().iter().map(|t| curve.at(start + t)).collect(),
        }
    };
    let points = curves.iter().zip(atlas).zip(starts).flat_map(on).collect();
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

/// How well the outlines of a picture fit those of an atlas together, whatever their place, size and rotation.
struct Fit {
    fractions: Vec<Vec<f64>>,
    atlas: Vec<Complex<f64>>,
}

/// The best fit.
struct Best {
    /// Where each outline begins.
    starts: Vec<f64>,
    /// The angle that brings the picture onto the atlas.
    turn: f64,
    /// What the fit leaves.
    left: f64,
    /// Whether another one is nearly as good.
    ambiguous: bool,
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
    fn new(atlas: &[Closed]) -> Self {
        Self {
            fractions: atlas.iter().map(Closed::fractions).collect(),
            atlas: preshape(atlas.iter().flat_map(Closed::points).copied()),
        }
    }

    /// ⟨a, z⟩ with these starts.
    fn product(&self, curves: &[Closed], starts: &[f64]) -> Complex<f64> {
        let each = curves.iter().zip(&self.fractions).zip(starts);
        let z = preshape(each.flat_map(|((curve, fractions), start)| Self::from(curve, fractions, *start)));
        self.atlas.iter().zip(&z).map(|(a, z)| a.conj() * z).sum()
    }

    /// What starts leave: 1 − |⟨a, z⟩|², the squared full Procrustes distance.
    fn left(&self, curves: &[Closed], starts: &[f64]) -> f64 {
        1.0 - self.product(curves, starts).norm_sqr()
    }

    fn from(curve: &Closed, fractions: &[f64], start: f64) -> impl Iterator<Item = [f64; 2]> {
        fractions.iter().map(move |t| curve.at(start + t))
    }

    /// Starts, as parts of [`STARTS`], one of which is near the best: all of them for one outline, for several the best for each rotation of the
    /// picture, which they have in common.
    fn candidates(&self, curves: &[Closed]) -> Vec<Vec<usize>> {
        if curves.len() == 1 {
            return (0..STARTS).map(|start| vec![start]).collect();
        }
        let all: Vec<[f64; 2]> = curves.iter().flat_map(|curve| curve.even(STARTS, 0.0)).collect();
        let mean = [0, 1].map(|c| all.iter().map(|p| p[c]).sum::<f64>() / all.len() as f64);
        let mut first = 0;
        let mut products = Vec::new();
        for (curve, fractions) in curves.iter().zip(&self.fractions) {
            let atlas = &self.atlas[first..first + fractions.len()];
            first += fractions.len();
            let product = |start: usize| -> Complex<f64> {
                let points = Self::from(curve, fractions, start as f64 / STARTS as f64);
                let terms =
                    points.zip(atlas).map(|(p, a)| a.conj() * Complex::new(p[0] - mean[0], p[1] - mean[1]));
                terms.sum()
            };
            products.push((0..STARTS).map(product).collect::<Vec<_>>());
        }
        let turned = |turn: usize| {
            let turn = Complex::from_polar(1.0, -std::f64::consts::TAU * turn as f64 / STARTS as f64);
            let best = |products: &Vec<Complex<f64>>| {
                let value = |start: &usize| (turn * products[*start]).re;
                (0..STARTS).max_by(|a, b| value(a).total_cmp(&value(b))).unwrap_or_default()
            };
            products.iter().map(best).collect()
        };
        (0..STARTS).map(turned).collect()
    }

    fn best(&self, curves: &[Closed]) -> Best {
        let candidates = self.candidates(curves);
        let at = |starts: &[usize]| starts.iter().map(|k| *k as f64 / STARTS as f64).collect::<Vec<f64>>();
        let left: Vec<f64> = candidates.iter().map(|starts| self.left(curves, &at(starts))).collect();
        let (best, other) = lowest(&left);
        let mut starts = at(&candidates[best]);
        for (i, coarse) in candidates[best].iter().enumerate() {
            let others = starts.clone();
            starts[i] = refined(*coarse, |start| {
                let mut moved = others.clone();
                moved[i] = start;
                self.left(curves, &moved)
            });
        }
        let product = self.product(curves, &starts);
        let least = 1.0 - product.norm_sqr();
        let nearly =
            |other: usize| candidates[other] != candidates[best] && least > NEARLY * NEARLY * left[other];
        Best { starts, turn: -product.arg(), left: least, ambiguous: other.is_some_and(nearly) }
    }
}
