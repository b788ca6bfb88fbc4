//! Synthetic landmark configurations from a release of `shape modes`, or of a regression with residuals: its mean, normal amounts of its modes, and a public model of the rest.

use super::assess::values_of;
use super::law::Stated;
use super::people::{drawn_values, leans_on_prior, stated, variance_noise};
use super::sample::{FIDELITY, SAMPLE, TABLE, in_words};
use crate::estimate::Design;
use crate::io::{Limit, npy, open, write_bytes, write_npy};
use crate::privacy::Certificate;
use crate::study::StudyFolder;
use crate::study::layout::{CERTIFICATE, MEAN_NPY, MODES_NPY};
use crate::study::points::PointStudyError;
use crate::study::tangent::FieldsRelease;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The array of drawn shapes.
pub const SHAPES: &str = "shapes.npy";
/// The most that are drawn at once.
pub const MOST_SHAPES: usize = 100_000;
/// Outlines are expected to be as smooth as faces are: variances (1 + (f/2)²)^(−1.9) at f turns along the outline (`estimate::prior`).
const CORNER: f64 = 2.0;
const POWER: f64 = 1.9;

/// Which shapes to draw.
#[derive(Debug, Clone)]
pub struct ShapeSampleRequest {
    /// The folder of a release with modes, or of the study it is in.
    pub release: PathBuf,
    /// How many shapes.
    pub count: usize,
    /// Values of covariates, as in `age=8`; those that are not named are drawn evenly between their bounds, or among their levels.
    pub at: Vec<String>,
    /// Folder for the shapes.
    pub out: PathBuf,
    /// Which sample: the same seed gives the same shapes.
    pub seed: u64,
}

/// A release of shapes: all of it published.
#[derive(Debug)]
pub(super) struct Shapes {
    pub certificate: Certificate,
    /// Landmarks and coordinates of one shape.
    pub form: [usize; 2],
    mean: Vec<f64>,
    /// What covariates do to the mean, where it is a regression's.
    regression: Option<FieldsRelease>,
    /// One standard deviation of each, in units of the centroid size.
    pub modes: Vec<Vec<f64>>,
    /// What a variance of the certificate is in the squared unit of the modes.
    unit: f64,
    /// Unit directions that the rest has no part in: motions, scale, modes.
    taken: Vec<Vec<f64>>,
    /// Of the rest, all coordinates together, in the square of the array's unit.
    pub variance: f64,
    pub is_outline: bool,
    /// What brings a draw without the directions that are taken to the variance.
    scale: f64,
}

/// Draws shapes of unit centroid size, centred: [`SHAPES`] (n, k, 2) or (n, k, 3), and beside them [`TABLE`], [`SAMPLE`] and [`FIDELITY`]. Returns
/// the files.
///
/// # Errors
/// [`PointStudyError`]: a release that cannot be read, or has no modes.
pub fn sample_shapes(request: &ShapeSampleRequest) -> Result<Vec<PathBuf>, PointStudyError> {
    if !(1..=MOST_SHAPES).contains(&request.count) {
        return Err(PointStudyError::Input("between 1 and 100000 shapes can be drawn at once".into()));
    }
    let shapes = Shapes::open(&request.release)?;
    let given = match shapes.design() {
        Some(design) => design.values(&request.at).map_err(|e| PointStudyError::Input(e.to_string()))?,
        None => values_of(None, &request.at).map_err(PointStudyError::Input)?,
    };
    let covariates = shapes.design().map_or(&[][..], Design::covariates);
    let mut rng = ChaCha20Rng::seed_from_u64(request.seed);
    let mut all = Vec::with_capacity(request.count * shapes.mean.len());
    let mut table = String::from("shape,synthetic");
    covariates.iter().for_each(|covariate| table.extend([",", &covariate.name]));
    table.push('\n');
    for k in 0..request.count {
        let values = shapes.design().map_or_else(Vec::new, |design| drawn_values(design, &given, &mut rng));
        all.extend(shapes.draw(&values, &mut rng));
        let _ = write!(table, "{k},yes");
        for (covariate, value) in covariates.iter().zip(&values) {
            let _ = write!(table, ",{}", in_words(covariate, *value));
        }
        table.push('\n');
    }
    let [landmarks, dimensions] = shapes.form;
    let out = |name: &str| request.out.join(name);
    write_npy(&out(SHAPES), &[request.count, landmarks, dimensions], &all)?;
    write_bytes(&out(TABLE), table.as_bytes())?;
    let said = [(SAMPLE, shapes.described(request)), (FIDELITY, shapes.forecast())];
    for (name, value) in said {
        write_bytes(&out(name), format!("{value:#}\n").as_bytes())?;
    }
    Ok([SHAPES, TABLE, SAMPLE, FIDELITY].map(out).to_vec())
}

