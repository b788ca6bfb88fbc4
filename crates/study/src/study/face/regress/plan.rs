//! What a private regression of faces can be expected to be like, before any scan is read.

use super::super::mean::basis;
use super::super::plan::{ForecastError, PlanRequest, simulation};
use super::super::simulation::Simulation;
use super::mechanism;
use crate::estimate::Design;
use crate::estimate::design::{Covariate, Kind};
use crate::estimate::prior::spectrum;
use crate::function::Basis;
use crate::mechanism::functional::FunctionRegression;
use crate::mechanism::functional::regression::WORTHWHILE;
use crate::mechanism::vector::RegressionRecord;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{self, Ledger, Mechanism, Mu};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};
use visard_base::numeric::elementary::add_scaled;
use visard_base::parallel;

const SEED: u64 = 0x9e6;
/// Releases that are averaged.
const DRAWS: u64 = 4;
/// Root-mean-square displacements that are planted, in turn: as large as those by age and body mass, and by sex.
const SIZES: [f64; 2] = [0.0066, 0.0047];
/// The standard deviation of covariates whose bounds are two of it from the middle.
const DEVIATION: f64 = 0.5;
/// Relative errors above this say hardly anything.
const FAINT: f64 = 0.8;

/// What to expect of one regression of n simulated people. Relative errors: 1 is saying nothing.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct RegressionForecast {
    /// Number of scans.
    pub n: usize,
    /// The budget.
    pub mu: Mu,
    /// Number of covariates.
    pub covariates: usize,
    /// Root of the error energy of the fields over that of the fields.
    pub relative_error: f64,
    /// What least squares without privacy would have, because so few people are a sample.
    pub sampling_error: f64,
}

impl RegressionForecast {
    /// Whether fields can be expected to show.
    pub fn is_worth_it(&self) -> bool {
        self.relative_error <= FAINT && self.n as f64 * self.mu.get() >= WORTHWHILE
    }
}

/// Simulates regressions of a synthetic population on so many covariates with planted effects, for every n and budget of the request (of
/// which mechanism, band and radius do not matter); with `residuals`, of which modes of what the covariates leave take a part. Reads nothing of a
/// study and costs nothing.
///
/// # Errors
/// [`ForecastError`], among it more covariates than n records at the budget can tell anything of.
pub fn plan_regression(
    request: &PlanRequest,
    covariates: usize,
    residuals: bool,
) -> Result<Vec<RegressionForecast>, ForecastError> {
    let named = |i| Covariate { name: format!("x{i}"), kind: Kind::Linear { lower: -1.0, upper: 1.0 } };
    let design = Design::new((0..covariates).map(named).collect())?;
    let simulation = simulation(request)?;
    let cells = request.cells();
    cells.map(|(n, mu)| forecast(&simulation, &design, residuals, n, mu)).collect()
}

fn forecast(
    simulation: &Simulation,
    design: &Design,
    residuals: bool,
    n: usize,
    mu: Mu,
) -> Result<RegressionForecast, ForecastError> {
    let basis = basis(&simulation.own);
    let regression = mechanism(&simulation.own, (design, residuals), n as u64, mu)?;
    let people: Vec<Vec<f64>> =
        parallel::map_slice(&simulation.people, |person| regression.coordinates().coordinates(person));
    let one = |draw| simulated(&regression, &basis, &people, n, draw);
    let found = parallel::try_map(DRAWS as usize, |draw| one(draw as u64))?;
    let (error, all) = found.iter().fold((0.0, 0.0), |(e, a), (error, all)| (e + error, a + all));
    let columns = design.columns() - 1;
    let energy = (0..columns).map(|j| SIZES[j % 2].powi(2)).sum::<f64>() / columns as f64;
    let sampling = simulation.variance / (n as f64 * DEVIATION * DEVIATION);
    Ok(RegressionForecast {
        n,
        mu,
        covariates: columns,
        relative_error: (error / all).sqrt(),
        sampling_error: (sampling / energy).sqrt(),
    })
}

