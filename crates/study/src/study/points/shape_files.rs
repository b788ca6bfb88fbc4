//! A mean shape as files: as an array and as landmarks, as a table where the records are one, in its symmetric parts where those were asked for.

use super::PointStudyError;
use super::treatment::Treated;
use crate::io::shapes::{ShapeRecord, write_shape_array, write_shape_table, write_tps};
use crate::job::ReleaseFolder;
use crate::job::layout::{ASYMMETRY_NPY, MEAN_CSV, MEAN_NPY, MEAN_TPS, SYMMETRIC_NPY};
use crate::landmark::Pairs;
use std::path::Path;

/// How mean shapes are published: all of it public.
#[derive(Debug, Clone)]
pub(in crate::study) struct MeanFiles {
    /// Left and right, where the mean is published in its two parts too.
    pairs: Option<Pairs>,
    /// Whether it is published as a table of text too, as the records are.
    table: bool,
}

impl MeanFiles {
    /// Of records in this file, with what was asked for.
    pub fn of(file: &Path, treated: &Treated) -> Self {
        let is = |ending: &std::ffi::OsStr| {
            ["csv", "tsv", "txt"].iter().any(|table| ending.eq_ignore_ascii_case(table))
        };
        Self { pairs: treated.pairs.clone(), table: file.extension().is_some_and(is) }
    }

    /// Writes released means, several where there were several draws.
    pub fn write(&self, folder: &mut ReleaseFolder, means: &[ShapeRecord]) -> Result<(), PointStudyError> {
        folder.write_with(MEAN_TPS, |path| write_tps(path, means))?;
        folder.write_with(MEAN_NPY, |path| write_shape_array(path, means))?;
        if self.table {
            folder.write_with(MEAN_CSV, |path| write_shape_table(path, means))?;
        }
        if let Some(pairs) = &self.pairs {
            let (symmetric, asymmetry) = split(pairs, means)?;
            folder.write_with(SYMMETRIC_NPY, |path| write_shape_array(path, &symmetric))?;
            folder.write_with(ASYMMETRY_NPY, |path| write_shape_array(path, &asymmetry))?;
        }
        Ok(())
    }
}

/// The symmetric part of released means, and what is added to it: displacements of the landmarks. Each record's two parts are nearly
/// linear in the record, so these are the means of the records' parts; taken from the release they are free.
fn split(
    pairs: &Pairs,
    means: &[ShapeRecord],
) -> Result<(Vec<ShapeRecord>, Vec<ShapeRecord>), PointStudyError> {
    let parts = |mean: &ShapeRecord| {
        let split = pairs.split(&mean.to_matrix()).map_err(|e| PointStudyError::Input(e.to_string()))?;
        let record = |x| ShapeRecord::from_matrix(mean.id.clone(), x);
        let both = record(&split.symmetric).zip(record(&split.asymmetric));
        both.ok_or_else(|| PointStudyError::Input("landmarks have two or three coordinates".into()))
    };
    Ok(means.iter().map(parts).collect::<Result<Vec<_>, PointStudyError>>()?.into_iter().unzip())
}
