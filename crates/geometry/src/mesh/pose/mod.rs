//! Where a face is in a scan: similarity pose of a public template, and the nose tip.

mod about_nose;
pub(crate) mod canonical;
mod finder;
mod half;
pub(crate) mod icp;
mod nose;
mod overlap;
mod relief;
mod sampled;
mod similarity;
mod start;
mod steps;
mod stray;
mod thin;

pub use crate::numeric::nearest_rotation;
pub use finder::{PoseError, PoseFinder};
pub use similarity::Similarity;

use super::Point;
use icp::{Keep, step};
use sampled::Sampled;
pub(crate) use similarity::angle_between;
use steps::{AT_TIPS, QUICKLY, Stage, Steps, THOROUGHLY};
#[doc(hidden)]
pub use thin::{thin, thinned_to};

/// Points of the evened-out scan.
const SCAN_POINTS: usize = 2500;

/// Where the face is in a scan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// From template coordinates to scan coordinates.
    pub similarity: Similarity,
    /// The scan point nearest to where the template's nose tip falls once the surroundings of the nose are fitted by
    /// themselves.
    pub nose: usize,
    /// Its place, in scan coordinates.
    pub nose_tip: Point,
    /// Distance of the nearest three quarters of the template from the scan, root mean square, as a fraction of the
    /// template's size (root mean square radius): about 0.03 for another person's face.
    pub misfit: f64,
    /// How well template and scan agree where both are, 1 for the template itself: about 0.85 for another person's face.
    pub agreement: f64,
}

/// Refinement ends when a step moves the nose by less than this fraction of the size (and radians).
const SETTLED: f64 = 1e-4;
/// The largest residual taken for a face.
const LARGEST_RESIDUAL: f64 = 0.12;
/// A pose is believed where its agreement, less this many times its residual and the misfit of its nose, is large enough. Of 636 whole, cut and
/// noisy scans of three populations the 34 wrong poses reached -.167 at most; of 602 right ones 27 fall short, 22 of which had nothing but
/// 60 mm about the nose.
const DOUBT: f64 = 4.0;
const LEAST_BELIEF: f64 = -0.05;
/// A pose believed less than this is taken only if no pose turned by more than [`TURNED`] radians is believed nearly as much: by steps that
/// settle sooner one of 1124 scans, of a face twice as far from its template as people are, was laid on upside down, at -.046, -.072 the right way up.
const CLEAR: f64 = 0.1;
const APART: f64 = 0.05;
const TURNED: f64 = 0.5;
/// The same of poses on a part of a face, judged by the part. Of 126 one-sided scans of 18 people of three populations the best wrong pose reached .18;
/// nine of the right ones fall short. Of 65 others that were left, most of them cut 60 to 75 mm about the nose, 60 right poses reached .335 and more; of
/// 103 parts of faces without the nose, laid on two templates each, the best wrong one reached .225, of 72 organs -.26.
const PART_LEAST_BELIEF: f64 = 0.3;
const PART_APART: f64 = 0.15;
/// Poses of which the noses are looked at.
const NOSES: usize = 8;
/// Belief in the first pose from which no other is looked for: of 430 wrong ones among 1296 the best reached .346.
const SURE: f64 = 0.45;
/// Steps with what lies beyond rims left out, once a pose is about right.
const POLISH: usize = 15;
/// A point this many times as far out as three quarters of the others is a mistake: shoulders, or a room, reach ten times as far as a face.
const FARTHEST: f64 = 1e3;

/// A pose that was refined.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    residual: f64,
    pose: Similarity,
    agreement: f64,
    /// Misfit of the nose, as a fraction of the template's size; 0 while nobody has looked.
    nose: f64,
    /// Belief in the best of the other poses, turned against this one, of which the noses were looked at.
    rival: f64,
}

impl Candidate {
    fn new(residual: f64, pose: Similarity, agreement: f64) -> Self {
        Self { residual, pose, agreement, nose: 0.0, rival: f64::NEG_INFINITY }
    }

    /// Whether another pose is believed nearly as much.
    fn is_rivalled(&self) -> bool {
        let belief = self.belief();
        belief < CLEAR && belief - self.rival < APART
    }

