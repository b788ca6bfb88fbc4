//! Faces far out on one side, and a last one there too or far out on the other.

use super::{FunctionalMean, Smoothing, TITLE};
use crate::function::Domain;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::NoisedFunction;
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Entry, Ledger, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const ENTRY: Entry =
    Entry { name: "joint", title: TITLE, proof: include_str!("proof.md"), scale, worst_cases: WORST_CASES };

const WORST_CASES: &[WorstCase] = &[WorstCase { name: "joint", make: audit, loss: whole, runs: 100_000 }];

const CURVES: usize = 2;
const SAMPLES: usize = 8;
const RECORDS: u64 = 4;
const RADIUS: f64 = 0.05;

fn mechanism(mu: Mu) -> Result<FunctionalMean, MechanismError> {
    let domain = Domain::Disk { curves: CURVES, samples: SAMPLES };
    let radius = ClipRadius::new(RADIUS, ClipSource::Public)?;
    let centre = vec![0.25; 3 * CURVES * SAMPLES];
    // Shrinkage is handed the noised coordinates only and takes a millisecond: left out of 10⁵ runs.
    Ok(FunctionalMean::new(domain, 3, centre, radius, mu, RECORDS)?.with_smoothing(Smoothing::None))
}

fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let unknown = |_| AuditError::NoClaim(name.to_owned());
    let mechanism = mechanism(Mu::new(parameter)?).map_err(unknown)?;
    // No pattern: every coefficient takes part, with either sign.
    let pattern =
        |i: usize| if (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 0 { 1.0 } else { -1.0 };
    let values = |centre: f64, size: f64| -> Vec<f64> {
        (0..3 * CURVES * SAMPLES).map(|i| centre + size * pattern(i)).collect()
    };
    let far = |sign: f64| Some(values(0.25, sign * 1e6));
    let first = vec![far(1.0); RECORDS as usize];
    let mut second = first.clone();
    second[0] = far(-1.0);
    // The two means differ along one direction: the best test projects on it. What an attacker has is the face; the noised
    // coordinates, which it is made from, tell at least as much.
    let direction = mechanism.coordinates(&values(0.25, 1.0));
    let look = move |released: &Released<NoisedFunction>| {
        let value = &released.value;
        let along = value.coordinates.iter().zip(&direction).map(|(x, d)| x * d).sum();
        vec![along, value.samples.iter().sum(), value.sigma]
    };
    PairAudit::boxed(name, mechanism, [first, second], |records| records, Box::new(look))
}

/// σ = (2τ/n)/μ in every coefficient: the mean square of the noise is χ².
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (mu, draws) = (0.7, 170);
    let mechanism = mechanism(Mu::new(mu)?)?;
    let records: Vec<Option<Vec<f64>>> = vec![None; RECORDS as usize];
    let sigma = 2.0 * RADIUS / RECORDS as f64 / mu;
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..draws {
        let released = release(&mechanism, &records, &mut Ledger::in_memory(None), &mut noise)?;
        squares.extend(released.value.coordinates.iter().map(|x| x * x));
    }
    Ok(ScaleCheck::of_squares(&squares, sigma * sigma))
}
