//! Groups of faces compared: a private mean of each, where they differ, and whether they do.

mod normals;
mod outcome;
mod page;
mod picture;
pub mod plan;
mod publication;
mod subject;

pub use crate::mechanism::functional::Want;
pub use outcome::{Comparison, LEVEL, MapStatement, PairTest, TestStatement};
pub use subject::LEAST;

use super::error::StudyError;
use super::gather::{FaceProgress, FaceStudy};
use super::mean::basis;
use super::record::RecordMaker;
use super::settings::FaceInputs;
use crate::function::FaceCurves;
use crate::job::{self, Job};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::FunctionGroups;
use crate::mechanism::vector::GroupLabels;
use crate::privacy::{Certificate, Mechanism, Mu};
use crate::study::{Groups, Place, StudyFolder};
use std::path::PathBuf;
pub(in crate::study::face) use subject::ComparePublication;

/// Everything a comparison of groups needs to know; all of it public.
#[derive(Debug, Clone)]
pub struct CompareSettings {
    /// The people and their scans.
    pub records: FaceInputs,
    /// The table `record,group`.
    pub groups: PathBuf,
    /// A map of differences, a test of any, or both.
    pub want: Want,
    /// The budget of all of it.
    pub budget: Mu,
}

impl CompareSettings {
    /// The default comparison of these scans in this place, by this table: map and test.
    pub fn new(
        inputs: impl Into<Vec<PathBuf>>,
        groups: impl Into<PathBuf>,
        place: Place,
        budget: Mu,
    ) -> Self {
        Self { records: FaceInputs::new(inputs, place), groups: groups.into(), want: Want::default(), budget }
    }
}

/// How a comparison ended.
#[derive(Debug, Clone)]
pub struct CompareOutcome {
    /// The study's folder.
    pub folder: StudyFolder,
    /// Number of scans.
    pub scans: usize,
    /// Number of people n, who may have several scans each.
    pub people: usize,
    /// How many records could not be used; for the data holder only.
    pub failed: usize,
    /// What the release guarantees.
    pub certificate: Certificate,
    /// What it tells.
    pub comparison: Comparison,
}

/// The mechanism for groups of faces about the template's own curves.
///
/// # Errors
/// [`MechanismError`], about public numbers.
pub fn mechanism(
    want: Want,
    template: &FaceCurves,
    labels: GroupLabels,
    mu: Mu,
) -> Result<FunctionGroups, MechanismError> {
    FunctionGroups::new(want, &basis(template), template.data(), labels, 1.0, mu)
}

/// Compares groups of faces.
///
/// # Errors
/// [`StudyError`]. One bad scan never stops it; what is wrong with the table of groups is found out before anything is charged; errors
/// after the ledger was charged leave the charge standing, and the study to be resumed.
pub fn run(
    settings: &CompareSettings,
    progress: &(dyn Fn(FaceProgress) + Sync),
) -> Result<CompareOutcome, StudyError> {
    let study = FaceStudy::open(&settings.records)?;
    let groups = study.groups(&settings.groups)?;
    let mechanism = mechanism(settings.want, &study.own, groups.labels().clone(), settings.budget)?;
    let publication = ComparePublication {
        template: study.loaded.clone(),
        own: study.own.clone(),
        mechanism,
        groups,
        want: settings.want,
        registration: study.settings.registration,
        counting: study.counting.clone(),
        unusable: study.settings.unusable,
    };
    let maker = study.maker()?;
    job::run(&settings.records.place, |job| run_job(settings, &study, job, publication, &maker, progress))
}

fn run_job(
    settings: &CompareSettings,
    study: &FaceStudy<'_>,
    job: &mut Job<'_>,
    publication: ComparePublication,
    maker: &RecordMaker<'_>,
    progress: &(dyn Fn(FaceProgress) + Sync),
) -> Result<CompareOutcome, StudyError> {
    let price = publication.mechanism.price().clone();
    let priced = job.price(&price, publication)?;
    let gathered = study.gather(job, maker, progress)?;
    let publication = priced.publication();
    let own: &Groups = &publication.groups;
    let public = (settings.want, settings.budget, own.sha256());
    let (mechanism, faces) = (&publication.mechanism, &gathered.faces);
    let (published, certificate) = study.release(job, &priced, mechanism, faces, &gathered, &public)?;
    study.write_internal(job, maker, &gathered, None, certificate.clip_radius)?;
    job.finish()?;
    Ok(CompareOutcome {
        folder: job.folder().clone(),
        scans: gathered.scans,
        people: study.people.count(),
        failed: gathered.failed,
        comparison: Comparison::of(publication, &published.value),
        certificate,
    })
}
