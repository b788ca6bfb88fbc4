//! From the masks of records to their outlines.

use super::closed::Closed;
use super::contour::contour;
use super::correspondence::{Placed, place};
use super::making::{Correspondence, MaskMaking, Outlines};
use super::plane::{Plane, Problem};
use super::records::{Record, each, notes, told, unclear};
use crate::io::{Opened, ReadError};

/// The outlines of the masks in a file, or in a folder with a file for each record: this many landmarks on each, put by `making` and by a
/// public atlas with as many, where there is one.
///
/// # Errors
/// What an option has to decide for all records: several labels, no spacing where lengths matter, a volume without a rule for its slice;
/// elastic correspondence without an atlas.
pub fn outlines(
    file: &Opened,
    making: &MaskMaking,
    atlas: Option<&[[f64; 2]]>,
    landmarks: usize,
) -> Result<Outlines, ReadError> {
    let atlas = match atlas.map(|points| Closed::new(points.to_vec())) {
        Some(None) => {
            return Err(unclear(file, "an atlas needs at least three landmarks in different places".into()));
        }
        Some(atlas) => atlas,
        None if making.correspondence == Some(Correspondence::Elastic) => {
            let what = "holds masks; elastic correspondence needs a public outline to go by: give it as --atlas FILE";
            return Err(unclear(file, what.into()));
        }
        None => None,
    };
    let usual = if atlas.is_some() { Correspondence::Elastic } else { Correspondence::Index };
    let how = making.correspondence.unwrap_or(usual);
    let records = each(file, making, |grid, remarks| {
        let (curve, found) = contour(&Plane::of(grid, making)?)?;
        remarks.extend(found);
        place(&curve, how, atlas.as_ref(), landmarks).ok_or_else(|| Problem::record("has no outline"))
    })?;
    let is = |record: &Record<Placed>, what: fn(&Placed) -> bool| record.made.as_ref().is_ok_and(what);
    let ambiguous = match atlas {
        Some(_) => "fit the atlas nearly as well from another start",
        None => {
            "have two points nearly as far from the middle, so that the first landmark may be at either; --atlas decides"
        }
    };
    let mirrored =
        "fit the mirror image of the atlas better: does its y run downwards, or are they of the other side?";
    let mut notes = notes(&records, making);
    notes.extend(told(&records, ambiguous, |record| is(record, |placed| placed.ambiguous)));
    notes.extend(told(&records, mirrored, |record| is(record, |placed| placed.mirrored)));
    let shapes = records.into_iter().map(|record| (record.name, record.made.map(|placed| placed.points)));
    let shapes = shapes.map(|(name, made)| (name, made.map_err(Problem::into_text))).collect();
    Ok(Outlines { shapes, notes })
}
