//! Regression on covariates of whatever has a tangent space.

use super::accuracy::accuracy_section;
use super::centring::{Expected, Told};
use super::numbers::numbers_table;
use super::records::Centred;
use super::run::{write_arrays, write_bands};
use super::space::{Displaced, Looked, TangentSpace};
use super::statistic::{Beside, Statistic};
use super::terms::FieldTerms;
use crate::estimate::design::{Covariate, Kind};
use crate::estimate::{Band, Design, Spread};
use crate::job::ReleaseFolder;
use crate::job::covariates::Covariates;
use crate::job::layout::FIELDS;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{Estimate, Fields, FunctionRegression};
use crate::privacy::{Mu, Price, Statement};
use crate::report::page::Page;
use crate::study::fields_table::{design_details, faint_fields, fields_details, fields_section};
use crate::study::points::{PointAccuracy, PointStudyError};
use serde_json::json;
use std::path::PathBuf;

/// What the covariate of allometry is called.
const LOG_SIZE: &str = "log_size";

/// The mean at the reference values, and what every covariate does to it.
#[derive(Debug, Clone)]
pub(in crate::study) struct RegressionStatistic {
    pub budget: Mu,
    /// A table, and what is known of it.
    pub covariates: Option<(PathBuf, Design)>,
    /// Whether the logarithm of the size is the last covariate.
    pub sizes: bool,
    /// All covariates.
    pub design: Design,
}

impl RegressionStatistic {
    /// On the covariates of a table, then on the logarithm of the size within public bounds, in the unit of the records.
    ///
    /// # Errors
    /// [`PointStudyError`]: bounds that are none.
    pub(in crate::study) fn new(
        budget: Mu,
        covariates: Option<(PathBuf, Design)>,
        size_bounds: Option<(f64, f64)>,
    ) -> Result<Self, PointStudyError> {
        let mut all: Vec<Covariate> =
            covariates.iter().flat_map(|(_, design)| design.covariates().to_vec()).collect();
        if let Some((lower, upper)) = size_bounds {
            if !(lower > 0.0 && lower < upper && upper.is_finite()) {
                return Err(PointStudyError::Input(
                    "--size-bounds are two positive numbers in rising order, LO:HI, in the landmarks' unit"
                        .into(),
                ));
            }
            let kind = Kind::Linear { lower: lower.ln(), upper: upper.ln() };
            all.push(Covariate { name: LOG_SIZE.into(), kind });
        }
        let design = Design::new(all).map_err(|e| PointStudyError::Input(e.to_string()))?;
        Ok(Self { budget, covariates, sizes: size_bounds.is_some(), design })
    }
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
    /// Of every column, a band of the entries about the unshrunk field.
    bands: Vec<Band>,
}

impl FoundFields {
    /// Half the width of each field's band, averaged over its numbers.
    fn half_widths(&self, space: &dyn TangentSpace) -> Vec<f64> {
        self.bands.iter().map(|band| space.half_width(band)).collect()
    }
}

impl Statistic for RegressionStatistic {
    type Inner = FunctionRegression;
    type Found = FoundFields;

    const NAME: &'static str = "regress";

    fn budget(&self) -> Mu {
        self.budget
    }

    fn inner(&self, expected: Expected) -> Result<FunctionRegression, MechanismError> {
        let Expected { basis, centre, reach, mu, n, .. } = expected;
        FunctionRegression::new(basis, centre, reach, self.design.clone(), n, mu)
    }

    fn beside<K: Centred + ?Sized>(&self, kind: &K, own: &K::Own) -> Result<Beside, PointStudyError> {
        let mut beside = Beside::default();
        let mut covariates = match &self.covariates {
            None => Covariates::none(kind.count()),
            Some((path, design)) => {
                let covariates = Covariates::read(path, design, kind.count(), |i| kind.names(i))?;
                beside.table = Some(covariates.table);
                beside.remarks = covariates.remarks(design);
                covariates
            }
        };
        if self.sizes {
            covariates.extend(&self.design, kind.log_sizes(own)?);
        }
        beside.outside = covariates.outside.iter().sum();
        beside.rows = covariates.rows(&self.design, &kind.people().members());
        Ok(beside)
    }

    fn settings(&self) -> String {
        format!("{:?} {:?}", self.budget, self.design)
    }

    fn find(
        &self,
        told: Told<'_, FunctionRegression>,
        price: &Price,
    ) -> Result<FoundFields, PointStudyError> {
        let Told { space, inner, value } = told;
        let fields = inner.fields(value)?;
        let estimate = Estimate { samples: fields.mean.clone(), errors: fields.mean_errors.clone() };
        let spread = fields.explained.residual().map(|square| Spread { square, noise: 0.0 });
        let coordinates = inner.coordinates();
        let looked = Looked::First(coordinates.len(), coordinates.expected_share());
        let accuracy = space.accuracy(&estimate, looked, price, spread);
        Ok(FoundFields {
            displacements: fields.columns.iter().map(|field| space.displacement(&field.samples)).collect(),
            sentence: space.sentence(&accuracy),
            bands: inner.bands(value, space.entries())?,
            accuracy,
            fields,
        })
    }

    fn mean(found: &FoundFields) -> Option<&[f64]> {
        Some(&found.fields.mean)
    }

    fn state(&self, space: &dyn TangentSpace, statement: &mut Statement) {
        design_details(&self.design, space.terms().fields.layout, statement);
        faint_fields(self.budget.get(), statement);
    }

    fn describe(&self, space: &dyn TangentSpace, found: &FoundFields, statement: &mut Statement) {
        statement.details.insert("accuracy".into(), json!(found.accuracy));
        fields_details(&found.fields, &found.half_widths(space), space.terms().numbers, statement);
    }

    fn title(&self, space: &dyn TangentSpace) -> [&'static str; 2] {
        [space.terms().fields.title, space.terms().fields.what]
    }

    fn write(
        &self,
        space: &dyn TangentSpace,
        found: &FoundFields,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        let mean = space.point(&found.fields.mean);
        space.write_mean(folder, &mean)?;
        let all = std::iter::once(&mean).chain(&found.displacements);
        write_arrays(folder, FIELDS, &[1 + found.displacements.len()], space, all)?;
        write_bands(folder, &[found.bands.len()], space, found.bands.iter())
    }

    fn section(
        &self,
        space: &dyn TangentSpace,
        found: &FoundFields,
        page: &mut Page,
    ) -> Result<(), PointStudyError> {
        let FieldTerms { at_ends, layout, .. } = space.terms().fields;
        page.heading("The fields");
        let mean = space.point(&found.fields.mean);
        let ends = ["lower bound, or first level", "upper bound, or second level"];
        for (field, by) in found.fields.columns.iter().zip(&found.displacements) {
            let caption = format!("{}: {at_ends}", field.name);
            page.figures(&space.displaced_figures(&Displaced {
                mean: &mean,
                by,
                ends,
                caption: &caption,
            })?);
        }
        fields_section(page, &found.fields, &found.half_widths(space), layout);
        let named = found.fields.columns.iter().map(|field| field.name.clone()).zip(&found.displacements);
        numbers_table(page, space, std::iter::once(("mean".into(), &mean)).chain(named));
        accuracy_section(page, &found.sentence);
        Ok(())
    }
}
