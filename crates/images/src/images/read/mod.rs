//! Readers of masks, by the ending of the name; DICOM files often have none, or digits.

mod dicom;
mod gzip;
mod nifti;
mod nrrd;
mod picture;
mod raw;
#[cfg(test)]
mod tests;

use super::grid::{Grid, Place};
use super::making::Label;
use crate::io::{Fault, ending, npy};
use std::path::Path;

/// The mask in a file of this name. `label`: the one that is asked for, which no other hides.
pub(super) fn read(name: &str, bytes: &[u8], label: Option<&Label>) -> Result<Grid, Fault> {
    match ending(Path::new(name)).as_str() {
        "png" => picture::png(bytes),
        "tif" | "tiff" => picture::tiff(bytes),
        "npy" => array(bytes),
        "nii" | "nii.gz" => nifti::parse(bytes),
        "nrrd" => nrrd::parse(bytes),
        _ => dicom::parse(bytes, label),
    }
}

/// An array (height, width) like a picture, or (x, y, z).
fn array(bytes: &[u8]) -> Result<Grid, Fault> {
    let array = npy::of_bytes(bytes)?;
    match array.shape[..] {
        [height, width] => picture::from_top([width, height, 1], array.data.into_iter()),
        [a, b, c] => {
            Grid::count([a, b, c])?;
            // NumPy's last axis is the fastest.
            let at = |n: usize| (n % a * b + n / a % b) * c + n / (a * b);
            Grid::new([a, b, c], (0..a * b * c).map(|n| array.data[at(n)]), Place::Unknown)
        }
        _ => Err(Fault::Shape { shape: array.shape, needed: "masks are (height, width) or (x, y, z)" }),
    }
}
