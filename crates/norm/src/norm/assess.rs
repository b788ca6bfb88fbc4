//! A patient held against a released norm: how far the face is from what is expected at the covariates, as people vary. Free: of the people in the
//! norm nothing but the release is read. What comes out is of the patient: internal, and never a diagnosis.

use super::law::{Law, square};
use super::people::People;
use crate::function::FaceCurves;
use crate::mesh::{TriMesh, Vector};
use crate::study::face::{FACE_MM, StudyError, TemplateSource};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde::Serialize;
use std::path::Path;

/// z-values at the vertices of the expected face.
pub const MAP: &str = "map.ply";
/// The same as a table.
pub const MAP_TABLE: &str = "map.csv";
/// What is said wherever a result is.
pub const NO_DIAGNOSIS: &str =
    "This is never a diagnosis: it says how a surface differs from a norm, not why.";

/// Draws of what the modes do not hold, for its variance at every point, and which: always the same.
const DRAWS: usize = 400;
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
    /// What the law leaves of all variance that is stated, per point, beyond the modes.
    left: f64,
    /// How people vary at every vertex: the covariance of its displacement, its diagonal (x, y, z), then xy, xz, yz.
    covariance: [Vec<Vector>; 2],
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
    /// Of 100 people of the norm at these covariates, how many are less unusual along the clear modes: in [0, 100]. `None` where no mode is
    /// clear of the noise.
    pub percentile: Option<f64>,
    /// Where that lies with probability .95, by what the noise and the sample may have done to the variances.
    pub percentile_interval: Option<(f64, f64)>,
    /// Of how many modes it is: those whose variance is clear of the noise.
    pub modes_of_percentile: usize,
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
        let seen: f64 = people.modes.iter().map(|mode| square(mode)).sum();
        let left = people.rest.variance + (seen - law.variances.iter().sum::<f64>()).max(0.0);
        let form = people.mean_at(&[])?;
        let vertices = |field: Vec<f64>| -> Result<Vec<Vector>, StudyError> {
            let field = FaceCurves::new(form.curves(), form.samples(), field)?;
            Ok(people.template().field_through(&field))
        };
        let [diagonal, beside] = variation(&people, &law, left);
        let covariance = [vertices(diagonal)?, vertices(beside)?];
        Ok(Self { covariance, left, law, people })
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
        let deviation: Vec<f64> = face.data().iter().zip(mean.data()).map(|(x, m)| x - m).collect();
        let coordinates = self.law.coordinates(&deviation);
        let squares = self.law.squares(&coordinates);
        let percentile = self.law.percentile(&squares);
        let all = deviation.iter().map(|x| x * x).sum::<f64>() / (deviation.len() / 3) as f64;
        let beyond = self.beyond(all - coordinates.iter().map(|c| c * c).sum::<f64>(), error);
        let expected = self.people.surface(&mean)?;
        let deviation = FaceCurves::new(mean.curves(), mean.samples(), deviation)?;
        let map = self.map(&deviation, &expected, error);
        let part =
            |(k, (c, v)): (usize, (&f64, &f64))| Part { mode: k + 1, z: c / v.sqrt(), mm: FACE_MM * c.abs() };
        let mut parts: Vec<Part> =
            coordinates.iter().zip(&self.law.variances).enumerate().map(part).collect();
        parts.sort_by(|a, b| b.z.abs().total_cmp(&a.z.abs()));
        Ok(Assessment {
            percentile: percentile.map(|percentile| percentile.value),
            percentile_interval: percentile.map(|percentile| percentile.interval),
            modes_of_percentile: self.law.clear,
            distance: squares.iter().sum::<f64>().sqrt(),
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

    fn beyond(&self, found: f64, error: f64) -> BeyondModes {
        let left = self.left;
        let stated = |name: &str| self.people.stated(name).unwrap_or(0.0);
        let whole = left + self.law.variances.iter().sum::<f64>();
        let noise = WIDE * whole * stated("total_noise") / stated("total_variance").max(f64::MIN_POSITIVE);
        let over =
            |expected: f64| Some(found.max(0.0) / (expected + error * error)).filter(|_| expected > 0.0);
        BeyondModes { ratio: over(left), interval: (over(left + noise), over(left - noise)) }
    }

    /// See [`Assessment::map`].
    fn map(&self, deviation: &FaceCurves, expected: &TriMesh, error: f64) -> [Vec<f64>; 3] {
        let field = self.people.template().field_through(deviation);
        let [diagonal, beside] = &self.covariance;
        let at = |(v, n): (usize, Vector)| {
            let (own, with) = (diagonal[v], beside[v]);
            let people = n.component_mul(&n).dot(&own)
                + 2.0 * (n.x * n.y * with.x + n.x * n.z * with.y + n.y * n.z * with.z);
            // The error is as large in every direction.
            let sd = (people.max(0.0) + error * error / 3.0).sqrt();
            (FACE_MM * n.dot(&field[v]), FACE_MM * sd)
        };
        let (along, sd): (Vec<f64>, Vec<f64>) =
            expected.vertex_normals().into_iter().enumerate().map(at).unzip();
        [along.iter().zip(&sd).map(|(d, s)| d / s).collect(), along, sd]
    }

    fn notes(&self) -> Vec<String> {
        let certificate = &self.people.certificate;
        let count = self.people.modes.len();
        let mut notes = vec![
            NO_DIAGNOSIS.to_owned(),
            format!(
                "The percentile is of the distance along {} of the {count} released modes, those whose variance is clear of the noise, for people whose \
                 scores are normal. What lies beyond all modes is compared with the variance that is left, as a ratio: how it varies from person to \
                 person was not released, so it is no percentile.",
                self.law.clear
            ),
            "The standard deviations hold the sample, the noise of the release and the registration of the norm's own people. A patient registered \
             otherwise differs for that alone."
                .to_owned(),
            format!(
                "Of {} people at {}, {count} directions stood out of the noise. What differs in other directions, or in small parts of the face, cannot be told \
                 apart from how people vary; z-values there rest on public expectation: of two public models their mean square was .8 to 1.7, where it should be 1.",
                certificate.n, certificate.loss
            ),
        ];
        if let Some(sentence) = certificate.details.get("in_words").and_then(serde_json::Value::as_str) {
            notes.push(format!("The norm: {sentence}"));
        }
        notes
    }
}

/// How people vary at every sample: variances of the three coordinates, and covariances of xy, xz, yz.
fn variation(people: &People, law: &Law, left: f64) -> [Vec<f64>; 2] {
    let drawn = people.rest.variance;
    let scale = if drawn > 0.0 { left / drawn / DRAWS as f64 } else { 0.0 };
    let mut rng = ChaCha20Rng::seed_from_u64(SEED);
    let rests: Vec<Vec<f64>> = (0..DRAWS).map(|_| people.rest.draw(&mut rng)).collect();
    let modes = law.directions.iter().zip(&law.variances).map(|(mode, v)| (mode, *v));
    let (mut diagonal, mut beside) = (vec![0.0; rests[0].len()], vec![0.0; rests[0].len()]);
    for (field, weight) in modes.chain(rests.iter().map(|rest| (rest, scale))) {
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
