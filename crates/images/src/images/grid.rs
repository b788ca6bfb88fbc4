//! Labels on a grid, and where the grid lies in the body.

use super::names::Names;
use crate::io::Fault;
use nalgebra::{Matrix3, Vector3};
use std::collections::BTreeSet;

/// The most voxels of a mask: 2²⁸, a body at 1 mm. Masks are packed a thousandfold, so their files' sizes bound nothing.
pub(super) const MOST: usize = 1 << 28;

/// Where voxels lie.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Place {
    /// Nothing is known.
    Unknown,
    /// The length of a voxel along each axis, in mm.
    Spacing([f64; 3]),
    /// A column for each axis: the step to the next voxel, in mm towards right, front and head (RAS); and where voxel 0 is.
    Body(Matrix3<f64>, Vector3<f64>),
}

impl Place {
    /// The same for steps and a place towards left, back and head (LPS).
    pub fn lps(steps: [Vector3<f64>; 3], origin: Vector3<f64>) -> Self {
        let turned = |v: Vector3<f64>| Vector3::new(-v.x, -v.y, v.z);
        Self::Body(Matrix3::from_columns(&steps.map(turned)), turned(origin))
    }
}

/// A labelled volume; a picture has one slice.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// Voxels along each axis.
    pub shape: [usize; 3],
    /// The labels, first axis fastest; 0 is background.
    pub labels: Vec<u16>,
    pub place: Place,
    /// What the data holder should know of the file.
    pub notes: Vec<String>,
    /// What the file calls its labels.
    pub names: Names,
    /// Labels that the file holds, where others may hide them.
    pub covered: BTreeSet<u16>,
    /// Whether slices without any organ were left out at the ends of the last axis, so that what ends there is whole.
    pub cropped: bool,
    /// The contours that slices were filled from, if they were drawn.
    pub drawn: Vec<Drawn>,
}

/// A contour on a slice.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drawn {
    pub label: u16,
    pub slice: usize,
    /// Its corners in voxels along the first two axes, 0 in the middle of the first one.
    pub points: Vec<[f64; 2]>,
}

impl Grid {
    /// How many voxels a grid of this shape has.
    ///
    /// # Errors
    /// None, or more than [`MOST`].
    pub fn count(shape: [usize; 3]) -> Result<usize, Fault> {
        let count = shape.iter().try_fold(1usize, |n, &k| n.checked_mul(k)).filter(|n| *n <= MOST);
        match count {
            None => Err(Fault::Malformed("has more than 2^28 voxels; crop it to the organ")),
            Some(0) => Err(Fault::Malformed("has no voxels; export it again")),
            Some(count) => Ok(count),
        }
    }

    /// A grid of these values.
    ///
    /// # Errors
    /// Values that are not labels, or another number of them.
    pub fn new(shape: [usize; 3], values: impl Iterator<Item = f64>, place: Place) -> Result<Self, Fault> {
        let count = Self::count(shape)?;
        let mut labels = Vec::new();
        for value in values.take(count) {
            let is_label = (0.0..=65535.0).contains(&value) && value.fract() == 0.0;
            if !is_label {
                return Err(Fault::Malformed(
                    "holds values other than whole numbers from 0 to 65535: it is an image, not a mask; export the segmentation",
                ));
            }
            labels.push(value as u16);
        }
        if labels.len() < count {
            return Err(Fault::Truncated { what: "voxels", promised: count, found: labels.len() });
        }
        Ok(Self::of(shape, labels, place))
    }

    /// A grid of these labels, as many as it has voxels.
    pub fn of(shape: [usize; 3], labels: Vec<u16>, place: Place) -> Self {
        Self {
            shape,
            labels,
            place,
            notes: Vec::new(),
            names: Names::default(),
            covered: BTreeSet::new(),
            cropped: false,
            drawn: Vec::new(),
        }
    }

    /// The labels beside the background, in order; at most nine.
    pub fn present(&self) -> BTreeSet<u16> {
        let (mut found, mut last): (BTreeSet<u16>, _) = (self.covered.iter().copied().take(9).collect(), 0);
        for &label in &self.labels {
            if label != last && label != 0 {
                found.insert(label);
                if found.len() > 8 {
                    break;
                }
            }
            last = label;
        }
        found
    }

    /// The organ's voxels: those of this label, or all that are not background.
    pub fn organ(&self, label: Option<u16>) -> Vec<bool> {
        let is_organ = |&found: &u16| label.map_or(found != 0, |value| found == value);
        self.labels.iter().map(is_organ).collect()
    }

    /// Lengths of a voxel along the axes, where known.
    pub fn spacing(&self) -> Option<[f64; 3]> {
        match &self.place {
            Place::Unknown => None,
            Place::Spacing(spacing) => Some(*spacing),
            Place::Body(steps, _) => Some([0, 1, 2].map(|k| steps.column(k).norm())),
        }
    }

    /// For each direction of the body (right, front, head): the axis nearest to it, and whether it runs the other way. `None` where nothing is
    /// known.
    pub fn axes(&self) -> Option<[(usize, bool); 3]> {
        let Place::Body(steps, _) = &self.place else { return None };
        // The best of the six orders, so that no axis is taken twice.
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let fit = |order: &[usize; 3]| {
            order.iter().enumerate().map(|(d, &k)| steps[(d, k)].abs() / steps.column(k).norm()).sum::<f64>()
        };
        let order = orders.into_iter().max_by(|a, b| fit(a).total_cmp(&fit(b)))?;
        Some([0, 1, 2].map(|d| (order[d], steps[(d, order[d])] < 0.0)))
    }

    /// The directions that the axes point to, in letters, as `LPS`; `None` where nothing is known.
    pub fn code(&self) -> Option<String> {
        let axes = self.axes()?;
        let letter = |k: usize| {
            let d = axes.iter().position(|(axis, _)| *axis == k)?;
            Some(if axes[d].1 { ['L', 'P', 'I'][d] } else { ['R', 'A', 'S'][d] })
        };
        (0..3).map(letter).collect()
    }
}
