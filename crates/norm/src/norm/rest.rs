//! What a release's modes do not hold of how people vary: by the public spectrum and by made-up people, as much as the noised variance leaves.

use crate::estimate::prior::Prior;
use crate::function::{Basis, FaceCurves};
use crate::mesh::Point;
use crate::study::face::mean::basis;
use crate::study::face::{StudyError, TemplateSource, load_template};
use crate::synth::FaceParameters;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};
use visard_base::numeric::elementary::{add_scaled, dot};

/// Made-up people whose differences give the rest its place on the face.
const PEOPLE: usize = 200;
/// Always the same people: what comes out is a function of what was released.
const SEED: u64 = 0x7e57;
/// Their share of the rest's variance; the remainder is spread by the public spectrum. Found on two public models of faces (.6 and 1 differ
/// by little): distances between points vary .74 of what they should at the 5 % quantile, against .61 with the spectrum alone.
const MADE_UP: f64 = 0.8;

/// A normal law of what is at right angles to the modes.
#[derive(Debug)]
pub struct Rest {
    /// Its variance per point: never negative.
    pub variance: f64,
    basis: Basis,
    /// Standard deviations of coefficients by the public spectrum; the sum of their squares is one.
    spectrum: Vec<f64>,
    /// Deviations of made-up people from their mean, one normal amount of each is a person; mean square one together.
    people: Vec<Vec<f64>>,
    /// Unit directions of the modes: mean square one per point.
    directions: Vec<Vec<f64>>,
    /// What brings a draw without the modes' directions to the variance.
    scale: f64,
}

impl Rest {
    /// About a template with these curves: of people who have the variance `total` per point in the `looked` leading coefficients, and in
    /// proportion what is expected of the others; without that of the modes, which are orthogonal.
    ///
    /// # Errors
    /// [`StudyError`] when nobody can be made up for curves of this form.
    pub(super) fn new(
        own: &FaceCurves,
        modes: &[Vec<f64>],
        (total, looked): (f64, usize),
    ) -> Result<Self, StudyError> {
        let points = (own.data().len() / 3) as f64;
        let basis = basis(own);
        let prior = Prior::new(&basis, |_| 1.0);
        let leading = prior.leading(looked);
        let sum: f64 = prior.spectrum.iter().sum();
        let spectrum: Vec<f64> = prior.spectrum.iter().map(|lambda| (lambda / sum).sqrt()).collect();
        let people = made_up(own.curves(), own.samples())?;
        let share = |coefficients: &[f64]| leading.iter().map(|&j| coefficients[j].powi(2)).sum::<f64>();
        let of_people: f64 = people.iter().map(|person| share(&basis.analyse(person))).sum();
        let whole = total / ((1.0 - MADE_UP) * share(&spectrum) + MADE_UP * of_people);
        let variances: Vec<f64> = modes.iter().map(|mode| dot(mode, mode) / points).collect();
        let unit = |(mode, variance): (&Vec<f64>, &f64)| -> Vec<f64> {
            let length = variance.sqrt().max(f64::MIN_POSITIVE);
            mode.iter().map(|x| x / length).collect()
        };
        let directions: Vec<Vec<f64>> = modes.iter().zip(&variances).map(unit).collect();
        let taken = |direction: &Vec<f64>| {
            let coefficients = basis.analyse(direction);
            let by_spectrum = coefficients.iter().zip(&spectrum).map(|(x, s)| (x * s).powi(2));
            let by_people = people.iter().map(|person| (dot(person, direction) / points).powi(2));
            (1.0 - MADE_UP) * by_spectrum.sum::<f64>() + MADE_UP * by_people.sum::<f64>()
        };
        let left = 1.0 - directions.iter().map(taken).sum::<f64>();
        let variance = (whole - variances.iter().sum::<f64>()).max(0.0);
        let scale = if left > 0.0 { (variance / left).sqrt() } else { 0.0 };
        Ok(Self { variance, basis, spectrum, people, directions, scale })
    }

    /// A draw: samples `(points, 3)`.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Vec<f64> {
        let mut normal = || -> f64 { StandardNormal.sample(rng) };
        let coefficients: Vec<f64> =
            self.spectrum.iter().map(|s| (1.0 - MADE_UP).sqrt() * s * normal()).collect();
        let mut field = self.basis.synthesize(&coefficients);
        for person in &self.people {
            let z = MADE_UP.sqrt() * normal();
            add_scaled(&mut field, z, person);
        }
        let points = (field.len() / 3) as f64;
        for direction in &self.directions {
            let along = dot(&field, direction) / points;
            add_scaled(&mut field, -along, direction);
        }
        field.iter_mut().for_each(|x| *x *= self.scale);
        field
    }
}

/// Deviations of made-up faces from their mean, all together of mean square one.
fn made_up(curves: usize, samples: usize) -> Result<Vec<Vec<f64>>, StudyError> {
    let builtin = load_template(&TemplateSource::Builtin)?.template;
    let mut rng = ChaCha20Rng::seed_from_u64(SEED);
    let face = |vertices: &[Point]| Ok(builtin.curves_of(vertices, curves, samples)?.into_data());
    let people = FaceParameters::sample_vertices(&FaceParameters::mean(), PEOPLE, &mut rng, face);
    let mut people = people.into_iter().collect::<Result<Vec<_>, StudyError>>()?;
    let mut mean = vec![0.0; 3 * curves * samples];
    for person in &people {
        mean.iter_mut().zip(person).for_each(|(m, x)| *m += x / PEOPLE as f64);
    }
    people.iter_mut().for_each(|person| person.iter_mut().zip(&mean).for_each(|(x, m)| *x -= m));
    let points = (curves * samples) as f64;
    let square: f64 = people.iter().map(|person| dot(person, person) / points).sum();
    let scale = square.max(f64::MIN_POSITIVE).sqrt().recip();
    people.iter_mut().flatten().for_each(|x| *x *= scale);
    Ok(people)
}
