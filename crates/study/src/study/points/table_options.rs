//! What options say of the records of a shape study: what a table means, and how masks are made into outlines.

use crate::images::MaskMaking;
use crate::io::shapes::{Negative, ShapeColumns, ShapeReading, ShapeSize, Shapes};
use crate::io::{Opened, ReadError, shapes_of};
use std::path::PathBuf;

/// What options say of the meaning of a table of landmarks, or of masks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableOptions {
    /// Which columns name records and landmarks, in a table with a row for each landmark; otherwise its heading has to tell.
    pub columns: ShapeColumns,
    /// What a negative coordinate means in TPS; otherwise a missing landmark in specimens with `IMAGE=`.
    pub negative: Option<Negative>,
    /// How masks of organs are made into outlines, where they are the records.
    pub masks: MaskMaking,
    /// A public outline, or the mask of one, that tells where landmarks are put on those of masks; otherwise a public centre does.
    pub atlas: Option<PathBuf>,
}

impl TableOptions {
    /// How a file is read by them.
    pub fn reading(&self, size: impl Into<ShapeSize>) -> ShapeReading {
        ShapeReading { negative: self.negative, ..ShapeReading::from(size.into()) }
            .with_columns(&self.columns)
    }

    /// A public file, which need not be a table with the same columns.
    pub(super) fn public(
        &self,
        file: Opened,
        size: ShapeSize,
        flat: Option<usize>,
        is_one: bool,
    ) -> Result<Shapes, ReadError> {
        let asked = ShapeReading { is_one, flat, ..self.reading(size) };
        let plain = ShapeReading { columns: ShapeColumns::default(), ..asked.clone() };
        if asked == plain {
            return shapes_of(file, plain);
        }
        shapes_of(file.clone(), asked).or_else(|_| shapes_of(file, plain))
    }

    /// For the digest of a run: nothing where nothing is said.
    pub(in crate::study) fn told(&self) -> String {
        if *self == Self::default() { String::new() } else { format!(" {self:?}") }
    }
}