impl Shapes {
    pub fn open(named: &Path) -> Result<Self, PointStudyError> {
        let folder = StudyFolder::release_of(named);
        let no = |what: &str| PointStudyError::Input(format!("{}: {what}", folder.display()));
        let text = open(&folder.join(CERTIFICATE), Limit::CERTIFICATE)?.text()?.to_owned();
        let certificate = Certificate::from_json(&text).map_err(|e| no(&e.to_string()))?;
        let details = &certificate.details;
        let landmarks = details.get("landmarks").and_then(Value::as_str);
        let Some(landmarks) = landmarks else {
            return Err(no("is not a release of landmarks (visard shape modes makes one)"));
        };
        let is_outline = landmarks.starts_with("an outline");
        let regression =
            details.contains_key("covariates").then(|| FieldsRelease::open(&folder)).transpose()?;
        let modes_file = folder.join(MODES_NPY);
        if !modes_file.exists() {
            return Err(no(
                "has no modes: they come from `visard shape modes`, or from `visard shape regress --residuals`",
            ));
        }
        let (mean, modes) = (npy::read(&folder.join(MEAN_NPY))?, npy::read(&modes_file)?);
        let ([rows, columns], [count, k, d]) = (&mean.shape[..], &modes.shape[..]) else {
            return Err(no("its mean and its modes are not arrays of shapes"));
        };
        let finite = mean.data.iter().chain(&modes.data).all(|x| x.is_finite());
        if (rows, columns) != (k, d) || !(2..=3).contains(d) || !finite {
            return Err(no("its mean and its modes do not fit each other"));
        }
        if *count == 0 {
            return Err(no(
                "has no modes to draw from: nothing stood out of the noise; more people, or a larger budget",
            ));
        }
        let modes: Vec<Vec<f64>> = modes.data.chunks_exact(k * d).map(<[f64]>::to_vec).collect();
        let stated = |name: &str| details.get("modes")?.get(name).and_then(Value::as_f64);
        let variances = details.get("modes").and_then(|modes| modes.get("variances")?.as_array().cloned());
        let variances: f64 = variances.into_iter().flatten().filter_map(|x| x.as_f64()).sum();
        let whole = stated("total_variance").zip(stated("expected_share")).filter(|(_, share)| *share > 0.0);
        let (total, share) = whole.ok_or_else(|| no("its certificate does not state the variance"))?;
        // The certificate's variances are in the unit of its coefficients, the modes in that of the array.
        let seen: f64 = modes.iter().map(|mode| dot(mode, mode)).sum();
        let unit = seen / variances.max(f64::MIN_POSITIVE);
        let variance = (unit * total / share - seen).max(0.0);
        let form = [*k, *d];
        let taken = orthonormal(motions(&mean.data, form).into_iter().chain(modes.iter().cloned()));
        let energy = energy(form, is_outline, &taken);
        let scale = if energy > 0.0 { (variance / energy).sqrt() } else { 0.0 };
        Ok(Self {
            form,
            mean: mean.data,
            regression,
            modes,
            unit,
            taken,
            variance,
            is_outline,
            scale,
            certificate,
        })
    }

