//! A private mean shape.

use super::accuracy::{Seen, of_mean};
use super::centring::about;
use super::input::{ShapeInputs, Specimens};
use crate::estimate::{Band, band::LEVEL};
use crate::job::ReleaseFolder;
use crate::job::layout::BAND;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{Aim, Estimate, NoisedFunction, TwoRoundMean};
use crate::mechanism::landmarks::{ReleasedShapes, ShapeMechanism, ShapeSetting};
use crate::privacy::{Mu, Price, Released, Statement};
use crate::report::page::Page;
use crate::study::points::{PointAccuracy, PointStudyError};
use crate::study::tangent::{
    Expected, Looked, Statistic, TangentOutcome, TangentSpace, Told, run, write_arrays,
};
use serde_json::json;

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

/// A mean shape.
#[derive(Debug, Clone)]
pub struct FoundMean {
    /// How exact it is, from the release alone.
    pub accuracy: PointAccuracy,
    /// In words.
    pub sentence: String,
    samples: Vec<f64>,
    band: Option<Band>,
}

/// The mean in two rounds.
#[derive(Debug, Clone)]
struct MeanStatistic {
    budget: Mu,
    band: bool,
    private_radius: bool,
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
    run(&Specimens::open(inputs, &inputs.request())?, statistic, &inputs.place)
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
    Ok(of_mean((&tangent, &estimate(value)), seen, radius, &released.price, mean.record_spread(value)))
}

fn estimate(value: &NoisedFunction) -> Estimate {
    Estimate { samples: value.samples.clone(), errors: value.errors.clone() }
}

impl Statistic for MeanStatistic {
    type Inner = TwoRoundMean;
    type Found = FoundMean;

    const NAME: &'static str = "mean";
    const OF: &'static str = "mean";

    fn budget(&self) -> Mu {
        self.budget
    }

    fn inner(&self, expected: Expected) -> Result<TwoRoundMean, MechanismError> {
        let Expected { basis, centre, reach, centre_error, mu, n } = expected;
        let aim = if self.band { Aim::Band } else { Aim::Mean };
        if self.private_radius {
            TwoRoundMean::check_private_radius(aim, n, mu)?;
        }
        let mean = TwoRoundMean::aiming(aim, basis, centre, reach, mu, n)?;
        Ok(match centre_error {
            Some(error) => mean.expecting_centre_within(error),
            None => mean,
        })
    }

    fn settings(&self) -> String {
        format!("{:?} {}", self.budget, self.band)
    }

    fn find(&self, told: Told<'_, TwoRoundMean>, price: &Price) -> Result<FoundMean, PointStudyError> {
        let Told { space, inner, value } = told;
        if value.samples.len() != space.basis().len() || value.errors.len() != value.samples.len() {
            return Err(MechanismError::Shape("the stored draw is that of other shapes").into());
        }
        let looked = Looked::All { radius: inner.reach() };
        let accuracy = space.accuracy(&estimate(value), looked, price, inner.record_spread(value));
        Ok(FoundMean {
            sentence: space.sentence(&accuracy),
            accuracy,
            samples: value.samples.clone(),
            band: inner.band(value),
        })
    }

    fn mean(found: &FoundMean) -> Option<&[f64]> {
        Some(&found.samples)
    }

    fn state(&self, _: &dyn TangentSpace, _: &mut Statement) {}

    fn describe(&self, space: &dyn TangentSpace, found: &FoundMean, statement: &mut Statement) {
        statement.details.insert("accuracy".into(), json!(found.accuracy));
        if let Some(band) = &found.band {
            let details = json!({
                "file": BAND,
                "level": LEVEL,
                "simultaneous_over": format!("all {}", space.terms().numbers),
                "estimand": "the mean of the population's clipped shapes, as a deviation from the centre in its tangent space",
                "reach_in_standard_errors": band.reach,
            });
            statement.details.insert("band".into(), details);
        }
    }

    fn title(&self, _: &dyn TangentSpace) -> [String; 2] {
        ["Private mean shape".into(), "mean shape".into()]
    }

    fn write(
        &self,
        space: &dyn TangentSpace,
        found: &FoundMean,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        space.write_mean(folder, &space.point(&found.samples))?;
        if let Some(band) = &found.band {
            let borders = band.borders();
            let (low, high) = borders.split_at(borders.len() / 2);
            write_arrays(folder, BAND, &[2], space, &[space.numbers(low), space.numbers(high)])?;
        }
        Ok(())
    }

    fn section(
        &self,
        _: &dyn TangentSpace,
        found: &FoundMean,
        page: &mut Page,
    ) -> Result<(), PointStudyError> {
        page.heading("How exact it is");
        page.paragraph(&found.sentence);
        Ok(())
    }
}
