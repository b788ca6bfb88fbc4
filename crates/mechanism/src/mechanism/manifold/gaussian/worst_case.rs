//! The neighbours of the Riemannian Laplace mechanism.

use super::{RiemannianGaussian, TITLE, riemannian_gaussian_mu};
use crate::manifold::{PolarVolume, TwoPointSpace};
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::directions;
use crate::mechanism::manifold::ends::{Ends, RECORDS, SMALL, spaces};
use crate::privacy::audit::{AuditError, Auditable, WorstCase};
use crate::privacy::{Entry, Mechanism, Mu, ScaleCheck};

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "riemannian-gaussian",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] = &[
    WorstCase {
        name: "riemannian-gaussian",
        make: on_sphere,
        loss: |p| loss(p, Ends::crossed()),
        runs: 100_000,
    },
    WorstCase {
        name: "riemannian-gaussian-hyperbolic",
        make: on_hyperbolic,
        loss: |p| loss(p, spaces::hyperbolic(SMALL, RECORDS)),
        runs: 100_000,
    },
    WorstCase {
        name: "riemannian-gaussian-kendall",
        make: on_kendall,
        loss: |p| loss(p, spaces::kendall(SMALL, RECORDS)),
        runs: 100_000,
    },
    WorstCase {
        name: "riemannian-gaussian-log-euclidean",
        make: on_logarithms,
        loss: |p| loss(p, spaces::logarithms(SMALL, RECORDS)),
        runs: 100_000,
    },
];

type Made = Result<Box<dyn Auditable>, AuditError>;

fn on_sphere(name: &'static str, parameter: f64) -> Made {
    audit(name, parameter, Ends::crossed())
}

fn on_hyperbolic(name: &'static str, parameter: f64) -> Made {
    audit(name, parameter, spaces::hyperbolic(SMALL, RECORDS))
}

fn on_kendall(name: &'static str, parameter: f64) -> Made {
    audit(name, parameter, spaces::kendall(SMALL, RECORDS))
}

fn on_logarithms(name: &'static str, parameter: f64) -> Made {
    audit(name, parameter, spaces::logarithms(SMALL, RECORDS))
}

fn audit<M>(name: &'static str, parameter: f64, ends: Result<Ends<M>, MechanismError>) -> Made
where
    M: PolarVolume + Send + Sync + 'static,
    M::Point: Send + Sync + 'static,
{
    let no_claim = |_| AuditError::NoClaim(name.to_owned());
    let ends = ends.map_err(no_claim)?;
    let mechanism = RiemannianGaussian::new(ends.ball(), ends.n(), Mu::new(parameter)?).map_err(no_claim)?;
    let look = ends.nearer().map_err(no_claim)?;
    ends.audit(name, mechanism, look)
}

/// By the quadrature that calibrates the noise, at the distance that the means are apart: a little below that of the bound for curved spaces.
fn loss<M>(parameter: f64, ends: Result<Ends<M>, MechanismError>) -> f64
where
    M: PolarVolume + Send + Sync + 'static,
    M::Point: Send + Sync + 'static,
{
    let lost = |ends: Ends<M>| -> Result<f64, MechanismError> {
        let mechanism = RiemannianGaussian::new(ends.ball(), ends.n(), Mu::new(parameter)?)?;
        let (space, unit) =
            ends.ball().manifold().two_point().unwrap_or((TwoPointSpace::Euclidean { dim: 1 }, 1.0));
        let sigma = mechanism.price().scale.unwrap_or(f64::NAN);
        Ok(riemannian_gaussian_mu(space, ends.moved()? / unit, sigma / unit)?.get())
    };
    ends.and_then(lost).unwrap_or(f64::NAN)
}

/// Density ∝ exp(−t²/2σ²) sin t of the distance. The reference table has μ = .822482728545 for Δ = σ = 1 on S²; Δ = 2r
/// is 1 for one record and r = ½.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let ball = directions::ball(0.5)?;
    let mechanism = RiemannianGaussian::new(ball, 1, Mu::new(0.822_482_728_545)?)?;
    directions::distances(&mechanism, 1, 8000, seed, std::f64::consts::PI, |t| (-0.5 * t * t).exp())
}
