//! Audits of the noise this crate draws, and of the clipped mean, failures included.

use super::{AuditError, Auditable, Neighbour};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    Charge, ClipRadius, ClipSource, ClippedMean, Epsilon, L1Sensitivity, L2Sensitivity, Ledger, Mu,
    PrivacyLoss, Rho,
};

/// The names [`standard_audit`] knows.
pub const STANDARD_AUDITS: [&str; 8] = [
    "gaussian",
    "gaussian-idealized",
    "discrete-gaussian",
    "laplace",
    "isotropic-laplace",
    "clipped-mean",
    "failed-scan",
    "two-releases",
];

/// A standard audit at the given parameter (μ, ε or ρ, by what the mechanism is stated in).
///
/// # Errors
/// [`AuditError::Unknown`], [`AuditError::Budget`].
pub fn standard_audit(name: &str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let mu = || Mu::new(parameter);
    let epsilon = || Epsilon::new(parameter);
    Ok(match name {
        "gaussian" => {
            Box::new(Vector { name: "gaussian", loss: PrivacyLoss::Gaussian(mu()?), idealized: false })
        }
        "gaussian-idealized" => Box::new(Vector {
            name: "gaussian-idealized",
            loss: PrivacyLoss::Gaussian(mu()?),
            idealized: true,
        }),
        "discrete-gaussian" => Box::new(Vector {
            name: "discrete-gaussian",
            loss: PrivacyLoss::ZeroConcentrated(Rho::new(parameter)?),
            idealized: false,
        }),
        "laplace" => {
            Box::new(Vector { name: "laplace", loss: PrivacyLoss::Pure(epsilon()?), idealized: false })
        }
        "isotropic-laplace" => Box::new(Vector {
            name: "isotropic-laplace",
            loss: PrivacyLoss::Pure(epsilon()?),
            idealized: true,
        }),
        "clipped-mean" => Box::new(Mean { mu: mu()?, fails: false }),
        "failed-scan" => Box::new(Mean { mu: mu()?, fails: true }),
        "two-releases" => Box::new(TwoReleases { mu: mu()? }),
        _ => return Err(AuditError::Unknown { name: name.chars().take(60).collect() }),
    })
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
            (PrivacyLoss::Pure(epsilon), true) => noise
                .isotropic_laplace_vector_idealized(statistic, l2, epsilon, charge)
                .ok()
                .map(|r| r.values),
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

/// Four records at the rim of the ball, and a fifth there too or at the opposite end (or failed).
struct Mean {
    mu: Mu,
    fails: bool,
}

impl Mean {
    fn release(&self, which: Neighbour, seed: u64) -> Option<Vec<f64>> {
        let radius = ClipRadius::new(2.0, ClipSource::Public).ok()?;
        let mut mean = ClippedMean::new(3, 5, radius, self.mu).ok()?;
        for _ in 0..4 {
            mean.add(Some(&[50.0, 0.0, 0.0])).ok()?;
        }
        match (which, self.fails) {
            (Neighbour::First, false) => mean.add(Some(&[1e9, 0.0, 0.0])),
            (Neighbour::First, true) => mean.add(None),
            (Neighbour::Second, _) => mean.add(Some(&[-1e9, 0.0, 0.0])),
        }
        .ok()?;
        let released =
            mean.release(&mut NoiseSource::seeded(seed), paid(PrivacyLoss::Gaussian(self.mu))?).ok()?;
        // All that leaves the house: the mean, its size, and the noise scale in the certificate.
        Some(vec![released.values[0], released.values.len() as f64, released.sigma])
    }
}

impl Auditable for Mean {
    fn name(&self) -> &str {
        if self.fails { "failed-scan" } else { "clipped-mean" }
    }
    fn claim(&self) -> PrivacyLoss {
        PrivacyLoss::Gaussian(self.mu)
    }
    fn draw(&self, which: Neighbour, seed: u64) -> Vec<f64> {
        outcome(self.release(which, seed), 3)
    }
}

/// The same statistic released twice from one source at μ/√2 each.
struct TwoReleases {
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
        "two-releases"
    }
    fn claim(&self) -> PrivacyLoss {
        PrivacyLoss::Gaussian(self.mu)
    }
    fn draw(&self, which: Neighbour, seed: u64) -> Vec<f64> {
        outcome(self.release(which, seed), 4)
    }
}
