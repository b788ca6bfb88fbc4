//! What a private mean face can be expected to be like, before any scan is read.

use super::mean::{ClipChoice, FaceMechanism, mechanism};
use super::template::{TemplateLoadError, TemplateSource, load_template};
use crate::function::FaceCurves;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::CurveMean;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{self, ClipRadius, ClipSource, Ledger, Mechanism, Mu};
use crate::surface::TemplateError;
use crate::synth::FaceParameters;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

/// Simulated people; more records than these repeat them.
const PEOPLE: usize = 400;
/// Releases that are averaged.
const DRAWS: u64 = 16;
/// How far the simulated population's mean lies from the template (root mean square, unit area): as far as that of a public
/// face model lies from the built-in template (docs/measurements.md). Shrinkage must not be given a mean that is the template.
pub const TEMPLATE_DISTANCE: f64 = 0.0116;
const SEED: u64 = 0x1e57;

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ForecastError {
    /// The mechanism cannot be set up with these public numbers.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// Nothing was drawn.
    #[error(transparent)]
    Ledger(#[from] privacy::LedgerError),
    /// The built-in template.
    #[error(transparent)]
    Template(#[from] TemplateLoadError),
    /// The simulated curves.
    #[error(transparent)]
    Curves(#[from] TemplateError),
    /// No mechanism, or one whose bounds come from the data.
    #[error("there is nothing to plan for {0}: {1}")]
    Nothing(&'static str, &'static str),
}

/// What is to be planned; all of it public.
#[derive(Debug, Clone)]
pub struct PlanRequest {
    /// Number of scans n, at least 1.
    pub n: usize,
    /// The budgets to compare.
    pub budgets: Vec<Mu>,
    /// Which mean.
    pub mechanism: FaceMechanism,
    /// Its public radius; by default the mechanism's own.
    pub radius: Option<f64>,
    /// Number of face radial curves J.
    pub curves: usize,
    /// Samples on each curve, m.
    pub samples: usize,
}

/// What to expect of releases from n simulated people. Faces have surface area 1; squared distances are per point.
#[derive(Debug, Clone)]
pub struct Forecast {
    /// The radius the records are clipped to.
    pub radius: f64,
    /// Share of the simulated people that are farther from the template than that.
    pub clipped: f64,
    /// Mean squared distance of the mean of n people from that of all people.
    pub sampling_error: f64,
    /// For every budget the mean squared distance of the release from the mean of the n people.
    pub errors: Vec<(Mu, f64)>,
    /// √area of the template in its own units (millimetres): turns distances into millimetres on a face of that size.
    pub scale_mm: f64,
}

/// Simulates releases from a synthetic population about [`TEMPLATE_DISTANCE`] off the template. Reads nothing and costs nothing.
///
/// # Errors
/// [`ForecastError`].
pub fn plan(request: &PlanRequest) -> Result<Forecast, ForecastError> {
    let template = load_template(&TemplateSource::Builtin)?.template;
    let own = template.own_curves(request.curves, request.samples)?;
    let mut rng = ChaCha20Rng::seed_from_u64(SEED);
    let people: Vec<FaceParameters> =
        (0..PEOPLE.min(request.n.max(2)) + 1).map(|_| FaceParameters::sample(&mut rng)).collect();
    let all = people
        .into_par_iter()
        .map(|p| template.curves_of(&p.vertices(), request.curves, request.samples))
        .collect::<Result<Vec<_>, _>>()?;
    let people =
        moved_off(&own, &all).ok_or(ForecastError::Nothing("no curves", "give at least 2 of 8 samples"))?;
    let cycle = || (0..request.n).map(|i| &people[i % people.len()]);
    let mean = mean_of(cycle(), &own);
    let centre = mean_of(people.iter(), &own);
    let variance = people.iter().map(|p| square_distance(p, &centre, own.data().len() / 3)).sum::<f64>()
        / (people.len() - 1) as f64;
    let radius = request.radius.map(|r| ClipRadius::new(r, ClipSource::Public)).transpose();
    let radius = radius.map_err(MechanismError::from)?;
    if radius.is_none() && matches!(request.mechanism, FaceMechanism::Paper | FaceMechanism::Pointwise) {
        return Err(ForecastError::Nothing(
            "this mechanism",
            "its bounds come from the data unless a public radius is given",
        ));
    }
    let (clip, n) = (radius.map_or(ClipChoice::Default, ClipChoice::Public), request.n as u64);
    let records: Vec<Option<Vec<f64>>> = cycle().cloned().map(Some).collect();
    let mut used = None;
    let mut errors = Vec::new();
    for &mu in &request.budgets {
        let set_up = mechanism(request.mechanism, &own, n, clip, mu)?;
        let mechanism = set_up.ok_or(ForecastError::Nothing("no mechanism", "it releases nothing"))?;
        used = mechanism.price().clip;
        errors.push((mu, simulated_error(&mechanism, &records, &mean)?));
    }
    let radius = used.map_or(0.0, ClipRadius::get);
    let outside =
        people.iter().filter(|p| square_distance(p, own.data(), mean.len() / 3).sqrt() > radius).count();
    Ok(Forecast {
        radius,
        clipped: outside as f64 / people.len() as f64,
        sampling_error: variance / request.n as f64,
        errors,
        scale_mm: template.mesh().area().sqrt(),
    })
}

/// Mean squared distance of releases of these records from their mean, over a few draws with fixed seeds.
fn simulated_error(
    mechanism: &CurveMean,
    records: &Vec<Option<Vec<f64>>>,
    mean: &[f64],
) -> Result<f64, ForecastError> {
    let prepared = mechanism.prepare(records)?;
    let one = |draw: u64| -> Result<f64, ForecastError> {
        let mut noise = NoiseSource::seeded(SEED ^ (draw + 1));
        let paid = privacy::pay(mechanism.price(), &mut Ledger::in_memory(None))?;
        let released = privacy::draw(mechanism, &prepared, &mut noise, paid)?;
        Ok(square_distance(&released.value.samples, mean, mean.len() / 3))
    };
    let errors = (0..DRAWS).into_par_iter().map(one).collect::<Result<Vec<_>, _>>()?;
    Ok(errors.iter().sum::<f64>() / DRAWS as f64)
}

/// All but the last person, each moved by the last one's deviation from the template, made [`TEMPLATE_DISTANCE`] long.
fn moved_off(own: &FaceCurves, all: &[FaceCurves]) -> Option<Vec<Vec<f64>>> {
    let (last, people) = all.split_last()?;
    let size = last.mean_square_distance(own).sqrt();
    let factor = TEMPLATE_DISTANCE / size;
    let step: Vec<f64> = last.data().iter().zip(own.data()).map(|(x, c)| factor * (x - c)).collect();
    let moved = |p: &FaceCurves| p.data().iter().zip(&step).map(|(x, s)| x + s).collect();
    (size > 0.0).then(|| people.iter().map(moved).collect())
}

fn mean_of<'a>(records: impl Iterator<Item = &'a Vec<f64>>, shape: &FaceCurves) -> Vec<f64> {
    let (mut sum, mut n) = (vec![0.0; shape.data().len()], 0.0);
    for record in records {
        sum.iter_mut().zip(record).for_each(|(s, x)| *s += x);
        n += 1.0;
    }
    sum.iter_mut().for_each(|s| *s /= f64::max(n, 1.0));
    sum
}

/// Per point, three coordinates summed.
fn square_distance(a: &[f64], b: &[f64], points: usize) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / points as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(n: usize, mus: &[f64]) -> PlanRequest {
        PlanRequest {
            n,
            budgets: mus.iter().map(|&mu| Mu::new(mu).unwrap()).collect(),
            mechanism: FaceMechanism::Joint,
            radius: None,
            curves: 8,
            samples: 16,
        }
    }

    #[test]
    fn more_people_and_more_budget_mean_less_error() {
        let small = plan(&request(30, &[0.3, 3.0])).unwrap();
        let large = plan(&request(300, &[0.3, 3.0])).unwrap();
        assert!(small.errors[0].1 > 3.0 * small.errors[1].1);
        assert!(small.errors[1].1 > 3.0 * large.errors[1].1);
        assert!((small.sampling_error / large.sampling_error - 10.0).abs() < 3.0);
        // The built-in face is between 100 and 250 mm wide and high, and none of its people are clipped.
        assert!(large.scale_mm > 100.0 && large.scale_mm < 250.0 && large.clipped == 0.0);
    }

    #[test]
    fn without_smoothing_the_error_is_that_of_the_noise() {
        // Noise on every coordinate: σ² a coordinate, three a point, and no bias.
        let mut asked = request(50, &[1.0]);
        (asked.mechanism, asked.radius) = (FaceMechanism::Pointwise, Some(0.05));
        let found = plan(&asked).unwrap();
        // Each of 3 · 128 coordinates moves by 2τ/n: Δ₂ = 2τ√384/n, and three coordinates a point.
        let expected = 3.0 * (3.0 * 8.0 * 16.0) * (2.0 * 0.05 / 50.0_f64).powi(2);
        // 16 draws of 384 coordinates: the mean square is off by 1.8 % (one standard deviation).
        assert!((found.errors[0].1 / expected - 1.0).abs() < 0.08, "{} {expected}", found.errors[0].1);
    }

    #[test]
    fn what_cannot_be_planned_is_refused() {
        let mut asked = request(50, &[1.0]);
        asked.mechanism = FaceMechanism::Paper;
        assert!(plan(&asked).unwrap_err().to_string().contains("public radius"));
        asked.mechanism = FaceMechanism::None;
        assert!(plan(&asked).is_err());
        asked.mechanism = FaceMechanism::Joint;
        asked.radius = Some(-1.0);
        assert!(plan(&asked).is_err());
    }
}
