//! Regression on covariates of whatever has a tangent space.

use super::accuracy::accuracy_section;
use super::centring::{Expected, Told};
use super::modes::{MOST_MODES, estimand};
use super::numbers::numbers_table;
use super::records::Centred;
use super::run::{write_arrays, write_bands};
use super::space::{Dial, Displaced, Looked, TangentSpace};
use super::statistic::Statistic;
use super::terms::FieldTerms;
use crate::estimate::design::{Covariate, Kind};
use crate::estimate::variance_function::BY_COVARIATES;
use crate::estimate::{Band, Design, Mode, Spread, VarianceFunction};
use crate::job::ReleaseFolder;
use crate::job::covariates::Covariates;
use crate::job::layout::{FIELDS, MODES_NPY, VARIANCES};
use crate::job::modes_table::{
    modes_details, modes_lead, modes_rows, variances_csv, variances_details, variances_rows,
};
use crate::mechanism::functional::{Estimate, Fields, FunctionRegression, ResidualModes};
use crate::mechanism::{MechanismError, UnseenShares};
use crate::privacy::{Mu, Price, Statement};
use crate::report::colour::short;
use crate::report::page::Page;
use crate::report::slider::Slider;
use crate::study::fields_table::{
    covariates_table, design_details, faint_fields, fields_details, fields_section,
};
use crate::study::points::{PointAccuracy, PointStudyError};
use serde_json::json;
use std::path::PathBuf;
use visard_base::numeric::elementary::add_scaled;

/// Positions of a spline's control at which its columns are given.
const STOPS: usize = 24;
/// Of what the residual modes are.
const LEFT: &str = "what the covariates leave";
/// What the covariate of allometry is called.
const LOG_SIZE: &str = "log_size";

/// The mean at the reference values, and what every covariate does to it.
#[derive(Debug, Clone)]
pub struct RegressionStatistic {
    budget: Mu,
    /// A table, and what is known of it.
    covariates: Option<(PathBuf, Design)>,
    /// Whether the logarithm of the size is the last covariate.
    sizes: bool,
    /// All covariates.
    design: Design,
    /// At most so many modes of what the covariates leave, where they are wanted too.
    residuals: Option<usize>,
}

impl RegressionStatistic {
    /// On the covariates of a table; of none where records bring their own. `residuals`: with the modes of what the covariates leave.
    pub fn on(table: Option<PathBuf>, design: Design, budget: Mu, residuals: bool) -> Self {
        Self {
            budget,
            covariates: table.map(|table| (table, design.clone())),
            sizes: false,
            design,
            residuals: residuals.then_some(MOST_MODES),
        }
    }

    /// On the covariates of a table, then on the logarithm of the size within public bounds, in the unit of the records.
    ///
    /// # Errors
    /// [`PointStudyError`]: bounds that are none.
    pub(in crate::study) fn new(
        budget: Mu,
        covariates: Option<(PathBuf, Design)>,
        size_bounds: Option<(f64, f64)>,
        residuals: bool,
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
        let residuals = residuals.then_some(MOST_MODES);
        Ok(Self { budget, covariates, sizes: size_bounds.is_some(), design, residuals })
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
    unseen: UnseenShares,
    /// How records vary about what their covariates tell, where it was asked for.
    pub residual: Option<Residual>,
}

/// The modes of what the covariates leave.
#[derive(Debug, Clone)]
pub struct Residual {
    /// Directions and variances.
    pub found: ResidualModes,
    /// How variances change with the covariates, where that is told.
    pub variances: Option<VarianceFunction>,
    /// How many were asked for at most.
    most: usize,
    /// One standard deviation of each, as an array.
    fields: Vec<Vec<f64>>,
}

impl FoundFields {
    /// Half the width of each field's band, averaged over its numbers.
    fn half_widths(&self, space: &dyn TangentSpace) -> Vec<f64> {
        self.bands.iter().map(|band| space.half_widths(band)[0]).collect()
    }
}

impl Statistic for RegressionStatistic {
    type Inner = FunctionRegression;
    type Found = FoundFields;

    const NAME: &'static str = "regress";
    const OF: &'static str = "regression on covariates (neighbours differ in one record and its covariates)";

    fn budget(&self) -> Mu {
        self.budget
    }

