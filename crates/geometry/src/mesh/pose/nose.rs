//! The nose by itself, once the pose of the face is about right.

use super::super::{Point, Vector};
use super::finder::{NOSE_POINTS, NOSE_REACHES, PoseFinder};
use super::icp::{Keep, step};
use super::sampled::Sampled;
use super::similarity::{Similarity, angle_between};
use super::{SETTLED, trimmed_root_mean};

/// How much larger or smaller (natural logarithm) than the face fitted a nose may be, and how far turned (radians).
const MOST_GROWTH: f64 = 0.3;
const MOST_TURN: f64 = 0.5;
/// Misfit of a nose that cannot be fitted without shrinking or turning it beyond belief.
const NO_NOSE: f64 = 0.1;

impl PoseFinder {
    /// The scan point nearest to where the template's nose tip goes once its surroundings are fitted by themselves, at
    /// full density and ever closer: noses differ from that of the template in size and slant.
    pub(super) fn nose_in(&self, scan: &[Point], pose: &Similarity) -> usize {
        let widest = NOSE_REACHES[0] * self.size;
        let expected = pose.apply(&self.nose);
        let far = 2.0 * widest * pose.scale;
        let near: Vec<Point> =
            scan.iter().filter(|p| (*p - expected).norm_squared() < far * far).copied().collect();
        let place = Sampled::new(&near, NOSE_POINTS)
            .and_then(|near| self.fitted_nose(&near, pose))
            .unwrap_or_else(|| self.most_forward(&near, pose));
        let distance = |i: usize| (scan[i] - place).norm_squared();
        (0..scan.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    }

    /// The nose tip of the better of two fits of the nose: at once, and with ever smaller surroundings.
    fn fitted_nose(&self, near: &Sampled, pose: &Similarity) -> Option<Point> {
        let closest = NOSE_REACHES[NOSE_REACHES.len() - 1];
        let mut fits: Vec<Similarity> = self.local_fit(near, pose, pose, closest).into_iter().collect();
        let mut gradual = *pose;
        for reach in NOSE_REACHES {
            let Some(next) = self.local_fit(near, pose, &gradual, reach) else { break };
            gradual = next;
            fits.push(next);
        }
        let probes = self.nose_patch.within(&self.nose, closest * self.size);
        let misfit = |fit: &Similarity| self.off(near, fit, &probes);
        let best = fits.iter().min_by(|a, b| misfit(a).total_cmp(&misfit(b)))?;
        Some(best.apply(&self.nose))
    }

    /// How far off the scan the wide surroundings of the nose are once the nose is fitted by itself, as a fraction of the template's size:
    /// noses have an upper and a lower end, and most of what else a nose is laid on shrinks or turns it beyond belief.
    pub(super) fn nose_misfit(&self, scan: &Sampled, pose: &Similarity) -> f64 {
        let [widest, .., closest] = NOSE_REACHES;
        let Some(fit) = self.local_fit(scan, pose, pose, closest) else { return NO_NOSE };
        self.off(scan, &fit, &self.nose_patch.within(&self.nose, widest * self.size)) / self.size
    }

    /// Root mean square distance, in units of the template, of the nearest three quarters of these points of the nose from the scan.
    fn off(&self, scan: &Sampled, fit: &Similarity, probes: &[usize]) -> f64 {
        let square = |&i: &usize| scan.nearest(&fit.apply(&self.nose_patch.points[i])).1;
        trimmed_root_mean(probes.iter().map(square).collect()) / fit.scale
    }

    /// The pose of what lies within `reach` (times the size) of the nose; none when that would shrink or turn the nose
    /// beyond belief: a cheek or a lip can be fitted so.
    fn local_fit(
        &self,
        scan: &Sampled,
        whole: &Similarity,
        from: &Similarity,
        reach: f64,
    ) -> Option<Similarity> {
        let reach = reach * self.size;
        let probes = self.nose_patch.within(&self.nose, reach);
        let mut pose = *from;
        for _ in 0..12 {
            let back = scan.within(&pose.apply(&self.nose), 0.85 * reach * pose.scale);
            let next = step(&pose, &self.nose_patch, &probes, scan, &back, Keep::NearestOfNose, 1.0)?;
            let moved = self.moved(&pose, &next);
            pose = next;
            if moved < SETTLED {
                break;
            }
        }
        let grown = (pose.scale / whole.scale).ln().abs();
        (grown < MOST_GROWTH && angle_between(&pose.rotation, &whole.rotation) < MOST_TURN).then_some(pose)
    }

    /// The mean of the most forward points near the nose: where nothing can be fitted.
    fn most_forward(&self, scan: &[Point], pose: &Similarity) -> Point {
        let (expected, forward) = (pose.apply(&self.nose), pose.rotation * self.facing);
        let reach = 0.3 * self.size * pose.scale;
        let mut near: Vec<&Point> = scan.iter().filter(|p| (*p - expected).norm() < reach).collect();
        near.sort_by(|a, b| b.coords.dot(&forward).total_cmp(&a.coords.dot(&forward)));
        near.truncate((near.len() / 25).clamp(1, 12));
        let n = near.len() as f64;
        if near.is_empty() {
            expected
        } else {
            Point::from(near.iter().map(|p| p.coords / n).sum::<Vector>())
        }
    }
}
