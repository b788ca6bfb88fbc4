//! Faces by their heights over another one. Registration slides points along a surface, by some tenths of a millimetre; off the surface it does not
//! move them.

use super::FaceCurves;
use nalgebra::{Cholesky, Const, SMatrix, SVector, Vector3};

/// Small motions and scale.
const MOTIONS: usize = 7;
type Motion = SVector<f64, MOTIONS>;
type Factor = Cholesky<f64, Const<MOTIONS>>;

/// So much of two surfaces is compared, the nearest: borders and holes, where registration continues a scan, are left out.
const SHARE: f64 = 0.7;
/// Fits of a motion, each to what the one before found near.
const ROUNDS: usize = 3;

/// A face over which others have heights.
#[derive(Debug, Clone)]
pub struct Relief {
    points: Vec<Vector3<f64>>,
    /// Unit normals; zero where there is none.
    normals: Vec<Vector3<f64>>,
    /// What small motions and scale make of every height.
    motions: Vec<Motion>,
    whole: Option<Factor>,
}

impl Relief {
    /// Over this face.
    pub fn over(face: &FaceCurves) -> Self {
        let points = points(face);
        let normals = normals(face, &points);
        let motion = |(p, n): (&Vector3<f64>, &Vector3<f64>)| {
            let turn = p.cross(n);
            Motion::from_column_slice(&[n.x, n.y, n.z, turn.x, turn.y, turn.z, p.dot(n)])
        };
        let motions: Vec<Motion> = points.iter().zip(&normals).map(motion).collect();
        let whole = factor(motions.iter());
        Self { points, normals, motions, whole }
    }

    /// Heights of a face of the same form, without what small motions and scale make of them: a linear map, so that [`Self::difference`] is a metric.
    pub fn heights(&self, face: &FaceCurves) -> Vec<f64> {
        let mut heights = self.raw(face);
        self.settle(&mut heights, self.whole.as_ref(), |_| true);
        heights
    }

    /// Root mean square difference of two faces' heights.
    pub fn difference(a: &[f64], b: &[f64]) -> f64 {
        let sum: f64 = a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum();
        (sum / a.len() as f64).sqrt()
    }

    /// How far a face of the same form lies off this one, along its normals, after the best small motion and scale: the root mean square of the
    /// least 70 %.
    pub fn distance(&self, face: &FaceCurves) -> f64 {
        let raw = self.raw(face);
        let kept = ((SHARE * raw.len() as f64) as usize).clamp(1, raw.len());
        let mut near = vec![true; raw.len()];
        let mut sorted = Vec::new();
        for _ in 0..ROUNDS {
            let mut left = raw.clone();
            let weighed = self.motions.iter().zip(&near).filter(|(_, near)| **near);
            let factor = factor(weighed.map(|(motion, _)| motion));
            self.settle(&mut left, factor.as_ref(), |at| near[at]);
            sorted = left.iter().map(|x| x.abs()).collect();
            sorted.sort_by(f64::total_cmp);
            near = left.iter().map(|x| x.abs() <= sorted[kept - 1]).collect();
        }
        (sorted[..kept].iter().map(|x| x * x).sum::<f64>() / kept as f64).sqrt()
    }

    fn raw(&self, face: &FaceCurves) -> Vec<f64> {
        let own = self.points.iter().zip(&self.normals);
        own.zip(points(face)).map(|((p, n), q)| n.dot(&(q - p))).collect()
    }

    /// Takes off the motion and scale that fit the weighed heights best. A surface of revolution is turned onto itself: nothing is taken off where
    /// that cannot be told.
    fn settle(&self, heights: &mut [f64], factor: Option<&Factor>, weighed: impl Fn(usize) -> bool) {
        let mut right = Motion::zeros();
        for (at, (motion, h)) in self.motions.iter().zip(heights.iter()).enumerate() {
            if weighed(at) {
                right += motion * *h;
            }
        }
        let fit = factor.map(|factor| factor.solve(&right)).filter(|fit| fit.iter().all(|x| x.is_finite()));
        if let Some(fit) = fit {
            heights.iter_mut().zip(&self.motions).for_each(|(h, motion)| *h -= motion.dot(&fit));
        }
    }
}

fn factor<'m>(weighed: impl Iterator<Item = &'m Motion>) -> Option<Factor> {
    let gram = weighed.fold(SMatrix::zeros(), |gram, motion| gram + motion * motion.transpose());
    Cholesky::new(gram)
}

fn points(face: &FaceCurves) -> Vec<Vector3<f64>> {
    face.data().chunks_exact(3).map(Vector3::from_column_slice).collect()
}

/// By differences along the curves and across them.
fn normals(face: &FaceCurves, points: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let (curves, samples) = (face.curves(), face.samples());
    let at = |j: usize, l: usize| points[j * samples + l % samples];
    let normal = |k: usize| {
        let (j, l) = (k / samples, k % samples);
        let along = at(j, l + 1) - at(j, l + samples - 1);
        let across = at((j + 1).min(curves - 1), l) - at(j.saturating_sub(1), l);
        across.cross(&along).try_normalize(1e-300).unwrap_or_default()
    };
    (0..points.len()).map(normal).collect()
}
