//! What a comparison of two groups can be expected to tell, before any scan is read: level and power of its test, width of its band.

use super::{Want, mechanism};
use crate::estimate::prior::spectrum;
use crate::function::{Basis, FaceCurves};
use crate::mechanism::functional::{FunctionGroups, LeadingCoordinates, NoisedComparison};
use crate::mechanism::vector::{GroupLabels, NoisedGroups, VectorGroups};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{self, Ledger, Mu, ReleaseError};
use crate::study::face::TemplateSource;
use crate::study::face::mean::basis;
use crate::study::face::plan::ForecastError;
use crate::study::face::simulation::Simulation;
use crate::study::tangent::{LEAST, LEVEL};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};
use visard_base::parallel;

/// Comparisons that are simulated without a difference; half as many with one of each size. Fewer of many people, which take longer.
fn runs(n: usize) -> usize {
    (120_000 / n.max(1)).clamp(40, 200)
}

const SEED: u64 = 0xc0de;

/// Sizes of differences that the power of a test is told for, root mean square on faces of unit area.
const SIZES: [f64; 3] = [0.003, 0.005, 0.008];

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
    let simulation = Simulation::new(&request.template, None, request.curves, request.samples)?;
    let cells = request.sizes.iter().flat_map(|n| request.budgets.iter().map(|mu| (*n, *mu)));
    cells.map(|(n, mu)| forecast(&simulation, request.want, n, mu)).collect()
}

fn forecast(simulation: &Simulation, want: Want, n: usize, mu: Mu) -> Result<CompareForecast, ForecastError> {
    let own: &FaceCurves = &simulation.own;
    let labels = GroupLabels::new((0..n).map(|i| usize::from(i >= n / 2)).collect())?;
    let mechanism = mechanism(want, own, labels, mu)?;
    let basis = basis(own);
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
        mechanism.test_parts().map(|parts| Trials::new(&mechanism, parts, &basis, &simulation.people))
    {
        let runs = runs(n);
        found.level = Some(trials.rejected(0.0, runs)?);
        for size in SIZES {
            found.power.push((size, trials.rejected(size, runs / 2)?));
        }
    }
    if let Some(parts) = mechanism.map_parts() {
        let trials = Trials::new(&mechanism, parts, &basis, &simulation.people);
        let map = Some(trials.release(0.0, 0)?.0);
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
    basis: &'a Basis,
    samples: &'a [Vec<f64>],
    people: Vec<Vec<f64>>,
}

impl<'a> Trials<'a> {
    /// Of a part ([`FunctionGroups::test_parts`], [`FunctionGroups::map_parts`]) of a comparison, for faces with these samples, analysed in
    /// this basis.
    pub fn new(
        mechanism: &'a FunctionGroups,
        (coordinates, groups): (&'a LeadingCoordinates, &'a VectorGroups),
        basis: &'a Basis,
        samples: &'a [Vec<f64>],
    ) -> Self {
        let people = parallel::map_slice(samples, |samples| coordinates.coordinates(samples));
        Self { mechanism, coordinates, groups, basis, samples, people }
    }

    /// A random difference of this root-mean-square size over the points, as samples: half its square along the differences of two pairs
    /// of people, half of no particular shape (coefficients as the public spectrum has them).
    pub fn difference<R: Rng>(&self, size: f64, rng: &mut R) -> Vec<f64> {
        let points = self.basis.points() as f64;
        let of_size = |samples: Vec<f64>, size: f64| -> Vec<f64> {
            let now = (samples.iter().map(|x| x * x).sum::<f64>() / points).sqrt().max(f64::MIN_POSITIVE);
            samples.into_iter().map(|x| size / now * x).collect()
        };
        let mut alike = vec![0.0; self.basis.len()];
        for _ in 0..2 {
            let [a, b] = [0, 1].map(|_| &self.samples[rng.random_range(0..self.samples.len())]);
            alike.iter_mut().zip(a.iter().zip(b)).for_each(|(x, (a, b))| *x += a - b);
        }
        let smooth: Vec<f64> = (0..self.basis.len())
            .map(|j| {
                let z: f64 = StandardNormal.sample(rng);
                spectrum(&self.basis.place(j)).sqrt() * z
            })
            .collect();
        let half = size * 0.5f64.sqrt();
        let (alike, smooth) = (of_size(alike, half), of_size(self.basis.synthesize(&smooth), half));
        of_size(alike.iter().zip(&smooth).map(|(a, b)| a + b).collect(), size)
    }

    /// Records of one comparison with a random difference of this size, in the coordinates of the release, and that difference.
    pub fn records(&self, size: f64, run: u64) -> (Vec<Vec<f64>>, Vec<f64>) {
        let mut rng = ChaCha20Rng::seed_from_u64(SEED ^ size.to_bits());
        rng.set_stream(run);
        let difference = self.difference(size, &mut rng);
        let moved = difference.iter().zip(self.coordinates.template()).map(|(d, t)| d + t);
        let shift = self.coordinates.coordinates(&moved.collect::<Vec<f64>>());
        let one = |group: &usize| {
            let mut person = self.people[rng.random_range(0..self.people.len())].clone();
            if *group == 1 {
                person.iter_mut().zip(&shift).for_each(|(u, s)| *u += s);
            }
            person
        };
        (self.groups.labels().of().iter().map(one).collect(), difference)
    }

    /// What is released of the [`Trials::records`] of one comparison, and the difference in them.
    ///
    /// # Errors
    /// [`ForecastError`].
    pub fn release(&self, size: f64, run: u64) -> Result<(NoisedGroups, Vec<f64>), ForecastError> {
        let (records, difference) = self.records(size, run);
        let records: Vec<Option<Vec<f64>>> = records.into_iter().map(Some).collect();
        let mut noise = NoiseSource::seeded(SEED ^ run.wrapping_mul(0x9e37_79b9) ^ size.to_bits());
        let released = privacy::release(self.groups, &records[..], &mut Ledger::in_memory(None), &mut noise);
        Ok((released.map_err(refused)?.value, difference))
    }

    /// How often the test finds a difference at the level .05, in so many runs.
    ///
    /// # Errors
    /// [`ForecastError`].
    pub fn rejected(&self, size: f64, runs: usize) -> Result<f64, ForecastError> {
        let one = |run: usize| -> Result<usize, ForecastError> {
            let test = Some(self.release(size, run as u64)?.0);
            let tests = self.mechanism.tests(&NoisedComparison { map: None, test });
            Ok(usize::from(tests.is_some_and(|tests| tests.p_value <= LEVEL)))
        };
        let hits = parallel::try_map(runs, one)?;
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
