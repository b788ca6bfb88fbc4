//! Records at one end of the public ball, and a last one there too or at the opposite end, on hyperbolic and shape spaces; on the sphere half
//! of the others at either end, and the last one at either end across.

use super::{RiemannianLaplace, TITLE};
use crate::manifold::PolarVolume;
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::directions;
use crate::mechanism::manifold::ends::{Ends, RECORDS, SMALL, spaces};
use crate::privacy::audit::{AuditError, Auditable, WorstCase};
use crate::privacy::{Entry, Epsilon, Mechanism, ScaleCheck};

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "riemannian-laplace",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] = &[
    WorstCase {
        name: "riemannian-laplace",
        make: on_sphere,
        loss: |p| loss(p, Ends::crossed()),
        runs: 100_000,
    },
    WorstCase {
        name: "riemannian-laplace-hyperbolic",
        make: on_hyperbolic,
        loss: |p| loss(p, spaces::hyperbolic(SMALL, RECORDS)),
        runs: 100_000,
    },
    WorstCase {
        name: "riemannian-laplace-kendall",
        make: on_kendall,
        loss: |p| loss(p, spaces::kendall(SMALL, RECORDS)),
        runs: 100_000,
    },
    WorstCase {
        name: "riemannian-laplace-log-euclidean",
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
    let mechanism =
        RiemannianLaplace::new(ends.ball(), ends.n(), Epsilon::new(parameter)?).map_err(no_claim)?;
    let look = ends.nearer().map_err(no_claim)?;
    ends.audit(name, mechanism, look)
}

/// Normalizers are equal, so that the logarithm of the ratio of the densities is the difference of the distances over σ: at most how far apart
/// the means are, which the bound for curved spaces is a little above.
fn loss<M>(parameter: f64, ends: Result<Ends<M>, MechanismError>) -> f64
where
    M: PolarVolume + Send + Sync + 'static,
    M::Point: Send + Sync + 'static,
{
    let lost = |ends: Ends<M>| -> Result<f64, MechanismError> {
        let mechanism = RiemannianLaplace::new(ends.ball(), ends.n(), Epsilon::new(parameter)?)?;
        Ok(ends.moved()? / mechanism.price().scale.unwrap_or(f64::NAN))
    };
    ends.and_then(lost).unwrap_or(f64::NAN)
}

/// Density ∝ exp(−t/σ) sin t of the distance, σ = Δ/ε with Δ = 2 tan(r)/n.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (r, n, epsilon) = (0.4_f64, 20, 0.7);
    let sigma = 2.0 * r.tan() / n as f64 / epsilon;
    let mechanism = RiemannianLaplace::new(directions::ball(r)?, n, Epsilon::new(epsilon)?)?;
    directions::distances(&mechanism, n, 8000, seed, std::f64::consts::PI, |t| (-t / sigma).exp())
}
