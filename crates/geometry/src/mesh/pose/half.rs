//! A face of which one side was scanned.
//!
//! Half a face is laid on half a template as a whole one on a whole: centre on centre, in every turn. Then the scan and its mirror image, about
//! the plane in which the template is its own, are a whole face, and the pose is judged by that.

use super::super::{Point, Vector};
use super::finder::{Halves, PoseFinder};
use super::icp::Keep;
use super::sampled::Sampled;
use super::similarity::Similarity;
use super::steps::{Steps, THOROUGHLY};
use super::{Candidate, POLISH, Pose, SCAN_POINTS, believed_part, start};
use crate::mesh::{MidPlane, Oriented};
use nalgebra::{Rotation3, Unit};
use std::f64::consts::PI;

/// Planes through the nose and the middle of the face that are tried.
const PLANES: usize = 24;
/// Mean distance of a template from its mirror image up to which it has a mid-plane, as a fraction of its size.
const SYMMETRIC: f64 = 0.03;
/// How far beyond the mid-plane a half reaches, as a fraction of the template's size: to the far wing of the nose.
const BEYOND: f64 = 0.15;
/// Times that pose and mirror image are refined in turn.
const TURNS: usize = 3;
/// A point of the mirror image lies beyond the scan where it is farther from it than so many distances between neighbouring points.
const RIM: f64 = 1.5;
/// The least share of the template that lies over the scan alone.
const LEAST_SEEN: f64 = 0.35;

/// The mid-plane of a template; `None` of one that is lopsided.
fn mid_plane(template: &Sampled, nose: &Point, size: f64) -> Option<MidPlane> {
    let (centre, _) = template.centre_and_size();
    let facing = (nose - centre).try_normalize(0.0)?;
    let across = if facing.x.abs() < 0.8 { Vector::x() } else { Vector::y() };
    let across = (across - facing * facing.dot(&across)).normalize();
    let axis = Unit::new_unchecked(facing);
    let through_both = |k: usize| {
        let normal = Rotation3::from_axis_angle(&axis, PI * k as f64 / PLANES as f64) * across;
        MidPlane { normal, distance: normal.dot(&nose.coords) }
    };
    let (_, rough) = (0..PLANES)
        .map(through_both)
        .map(|plane| (lopsidedness(&plane, template, |offset, _| offset.norm()), plane))
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    let shape = Oriented { points: &template.points, normals: &template.normals, has_sides: false };
    let plane = rough.refined(&shape, |p| template.nearest(p).0);
    let off = lopsidedness(&plane, template, |offset, normal| offset.dot(normal).abs());
    (off < SYMMETRIC * size).then_some(plane)
}

/// Mean distance of the mirror image from the template's points: of the offset, given the normal.
fn lopsidedness(plane: &MidPlane, template: &Sampled, distance: impl Fn(&Vector, &Vector) -> f64) -> f64 {
    let off = |p: &Point| {
        let image = plane.mirrored(p);
        let (i, _) = template.nearest(&image);
        distance(&(image - template.points[i]), &template.normals[i])
    };
    template.points.iter().map(off).sum::<f64>() / template.points.len() as f64
}

/// The mirror image of a point of a scan with this pose.
fn mirrored_in(plane: &MidPlane, pose: &Similarity, p: &Point) -> Point {
    pose.apply(&plane.mirrored(&pose.invert(p)))
}

impl Halves {
    /// Of a template that is nearly symmetric.
    fn of(whole: &PoseFinder) -> Option<Box<Self>> {
        let plane = mid_plane(&whole.template, &whole.nose, whole.size)?;
        let side = |sign: f64| {
            let part = whole.part(|p| sign * plane.height(p) > -BEYOND * whole.size)?;
            let facing = start::flattest(&part.template);
            Some(PoseFinder { facing, ..part })
        };
        Some(Box::new(Self { plane, sides: [1.0, -1.0].into_iter().filter_map(side).collect() }))
    }
}

