//! Synthetic landmark configurations from a release of `shape modes`, or of a regression with residuals: its mean, normal amounts of its modes, and a public model of the rest.

use super::drawn::{Drawing, Words};
use super::law::{Law, Stated, deviations};
use super::release::ModesRelease;
use crate::estimate::Design;
use crate::io::write_npy;
use crate::study::points::PointStudyError;
use crate::study::shape::outlines_in;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};
use std::path::{Path, PathBuf};
use visard_base::numeric::elementary::{add_scaled, dot};

/// The array of drawn shapes.
pub const SHAPES: &str = "shapes.npy";
/// What a certificate of shapes says of their landmarks.
const LANDMARKS: &str = "landmarks";
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
    /// Modes are in units of the centroid size.
    pub release: ModesRelease,
    /// What a variance of the certificate is in the squared unit of the modes.
    unit: f64,
    /// Unit directions that the rest has no part in: motions, scale, modes.
    taken: Vec<Vec<f64>>,
    /// Of the rest, all coordinates together, in the square of the array's unit.
    pub variance: f64,
    /// How many outlines the landmarks go around; 0 without an order.
    pub outlines: usize,
    /// What brings a draw without the directions that are taken to the variance.
    scale: f64,
}

/// Draws shapes of unit centroid size, centred: [`SHAPES`] (n, k, 2) or (n, k, 3), and beside them [`TABLE`](super::sample::TABLE), [`SAMPLE`](super::sample::SAMPLE) and [`FIDELITY`](super::sample::FIDELITY). Returns
/// the files.
///
/// # Errors
/// [`PointStudyError`]: a release that cannot be read, or has no modes.
pub fn sample_shapes(request: &ShapeSampleRequest) -> Result<Vec<PathBuf>, PointStudyError> {
    if !(1..=MOST_SHAPES).contains(&request.count) {
        return Err(PointStudyError::Input("between 1 and 100000 shapes can be drawn at once".into()));
    }
    let shapes = Shapes::open(&request.release)?;
    let drawing = Drawing { count: request.count, at: &request.at, seed: request.seed, out: &request.out };
    let law = shapes.stated().map(|stated| Law::of(&stated));
    let mut all = Vec::with_capacity(request.count * shapes.release.mean.len());
    let table = drawing.draw(&shapes.release, |_, values, rng| {
        let amounts = deviations(law.as_ref(), shapes.release.modes.len(), values);
        all.extend(shapes.draw(values, amounts, rng));
        Ok(())
    })?;
    let [landmarks, dimensions] = shapes.form();
    let file = request.out.join(SHAPES);
    write_npy(&file, &[request.count, landmarks, dimensions], &all)?;
    let seen: f64 = shapes.release.modes.iter().map(|mode| dot(mode, mode)).sum();
    let beside = drawing.describe(&shapes.release, &WORDS, [seen, shapes.variance], &table)?;
    Ok(std::iter::once(file).chain(beside).collect())
}

const WORDS: Words = Words {
    records: "shapes",
    record: "shape",
    of: "a specimen",
    scale: "centred, of unit size",
    variance: "of the squared Riemannian distance of one shape from the mean",
};

impl Shapes {
    pub fn open(named: &Path) -> Result<Self, PointStudyError> {
        let release = ModesRelease::open(named, "shape", LANDMARKS)?;
        let [k, d] = release.axes;
        if !(2..=3).contains(&d) {
            return Err(PointStudyError::Input("its mean is not an array of landmarks".into()));
        }
        let outlines = outlines_in(release.certificate.details[LANDMARKS].as_str().unwrap_or_default());
        if outlines > 0 && !k.is_multiple_of(outlines) {
            return Err(PointStudyError::Input("its outlines have not as many landmarks each".into()));
        }
        let [of_modes, whole] = release.variances()?;
        // The certificate's variances are in the unit of its coefficients, the modes in that of the array.
        let seen: f64 = release.modes.iter().map(|mode| dot(mode, mode)).sum();
        let unit = seen / of_modes.max(f64::MIN_POSITIVE);
        let variance = (unit * whole - seen).max(0.0);
        let taken = motions(&release.mean, release.axes).into_iter().chain(release.modes.iter().cloned());
        let taken = orthonormal(taken);
        let energy = energy(release.axes, outlines, &taken);
        let scale = if energy > 0.0 { (variance / energy).sqrt() } else { 0.0 };
        Ok(Self { release, unit, taken, variance, outlines, scale })
    }

