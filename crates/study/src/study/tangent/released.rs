//! A released regression read back: everything in it has been published.

use crate::estimate::Design;
use crate::io::{Limit, npy, open};
use crate::job::layout::{CERTIFICATE, FIELDS};
use crate::privacy::Certificate;
use crate::study::StudyFolder;
use crate::study::points::PointStudyError;
use serde_json::Value;
use std::path::Path;
use visard_base::numeric::elementary::add_scaled;

/// The mean at the reference values of the covariates, and what each column of the design does to it.
#[derive(Debug, Clone)]
pub struct FieldsRelease {
    /// What it guarantees.
    pub certificate: Certificate,
    design: Design,
    /// Of one array: (J, m, 3) of faces, (k, d) of landmarks.
    shape: Vec<usize>,
    mean: Vec<f64>,
    columns: Vec<Vec<f64>>,
    /// Expected root-mean-square errors: of the mean, then of every column.
    errors: Vec<f64>,
}

impl FieldsRelease {
    /// From the folder of a release, or of its study.
    ///
    /// # Errors
    /// [`PointStudyError`]: no release of a regression, files that do not fit together.
    pub fn open(folder: &Path) -> Result<Self, PointStudyError> {
        let folder = StudyFolder::release_of(folder);
        let no = |what: &str| PointStudyError::Input(format!("{}: {what}", folder.display()));
        let text = open(&folder.join(CERTIFICATE), Limit::CERTIFICATE)?.text()?.to_owned();
        let certificate = Certificate::from_json(&text).map_err(|e| no(&e.to_string()))?;
        let details = &certificate.details;
        let design = details.get("covariates").cloned();
        let design =
            design.ok_or_else(|| no("is not the release of a regression (visard face regress makes one)"))?;
        let design: Design = serde_json::from_value(design).map_err(|e| no(&e.to_string()))?;
        let array = npy::read(&folder.join(FIELDS))?;
        let fits = array.shape.first() == Some(&design.columns()) && array.data.iter().all(|x| x.is_finite());
        if !fits {
            return Err(no("its fields are not as many arrays of numbers as the columns of its covariates"));
        }
        let shape = array.shape[1..].to_vec();
        let length = shape.iter().product::<usize>().max(1);
        let mut columns: Vec<Vec<f64>> = array.data.chunks_exact(length).map(<[f64]>::to_vec).collect();
        if columns.len() != design.columns() {
            return Err(no("its fields are empty"));
        }
        let mean = columns.remove(0);
        let own = details.get("accuracy").and_then(|accuracy| accuracy.get("rms")).and_then(Value::as_f64);
        let stated = details.get("field_accuracy").and_then(Value::as_array);
        let of_columns =
            stated.into_iter().flatten().map(|field| field.get("error_rms").and_then(Value::as_f64));
        let errors = std::iter::once(own).chain(of_columns).collect::<Option<Vec<f64>>>();
        let errors = errors.filter(|errors| errors.len() == 1 + columns.len());
        let errors = errors.ok_or_else(|| no("its certificate does not state the errors of its fields"))?;
        Ok(Self { certificate, design, shape, mean, columns, errors })
    }

    /// The covariates.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// The axes of one array.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// What a column of the design does, without the intercept's, which is the mean.
    pub fn columns(&self) -> &[Vec<f64>] {
        &self.columns
    }

    /// The mean at these values, one a covariate; a missing one is at its reference. Values outside the bounds count as the bound.
    pub fn at(&self, values: &[Option<f64>]) -> Vec<f64> {
        let row = self.design.from_reference(values);
        let mut data = self.mean.clone();
        for (field, factor) in self.columns.iter().zip(row.iter().skip(1)) {
            add_scaled(&mut data, *factor, field);
        }
        data
    }

    /// Expected root-mean-square errors: of the mean at the reference values, then of every column.
    pub fn errors(&self) -> &[f64] {
        &self.errors
    }

    /// The expected root-mean-square error of [`Self::at`]: errors of the columns added up as if they were independent.
    pub fn error(&self, values: &[Option<f64>]) -> f64 {
        added(&self.errors, &self.design.from_reference(values))
    }
}

/// Errors of the mean at the reference values and of columns so often, as if they were independent.
pub fn added(errors: &[f64], row: &[f64]) -> f64 {
    let squares = errors.iter().zip(row).enumerate();
    squares.map(|(j, (e, x))| if j == 0 { e * e } else { (e * x).powi(2) }).sum::<f64>().sqrt()
}
