//! Faces far out on one side, and a last one there too or far out on the other.

use super::{TITLE, TwoRoundMean};
use crate::function::{Basis, Domain};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{FunctionRecords, FunctionalMean, NoisedFunction, Norm, Reach};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
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
    WorstCase { name: "two-rounds", make: audit, loss: whole, runs: 20_000 },
    WorstCase { name: "two-rounds-measured", make: audit_measured, loss: measured_loss, runs: 40_000 },
    WorstCase { name: "two-rounds-size", make: audit_size, loss: whole, runs: 40_000 },
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
    let direction = constant(Mu::new(parameter)?).map_err(unknown)?;
    let look = move |released: &Released<NoisedFunction>| {
        let value = &released.value;
        let along: f64 = value.coordinates.iter().zip(&direction).map(|(x, d)| x * d).sum();
        vec![along, value.samples.iter().sum()]
    };
    PairAudit::boxed(name, mechanism, [first, second], |records| records, Box::new(look))
}

/// Enough people that it is measured how far they lie beyond the second round's radius.
const MEASURED: u64 = 60;

/// Squared losses of the first round, of the measured excess and of the second round, as shares of μ² that the pair of [`audit_measured`] can show.
fn measured_shares(mu: Mu) -> [f64; 3] {
    let shares = super::Aim::Mean.shares(MEASURED, mu, 1.0);
    let moved = 0.5 * (1.0 + shares.uncounted);
    let excess = shares.measured.powi(2);
    [shares.first * moved * moved, excess, 1.0 - shares.first - excess]
}

fn measured_loss(mu: f64) -> f64 {
    Mu::new(mu).map_or(f64::NAN, |parsed| mu * measured_shares(parsed).iter().sum::<f64>().sqrt())
}

/// Three numbers each, so that the private centre's noise turns no record. The others lie two radii out, on both sides, so that the excess stands out of its
/// noise; the first record lies at the radius on one side, or three radii out on the other: both what it moves the mean by and what it moves the
/// excess by are as large as they may be.
fn audit_measured(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let unknown = |_| AuditError::NoClaim(name.to_owned());
    let mu = Mu::new(parameter)?;
    let basis = Basis::of_coordinates(3);
    let mechanism = TwoRoundMean::new(basis, vec![0.0; 3], Reach::RootMeanSquare(1.0), mu, MEASURED);
    let tau = super::Aim::Mean.shares(MEASURED, mu, 1.0).uncounted;
    let with = |first: f64| -> Vec<Option<Vec<f64>>> {
        let others = (1..MEASURED).map(|i| [0.0, if i % 2 == 0 { 2.0 } else { -2.0 }]);
        let all = std::iter::once([first, 0.0]).chain(others);
        all.map(|[along, aside]| Some(vec![tau * along, tau * aside, 0.0])).collect()
    };
    let [first, excess, second] = measured_shares(mu);
    let look = move |released: &Released<NoisedFunction>| {
        let value = &released.value;
        // Seen from the centre, half of which is left of the others when they are clipped.
        let along = (value.coordinates[0] + 0.5 * value.centre[0]) / (2.0 * tau);
        let sum = second * along + excess * value.lengthened.unwrap_or_default() / 2.0;
        // The centre is shrunk, by how much is not known here.
        let centre = first * value.centre[0] / (1.0 + tau);
        vec![sum, sum + centre, sum + 2.0 * centre]
    };
    let mechanism = mechanism.map_err(unknown)?;
    PairAudit::boxed(name, mechanism, [with(-1.0), with(3.0)], |records| records, Box::new(look))
}

/// Faces at the rim of the first ball, of sizes beyond the bound: large, and the first one with them or small and opposite. What a size takes of
/// the clipped vectors is 3 % of the squared loss.
struct Sized {
    samples: Vec<Vec<f64>>,
    sizes: Vec<f64>,
}

impl FunctionRecords for Sized {
    fn count(&self) -> usize {
        self.samples.len()
    }
    fn samples(&self, i: usize) -> Option<Cow<'_, [f64]>> {
        self.samples.get(i).map(|samples| Cow::Borrowed(&samples[..]))
    }
    fn log_size(&self, i: usize) -> Option<f64> {
        self.sizes.get(i).copied()
    }
}

fn audit_size(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let unknown = |_| AuditError::NoClaim(name.to_owned());
    let mu = Mu::new(parameter)?;
    let mechanism = mechanism(RECORDS, mu).and_then(|mean| mean.with_size(BOUND)).map_err(unknown)?;
    let direction = constant(mu).map_err(unknown)?;
    let length = direction.iter().map(|d| d * d).sum::<f64>().sqrt();
    let rim = mechanism.public_radius().get() / length;
    let with = |first: f64| {
        let sign = |i| if i == 0 { first } else { 1.0 };
        let face = |i| vec![0.25 + sign(i) * rim; 3 * CURVES * SAMPLES];
        let records = 0..RECORDS;
        Sized {
            samples: records.clone().map(face).collect(),
            sizes: records.map(|i| 9.0 * sign(i)).collect(),
        }
    };
    let look = move |released: &Released<NoisedFunction>| {
        let value = &released.value;
        let along: f64 = value.coordinates.iter().zip(&direction).map(|(x, d)| x * d).sum();
        // From a centre on one side, the others lie to the other.
        let centre = (value.centre[0] - 0.25) / rim * length * length;
        let size = value.size.map_or(0.0, |size| size.log);
        vec![along, along + 0.5 * rim * centre, along + rim * centre, size]
    };
    PairAudit::boxed(name, mechanism, [with(1.0), with(-1.0)], |records| records, Box::new(look))
}

/// Constant deviations: one coefficient of each channel, of weight one in every norm.
fn constant(mu: Mu) -> Result<Vec<f64>, MechanismError> {
    let (zero, one) = (vec![0.0; 3 * CURVES * SAMPLES], vec![1.0; 3 * CURVES * SAMPLES]);
    let radius = ClipRadius::new(1.0, ClipSource::Public)?;
    let domain = Domain::Disk { curves: CURVES, samples: SAMPLES };
    Ok(FunctionalMean::new(domain, 3, zero, radius, mu, RECORDS)?.coordinates(&one))
}

/// The second round's σ = (2τ/n)/μ_2 in every coordinate, for records that are the template; small nμ have a public τ.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (mu, draws) = (0.7, 170);
    let mechanism = mechanism(RECORDS, Mu::new(mu)?)?;
    let records = vec![Some(vec![0.25; 3 * CURVES * SAMPLES]); RECORDS as usize];
    let shares = super::Aim::Mean.shares(RECORDS, Mu::new(mu)?, 1.0);
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
