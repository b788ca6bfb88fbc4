//! Triangles as far apart as triangles can be: the first one way, or the other.

use super::{Centre, RADIUS, ReleasedShapes, ShapeMechanism, ShapeMoment, ShapeRecords, ShapeSetting, TITLE};
use crate::manifold::LandmarkShapes;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{FunctionalModes, NoisedFunction, TwoRoundMean};
use crate::mechanism::manifold::PrivateCentre;
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Entry, Ledger, Mechanism, Mu, PrivacyLoss, Released, ScaleCheck, release};
use nalgebra::DMatrix;
use std::sync::Arc;

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "landmarks",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] = &[WorstCase { name: "landmarks", make: audit, slow: true }];

const RECORDS: u64 = 30;

/// The mean of shapes in two rounds.
pub(super) fn mean(setting: &ShapeSetting) -> Result<ShapeMechanism<TwoRoundMean>, MechanismError> {
    let n = setting.n;
    ShapeMechanism::new(
        setting,
        Arc::new(move |basis, p, scale, mu| TwoRoundMean::new(basis, p, scale, mu, n)),
    )
}

/// Modes of shapes.
#[cfg_attr(not(test), expect(dead_code, reason = "for tests"))]
pub(super) fn modes(setting: &ShapeSetting) -> Result<ShapeMechanism<FunctionalModes>, MechanismError> {
    let n = setting.n;
    let make = move |basis, p, scale, mu| FunctionalModes::new(basis, p, scale, mu, n);
    ShapeMechanism::new(setting, Arc::new(make))
}

pub(super) fn setting(
    k: usize,
    d: usize,
    centre: Centre,
    n: u64,
    mu: Mu,
) -> Result<ShapeSetting, MechanismError> {
    let space = LandmarkShapes::new(k, d)?;
    Ok(ShapeSetting { space, centre, outline: false, radius: RADIUS, n, mu })
}

/// Many triangles at one shape; the first one too, or at the antipode of it, π/2 away.
fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let no_claim = |_: MechanismError| AuditError::NoClaim(name.to_owned());
    let setting = setting(3, 2, Centre::Private, RECORDS, Mu::new(parameter)?).map_err(no_claim)?;
    let mechanism = mean(&setting).map_err(no_claim)?;
    let flat = DMatrix::from_row_slice(3, 2, &[0.5f64.sqrt(), 0.0, -(0.5f64.sqrt()), 0.0, 0.0, 0.0]);
    let third = (1.0f64 / 6.0).sqrt();
    let other = DMatrix::from_row_slice(3, 2, &[third, 0.0, third, 0.0, -2.0 * third, 0.0]);
    let with = |first: &DMatrix<f64>| {
        let mut people = vec![vec![flat.clone()]; RECORDS as usize];
        people[0] = vec![first.clone()];
        ShapeRecords { people, ..ShapeRecords::default() }
    };
    let records = [with(&flat), with(&other)];
    let look = move |released: &Released<ReleasedShapes<NoisedFunction>>| {
        let ReleasedShapes { centre, value, .. } = &released.value;
        // How far the centre lies towards the other triangle, and how far the mean does from the centre.
        let along = |x: &[f64]| x.iter().zip(other.transpose().iter()).map(|(x, y)| x * y).sum::<f64>().abs();
        vec![
            along(centre),
            value.samples.iter().zip(centre).map(|(x, c)| (x - c * 3.0f64.sqrt()).powi(2)).sum(),
        ]
    };
    PairAudit::boxed(name, mechanism, records, |records| records, Box::new(look))
}

/// The centre's σ = √2/(nμ) in every coordinate, of Gram matrices in space.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (space, n, mu) = (LandmarkShapes::new(8, 3)?, 30, Mu::new(1.0)?);
    let mechanism = PrivateCentre::new(ShapeMoment::new(space, false, n, mu), n, PrivacyLoss::Gaussian(mu))?;
    let records = vec![Some(vec![super::anywhere(&space)]); n as usize];
    let exact = mechanism.prepare(&records)?;
    let sigma = std::f64::consts::SQRT_2 / (n as f64 * mu.get());
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..300 {
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        squares.extend(released.value.noised.iter().zip(&exact).map(|(x, s)| (x - s).powi(2)));
    }
    Ok(ScaleCheck::of_squares(&squares, sigma * sigma))
}
