//! `release/` of a regression: made of the noised moments, the certificate and public settings only.

use super::super::accuracy::Accuracy;
use super::super::error::StudyError;
use super::super::error_map::error_map;
use super::super::template::LoadedTemplate;
use super::report::{Page, report};
use crate::estimate::design::INTERCEPT;
use crate::function::FaceCurves;
use crate::io::{write_npy, write_ply_with_scalar};
use crate::job::copies::Kind;
use crate::job::layout::{CURVES, ERROR, FIELDS, MEAN_PLY, REPORT};
use crate::job::unusable::ZERO_DEVIATION;
use crate::job::{Publication, ReleaseFolder};
use crate::mechanism::functional::{Field, Fields, FunctionRegression};
use crate::mechanism::vector::NoisedRegression;
use crate::privacy::{Caveat, Certificate, Mu, Released, Statement};
use crate::study::{Counting, Unusable};
use crate::surface::registration::Registration;
use serde_json::{Value, json};
use std::sync::Arc;

/// What a regression publishes, and how.
#[derive(Debug, Clone)]
pub(super) struct RegressionPublication {
    pub(super) template: Arc<LoadedTemplate>,
    /// The template's own curves.
    pub(super) own: FaceCurves,
    pub(super) regression: FunctionRegression,
    pub(super) budget: Mu,
    pub(super) registration: Registration,
    pub(super) counting: Counting,
    pub(super) unusable: Unusable,
}

impl RegressionPublication {
    /// What the release says, as functions.
    pub(super) fn fields(&self, released: &Released<NoisedRegression>) -> Result<Fields, StudyError> {
        Ok(self.regression.fields(&released.value)?)
    }

    /// The face at the reference values.
    pub(super) fn mean(&self, fields: &Fields) -> Result<FaceCurves, StudyError> {
        Ok(FaceCurves::new(self.own.curves(), self.own.samples(), fields.mean.clone())?)
    }

    /// How exact the mean at the reference values is.
    pub(super) fn accuracy(&self, fields: &Fields, n: u64) -> Accuracy {
        let points = (self.own.data().len() / 3) as f64;
        let error = fields.mean_errors.iter().sum::<f64>() / points;
        Accuracy::of_samples(&fields.mean, error, &self.own, None, n, fields.explained.residual())
    }

    /// Whether the public rule has doubts about so few people and so small a budget.
    fn is_worthwhile(&self, n: u64) -> bool {
        n as f64 * self.budget.get() >= crate::mechanism::functional::regression::WORTHWHILE
    }

    /// Every column as a certificate has it: all of it from noised values.
    fn columns(&self, fields: &Fields) -> Vec<Value> {
        let one = |field: &Field| {
            json!({
                "column": field.name,
                "rms": field.rms,
                "error_rms": field.error,
                "relative_error": field.relative_error(),
                "sampling_rms": field.sampling,
            })
        };
        fields.columns.iter().map(one).collect()
    }
}

/// What `fields.npy` holds.
const LAYOUT: &str = "the face at the reference values, then one displacement a column: the face at other values is the first plus, for every \
                      column, (its value there - its value at the reference) times its displacement. A number is mapped linearly from its \
                      bounds to [-1, 1], so its displacement is that from the middle to the upper bound; levels are -1 and 1; bends of a \
                      spline are functions of that number, made of the bounds alone (natural cubic splines, orthogonal to straight lines). \
                      Fields are shrunk: what the noise hides is zero.";

impl Publication for RegressionPublication {
    type Value = NoisedRegression;
    type Error = StudyError;

    fn counts_persons(&self) -> bool {
        self.counting.counts_persons()
    }

    fn describe(&self, released: &Released<NoisedRegression>, statement: &mut Statement) {
        statement.public_inputs = vec![self.template.input.clone()];
        let design = self.regression.design();
        let knots: Vec<_> = (0..design.covariates().len()).map(|i| design.knots(i)).collect();
        let reference: Vec<f64> = design.covariates().iter().map(|c| c.reference()).collect();
        let details = json!({
            "record_kind": self.counting.kind("scan"),
            "statistic": "regression of face radial curves on covariates, each record centred, of unit area, registered to the public \
                          template; neighbours differ in one record's face and covariates",
            "coordinates": released.price.statistic,
            "curves": self.own.curves(),
            "samples": self.own.samples(),
            "registration": self.registration,
            "units": "curves, fields and mesh: faces of surface area 1, centroid at the origin",
            "unusable_records": self.unusable.describe(ZERO_DEVIATION),
            "covariates": design,
            "columns": design.names(),
            "knots": knots,
            "intercept": INTERCEPT,
            "reference": reference,
            "fields": LAYOUT,
            "outside_bounds": "values outside the bounds count as the bound, missing ones as the middle; how many is not published",
        });
        if let Value::Object(details) = details {
            statement.details.extend(details);
        }
        if let Ok(fields) = self.fields(released) {
            statement.details.insert("accuracy".into(), json!(self.accuracy(&fields, statement.n)));
            statement.details.insert("field_accuracy".into(), json!(self.columns(&fields)));
            statement.details.insert("explained_share".into(), json!(fields.explained.share()));
        }
        if !self.is_worthwhile(statement.n) {
            statement.caveats.push(Caveat::Other(
                "faint: at this budget, this many people hardly show what a covariate does; most of each field is the prior, which is zero"
                    .into(),
            ));
        }
        statement.details.extend(self.counting.details(Kind::Faces));
    }

    fn statistic(&self) -> String {
        "face regress".into()
    }

    fn write(
        &self,
        released: &Released<NoisedRegression>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), StudyError> {
        let fields = self.fields(released)?;
        let mean = self.mean(&fields)?;
        let template = &self.template.template;
        let mesh = template.face_through(&mean)?;
        let errors = error_map(template, &mean, &fields.mean_errors)?;
        folder.write_with(MEAN_PLY, |path| write_ply_with_scalar(path, &mesh, "error", &errors))?;
        let shape = [mean.curves(), mean.samples(), 3];
        folder.write_with(CURVES, |path| write_npy(path, &shape, mean.data()))?;
        let all: Vec<f64> = std::iter::once(&fields.mean)
            .chain(fields.columns.iter().map(|field| &field.samples))
            .flatten()
            .copied()
            .collect();
        let shape = [1 + fields.columns.len(), mean.curves(), mean.samples(), 3];
        folder.write_with(FIELDS, |path| write_npy(path, &shape, &all))?;
        folder.write_with(ERROR, |path| write_npy(path, &[errors.len()], &errors))?;
        let page = Page {
            template,
            design: self.regression.design(),
            mean: &mean,
            mesh: &mesh,
            fields: &fields,
            accuracy: &self.accuracy(&fields, certificate.n),
            statistic: &released.price.statistic,
            worthwhile: self.is_worthwhile(certificate.n),
        };
        folder.write(REPORT, report(&page, certificate)?.as_bytes())?;
        Ok(())
    }
}
