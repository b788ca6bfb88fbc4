//! Records that were registered elsewhere: (n, J, m, 3), of unit-area faces in the template's frame.

use crate::function::{CurvesError, FaceCurves, Frame, is_mirrored};
use crate::io::{Limit, Opened, ReadError, Records, open};
use rayon::prelude::*;
use std::path::Path;

/// The largest and least size of a record, as a multiple of the template's.
const SIZES: (f64, f64) = (0.8, 1.25);
/// How far a record's centroid may lie from the template's, in units of √area.
const OFF_CENTRE: f64 = 0.1;

/// Why prepared records are refused: before the charge, to the data holder only.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PreparedError {
    /// The file.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Its header.
    #[error(
        "{file}: prepared records are an array (n, {curves}, {samples}, 3), this one is {found:?}; --curves and --samples say how many \
         curves and samples a face has"
    )]
    Shape {
        /// The file.
        file: String,
        /// What it holds.
        found: Vec<usize>,
        /// J that was asked for.
        curves: usize,
        /// m that was asked for.
        samples: usize,
    },
    /// A face of a public file, or a record where the study stops at those that cannot be used.
    #[error("{file}: record {record} (counted from 0) {what}")]
    Record {
        /// The file.
        file: String,
        /// Which, from 0.
        record: usize,
        /// What is wrong with it, and what to do.
        what: String,
    },
}

/// A file of prepared records whose header has been read: n is public, the records are not.
pub(super) struct PreparedFile {
    file: Opened,
    name: String,
    count: usize,
}

impl PreparedFile {
    /// Opens it and reads the header.
    pub(super) fn open(file: &Path, curves: usize, samples: usize) -> Result<Self, PreparedError> {
        Self::of(open(file, Limit::TABLE)?, curves, samples)
    }

    /// Reads the header of a file that was opened.
    pub(super) fn of(file: Opened, curves: usize, samples: usize) -> Result<Self, PreparedError> {
        let name = file.path().display().to_string();
        let count = check_form_of(&name, &Records::of(&file)?, curves, samples)?;
        Ok(Self { file, name, count })
    }

    /// n.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// SHA-256 of the file.
    pub(super) fn sha256(&self) -> [u8; 32] {
        self.file.sha256()
    }

    /// All records, each a face in the template's frame or what is wrong with it.
    pub(super) fn records(&self, own: &FaceCurves) -> Result<Vec<Result<FaceCurves, String>>, PreparedError> {
        let records = Records::of(&self.file)?;
        let one = |i| Ok(prepared_face(records.record(i)?, own));
        (0..self.count).into_par_iter().map(one).collect()
    }

    /// The same where all have to be faces: public ones.
    pub(super) fn all(&self, own: &FaceCurves) -> Result<Vec<FaceCurves>, PreparedError> {
        let records = self.records(own)?.into_iter().enumerate();
        records.map(|(record, face)| face.map_err(|what| self.refused(record, what))).collect()
    }

    /// The error of a record that cannot be used.
    pub(super) fn refused(&self, record: usize, what: String) -> PreparedError {
        PreparedError::Record { file: self.name.clone(), record, what }
    }
}

/// How many faces these records are.
///
/// # Errors
/// [`PreparedError::Shape`] unless they have so many curves and samples.
pub fn check_form_of(
    file: &str,
    records: &Records<'_>,
    curves: usize,
    samples: usize,
) -> Result<usize, PreparedError> {
    let found = || PreparedError::Shape { file: file.to_owned(), found: records.shape(), curves, samples };
    records.count_of(&[curves, samples, 3]).ok_or_else(found)
}

/// The face of a record in the template's frame.
///
/// # Errors
/// What is wrong with it, and what to do.
pub fn prepared_face(data: Vec<f64>, own: &FaceCurves) -> Result<FaceCurves, String> {
    let face = FaceCurves::new(own.curves(), own.samples(), data).map_err(|wrong| match wrong {
        CurvesError::NotFinite => "has values that are not numbers".into(),
        other => other.to_string(),
    })?;
    match complaint(face.data(), own.data()) {
        Some(what) => Err(what),
        None => Ok(face),
    }
}

/// What is wrong with a record's frame.
fn complaint(data: &[f64], template: &[f64]) -> Option<String> {
    let (frame, own) = (Frame::of(data), Frame::of(template));
    let (off, ratio) = (frame.off(&own), frame.size / own.size);
    if !(SIZES.0..=SIZES.1).contains(&ratio) {
        return Some(format!(
            "is {ratio:.2} times as large as the template; faces are to be scaled to surface area 1"
        ));
    }
    if off > OFF_CENTRE {
        return Some(format!(
            "has its centroid {off:.2} from the template's; faces are to be centred (area centroid at the origin)"
        ));
    }
    is_mirrored(data, template).then(|| "is mirrored: x is to the subject's left".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face() -> FaceCurves {
        let point = |l| {
            let t = std::f64::consts::TAU * f64::from(l) / 16.0;
            [0.3 * t.cos(), 0.4 * t.sin(), 0.1 * t.cos().powi(2)]
        };
        FaceCurves::new(1, 16, (0..16).flat_map(point).collect()).unwrap()
    }

    #[test]
    fn faces_in_another_frame_are_told_apart() {
        let own = face();
        let with = |f: &dyn Fn(usize, f64) -> f64| -> String {
            let data: Vec<f64> = own.data().iter().enumerate().map(|(i, x)| f(i % 3, *x)).collect();
            prepared_face(data, &own).err().unwrap_or_default()
        };
        assert_eq!(with(&|_, x| x), "");
        assert!(with(&|_, x| 1.3 * x).contains("1.30 times as large"));
        assert!(with(&|_, x| 0.7 * x).contains("surface area 1"));
        assert!(with(&|k, x| if k == 1 { x + 0.2 } else { x }).contains("0.20 from the template"));
        assert!(with(&|k, x| if k == 0 { -x } else { x }).contains("mirrored"));
        assert!(with(&|k, x| if k == 2 { f64::NAN } else { x }).contains("not numbers"));
        assert_eq!(with(&|_, x| 1.1 * x), "");
    }
}