    /// Whether no other needs to be looked for.
    fn is_sure(&self) -> bool {
        self.belief() > SURE && self.residual <= LARGEST_RESIDUAL
    }

    /// Of poses that agree alike, the closer one is believed more.
    fn belief(&self) -> f64 {
        self.agreement - DOUBT * (self.residual + self.nose)
    }
}

/// The most believed of poses on a part of a face, if it is believed, and by enough more than those that are turned against it.
fn believed_part<T>(mut all: Vec<T>, candidate: impl Fn(&T) -> &Candidate) -> Option<T> {
    let belief = |i: usize| candidate(&all[i]).belief();
    let best = (0..all.len()).max_by(|&a, &b| belief(a).total_cmp(&belief(b)))?;
    let found = all.swap_remove(best);
    let best = candidate(&found);
    let turned = |other: &&Candidate| angle_between(&other.pose.rotation, &best.pose.rotation) > TURNED;
    let rival = all.iter().map(&candidate).filter(turned).map(Candidate::belief);
    let is_believed = best.belief() > PART_LEAST_BELIEF
        && rival.fold(f64::NEG_INFINITY, f64::max) < best.belief() - PART_APART;
    is_believed.then_some(found)
}

impl PoseFinder {
    /// Finds the template's pose in a scan of any orientation, position and unit: a face, or a bust with a face. Points
    /// are enough: no triangles are needed.
    ///
    /// Starts from the scan's principal axes and from every point that stands out like a nose, over several
    /// scales and turns; the best starts are refined by trimmed iterated closest points with scale, and the one is
    /// taken in which template and scan agree best where both are. Where none is believed, one side of a face is looked for: half of
    /// the template is laid on it, and the pose is judged by the scan and its mirror image, which together are a whole face. At last what lies about
    /// the template's nose is laid on the scan.
    ///
    /// # Errors
    /// [`PoseError::Unusable`] for fewer than 100 points or coordinates that are not finite;
    /// [`PoseError::Stray`] for a point absurdly far from the others; [`PoseError::NoFace`] when nothing fits, [`PoseError::Doubtful`] when scan
    /// and template differ too much where both are, [`PoseError::NoNose`] when what fits is as smooth as a ball, [`PoseError::TooFew`] when it
    /// has too few points to tell.
    pub fn find(&self, scan: &[Point]) -> Result<Pose, PoseError> {
        if let Some(i) = scan.iter().position(|p| !p.coords.iter().all(|c| c.is_finite())) {
            return Err(PoseError::Unusable(format!(
                "point {i} has a coordinate that is not a finite number"
            )));
        }
        if let Some((point, times)) = stray::farthest(scan).filter(|(_, times)| *times > FARTHEST) {
            return Err(PoseError::Stray { point, times });
        }
        let too_few = || {
            PoseError::Unusable("too few distinct points to find a face in: at least 100 are needed".into())
        };
        let frame = canonical::frame(scan).ok_or_else(too_few)?;
        let found = self.found(&canonical::seen_from(&frame, scan), too_few)?;
        Ok(Pose { similarity: frame.after(&found.similarity), nose_tip: scan[found.nose], ..found })
    }

    /// The same of a scan in its own frame.
    fn found(&self, scan: &[Point], too_few: impl Fn() -> PoseError) -> Result<Pose, PoseError> {
        let sampled =
            Sampled::new(scan, SCAN_POINTS).filter(|s| s.points.len() >= 100).ok_or_else(too_few)?;
        let part = || self.on_one_side(&sampled, scan).or_else(|| self.about_nose(&sampled, scan));
        self.on_whole(&sampled, scan).or_else(|refused| part().ok_or(refused))
    }

