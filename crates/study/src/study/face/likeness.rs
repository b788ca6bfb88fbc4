//! Whether two registered faces are one scan's. Registration slides copies along the surface, by some tenths of a millimetre; off the surface it
//! does not move them. So faces are compared by their heights alone.

use crate::function::FaceCurves;
use crate::job::copies::{Copies, Kind};
use nalgebra::{SMatrix, SVector, Vector3};
use std::borrow::Cow;

/// Small motions and scale.
const MOTIONS: usize = 7;
type Motion = SVector<f64, MOTIONS>;

/// So much of two surfaces is compared, the nearest: borders and holes, where registration continues a scan, are left out.
const SHARE: f64 = 0.7;
/// Fits of a motion, each to what the one before found near.
const ROUNDS: usize = 3;

/// Heights over the template.
struct Relief<'t> {
    template: &'t FaceCurves,
    normals: Vec<Vector3<f64>>,
}

impl<'t> Relief<'t> {
    fn over(template: &'t FaceCurves) -> Self {
        Self { template, normals: normals(template) }
    }

    /// Of a face, without what small motions and scale make of them: a linear map, so that their differences are a metric.
    fn of(&self, face: &FaceCurves) -> Vec<f64> {
        let heights = heights(self.template, face, &self.normals);
        let weights = vec![true; heights.len()];
        residuals(self.template, &self.normals, heights, &weights)
    }
}

/// Which of n faces of the form of the template's are copies of one another.
pub fn copies<'c>(
    template: &FaceCurves,
    n: usize,
    face: impl Fn(usize) -> Option<Cow<'c, FaceCurves>> + Sync,
    apart: impl Fn(usize, usize) -> bool + Sync,
) -> Copies {
    let relief = Relief::over(template);
    let record = |i: usize| face(i).map(|face| Cow::Owned(relief.of(&face)));
    let dist = |a: &Vec<f64>, b: &Vec<f64>| {
        let sum: f64 = a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum();
        (sum / a.len() as f64).sqrt()
    };
    let measure = |i: usize, j: usize| face(i).zip(face(j)).map_or(f64::INFINITY, |(a, b)| distance(&a, &b));
    Copies::among(Kind::Faces, template.data().len(), n, record, dist, measure, apart)
}

/// How far two faces lie apart along the normals of the first: see [`Kind::Faces`].
fn distance(a: &FaceCurves, b: &FaceCurves) -> f64 {
    let normals = normals(a);
    let apart = heights(a, b, &normals);
    let kept = ((SHARE * apart.len() as f64) as usize).clamp(1, apart.len());
    let mut near = vec![true; apart.len()];
    let mut left = Vec::new();
    let mut sorted = Vec::new();
    for _ in 0..ROUNDS {
        left = residuals(a, &normals, apart.clone(), &near);
        sorted = left.iter().map(|x| x.abs()).collect();
        sorted.sort_by(f64::total_cmp);
        near = left.iter().map(|x| x.abs() <= sorted[kept - 1]).collect();
    }
    debug_assert_eq!(left.len(), apart.len());
    (sorted[..kept].iter().map(|x| x * x).sum::<f64>() / kept as f64).sqrt()
}

fn point(face: &FaceCurves, at: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&face.data()[3 * at..3 * at + 3])
}

fn heights(from: &FaceCurves, to: &FaceCurves, normals: &[Vector3<f64>]) -> Vec<f64> {
    (0..normals.len()).map(|at| normals[at].dot(&(point(to, at) - point(from, at)))).collect()
}

/// Unit normals by differences along the curves and across them; zero where there is none.
fn normals(face: &FaceCurves) -> Vec<Vector3<f64>> {
    let (curves, samples) = (face.curves(), face.samples());
    let at = |j: usize, l: usize| point(face, j * samples + l % samples);
    let normal = |k: usize| {
        let (j, l) = (k / samples, k % samples);
        let along = at(j, l + 1) - at(j, l + samples - 1);
        let across = at((j + 1).min(curves - 1), l) - at(j.saturating_sub(1), l);
        across.cross(&along).try_normalize(1e-300).unwrap_or_default()
    };
    (0..curves * samples).map(normal).collect()
}

/// What is left of heights without the small motion and scale that fit the weighed ones best.
fn residuals(
    face: &FaceCurves,
    normals: &[Vector3<f64>],
    mut heights: Vec<f64>,
    weighed: &[bool],
) -> Vec<f64> {
    let motion = |at: usize| {
        let (p, n) = (point(face, at), normals[at]);
        let turn = p.cross(&n);
        Motion::from_column_slice(&[n.x, n.y, n.z, turn.x, turn.y, turn.z, p.dot(&n)])
    };
    let motions: Vec<Motion> = (0..heights.len()).map(motion).collect();
    let (mut gram, mut right) = (SMatrix::<f64, MOTIONS, MOTIONS>::zeros(), Motion::zeros());
    for at in (0..heights.len()).filter(|&at| weighed[at]) {
        gram += motions[at] * motions[at].transpose();
        right += motions[at] * heights[at];
    }
    // A surface of revolution is turned onto itself: nothing is taken off where that cannot be told.
    if let Some(fit) =
        gram.cholesky().map(|gram| gram.solve(&right)).filter(|fit| fit.iter().all(|x| x.is_finite()))
    {
        heights.iter_mut().zip(&motions).for_each(|(h, motion)| *h -= motion.dot(&fit));
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bump of J circles, moved by `change` at each point.
    fn bump(change: impl Fn(f64, f64) -> [f64; 3]) -> FaceCurves {
        let mut data = Vec::new();
        for j in 1..=8 {
            for l in 0..24 {
                let (r, t) = (0.06 * f64::from(j), std::f64::consts::TAU * f64::from(l) / 24.0);
                let [dx, dy, dz] = change(r, t);
                let (x, y) = (r * t.cos() + dx, 1.2 * r * t.sin() + dy);
                data.extend([x, y, -1.5 * x * x - y * y + 0.3 * x * y * y + dz]);
            }
        }
        FaceCurves::new(8, 24, data).unwrap()
    }

    #[test]
    fn sliding_is_no_distance_and_height_is() {
        let own = bump(|_, _| [0.0; 3]);
        assert_eq!(distance(&own, &own), 0.0);
        // By 2e-3 along the surface, as much as registration slides copies; turned and scaled a little.
        let slid = bump(|r, t| [2e-3 * (3.0 * t).sin() * r, 2e-3 * (2.0 * t).cos() * r, 0.0]);
        let data = slid
            .data()
            .chunks(3)
            .flat_map(|p| [1.001 * p[0] - 1e-3 * p[1], 1e-3 * p[0] + 1.001 * p[1], 1.001 * p[2]]);
        let moved = FaceCurves::new(8, 24, data.collect()).unwrap();
        assert!(distance(&own, &moved) < Kind::Faces.within(), "{}", distance(&own, &moved));
        let other = bump(|r, t| [0.0, 0.0, 2e-3 * (3.0 * t).sin() * r]);
        assert!(distance(&own, &other) > Kind::Faces.within(), "{}", distance(&own, &other));
        let faces = [&own, &other, &moved];
        let found = copies(&own, 3, |i| Some(Cow::Borrowed(faces[i])), |i, j| i != j);
        assert_eq!(found.found, [(0, 2)]);
    }
}
