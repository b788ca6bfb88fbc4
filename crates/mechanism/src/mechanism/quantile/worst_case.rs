//! Norms of which one moves from the bottom of the grid to its end.

use super::{
    BisectedRadius, BisectedRelease, Lengths, PrivateQuantile, QuantileRelease, RadiusGrid, TITLE, bisect,
};
use crate::mechanism::MechanismError;
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Entry, Ledger, Mechanism, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "private-quantile",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] =
    &[WorstCase { name: "private-quantile", make: audit, loss: whole, runs: 100_000 }];

fn mechanism(n: u64, mu: Mu) -> Result<PrivateQuantile, MechanismError> {
    PrivateQuantile::new(&RadiusGrid { low: 1.0, high: 2.0, ratio: 2.0 }, 0.5, n, mu)
}

fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    // So many records that every budget down to μ = 0.1 may ask for a radius.
    let n = 400;
    let mechanism = mechanism(n, Mu::new(parameter)?).map_err(|_| AuditError::NoClaim(name.to_owned()))?;
    let mut first: Vec<Option<f64>> = (0..n).map(|i| Some(if i % 2 == 0 { 0.5 } else { 1e9 })).collect();
    let mut second = first.clone();
    (first[0], second[0]) = (Some(0.5), Some(1e9));
    // The radius is one bit of the noised counts it is read off, which tell at least as much.
    let look = |released: &Released<QuantileRelease>| {
        let counts = &released.value.counts;
        vec![released.value.radius.get(), counts[counts.len() - 1] - counts[0]]
    };
    PairAudit::boxed(name, mechanism, [first, second], |records| &records[..], Box::new(look))
}

/// Noise of standard deviation √2/μ in every count.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let mechanism = mechanism(100, Mu::new(7.0)?)?;
    let norms: Vec<Option<f64>> = (0..100).map(|i| Some(f64::from(i) / 40.0)).collect();
    let exact = mechanism.prepare(&norms)?;
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..3000 {
        let released = release(&mechanism, &norms, &mut Ledger::in_memory(None), &mut noise)?;
        squares.extend(released.value.counts.iter().zip(&exact).map(|(x, c)| (x - c).powi(2)));
    }
    let variance = 2.0 / 49.0;
    Ok(ScaleCheck::of_squares(&squares, variance))
}

/// As the registry knows it.
pub const BISECTED_ENTRY: Entry = Entry {
    name: "bisected-radius",
    title: bisect::TITLE,
    proof: include_str!("bisect.md"),
    scale: bisected_scale,
    worst_cases: BISECTED_WORST_CASES,
};

const BISECTED_WORST_CASES: &[WorstCase] =
    &[WorstCase { name: "bisected-radius", make: bisected_audit, loss: whole, runs: 100_000 }];

fn bisected(n: u64, mu: Mu) -> Result<BisectedRadius, MechanismError> {
    let bracket = RadiusGrid { low: 1.0, high: 8.0, ratio: 2.0 };
    BisectedRadius::new(&bracket, 0.5, n, mu)?.or_else(&bracket)
}

/// One record moves from inside every middle to outside every middle, in both norms: each count differs by one.
fn bisected_audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let n = 4;
    let mechanism = bisected(n, Mu::new(parameter)?).map_err(|_| AuditError::NoClaim(name.to_owned()))?;
    let lengths = |one: f64| {
        let mut all = vec![0.5; n as usize];
        all[0] = one;
        Lengths { first: all.clone(), other: all }
    };
    let look = |released: &Released<BisectedRelease>| {
        let value = &released.value;
        vec![value.counts.iter().sum(), value.radius.get()]
    };
    PairAudit::boxed(name, mechanism, [lengths(0.5), lengths(1e9)], |records| records, Box::new(look))
}

/// Noise of standard deviation √7/μ in every count.
fn bisected_scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let mechanism = bisected(9, Mu::new(0.7)?)?;
    let lengths = Lengths { first: vec![0.5; 9], other: vec![0.5; 9] };
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..1500 {
        let released = release(&mechanism, &lengths, &mut Ledger::in_memory(None), &mut noise)?;
        squares.extend(released.value.counts.iter().map(|x| (x - 9.0).powi(2)));
    }
    let variance = 7.0 / 0.49;
    Ok(ScaleCheck::of_squares(&squares, variance))
}
