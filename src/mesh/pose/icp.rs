//! Iterated closest points with scale, trimmed, in both directions.

use super::super::{Point, Vector};
use super::overlap;
use super::sampled::Sampled;
use super::similarity::Similarity;
use nalgebra::{Rotation3, SMatrix, SVector};

/// A template point or scan point with its match, in scan coordinates.
struct Pair {
    /// The template's point, moved.
    from: Point,
    /// The scan's point.
    to: Point,
    /// The normal at one of the two.
    normal: Vector,
    squared: f64,
}

/// Which pairs decide a step, and whether the scale moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The nearest three quarters.
    Nearest,
    /// The same, without scale.
    NearestRigid,
    /// The nearest seven tenths, of noses.
    NearestOfNose,
    /// The nearest nine tenths of those that lie over the other surface: beyond a rim there is nothing to be matched.
    Overlapping,
}

impl Keep {
    pub(super) fn share(self) -> f64 {
        match self {
            Self::Nearest | Self::NearestRigid => 0.75,
            Self::NearestOfNose => 0.7,
            Self::Overlapping => 0.9,
        }
    }
}

/// One step of trimmed point-to-plane alignment with scale (Chen and Medioni 1992; Chetverikov et al. 2002 for the
/// trimming), with a tenth of the weight on point-to-point so that flat parts do not slide.
///
/// `probes` are the template points matched to the scan, `back` the scan points matched to the template (those
/// within reach of it). `keep` says which of the pairs, by distance, decide.
pub(crate) fn step(
    pose: &Similarity,
    template: &Sampled,
    probes: &[usize],
    scan: &Sampled,
    back: &[usize],
    keep: Keep,
) -> Option<Similarity> {
    let over = |offset: Vector, normal: &Vector, spacing: f64| {
        keep != Keep::Overlapping || overlap::is_over(&offset, normal, spacing)
    };
    let mut pairs = Vec::with_capacity(probes.len() + back.len());
    for &i in probes {
        let from = pose.apply(&template.points[i]);
        let (j, squared) = scan.nearest(&from);
        let normal = scan.normals[j];
        if (pose.rotation * template.normals[i]).dot(&normal).abs() > 0.5
            && over(from - scan.points[j], &normal, scan.spacing)
        {
            pairs.push(Pair { from, to: scan.points[j], normal, squared });
        }
    }
    for &j in back {
        let to = scan.points[j];
        let (i, squared) = template.nearest(&pose.invert(&to));
        let normal = pose.rotation * template.normals[i];
        let from = pose.apply(&template.points[i]);
        if normal.dot(&scan.normals[j]).abs() > 0.5 && over(to - from, &normal, template.spacing * pose.scale)
        {
            pairs.push(Pair { from, to, normal, squared: squared * pose.scale * pose.scale });
        }
    }
    pairs.sort_unstable_by(|a, b| a.squared.total_cmp(&b.squared));
    pairs.truncate((keep.share() * pairs.len() as f64) as usize);
    solve(pose, &pairs, keep != Keep::NearestRigid)
}

fn solve(pose: &Similarity, pairs: &[Pair], with_scale: bool) -> Option<Similarity> {
    if pairs.len() < 12 {
        return None;
    }
    let centre: Vector = pairs.iter().map(|p| p.from.coords).sum::<Vector>() / pairs.len() as f64;
    let mut normal_matrix = SMatrix::<f64, 7, 7>::zeros();
    let mut right = SVector::<f64, 7>::zeros();
    let mut add = |weight: f64, direction: &Vector, arm: &Vector, gap: f64| {
        // Rotation ω × arm, translation, and scale along the arm, all seen along the direction.
        let turn = arm.cross(direction);
        let row = SVector::<f64, 7>::from_column_slice(&[
            turn.x,
            turn.y,
            turn.z,
            direction.x,
            direction.y,
            direction.z,
            arm.dot(direction),
        ]);
        normal_matrix += weight * row * row.transpose();
        right += weight * gap * row;
    };
    for pair in pairs {
        let (arm, gap) = (pair.from.coords - centre, pair.to - pair.from);
        add(0.9, &pair.normal, &arm, gap.dot(&pair.normal));
        for axis in [Vector::x(), Vector::y(), Vector::z()] {
            add(0.1, &axis, &arm, gap.dot(&axis));
        }
    }
    if !with_scale {
        normal_matrix[(6, 6)] *= 1e9;
    }
    let x = normal_matrix.cholesky()?.solve(&right);
    let turn = Rotation3::new(Vector::new(x[0], x[1], x[2]));
    let grow = x[6].clamp(-0.2, 0.2).exp();
    let shift = Vector::new(x[3], x[4], x[5]);
    let moved = Similarity {
        rotation: turn * pose.rotation,
        scale: pose.scale * grow,
        translation: turn * (pose.translation - centre) * grow + centre + shift,
    };
    (moved.scale.is_finite() && moved.translation.iter().all(|c| c.is_finite())).then_some(moved)
}
