//! Synthetic faces from a release: its mean, normal amounts of its modes, and a public model of the rest. Free: nothing but the release is read.

use super::fidelity::forecast;
use super::folds::Folds;
use super::law::{Law, deviations};
use super::people::People;
use crate::estimate::design::{Covariate, Kind};
use crate::function::FaceCurves;
use crate::io::{write_bytes, write_npy, write_ply_with_comment};
use crate::study::face::{StudyError, TemplateSource};
use crate::study::layout::CURVES;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;

/// What is said of them beside them.
pub const SAMPLE: &str = "sample.json";
/// What they are good for.
pub const FIDELITY: &str = "fidelity.json";
/// One line a face.
pub const TABLE: &str = "people.csv";
/// What every mesh has in its heading.
pub const STAMP: &str = "synthetic face by visard: drawn from a private release, not of a person";

/// The most faces that are drawn at once: (10⁴, 23, 80, 3) is 440 MB.
pub const MOST_FACES: usize = 10_000;

/// Which faces to draw.
#[derive(Debug, Clone)]
pub struct SampleRequest {
    /// The folder of a release with modes, or of the study it is in.
    pub release: PathBuf,
    /// How many faces.
    pub count: usize,
    /// Values of covariates, as in `age=8`; those that are not named are drawn evenly between their bounds, or among their levels.
    pub at: Vec<String>,
    /// Folder for the faces.
    pub out: PathBuf,
    /// The template the release was made with.
    pub template: TemplateSource,
    /// Which sample: the same seed gives the same faces.
    pub seed: u64,
}

/// What was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sampled {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Faces that were made smoother because the surface folded.
    pub smoothed: usize,
    /// Covariates that were drawn, since no value was given.
    pub drawn_covariates: Vec<String>,
}

/// Draws faces: `sample-0001.ply` and on, `curves.npy` (n, J, m, 3), [`TABLE`] with the covariates of each, [`SAMPLE`], which says what they are,
/// and [`FIDELITY`].
///
/// # Errors
/// [`StudyError`]: a release that cannot be read, has no modes, or was made with another template; values of covariates it does not have.
pub fn sample(request: &SampleRequest) -> Result<Sampled, StudyError> {
    if !(1..=MOST_FACES).contains(&request.count) {
        return Err(StudyError::Shape("between 1 and 10000 faces can be drawn at once"));
    }
    let people = People::open(&request.release, &request.template)?;
    let given = match people.design() {
        Some(design) => design.values(&request.at)?,
        None if request.at.is_empty() => Vec::new(),
        None => {
            return Err(StudyError::Shape(
                "--at is for the release of a regression: this one has no covariates",
            ));
        }
    };
    let covariates = people.design().map_or_else(Vec::new, |design| design.covariates().to_vec());
    let folds = Folds::of(&people.surface(&people.mean_at(&given)?)?);
    let law = people.stated().ok().map(|stated| Law::of(&stated));
    let mut rng = ChaCha20Rng::seed_from_u64(request.seed);
    let unnamed = covariates.iter().zip(&given).filter(|(_, value)| value.is_none());
    let mut sampled = Sampled {
        files: Vec::new(),
        smoothed: 0,
        drawn_covariates: unnamed.map(|(covariate, _)| covariate.name.clone()).collect(),
    };
    let mut table = String::from("file,synthetic");
    covariates.iter().for_each(|covariate| table.extend([",", &covariate.name]));
    table.push('\n');
    let (mut all, mut shape) = (Vec::new(), [0, 0]);
    for k in 1..=request.count {
        let values = people.covariates(&given, &mut rng);
        let mean = people.mean_at(&values)?;
        shape = [mean.curves(), mean.samples()];
        let (modes, rest) = deviations(law.as_ref(), people.modes.len(), &values);
        let (seen, rest) = people.deviation((&modes, rest), &mut rng);
        let surface = |data: &[f64]| people.surface(&FaceCurves::new(shape[0], shape[1], data.to_vec())?);
        let (face, mesh, is_smoothed) = folds.unfolded(mean.data(), [&seen, &rest], surface)?;
        sampled.smoothed += usize::from(is_smoothed);
        all.extend_from_slice(&face);
        let name = format!("sample-{k:04}.ply");
        let file = request.out.join(&name);
        write_ply_with_comment(&file, &mesh, None, STAMP)?;
        sampled.files.push(file);
        let _ = write!(table, "{name},yes");
        for (covariate, value) in covariates.iter().zip(&values) {
            let _ = write!(table, ",{}", in_words(covariate, *value));
        }
        table.push('\n');
    }
    let out = |name: &str| request.out.join(name);
    write_npy(&out(CURVES), &[request.count, shape[0], shape[1], 3], &all)?;
    write_bytes(&out(TABLE), table.as_bytes())?;
    write_bytes(&out(SAMPLE), format!("{:#}\n", described(request, &people, &sampled)).as_bytes())?;
    let mut forecast = forecast(&people)?;
    forecast["synthetic"] = json!(true);
    write_bytes(&out(FIDELITY), format!("{forecast:#}\n").as_bytes())?;
    sampled.files.extend([CURVES, TABLE, SAMPLE, FIDELITY].map(out));
    Ok(sampled)
}

fn described(request: &SampleRequest, people: &People, sampled: &Sampled) -> serde_json::Value {
    let certificate = &people.certificate;
    json!({
        "synthetic": true,
        "what": "synthetic faces drawn from a released private mean and how people vary about it; none is of a person",
        "model": "mean + sum of modes times independent normals, with the variance at the covariates where the release tells it + a normal law of the rest: the variance that the modes leave, spread over the \
                  face by a public spectrum and by made-up people; the mouth is closed, as the template's is",
        "n": request.count,
        "seed": request.seed,
        "seed_note": "the seed chooses which faces are drawn; it is no privacy noise, and the release is as private as before",
        "at": request.at,
        "drawn_covariates": sampled.drawn_covariates,
        "modes": people.modes.len(),
        "smoothed": sampled.smoothed,
        "fidelity": FIDELITY,
        "release": {"n": certificate.n, "loss": certificate.loss, "private": certificate.private},
    })
}

pub(super) fn in_words(covariate: &Covariate, value: Option<f64>) -> String {
    let Some(value) = value else { return String::new() };
    match &covariate.kind {
        Kind::Levels { levels } => {
            let level = (0..levels.len()).find(|&level| covariate.level(level) == value);
            level.map_or_else(String::new, |level| levels[level].clone())
        }
        _ => value.to_string(),
    }
}
