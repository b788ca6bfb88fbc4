//! What private modes can be expected to show, before any scan is read.

use super::super::plan::{ForecastError, PlanRequest, simulation};
use super::super::simulation::{First, SEED, Simulation};
use super::explained::Explained;
use super::{WORTHWHILE, mechanism};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{self, Ledger, Mechanism, Mu};
use crate::study::tangent::SampledModes;
use visard_base::parallel;

/// Releases that are averaged.
const DRAWS: u64 = 4;

/// What to expect of the modes of n simulated people.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct ModesForecast {
    /// Number of scans.
    pub n: usize,
    /// The budget.
    pub mu: Mu,
    /// How many coefficients are looked at.
    pub coefficients: usize,
    /// The standard deviation along a mode, in units of unit-area faces, from which it can be seen, about: the edge of the noise where weights
    /// are one.
    pub edge: f64,
    /// How many modes stand out of the noise.
    pub visible: f64,
    /// What the private modes explain of all people, relative to as many as were asked for without privacy from the same people.
    pub explained: f64,
    /// Root-mean-square distance of the mean from the mean of the n people.
    pub mean_error: f64,
    /// Whether private modes will be better than the public spectrum's own.
    pub worth: bool,
}

/// Simulates releases of at most `asked` modes from a synthetic population, for every n and every budget. Reads nothing of a study and costs
/// nothing.
///
/// # Errors
/// [`ForecastError`].
pub fn plan_modes(request: &PlanRequest, asked: usize) -> Result<Vec<ModesForecast>, ForecastError> {
    let simulation = simulation(request)?;
    let nobody = ForecastError::Nothing("no people", "there is nobody to simulate");
    let judged = Explained::by(&simulation.people).ok_or(nobody)?;
    let mut forecasts = Vec::new();
    for &n in &request.sizes {
        let records = simulation.first(n);
        // More records than simulated people repeat them: a sample of all of them.
        let sample = &simulation.people[..n.min(simulation.people.len())];
        let plain: Vec<Vec<f64>> =
            Explained::of_sample(sample, asked).into_iter().map(|(_, mode)| mode).collect();
        let plain = judged.variance(&plain);
        for &mu in &request.budgets {
            let cell = Cell { simulation: &simulation, judged: &judged, records: &records, asked };
            forecasts.push(cell.forecast(n, mu, plain)?);
        }
    }
    Ok(forecasts)
}

/// People, and what is asked of them.
struct Cell<'a> {
    simulation: &'a Simulation,
    judged: &'a Explained,
    records: &'a First,
    asked: usize,
}

impl Cell<'_> {
    fn forecast(&self, n: usize, mu: Mu, plain: f64) -> Result<ModesForecast, ForecastError> {
        let own = &self.simulation.own;
        let mechanism = mechanism(own, n as u64, mu)?;
        let prepared = mechanism.prepare(self.records)?;
        let mean = self.simulation.mean_of_first(n);
        let one = |draw: u64| -> Result<[f64; 4], ForecastError> {
            let mut noise = NoiseSource::seeded(SEED ^ (draw + 1));
            let paid = privacy::pay(mechanism.price(), &mut Ledger::in_memory(None))?;
            let released = privacy::draw(&mechanism, &prepared, &mut noise, paid)?;
            let found = SampledModes::of(&mechanism, &released.value, self.asked)?;
            let off = found.mean.samples.iter().zip(&mean).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
            let explained = if plain > 0.0 { self.judged.variance(&found.fields) / plain } else { 0.0 };
            Ok([found.modes.visible as f64, explained, off / (mean.len() as f64 / 3.0), found.modes.edge])
        };
        let drawn = parallel::try_map(DRAWS as usize, |draw| one(draw as u64))?;
        let average = |k: usize| drawn.iter().map(|draw| draw[k]).sum::<f64>() / DRAWS as f64;
        Ok(ModesForecast {
            n,
            mu,
            coefficients: mechanism.vectors().dimension(),
            edge: average(3).sqrt(),
            visible: average(0),
            explained: average(1),
            mean_error: average(2).sqrt(),
            worth: n as f64 * mu.get() >= WORTHWHILE && average(1) >= 0.5,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::mean::FaceMechanism;
    use super::super::super::template::TemplateSource;
    use super::*;

    #[test]
    fn more_people_show_more_modes() {
        let request = PlanRequest {
            sizes: vec![30, 1000],
            budgets: vec![Mu::new(1.0).unwrap()],
            template: TemplateSource::Builtin,
            prior: None,
            mechanism: FaceMechanism::Joint,
            band: false,
            radius: None,
            curves: 8,
            samples: 16,
        };
        let found = plan_modes(&request, 5).unwrap();
        assert!(!found[0].worth && found[1].worth, "{found:?}");
        assert!(
            found[1].visible > found[0].visible && found[1].explained > 0.7 && found[1].explained <= 1.05
        );
        assert!(found[1].mean_error < found[0].mean_error && found[1].coefficients == 73);
    }
}