    /// The covariates, where it is a regression.
    pub fn design(&self) -> Option<&Design> {
        self.regression.as_ref().map(FieldsRelease::design)
    }

    /// The mean at these values of the covariates (one each), or the mean: of about unit size.
    pub fn mean_at(&self, values: &[Option<f64>]) -> Vec<f64> {
        self.regression.as_ref().map_or_else(|| self.mean.clone(), |regression| regression.at(values))
    }

    /// The expected error of [`Self::mean_at`], a Riemannian distance; `None` where the certificate does not state it.
    pub fn mean_error(&self, values: &[Option<f64>]) -> Option<f64> {
        let stated = || self.certificate.details.get("accuracy")?.get("rms")?.as_f64();
        let error = self.regression.as_ref().map_or_else(stated, |regression| Some(regression.error(values)));
        error.filter(|rms| rms.is_finite() && *rms >= 0.0)
    }

    fn draw<R: Rng + ?Sized>(&self, values: &[Option<f64>], rng: &mut R) -> Vec<f64> {
        let mut shape = self.mean_at(values);
        for mode in &self.modes {
            let z: f64 = StandardNormal.sample(rng);
            shape.iter_mut().zip(mode).for_each(|(x, d)| *x += z * d);
        }
        shape.iter_mut().zip(self.rest(rng)).for_each(|(x, r)| *x += r);
        let size = dot(&shape, &shape).sqrt().max(f64::MIN_POSITIVE);
        shape.iter_mut().for_each(|x| *x /= size);
        shape
    }

    /// What the release states of how specimens vary; `None` where it does not state the noise in the variances.
    pub fn stated(&self) -> Option<Stated> {
        let noise = variance_noise(&self.certificate, self.modes.len())?;
        let number = |name: &str| stated(&self.certificate, name).unwrap_or(0.0);
        Some(Stated {
            modes: self.modes.clone(),
            points: 1.0,
            noise: noise.into_iter().map(|noise| self.unit * noise).collect(),
            looked: number("coefficients"),
            whole_noise: number("total_noise") / number("total_variance").max(f64::MIN_POSITIVE),
            beyond: self.variance,
            leans_on_prior: leans_on_prior(&self.certificate),
            n: self.certificate.n,
            columns: self.design().map(Design::columns),
        })
    }

    /// A normal law at right angles to modes and motions: white, or as smooth along the outline as outlines are expected to be.
    pub fn rest<R: Rng + ?Sized>(&self, rng: &mut R) -> Vec<f64> {
        let [k, d] = self.form;
        let mut normal = || -> f64 { StandardNormal.sample(rng) };
        let mut field: Vec<f64> = vec![0.0; k * d];
        if self.is_outline {
            for f in 1..=k / 2 {
                let sd = smooth(f).sqrt();
                let waves: Vec<[f64; 2]> = (0..d).map(|_| [sd * normal(), sd * normal()]).collect();
                for (i, place) in field.chunks_exact_mut(d).enumerate() {
                    let (sin, cos) = (std::f64::consts::TAU * (f * i) as f64 / k as f64).sin_cos();
                    place.iter_mut().zip(&waves).for_each(|(x, [a, b])| *x += a * cos + b * sin);
                }
            }
        } else {
            field.iter_mut().for_each(|x| *x = normal());
        }
        for direction in &self.taken {
            let along = dot(&field, direction);
            field.iter_mut().zip(direction).for_each(|(x, t)| *x -= along * t);
        }
        field.iter_mut().for_each(|x| *x *= self.scale);
        field
    }

