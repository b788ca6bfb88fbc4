//! Two means of the same functions, all far out on one side, and a last one there too or far out on the other.

use super::{Both, TITLE, Together, half};
use crate::function::Domain;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{FunctionalMean, NoisedFunction, Smoothing};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Entry, Ledger, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "together",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] = &[WorstCase { name: "together", make: audit, loss: whole, runs: 100_000 }];

const SAMPLES: usize = 8;
const RECORDS: usize = 4;
const RADIUS: f64 = 0.05;

pub(super) fn one(mu: Mu) -> Result<FunctionalMean, MechanismError> {
    let radius = ClipRadius::new(RADIUS, ClipSource::Public)?;
    let domain = Domain::Circle { samples: SAMPLES };
    Ok(FunctionalMean::new(domain, 1, vec![0.0; SAMPLES], radius, mu, RECORDS as u64)?
        .with_smoothing(Smoothing::None))
}

pub(super) fn mechanism(mu: Mu) -> Result<Together<FunctionalMean, FunctionalMean>, MechanismError> {
    let own = half(mu)?;
    Together::new(mu, ("mean", one(own)?), ("mean again", one(own)?))
}

/// Far out, but the first one, which is `side` as far.
pub(super) fn records(side: f64) -> Vec<Option<Vec<f64>>> {
    let far = |side: f64| Some(vec![side * 1e6; SAMPLES]);
    std::iter::once(far(side)).chain((1..RECORDS).map(|_| far(1.0))).collect()
}

fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let unknown = |_| AuditError::NoClaim(name.to_owned());
    let mechanism = mechanism(Mu::new(parameter)?).map_err(unknown)?;
    let direction = mechanism.first().coordinates(&[1.0; SAMPLES]);
    let look = move |released: &Released<Both<NoisedFunction, NoisedFunction>>| {
        let along = |value: &NoisedFunction| {
            value.coordinates.iter().zip(&direction).map(|(x, d)| x * d).sum::<f64>()
        };
        let Both { first, second } = &released.value;
        vec![along(first) + along(second), along(first)]
    };
    PairAudit::boxed(name, mechanism, [records(1.0), records(-1.0)], |records| records, Box::new(look))
}

/// σ = (2τ/n)/(μ/√2) in every coefficient of either mean.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (mu, draws) = (0.7, 600);
    let mechanism = mechanism(Mu::new(mu)?)?;
    let none: Vec<Option<Vec<f64>>> = vec![None; RECORDS];
    let sigma = 2.0 * RADIUS / RECORDS as f64 / mu * 2.0f64.sqrt();
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..draws {
        let Both { first, second } =
            release(&mechanism, &none, &mut Ledger::in_memory(None), &mut noise)?.value;
        squares.extend(first.coordinates.iter().chain(&second.coordinates).map(|x| x * x));
    }
    Ok(ScaleCheck::of_squares(&squares, sigma * sigma))
}
