//! Directions of which one turns to its opposite: no pair of records is farther apart.

use super::{DirectionStatistic, PrivateCentre, ProcrustesStatistic, ReleasedCentre, TITLE};
use crate::manifold::{Kendall, Sphere};
use crate::mechanism::manifold::any_shape;
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Entry, Ledger, Mechanism, Mu, PrivacyLoss, Released, ScaleCheck, release};
use nalgebra::{DVector, dvector};

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "private-centre",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] = &[WorstCase { name: "private-centre", make: audit, slow: false }];

fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let mu = Mu::new(parameter)?;
    let no_claim = || AuditError::NoClaim(name.to_owned());
    let sphere = Sphere::unit(2).map_err(|_| no_claim())?;
    // As few records as the budget lets a centre have.
    let n = (8.0 / mu.get()).ceil().max(2.0) as usize;
    let mechanism = PrivateCentre::new(DirectionStatistic::new(sphere), n as u64, PrivacyLoss::Gaussian(mu))
        .map_err(|_| no_claim())?;
    let with = |x: f64| {
        let mut records = vec![Some(dvector![0.0, 1.0, 0.0]); n];
        records[0] = Some(dvector![x, 0.0, 0.0]);
        records
    };
    // The centre, and the noised coordinates it was read off, which tell at least as much.
    let look = |released: &Released<ReleasedCentre<DVector<f64>>>| {
        let ReleasedCentre { centre, noised } = &released.value;
        vec![noised[0], centre[0].atan2(centre[1])]
    };
    PairAudit::boxed(name, mechanism, [with(1.0), with(-1.0)], |records| &records[..], Box::new(look))
}

/// For shapes σ = √2/(nμ) in each of k² coordinates.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (space, n, mu) = (Kendall::new(7)?, 30, 1.0);
    let loss = PrivacyLoss::Gaussian(Mu::new(mu)?);
    let mechanism = PrivateCentre::new(ProcrustesStatistic::new(space), n, loss)?;
    let records = vec![Some(any_shape(&space)); n as usize];
    let exact = mechanism.prepare(&records)?;
    let sigma = std::f64::consts::SQRT_2 / (n as f64 * mu);
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..200 {
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        squares.extend(released.value.noised.iter().zip(&exact).map(|(x, s)| (x - s).powi(2)));
    }
    Ok(ScaleCheck::of_squares(&squares, sigma * sigma))
}
