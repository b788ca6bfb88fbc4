//! A patient held against a released norm: how far the face is from what is expected at the covariates, as people vary. Free: of the people in the
//! norm nothing but the release is read. What comes out is of the patient: internal, and never a diagnosis.

use super::law::{Here, Law};
use super::people::People;
use crate::function::FaceCurves;
use crate::mesh::{TriMesh, Vector};
use crate::study::face::{FACE_MM, StudyError, TemplateSource};
use nalgebra::DMatrix;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;
use serde::Serialize;
use std::path::Path;

/// z-values at the vertices of the expected face.
pub const MAP: &str = "z.ply";
/// The same as a table.
pub const MAP_TABLE: &str = "z.csv";
/// What is said wherever a result is.
pub const NO_DIAGNOSIS: &str =
    "This is never a diagnosis: it says how a surface differs from a norm, not why.";

/// Draws of what the modes do not hold, for its variance at every vertex, and which: always the same.
const DRAWS: usize = 200;
const SEED: u64 = 0xa55e;
/// Of normal intervals of 95 %.
const WIDE: f64 = 1.96;

/// A released norm, ready for patients.
#[derive(Debug)]
pub struct Norm {
    /// What was released.
    pub people: People,
    /// How people vary along its modes.
    pub law: Law,
    /// Displacements of the vertices by a unit of every mode, then by draws of the rest.
    modes: Vec<Vec<Vector>>,
    rests: Vec<Vec<Vector>>,
}

/// Along one mode.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// Which, from 1.
    pub mode: usize,
    /// Standard deviations from what is expected; the sign is that of the mode.
    pub z: f64,
    /// Root-mean-square displacement along it, in millimetres on a face of 20 cm.
    pub mm: f64,
}

/// What lies beyond the modes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BeyondModes {
    /// Its mean square over what the noised variance leaves for it: about 1 for people of the norm, widely scattered. No percentile.
    pub ratio: Option<f64>,
    /// The ratio's 95 % interval by the noise in the released variance; no upper end where that may leave nothing.
    pub interval: (Option<f64>, Option<f64>),
}

/// How a patient compares.
#[derive(Debug, Clone, Serialize)]
pub struct Assessment {
    /// Of 100 people of the norm at these covariates, how many are less unusual along the released modes: in [0, 100]. `None` where the norm has
    /// too few people.
    pub percentile: Option<f64>,
    /// The Mahalanobis distance it is of.
    pub distance: f64,
    /// All of the deviation: root mean square over the points, in millimetres on a face of 20 cm.
    pub deviation_mm: f64,
    /// The stated error of the expected face, likewise.
    pub expected_face_error_mm: f64,
    /// Along each mode, the most unusual first.
    pub parts: Vec<Part>,
    /// Beyond them.
    pub beyond: BeyondModes,
    /// Root mean square of the z-values over the vertices: about 1 for people of the norm.
    pub z_rms: f64,
    /// What is to be known.
    pub notes: Vec<String>,
    /// At every vertex, along the normal of the expected face: standard deviations, millimetres outwards, and one standard deviation in millimetres.
    #[serde(skip)]
    pub map: [Vec<f64>; 3],
    /// The expected face.
    #[serde(skip)]
    pub expected: TriMesh,
}

impl Norm {
    /// From the folder of a release, or of its study.
    ///
    /// # Errors
    /// As [`People::open`]; a certificate that does not state the noise.
    pub fn open(release: &Path, template: &TemplateSource) -> Result<Self, StudyError> {
        let people = People::open(release, template)?;
        let law = Law::of(&people)?;
        let form = people.mean_at(&[])?;
        let vertices = |field: &Vec<f64>| {
            let field = FaceCurves::new(form.curves(), form.samples(), field.clone())?;
            Ok(people.template().field_through(&field))
        };
        let mut rng = ChaCha20Rng::seed_from_u64(SEED);
        let draws: Vec<Vec<f64>> = (0..DRAWS).map(|_| people.rest.draw(&mut rng)).collect();
        let modes = law.directions.iter().map(vertices).collect::<Result<_, StudyError>>()?;
        let rests = draws.par_iter().map(vertices).collect::<Result<_, StudyError>>()?;
        Ok(Self { modes, rests, law, people })
    }

    /// Values of all covariates: a norm at a middle value would be another person's.
    ///
    /// # Errors
    /// [`StudyError`]: values outside the bounds, unknown or missing ones.
    pub fn values(&self, at: &[String]) -> Result<Vec<Option<f64>>, StudyError> {
        let Some(design) = self.people.design() else {
            return match at {
                [] => Ok(Vec::new()),
                _ => Err(StudyError::Shape(
                    "--at is for the release of a regression: this one has no covariates",
                )),
            };
        };
        let values = design.values(at)?;
        let missing: Vec<&str> = design
            .covariates()
            .iter()
            .zip(&values)
            .filter(|(_, v)| v.is_none())
            .map(|(c, _)| c.name.as_str())
            .collect();
        if missing.is_empty() {
            return Ok(values);
        }
        Err(StudyError::Release(format!(
            "the norm depends on {}: give the patient's with --at",
            missing.join(", ")
        )))
    }

