//! A patient held against a released norm: how far the face is from what is expected at the covariates, as people vary. Free: of the people in the
//! norm nothing but the release is read. What comes out is of the patient: internal, and never a diagnosis.

use super::face_parts::{FacePart, FaceParts};
use super::law::{Along, Compared, Law};
use super::map::NormalMap;
use super::people::People;
use crate::estimate::Design;
use crate::function::FaceCurves;
use crate::mesh::{TriMesh, Vector};
use crate::privacy::Certificate;
use crate::study::face::{FACE_MM, StudyError, TemplateSource};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde::Serialize;
use std::path::Path;

/// What is said wherever a result is.
pub const NO_DIAGNOSIS: &str = "This is never a diagnosis: it says how far from a norm somebody is, not why.";

/// Draws of what the modes do not hold, for its variance at every point, and which: always the same.
const DRAWS: usize = 400;
const SEED: u64 = 0xa55e;
/// A released norm, ready for patients.
#[derive(Debug)]
pub struct Norm {
    /// What was released.
    pub people: People,
    /// How people vary along its modes: at given covariates by [`Law::at`].
    pub law: Law,
    /// How what the modes leave varies at every sample where its variance is 1: the covariance of its displacement, its diagonal (x, y, z), then xy, xz, yz.
    rest: [Vec<f64>; 2],
    /// Landmarks and regions, on the built-in template.
    face_parts: Option<FaceParts>,
}

/// Along one mode.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Part {
    /// Which, from 1.
    pub mode: usize,
    /// Standard deviations from what is expected; the sign is that of the mode.
    pub z: f64,
    /// Root-mean-square displacement along it, in millimetres on a face of 20 cm.
    pub mm: f64,
}

/// How a patient compares.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Assessment {
    /// Percentile, distance, what lies beyond the modes.
    #[serde(flatten)]
    pub compared: Compared,
    /// All of the deviation: root mean square over the points, in millimetres on a face of 20 cm.
    pub deviation_mm: f64,
    /// The stated error of the expected face, likewise.
    pub expected_face_error_mm: f64,
    /// Along each mode, the most unusual first.
    pub parts: Vec<Part>,
    /// Distances, angles and regions, the most unusual first; none on another template than the built-in one.
    pub measures: Vec<FacePart>,
    /// Root mean square of the z-values over the vertices: about 1 for people of the norm.
    pub z_rms: f64,
    /// What is to be known.
    pub notes: Vec<String>,
    /// At every vertex of the expected face; lengths in millimetres on a face of 20 cm.
    #[serde(skip)]
    pub map: NormalMap,
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
        let law = Law::of(&people.stated()?);
        let (rests, variance) = (rests(&people), people.rest.variance);
        let face_parts = FaceParts::new(&people, &law, &rests, variance)?;
        let scale = if variance > 0.0 { 1.0 / variance / DRAWS as f64 } else { 0.0 };
        let none = || vec![0.0; rests[0].len()];
        let rest = squares([none(), none()], rests.iter().map(|rest| (rest, scale)));
        Ok(Self { rest, face_parts, law, people })
    }

    /// Values of all covariates: a norm at a middle value would be another person's.
    ///
    /// # Errors
    /// [`StudyError`]: values outside the bounds, unknown or missing ones.
    pub fn values(&self, at: &[String]) -> Result<Vec<Option<f64>>, StudyError> {
        values_of(self.people.design(), at).map_err(StudyError::Release)
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
        let deviation: Vec<f64> = face.data().iter().zip(mean.data()).map(|(x, m)| x - m).collect();
        let law = self.law.at(values);
        let compared = law.compare(&deviation, error);
        let expected = self.people.surface(&mean)?;
        let deviation = FaceCurves::new(mean.curves(), mean.samples(), deviation)?;
        let map = self.map(&law, &deviation, &expected, error)?;
        let told = |parts: &FaceParts| parts.told(&self.people, &law, &deviation, &expected, error);
        let measures = self.face_parts.as_ref().map_or_else(Vec::new, told);
        let part = |along: &Along| Part { mode: along.mode, z: along.z, mm: FACE_MM * along.length };
        Ok(Assessment {
            deviation_mm: FACE_MM * compared.deviation,
            expected_face_error_mm: FACE_MM * error,
            parts: compared.parts.iter().map(part).collect(),
            measures,
            z_rms: map.z_rms(),
            notes: self.notes(),
            compared,
            map,
            expected,
        })
    }

    /// See [`Assessment::map`].
    fn map(
        &self,
        law: &Law,
        deviation: &FaceCurves,
        expected: &TriMesh,
        error: f64,
    ) -> Result<NormalMap, StudyError> {
        let template = self.people.template();
        let vertices = |field: Vec<f64>| -> Result<Vec<Vector>, StudyError> {
            Ok(template.field_through(&FaceCurves::new(deviation.curves(), deviation.samples(), field)?))
        };
        let field = template.field_through(deviation);
        let [diagonal, beside] = variation(law, &self.rest);
        let [diagonal, beside] = [vertices(diagonal)?, vertices(beside)?];
        let variance = |v: usize, n: &Vector| {
            let (own, with) = (diagonal[v], beside[v]);
            n.component_mul(n).dot(&own)
                + 2.0 * (n.x * n.y * with.x + n.x * n.z * with.y + n.y * n.z * with.z)
        };
        Ok(NormalMap::new(expected, &field, variance, error, FACE_MM))
    }

    fn notes(&self) -> Vec<String> {
        let (certificate, count) = (&self.people.certificate, self.people.modes.len());
        let mut notes = law_notes(count, &self.law, "people");
        notes.push(
            "The standard deviations hold the sample, the noise of the release and the registration of the norm's own people. A patient registered \
             otherwise differs for that alone."
                .to_owned(),
        );
        notes.push(format!(
            "Of {} people at {}, {count} directions stood out of the noise. What differs in other directions, or in small parts of the face, cannot be told \
             apart from how people vary; z-values there rest on public expectation: of two public models their mean square was .8 to 1.7, where it should be 1.",
            certificate.n, certificate.loss
        ));
        notes.push(if self.face_parts.is_some() {
                "Distances, angles and regions leave the size of the face out: they are those of a face of 20 cm. Of 22 of them about one has a z-value beyond 2 in \
                 a usual face; of two public models the mean square of z was 1.0 to 2.1 for distances and angles, .7 to 1.0 for regions, where it should be 1."
                    .to_owned()
        } else {
            "No distances, angles and regions: they are told on the built-in template only, whose landmarks are known.".to_owned()
        });
        notes.extend(norm_in_words(certificate));
        notes
    }
}

