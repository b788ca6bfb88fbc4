//! Modes of variation of shapes, with their mean.

use super::accuracy::{accuracy, sentence, unseen};
use super::input::{ShapeInputs, Specimens};
use super::page;
use super::run::{Drawn, Gathered, release, write_fields, write_internal, write_mean};
use super::subject::Subject;
use crate::estimate::{INTERVALS, Modes};
use crate::job::layout::{MODES_NPY, REPORT, VARIANCES};
use crate::job::modes_table::{modes_details, modes_section, variances_csv};
use crate::job::{self, Job, Publication, ReleaseFolder};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::FunctionalModes;
use crate::mechanism::landmarks::{Expected, ReleasedShapes, ShapeMechanism, ShapeSetting, Tangent};
use crate::mechanism::vector::NoisedModes;
use crate::privacy::{Certificate, Mechanism, Mu, Released, Statement};
use crate::study::StudyFolder;
use crate::study::points::{PointAccuracy, PointStudyError};
use nalgebra::DMatrix;
use serde_json::json;
use std::sync::Arc;

/// Below this nμ the modes of the public spectrum are about as good as private ones.
pub const MODES_WORTHWHILE: f64 = 60.0;
/// How far pictures go, in standard deviations.
const REACH: f64 = 2.0;
/// More modes than this have no picture.
const PICTURED: usize = 8;

/// What the numbers in the table of variances are.
fn estimand() -> String {
    format!(
        "variance: of single records along the mode before they were clipped, squared Riemannian distance; the clip is undone under a normal model. {INTERVALS}. share: of the \
         variance of all coefficients that were looked at"
    )
}

/// Everything a study of modes needs to know; all of it public.
#[derive(Debug, Clone)]
pub struct ShapeModesSettings {
    /// The specimens, and what is known of them in advance.
    pub inputs: ShapeInputs,
    /// The budget of mean and second moment together.
    pub budget: Mu,
    /// At most so many modes are released.
    pub most: usize,
}

/// How a study of modes ended.
#[derive(Debug, Clone)]
pub struct ShapeModesOutcome {
    /// The study's folder.
    pub folder: StudyFolder,
    /// Number of people n.
    pub people: usize,
    /// How many records could not be used and contribute zero; for the data holder only.
    pub failed: usize,
    /// The modes and their variances.
    pub modes: Modes,
    /// How exact the mean is, from the release alone.
    pub accuracy: PointAccuracy,
    /// In words.
    pub sentence: String,
    /// What it guarantees.
    pub certificate: Certificate,
    /// What the data holder should know of the records.
    pub remarks: Vec<String>,
}

/// The mechanism for modes of shapes.
///
/// # Errors
/// [`MechanismError`], about public numbers.
pub fn modes_mechanism(setting: &ShapeSetting) -> Result<ShapeMechanism<FunctionalModes>, MechanismError> {
    let n = setting.n;
    let make = move |basis, centre, expected: Expected, mu| {
        FunctionalModes::new(basis, centre, expected.scale, mu, n)
    };
    ShapeMechanism::new(setting, Arc::new(make))
}

/// Runs a study of modes.
///
/// # Errors
/// [`PointStudyError`]; nothing is charged for input that cannot be used.
pub fn run_modes(settings: &ShapeModesSettings) -> Result<ShapeModesOutcome, PointStudyError> {
    let request = settings.inputs.request();
    let specimens = Specimens::open(&settings.inputs, &request)?;
    let mechanism = modes_mechanism(&specimens.setting(settings.budget))?;
    let publication = ModesPublication { subject: Subject::new(mechanism, &specimens), most: settings.most };
    job::run(&settings.inputs.place, |job| run_job(settings, &specimens, job, publication))
}

fn run_job(
    settings: &ShapeModesSettings,
    specimens: &Specimens<'_>,
    job: &mut Job<'_>,
    publication: ModesPublication,
) -> Result<ShapeModesOutcome, PointStudyError> {
    let price = publication.subject.mechanism.price().clone();
    let priced = job.price(&price, publication)?;
    let gathered = Gathered::read(specimens)?;
    let publication = priced.publication();
    let public = ("modes", settings.budget, settings.most);
    let mechanism = &publication.subject.mechanism;
    let (published, certificate) = release(job, &priced, mechanism, specimens, &gathered, &public)?;
    let found = publication.found(&published)?;
    write_internal(job, specimens, &gathered, Some(&found.mean))?;
    job.finish()?;
    Ok(ShapeModesOutcome {
        folder: job.folder().clone(),
        people: specimens.people.count(),
        failed: gathered.failed(),
        sentence: sentence(&found.accuracy, publication.subject.has_public_centre()),
        modes: found.modes,
        accuracy: found.accuracy,
        certificate,
        remarks: job.notes(),
    })
}