    /// Holds a registered face against the norm at these values, as [`Self::values`] gives them.
    ///
    /// # Errors
    /// [`StudyError`]: a face of another form.
    pub fn assess(&self, face: &FaceCurves, values: &[Option<f64>]) -> Result<Assessment, StudyError> {
        let mean = self.people.mean_at(values)?;
        if (face.curves(), face.samples()) != (mean.curves(), mean.samples()) {
            return Err(StudyError::Shape(
                "the patient's record and the norm have other numbers of curves or samples",
            ));
        }
        let error = self.people.mean_error(values)?;
        let here = self.law.with_error(error)?;
        let deviation: Vec<f64> = face.data().iter().zip(mean.data()).map(|(x, m)| x - m).collect();
        let coordinates = self.law.coordinates(&deviation);
        let square = here.square(&coordinates);
        let all = deviation.iter().map(|x| x * x).sum::<f64>() / (deviation.len() / 3) as f64;
        let left = self.left();
        let beyond = self.beyond(all - coordinates.iter().map(|c| c * c).sum::<f64>(), left, error);
        let expected = self.people.surface(&mean)?;
        let map = self.map(
            &FaceCurves::new(mean.curves(), mean.samples(), deviation)?,
            &expected,
            &here,
            (left, error),
        );
        let mut parts: Vec<Part> = coordinates
            .iter()
            .enumerate()
            .map(|(k, c)| Part { mode: k + 1, z: c / here.covariance[(k, k)].sqrt(), mm: FACE_MM * c.abs() })
            .collect();
        parts.sort_by(|a, b| b.z.abs().total_cmp(&a.z.abs()));
        Ok(Assessment {
            percentile: here.percentile(square),
            distance: square.sqrt(),
            deviation_mm: FACE_MM * all.sqrt(),
            expected_face_error_mm: FACE_MM * error,
            parts,
            beyond,
            z_rms: (map[0].iter().map(|z| z * z).sum::<f64>() / map[0].len() as f64).sqrt(),
            notes: self.notes(),
            map,
            expected,
        })
    }

    /// All variance that is stated, per point; and what the law leaves of it beyond the modes.
    fn left(&self) -> f64 {
        let seen: f64 = self
            .people
            .modes
            .iter()
            .map(|m| m.iter().map(|x| x * x).sum::<f64>() / (m.len() / 3) as f64)
            .sum();
        self.people.rest.variance + (seen - self.law.covariance.trace()).max(0.0)
    }

    fn beyond(&self, found: f64, left: f64, error: f64) -> BeyondModes {
        let stated = |name: &str| self.people.stated(name).unwrap_or(0.0);
        let whole = left + self.law.covariance.trace();
        let noise = WIDE * whole * stated("total_noise") / stated("total_variance").max(f64::MIN_POSITIVE);
        let over =
            |expected: f64| Some(found.max(0.0) / (expected + error * error)).filter(|_| expected > 0.0);
        BeyondModes { ratio: over(left), interval: (over(left + noise), over(left - noise)) }
    }

    /// See [`Assessment::map`].
    fn map(
        &self,
        deviation: &FaceCurves,
        expected: &TriMesh,
        here: &Here,
        (left, error): (f64, f64),
    ) -> [Vec<f64>; 3] {
        let normals = expected.vertex_normals();
        let field = self.people.template().field_through(deviation);
        let drawn = self.people.rest.variance;
        let scale = if drawn > 0.0 { left / drawn } else { 0.0 };
        let at = |v: usize| {
            let along = |field: &Vec<Vector>| normals[v].dot(&field[v]);
            let modes = DMatrix::from_iterator(self.modes.len(), 1, self.modes.iter().map(along));
            let by_modes = (modes.transpose() * &here.covariance * &modes)[(0, 0)];
            let by_rest = self.rests.iter().map(|rest| along(rest).powi(2)).sum::<f64>() / DRAWS as f64;
            let sd = (by_modes + scale * by_rest + error * error / 3.0).sqrt();
            (FACE_MM * along(&field), FACE_MM * sd)
        };
        let found: Vec<(f64, f64)> = (0..normals.len()).into_par_iter().map(at).collect();
        let (along, sd): (Vec<f64>, Vec<f64>) = found.into_iter().unzip();
        [along.iter().zip(&sd).map(|(d, s)| d / s).collect(), along, sd]
    }

    fn notes(&self) -> Vec<String> {
        let certificate = &self.people.certificate;
        let count = self.people.modes.len();
        let mut notes = vec![
            NO_DIAGNOSIS.to_owned(),
            format!(
                "The percentile is of the distance along the {count} released modes alone, for people of the norm whose scores are normal. What lies beyond \
                 them is compared with the variance that is left, as a ratio: how it varies from person to person was not released, so it is no percentile."
            ),
            "The standard deviations hold the sample, the noise of the release and the registration of the norm's own people. A patient registered \
             otherwise differs for that alone."
                .to_owned(),
            format!(
                "Of {} people at {}, {count} directions stood out of the noise. What differs in other directions, or in small parts of the face, cannot be told \
                 apart from how people vary; z-values there rest on public expectation.",
                certificate.n, certificate.loss
            ),
        ];
        if let Some(sentence) = certificate.details.get("in_words").and_then(serde_json::Value::as_str) {
            notes.push(format!("The norm: {sentence}"));
        }
        notes
    }
}