    /// The pose where most of the face was scanned.
    fn on_whole(&self, sampled: &Sampled, scan: &[Point]) -> Result<Pose, PoseError> {
        let best = self.best(sampled);
        // None where next to nothing of the scan lies about the nose.
        let Some(best) = best.filter(|best| best.residual.is_finite()) else {
            return Err(PoseError::Doubtful {
                agreement: 0.0,
                least: LEAST_BELIEF + DOUBT * LARGEST_RESIDUAL,
            });
        };
        let Candidate { residual, pose, agreement, nose, .. } = best;
        if residual > LARGEST_RESIDUAL {
            return Err(PoseError::NoFace { residual, limit: LARGEST_RESIDUAL });
        }
        self.refuse_smooth(&pose, sampled, scan)?;
        if best.belief() < LEAST_BELIEF {
            return Err(PoseError::Doubtful { agreement, least: LEAST_BELIEF + DOUBT * (residual + nose) });
        }
        if best.is_rivalled() {
            return Err(PoseError::Undecided);
        }
        let nose = self.nose_in(scan, &pose);
        Ok(Pose { similarity: pose, nose, nose_tip: scan[nose], misfit: residual, agreement })
    }

    /// Refuses what has no relief about the nose, where the template has some; and what has too few points there to tell.
    fn refuse_smooth(&self, pose: &Similarity, even: &Sampled, all: &[Point]) -> Result<(), PoseError> {
        let Some(own) = self.relief else { return Ok(()) };
        let near = all.iter().filter(|p| relief::is_near(&pose.invert(p), &self.nose, self.size)).count();
        if near < relief::FEWEST {
            return Err(PoseError::TooFew { near, fewest: relief::FEWEST });
        }
        let of = |points: &[Point]| {
            let moved = points.iter().map(|p| pose.invert(p));
            relief::relief(moved, &self.nose, &self.facing, self.size)
        };
        // Of a scan much larger than the face, few of the evened-out points lie about the nose.
        let found = of(&even.points).or_else(|| of(all));
        match found.map(|found| found / own) {
            Some(relief) if relief < relief::LEAST => Err(PoseError::NoNose { relief, least: relief::LEAST }),
            _ => Ok(()),
        }
    }

    /// The pose in which template and scan agree best where both are: at once where the first one leaves no doubt, else of several.
    fn best(&self, scan: &Sampled) -> Option<Candidate> {
        let judged = |(residual, pose): (f64, Similarity)| {
            Candidate::new(residual, pose, self.overlap(&pose, scan).agreement)
        };
        let whole = start::whole(self, scan);
        let found = self.begun(whole.clone(), scan, QUICKLY);
        let found = found.first().and_then(|pose| self.finished(pose, scan, &Steps::quick()));
        if let Some(sure) = found.map(judged).filter(Candidate::is_sure) {
            return Some(sure);
        }
        let thorough = [Steps::afresh(40, Keep::Nearest)];
        let finished = |pose: &Similarity| self.finished(pose, scan, &thorough);
        let mut several = Vec::with_capacity(THOROUGHLY[1].survivors);
        for pose in self.begun(whole, scan, THOROUGHLY) {
            let found = finished(&pose);
            // The first is mostly right, and then the others need not be looked at.
            if let Some(sure) = found.map(judged).filter(Candidate::is_sure) {
                return Some(sure);
            }
            several.extend(found);
        }
        let at_tips = self.begun(start::with_nose_at_tips(self, scan), scan, AT_TIPS);
        let mut at_tips: Vec<_> = at_tips.iter().filter_map(finished).collect();
        for (found, most) in [(&mut several, 2), (&mut at_tips, 8)] {
            found.sort_by(|a, b| a.0.total_cmp(&b.0));
            found.truncate(most);
        }
        several.append(&mut at_tips);
        let half = self.every(2);
        let polished = |(_, pose): (f64, Similarity)| {
            let pose = self.refine(&pose, scan, &half, &Steps::afresh(POLISH, Keep::Overlapping))?;
            Some(judged((self.residual(&pose, scan, &half), pose)))
        };
        let polished = several.iter().copied().filter_map(polished);
        let mut all: Vec<Candidate> = polished.chain(several.iter().copied().map(judged)).collect();
        all.sort_by(|a, b| b.belief().total_cmp(&a.belief()));
        all.truncate(NOSES);
        for candidate in &mut all {
            candidate.nose = self.nose_misfit(scan, &candidate.pose);
        }
        let most = |a: &Candidate, b: &Candidate| a.belief().total_cmp(&b.belief());
        let best = all.iter().copied().max_by(most)?;
        let turned = |c: &&Candidate| angle_between(&c.pose.rotation, &best.pose.rotation) > TURNED;
        let rival = all.iter().filter(turned).map(Candidate::belief).fold(f64::NEG_INFINITY, f64::max);
        Some(Candidate { rival, ..best })
    }

