//! A specimen held against a released norm of landmarks, as [`super::assess`] holds a face. Free, internal, and never a diagnosis.

use super::assess::{law_notes, norm_in_words, values_of};
use super::law::{Along, Compared, Law};
use super::people::NO_NOISE;
use super::shapes::Shapes;
use crate::landmark::{fill, full_distance, reflected};
use crate::manifold::LandmarkShapes;
use crate::study::points::PointStudyError;
use nalgebra::DMatrix;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};
use std::path::Path;

/// Draws of what the modes do not hold, for its covariance at every landmark, and which: always the same.
const DRAWS: usize = 400;
const SEED: u64 = 0x5ae;
/// A specimen that is so much nearer to the mean's mirror image than to the mean was turned over; one that is nearly flat may be a little nearer.
const MIRRORED: f64 = 0.5;
/// The covariate of `shape regress --allometry`: the logarithm of the centroid size.
const LOG_SIZE: &str = "log_size";

/// A released norm of shapes, ready for specimens.
#[derive(Debug)]
pub struct ShapeNorm {
    shapes: Shapes,
    space: LandmarkShapes,
    /// How specimens vary along the modes.
    pub law: Law,
}

/// Along one mode.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ShapePart {
    /// Which, from 1.
    pub mode: usize,
    /// Standard deviations from the mean; the sign is that of the mode.
    pub z: f64,
    /// Riemannian distance along it.
    pub distance: f64,
}

/// At one landmark.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Place {
    /// Which, from 1.
    pub landmark: usize,
    /// Displacement from the mean shape to the specimen laid on it, in units of the centroid size.
    pub displacement: Vec<f64>,
    /// Of 100 specimens of the norm, how many are less unusual there, if displacements are normal.
    pub percentile: f64,
    /// Whether the specimen lacks it, and the norm's mean was bent to the others to fill it in.
    pub filled: bool,
}

/// How a specimen compares.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ShapeAssessment {
    /// Percentile, distance, what lies beyond the modes.
    #[serde(flatten)]
    pub compared: Compared,
    /// The Riemannian distance from the mean.
    pub riemannian_distance: f64,
    /// The stated error of the mean, likewise.
    pub mean_error: f64,
    /// The specimen's centroid size in the unit of its file: sizes are not in the norm.
    pub centroid_size: f64,
    /// Along each mode, the most unusual first.
    pub parts: Vec<ShapePart>,
    /// At every landmark.
    pub places: Vec<Place>,
    /// What is to be known.
    pub notes: Vec<String>,
    /// The mean, and the specimen laid on it.
    #[serde(skip)]
    pub laid: [DMatrix<f64>; 2],
}

impl ShapeNorm {
    /// From the folder of a release of `shape modes`, or of its study.
    ///
    /// # Errors
    /// [`PointStudyError`]: a release that cannot be read, has no modes, or does not state its errors.
    pub fn open(release: &Path) -> Result<Self, PointStudyError> {
        let shapes = Shapes::open(release)?;
        let no = |what: &str| PointStudyError::Input(format!("{}: {what}", release.display()));
        let law = Law::of(&shapes.stated().ok_or_else(|| no(NO_NOISE))?);
        let [k, d] = shapes.form();
        Ok(Self { space: LandmarkShapes::new(k, d)?, shapes, law })
    }

    /// Values of all covariates, where it is a regression: that of the size, if it is one, is the specimen's own.
    ///
    /// # Errors
    /// [`PointStudyError`]: values outside the bounds, unknown or missing ones.
    pub fn values(&self, at: &[String], size: f64) -> Result<Vec<Option<f64>>, PointStudyError> {
        let has_size =
            self.shapes.design().is_some_and(|design| design.covariates().iter().any(|c| c.name == LOG_SIZE));
        let own = has_size.then(|| format!("{LOG_SIZE}={}", size.ln()));
        let all: Vec<String> = at.iter().cloned().chain(own).collect();
        values_of(self.shapes.design(), &all).map_err(|what| {
            let about = if has_size {
                format!("; {LOG_SIZE} is that of the specimen, of centroid size {size}")
            } else {
                String::new()
            };
            PointStudyError::Input(format!("{what}{about}"))
        })
    }

    /// Landmarks, and coordinates of each.
    pub fn form(&self) -> [usize; 2] {
        self.shapes.form()
    }

    /// How many outlines the landmarks go around; 0 without an order.
    pub fn outlines(&self) -> usize {
        self.shapes.outlines
    }

