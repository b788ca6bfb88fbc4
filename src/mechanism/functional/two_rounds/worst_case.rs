//! Faces far out on one side, and a last one there too or far out on the other.

use super::{TITLE, TwoRoundMean};
use crate::function::{Basis, Domain};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{FunctionRecords, FunctionalMean, NoisedFunction, Norm};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Entry, Ledger, Mu, Released, ScaleCheck, release};
use std::borrow::Cow;

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "two-rounds",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] = &[
    WorstCase { name: "two-rounds", make: audit, slow: true },
    WorstCase { name: "two-rounds-size", make: audit_size, slow: true },
];

/// The public bound of log sizes.
const BOUND: f64 = 0.4;

const CURVES: usize = 2;
const SAMPLES: usize = 8;
const RECORDS: u64 = 4;

fn basis() -> Basis {
    Basis::new(Domain::Disk { curves: CURVES, samples: SAMPLES }, 3)
}

fn mechanism(n: u64, mu: Mu) -> Result<TwoRoundMean, MechanismError> {
    TwoRoundMean::new(basis(), vec![0.25; 3 * CURVES * SAMPLES], 1.0, mu, n)
}

/// All records but the first lie far out, so that the private centre moves there; the first lies there too, or opposite.
fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let unknown = |_| AuditError::NoClaim(name.to_owned());
    let mechanism = mechanism(RECORDS, Mu::new(parameter)?).map_err(unknown)?;
    let far = |sign: f64| Some(vec![0.25 + sign * 1e6; 3 * CURVES * SAMPLES]);
    let first = vec![far(1.0); RECORDS as usize];
    let mut second = first.clone();
    second[0] = far(-1.0);
    let radius = ClipRadius::new(1.0, ClipSource::Public)?;
    let unit = FunctionalMean::new(
        Domain::Disk { curves: CURVES, samples: SAMPLES },
        3,
        vec![0.0; 3 * CURVES * SAMPLES],
        radius,
        Mu::new(parameter)?,
        RECORDS,
    );
    // Constant deviations stand in one coefficient of each channel, of weight one in every norm.
    let direction = unit.map_err(unknown)?.coordinates(&vec![1.0; 3 * CURVES * SAMPLES]);
    let look = move |released: &Released<NoisedFunction>| {
        let value = &released.value;
        let along: f64 = value.coordinates.iter().zip(&direction).map(|(x, d)| x * d).sum();
        vec![along, value.samples.iter().sum()]
    };
    PairAudit::boxed(name, mechanism, [first, second], |records| records, Box::new(look))
}

/// People without a face, of sizes beyond the bound: the first one small, or large as all the others.
struct Sizes(Vec<f64>);

impl FunctionRecords for Sizes {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn samples(&self, _: usize) -> Option<Cow<'_, [f64]>> {
        None
    }
    fn log_size(&self, i: usize) -> Option<f64> {
        self.0.get(i).copied()
    }
}

fn audit_size(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let unknown = |_| AuditError::NoClaim(name.to_owned());
    let mechanism =
        mechanism(RECORDS, Mu::new(parameter)?).and_then(|mean| mean.with_size(BOUND)).map_err(unknown)?;
    let sizes = |first: f64| Sizes((0..RECORDS).map(|i| if i == 0 { first } else { 9.0 }).collect());
    let look = |released: &Released<NoisedFunction>| {
        vec![released.value.size.map_or(0.0, |size| size.log), released.value.coordinates.iter().sum()]
    };
    PairAudit::boxed(name, mechanism, [sizes(9.0), sizes(-9.0)], |records| records, Box::new(look))
}

/// The second round's σ = (2τ/n)/μ_2 in every coordinate, for records that are the template; small nμ have a public τ.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (mu, draws) = (0.7, 170);
    let mechanism = mechanism(RECORDS, Mu::new(mu)?)?;
    let records = vec![Some(vec![0.25; 3 * CURVES * SAMPLES]); RECORDS as usize];
    let shares = super::Aim::Mean.shares(RECORDS, Mu::new(mu)?);
    let tau = shares.uncounted * Norm::Quarter.face_radius();
    let sigma = 2.0 * tau / RECORDS as f64 / (mu * (1.0 - shares.first).sqrt());
    // What the second round noises are deviations from the first round's centre: the template seen from there, clipped.
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..draws {
        let released = release(&mechanism, &records, &mut Ledger::in_memory(None), &mut noise)?;
        let centre = released.value.centre.clone();
        let clip = ClipRadius::new(tau, ClipSource::Public)?;
        let about = FunctionalMean::in_norm(Norm::Quarter, basis(), centre, clip, Mu::new(mu)?, RECORDS)?;
        let exact = about.coordinates(&vec![0.25; 3 * CURVES * SAMPLES]);
        let length = exact.iter().map(|x| x * x).sum::<f64>().sqrt();
        let factor = if length > tau { tau / length } else { 1.0 };
        squares.extend(released.value.coordinates.iter().zip(&exact).map(|(x, e)| (x - factor * e).powi(2)));
    }
    Ok(ScaleCheck::of_squares(&squares, sigma * sigma))
}
