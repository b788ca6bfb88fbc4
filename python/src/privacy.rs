//! Budgets, ledgers, certificates, audits. Answers are JSON, as the command prints them.

use crate::failure::{Failure, Kind};
use crate::options::named;
use crate::work;
use pyo3::prelude::*;
use serde_json::json;
use std::path::PathBuf;
use visard::manifold::TwoPointSpace;
use visard::mechanism::manifold::{riemannian_gaussian_mu, riemannian_gaussian_sigma};
use visard::mechanism::registry;
use visard::privacy::{
    BudgetError, Calibration, Certificate, Composition, Cost, Delta, Epsilon, L2Sensitivity, Ledger, Mu,
    PrivacyLoss, Rho,
};
use visard::study::{Stop, ledger_of};

/// (μ, ε, δ) of two of them.
#[pyfunction]
#[pyo3(signature = (mu, epsilon, delta))]
pub fn convert(mu: Option<f64>, epsilon: Option<f64>, delta: Option<f64>) -> PyResult<(f64, f64, f64)> {
    let found = visard::privacy::convert(mu, epsilon, delta)
        .map_err(|e| Failure::input(format!("{e}; give exactly two of mu, epsilon, delta")))?;
    Ok((found.mu, found.epsilon, found.delta))
}

/// The total of several releases in the unit that fits, as JSON, and its ε at δ.
#[pyfunction]
pub fn compose(
    mu: Vec<f64>,
    epsilon: Vec<f64>,
    epsilon_delta: Vec<(f64, f64)>,
    rho: Vec<f64>,
    delta: f64,
) -> PyResult<(String, f64)> {
    let total = || -> Result<(PrivacyLoss, f64), BudgetError> {
        let mut all = Composition::new();
        for mu in mu {
            all.push("mu", 1, Cost::Loss(PrivacyLoss::Gaussian(Mu::new(mu)?)));
        }
        for epsilon in epsilon {
            all.push("epsilon", 1, Cost::Loss(PrivacyLoss::Pure(Epsilon::new(epsilon)?)));
        }
        for (epsilon, delta) in epsilon_delta {
            let loss = PrivacyLoss::approximate(Epsilon::new(epsilon)?, Delta::new(delta)?);
            all.push("epsilon and delta", 1, Cost::Loss(loss));
        }
        for rho in rho {
            all.push("rho", 1, Cost::Loss(PrivacyLoss::ZeroConcentrated(Rho::new(rho)?)));
        }
        Ok((all.total()?, all.epsilon_at(Delta::new(delta)?)?.epsilon.get()))
    };
    let (loss, epsilon) = total().map_err(Failure::input)?;
    Ok((json!(loss).to_string(), epsilon))
}

/// σ of Gaussian noise for (ε, δ).
#[pyfunction]
pub fn calibrate_gaussian(epsilon: f64, delta: f64, sensitivity: f64, calibration: &str) -> PyResult<f64> {
    let calibration: Calibration = named("calibration", calibration)?;
    let sigma = || {
        let sensitivity = L2Sensitivity::new(sensitivity)?;
        visard::privacy::gaussian_sigma_for(
            calibration,
            Epsilon::new(epsilon)?,
            Delta::new(delta)?,
            sensitivity,
        )
    };
    Ok(sigma().map_err(Failure::input)?)
}

/// (μ, σ) of a Riemannian Gaussian, one of them given.
#[pyfunction]
#[pyo3(signature = (manifold, dim, sensitivity, mu, sigma))]
pub fn calibrate_riemannian(
    py: Python<'_>,
    manifold: &str,
    dim: usize,
    sensitivity: f64,
    mu: Option<f64>,
    sigma: Option<f64>,
) -> PyResult<(f64, f64)> {
    if dim == 0 || dim > 100_000 {
        return Err(Failure::input("dim: must lie between 1 and 100000").into());
    }
    let space = match manifold {
        "euclidean" => TwoPointSpace::Euclidean { dim },
        "sphere" => TwoPointSpace::Sphere { dim },
        "hyperbolic" => TwoPointSpace::Hyperbolic { dim },
        "kendall" => TwoPointSpace::ComplexProjective { dim },
        _ => {
            let message = format!("manifold: {manifold:?} is none of euclidean, sphere, hyperbolic, kendall");
            return Err(Failure::input(message).into());
        }
    };
    work::short(py, || match (mu, sigma) {
        (Some(mu), None) => {
            let mu = Mu::new(mu).map_err(Failure::input)?;
            Ok((mu.get(), riemannian_gaussian_sigma(space, sensitivity, mu).map_err(Failure::input)?))
        }
        (None, Some(sigma)) => {
            Ok((riemannian_gaussian_mu(space, sensitivity, sigma).map_err(Failure::input)?.get(), sigma))
        }
        _ => Err(Failure::input("mu, sigma: give exactly one of them")),
    })
}

/// Names of what can be audited.
#[pyfunction]
pub fn audit_names() -> Vec<&'static str> {
    registry::audit_names()
}

/// An empirical audit, as JSON.
#[pyfunction]
pub fn audit(
    py: Python<'_>,
    mechanism: &str,
    runs: Option<u64>,
    parameter: f64,
    seed: u64,
) -> PyResult<String> {
    let runs = runs.unwrap_or_else(|| registry::audit_runs(mechanism));
    if runs < 100 {
        return Err(Failure::input("runs: must be 100 or more").into());
    }
    let name = mechanism.to_owned();
    let report = work::long(py, Stop::default(), None, move |_| {
        let mechanism = registry::audit_by_name(&name, parameter).map_err(Failure::input)?;
        visard::privacy::audit::audit(mechanism.as_ref(), runs, seed).map_err(Failure::other)
    })?;
    Ok(json!(report.answer()).to_string())
}

/// A certificate in plain sentences.
#[pyfunction]
pub fn explain(certificate: &str) -> PyResult<String> {
    let certificate =
        Certificate::from_json(certificate).map_err(|e| Failure::input(format!("certificate: {e}")))?;
    Ok(visard::privacy::explain(&certificate))
}

/// What a ledger holds, as JSON; of a study's folder, the ledger it charges.
#[pyfunction]
pub fn ledger(path: PathBuf, delta: f64) -> PyResult<String> {
    let file = ledger_of(&path).map_err(Failure::input)?.unwrap_or_else(|| path.clone());
    let history = Ledger::history(&file).map_err(Failure::input)?;
    let delta = Delta::new(delta).map_err(|e| Failure::input(format!("delta: {e}")))?;
    let mut value = json!(history.answer().map_err(Failure::other)?);
    // Of the one sum, where there is one neighbour relation only.
    let epsilon = match &history.sums()[..] {
        [] => Epsilon::new(0.0).ok(),
        [sum] => sum.total.epsilon_at(delta).ok().map(|bound| bound.epsilon),
        _ => None,
    };
    value["ledger"] = json!(file);
    value["epsilon"] = json!(epsilon);
    value["delta"] = json!(delta);
    Ok(value.to_string())
}

/// Checks a release against its certificate, its ledger and its signature: JSON of what was found right.
#[pyfunction]
#[pyo3(signature = (release, ledger, key))]
pub fn verify(release: PathBuf, ledger: Option<PathBuf>, key: Option<PathBuf>) -> PyResult<String> {
    let found = visard::study::verify(&release, ledger.as_deref(), key.as_deref())
        .map_err(|e| Failure::of(Kind::Other, format!("{e}; do not rely on this release")))?;
    Ok(json!(found.answer()).to_string())
}
