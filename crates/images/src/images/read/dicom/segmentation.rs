//! Segmentations: frames of one segment each (binary), or of all segments at once (label map). Slices without a frame are empty.

use super::dataset::Dataset;
use super::frames::{Layout, frames};
use super::names;
use super::pixels::{Packing, Pixels};
use crate::images::grid::Grid;
use crate::images::making::Label;
use crate::images::read::picture::turned;
use crate::io::Fault;
use std::collections::{BTreeSet, HashSet};

/// The mask of all segments; in that of one that is asked for no other hides a part of it.
pub(super) fn read(dataset: Dataset, packing: Packing, label: Option<&Label>) -> Result<Grid, Fault> {
    let is_map = match dataset.text(0x0062_0001)? {
        Some("BINARY") => false,
        Some("LABELMAP") => true,
        Some("FRACTIONAL") => {
            return Err(Fault::Malformed(
                "is a fractional segmentation, whose pixels are parts or probabilities; export it as binary, with a threshold",
            ));
        }
        _ => return Err(Fault::Malformed("does not tell whether its segments are binary; export it again")),
    };
    let number = |tag: u32| -> Result<usize, Fault> { Ok(dataset.short(tag)?.unwrap_or_default()) };
    let (rows, columns, bits) = (number(0x0028_0010)?, number(0x0028_0011)?, number(0x0028_0100)?);
    if number(0x0028_0002)? > 1 {
        return Err(Fault::Malformed("is a coloured picture; export the mask as a segmentation"));
    }
    let all = frames(dataset)?;
    let frames = &all.each;
    let promised = dataset.numbers::<1>(0x0028_0008)?.map_or(1.0, |[n]| n);
    if promised != frames.len() as f64 {
        return Err(Fault::Malformed("has another number of frames than it tells; export it again"));
    }
    let layout = Layout::of(&all)?;
    let shape = [columns, rows, layout.depth];
    let count = Grid::count(shape)?;
    let pixels = Pixels::of(dataset, packing, bits, rows * columns, frames.len())?;
    let mut taken = HashSet::new();
    for (frame, slice) in frames.iter().zip(&layout.slices) {
        if !is_map && frame.segment == 0 {
            return Err(Fault::Malformed("does not tell which segment its frames show; export it again"));
        }
        if !taken.insert((if is_map { 0 } else { frame.segment }, *slice)) {
            return Err(Fault::Malformed(
                "has several frames of one segment in one place, as of several times; export one of them",
            ));
        }
    }
    let padding = if is_map { dataset.short(0x0028_0120)?.unwrap_or_default() as u16 } else { 0 };
    let mut labels = vec![0u16; count];
    let mut covered = BTreeSet::new();
    // The segment that is asked for comes last, and is whole.
    let names = names::segments(dataset)?;
    let chosen = label.and_then(|label| names.number(label).ok()).flatten();
    let asked = |n: &usize| chosen == Some(frames[*n].segment);
    let order = (0..frames.len()).filter(|n| !asked(n)).chain((0..frames.len()).filter(asked));
    for n in order {
        let slice = &mut labels[layout.slices[n] * rows * columns..][..rows * columns];
        for (place, value) in slice.iter_mut().zip(pixels.frame(n)?) {
            let found = match (is_map, value) {
                (true, 0) if padding != 0 => {
                    return Err(Fault::Malformed("has a segment of number 0; number segments from 1"));
                }
                (true, value) if value == padding => 0,
                (true, value) => value,
                (false, 0) => 0,
                (false, 1) => frames[n].segment,
                (false, _) => {
                    return Err(Fault::Malformed("is not binary, as it says it is; export it again"));
                }
            };
            if found != 0 {
                if *place != 0 {
                    covered.insert(*place);
                }
                *place = found;
            }
        }
    }
    let mut grid = Grid { names, covered, cropped: true, ..Grid::of(shape, labels, layout.place) };
    if layout.is_picture {
        turned(&mut grid);
    }
    Ok(grid)
}
