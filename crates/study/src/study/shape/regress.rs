//! Regression of shapes on covariates, the logarithm of their own size among them.

use super::accuracy::{accuracy, sentence, unseen};
use super::input::{ShapeInputs, Specimen, Specimens};
use super::page;
use super::run::{Drawn, Gathered, release, write_fields, write_internal, write_mean};
use super::subject::Subject;
use crate::estimate::Design;
use crate::estimate::design::{Covariate, Kind};
use crate::job::covariates::Covariates;
use crate::job::layout::{FIELDS, REPORT};
use crate::job::{self, Job, Publication, ReleaseFolder};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{Estimate, Field, Fields, FunctionRegression};
use crate::mechanism::landmarks::{Expected, ReleasedShapes, ShapeMechanism, ShapeSetting, Tangent};
use crate::mechanism::vector::NoisedRegression;
use crate::privacy::{Certificate, Mechanism, Mu, Released, Statement};
use crate::study::StudyFolder;
use crate::study::fields_table::{design_details, faint_fields, fields_details, fields_section};
use crate::study::points::{PointAccuracy, PointStudyError};
use nalgebra::DMatrix;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// What the covariate of allometry is called.
pub const LOG_SIZE: &str = "log_size";

/// Everything a regression of shapes needs to know; the table is secret.
#[derive(Debug, Clone)]
pub struct ShapeRegressionSettings {
    /// The specimens, and what is known of them in advance.
    pub inputs: ShapeInputs,
    /// The table of covariates, and what is known of them; `None` for allometry alone.
    pub covariates: Option<(PathBuf, Design)>,
    /// Public bounds of the centroid size, in the unit of the landmarks: with allometry.
    pub size_bounds: Option<(f64, f64)>,
    /// The budget.
    pub budget: Mu,
}

/// How a regression ended.
#[derive(Debug, Clone)]
pub struct ShapeRegressionOutcome {
    /// The study's folder.
    pub folder: StudyFolder,
    /// Number of people n.
    pub people: usize,
    /// How many records could not be used and contribute zero; for the data holder only.
    pub failed: usize,
    /// How many values lay outside their bounds; for the data holder only.
    pub outside: usize,
    /// One a column of the design; norms are Riemannian distances.
    pub columns: Vec<Field>,
    /// R², where the noise does not hide it.
    pub explained: Option<f64>,
    /// How exact the mean at the reference values is.
    pub accuracy: PointAccuracy,
    /// In words.
    pub sentence: String,
    /// What it guarantees.
    pub certificate: Certificate,
    /// What the data holder should know of the records.
    pub remarks: Vec<String>,
}

impl ShapeRegressionSettings {
    /// All covariates: those of the table, then the logarithm of the centroid size.
    fn design(&self) -> Result<Design, PointStudyError> {
        let mut covariates: Vec<Covariate> =
            self.covariates.iter().flat_map(|(_, design)| design.covariates().to_vec()).collect();
        if let Some((lower, upper)) = self.size_bounds {
            if !(lower > 0.0 && lower < upper && upper.is_finite()) {
                return Err(PointStudyError::Input(
                    "--size-bounds are two positive numbers in rising order, LO:HI, in the landmarks' unit"
                        .into(),
                ));
            }
            let kind = Kind::Linear { lower: lower.ln(), upper: upper.ln() };
            covariates.push(Covariate { name: LOG_SIZE.into(), kind });
        }
        Design::new(covariates).map_err(|e| PointStudyError::Input(e.to_string()))
    }
}

/// The mechanism for regressions of shapes.
///
/// # Errors
/// [`MechanismError`], about public numbers.
pub fn regression_mechanism(
    setting: &ShapeSetting,
    design: Design,
) -> Result<ShapeMechanism<FunctionRegression>, MechanismError> {
    let n = setting.n;
    let make = move |basis, centre, Expected { scale, .. }, mu| {
        FunctionRegression::new(basis, centre, scale, design.clone(), n, mu)
    };
    ShapeMechanism::new(setting, Arc::new(make))
}

