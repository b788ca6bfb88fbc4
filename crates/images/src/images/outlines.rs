//! From the masks of records to their outlines.

use super::closed::Closed;
use super::contour::contour;
use super::correspondence::{Placed, place};
use super::making::{Correspondence, MaskMaking, Outlines};
use super::plane::{Plane, Problem};
use super::records::{Record, each, joined, notes, told, unclear};
use crate::io::{Opened, ReadError};

/// The outlines of the masks in a file, or in a folder with a file for each record: this many landmarks on each, put by `making` and by a
/// public atlas with as many, where there is one. Of several outlines in a picture, and in the atlas, one after the other.
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
    if making.has_outline_twice() {
        let what = "holds masks; of several --label each must be another one, and none \"any\": an outline is of one label";
        return Err(unclear(file, what.into()));
    }
    let curves = |points: &[[f64; 2]]| -> Option<Vec<Closed>> {
        let whole = points.len() == landmarks * making.curves();
        let curves = points.chunks(landmarks).map(|points| Closed::new(points.to_vec()));
        curves.collect::<Option<_>>().filter(|_| whole)
    };
    let atlas = match atlas.map(curves) {
        Some(None) => {
            return Err(unclear(
                file,
                "an atlas needs at least three landmarks in different places on each outline, as many as are put on it"
                    .into(),
            ));
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
    let one = |making: &MaskMaking| {
        each(file, making, |grid, remarks| {
            let (curve, found) = contour(&Plane::of(grid, making)?)?;
            remarks.extend(found);
            Ok(curve)
        })
    };
    let of_each = making.of_each().iter().map(one).collect::<Result<Vec<_>, _>>()?;
    let placed = |curves: Vec<Closed>| {
        let placed = place(&curves, how, atlas.as_deref(), landmarks);
        placed.ok_or_else(|| Problem::record("has no outline"))
    };
    let records = joined(of_each, placed);
    let is = |record: &Record<Placed>, what: fn(&Placed) -> bool| record.made.as_ref().is_ok_and(what);
    let ambiguous = match &atlas {
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
