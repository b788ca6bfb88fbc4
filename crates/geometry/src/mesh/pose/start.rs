//! Rough poses to start from.

use super::super::{Point, Vector};
use super::finder::{NOSE_SURROUNDINGS, PoseFinder};
use super::icp::Keep;
use super::sampled::Sampled;
use super::similarity::{Similarity, angle_between};
use super::steps::Steps;
use nalgebra::{Matrix3, Rotation3, SymmetricEigen, Unit};
use std::f64::consts::TAU;

/// Sizes of the face as fractions of that of the scan: above one for a scan of less than the template, far below for
/// a bust.
const SCALES: [f64; 8] = [1.6, 1.25, 1.0, 0.8, 0.62, 0.48, 0.37, 0.29];
/// Turns about the facing direction.
const TURNS: usize = 10;
/// Points of the cloud in which tips with large surroundings are sought.
const COARSE_POINTS: usize = 700;
/// How many starts are refined.
const STARTS: usize = 16;
/// Points that stand out most, at each scale.
const TIPS: usize = 10;

/// Rough poses of a scan of little more or less than the face: centre on centre, facing either way along the shortest
/// axis, turned all the way round.
pub(crate) fn whole(finder: &PoseFinder, scan: &Sampled) -> Vec<Similarity> {
    let (centre, size) = scan.centre_and_size();
    let (template_centre, template_size) = finder.template.centre_and_size();
    let shortest = flattest(scan);
    let scale = size / template_size;
    let place = |rotation: Rotation3<f64>| Similarity {
        rotation,
        scale,
        translation: centre.coords - rotation * template_centre.coords * scale,
    };
    [shortest, -shortest].iter().flat_map(|facing| around(finder, facing, 12)).map(place).collect()
}

/// The direction in which points reach least, of either sign.
pub(super) fn flattest(scan: &Sampled) -> Vector {
    let (centre, _) = scan.centre_and_size();
    let mut moments = Matrix3::zeros();
    for p in &scan.points {
        moments += (p - centre) * (p - centre).transpose();
    }
    let eigen = SymmetricEigen::new(moments);
    eigen.eigenvectors.column(eigen.eigenvalues.imin()).into_owned()
}

/// Rough poses with the nose at a point that stands out as the template's does, best first.
pub(crate) fn with_nose_at_tips(finder: &PoseFinder, scan: &Sampled) -> Vec<Similarity> {
    let (_, size) = scan.centre_and_size();
    let mut starts = Vec::new();
    let coarse = Sampled::new(&scan.points, COARSE_POINTS);
    for share in SCALES {
        let scale = share * size / finder.size;
        // Large surroundings need few points.
        let cloud = coarse.as_ref().filter(|_| share > 0.6).unwrap_or(scan);
        for (tip, facing) in tips(finder, cloud, scale) {
            starts.extend(around(finder, &facing, TURNS).map(|rotation| Similarity {
                rotation,
                scale,
                translation: tip.coords - rotation * finder.nose.coords * scale,
            }));
        }
    }
    let n = finder.template.points.len();
    let every = |wanted: usize, of: usize| -> Vec<usize> { (0..of).step_by(of.div_ceil(wanted)).collect() };
    let m = scan.points.len();
    let mut ranked = rank(finder, scan, &every(10, n), &every(60, m), starts);
    ranked.truncate(ranked.len() / 3);
    let mut ranked = rank(finder, scan, &every(24, n), &every(120, m), ranked);
    ranked.truncate(120);
    // A few rigid steps first: far off, the scale would follow whatever is nearest.
    let probes = every(32, n);
    let closer = ranked.iter().filter_map(|pose| {
        let rigid = finder.refine(pose, scan, &probes, &Steps::afresh(5, Keep::NearestRigid))?;
        finder.refine(&rigid, scan, &probes, &Steps::afresh(3, Keep::Nearest))
    });
    let closer = rank(finder, scan, &every(40, n), &every(120, m), closer.collect());
    distinct(finder, closer)
}