/// Runs a regression of shapes.
///
/// # Errors
/// [`PointStudyError`]; what is wrong with the table is told before anything is charged.
pub fn run_regression(settings: &ShapeRegressionSettings) -> Result<ShapeRegressionOutcome, PointStudyError> {
    let request = settings.inputs.request();
    let design = settings.design()?;
    let specimens = Specimens::open(&settings.inputs, &request)?;
    let mechanism = regression_mechanism(&specimens.setting(settings.budget), design.clone())?;
    let subject = Subject::new(mechanism, &specimens);
    let publication = RegressionPublication { subject, design, budget: settings.budget };
    job::run(&settings.inputs.place, |job| run_job(settings, &specimens, job, publication))
}

fn run_job(
    settings: &ShapeRegressionSettings,
    specimens: &Specimens<'_>,
    job: &mut Job<'_>,
    publication: RegressionPublication,
) -> Result<ShapeRegressionOutcome, PointStudyError> {
    let price = publication.subject.mechanism.price().clone();
    let priced = job.price(&price, publication)?;
    let publication = priced.publication();
    let table = match &settings.covariates {
        Some((path, own)) => Some(Covariates::read(path, own, specimens.count(), |i| specimens.name(i))?),
        None => None,
    };
    let mut gathered = Gathered::read(specimens)?;
    if let (Some(table), Some((_, own))) = (&table, &settings.covariates) {
        job.tell(table.remarks(own));
    }
    if settings.size_bounds.is_some() {
        specimens.check_scales()?;
    }
    let covariates = with_sizes(table, &publication.design, settings, &gathered.specimens);
    gathered.tables.push(covariates.table);
    gathered.records.rows = covariates.rows(&publication.design, &specimens.people.members());
    let public = ("regress", settings.budget, &publication.design);
    let mechanism = &publication.subject.mechanism;
    let (published, certificate) = release(job, &priced, mechanism, specimens, &gathered, &public)?;
    let found = publication.found(&published)?;
    write_internal(job, specimens, &gathered, Some(&found.mean))?;
    job.finish()?;
    Ok(ShapeRegressionOutcome {
        folder: job.folder().clone(),
        people: specimens.people.count(),
        failed: gathered.failed(),
        outside: covariates.outside.iter().sum(),
        explained: found.fields.explained.share(),
        sentence: sentence(&found.accuracy, publication.subject.has_public_centre()),
        columns: found.fields.columns,
        accuracy: found.accuracy,
        certificate,
        remarks: job.notes(),
    })
}

/// The table's values, and the logarithm of every record's size where it is wanted; a record without a shape has none, nor one whose
/// missing landmarks only a private centre will fill.
fn with_sizes(
    table: Option<Covariates>,
    design: &Design,
    settings: &ShapeRegressionSettings,
    specimens: &[Option<Specimen>],
) -> Covariates {
    let none = Covariates {
        values: vec![Vec::new(); specimens.len()],
        outside: Vec::new(),
        missing: Vec::new(),
        absent: 0,
        table: [0; 32],
    };
    let mut covariates = table.unwrap_or(none);
    if settings.size_bounds.is_none() {
        return covariates;
    }
    let logs: Vec<Option<f64>> =
        specimens.iter().map(|specimen| Some(specimen.as_ref()?.size()?.ln())).collect();
    let outside = |log: &f64| design.covariates().last().is_some_and(|covariate| !covariate.holds(*log));
    covariates.outside.push(logs.iter().flatten().filter(|log| outside(log)).count());
    covariates.missing.push(logs.iter().filter(|log| log.is_none()).count());
    covariates.values.iter_mut().zip(logs).for_each(|(values, log)| values.push(log));
    covariates
}

/// What a regression is published as.
#[derive(Debug, Clone)]
struct RegressionPublication {
    subject: Subject<FunctionRegression>,
    design: Design,
    budget: Mu,
}

