//! What a comparison of two groups can be expected to tell, before any scan is read: level and power of its test, width of its band.

use super::outcome::{LEVEL, SIZES};
use super::{LEAST, Want, mechanism};
use crate::function::FaceCurves;
use crate::mechanism::functional::{FunctionGroups, LeadingCoordinates, NoisedComparison};
use crate::mechanism::vector::{GroupLabels, NoisedGroups, VectorGroups};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{self, Ledger, Mu, ReleaseError};
use crate::study::face::TemplateSource;
use crate::study::face::plan::{ForecastError, Simulation};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

/// Comparisons that are simulated without a difference; half as many with one of each size. Fewer of many people, which take longer.
fn runs(n: usize) -> usize {
    (120_000 / n.max(1)).clamp(40, 200)
}

const SEED: u64 = 0xc0de;

/// What is to be planned; all of it public.
#[derive(Debug, Clone)]
pub struct ComparePlan {
    /// Numbers of people n to compare, in two halves; each at least 4.
    pub sizes: Vec<usize>,
    /// The budgets to compare.
    pub budgets: Vec<Mu>,
    /// Map, test or both.
    pub want: Want,
    /// The template.
    pub template: TemplateSource,
    /// Number of face radial curves J.
    pub curves: usize,
    /// Samples on each curve, m.
    pub samples: usize,
}

/// What to expect of the comparison of two groups of n/2 simulated people each.
#[derive(Debug, Clone, serde::Serialize)]
pub struct CompareForecast {
    /// Number of people, both groups together.
    pub n: usize,
    /// The budget of all of it.
    pub mu: Mu,
    /// How often the test finds a difference at .05 where there is none.
    pub level: Option<f64>,
    /// How often it finds differences of these sizes, root mean square on faces of unit area: (size, power).
    pub power: Vec<(f64, f64)>,
    /// Half the width of the band of the map, averaged over points and coordinates.
    pub band: Option<f64>,
    /// Whether n and μ are too small for ordinary differences to be told.
    pub small: bool,
}

impl CompareForecast {
    /// Whether the largest of the differences that are planned for is found more often than not, where a test is wanted; whether there is
    /// enough at all.
    pub fn is_worth_it(&self) -> bool {
        !self.small && self.power.last().is_none_or(|(_, power)| *power >= 0.5)
    }
}

/// Simulates comparisons of groups of a synthetic population (that of [`crate::study::face::plan`]), for every n and every budget. Differences
/// are half like those between people, half of no particular shape. Reads nothing of a study and costs nothing.
///
/// # Errors
/// [`ForecastError`].
pub fn plan(request: &ComparePlan) -> Result<Vec<CompareForecast>, ForecastError> {
    let simulation = Simulation::of(&request.template, request.curves, request.samples)?;
    let cells = request.sizes.iter().flat_map(|n| request.budgets.iter().map(|mu| (*n, *mu)));
    cells.map(|(n, mu)| forecast(&simulation, request.want, n, mu)).collect()
}

fn forecast(simulation: &Simulation, want: Want, n: usize, mu: Mu) -> Result<CompareForecast, ForecastError> {
    let own: &FaceCurves = simulation.own();
    let labels = GroupLabels::new((0..n).map(|i| usize::from(i >= n / 2)).collect())?;
    let mechanism = mechanism(want, own, labels, mu)?;
    let share = if want == Want::Both { 0.5f64.sqrt() } else { 1.0 };
    let mut found = CompareForecast {
        n,
        mu,
        level: None,
        power: Vec::new(),
        band: None,
        small: (n as f64 * mu.get() * share) < LEAST,
    };
    if let Some(trials) =
        mechanism.test_parts().map(|parts| Trials::new(&mechanism, parts, simulation.people()))
    {
        let runs = runs(n);
        found.level = Some(trials.rejected(0.0, runs)?);
        for size in SIZES {
            found.power.push((size, trials.rejected(size, runs / 2)?));
        }
    }
    if let Some(parts) = mechanism.map_parts() {
        let trials = Trials::new(&mechanism, parts, simulation.people());
        let map = Some(trials.release(0.0, 0)?);
        let map = mechanism.difference(&NoisedComparison { map, test: None }, 0, 1);
        found.band = map.map(|map| map.band.mean_half_width());
    }
    Ok(found)
}

/// Comparisons of people drawn with replacement from a population, in the coordinates of one part of a release.
pub struct Trials<'a> {
    mechanism: &'a FunctionGroups,
    coordinates: &'a LeadingCoordinates,
    groups: &'a VectorGroups,
    people: Vec<Vec<f64>>,
}