/// The best of the starts, none like a better one: those would be refined to the same pose.
fn distinct(finder: &PoseFinder, ranked: Vec<Similarity>) -> Vec<Similarity> {
    let mut chosen: Vec<Similarity> = Vec::new();
    for pose in ranked {
        let alike = |other: &Similarity| {
            angle_between(&other.rotation, &pose.rotation) < 0.6
                && (other.scale / pose.scale).ln().abs() < 0.3
                && (other.apply(&finder.nose) - pose.apply(&finder.nose)).norm()
                    < 0.35 * finder.size * pose.scale
        };
        if !chosen.iter().any(alike) {
            chosen.push(pose);
            if chosen.len() == STARTS {
                break;
            }
        }
    }
    chosen
}

fn rank(
    finder: &PoseFinder,
    scan: &Sampled,
    probes: &[usize],
    back: &[usize],
    starts: Vec<Similarity>,
) -> Vec<Similarity> {
    let mut scored: Vec<(f64, Similarity)> =
        starts.into_iter().map(|pose| (misfit(finder, scan, probes, back, &pose), pose)).collect();
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    scored.into_iter().map(|(_, pose)| pose).collect()
}

/// Mean distance from the moved template to the scan and back (from scan points near the nose), over the size of the
/// face, each at most 0.3. One way alone is small for a template shrunk to a patch.
fn misfit(finder: &PoseFinder, scan: &Sampled, probes: &[usize], back: &[usize], pose: &Similarity) -> f64 {
    let size = finder.size * pose.scale;
    let capped = |&i: &usize| {
        let (j, squared) = scan.nearest(&pose.apply(&finder.template.points[i]));
        let alike = (pose.rotation * finder.template.normals[i]).dot(&scan.normals[j]).abs();
        (squared.sqrt() / size).min(0.3) + 0.05 * (1.0 - alike)
    };
    let there = probes.iter().map(capped).sum::<f64>() / probes.len() as f64;
    let nose = pose.apply(&finder.nose);
    let (mut sum, mut count) = (0.0, 0.0);
    for &j in back {
        if (scan.points[j] - nose).norm_squared() < size * size {
            let (i, squared) = finder.template.nearest(&pose.invert(&scan.points[j]));
            let alike = (pose.rotation * finder.template.normals[i]).dot(&scan.normals[j]).abs();
            sum += (squared.sqrt() / finder.size).min(0.3) + 0.05 * (1.0 - alike);
            count += 1.0;
        }
    }
    there + sum / f64::max(count, 1.0)
}

/// Rotations that take the template's facing direction to `facing`, all the way round.
fn around(finder: &PoseFinder, facing: &Vector, turns: usize) -> impl Iterator<Item = Rotation3<f64>> {
    let towards = Rotation3::rotation_between(&finder.facing, facing).unwrap_or_else(|| {
        // Opposite: half a turn about any axis across.
        let across = finder.facing.cross(&Vector::x()) + finder.facing.cross(&Vector::y());
        Rotation3::from_axis_angle(&Unit::new_normalize(across), std::f64::consts::PI)
    });
    let axis = Unit::new_normalize(*facing);
    (0..turns).map(move |k| Rotation3::from_axis_angle(&axis, TAU * k as f64 / turns as f64) * towards)
}

/// Points that stand out from their surroundings most nearly as the template's nose does, none near a better one, with
/// the direction they stand out to.
fn tips(finder: &PoseFinder, scan: &Sampled, scale: f64) -> Vec<(Point, Vector)> {
    let radius = NOSE_SURROUNDINGS * finder.size * scale;
    let all: Vec<Vector> =
        (0..scan.points.len()).map(|i| scan.protrusion(&scan.points[i], &scan.normals[i], radius)).collect();
    let mut by_height: Vec<usize> = (0..all.len()).collect();
    by_height.sort_by(|&a, &b| all[b].norm_squared().total_cmp(&all[a].norm_squared()).then(a.cmp(&b)));
    let mut peaks: Vec<(f64, usize)> = Vec::new();
    for i in by_height {
        let p = scan.points[i];
        if all[i].norm() > 0.3 * finder.prominence * scale
            && peaks.iter().all(|&(_, j)| (p - scan.points[j]).norm() > 0.8 * radius)
        {
            peaks.push(((all[i].norm() / (finder.prominence * scale)).ln().abs(), i));
        }
    }
    peaks.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    peaks.truncate(TIPS);
    peaks.into_iter().map(|(_, i)| (scan.points[i], all[i].normalize())).collect()
}