    fn described(&self, request: &ShapeSampleRequest) -> Value {
        json!({
            "synthetic": true,
            "what": "synthetic shapes drawn from a released private mean and its modes of variation; none is of a specimen",
            "model": "mean + sum of modes times independent standard normals + a normal law of the variance that the modes leave; centred, of unit size",
            "n": request.count,
            "seed": request.seed,
            "seed_note": "the seed chooses which shapes are drawn; it is no privacy noise, and the release is as private as before",
            "at": request.at,
            "modes": self.modes.len(),
            "fidelity": FIDELITY,
            "release": {"n": self.certificate.n, "loss": self.certificate.loss, "private": self.certificate.private},
        })
    }

    fn forecast(&self) -> Value {
        let seen: f64 = self.modes.iter().map(|mode| dot(mode, mode)).sum();
        let whole = seen + self.variance;
        json!({
            "synthetic": true,
            "kind": "forecast",
            "from": "the noised values of the release and public expectation; no real record was read or compared",
            "mean": {"accuracy": self.certificate.details.get("accuracy")},
            "variance": {
                "whole": whole,
                "learnt_from_the_records": seen / whole,
                "public_expectation": self.variance / whole,
                "note": "of the squared Riemannian distance of one shape from the mean",
            },
            "good_for": ["teaching, demonstrations, trying out software and pipelines, planning a study"],
            "not_good_for": [
                "conclusions beyond what the release itself says: analyse the release, not these shapes",
                "rare shapes, groups, outliers: scores are drawn from a normal law",
                "differences that the modes do not hold, which are public expectation",
            ],
            "privacy": "made from the release alone: these shapes tell no more of any one record than its certificate allows",
        })
    }
}

/// The variance that an outline is expected to have at this frequency, up to a constant.
fn smooth(frequency: usize) -> f64 {
    (1.0 + (frequency as f64 / CORNER).powi(2)).powf(-POWER)
}

/// The mean square of a draw of the rest before it is scaled: what the directions that are taken leave of its law.
fn energy([k, d]: [usize; 2], is_outline: bool, taken: &[Vec<f64>]) -> f64 {
    if !is_outline {
        return (k * d - taken.len().min(k * d)) as f64;
    }
    let along = |direction: &[f64], f: usize, c: usize| {
        let [mut a, mut b] = [0.0; 2];
        for i in 0..k {
            let (sin, cos) = (std::f64::consts::TAU * (f * i) as f64 / k as f64).sin_cos();
            a += cos * direction[i * d + c];
            b += sin * direction[i * d + c];
        }
        a * a + b * b
    };
    let of = |f: usize| {
        let gone = taken.iter().flat_map(|direction| (0..d).map(move |c| along(direction, f, c)));
        smooth(f) * ((k * d) as f64 - gone.sum::<f64>())
    };
    (1..=k / 2).map(of).sum()
}

/// What moves a shape as a whole, or makes it larger.
fn motions(mean: &[f64], [k, d]: [usize; 2]) -> Vec<Vec<f64>> {
    let shift = |c: usize| (0..k * d).map(|at| f64::from(u8::from(at % d == c))).collect::<Vec<f64>>();
    let turn = |(a, b): (usize, usize)| {
        let mut field = vec![0.0; k * d];
        for i in 0..k {
            field[i * d + a] = -mean[i * d + b];
            field[i * d + b] = mean[i * d + a];
        }
        field
    };
    let planes = (0..d).flat_map(|a| (a + 1..d).map(move |b| (a, b)));
    (0..d).map(shift).chain(planes.map(turn)).chain([mean.to_vec()]).collect()
}

/// Unit directions at right angles that span these.
fn orthonormal(directions: impl Iterator<Item = Vec<f64>>) -> Vec<Vec<f64>> {
    let mut found: Vec<Vec<f64>> = Vec::new();
    for mut direction in directions {
        let before = dot(&direction, &direction).sqrt();
        for other in &found {
            let along = dot(&direction, other);
            direction.iter_mut().zip(other).for_each(|(x, o)| *x -= along * o);
        }
        let length = dot(&direction, &direction).sqrt();
        if length > 1e-9 * before {
            direction.iter_mut().for_each(|x| *x /= length);
            found.push(direction);
        }
    }
    found
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
