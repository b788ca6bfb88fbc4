//! Audits of the noise this crate draws.

use super::{AuditError, Auditable, Neighbour, WorstCase, whole};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, Epsilon, L1Sensitivity, L2Sensitivity, Ledger, Mu, PrivacyLoss, Rho};

/// The audits of the noise itself.
pub const STANDARD_AUDITS: &[WorstCase] = &[
    WorstCase { name: "gaussian", make: gaussian, loss: whole, runs: 100_000 },
    WorstCase { name: "gaussian-idealized", make: gaussian_idealized, loss: whole, runs: 100_000 },
    WorstCase { name: "discrete-gaussian", make: discrete_gaussian, loss: whole, runs: 200_000 },
    WorstCase { name: "laplace", make: laplace, loss: whole, runs: 50_000 },
    WorstCase { name: "isotropic-laplace", make: isotropic_laplace, loss: whole, runs: 100_000 },
    WorstCase { name: "two-releases", make: two_releases, loss: whole, runs: 100_000 },
];

type Made = Result<Box<dyn Auditable>, AuditError>;

fn gaussian(name: &'static str, parameter: f64) -> Made {
    Ok(Box::new(Vector { name, loss: PrivacyLoss::Gaussian(Mu::new(parameter)?), idealized: false }))
}

fn gaussian_idealized(name: &'static str, parameter: f64) -> Made {
    Ok(Box::new(Vector { name, loss: PrivacyLoss::Gaussian(Mu::new(parameter)?), idealized: true }))
}

fn discrete_gaussian(name: &'static str, parameter: f64) -> Made {
    let loss = PrivacyLoss::ZeroConcentrated(Rho::new(parameter)?);
    Ok(Box::new(Vector { name, loss, idealized: false }))
}

fn laplace(name: &'static str, parameter: f64) -> Made {
    Ok(Box::new(Vector { name, loss: PrivacyLoss::Pure(Epsilon::new(parameter)?), idealized: false }))
}

fn isotropic_laplace(name: &'static str, parameter: f64) -> Made {
    Ok(Box::new(Vector { name, loss: PrivacyLoss::Pure(Epsilon::new(parameter)?), idealized: true }))
}

fn two_releases(name: &'static str, parameter: f64) -> Made {
    Ok(Box::new(TwoReleases { name, mu: Mu::new(parameter)? }))
}

/// A charge from a ledger that forgets: nothing here comes from a person.
fn paid(loss: PrivacyLoss) -> Option<Charge> {
    Ledger::in_memory(None).charge("audit", loss).ok()
}

/// The outcome of a run that may fail visibly.
fn outcome(values: Option<Vec<f64>>, width: usize) -> Vec<f64> {
    values.unwrap_or_else(|| vec![f64::NAN; width])
}

/// A vector mechanism on statistics Δ apart along (3, 4)/5.
struct Vector {
    name: &'static str,
    loss: PrivacyLoss,
    idealized: bool,
}

const DELTA: f64 = 0.37;

impl Vector {
    fn release(&self, statistic: &[f64], noise: &mut NoiseSource) -> Option<Vec<f64>> {
        let charge = paid(self.loss)?;
        let (l2, l1) = (L2Sensitivity::new(DELTA).ok()?, L1Sensitivity::new(DELTA).ok()?);
        match (self.loss, self.idealized) {
            (PrivacyLoss::Gaussian(mu), false) => {
                noise.gaussian_vector(statistic, l2, mu, charge).ok().map(|r| r.values)
            }
            (PrivacyLoss::Gaussian(mu), true) => {
                noise.gaussian_vector_idealized(statistic, l2, mu, charge).ok().map(|r| r.values)
            }
            (PrivacyLoss::ZeroConcentrated(rho), _) => {
                noise.discrete_gaussian_vector(statistic, l2, rho, charge).ok().map(|r| r.values)
            }
            (PrivacyLoss::Pure(epsilon), false) => {
                noise.laplace_vector(statistic, l1, epsilon, charge).ok().map(|r| r.values)
            }
            (PrivacyLoss::Pure(epsilon), true) => {
                noise.isotropic_laplace_vector(statistic, l2, epsilon, charge).ok().map(|r| r.values)
            }
            _ => None,
        }
    }
}

impl Auditable for Vector {
    fn name(&self) -> &str {
        self.name
    }
    fn claim(&self) -> PrivacyLoss {
        self.loss
    }
    fn draw(&self, which: Neighbour, seed: u64) -> Vec<f64> {
        let shift = if which == Neighbour::Second { DELTA } else { 0.0 };
        // The Laplace law is worst along an axis, the isotropic ones in every direction.
        let along = if self.name == "laplace" { [1.0, 0.0] } else { [0.6, 0.8] };
        let statistic = along.map(|c| 1.0 + c * shift);
        let released = self.release(&statistic, &mut NoiseSource::seeded(seed));
        outcome(
            released.map(|v| {
                let (x, y) = (v[0] - 1.0, v[1] - 1.0);
                let nearer = x.hypot(y) - (x - DELTA * along[0]).hypot(y - DELTA * along[1]);
                // The best statistics for Gaussian and for isotropic Laplace noise.
                vec![x * along[0] + y * along[1], nearer]
            }),
            2,
        )
    }
}

/// The same statistic released twice from one source at μ/√2 each.
struct TwoReleases {
    name: &'static str,
    mu: Mu,
}

impl TwoReleases {
    fn release(&self, which: Neighbour, seed: u64) -> Option<Vec<f64>> {
        let statistic = [if which == Neighbour::Second { DELTA } else { 0.0 }];
        let half = Mu::new(self.mu.get() / 2f64.sqrt()).ok()?;
        let part = PrivacyLoss::Gaussian(half);
        let mut charges = paid(PrivacyLoss::Gaussian(self.mu))?.split(&[part, part]).ok()?;
        let sensitivity = L2Sensitivity::new(DELTA).ok()?;
        let mut noise = NoiseSource::seeded(seed);
        let mut once = || {
            let paid = charges.pop()?;
            Some(noise.gaussian_vector(&statistic, sensitivity, half, paid).ok()?.values[0])
        };
        let (x, y) = (once()?, once()?);
        // The sum is the best statistic of an honest pair; the others show shared or mirrored noise.
        Some(vec![x + y, x - y, x, y])
    }
}

impl Auditable for TwoReleases {
    fn name(&self) -> &str {
        self.name
    }
    fn claim(&self) -> PrivacyLoss {
        PrivacyLoss::Gaussian(self.mu)
    }
    fn draw(&self, which: Neighbour, seed: u64) -> Vec<f64> {
        outcome(self.release(which, seed), 4)
    }
}
