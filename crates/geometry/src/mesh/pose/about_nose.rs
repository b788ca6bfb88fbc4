//! A face of which only what lies about the nose was scanned.
//!
//! A whole template laid on so little of a face shrinks to it. What lies about the template's nose is laid on it instead, as a whole on a whole: centre
//! on centre, in every turn. The whole template, where it lies over the scan, then says where it is exactly.

use super::super::Point;
use super::finder::PoseFinder;
use super::icp::Keep;
use super::sampled::Sampled;
use super::steps::{Steps, THOROUGHLY};
use super::{Candidate, POLISH, Pose, believed_part, start};

/// How far the parts that are tried reach from the nose, as fractions of the template's size: on an adult's face about 6 to 9 cm.
const REACHES: [f64; 3] = [0.8, 1.0, 1.25];
/// The least share of the scan that lies over the template.
const LEAST_OVER: f64 = 0.8;

impl PoseFinder {
    /// The pose about whose nose the scan lies, if it is believed: of the sampled points of a scan, and all of them.
    pub(super) fn about_nose(&self, sampled: &Sampled, scan: &[Point]) -> Option<Pose> {
        let about = |reach: &f64| self.part(|p| (p - self.nose).norm() < reach * self.size);
        let all = REACHES.iter().filter_map(about).flat_map(|part| self.laid_on(&part, sampled)).collect();
        let best = believed_part(all, |candidate| candidate)?;
        let Candidate { residual, pose, agreement, .. } = best;
        self.refuse_smooth(&pose, sampled, scan).ok()?;
        let nose = self.nose_in(scan, &pose);
        Some(Pose { similarity: pose, nose, nose_tip: scan[nose], misfit: residual, agreement })
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