    /// Holds landmarks in any place, pose and size against the norm, at these covariates ([`Self::values`]); landmarks that are missing (NaN) are filled in by the thin-plate spline that takes
    /// the mean's other landmarks to the specimen's.
    ///
    /// # Errors
    /// [`PointStudyError`]: another number of landmarks, no shape, a specimen nearer to the norm's mirror image.
    pub fn assess(
        &self,
        landmarks: &DMatrix<f64>,
        at: &[String],
    ) -> Result<ShapeAssessment, PointStudyError> {
        let no = |what: String| PointStudyError::Input(what);
        let [k, d] = self.shapes.form();
        if landmarks.shape() != (k, d) {
            let (rows, columns) = landmarks.shape();
            return Err(no(format!(
                "the specimen has {rows} landmarks in {columns} dimensions, the norm has {k} in {d}"
            )));
        }
        let filled: Vec<bool> = landmarks.row_iter().map(|row| row.iter().any(|x| x.is_nan())).collect();
        let whole = |mean: &DMatrix<f64>| fill(landmarks, mean).map_err(|e| no(format!("the specimen: {e}")));
        let mean_at = |values: &[Option<f64>]| {
            self.space.preshape(&DMatrix::from_row_slice(k, d, &self.shapes.release.mean_at(values)))
        };
        // The size of one that lacks landmarks is that of the one filled in from the mean at the reference values.
        let (reference, _) =
            mean_at(&vec![None; self.shapes.design().map_or(0, |design| design.covariates().len())])?;
        let values = self.values(at, self.space.preshape(&whole(&reference)?)?.1)?;
        let (mean, _) = mean_at(&values)?;
        let error = self.shapes.release.mean_error(&values);
        let error =
            error.ok_or_else(|| no("the norm's certificate does not state the error of the mean".into()))?;
        let whole = whole(&mean)?;
        let apart = |x: &DMatrix<f64>| full_distance(x, &mean).map_err(|e| no(format!("the specimen: {e}")));
        let [own, mirrored] = [apart(&whole)?, apart(&reflected(&whole))?];
        if mirrored < MIRRORED * own {
            return Err(no(
                "the specimen is nearer to the norm's mirror image: its picture was turned over, an axis points the other way, or left and right are \
                 exchanged; mirror it, or number its landmarks as the norm's"
                    .into(),
            ));
        }
        let (shape, size) = self.space.preshape(&whole)?;
        let deviation = self.space.log(&mean, &shape);
        let samples = deviation.transpose().as_slice().to_vec();
        let law = self.law.at(&values);
        let compared = law.compare(&samples, error);
        let covariances = covariances(&self.shapes, &law);
        let chi = ChiSquared::new(d as f64).map_err(|e| no(e.to_string()))?;
        // The error is alike in all directions.
        let of_mean = DMatrix::identity(d, d) * (error * error / (k * d) as f64).max(f64::MIN_POSITIVE);
        let place = |i: usize| {
            let by = deviation.row(i);
            let precision =
                (&covariances[i] + &of_mean).try_inverse().unwrap_or_else(|| DMatrix::zeros(d, d));
            let square = (by * precision * by.transpose())[(0, 0)];
            Place {
                landmark: i + 1,
                displacement: by.iter().copied().collect(),
                percentile: 100.0 * chi.cdf(square.max(0.0)),
                filled: filled[i],
            }
        };
        let part = |along: &Along| ShapePart { mode: along.mode, z: along.z, distance: along.length };
        Ok(ShapeAssessment {
            riemannian_distance: compared.deviation,
            mean_error: error,
            centroid_size: size,
            parts: compared.parts.iter().map(part).collect(),
            places: (0..k).map(place).collect(),
            notes: self.notes(filled.iter().filter(|filled| **filled).count(), mirrored < own),
            laid: [mean.clone(), self.space.rotated(&mean, &shape)],
            compared,
        })
    }

    fn notes(&self, filled: usize, mirrored: bool) -> Vec<String> {
        let (certificate, count) = (&self.shapes.release.certificate, self.shapes.release.modes.len());
        let mut notes = law_notes(count, &self.law, "specimens");
        notes.push(
            "The standard deviations hold the sample, the noise of the release and the digitizing of the norm's own specimens. One digitized by somebody \
             else differs for that alone. Size is left out unless it is a covariate."
                .to_owned(),
        );
        notes.push(format!(
            "Of {} specimens at {}, {count} directions stood out of the noise. What differs in others cannot be told apart from how specimens vary: at a \
             landmark it is taken to be {}.",
            certificate.n,
            certificate.loss,
            if self.shapes.outlines > 0 { "as smooth along the outline as outlines are expected to be" } else { "alike in all directions" }
        ));
        if filled > 0 {
            notes.push(format!(
                "{filled} landmarks are missing and were filled in from the norm's mean: nothing can be said of them."
            ));
        }
        if mirrored {
            notes.push(
                "The specimen is a little nearer to the norm's mirror image than to the norm: look whether it was turned over.".into(),
            );
        }
        notes.extend(norm_in_words(certificate));
        notes
    }
}

/// How specimens vary at every landmark, the covariance of its displacement: by the modes, and by what they do not hold.
fn covariances(shapes: &Shapes, law: &Law) -> Vec<DMatrix<f64>> {
    let [k, d] = shapes.form();
    let drawn = shapes.variance;
    let scale = if drawn > 0.0 { law.left / drawn / DRAWS as f64 } else { 0.0 };
    let mut rng = ChaCha20Rng::seed_from_u64(SEED);
    let rests: Vec<Vec<f64>> = (0..DRAWS).map(|_| shapes.rest(&mut rng)).collect();
    let modes = law.directions.iter().zip(&law.variances).map(|(mode, v)| (mode, *v));
    let mut found = vec![DMatrix::zeros(d, d); k];
    for (field, weight) in modes.chain(rests.iter().map(|rest| (rest, scale))) {
        for (at, covariance) in field.chunks_exact(d).zip(&mut found) {
            let at = DMatrix::from_column_slice(d, 1, at);
            *covariance += weight * &at * at.transpose();
        }
    }
    found
}