/// Values of all covariates of a norm, if it has any: a norm at a middle value would be somebody else's.
///
/// # Errors
/// A sentence on what is missing, unknown or outside the bounds.
pub(super) fn values_of(design: Option<&Design>, at: &[String]) -> Result<Vec<Option<f64>>, String> {
    let Some(design) = design else {
        return match at {
            [] => Ok(Vec::new()),
            _ => Err("--at is for the release of a regression: this one has no covariates".into()),
        };
    };
    let values = design.values(at).map_err(|e| e.to_string())?;
    let missing = design.covariates().iter().zip(&values).filter(|(_, value)| value.is_none());
    let missing: Vec<&str> = missing.map(|(covariate, _)| covariate.name.as_str()).collect();
    if missing.is_empty() {
        return Ok(values);
    }
    Err(format!("the norm depends on {}: give the patient's with --at", missing.join(", ")))
}

/// What is to be known of percentiles by a law of so many modes, of which some are clear of the noise.
pub(super) fn law_notes(modes: usize, law: &Law, people: &str) -> Vec<String> {
    let clear = law.clear;
    let mut notes = vec![
        NO_DIAGNOSIS.to_owned(),
        format!(
            "The percentile is of the distance along {clear} of the {modes} released modes, those whose variance is clear of the noise, for {people} whose \
             scores are normal. What lies beyond all modes is compared with the variance that is left, as a ratio: how it varies from one to \
             another was not released, so it is no percentile."
        ),
    ];
    notes.extend(law.note().map(str::to_owned));
    notes
}

/// What the certificate says of the norm.
pub(super) fn norm_in_words(certificate: &Certificate) -> Option<String> {
    let sentence = certificate.details.get("in_words").and_then(serde_json::Value::as_str)?;
    Some(format!("The norm: {sentence}"))
}

/// How people vary at every sample: variances of the three coordinates, and covariances of xy, xz, yz.
fn variation(law: &Law, rest: &[Vec<f64>; 2]) -> [Vec<f64>; 2] {
    let rest = rest.clone().map(|values| values.into_iter().map(|x| law.left * x).collect());
    squares(rest, law.directions.iter().zip(law.variances.iter().copied()))
}

/// Draws of what the modes leave.
fn rests(people: &People) -> Vec<Vec<f64>> {
    let mut rng = ChaCha20Rng::seed_from_u64(SEED);
    (0..DRAWS).map(|_| people.rest.draw(&mut rng)).collect()
}

/// Adds squares and products of the coordinates of fields, with their weights.
fn squares<'a>(
    [mut diagonal, mut beside]: [Vec<f64>; 2],
    fields: impl Iterator<Item = (&'a Vec<f64>, f64)>,
) -> [Vec<f64>; 2] {
    for (field, weight) in fields {
        let points = field.chunks_exact(3).zip(diagonal.chunks_exact_mut(3)).zip(beside.chunks_exact_mut(3));
        for ((p, own), with) in points {
            (0..3).for_each(|c| own[c] += weight * p[c] * p[c]);
            with[0] += weight * p[0] * p[1];
            with[1] += weight * p[0] * p[2];
            with[2] += weight * p[1] * p[2];
        }
    }
    [diagonal, beside]
}
