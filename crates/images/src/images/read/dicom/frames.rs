//! Where frames lie, and which segment each shows (PS3.3, C.7.6.16): told for all frames, or for each.

use super::dataset::Dataset;
use super::flipped;
use super::stack::Stack;
use crate::images::grid::Place;
use crate::io::Fault;
use nalgebra::{Matrix3, Vector3};

/// What is told for all frames, and for each.
const SHARED: u32 = 0x5200_9229;
const EACH: u32 = 0x5200_9230;

/// A frame.
pub(super) struct Frame {
    /// The segment it shows; 0 where it is not told.
    pub segment: u16,
    /// The middle of its first pixel, in mm towards left, back and head.
    position: Option<Vector3<f64>>,
    /// Where a row and a column run.
    axes: Option<[f64; 6]>,
    /// From row to row and from column to column, in mm.
    spacing: Option<[f64; 2]>,
    /// From slice to slice, as told.
    between: Option<f64>,
}

/// Where the pixels of frames belong in a volume.
pub(super) struct Layout {
    pub place: Place,
    /// The slice of each frame.
    pub slices: Vec<usize>,
    /// How many slices there are.
    pub depth: usize,
    /// Whether it is a picture, of which nobody knows where it lies.
    pub is_picture: bool,
}

/// All frames.
pub(super) fn frames(dataset: Dataset) -> Result<Vec<Frame>, Fault> {
    let shared = dataset.first(SHARED)?;
    let frame = |own: Option<Dataset>| -> Result<Frame, Fault> {
        // The group of this name: the frame's, else that of all.
        let group = |tag: u32| match own.map(|own| own.first(tag)).transpose()?.flatten() {
            Some(found) => Ok(Some(found)),
            None => shared.map(|shared| shared.first(tag)).transpose().map(Option::flatten),
        };
        let (measures, position) = (group(0x0028_9110)?, group(0x0020_9113)?);
        let (axes, segment) = (group(0x0020_9116)?, group(0x0062_000a)?);
        let between = measures.map(|m| m.numbers(0x0018_0088)).transpose()?.flatten();
        Ok(Frame {
            segment: segment.map(|s| s.short(0x0062_000b)).transpose()?.flatten().unwrap_or_default() as u16,
            position: position.map(|p| p.numbers(0x0020_0032)).transpose()?.flatten().map(Vector3::from),
            axes: axes.map(|a| a.numbers(0x0020_0037)).transpose()?.flatten(),
            spacing: measures.map(|m| m.numbers(0x0028_0030)).transpose()?.flatten(),
            between: between.map(|[between]: [f64; 1]| between.abs()),
        })
    };
    match dataset.find(EACH)? {
        Some(each) => each.items().map(|item| frame(Some(item?))).collect(),
        None => Ok(vec![frame(None)?]),
    }
}

/// Whether two are the same but for rounding.
fn alike(a: &[f64], b: &[f64], size: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-3 * size)
}

impl Layout {
    /// Of frames; there is at least one.
    ///
    /// # Errors
    /// Frames of several directions or sizes of pixels, or not one behind the other at even distances; some without a place.
    pub fn of(frames: &[Frame]) -> Result<Self, Fault> {
        let first = &frames[0];
        let spacing = first.spacing.filter(|s| s.iter().all(|s| *s > 0.0));
        if frames.iter().all(|frame| frame.position.is_none()) {
            return Ok(Self {
                place: spacing.map_or(Place::Unknown, |[y, x]| Place::Spacing([x, y, 1.0])),
                slices: vec![0; frames.len()],
                depth: 1,
                is_picture: true,
            });
        }
        let (Some(axes), Some(spacing)) = (first.axes, spacing) else {
            return Err(Fault::Malformed(
                "does not tell the size or direction of its pixels; export it from the images it belongs to",
            ));
        };
        let same = |frame: &Frame| {
            frame.axes.is_some_and(|other| alike(&axes, &other, 1.0))
                && frame.spacing.is_some_and(|other| alike(&spacing, &other, spacing[0].min(spacing[1])))
        };
        if !frames.iter().all(same) {
            return Err(Fault::Malformed(
                "has frames in several directions or sizes of pixels; export it in one direction",
            ));
        }
        let [row, column] = [0, 3].map(|k| Vector3::new(axes[k], axes[k + 1], axes[k + 2]));
        let normal = row.cross(&column);
        let is_square = |v: &Vector3<f64>| (v.norm() - 1.0).abs() < 1e-3;
        if ![row, column, normal].iter().all(is_square) {
            return Err(Fault::Malformed(
                "has rows and columns that are not at right angles; export it again",
            ));
        }
        let positions: Option<Vec<Vector3<f64>>> = frames.iter().map(|frame| frame.position).collect();
        let Some(positions) = positions else {
            return Err(Fault::Malformed("does not tell where all of its frames lie; export it again"));
        };
        let along: Vec<f64> = positions.iter().map(|p| p.dot(&normal)).collect();
        let pixel = spacing[0].min(spacing[1]);
        let stack = Stack::of(&along, 0.01 * pixel, first.between.filter(|told| *told > 0.0))?;
        let at = |slice: usize| stack.numbers.iter().position(|n| *n == slice).map(|n| positions[n]);
        let Some((low, high)) = at(0).zip(at(stack.slices - 1)) else {
            return Err(Fault::Malformed("has slices at uneven distances; resample it to even ones"));
        };
        // Slices may be sheared (a tilted gantry), evenly.
        let step = if stack.slices > 1 {
            (high - low) / (stack.slices - 1) as f64
        } else {
            normal * if stack.step.is_finite() { stack.step } else { 1.0 }
        };
        let off = |(p, n): (&Vector3<f64>, &usize)| {
            let d = p - low - step * *n as f64;
            (d - normal * d.dot(&normal)).norm() > 0.1 * pixel
        };
        if positions.iter().zip(&stack.numbers).any(off) {
            return Err(Fault::Malformed(
                "has frames that do not lie behind one another; export it as one volume",
            ));
        }
        let steps = [row * spacing[1], column * spacing[0], step].map(flipped);
        Ok(Self {
            place: Place::Body(Matrix3::from_columns(&steps), flipped(low)),
            depth: stack.slices,
            slices: stack.numbers,
            is_picture: false,
        })
    }
}
