//! Where frames lie, and which segment each shows (PS3.3, C.7.6.16): told for all frames, or for each.

use super::dataset::Dataset;
use super::stack::Stack;
use crate::images::grid::Place;
use crate::images::read::nifti::is_regular;
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
}

/// What all frames have in common.
#[derive(Clone, Copy)]
struct Common {
    /// Where a row and a column run.
    axes: Option<[f64; 6]>,
    /// From row to row and from column to column, in mm.
    spacing: Option<[f64; 2]>,
    /// From slice to slice, as told.
    between: Option<f64>,
}

/// All frames.
pub(super) struct Frames {
    common: Common,
    pub each: Vec<Frame>,
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

/// Groups of what is told: sizes of pixels, position, directions, segment.
const GROUPS: [u32; 4] = [0x0028_9110, 0x0020_9113, 0x0020_9116, 0x0062_000a];

type Groups<'a> = [Option<Dataset<'a>>; 4];

fn groups(of: Dataset) -> Result<Groups, Fault> {
    let mut found = [None; 4];
    for (group, tag) in found.iter_mut().zip(GROUPS) {
        *group = of.first(tag)?;
    }
    Ok(found)
}

fn numbers<const N: usize>(group: Option<Dataset>, tag: u32) -> Result<Option<[f64; N]>, Fault> {
    Ok(group.map(|group| group.numbers(tag)).transpose()?.flatten())
}

/// All frames of a segmentation.
///
/// # Errors
/// None; frames of several directions or sizes of pixels.
pub(super) fn frames(dataset: Dataset) -> Result<Frames, Fault> {
    let shared = dataset.first(SHARED)?.map(groups).transpose()?.unwrap_or_default();
    let read = |own: Groups| -> Result<(Frame, Common), Fault> {
        let [measures, position, axes, segment] = std::array::from_fn(|k| own[k].or(shared[k]));
        let frame = Frame {
            segment: segment.map(|s| s.short(0x0062_000b)).transpose()?.flatten().unwrap_or_default() as u16,
            position: numbers(position, 0x0020_0032)?.map(Vector3::from),
        };
        let common = Common {
            axes: numbers(axes, 0x0020_0037)?,
            spacing: numbers(measures, 0x0028_0030)?,
            between: numbers(measures, 0x0018_0088)?.map(|[between]: [f64; 1]| between.abs()),
        };
        Ok((frame, common))
    };
    let (mut each, mut first) = (Vec::new(), None);
    let items = dataset.find(EACH)?.map(|each| each.items().map(|item| groups(item?)));
    let alone = items.is_none().then(|| Ok(Groups::default()));
    for own in items.into_iter().flatten().chain(alone) {
        let (frame, common) = read(own?)?;
        if !first.get_or_insert(common).is_like(&common) {
            return Err(Fault::Malformed(
                "has frames in several directions or sizes of pixels; export it in one direction",
            ));
        }
        each.push(frame);
    }
    match first {
        Some(common) => Ok(Frames { common, each }),
        None => Err(Fault::Malformed("has no frames; export it again")),
    }
}

impl Common {
    /// Whether two are the same but for rounding.
    fn is_like(&self, other: &Self) -> bool {
        let near = |a: Option<&[f64]>, b: Option<&[f64]>, size: f64| match (a, b) {
            (Some(a), Some(b)) => a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-3 * size),
            (a, b) => a.is_none() && b.is_none(),
        };
        let least = self.spacing.map_or(0.0, |[y, x]| y.min(x));
        near(self.axes.as_ref().map(|a| &a[..]), other.axes.as_ref().map(|a| &a[..]), 1.0)
            && near(self.spacing.as_ref().map(|a| &a[..]), other.spacing.as_ref().map(|a| &a[..]), least)
    }
}

impl Layout {
    /// Of frames.
    ///
    /// # Errors
    /// Frames that are not one behind the other at even distances; some without a place.
    pub fn of(frames: &Frames) -> Result<Self, Fault> {
        const UNKNOWN: Fault = Fault::Malformed(
            "does not tell the size or direction of its pixels; export it from the images it belongs to",
        );
        let Common { axes, spacing, between } = frames.common;
        let spacing = spacing.filter(|s| s.iter().all(|s| *s > 0.0));
        if frames.each.iter().all(|frame| frame.position.is_none()) {
            return Ok(Self {
                place: spacing.map_or(Place::Unknown, |[y, x]| Place::Spacing([x, y, 1.0])),
                slices: vec![0; frames.each.len()],
                depth: 1,
                is_picture: true,
            });
        }
        let Some((axes, spacing)) = axes.zip(spacing) else { return Err(UNKNOWN) };
        let [row, column] = [0, 3].map(|k| Vector3::new(axes[k], axes[k + 1], axes[k + 2]));
        let normal = row.cross(&column);
        let is_square = |v: &Vector3<f64>| (v.norm() - 1.0).abs() < 1e-3;
        if ![row, column, normal].iter().all(is_square) {
            return Err(Fault::Malformed(
                "has rows and columns that are not at right angles; export it again",
            ));
        }
        let positions: Option<Vec<Vector3<f64>>> = frames.each.iter().map(|frame| frame.position).collect();
        let Some(positions) = positions else {
            return Err(Fault::Malformed("does not tell where all of its frames lie; export it again"));
        };
        let along: Vec<f64> = positions.iter().map(|p| p.dot(&normal)).collect();
        let pixel = spacing[0].min(spacing[1]);
        let stack = Stack::of(&along, 0.01 * pixel, between.filter(|told| *told > 0.0))?;
        let at = |slice: usize| stack.numbers.iter().position(|n| *n == slice).map(|n| positions[n]);
        let Some((low, high)) = at(0).zip(at(stack.slices - 1)) else {
            return Err(Fault::Malformed("has slices at uneven distances; resample it to even ones"));
        };
        // Slices may be sheared (a tilted gantry), evenly.
        let step =
            if stack.slices > 1 { (high - low) / (stack.slices - 1) as f64 } else { normal * stack.step };
        let off = |(p, n): (&Vector3<f64>, &usize)| {
            let d = p - low - step * *n as f64;
            (d - normal * d.dot(&normal)).norm() > 0.1 * pixel
        };
        if positions.iter().zip(&stack.numbers).any(off) {
            return Err(Fault::Malformed(
                "has frames that do not lie behind one another; export it as one volume",
            ));
        }
        let steps = [row * spacing[1], column * spacing[0], step];
        if !is_regular(&Matrix3::from_columns(&steps)) {
            return Err(UNKNOWN);
        }
        Ok(Self {
            place: Place::lps(steps, low),
            depth: stack.slices,
            slices: stack.numbers,
            is_picture: false,
        })
    }
}
