//! A private mean shape.

use super::accuracy::{Seen, of_mean};
use super::centring::about;
use super::input::{ShapeInputs, Specimens};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{Estimate, NoisedFunction, TwoRoundMean};
use crate::mechanism::landmarks::{ReleasedShapes, ShapeMechanism, ShapeSetting};
use crate::privacy::{Mu, Released};
use crate::study::points::{PointAccuracy, PointStudyError};
use crate::study::tangent::{FoundMean, MeanStatistic, Statistic, TangentOutcome, run};

/// Everything a study of a mean shape needs to know; all of it public.
#[derive(Debug, Clone)]
pub struct ShapeMeanSettings {
    /// The specimens, and what is known of them in advance.
    pub inputs: ShapeInputs,
    /// The budget.
    pub budget: Mu,
    /// With a 95 % band about the unshrunk mean.
    pub band: bool,
    /// Refuse where n and the budget are too small for a private radius, in place of a public one.
    pub private_radius: bool,
}

/// The mean in two rounds, of shapes.
///
/// # Errors
/// [`MechanismError`], about public numbers.
pub fn mean_mechanism(
    setting: &ShapeSetting,
    band: bool,
) -> Result<ShapeMechanism<TwoRoundMean>, MechanismError> {
    let statistic = MeanStatistic { budget: setting.mu, band, private_radius: false };
    about(setting, move |expected| statistic.inner(expected))
}

/// Runs a study of a mean shape.
///
/// # Errors
/// [`PointStudyError`]; nothing is charged for input that cannot be used.
pub fn run_mean(settings: &ShapeMeanSettings) -> Result<TangentOutcome<FoundMean>, PointStudyError> {
    let ShapeMeanSettings { inputs, budget, band, private_radius } = settings;
    let statistic = MeanStatistic { budget: *budget, band: *band, private_radius: *private_radius };
    Ok(run(&Specimens::open(inputs, &inputs.request())?, statistic, &inputs.place)?.0)
}

/// How exact a released mean is, from the release alone.
///
/// # Errors
/// [`MechanismError`] for a draw of other shapes.
pub fn mean_accuracy(
    shapes: &ShapeMechanism<TwoRoundMean>,
    released: &Released<ReleasedShapes<NoisedFunction>>,
) -> Result<PointAccuracy, MechanismError> {
    let (tangent, mean) = shapes.about(&released.value.centre)?;
    let value = &released.value.value;
    let radius = shapes.public_centre().map(|_| mean.reach());
    let seen = Seen::of(&released.value);
    let found =
        of_mean((&tangent, &estimate(value)), seen, radius, &released.price, mean.record_spread(value));
    Ok(if mean.is_at_the_edge(value) && !found.upper_bound { found.at_the_edge(mean.reach()) } else { found })
}

fn estimate(value: &NoisedFunction) -> Estimate {
    Estimate { samples: value.samples.clone(), errors: value.errors.clone() }
}
