//! What plans say, cell by cell, for programs: the rows of `face plan --json`, and of the bindings. Squared errors are per point on faces of
//! area 1; millimetres are those of a face of 20 cm.

use super::FACE_MM;
use super::compare::plan::CompareForecast;
use super::modes::plan::ModesForecast;
use super::plan::Forecast;
use super::regress::RegressionForecast;
use crate::privacy::{BudgetError, Delta, Mu, PrivacyLoss};
use serde::Serialize;

/// The δ at which budgets are also stated as ε, where none is given.
pub const DELTA: f64 = 1e-6;

/// ε of a budget at δ.
///
/// # Errors
/// [`BudgetError`] for a δ that is no probability, or at which there is no finite ε.
pub fn epsilon(mu: Mu, delta: f64) -> Result<f64, BudgetError> {
    Ok(PrivacyLoss::Gaussian(mu).epsilon_at(Delta::new(delta)?)?.get())
}

/// A row: so many people at a budget, and what to expect.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "{Expected}Row"))]
pub struct Row<Expected> {
    /// Number of people.
    pub n: usize,
    /// The budget.
    pub mu: Mu,
    /// The same as ε at `delta`.
    pub epsilon: f64,
    /// δ.
    pub delta: f64,
    /// What to expect.
    #[serde(flatten)]
    pub expected: Expected,
}

impl<Expected> Row<Expected> {
    fn of(n: usize, mu: Mu, delta: f64, expected: Expected) -> Result<Self, BudgetError> {
        Ok(Self { n, mu, epsilon: epsilon(mu, delta)?, delta, expected })
    }
}

/// What to expect of a mean.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct FaceMeanPlan {
    /// How often an attacker who knows all but one bit is right, at most.
    pub guess_probability: f64,
    /// Mean squared distance of the release from the mean of these people.
    pub error: f64,
    /// That of the template, published unread.
    pub template_error: f64,
    /// Mean squared distance of the mean of these people from that of all.
    pub sampling_error: f64,
    /// The root of `error` in millimetres.
    pub error_mm: f64,
    /// The root of `template_error` in millimetres.
    pub template_error_mm: f64,
    /// The root of `sampling_error` in millimetres.
    pub sampling_error_mm: f64,
    /// Half the width of the band, where one is wanted.
    pub band: Option<f64>,
    /// The same in millimetres.
    pub band_mm: Option<f64>,
    /// Whether the release is worth the budget.
    pub worth: bool,
}

/// A mean's row.
///
/// # Errors
/// As [`epsilon`].
pub fn mean(forecast: &Forecast, delta: f64) -> Result<Row<FaceMeanPlan>, BudgetError> {
    let Forecast { n, mu, error, template_error, sampling_error, band } = *forecast;
    let mm = |square: f64| FACE_MM * square.sqrt();
    let expected = FaceMeanPlan {
        guess_probability: PrivacyLoss::Gaussian(mu).guess_probability(),
        error,
        template_error,
        sampling_error,
        error_mm: mm(error),
        template_error_mm: mm(template_error),
        sampling_error_mm: mm(sampling_error),
        band,
        band_mm: band.map(|band| FACE_MM * band),
        worth: forecast.is_worth_it(),
    };
    Row::of(n, mu, delta, expected)
}

/// How many people an error takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct PeopleNeeded {
    /// The budget.
    pub mu: Mu,
    /// The same as ε at `delta`.
    pub epsilon: f64,
    /// δ.
    pub delta: f64,
    /// The error that is wanted, in millimetres.
    pub error_mm: f64,
    /// How many people; null if more than are simulated.
    pub n: Option<usize>,
}

/// How many people an error of `want` millimetres takes; `None`: more than are simulated.
///
/// # Errors
/// As [`epsilon`].
pub fn people(mu: Mu, n: Option<usize>, want: f64, delta: f64) -> Result<PeopleNeeded, BudgetError> {
    Ok(PeopleNeeded { mu, epsilon: epsilon(mu, delta)?, delta, error_mm: want, n })
}

/// What to expect of modes of variation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct FaceModesPlan {
    /// Coefficients of a record that the modes are found among.
    pub coefficients: usize,
    /// Standard deviations above this stand out of the noise, in millimetres.
    pub edge_mm: f64,
    /// How many modes do.
    pub visible: f64,
    /// What they explain, relative to as many without privacy.
    pub explained: f64,
    /// The error of the mean beside them, in millimetres.
    pub mean_error_mm: f64,
    /// Whether they are worth the budget.
    pub worth: bool,
}

/// A row of modes of variation.
///
/// # Errors
/// As [`epsilon`].
pub fn modes(forecast: &ModesForecast, delta: f64) -> Result<Row<FaceModesPlan>, BudgetError> {
    let ModesForecast { n, mu, coefficients, edge, visible, explained, mean_error, worth } = *forecast;
    let (edge_mm, mean_error_mm) = (FACE_MM * edge, FACE_MM * mean_error);
    Row::of(n, mu, delta, FaceModesPlan { coefficients, edge_mm, visible, explained, mean_error_mm, worth })
}

/// What to expect of a comparison of two groups.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct FaceComparePlan {
    /// How often the test finds a difference where there is none.
    pub level: Option<f64>,
    /// How likely differences of which sizes are found.
    pub power: Vec<PlannedPower>,
    /// Half the width of the band of the difference.
    pub band: Option<f64>,
    /// The same in millimetres.
    pub band_mm: Option<f64>,
    /// Whether so few people show very large differences only.
    pub small: bool,
    /// Whether it is worth the budget.
    pub worth: bool,
}

/// How likely a difference is found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct PlannedPower {
    /// Its size.
    pub difference: f64,
    /// The same in millimetres.
    pub difference_mm: f64,
    /// The probability.
    pub power: f64,
}

/// A row of a comparison of two groups.
///
/// # Errors
/// As [`epsilon`].
pub fn compare(forecast: &CompareForecast, delta: f64) -> Result<Row<FaceComparePlan>, BudgetError> {
    let CompareForecast { n, mu, level, ref power, band, small } = *forecast;
    let power = power.iter().map(|(difference, power)| PlannedPower {
        difference: *difference,
        difference_mm: FACE_MM * difference,
        power: *power,
    });
    let expected = FaceComparePlan {
        level,
        power: power.collect(),
        band,
        band_mm: band.map(|band| FACE_MM * band),
        small,
        worth: forecast.is_worth_it(),
    };
    Row::of(n, mu, delta, expected)
}

/// What to expect of a regression.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct FaceRegressionPlan {
    /// On so many covariates.
    pub covariates: usize,
    /// The error of the fields over their size: 1 is that of a zero field.
    pub relative_error: f64,
    /// The same of least squares without privacy.
    pub sampling_relative_error: f64,
    /// Whether it is worth the budget.
    pub worth: bool,
}

/// A row of a regression on so many covariates.
///
/// # Errors
/// As [`epsilon`].
pub fn regression(
    forecast: &RegressionForecast,
    covariates: usize,
    delta: f64,
) -> Result<Row<FaceRegressionPlan>, BudgetError> {
    let RegressionForecast { n, mu, relative_error, sampling_error, .. } = *forecast;
    let (sampling_relative_error, worth) = (sampling_error, forecast.is_worth_it());
    let expected = FaceRegressionPlan { covariates, relative_error, sampling_relative_error, worth };
    Row::of(n, mu, delta, expected)
}
