//! DICOM: segmentations (SEG and label maps; PS3.3, A.51 and A.90) and structure sets (RT STRUCT; PS3.3, A.19). What else a file tells, names
//! among it, is neither read nor repeated.
//!
//! Read here and not by a library: those there are make room for any length that a file claims.

mod dataset;
mod frames;
mod names;
mod pixels;
mod segmentation;
mod stack;
mod structures;
#[cfg(test)]
pub(in crate::images) mod tests;

use super::gzip::inflate;
use crate::images::grid::{Grid, MOST};
use crate::images::making::Label;
use crate::io::Fault;
use dataset::Dataset;
use pixels::Packing;
use std::borrow::Cow;

/// Ways in which a data set is written (PS3.5, section 10), by their numbers.
const IMPLICIT: &str = "1.2.840.10008.1.2";
const EXPLICIT: &str = "1.2.840.10008.1.2.1";
const DEFLATED: &str = "1.2.840.10008.1.2.1.99";
const RLE: &str = "1.2.840.10008.1.2.5";
const BIG_ENDIAN: &str = "1.2.840.10008.1.2.2";

/// What stands before the first element: 128 bytes and four letters.
const PREAMBLE: usize = 132;

/// What an object is (PS3.4, annex B), where it is no mask.
const OTHERS: [(&str, &str); 10] = [
    (
        "1.2.840.10008.5.1.4.1.1.2",
        "is a CT image, not a segmentation; draw the organ in it and export that as DICOM SEG or RT STRUCT",
    ),
    (
        "1.2.840.10008.5.1.4.1.1.2.1",
        "is a CT image, not a segmentation; draw the organ in it and export that as DICOM SEG or RT STRUCT",
    ),
    (
        "1.2.840.10008.5.1.4.1.1.4",
        "is an MR image, not a segmentation; draw the organ in it and export that as DICOM SEG or RT STRUCT",
    ),
    (
        "1.2.840.10008.5.1.4.1.1.4.1",
        "is an MR image, not a segmentation; draw the organ in it and export that as DICOM SEG or RT STRUCT",
    ),
    (
        "1.2.840.10008.5.1.4.1.1.128",
        "is a PET image, not a segmentation; draw the organ in it and export that as DICOM SEG or RT STRUCT",
    ),
    ("1.2.840.10008.5.1.4.1.1.66.5", "is a DICOM surface, not a segmentation; export it as SEG"),
    ("1.2.840.10008.5.1.4.1.1.66.8", "is a DICOM height map, not a segmentation; export a SEG"),
    (
        "1.2.840.10008.5.1.4.1.1.481.2",
        "is an RT dose, not a structure set; export the RT STRUCT that goes with it",
    ),
    (
        "1.2.840.10008.5.1.4.1.1.481.5",
        "is an RT plan, not a structure set; export the RT STRUCT that goes with it",
    ),
    ("1.2.840.10008.1.3.10", "is the directory of a disc (DICOMDIR); give the segmentations that it lists"),
];

/// The mask in a DICOM file; `label`: the one that is asked for.
pub(super) fn parse(bytes: &[u8], label: Option<&Label>) -> Result<Grid, Fault> {
    // 128 bytes of any kind, then four letters (PS3.10, 7.1).
    if bytes.get(PREAMBLE - 4..PREAMBLE) != Some(b"DICM") {
        return Err(Fault::Malformed("does not begin as a DICOM file does; check the ending of its name"));
    }
    let (syntax, rest) = syntax(&bytes[PREAMBLE..])?;
    let packing = match syntax {
        IMPLICIT | EXPLICIT | DEFLATED => Packing::None,
        RLE => Packing::Rle,
        BIG_ENDIAN => {
            return Err(Fault::Malformed(
                "has its bytes in an order that DICOM gave up (big endian); save it as explicit little endian",
            ));
        }
        _ => Packing::Other,
    };
    let content = match syntax {
        // Labels of two bytes, and what may stand before them.
        DEFLATED => Cow::Owned(inflate(rest, 2 * MOST + (1 << 24))?),
        _ => Cow::Borrowed(rest),
    };
    let dataset = Dataset { bytes: &content, implicit: syntax == IMPLICIT };
    let class = dataset.text(0x0008_0016)?;
    match class {
        Some("1.2.840.10008.5.1.4.1.1.66.4" | "1.2.840.10008.5.1.4.1.1.66.7") => {
            segmentation::read(dataset, packing, label)
        }
        Some("1.2.840.10008.5.1.4.1.1.481.3") => structures::read(dataset, label),
        _ => Err(Fault::Malformed(OTHERS.iter().find(|(number, _)| Some(*number) == class).map_or(
            "is DICOM, but neither a segmentation (SEG) nor a structure set (RT STRUCT); export one of these",
            |(_, what)| what,
        ))),
    }
}

/// How the data set is written, and its bytes: what stands before it (group 2) tells.
fn syntax(bytes: &[u8]) -> Result<(&str, &[u8]), Fault> {
    let (mut found, mut start) = (None, 0);
    let meta = Dataset { bytes, implicit: false };
    for element in meta.elements() {
        // What follows may be written otherwise.
        if bytes.get(start..start + 2) != Some(&[2, 0]) {
            break;
        }
        let (tag, value, next) = element?;
        start = next;
        if tag == 0x0002_0010 {
            found = value.text();
        }
    }
    let Some(found) = found else {
        return Err(Fault::Malformed(
            "does not tell how it is written (its transfer syntax); export it again",
        ));
    };
    Ok((found, &bytes[start..]))
}
