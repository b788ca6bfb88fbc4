//! Synthetic faces from released modes: the mean and a normal amount of each. Free: nothing but the release is read.

use super::error::StudyError;
use super::template::{TemplateSource, load_template};
use crate::function::FaceCurves;
use crate::io::{Limit, npy, open, write_bytes, write_npy, write_ply};
use crate::job::layout::{CERTIFICATE, CURVES, MODES_NPY, RELEASE};
use crate::privacy::Certificate;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};
use serde_json::json;
use std::path::{Path, PathBuf};

/// What is said of them beside them.
pub const SAMPLE: &str = "sample.json";

/// The most faces that are drawn at once: (10⁴, 23, 80, 3) is 440 MB.
pub const MOST_FACES: usize = 10_000;

/// Which faces to draw.
#[derive(Debug, Clone)]
pub struct SampleRequest {
    /// The folder of a release with modes, or of the study it is in.
    pub release: PathBuf,
    /// How many faces.
    pub count: usize,
    /// Folder for the faces.
    pub out: PathBuf,
    /// The template the release was made with.
    pub template: TemplateSource,
    /// Which sample: the same seed gives the same faces.
    pub seed: u64,
}

/// A release's mean and modes.
struct Model {
    certificate: Certificate,
    mean: FaceCurves,
    modes: Vec<Vec<f64>>,
}

/// Draws faces mean + Σ z_k mode_k, z standard normal: `sample-0001.ply` and on, `curves.npy` (n, J, m, 3), and [`SAMPLE`], which says what they
/// are. Returns the files.
///
/// # Errors
/// [`StudyError`]: a release that cannot be read, has no modes, or was made with another template.
pub fn sample(request: &SampleRequest) -> Result<Vec<PathBuf>, StudyError> {
    if !(1..=MOST_FACES).contains(&request.count) {
        return Err(StudyError::Shape("between 1 and 10000 faces can be drawn at once"));
    }
    let folder = release_folder(&request.release);
    let model = Model::read(&folder)?;
    let loaded = load_template(&request.template)?;
    if !model.certificate.public_inputs.iter().any(|input| input.sha256 == loaded.input.sha256) {
        return Err(StudyError::Shape("the release was made with another template: name it with --template"));
    }
    let shape = [model.mean.curves(), model.mean.samples()];
    let mut rng = ChaCha20Rng::seed_from_u64(request.seed);
    let (mut all, mut files) = (Vec::new(), Vec::new());
    for k in 1..=request.count {
        let face = model.face(&mut rng);
        all.extend_from_slice(&face);
        let mesh = loaded.template.face_through(&FaceCurves::new(shape[0], shape[1], face)?)?;
        let file = request.out.join(format!("sample-{k:04}.ply"));
        write_ply(&file, &mesh)?;
        files.push(file);
    }
    let curves = request.out.join(CURVES);
    write_npy(&curves, &[request.count, shape[0], shape[1], 3], &all)?;
    let said = json!({
        "synthetic": true,
        "what": "synthetic faces drawn from a released private mean and its modes of variation; none is of a person",
        "model": "mean + sum of modes times independent standard normals; what the modes do not hold does not vary",
        "n": request.count,
        "seed": request.seed,
        "modes": model.modes.len(),
        "release": {"n": model.certificate.n, "loss": model.certificate.loss, "private": model.certificate.private},
    });
    let file = request.out.join(SAMPLE);
    write_bytes(&file, format!("{said:#}\n").as_bytes())?;
    files.extend([curves, file]);
    Ok(files)
}

/// The release itself, where a study's folder was named.
fn release_folder(named: &Path) -> PathBuf {
    let inside = named.join(RELEASE);
    if inside.join(CERTIFICATE).exists() { inside } else { named.to_owned() }
}

impl Model {
    fn read(folder: &Path) -> Result<Self, StudyError> {
        let file = open(&folder.join(CERTIFICATE), Limit::CERTIFICATE)?;
        let certificate = Certificate::from_json(file.text()?)
            .map_err(|_| StudyError::Shape("this folder holds no release: its certificate is not valid"))?;
        let modes_file = folder.join(MODES_NPY);
        if !modes_file.exists() {
            return Err(StudyError::Shape(
                "this release has no modes to draw from: it was not made by `face modes`",
            ));
        }
        let (mean, modes) = (npy::read(&folder.join(CURVES))?, npy::read(&modes_file)?);
        let ([jn, m, 3], [count, jk, mk, 3]) = (&mean.shape[..], &modes.shape[..]) else {
            return Err(StudyError::Shape("mean and modes of this release do not have the shapes of curves"));
        };
        if (jn, m) != (jk, mk) || mean.data.iter().chain(&modes.data).any(|x| !x.is_finite()) {
            return Err(StudyError::Shape("mean and modes of this release do not fit each other"));
        }
        if *count == 0 {
            return Err(StudyError::Shape(
                "this release has no modes to draw from: nothing stood out of the noise; more people, or a larger budget",
            ));
        }
        let modes = modes.data.chunks_exact(3 * jn * m).map(<[f64]>::to_vec).collect();
        Ok(Self { certificate, mean: FaceCurves::new(*jn, *m, mean.data)?, modes })
    }

    fn face(&self, rng: &mut ChaCha20Rng) -> Vec<f64> {
        let mut face = self.mean.data().to_vec();
        for mode in &self.modes {
            let z: f64 = StandardNormal.sample(rng);
            face.iter_mut().zip(mode).for_each(|(x, d)| *x += z * d);
        }
        face
    }
}
