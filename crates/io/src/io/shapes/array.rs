//! Arrays of shapes.

use super::reading::ShapeReading;
use super::record::{ShapeIter, ShapeRecord, WHAT};
use crate::io::error::{Fault, Parsed, Place};
use crate::io::npy::Form;

/// An array of shape (n, k, 2) or (n, k, 3), its first axis the records; (n, 2k) or (n, 3k), where it is known which; (k, 2) or (k, 3) for one
/// shape.
#[derive(Debug, Clone)]
pub(super) struct Array {
    form: Form,
    pub landmarks: usize,
    pub dimension: usize,
}

impl Array {
    pub fn find(bytes: &[u8], reading: &ShapeReading) -> Parsed<Self> {
        let form = Form::parse(bytes)?;
        let (form, landmarks, dimension) = match form.shape[..] {
            [_, k, d @ (2 | 3)] => (form, k, d),
            [k, d @ (2 | 3)] => (form.into_one_record(), k, d),
            [_, c] if c % 2 == 0 || c % 3 == 0 => {
                let flat = reading.dimension_of_flat(c)?;
                if c % flat != 0 {
                    return Err(form.unfit(NEEDED));
                }
                (form, c / flat, flat)
            }
            _ => return Err(form.unfit(NEEDED)),
        };
        if landmarks == 0 {
            return Err(Fault::Malformed("holds shapes without landmarks; save it again").into());
        }
        reading.size.check(landmarks, dimension, WHAT)?;
        Ok(Self { form, landmarks, dimension })
    }

    pub fn shapes<'a>(&'a self, bytes: &'a [u8]) -> ShapeIter<'a> {
        let shape = |i| ShapeRecord::flat(None, self.dimension, self.form.record(bytes, i));
        Box::new((0..self.form.records()).map(move |i| Ok((Place::Whole, shape(i)))))
    }
}

const NEEDED: &str = "shapes are (n, k, 2), (n, k, 3), (n, 2k), with --dimensions 3 (n, 3k), or, for one shape, (k, 2), (k, 3)";
