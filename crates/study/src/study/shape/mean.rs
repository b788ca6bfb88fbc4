//! A private mean shape, start to finish.

use super::accuracy::{accuracy, bounded, sentence};
use super::input::{ShapeInputs, Specimens};
use super::page;
use super::run::{Drawn, Gathered, release, write_fields, write_internal, write_mean};
use super::subject::Subject;
use crate::estimate::Band;
use crate::job::layout::{BAND, REPORT};
use crate::job::{self, Job, Publication, ReleaseFolder};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{Aim, Estimate, NoisedFunction, TwoRoundMean};
use crate::mechanism::landmarks::{Expected, ReleasedShapes, ShapeMechanism, ShapeSetting, Tangent};
use crate::privacy::{Certificate, Mechanism, Mu, Released, Statement};
use crate::study::StudyFolder;
use crate::study::points::{PointAccuracy, PointStudyError};
use nalgebra::DMatrix;
use serde_json::json;
use std::sync::Arc;

/// Everything a study of a mean shape needs to know; all of it public.
#[derive(Debug, Clone)]
pub struct ShapeMeanSettings {
    /// The specimens, and what is known of them in advance.
    pub inputs: ShapeInputs,
    /// The budget.
    pub budget: Mu,
    /// With a 95 % band about the unshrunk mean.
    pub band: bool,
    /// Refuse where n and the budget are too small for a private radius, in place of a public one.
    pub private_radius: bool,
}

/// How a study of a mean shape ended.
#[derive(Debug, Clone)]
pub struct ShapeMeanOutcome {
    /// The study's folder.
    pub folder: StudyFolder,
    /// Number of people n.
    pub people: usize,
    /// How many records could not be used and contribute zero; for the data holder only.
    pub failed: usize,
    /// The mean, (k, d): centred, of unit size, rotated to the centre.
    pub mean: DMatrix<f64>,
    /// How exact it is, from the release alone.
    pub accuracy: PointAccuracy,
    /// In words.
    pub sentence: String,
    /// What it guarantees.
    pub certificate: Certificate,
    /// What the data holder should know of the records.
    pub remarks: Vec<String>,
}

/// The mean in two rounds, of shapes.
///
/// # Errors
/// [`MechanismError`], about public numbers.
pub fn mean_mechanism(
    setting: &ShapeSetting,
    band: bool,
) -> Result<ShapeMechanism<TwoRoundMean>, MechanismError> {
    let (n, aim) = (setting.n, if band { Aim::Band } else { Aim::Mean });
    let make = move |basis, centre, Expected { scale, centre_error }, mu| {
        let mean = TwoRoundMean::aiming(aim, basis, centre, scale, mu, n)?;
        Ok(match centre_error {
            Some(error) => mean.expecting_centre_within(error),
            None => mean,
        })
    };
    ShapeMechanism::new(setting, Arc::new(make))
}

/// Runs a study of a mean shape.
///
/// # Errors
/// [`PointStudyError`]; nothing is charged for input that cannot be used.
pub fn run_mean(settings: &ShapeMeanSettings) -> Result<ShapeMeanOutcome, PointStudyError> {
    let request = settings.inputs.request();
    let specimens = Specimens::open(&settings.inputs, &request)?;
    let mechanism = mean_mechanism(&specimens.setting(settings.budget), settings.band)?;
    if settings.private_radius {
        let aim = if settings.band { Aim::Band } else { Aim::Mean };
        TwoRoundMean::check_private_radius(aim, specimens.n(), mechanism.left())?;
    }
    let publication = MeanPublication { subject: Subject::new(mechanism, &specimens) };
    job::run(&settings.inputs.place, |job| run_job(settings, &specimens, job, publication))
}