/// What noised moments tell: free.
struct FoundFields {
    tangent: Tangent,
    mean: DMatrix<f64>,
    /// (k, d) displacements, one a column.
    displacements: Vec<DMatrix<f64>>,
    fields: Fields,
    accuracy: PointAccuracy,
}

/// What `fields.npy` holds.
const LAYOUT: &str = "the shape at the reference values, then one displacement a column: the shape at other values is about the first plus, \
                      for every column, (its value there - its value at the reference) times its displacement, scaled to unit size. A number \
                      is mapped linearly from its bounds to [-1, 1], so its displacement is that from the middle to the upper bound; levels \
                      are -1 and 1; bends of a spline are functions of that number, made of the bounds alone. Fields are shrunk: what the \
                      noise hides is zero.";

impl RegressionPublication {
    fn found(&self, released: &Drawn<NoisedRegression>) -> Result<FoundFields, PointStudyError> {
        let (tangent, regression) = self.subject.about(&released.value)?;
        let fields = regression.fields(&released.value.value)?;
        let estimate = Estimate { samples: fields.mean.clone(), errors: fields.mean_errors.clone() };
        let residual = fields.explained.residual();
        let spread = residual.map(|square| crate::estimate::Spread { square, noise: 0.0 });
        let coordinates = regression.coordinates();
        let looked = (coordinates.len(), coordinates.expected_share());
        let unseen = unseen(&tangent, released.value.centre_error, looked, self.subject.shrinks_centre());
        Ok(FoundFields {
            mean: tangent.shape(&fields.mean),
            displacements: fields.columns.iter().map(|field| tangent.vector(&field.samples)).collect(),
            accuracy: accuracy(&tangent, &estimate, unseen, released.price.n, spread),
            fields,
            tangent,
        })
    }
}

impl Publication for RegressionPublication {
    type Value = ReleasedShapes<NoisedRegression>;
    type Error = PointStudyError;

    fn counts_persons(&self) -> bool {
        self.subject.counts_persons()
    }

    fn describe(&self, released: &Released<Self::Value>, statement: &mut Statement) {
        self.subject.state(released, statement);
        design_details(&self.design, LAYOUT, statement);
        if let Ok(found) = self.found(released) {
            statement.details.insert("accuracy".into(), json!(found.accuracy));
            fields_details(&found.fields, statement);
        }
        faint_fields(self.budget.get(), statement);
    }

    fn statistic(&self) -> String {
        "shape regress".into()
    }

    fn write(
        &self,
        released: &Released<Self::Value>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        let found = self.found(released)?;
        write_mean(folder, &self.subject.files, &found.mean)?;
        let all: Vec<DMatrix<f64>> =
            std::iter::once(&found.mean).chain(&found.displacements).cloned().collect();
        write_fields(folder, FIELDS, &[all.len(), found.mean.nrows(), found.mean.ncols()], &all)?;
        Ok(folder.write(REPORT, self.page(&found, certificate).as_bytes())?)
    }
}

impl RegressionPublication {
    fn page(&self, found: &FoundFields, certificate: &Certificate) -> String {
        let what = "shape at the reference values and what covariates do to it, for the shapes";
        let shown = (&found.tangent, &found.mean);
        let mut page = page::begin("Private regression of shapes", what, &self.subject, shown, certificate);
        page.heading("The fields");
        for (field, moved) in found.fields.columns.iter().zip(&found.displacements) {
            let ends = ["lower bound, or first level", "upper bound, or second level"];
            let caption = format!("{}: the shape at the ends of what was declared", field.name);
            page.figures(&page::to_both_sides(&self.subject, &found.mean, moved, ends, &caption));
        }
        fields_section(&mut page, &found.fields, LAYOUT);
        page.heading("How exact the mean is");
        page.paragraph(&sentence(&found.accuracy, self.subject.has_public_centre()));
        page::end(page, certificate)
    }
}