/// A pose on one side of a face.
struct OneSided {
    /// Judged by the scan and its mirror image together.
    candidate: Candidate,
    /// Scan and mirror image.
    whole: Sampled,
}

impl PoseFinder {
    fn halves(&self) -> Option<&Halves> {
        self.halves.get_or_init(|| Halves::of(self)).as_deref()
    }

    /// Where the template has the mirror image of this point of it; `None` of a template that is lopsided.
    pub fn mirror_image(&self, p: &Point) -> Option<Point> {
        self.halves().map(|halves| halves.plane.mirrored(p))
    }

    /// The pose on one side of a face, if it is believed: of the sampled points of a scan, and all of them.
    pub(super) fn on_one_side(&self, sampled: &Sampled, scan: &[Point]) -> Option<Pose> {
        let halves = self.halves()?;
        let best = believed_part(self.on_either_side(halves, sampled), |one| &one.candidate)?;
        let Candidate { residual, pose, agreement, .. } = best.candidate;
        self.refuse_smooth(&pose, &best.whole, scan).ok()?;
        // Half a nose is fitted with its mirror image, and its tip may not have been seen.
        let image = scan.iter().map(|p| mirrored_in(&halves.plane, &pose, p));
        let whole: Vec<Point> = scan.iter().copied().chain(image).collect();
        let tip = whole[self.nose_in(&whole, &pose)];
        let off = |i: usize| (scan[i] - tip).norm_squared();
        let nose = (0..scan.len()).min_by(|&a, &b| off(a).total_cmp(&off(b)))?;
        Some(Pose { similarity: pose, nose, nose_tip: scan[nose], misfit: residual, agreement })
    }

    fn on_either_side(&self, halves: &Halves, scan: &Sampled) -> Vec<OneSided> {
        let thorough = [Steps::afresh(40, Keep::Nearest)];
        let of_side = |side: &PoseFinder| -> Vec<OneSided> {
            let begun = side.begun(start::whole(side, scan), scan, THOROUGHLY);
            let finished = begun.iter().filter_map(|pose| side.finished(pose, scan, &thorough));
            finished.filter_map(|(_, pose)| self.completed(&halves.plane, pose, scan)).collect()
        };
        halves.sides.iter().flat_map(of_side).collect()
    }

    /// A pose refined by the scan where template and scan are, and by the whole face that scan and mirror image make, in turn.
    fn completed(&self, plane: &MidPlane, mut pose: Similarity, scan: &Sampled) -> Option<OneSided> {
        let half = self.every(2);
        for _ in 0..TURNS {
            pose = self.refine(&pose, scan, &half, &Steps::afresh(POLISH, Keep::Overlapping))?;
            let whole = with_mirror_image(plane, &pose, scan)?;
            pose = self.refine(&pose, &whole, &half, &Steps::afresh(POLISH, Keep::Nearest))?;
        }
        let whole = with_mirror_image(plane, &pose, scan)?;
        let agreement = self.overlap(&pose, &whole).agreement;
        let residual = self.residual(&pose, &whole, &half);
        let nose = self.nose_misfit(&whole, &pose);
        let candidate = Candidate { nose, ..Candidate::new(residual, pose, agreement) };
        (residual.is_finite() && self.overlap(&pose, scan).template > LEAST_SEEN)
            .then_some(OneSided { candidate, whole })
    }
}

/// The scan, and its mirror image where that lies beyond it.
fn with_mirror_image(plane: &MidPlane, pose: &Similarity, scan: &Sampled) -> Option<Sampled> {
    let image = scan.points.iter().map(|p| mirrored_in(plane, pose, p));
    let beyond = |q: &Point| scan.nearest(q).1.sqrt() > RIM * scan.spacing;
    let all: Vec<Point> = scan.points.iter().copied().chain(image.filter(beyond)).collect();
    Sampled::new(&all, SCAN_POINTS)
}