    fn inner(&self, expected: Expected) -> Result<FunctionRegression, MechanismError> {
        let Expected { basis, centre, reach, mu, n, .. } = expected;
        let make = match self.residuals {
            Some(_) => FunctionRegression::with_variances,
            None => FunctionRegression::new,
        };
        make(basis, centre, reach, self.design.clone(), n, mu)
    }

    fn covariates<K: Centred + ?Sized>(
        &self,
        kind: &K,
    ) -> Result<Option<(Covariates, &Design)>, PointStudyError> {
        let covariates = match &self.covariates {
            None => Covariates::none(kind.count()),
            Some((path, design)) => Covariates::read(path, design, kind.count(), &|i| kind.names(i))?,
        };
        Ok(Some((covariates, &self.design)))
    }

    fn complete<K: Centred + ?Sized>(
        &self,
        kind: &K,
        own: &K::Own,
        covariates: &mut Covariates,
    ) -> Result<(), PointStudyError> {
        if self.sizes {
            covariates.extend(&self.design, kind.log_sizes(own)?);
        }
        Ok(())
    }

    fn settings(&self) -> String {
        let residuals = self
            .residuals
            .map_or_else(String::new, |most| format!(" residuals {most}, variances by covariates"));
        format!("{:?} {:?}{residuals}", self.budget, self.design)
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
        let residual = self.residuals.map(|most| {
            let found = inner.residual_modes(value, most)?;
            let field = |mode: &Mode| space.displacement(&coordinates.displacement(&mode.coordinates));
            Ok::<_, MechanismError>(Residual {
                fields: found.modes.modes.iter().map(field).collect(),
                variances: inner.variance_function(value)?,
                most,
                found,
            })
        });
        Ok(FoundFields {
            residual: residual.transpose()?,
            displacements: fields.columns.iter().map(|field| space.displacement(&field.samples)).collect(),
            sentence: space.sentence(&accuracy),
            bands: inner.bands(value, space.entries())?,
            unseen: value.recentred.unseen,
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
        statement.details.extend([found.unseen.detail()]);
        fields_details(&found.fields, &found.half_widths(space), space.terms().numbers, statement);
        if let Some(Residual { found, most, variances, .. }) = &found.residual {
            let estimand = format!("{LEFT}: {}", estimand(space));
            let mut details = modes_details(&found.modes, *most, found.looked, &estimand);
            if let Some(variances) = variances {
                details[BY_COVARIATES] = variances_details(variances, &self.design);
            }
            statement.details.insert("modes".into(), details);
        }
    }

    fn title(&self, space: &dyn TangentSpace) -> [String; 2] {
        let names: Vec<&str> = self.design.covariates().iter().map(|one| one.name.as_str()).collect();
        let (records, names) = (space.words().records, names.join(", "));
        let (first, rest) = records.split_at(1);
        [format!("{}{rest} by {names}", first.to_uppercase()), format!("regression on {names}")]
    }

    fn write(
        &self,
        space: &dyn TangentSpace,
        found: &FoundFields,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        let mean = space.point(&found.fields.mean);
        space.write_mean(folder, &mean, Some(&found.fields.mean_errors))?;
        let all = std::iter::once(&mean).chain(&found.displacements);
        write_arrays(folder, FIELDS, &[1 + found.displacements.len()], space, all)?;
        write_bands(folder, &[found.bands.len()], space, found.bands.iter())?;
        if let Some(residual) = &found.residual {
            write_arrays(folder, MODES_NPY, &[residual.fields.len()], space, &residual.fields)?;
            folder.write(VARIANCES, variances_csv(&residual.found.modes).as_bytes())?;
        }
        Ok(())
    }

    fn section(
        &self,
        space: &dyn TangentSpace,
        found: &FoundFields,
        page: &mut Page,
    ) -> Result<(), PointStudyError> {
        let FieldTerms { at_ends, layout, .. } = space.terms().fields;
        let mean = space.point(&found.fields.mean);
        let dials: Vec<Dial<'_>> = (0..self.design.covariates().len()).map(|i| self.dial(i, found)).collect();
        page.figures(space.surface(&mean, &dials)?.as_slice());
        page.heading("What the covariates do");
        let mut pictures = Vec::new();
        for (i, covariate) in self.design.covariates().iter().enumerate() {
            for ends in self.ends(i) {
                let [less, more] = [0, 1].map(|end| self.moved(i, ends[end].0, found));
                let caption = format!("{}: {at_ends}", covariate.name);
                let ends = [&ends[0].1[..], &ends[1].1];
                let shown = Displaced { mean: &mean, to: [&less, &more], ends, caption: &caption };
                pictures.extend(space.displaced_figures(&shown)?);
            }
        }
        space.show(page, &pictures);
        fields_section(page, &found.fields, &found.half_widths(space), layout, |size| space.length(size));
        if let Some(Residual { found, most, variances, .. }) = &found.residual {
            page.heading("How people vary beyond the covariates");
            modes_lead(page, &found.modes, *most);
            modes_rows(page, &found.modes, &format!("{LEFT}: {}", estimand(space)), |size| {
                space.length(size)
            });
            variances_rows(page, variances.as_ref(), &self.design);
        }
        covariates_table(page, &self.design);
        let named = found.fields.columns.iter().map(|field| field.name.clone()).zip(&found.displacements);
        numbers_table(page, space, std::iter::once(("mean".into(), &mean)).chain(named));
        accuracy_section(page, &found.sentence);
        Ok(())
    }
}

impl RegressionStatistic {
    /// The ends of what was declared of a covariate, with what these are called: of levels the first with each of the others.
    fn ends(&self, covariate: usize) -> Vec<[(f64, String); 2]> {
        let about = &self.design.covariates()[covariate];
        match &about.kind {
            Kind::Levels { levels } => {
                let level = |k: usize| (about.level(k), format!("{} {}", about.name, levels[k]));
                (1..levels.len()).map(|k| [level(0), level(k)]).collect()
            }
            Kind::Linear { lower, upper } | Kind::Spline { lower, upper, .. } => {
                vec![[*lower, *upper].map(|value| (value, format!("{} {}", about.name, short(value))))]
            }
        }
    }

    /// How the columns of a covariate count at a value of it.
    fn weights(&self, covariate: usize, value: f64) -> Vec<f64> {
        let mut at = vec![None; self.design.covariates().len()];
        at[covariate] = Some(value);
        let first = self.design.first_column(covariate);
        self.design.from_reference(&at)[first..][..self.design.covariates()[covariate].columns()].to_vec()
    }

    /// The displacements of a covariate's columns.
    fn columns<'a>(&self, covariate: usize, found: &'a FoundFields) -> Vec<(String, &'a [f64])> {
        // Fields have no intercept.
        let first = self.design.first_column(covariate) - 1;
        let named = found.fields.columns.iter().zip(&found.displacements).skip(first);
        let columns = self.design.covariates()[covariate].columns();
        named.take(columns).map(|(field, by)| (field.name.clone(), &by[..])).collect()
    }

    /// From the mean at the reference values to that at another value of a covariate.
    fn moved(&self, covariate: usize, value: f64, found: &FoundFields) -> Vec<f64> {
        let columns = self.columns(covariate, found);
        let mut sum = vec![0.0; columns.first().map_or(0, |(_, by)| by.len())];
        for (weight, (_, by)) in self.weights(covariate, value).into_iter().zip(columns) {
            add_scaled(&mut sum, weight, by);
        }
        sum
    }

    /// A control that sets one covariate.
    fn dial<'a>(&self, covariate: usize, found: &'a FoundFields) -> Dial<'a> {
        let about = &self.design.covariates()[covariate];
        let (values, labels) = match &about.kind {
            Kind::Linear { lower, upper } => (vec![*lower, *upper], Vec::new()),
            Kind::Spline { lower, upper, .. } => {
                let at = |i: usize| lower + (upper - lower) * i as f64 / STOPS as f64;
                ((0..=STOPS).map(at).collect(), Vec::new())
            }
            Kind::Levels { levels } => {
                let between = (0.0, "between".to_owned());
                let mut stops: Vec<_> =
                    (0..levels.len()).map(|k| (about.level(k), levels[k].clone())).collect();
                let place = stops.iter().filter(|(number, _)| *number < 0.0).count();
                stops.insert(place, between);
                stops.into_iter().unzip()
            }
        };
        let weights = values.iter().map(|value| self.weights(covariate, *value)).collect();
        let (name, start) = (about.name.clone(), about.reference());
        let slider = Slider { name, weights, start, values, labels, fields: Vec::new() };
        Dial { slider, moved: self.columns(covariate, found) }
    }
}