    /// The best of the starts, refined in stages.
    fn begun(&self, mut poses: Vec<Similarity>, scan: &Sampled, stages: [Stage; 2]) -> Vec<Similarity> {
        for Stage { stride, steps, survivors } in stages {
            let probes = self.every(stride);
            let refined = |pose: &Similarity| {
                let pose = self.refine(pose, scan, &probes, &Steps::afresh(steps, Keep::Nearest))?;
                Some((self.residual(&pose, scan, &probes), pose))
            };
            let mut refined: Vec<(f64, Similarity)> = poses.iter().filter_map(refined).collect();
            refined.sort_by(|a, b| a.0.total_cmp(&b.0));
            refined.truncate(survivors);
            poses = refined.into_iter().map(|(_, pose)| pose).collect();
        }
        poses
    }

    /// The last stage: a pose, and its residual.
    fn finished(&self, pose: &Similarity, scan: &Sampled, steps: &[Steps]) -> Option<(f64, Similarity)> {
        let half = self.every(2);
        let pose = steps.iter().try_fold(*pose, |pose, steps| self.refine(&pose, scan, &half, steps))?;
        Some((self.residual(&pose, scan, &half), pose))
    }

    /// Every so many of the template's points.
    fn every(&self, stride: usize) -> Vec<usize> {
        (0..self.template.points.len()).step_by(stride).collect()
    }

    fn refine(
        &self,
        pose: &Similarity,
        scan: &Sampled,
        probes: &[usize],
        steps: &Steps,
    ) -> Option<Similarity> {
        let mut pose = *pose;
        for _ in 0..steps.most {
            let near = scan.within(&pose.apply(&self.nose), self.size * pose.scale);
            let stride = (near.len() / probes.len().max(1)).max(1);
            let back: Vec<usize> = if steps.same {
                near.into_iter().filter(|j| j % stride == 0).collect()
            } else {
                // In the order of the search, which is another one nearly every time.
                near.into_iter().step_by(stride).collect()
            };
            let next = step(&pose, &self.template, probes, scan, &back, steps.keep, steps.stretch)?;
            let moved = self.moved(&pose, &next);
            pose = next;
            if moved < SETTLED {
                break;
            }
        }
        Some(pose)
    }

    /// How far a step moves the nose, as a fraction of the size, and turns the face (radians), together.
    fn moved(&self, from: &Similarity, to: &Similarity) -> f64 {
        let shift = (to.apply(&self.nose) - from.apply(&self.nose)).norm() / (self.size * to.scale);
        shift + angle_between(&to.rotation, &from.rotation)
    }

    /// Root mean square distance of the nearest three quarters of the probes, over the size in the scan; and the
    /// same from the scan to the template around the nose, whichever is larger.
    fn residual(&self, pose: &Similarity, scan: &Sampled, probes: &[usize]) -> f64 {
        let size = self.size * pose.scale;
        let there = trimmed_root_mean(
            probes.iter().map(|&i| scan.nearest(&pose.apply(&self.template.points[i])).1).collect(),
        );
        let near = scan.within(&pose.apply(&self.nose), 0.9 * size);
        if near.len() < 20 {
            return f64::INFINITY;
        }
        let stride = (near.len() / probes.len()).max(1);
        let back = near.iter().step_by(stride);
        let back = trimmed_root_mean(
            back.map(|&j| self.template.nearest(&pose.invert(&scan.points[j])).1).collect(),
        );
        (there / size).max(back / self.size)
    }
}

/// The root of the mean of the smallest of these squares.
fn trimmed_root_mean(mut squares: Vec<f64>) -> f64 {
    squares.sort_unstable_by(f64::total_cmp);
    squares.truncate(((Keep::Nearest.share() * squares.len() as f64) as usize).max(1));
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

#[cfg(test)]
mod tests;