    /// Landmarks and coordinates of one shape.
    pub fn form(&self) -> [usize; 2] {
        self.release.axes
    }

    /// The covariates, where it is a regression.
    pub fn design(&self) -> Option<&Design> {
        self.release.design()
    }

    fn draw<R: Rng + ?Sized>(
        &self,
        values: &[Option<f64>],
        (modes, rest): (Vec<f64>, f64),
        rng: &mut R,
    ) -> Vec<f64> {
        let mut shape = self.release.mean_at(values);
        for (mode, deviation) in self.release.modes.iter().zip(modes) {
            let z = deviation * Distribution::<f64>::sample(&StandardNormal, rng);
            add_scaled(&mut shape, z, mode);
        }
        add_scaled(&mut shape, rest, &self.rest(rng));
        let size = dot(&shape, &shape).sqrt().max(f64::MIN_POSITIVE);
        shape.iter_mut().for_each(|x| *x /= size);
        shape
    }

    /// What the release states of how specimens vary; `None` where it does not state the noise in the variances.
    pub fn stated(&self) -> Option<Stated> {
        self.release.stated(self.release.modes.clone(), self.unit, self.variance)
    }

    /// A normal law at right angles to modes and motions: white, or as smooth along the outline as outlines are expected to be.
    pub fn rest<R: Rng + ?Sized>(&self, rng: &mut R) -> Vec<f64> {
        let [k, d] = self.form();
        let mut normal = || -> f64 { StandardNormal.sample(rng) };
        let mut field: Vec<f64> = vec![0.0; k * d];
        if let Some(each) = k.checked_div(self.outlines) {
            for own in field.chunks_exact_mut(each * d) {
                for f in frequencies(self.outlines, each) {
                    let sd = smooth(f).sqrt();
                    let waves: Vec<[f64; 2]> = (0..d).map(|_| [sd * normal(), sd * normal()]).collect();
                    for (i, place) in own.chunks_exact_mut(d).enumerate() {
                        let (sin, cos) = (std::f64::consts::TAU * (f * i) as f64 / each as f64).sin_cos();
                        place.iter_mut().zip(&waves).for_each(|(x, [a, b])| *x += a * cos + b * sin);
                    }
                }
            }
        } else {
            field.iter_mut().for_each(|x| *x = normal());
        }
        for direction in &self.taken {
            let along = dot(&field, direction);
            add_scaled(&mut field, -along, direction);
        }
        field.iter_mut().for_each(|x| *x *= self.scale);
        field
    }
}

/// Those that an outline of so many landmarks has. A single one does not move against another.
fn frequencies(outlines: usize, landmarks: usize) -> std::ops::RangeInclusive<usize> {
    usize::from(outlines == 1)..=landmarks / 2
}

/// The variance that an outline is expected to have at this frequency, up to a constant.
fn smooth(frequency: usize) -> f64 {
    (1.0 + (frequency as f64 / CORNER).powi(2)).powf(-POWER)
}

/// The mean square of a draw of the rest before it is scaled: what the directions that are taken leave of its law.
fn energy([k, d]: [usize; 2], outlines: usize, taken: &[Vec<f64>]) -> f64 {
    if outlines == 0 {
        return (k * d - taken.len().min(k * d)) as f64;
    }
    let each = k / outlines;
    let along = |own: &[f64], f: usize, c: usize| {
        let [mut a, mut b] = [0.0; 2];
        for i in 0..each {
            let (sin, cos) = (std::f64::consts::TAU * (f * i) as f64 / each as f64).sin_cos();
            a += cos * own[i * d + c];
            b += sin * own[i * d + c];
        }
        a * a + b * b
    };
    let of = |f: usize| {
        let outlines = taken.iter().flat_map(|direction| direction.chunks_exact(each * d));
        let gone = outlines.flat_map(|own| (0..d).map(move |c| along(own, f, c)));
        smooth(f) * ((k * d) as f64 - gone.sum::<f64>())
    };
    frequencies(outlines, each).map(of).sum()
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
            add_scaled(&mut direction, -along, other);
        }
        let length = dot(&direction, &direction).sqrt();
        if length > 1e-9 * before {
            direction.iter_mut().for_each(|x| *x /= length);
            found.push(direction);
        }
    }
    found
}
