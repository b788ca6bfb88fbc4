//! Regression on covariates of whatever has a tangent space.

use super::accuracy::{accuracy, accuracy_section, sentence};
use super::numbers::numbers_table;
use super::records::{Displaced, TangentRecords, TangentSpace};
use super::run::{extend, write_arrays};
use super::statistic::{Samples, Statistic};
use crate::estimate::{Design, Spread};
use crate::job::ReleaseFolder;
use crate::job::covariates::Covariates;
use crate::job::layout::{FIELDS, MEAN_NPY};
use crate::mechanism::functional::{Estimate, Fields, FunctionRegression, Reach};
use crate::mechanism::vector::regression::PreparedRegression;
use crate::mechanism::vector::{NoisedRegression, RegressionRecord, VectorRegression};
use crate::mechanism::{Mechanism, MechanismError};
use crate::privacy::{Mu, Released, Statement};
use crate::report::page::Page;
use crate::study::fields_table::{design_details, faint_fields, fields_details, fields_section};
use crate::study::points::{PointAccuracy, PointStudyError};
use serde_json::json;
use std::path::PathBuf;

/// What `fields.npy` holds.
const LAYOUT: &str = "the mean at the reference values, then one displacement a column: the mean at other values lies from the public centre \
                      by the displacement of the first plus, for every column, (its value there - its value at the reference) times its \
                      displacement. A number is mapped linearly from its bounds to [-1, 1], so its displacement is that from the middle to \
                      the upper bound; levels are -1 and 1; bends of a spline are functions of that number, made of the bounds alone. \
                      Fields are shrunk: what the noise hides is zero.";

/// The mean at the reference values, and what every covariate does to it.
#[derive(Debug, Clone)]
pub(super) struct RegressionStatistic {
    pub budget: Mu,
    pub covariates: PathBuf,
    pub design: Design,
}

/// Fields of covariates, with the mean at the reference values.
#[derive(Debug, Clone)]
pub struct FoundFields {
    /// One a column of the design, and what all explain; norms are in the distance of the space.
    pub fields: Fields,
    /// How exact the mean at the reference values is.
    pub accuracy: PointAccuracy,
    /// The same in words.
    pub sentence: String,
    /// Every column's displacement, as an array.
    pub(super) displacements: Vec<Vec<f64>>,
}

/// The covariates with the records that they go with: secret.
#[derive(Debug)]
pub(super) struct WithCovariates {
    records: Vec<RegressionRecord>,
    covariates: Covariates,
}

impl Statistic for RegressionStatistic {
    type Estimator = FunctionRegression;
    type Mechanism = VectorRegression;
    type Beside = WithCovariates;
    type Found = FoundFields;

    const NAME: &'static str = "regress";

    fn estimator(&self, space: &dyn TangentSpace, n: u64) -> Result<FunctionRegression, MechanismError> {
        let (basis, centre) = (space.basis().clone(), space.centre().to_vec());
        let reach = Reach::RootMeanSquare(space.radius());
        FunctionRegression::new(basis, centre, reach, self.design.clone(), n, self.budget)
    }

    fn mechanism(estimator: &FunctionRegression) -> &VectorRegression {
        estimator.mechanism()
    }

    fn beside<R: TangentRecords + ?Sized>(
        &self,
        records: &R,
        estimator: &FunctionRegression,
        samples: &Samples,
    ) -> Result<WithCovariates, PointStudyError> {
        let name = |i: usize| vec![i.to_string()];
        let covariates = Covariates::read(&self.covariates, &self.design, records.count(), name)?;
        let rows = covariates.rows(&self.design, &records.people().members());
        Ok(WithCovariates { records: estimator.records(samples, rows)?, covariates })
    }

    fn prepare<'a>(
        estimator: &'a FunctionRegression,
        _: &'a Samples,
        beside: &'a WithCovariates,
    ) -> Result<PreparedRegression<'a>, MechanismError> {
        estimator.mechanism().prepare(&beside.records)
    }

    fn table(beside: &WithCovariates) -> Option<[u8; 32]> {
        Some(beside.covariates.table)
    }

    fn outside(beside: &WithCovariates) -> usize {
        beside.covariates.outside.iter().sum()
    }

    fn remarks(&self, beside: &WithCovariates) -> Vec<String> {
        beside.covariates.remarks(&self.design)
    }

    fn settings(&self) -> String {
        format!("{:?} {:?}", self.budget, self.design)
    }

    fn find(
        &self,
        space: &dyn TangentSpace,
        estimator: &FunctionRegression,
        released: &Released<NoisedRegression>,
    ) -> Result<FoundFields, PointStudyError> {
        let fields = estimator.fields(&released.value)?;
        let estimate = Estimate { samples: fields.mean.clone(), errors: fields.mean_errors.clone() };
        let spread = fields.explained.residual().map(|square| Spread { square, noise: 0.0 });
        let accuracy = accuracy(space, &estimate, released.price.n, spread);
        Ok(FoundFields {
            displacements: fields.columns.iter().map(|field| space.displacement(&field.samples)).collect(),
            sentence: sentence(space, &accuracy),
            accuracy,
            fields,
        })
    }

    fn mean(found: &FoundFields) -> Option<&[f64]> {
        Some(&found.fields.mean)
    }

    fn state(&self, statement: &mut Statement) {
        design_details(&self.design, LAYOUT, statement);
        faint_fields(self.budget.get(), statement);
    }

    fn describe(&self, _: &dyn TangentSpace, found: &FoundFields, statement: &mut Statement) {
        extend(&mut statement.details, json!({"accuracy": found.accuracy}));
        fields_details(&found.fields, statement);
    }

    fn title(&self) -> [&'static str; 2] {
        ["Private regression", "regression on covariates"]
    }

    fn write(
        &self,
        space: &dyn TangentSpace,
        found: &FoundFields,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        let mean = space.point(&found.fields.mean);
        write_arrays(folder, MEAN_NPY, &[], space, [&mean])?;
        let all = std::iter::once(&mean).chain(&found.displacements);
        write_arrays(folder, FIELDS, &[1 + found.displacements.len()], space, all)
    }

    fn section(
        &self,
        space: &dyn TangentSpace,
        found: &FoundFields,
        page: &mut Page,
    ) -> Result<(), PointStudyError> {
        page.heading("The fields");
        let mean = space.point(&found.fields.mean);
        let ends = ["lower bound, or first level", "upper bound, or second level"];
        for (field, by) in found.fields.columns.iter().zip(&found.displacements) {
            let caption = format!("{}: the mean at the ends of what was declared", field.name);
            page.figures(&space.displaced_figures(&Displaced {
                mean: &mean,
                by,
                ends,
                caption: &caption,
            })?);
        }
        fields_section(page, &found.fields, LAYOUT);
        let named = found.fields.columns.iter().map(|field| field.name.clone()).zip(&found.displacements);
        numbers_table(page, space, std::iter::once(("mean".into(), &mean)).chain(named));
        accuracy_section(page, &found.sentence);
        Ok(())
    }
}