/// What modes are published as.
#[derive(Debug, Clone)]
struct ModesPublication {
    subject: Subject<FunctionalModes>,
    most: usize,
}

/// What noised moments tell: free.
pub(super) struct FoundModes {
    tangent: Tangent,
    mean: DMatrix<f64>,
    modes: Modes,
    /// One standard deviation of each, (k, d).
    fields: Vec<DMatrix<f64>>,
    /// How many coefficients were looked at, and their expected share.
    looked: (usize, f64),
    accuracy: PointAccuracy,
}

impl ModesPublication {
    fn found(&self, released: &Drawn<NoisedModes>) -> Result<FoundModes, PointStudyError> {
        let (tangent, mechanism) = self.subject.about(&released.value)?;
        let value = &released.value.value;
        let other = MechanismError::Shape("the stored draw is that of other shapes");
        let (Some(estimate), Some(modes)) = (mechanism.mean(value), mechanism.modes(value, self.most)) else {
            return Err(other.into());
        };
        let coordinates = mechanism.coordinates();
        let field =
            |mode: &crate::estimate::Mode| tangent.vector(&coordinates.displacement(&mode.coordinates));
        let spread =
            Some(mechanism.record_spread(&modes)).filter(|spread| spread.square > 2.0 * spread.noise);
        let looked = (coordinates.len(), coordinates.expected_share());
        let unseen = unseen(&tangent, released.value.centre_error, looked, self.subject.shrinks_centre());
        Ok(FoundModes {
            mean: tangent.shape(&estimate.samples),
            fields: modes.modes.iter().map(field).collect(),
            looked,
            accuracy: accuracy(&tangent, &estimate, unseen, released.price.n, spread),
            modes,
            tangent,
        })
    }
}

impl Publication for ModesPublication {
    type Value = ReleasedShapes<NoisedModes>;
    type Error = PointStudyError;

    fn counts_persons(&self) -> bool {
        self.subject.counts_persons()
    }

    fn describe(&self, released: &Released<Self::Value>, statement: &mut Statement) {
        self.subject.state(released, statement);
        if let Ok(found) = self.found(released) {
            statement.details.insert("accuracy".into(), json!(found.accuracy));
            let modes = modes_details(&found.modes, self.most, found.looked, &estimand());
            statement.details.insert("modes".into(), modes);
        }
    }

    fn statistic(&self) -> String {
        "shape modes".into()
    }

    fn write(
        &self,
        released: &Released<Self::Value>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        let found = self.found(released)?;
        write_mean(folder, &self.subject.files, &found.mean)?;
        let shape = [found.fields.len(), found.mean.nrows(), found.mean.ncols()];
        write_fields(folder, MODES_NPY, &shape, &found.fields)?;
        folder.write(VARIANCES, variances_csv(&found.modes).as_bytes())?;
        Ok(folder.write(REPORT, self.page(&found, certificate).as_bytes())?)
    }
}

impl ModesPublication {
    fn page(&self, found: &FoundModes, certificate: &Certificate) -> String {
        let what = "mean and modes of variation";
        let shown = (&found.tangent, &found.mean);
        let mut page = page::begin("Private modes of variation", what, &self.subject, shown, certificate);
        let mut pictures = Vec::new();
        for (k, field) in found.fields.iter().take(PICTURED).enumerate() {
            let (minus, plus) = (format!("-{REACH} sd"), format!("+{REACH} sd"));
            let caption = format!("Mode {}: two standard deviations to either side of the mean", k + 1);
            let moved = field * REACH;
            let ends = [&minus[..], &plus[..]];
            pictures.extend(page::to_both_sides(&self.subject, &found.mean, &moved, ends, &caption));
        }
        modes_section(&mut page, &found.modes, self.most, &pictures, &estimand());
        page.heading("How exact the mean is");
        page.paragraph(&sentence(&found.accuracy, self.subject.has_public_centre()));
        page::end(page, certificate)
    }
}
