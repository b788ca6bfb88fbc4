//! A regression of faces, start to finish.

use super::super::accuracy::Accuracy;
use super::super::error::StudyError;
use super::super::faces::Faces;
use super::super::gather::{FaceProgress, FaceStudy, Gathered};
use super::super::mean::basis;
use super::super::record::RecordMaker;
use super::super::settings::FaceInputs;
use super::publication::RegressionPublication;
use crate::estimate::Design;
use crate::function::FaceCurves;
use crate::io::internal::write_npy;
use crate::io::write_text;
use crate::job::covariates::Covariates;
use crate::job::layout::{COVARIATES, NONPRIVATE_FIELDS};
use crate::job::{self, Job};
use crate::mechanism::functional::{Field, FunctionRegression};
use crate::privacy::{Certificate, Mechanism, Mu};
use crate::study::StudyFolder;
use nalgebra::DMatrix;
use serde_json::json;
use std::path::PathBuf;

/// Everything a regression of faces on covariates needs to know.
#[derive(Debug, Clone)]
pub struct FaceRegressionSettings {
    /// Who is in it, where it works, and how records are made of their scans.
    pub records: FaceInputs,
    /// The table of the records' covariates: secret.
    pub covariates: PathBuf,
    /// What is known of the covariates beforehand: public.
    pub design: Design,
    /// The budget.
    pub budget: Mu,
}

/// How a regression ended.
#[derive(Debug, Clone)]
pub struct FaceRegressionOutcome {
    /// The study's folder.
    pub folder: StudyFolder,
    /// Number of scans.
    pub scans: usize,
    /// Number of people n.
    pub people: usize,
    /// How many scans could not be processed; for the data holder only.
    pub failed: usize,
    /// How many values lay outside their bounds and were clipped; for the data holder only.
    pub outside: usize,
    /// What else the data holder should know of the table of covariates.
    pub remarks: Vec<String>,
    /// What was released.
    pub released: ReleasedFields,
}

/// Released fields.
#[derive(Debug, Clone)]
pub struct ReleasedFields {
    /// One a column of the design.
    pub columns: Vec<Field>,
    /// R², where the noise does not hide it.
    pub explained: Option<f64>,
    /// How exact the mean at the reference values is.
    pub accuracy: Accuracy,
    /// What it guarantees.
    pub certificate: Certificate,
}

/// Runs a regression of faces.
///
/// # Errors
/// [`StudyError`]. What is wrong with the table is told before anything is charged; errors after the charge leave it standing, and the study
/// to be resumed.
pub fn run_regression(
    settings: &FaceRegressionSettings,
    progress: &(dyn Fn(FaceProgress) + Sync),
) -> Result<FaceRegressionOutcome, StudyError> {
    let study = FaceStudy::open(&settings.records)?;
    let (template, design) = (study.own.data().to_vec(), settings.design.clone());
    let regression =
        FunctionRegression::new(basis(&study.own), template, 1.0, design, study.n(), settings.budget)?;
    let publication = RegressionPublication {
        template: study.loaded.clone(),
        own: study.own.clone(),
        regression,
        budget: settings.budget,
        registration: study.settings.registration,
        counting: study.counting.clone(),
        unusable: study.settings.unusable,
    };
    let maker = study.maker()?;
    job::run(&settings.records.place, |job| run_job(settings, &study, job, publication, &maker, progress))
}

fn run_job(
    settings: &FaceRegressionSettings,
    study: &FaceStudy<'_>,
    job: &mut Job<'_>,
    publication: RegressionPublication,
    maker: &RecordMaker<'_>,
    progress: &(dyn Fn(FaceProgress) + Sync),
) -> Result<FaceRegressionOutcome, StudyError> {
    let price = publication.regression.mechanism().price().clone();
    let priced = job.price(&price, publication)?;
    // Before hours of work, not after.
    let covariates =
        Covariates::read(&settings.covariates, &settings.design, study.count(), |i| study.names(i))?;
    let remarks = covariates.remarks(&settings.design);
    job.tell(remarks.iter().cloned());
    let mut gathered = study.gather(job, maker, progress)?;
    gathered.with_table(covariates.table);
    let publication = priced.publication();
    let rows = covariates.rows(&settings.design, &study.people.members());
    let records = publication.regression.records(&gathered.faces, rows.clone())?;
    let mechanism = publication.regression.mechanism();
    let public = (&settings.design, settings.budget);
    let (published, certificate) =
        study.release(job, &priced, mechanism, &records[..], &gathered, &public)?;
    let fields = publication.fields(&published)?;
    let mean = publication.mean(&fields)?;
    let accuracy = publication.accuracy(&fields, certificate.n);
    study.write_internal(job, maker, &gathered, Some(&mean), certificate.clip_radius)?;
    write_secret_results(job, &settings.design, &covariates, &gathered, &rows, &study.own)?;
    job.finish()?;
    Ok(FaceRegressionOutcome {
        folder: job.folder().clone(),
        scans: gathered.scans,
        people: study.people.count(),
        failed: gathered.failed,
        outside: covariates.outside.iter().sum(),
        remarks,
        released: ReleasedFields {
            explained: fields.explained.share(),
            columns: fields.columns,
            accuracy,
            certificate,
        },
    })
}

/// For the data holder: what became of the covariates, and the fields without noise.
fn write_secret_results(
    job: &Job<'_>,
    design: &Design,
    covariates: &Covariates,
    gathered: &Gathered,
    rows: &[Vec<f64>],
    own: &FaceCurves,
) -> Result<(), StudyError> {
    let internal = job.folder().internal();
    let counted = |(i, covariate): (usize, &crate::estimate::design::Covariate)| json!({"name": covariate.name, "outside_bounds": covariates.outside[i], "missing": covariates.missing[i]});
    let counted: Vec<_> = design.covariates().iter().enumerate().map(counted).collect();
    write_text(&internal.join(COVARIATES), &json!(counted).to_string())?;
    if let Some(fields) = least_squares(rows, &gathered.faces, own) {
        let shape = [rows.first().map_or(0, Vec::len), own.curves(), own.samples(), 3];
        write_npy(&internal.join(NONPRIVATE_FIELDS), &shape, &fields)?;
    }
    Ok(())
}

/// The face at the reference values and the field of every column; `None` where covariates do not vary enough.
fn least_squares(rows: &[Vec<f64>], faces: &Faces, own: &FaceCurves) -> Option<Vec<f64>> {
    let q = rows.first()?.len();
    let mut usable = Vec::new();
    faces.for_each(|i, face| usable.extend(face.map(|_| &rows[i])));
    let x = DMatrix::from_fn(usable.len(), q, |i, j| usable[i][j]);
    let weights = &x * (x.transpose() * &x).try_inverse()?;
    let mut fields = vec![vec![0.0; own.data().len()]; q];
    let mut row = 0;
    faces.for_each(|_, face| {
        let Some(face) = face else { return };
        for (j, field) in fields.iter_mut().enumerate() {
            let weight = weights[(row, j)];
            field.iter_mut().zip(face.data()).for_each(|(f, x)| *f += weight * x);
        }
        row += 1;
    });
    // The intercept's column is a half.
    fields[0].iter_mut().for_each(|x| *x *= crate::estimate::design::INTERCEPT);
    Some(fields.concat())
}
