//! What plans say, cell by cell, for programs: the rows of `face plan --json`, and of the bindings. Squared errors are per point on faces of
//! area 1; millimetres are those of a face of 20 cm.

use super::FACE_MM;
use super::compare::plan::CompareForecast;
use super::modes::plan::ModesForecast;
use super::plan::Forecast;
use super::regress::RegressionForecast;
use crate::privacy::{BudgetError, Delta, Mu, PrivacyLoss};
use serde_json::{Value, json};

/// The δ at which budgets are also stated as ε, where none is given.
pub const DELTA: f64 = 1e-6;

/// ε of a budget at δ.
///
/// # Errors
/// [`BudgetError`] for a δ that is no probability, or at which there is no finite ε.
pub fn epsilon(mu: Mu, delta: f64) -> Result<f64, BudgetError> {
    Ok(PrivacyLoss::Gaussian(mu).epsilon_at(Delta::new(delta)?)?.get())
}

/// A mean's row.
///
/// # Errors
/// As [`epsilon`].
pub fn mean(forecast: &Forecast, delta: f64) -> Result<Value, BudgetError> {
    let Forecast { n, mu, error, template_error, sampling_error, band } = *forecast;
    let mm = |square: f64| FACE_MM * square.sqrt();
    Ok(json!({
        "n": n,
        "mu": mu,
        "epsilon": epsilon(mu, delta)?,
        "delta": delta,
        "guess_probability": PrivacyLoss::Gaussian(mu).guess_probability(),
        "error": error,
        "template_error": template_error,
        "sampling_error": sampling_error,
        "error_mm": mm(error),
        "template_error_mm": mm(template_error),
        "sampling_error_mm": mm(sampling_error),
        "band": band,
        "band_mm": band.map(|band| FACE_MM * band),
        "worth": forecast.is_worth_it(),
    }))
}

/// How many people an error of `want` millimetres takes; `None`: more than are simulated.
///
/// # Errors
/// As [`epsilon`].
pub fn people(mu: Mu, n: Option<usize>, want: f64, delta: f64) -> Result<Value, BudgetError> {
    Ok(json!({"mu": mu, "epsilon": epsilon(mu, delta)?, "delta": delta, "error_mm": want, "n": n}))
}

/// A row of modes of variation.
///
/// # Errors
/// As [`epsilon`].
pub fn modes(forecast: &ModesForecast, delta: f64) -> Result<Value, BudgetError> {
    let ModesForecast { n, mu, coefficients, edge, visible, explained, mean_error, worth } = *forecast;
    Ok(json!({
        "n": n,
        "mu": mu,
        "epsilon": epsilon(mu, delta)?,
        "delta": delta,
        "coefficients": coefficients,
        "edge_mm": FACE_MM * edge,
        "visible": visible,
        "explained": explained,
        "mean_error_mm": FACE_MM * mean_error,
        "worth": worth,
    }))
}

/// A row of a comparison of two groups.
///
/// # Errors
/// As [`epsilon`].
pub fn compare(forecast: &CompareForecast, delta: f64) -> Result<Value, BudgetError> {
    let CompareForecast { n, mu, level, ref power, band, small } = *forecast;
    let power = power.iter();
    let power = power
        .map(|(size, power)| json!({"difference": size, "difference_mm": FACE_MM * size, "power": power}));
    Ok(json!({
        "n": n,
        "mu": mu,
        "epsilon": epsilon(mu, delta)?,
        "delta": delta,
        "level": level,
        "power": power.collect::<Vec<Value>>(),
        "band": band,
        "band_mm": band.map(|band| FACE_MM * band),
        "small": small,
        "worth": forecast.is_worth_it(),
    }))
}

/// A row of a regression on so many covariates.
///
/// # Errors
/// As [`epsilon`].
pub fn regression(
    forecast: &RegressionForecast,
    covariates: usize,
    delta: f64,
) -> Result<Value, BudgetError> {
    let RegressionForecast { n, mu, relative_error, sampling_error, .. } = *forecast;
    Ok(json!({
        "n": n,
        "mu": mu,
        "epsilon": epsilon(mu, delta)?,
        "delta": delta,
        "covariates": covariates,
        "relative_error": relative_error,
        "sampling_relative_error": sampling_error,
        "worth": forecast.is_worth_it(),
    }))
}