/// Error energy and energy of all fields of one release.
fn simulated(
    regression: &FunctionRegression,
    basis: &Basis,
    people: &[Vec<f64>],
    n: usize,
    draw: u64,
) -> Result<(f64, f64), ForecastError> {
    let mut rng = ChaCha20Rng::seed_from_u64(SEED ^ draw);
    let (design, leading) = (regression.design(), regression.coordinates());
    let columns = design.columns() - 1;
    let fields: Vec<Vec<f64>> =
        (0..columns).map(|j| planted(regression, basis, SIZES[j % 2], &mut rng)).collect();
    let records: Vec<RegressionRecord> = (0..n)
        .map(|i| {
            let value = |_| Some(DEVIATION * normal(&mut rng));
            let covariates = design.row(&(0..columns).map(value).collect::<Vec<_>>());
            let mut u = people[i % people.len()].clone();
            for (field, x) in fields.iter().zip(&covariates[1..]) {
                add_scaled(&mut u, *x, field);
            }
            RegressionRecord { covariates, vector: Some(u), filled: 0.0 }
        })
        .collect();
    let moments = regression.mechanism();
    let mut noise = NoiseSource::seeded(SEED ^ (draw + 1));
    let paid = privacy::pay(moments.price(), &mut Ledger::in_memory(None))?;
    let released = privacy::draw(moments, &moments.prepare(&records)?, &mut noise, paid)?;
    let found = regression.estimate(&released.value)?;
    let square = |u: &mut dyn Iterator<Item = f64>| -> f64 {
        u.zip(leading.roots()).map(|(u, root)| (u / root).powi(2)).sum()
    };
    let k = regression.mechanism().dimension();
    let (mut error, mut all) = (0.0, 0.0);
    for (j, field) in fields.iter().enumerate() {
        let estimated = &found.fields[j + 1].values;
        let energy = SIZES[j % 2].powi(2);
        // What the coefficients that are left out have is missed.
        let left_out = (energy - square(&mut field[..k].iter().copied())).max(0.0);
        error += square(&mut estimated.iter().zip(field).map(|(a, b)| a - b)) + left_out;
        all += energy;
    }
    Ok((error, all))
}

/// A smooth random field of this size, in coordinates.
fn planted(regression: &FunctionRegression, basis: &Basis, size: f64, rng: &mut impl Rng) -> Vec<f64> {
    let leading = regression.coordinates();
    let x: Vec<f64> = (0..basis.len()).map(|j| spectrum(&basis.place(j)).sqrt() * normal(rng)).collect();
    let scale = size / x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let field = basis.synthesize(&x).into_iter();
    let face: Vec<f64> = field.zip(leading.template()).map(|(f, t)| scale * f + t).collect();
    leading.coordinates(&face)
}

fn normal(rng: &mut impl Rng) -> f64 {
    StandardNormal.sample(rng)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::face::{FaceMechanism, TemplateSource};

    #[test]
    fn more_people_and_budget_show_more_and_too_many_covariates_are_refused() {
        let request = |n: usize, mus: &[f64]| PlanRequest {
            sizes: vec![n],
            budgets: mus.iter().map(|&mu| Mu::new(mu).unwrap()).collect(),
            template: TemplateSource::Builtin,
            prior: None,
            mechanism: FaceMechanism::Joint,
            band: false,
            radius: None,
            curves: 8,
            samples: 16,
        };
        let small = plan_regression(&request(60, &[1.0, 3.0]), 3, false).unwrap();
        let large = plan_regression(&request(2000, &[1.0, 3.0]), 3, false).unwrap();
        assert!(!small[0].is_worth_it() && large[0].is_worth_it());
        assert!(small.iter().chain(&large).all(|f| f.relative_error < 1.1), "{small:?} {large:?}");
        assert!(large[1].relative_error < large[0].relative_error && large[0].relative_error < 0.6);
        assert!(large[0].sampling_error < small[0].sampling_error);
        // Modes of what is left take .09 of the squared budget: 5 % more noise where the noise is most of the error.
        let with_modes = plan_regression(&request(2000, &[1.0]), 3, true).unwrap()[0].relative_error;
        assert!((1.01..1.09).contains(&(with_modes / large[0].relative_error)), "{with_modes} {large:?}");
        let refused = plan_regression(&request(60, &[1.0]), 12, false).unwrap_err().to_string();
        assert!(refused.contains("too many for 60 records"), "{refused}");
    }
}
