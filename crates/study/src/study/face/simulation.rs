//! Made-up people for plans: a public population whose mean is not the template.

use super::error::StudyError;
use super::prior::FacePrior;
use super::template::{TemplateLoadError, TemplateSource, load_template};
use crate::function::FaceCurves;
use crate::mechanism::functional::{FunctionRecords, TELLING};
use crate::mesh::Point;
use crate::surface::{Template, TemplateError};
use crate::synth::FaceParameters;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::StandardNormal;
use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use visard_base::numeric::elementary::add_scaled;

/// Simulated people; more records than these repeat them.
const PEOPLE: usize = 400;

/// How far the simulated population's mean lies from the template (root mean square, unit area): as far as that of a public
/// face model lies from the built-in template (docs/measurements.md). Shrinkage must not be given a mean that is the template.
pub const TEMPLATE_DISTANCE: f64 = 0.012;

/// That from the mean of a prior, as a share of it: half, as the mechanism expects of people that are like the study's.
const PRIOR_SHARE: f64 = 0.5;

/// Of everything that is drawn for a plan.
pub(super) const SEED: u64 = 0x1e57;

/// Why nobody could be made up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The template.
    #[error(transparent)]
    Template(#[from] TemplateLoadError),
    /// The simulated curves.
    #[error(transparent)]
    Curves(#[from] TemplateError),
    /// The prior.
    #[error(transparent)]
    Prior(#[from] Box<StudyError>),
}

/// People a plan is made with.
pub(super) struct Simulation {
    pub(super) own: FaceCurves,
    pub(super) people: Arc<Vec<Vec<f64>>>,
    /// Of one person about the mean.
    pub(super) variance: f64,
    /// What is known of public people.
    pub(super) prior: Option<FacePrior>,
}

impl Simulation {
    /// People about this template, with so many curves and samples: [`TEMPLATE_DISTANCE`] off it in the mean. With a prior, people who differ
    /// as those of the prior do, half as far off its mean: a prior taken at its word.
    pub(super) fn new(
        template: &TemplateSource,
        prior: Option<&Path>,
        curves: usize,
        samples: usize,
    ) -> Result<Self, SimulationError> {
        let builtin = load_template(&TemplateSource::Builtin)?.template;
        let face = builtin.own_curves(curves, samples)?;
        let own = match template {
            TemplateSource::Builtin => face.clone(),
            other => load_template(other)?.template.own_curves(curves, samples)?,
        };
        let prior = prior.map(|path| FacePrior::load(path, &own).map_err(Box::new)).transpose()?;
        let Drawn { mut people, mut rng, .. } = drawn(&builtin, curves, samples)?;
        // From here on they are differences from the built-in face.
        people.iter_mut().flat_map(|p| p.iter_mut().zip(face.data())).for_each(|(x, f)| *x -= f);
        if let Some(prior) = &prior {
            people = like(prior, people, &mut rng);
        }
        let about = prior.as_ref().map_or(&own, |prior| &prior.mean);
        people.iter_mut().flat_map(|p| p.iter_mut().zip(about.data())).for_each(|(x, o)| *x += o);
        let centre = mean_of(people.iter(), own.data().len());
        let squares = people.iter().map(|p| square_distance(p, &centre, own.data().len() / 3));
        let variance = squares.sum::<f64>() / (people.len() - 1) as f64;
        Ok(Self { own, people: Arc::new(people), variance, prior })
    }

    /// What could be published unread.
    pub(super) fn centre(&self) -> &FaceCurves {
        self.prior.as_ref().map_or(&self.own, |prior| &prior.mean)
    }

    /// n people, who are repeated where there are fewer.
    pub(super) fn first(&self, n: usize) -> First {
        First { people: self.people.clone(), n }
    }

    /// Their mean.
    pub(super) fn mean_of_first(&self, n: usize) -> Vec<f64> {
        mean_of((0..n).map(|i| &self.people[i % self.people.len()]), self.own.data().len())
    }
}

/// Records of people, who are repeated.
pub(super) struct First {
    people: Arc<Vec<Vec<f64>>>,
    n: usize,
}

impl FunctionRecords for First {
    fn count(&self) -> usize {
        self.n
    }

    fn samples(&self, i: usize) -> Option<Cow<'_, [f64]>> {
        Some(Cow::Borrowed(&self.people[i % self.people.len()]))
    }
}

/// People drawn at random.
#[derive(Clone)]
struct Drawn {
    /// J and m.
    form: (usize, usize),
    /// Their curves.
    people: Vec<Vec<f64>>,
    /// What is drawn from after them.
    rng: ChaCha20Rng,
}

/// The same people every time: those who were asked for last are kept for a window that plans again and again.
fn drawn(template: &Template, curves: usize, samples: usize) -> Result<Drawn, TemplateError> {
    static LAST: Mutex<Option<Drawn>> = Mutex::new(None);
    let last = || LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = last().as_ref().filter(|known| known.form == (curves, samples)) {
        return Ok(known.clone());
    }
    let mut rng = ChaCha20Rng::seed_from_u64(SEED);
    let curves_of = |vertices: &[Point]| Ok(template.curves_of(vertices, curves, samples)?.into_data());
    let people = FaceParameters::sample_vertices(&FaceParameters::elsewhere(), PEOPLE, &mut rng, curves_of);
    let people = people.into_iter().collect::<Result<_, TemplateError>>()?;
    Ok(last().insert(Drawn { form: (curves, samples), people, rng }).clone())
}

/// Deviations from a prior's mean of people who differ as those of the prior do, given the generated ones' from the built-in face.
fn like(prior: &FacePrior, generated: Vec<Vec<f64>>, rng: &mut ChaCha20Rng) -> Vec<Vec<f64>> {
    let length = prior.mean.data().len();
    let mean = mean_of(generated.iter(), length);
    let known = &prior.people.differences;
    let scale = (known.len().max(2) as f64 - 1.0).sqrt();
    let differing = |person: Vec<f64>| {
        // Then they differ as the generated ones do.
        if known.len() < TELLING {
            return person.iter().zip(&mean).map(|(x, m)| x - m).collect();
        }
        // A normal law of the covariance that the prior's faces have.
        let mut field = vec![0.0; length];
        for difference in known {
            let z = rng.sample::<f64, _>(StandardNormal) / scale;
            add_scaled(&mut field, z, difference);
        }
        field
    };
    let mut people: Vec<Vec<f64>> = generated.into_iter().map(differing).collect();
    people.iter_mut().flat_map(|p| p.iter_mut().zip(&mean)).for_each(|(x, m)| *x += PRIOR_SHARE * m);
    people
}

/// The mean of samples, `length` of each.
pub(super) fn mean_of<'a>(records: impl Iterator<Item = &'a Vec<f64>>, length: usize) -> Vec<f64> {
    let (mut sum, mut n) = (vec![0.0; length], 0.0);
    for record in records {
        sum.iter_mut().zip(record).for_each(|(s, x)| *s += x);
        n += 1.0;
    }
    sum.iter_mut().for_each(|s| *s /= f64::max(n, 1.0));
    sum
}

/// Per point, three coordinates summed.
pub(super) fn square_distance(a: &[f64], b: &[f64], points: usize) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / points as f64
}
