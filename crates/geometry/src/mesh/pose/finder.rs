//! A template whose pose is sought.

use super::relief::relief;
use super::sampled::Sampled;
use crate::mesh::{MidPlane, Point, TriMesh, Vector};
use std::sync::OnceLock;

/// Points of the evened-out template.
const TEMPLATE_POINTS: usize = 700;
/// Points of the surroundings of the nose, in the template and in a scan.
pub(super) const NOSE_POINTS: usize = 1000;
/// The surroundings of the nose tip that are fitted by themselves, as fractions of the template's size.
pub(super) const NOSE_REACHES: [f64; 3] = [0.64, 0.48, 0.32];
/// The surroundings above which the nose stands out, as a fraction of the template's size.
pub(super) const NOSE_SURROUNDINGS: f64 = 0.45;

/// One reason for all scans in which no pose is believed; what was seen in the best pose follows in brackets, which another cut, turn or noise of
/// the same scan may change.
const NOT_FOUND: &str = "no face could be located for certain: is it one face, whole enough? one side of a face, or less than 60 mm \
                         about the nose, may be too little, and so are few points: scan more of it";

/// Why no pose was found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PoseError {
    /// The scan or the template has too few points, or coordinates that are not numbers.
    #[error("{0}")]
    Unusable(String),
    /// Nothing in the scan resembles the template.
    #[error(
        "{NOT_FOUND} (the best match of the template is off by {residual:.2} of its size, {limit:.2} at most)"
    )]
    NoFace {
        /// The residual of the best match.
        residual: f64,
        /// The largest one accepted.
        limit: f64,
    },
    /// Where both template and scan are, they differ too much in every pose.
    #[error(
        "{NOT_FOUND} (in the best pose scan and template agree by {agreement:.2} where both are, {least:.2} at least)"
    )]
    Doubtful {
        /// The best agreement found, 1 for the template itself.
        agreement: f64,
        /// The least accepted.
        least: f64,
    },
    /// Two poses turned against one another fit nearly alike, and neither well.
    #[error("{NOT_FOUND} (two poses turned against one another fit nearly alike, and neither well)")]
    Undecided,
    /// What resembles the template is too smooth to be a face.
    #[error(
        "{NOT_FOUND} (in the best pose the surface about the nose is smooth: {relief:.2} of the template's relief, {least:.2} at least)"
    )]
    NoNose {
        /// What is left of the surroundings of the nose without their roundness, over the same of the template.
        relief: f64,
        /// The least accepted.
        least: f64,
    },
    /// Where the nose would be there are too few points to tell a face from a ball.
    #[error("{NOT_FOUND} (in the best pose {near} points lie about the nose, {fewest} at least)")]
    TooFew {
        /// How many there are.
        near: usize,
        /// The least accepted.
        fewest: usize,
    },
    /// A point lies so far from all others that nothing can be seen beside it.
    #[error(
        "point {point} (counting from 0) lies {times:.0e} times as far out as most others; it is a mistake of the scanner or of an export: delete it"
    )]
    Stray {
        /// Which, from 0.
        point: usize,
        /// How many times as far from the middle as three quarters of the points.
        times: f64,
    },
}

/// A template prepared for finding its pose in scans.
#[derive(Debug)]
pub struct PoseFinder {
    pub(super) template: Sampled,
    /// The surroundings of the nose tip at full density.
    pub(super) nose_patch: Sampled,
    pub(super) size: f64,
    pub(super) nose: Point,
    /// Unit vector out of the face at the nose tip.
    pub(super) facing: Vector,
    /// How far the nose tip stands out of its surroundings.
    pub(super) prominence: f64,
    /// How rough the surroundings of the nose are ([`relief`]).
    pub(super) relief: Option<f64>,
    /// All points of the template; none of a half.
    pub(super) points: Vec<Point>,
    /// Its halves, if it is nearly symmetric: made where they are needed.
    pub(super) halves: OnceLock<Option<Box<Halves>>>,
}

/// What a template needs to be laid on one side of a face.
#[derive(Debug)]
pub(super) struct Halves {
    /// In template coordinates.
    pub plane: MidPlane,
    /// Either half as a template of its own.
    pub sides: Vec<PoseFinder>,
}

impl PoseFinder {
    /// Prepares a template: a face facing any way, with the vertex number of its nose tip.
    ///
    /// # Errors
    /// [`PoseError::Unusable`] when the nose is no vertex or the template has too few points.
    pub fn new(template: &TriMesh, template_nose: usize) -> Result<Self, PoseError> {
        let unusable = |text: &str| PoseError::Unusable(text.into());
        let nose = *template
            .vertices()
            .get(template_nose)
            .ok_or_else(|| unusable("the nose tip of the template is not one of its vertices"))?;
        let sampled = Sampled::new(template.vertices(), TEMPLATE_POINTS)
            .filter(|s| s.points.len() >= 100)
            .ok_or_else(|| unusable("the template needs at least 100 points"))?;
        let (_, size) = sampled.centre_and_size();
        let (nearest, _) = sampled.nearest(&nose);
        let facing = sampled.protrusion(&nose, &sampled.normals[nearest], NOSE_SURROUNDINGS * size);
        let prominence = facing.norm();
        let facing = facing
            .try_normalize(0.0)
            .ok_or_else(|| unusable("the template's nose tip does not stand out"))?;
        let relief = relief(sampled.points.iter().copied(), &nose, &facing, size);
        let reach = 1.5 * NOSE_REACHES[0] * size;
        let around = template.vertices().iter().filter(|p| (*p - nose).norm() < reach).copied();
        let nose_patch = Sampled::new(&around.collect::<Vec<_>>(), NOSE_POINTS)
            .ok_or_else(|| unusable("the template has no points around its nose tip"))?;
        let (points, halves) = (template.vertices().to_vec(), OnceLock::new());
        Ok(Self { nose_patch, template: sampled, size, nose, facing, prominence, relief, points, halves })
    }

    /// What of it is kept, as a template of its own, which faces the same way.
    pub(super) fn part(&self, keep: impl Fn(&Point) -> bool) -> Option<Self> {
        let points: Vec<Point> = self.points.iter().filter(|p| keep(p)).copied().collect();
        let template = Sampled::new(&points, self.template.points.len())?;
        let nose_patch = Sampled::new(&self.nose_patch.points, self.nose_patch.points.len())?;
        Some(Self { template, nose_patch, points: Vec::new(), halves: OnceLock::new(), ..*self })
    }

    /// The size of the template: the root of the mean squared distance of its points from their mean.
    pub fn size(&self) -> f64 {
        self.size
    }
}
