//! Modes of variation beside a mean that has a mechanism, and half of the squared budget, of its own.

use super::centring::{Expected, Told};
use super::mean::MeanStatistic;
use super::modes::{FoundModes, ModesStatistic};
use super::space::TangentSpace;
use super::statistic::Statistic;
use crate::job::ReleaseFolder;
use crate::mechanism::functional::{FunctionalModes, TwoRoundMean};
use crate::mechanism::together::{Both, Together, half};
use crate::mechanism::{Mechanism, MechanismError};
use crate::privacy::{Mu, Price, Statement};
use crate::report::page::Page;
use crate::study::points::PointStudyError;
use serde_json::{Value, json};
use std::sync::Arc;

/// At most so many modes, and a mean with less error than that which comes with them.
#[derive(Debug, Clone)]
pub(in crate::study) struct MeanAndModes(pub ModesStatistic);

impl MeanAndModes {
    fn mean(mu: Mu) -> MeanStatistic {
        MeanStatistic { budget: mu, band: false, private_radius: false }
    }

    /// What each part of the budget bought.
    fn bought(inner: &Together<TwoRoundMean, FunctionalModes>) -> Value {
        let price = |name: &str, price: &Price| json!({"statistic": name, "loss": price.loss, "mechanism": price.mechanism, "what": price.statistic});
        json!([price("mean", inner.first().price()), price("modes", inner.second().price())])
    }
}

impl Statistic for MeanAndModes {
    type Inner = Together<TwoRoundMean, FunctionalModes>;
    type Found = FoundModes;

    const NAME: &'static str = "modes --with mean,modes";
    const OF: &'static str = ModesStatistic::OF;

    fn budget(&self) -> Mu {
        self.0.budget
    }

    fn inner(&self, expected: Expected) -> Result<Self::Inner, MechanismError> {
        let whole = expected.mu;
        let expected = Expected { mu: half(whole)?, ..expected };
        let mean = Self::mean(expected.mu).inner(expected.clone())?;
        Together::new(whole, ("mean", mean), ("modes", self.0.inner(expected)?))
    }

    fn settings(&self) -> String {
        self.0.settings()
    }

    fn find(&self, told: Told<'_, Self::Inner>, price: &Price) -> Result<FoundModes, PointStudyError> {
        let Told { space, inner, value: Both { first, second } } = told;
        let own = Told { space: space.clone(), inner: Arc::new(inner.first().clone()), value: first };
        let mean = Self::mean(self.0.budget).find(own, price)?;
        let modes = Told { space, inner: Arc::new(inner.second().clone()), value: second };
        let modes = self.0.find(modes, price)?;
        let sentence = format!(
            "The mean and the modes were asked for together: each has half of the squared budget. {}",
            mean.sentence
        );
        let bought = Some(Self::bought(&inner));
        Ok(FoundModes { accuracy: mean.accuracy, sentence, mean: mean.estimate, bought, ..modes })
    }

    fn mean(found: &FoundModes) -> Option<&[f64]> {
        ModesStatistic::mean(found)
    }

    fn state(&self, space: &dyn TangentSpace, statement: &mut Statement) {
        self.0.state(space, statement);
    }

    fn describe(&self, space: &dyn TangentSpace, found: &FoundModes, statement: &mut Statement) {
        self.0.describe(space, found, statement);
    }

    fn title(&self, space: &dyn TangentSpace) -> [String; 2] {
        self.0.title(space)
    }

    fn write(
        &self,
        space: &dyn TangentSpace,
        found: &FoundModes,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        self.0.write(space, found, folder)
    }

    fn section(
        &self,
        space: &dyn TangentSpace,
        found: &FoundModes,
        page: &mut Page,
    ) -> Result<(), PointStudyError> {
        self.0.section(space, found, page)
    }
}