fn run_job(
    settings: &ShapeMeanSettings,
    specimens: &Specimens<'_>,
    job: &mut Job<'_>,
    publication: MeanPublication,
) -> Result<ShapeMeanOutcome, PointStudyError> {
    let price = publication.subject.mechanism.price().clone();
    let priced = job.price(&price, publication)?;
    let gathered = Gathered::read(specimens)?;
    let publication = priced.publication();
    let public = ("mean", settings.budget, settings.band);
    let mechanism = &publication.subject.mechanism;
    let (published, certificate) = release(job, &priced, mechanism, specimens, &gathered, &public)?;
    let found = publication.found(&published)?;
    write_internal(job, specimens, &gathered, Some(&found.mean))?;
    job.finish()?;
    Ok(ShapeMeanOutcome {
        folder: job.folder().clone(),
        people: specimens.people.count(),
        failed: gathered.failed(),
        sentence: sentence(&found.accuracy, publication.subject.has_public_centre()),
        mean: found.mean,
        accuracy: found.accuracy,
        certificate,
        remarks: job.notes(),
    })
}

/// What a mean shape is published as.
#[derive(Debug, Clone)]
struct MeanPublication {
    subject: Subject<TwoRoundMean>,
}

/// What noised coordinates tell: free.
struct FoundMean {
    tangent: Tangent,
    mean: DMatrix<f64>,
    band: Option<Band>,
    accuracy: PointAccuracy,
}

impl MeanPublication {
    fn found(&self, released: &Drawn<NoisedFunction>) -> Result<FoundMean, PointStudyError> {
        let (tangent, mechanism) = self.subject.about(&released.value)?;
        let value = &released.value.value;
        if value.samples.len() != tangent.basis().len() || value.errors.len() != value.samples.len() {
            return Err(MechanismError::Shape("the stored draw is that of other shapes").into());
        }
        Ok(FoundMean {
            mean: tangent.shape(&value.samples),
            band: mechanism.band(value),
            accuracy: mean_accuracy(&self.subject.mechanism, released)?,
            tangent,
        })
    }
}

/// How exact a released mean is, from the release alone.
///
/// # Errors
/// [`MechanismError`] for a draw of other shapes.
pub fn mean_accuracy(
    shapes: &ShapeMechanism<TwoRoundMean>,
    released: &Drawn<NoisedFunction>,
) -> Result<PointAccuracy, MechanismError> {
    let (tangent, mechanism) = shapes.about(&released.value.centre)?;
    let value = &released.value.value;
    let estimate = Estimate { samples: value.samples.clone(), errors: value.errors.clone() };
    let filled = released.value.filled_error;
    let found = accuracy(&tangent, &estimate, filled, released.price.n, mechanism.record_spread(value));
    let radius = shapes.public_centre().map(|_| mechanism.reach());
    Ok(bounded(found, released.value.centre_error, &released.price, radius))
}

impl Publication for MeanPublication {
    type Value = ReleasedShapes<NoisedFunction>;
    type Error = PointStudyError;

    fn counts_persons(&self) -> bool {
        self.subject.counts_persons()
    }

    fn describe(&self, released: &Released<Self::Value>, statement: &mut Statement) {
        self.subject.state(released, statement);
        // A draw that does not fit is refused when it is written.
        if let Ok(found) = self.found(released) {
            statement.details.insert("accuracy".into(), json!(found.accuracy));
            if let Some(band) = &found.band {
                let details = json!({
                    "file": BAND,
                    "level": crate::estimate::band::LEVEL,
                    "simultaneous_over": "all landmarks and coordinates",
                    "estimand": "the mean of the population's clipped shapes, as a deviation from the centre in its tangent space",
                    "reach_in_standard_errors": band.reach,
                });
                statement.details.insert("band".into(), details);
            }
        }
    }

    fn statistic(&self) -> String {
        "shape mean".into()
    }

    fn write(
        &self,
        released: &Released<Self::Value>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        let FoundMean { tangent, mean, band, accuracy } = self.found(released)?;
        write_mean(folder, &self.subject.files, &mean)?;
        if let Some(band) = &band {
            let borders = band.borders();
            let (low, high) = borders.split_at(borders.len() / 2);
            let both = [tangent.rows(low), tangent.rows(high)];
            write_fields(folder, BAND, &[2, mean.nrows(), mean.ncols()], &both)?;
        }
        let mut page =
            page::begin("Private mean shape", "mean shape", &self.subject, (&tangent, &mean), certificate);
        page.heading("How exact it is");
        page.paragraph(&sentence(&accuracy, self.subject.has_public_centre()));
        Ok(folder.write(REPORT, page::end(page, certificate).as_bytes())?)
    }
}