impl<'a> Trials<'a> {
    /// Of a part ([`FunctionGroups::test_parts`], [`FunctionGroups::map_parts`]) of a comparison, for faces with these samples.
    pub fn new(
        mechanism: &'a FunctionGroups,
        (coordinates, groups): (&'a LeadingCoordinates, &'a VectorGroups),
        people: &[Vec<f64>],
    ) -> Self {
        let people = people.par_iter().map(|samples| coordinates.coordinates(samples)).collect();
        Self { mechanism, coordinates, groups, people }
    }

    /// A random difference of this root-mean-square size, in weighted coordinates: half its square along the differences of two pairs of
    /// people, half of no particular shape.
    fn shift<R: Rng>(&self, size: f64, rng: &mut R) -> Vec<f64> {
        let square =
            |u: &[f64]| u.iter().zip(self.coordinates.roots()).map(|(u, r)| (u / r).powi(2)).sum::<f64>();
        let of_length = |u: Vec<f64>, length: f64| {
            let scale = length / square(&u).sqrt().max(f64::MIN_POSITIVE);
            u.into_iter().map(|x| scale * x).collect::<Vec<f64>>()
        };
        let mut alike = vec![0.0; self.coordinates.len()];
        for _ in 0..2 {
            let [a, b] = [0, 1].map(|_| &self.people[rng.random_range(0..self.people.len())]);
            alike.iter_mut().zip(a.iter().zip(b)).for_each(|(x, (a, b))| *x += a - b);
        }
        let normal = |v: f64, rng: &mut R| -> f64 {
            let z: f64 = StandardNormal.sample(rng);
            v.sqrt() * z
        };
        let smooth: Vec<f64> = self.coordinates.prior().iter().map(|v| normal(*v, rng)).collect();
        let half = size * 0.5f64.sqrt();
        let (alike, smooth) = (of_length(alike, half), of_length(smooth, half));
        of_length(alike.iter().zip(&smooth).map(|(a, b)| a + b).collect(), size)
    }

    /// What is released of one comparison with a random difference of this size.
    ///
    /// # Errors
    /// [`ForecastError`].
    pub fn release(&self, size: f64, run: u64) -> Result<NoisedGroups, ForecastError> {
        let mut rng = ChaCha20Rng::seed_from_u64(SEED ^ size.to_bits());
        rng.set_stream(run);
        let shift = self.shift(size, &mut rng);
        let one = |group: &usize| {
            let mut person = self.people[rng.random_range(0..self.people.len())].clone();
            if *group == 1 {
                person.iter_mut().zip(&shift).for_each(|(u, s)| *u += s);
            }
            Some(person)
        };
        let records: Vec<Option<Vec<f64>>> = self.groups.labels().of().iter().map(one).collect();
        let mut noise = NoiseSource::seeded(SEED ^ run.wrapping_mul(0x9e37_79b9) ^ size.to_bits());
        let released = privacy::release(self.groups, &records[..], &mut Ledger::in_memory(None), &mut noise);
        Ok(released.map_err(refused)?.value)
    }

    /// How often the test finds a difference at the level .05, in so many runs.
    ///
    /// # Errors
    /// [`ForecastError`].
    pub fn rejected(&self, size: f64, runs: usize) -> Result<f64, ForecastError> {
        let one = |run: usize| -> Result<usize, ForecastError> {
            let test = Some(self.release(size, run as u64)?);
            let tests = self.mechanism.tests(&NoisedComparison { map: None, test });
            Ok(usize::from(tests.is_some_and(|tests| tests.p_value <= LEVEL)))
        };
        let hits = (0..runs).into_par_iter().map(one).collect::<Result<Vec<_>, _>>()?;
        Ok(hits.iter().sum::<usize>() as f64 / runs.max(1) as f64)
    }
}

fn refused(error: ReleaseError<crate::mechanism::MechanismError>) -> ForecastError {
    match error {
        ReleaseError::Ledger(error) => error.into(),
        ReleaseError::Mechanism(error) => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_people_and_larger_differences_are_found_more_often() {
        let request = ComparePlan {
            sizes: vec![40, 400],
            budgets: vec![Mu::new(1.0).unwrap()],
            want: Want::Both,
            template: TemplateSource::Builtin,
            curves: 8,
            samples: 16,
        };
        let found = plan(&request).unwrap();
        let [few, many] = &found[..] else { panic!("{found:?}") };
        assert!(few.small && !many.small && !few.is_worth_it() && many.is_worth_it(), "{found:?}");
        assert!(many.level.unwrap() <= 0.1, "{many:?}");
        assert!(
            many.power[2].1 > 0.9 && many.power[2].1 >= many.power[0].1 && few.power[2].1 < many.power[2].1
        );
        assert!(few.band.unwrap() > 3.0 * many.band.unwrap());
        let map = plan(&ComparePlan { sizes: vec![40], want: Want::Map, ..request }).unwrap();
        assert!(
            map[0].level.is_none() && map[0].power.is_empty() && map[0].band.unwrap() < few.band.unwrap()
        );
    }
}
