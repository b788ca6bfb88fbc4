//! Where a face is in a scan: similarity pose of a public template, and the nose tip.

mod finder;
mod icp;
mod overlap;
mod relief;
mod sampled;
mod similarity;
mod start;
mod stray;
mod thin;

pub use finder::{PoseError, PoseFinder};
pub use similarity::{Similarity, nearest_rotation};

use super::{Point, Vector};
use finder::{NOSE_POINTS, NOSE_REACHES};
use icp::{Keep, step};
use sampled::Sampled;
pub(crate) use thin::{thin, thinned_to};

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

/// How much larger or smaller (natural logarithm) than the face fitted a nose may be, and how far turned (radians).
const MOST_GROWTH: f64 = 0.3;
const MOST_TURN: f64 = 0.5;
/// Fraction of the pairs that decide.
const KEEP: f64 = 0.75;
/// Refinement ends when a step moves the nose by less than this fraction of the size (and radians).
const SETTLED: f64 = 1e-4;
/// The largest residual taken for a face.
const LARGEST_RESIDUAL: f64 = 0.12;
/// Agreement below which a pose is not believed, where the residual is small and where it is not: of 432 whole, cut and noisy scans of three
/// populations wrong poses reached .53 with residuals of .078 and more; of 200 ordinary made-up people two had .57 and .59 with small ones.
const LEAST_AGREEMENT: [f64; 2] = [0.5, 0.6];
/// What is small.
const SMALL_RESIDUAL: f64 = 0.07;
/// Residual below and agreement above which no other pose is looked for.
const SURE: (f64, f64) = (0.05, 0.72);
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
}

impl Candidate {
    /// Of poses that agree alike, the closer one.
    fn score(&self) -> f64 {
        self.agreement - 2.0 * self.residual
    }
}

impl PoseFinder {
    /// Finds the template's pose in a scan of any orientation, position and unit: a face, or a bust with a face. Points
    /// are enough: no triangles are needed.
    ///
    /// Starts from the scan's principal axes and from every point that stands out like a nose, over several
    /// scales and turns; the best starts are refined by trimmed iterated closest points with scale, and the one is
    /// taken in which template and scan agree best where both are.
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
        let sampled = Sampled::new(scan, SCAN_POINTS).filter(|s| s.points.len() >= 100).ok_or_else(|| {
            PoseError::Unusable("too few distinct points to find a face in: at least 100 are needed".into())
        })?;
        let Candidate { residual, pose, agreement } = self.best(&sampled);
        let least = LEAST_AGREEMENT[usize::from(residual > SMALL_RESIDUAL)];
        let doubtful = PoseError::Doubtful { agreement, least };
        // Next to nothing of the scan lies about the nose.
        if residual.is_infinite() {
            return Err(doubtful);
        }
        if residual > LARGEST_RESIDUAL {
            return Err(PoseError::NoFace { residual, limit: LARGEST_RESIDUAL });
        }
        self.refuse_smooth(&pose, &sampled, scan)?;
        if agreement < least {
            return Err(doubtful);
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
    fn best(&self, scan: &Sampled) -> Candidate {
        let judged = |(residual, pose): (f64, Similarity)| Candidate {
            residual,
            pose,
            agreement: self.overlap(&pose, scan).agreement,
        };
        let mut several = self.refined(start::whole(self, scan), scan, [8, 3, 2]);
        let whole = several.first().copied().map(judged);
        if let Some(sure) = whole.filter(|c| c.residual < SURE.0 && c.agreement > SURE.1) {
            return sure;
        }
        several.extend(self.refined(start::with_nose_at_tips(self, scan), scan, [8, 4, 3]));
        let half: Vec<usize> = (0..self.template.points.len()).step_by(2).collect();
        let polished = |(_, pose): (f64, Similarity)| {
            let pose = self.refine(&pose, scan, &half, POLISH, &Keep::Overlapping)?;
            Some(judged((self.residual(&pose, scan, &half), pose)))
        };
        let polished = several.iter().copied().filter_map(polished);
        let best = polished
            .chain(several.iter().copied().map(judged))
            .max_by(|a, b| a.score().total_cmp(&b.score()));
        best.unwrap_or_else(|| judged((f64::INFINITY, Similarity::identity())))
    }

    /// The best of the starts with their residuals, refined in three stages after which so many are kept.
    fn refined(
        &self,
        mut poses: Vec<Similarity>,
        scan: &Sampled,
        survivors: [usize; 3],
    ) -> Vec<(f64, Similarity)> {
        let mut best = Vec::new();
        for ((stride, steps), survivors) in [(10, 8), (5, 8), (2, 40)].into_iter().zip(survivors) {
            let probes: Vec<usize> = (0..self.template.points.len()).step_by(stride).collect();
            let mut refined: Vec<(f64, Similarity)> = poses
                .iter()
                .filter_map(|pose| {
                    let pose = self.refine(pose, scan, &probes, steps, &Keep::Nearest)?;
                    Some((self.residual(&pose, scan, &probes), pose))
                })
                .collect();
            refined.sort_by(|a, b| a.0.total_cmp(&b.0));
            refined.truncate(survivors);
            poses = refined.iter().map(|(_, pose)| *pose).collect();
            best = refined;
        }
        best
    }

    fn refine(
        &self,
        pose: &Similarity,
        scan: &Sampled,
        probes: &[usize],
        steps: usize,
        keep: &Keep,
    ) -> Option<Similarity> {
        let mut pose = *pose;
        for _ in 0..steps {
            let before = pose;
            let near = scan.within(&pose.apply(&self.nose), self.size * pose.scale);
            let stride = (near.len() / probes.len().max(1)).max(1);
            let back: Vec<usize> = near.into_iter().step_by(stride).collect();
            pose = step(&pose, &self.template, probes, scan, &back, keep)?;
            let moved = (pose.apply(&self.nose) - before.apply(&self.nose)).norm() / (self.size * pose.scale);
            if moved + pose.rotation.angle_to(&before.rotation) < SETTLED {
                break;
            }
        }
        Some(pose)
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

    /// The scan point nearest to where the template's nose tip goes once its surroundings are fitted by themselves, at
    /// full density and ever closer: noses differ from that of the template in size and slant.
    fn nose_in(&self, scan: &[Point], pose: &Similarity) -> usize {
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
        let misfit = |fit: &Similarity| {
            let square = |&i: &usize| near.nearest(&fit.apply(&self.nose_patch.points[i])).1;
            trimmed_root_mean(probes.iter().map(square).collect()) / fit.scale
        };
        let best = fits.iter().min_by(|a, b| misfit(a).total_cmp(&misfit(b)))?;
        Some(best.apply(&self.nose))
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
            pose = step(&pose, &self.nose_patch, &probes, scan, &back, &Keep::NearestOfNose)?;
        }
        let grown = (pose.scale / whole.scale).ln().abs();
        (grown < MOST_GROWTH && pose.rotation.angle_to(&whole.rotation) < MOST_TURN).then_some(pose)
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

/// The root of the mean of the smallest of these squares.
fn trimmed_root_mean(mut squares: Vec<f64>) -> f64 {
    squares.sort_unstable_by(f64::total_cmp);
    squares.truncate(((KEEP * squares.len() as f64) as usize).max(1));
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

#[cfg(test)]
mod tests;
