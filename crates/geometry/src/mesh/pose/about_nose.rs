//! A face of which only what lies about the nose was scanned.
//!
//! A whole template laid on so little of a face shrinks to it. What lies about the template's nose is laid on it instead, as a whole on a whole: centre
//! on centre, in every turn. The whole template, where it lies over the scan, then says where it is exactly.

use super::super::Point;
use super::finder::PoseFinder;
use super::icp::Keep;
use super::sampled::Sampled;
use super::similarity::angle_between;
use super::steps::{Steps, THOROUGHLY};
use super::{Candidate, POLISH, Pose, TURNED, start};
use std::sync::OnceLock;

/// How far the parts that are tried reach from the nose, as fractions of the template's size: on an adult's face about 6 to 9 cm.
const REACHES: [f64; 3] = [0.8, 1.0, 1.25];
/// Belief from which a pose is taken, and by how much it must be believed more than those that are turned against it. Of 65 scans of three populations
/// that were left, most of them cut 60 to 75 mm about the nose, 60 right poses reached .335 and more; of 103 parts of faces without the nose, laid on
/// two templates each, the best wrong one reached .225, of 72 organs -.26.
const LEAST_BELIEF: f64 = 0.3;
const APART: f64 = 0.15;
/// The least share of the scan that lies over the template.
const LEAST_OVER: f64 = 0.8;

impl PoseFinder {
    /// The pose about whose nose the scan lies, if it is believed: of the sampled points of a scan, and all of them.
    pub(super) fn about_nose(&self, sampled: &Sampled, scan: &[Point]) -> Option<Pose> {
        let parts = REACHES.iter().filter_map(|reach| self.part(reach * self.size));
        let all: Vec<Candidate> = parts.flat_map(|part| self.laid_on(&part, sampled)).collect();
        let best = all.iter().max_by(|a, b| a.belief().total_cmp(&b.belief()))?;
        let turned = |other: &&Candidate| angle_between(&other.pose.rotation, &best.pose.rotation) > TURNED;
        let rival = all.iter().filter(turned).map(Candidate::belief).fold(f64::NEG_INFINITY, f64::max);
        if best.belief() < LEAST_BELIEF || best.belief() - rival < APART {
            return None;
        }
        let Candidate { residual, pose, agreement, .. } = *best;
        self.refuse_smooth(&pose, sampled, scan).ok()?;
        let nose = self.nose_in(scan, &pose);
        Some(Pose { similarity: pose, nose, nose_tip: scan[nose], misfit: residual, agreement })
    }

    /// What lies so near to the nose, as a template of its own.
    fn part(&self, reach: f64) -> Option<Self> {
        let near = |p: &&Point| (*p - self.nose).norm() < reach;
        let points: Vec<Point> = self.points.iter().filter(near).copied().collect();
        let template = Sampled::new(&points, self.template.points.len())?;
        let nose_patch = Sampled::new(&self.nose_patch.points, self.nose_patch.points.len())?;
        Some(Self { template, nose_patch, points: Vec::new(), halves: OnceLock::new(), ..*self })
    }

    /// Poses of such a part on a scan, refined by the whole template where that lies over it.
    fn laid_on(&self, part: &Self, scan: &Sampled) -> Vec<Candidate> {
        let thorough = [Steps::afresh(40, Keep::Nearest)];
        let candidate = |pose| {
            let (_, pose) = part.finished(&pose, scan, &thorough)?;
            let pose = self.refine(&pose, scan, &self.every(2), &Steps::afresh(POLISH, Keep::Overlapping))?;
            let overlap = self.overlap(&pose, scan);
            let residual = part.residual(&pose, scan, &part.every(2));
            let nose = self.nose_misfit(scan, &pose);
            let candidate = Candidate { nose, ..Candidate::new(residual, pose, overlap.agreement) };
            (residual.is_finite() && overlap.scan > LEAST_OVER).then_some(candidate)
        };
        let begun = part.begun(start::whole(part, scan), scan, THOROUGHLY);
        begun.into_iter().filter_map(candidate).collect()
    }
}
