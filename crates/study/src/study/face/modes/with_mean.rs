//! Modes beside a mean that has a mechanism, and half of the budget, of its own.

use super::super::accuracy::Accuracy;
use super::super::error::StudyError;
use super::super::mean::{ClipChoice, two_rounds};
use super::found::FoundModes;
use super::mechanism;
use super::publication::ModesPublication;
use crate::function::FaceCurves;
use crate::job::{Publication, ReleaseFolder};
use crate::mechanism::functional::{Aim, FunctionalModes, NoisedFunction, TwoRoundMean};
use crate::mechanism::together::{Both, Together, half};
use crate::mechanism::vector::NoisedModes;
use crate::mechanism::{Mechanism, MechanismError};
use crate::privacy::{Certificate, Mu, Released, Statement};
use serde_json::json;

/// A mean in two rounds, and modes.
pub(super) type MeanAndModes = Together<TwoRoundMean, FunctionalModes>;

/// What both release.
pub(super) type NoisedBoth = Both<NoisedFunction, NoisedModes>;

/// Both for n faces about this template.
pub(super) fn both(template: &FaceCurves, n: u64, mu: Mu) -> Result<MeanAndModes, MechanismError> {
    let own = half(mu)?;
    let mean = two_rounds(Aim::Mean, template, n, ClipChoice::Default, own, None)?;
    Together::new(mu, ("mean", mean), ("modes", mechanism(template, n, own)?))
}

/// What a study of both publishes, and how.
#[derive(Debug, Clone)]
pub(super) struct BothPublication {
    pub(super) modes: ModesPublication,
    pub(super) mechanism: MeanAndModes,
}

impl BothPublication {
    /// What was found: the modes, and the mean of its own mechanism in place of theirs.
    pub(super) fn found(&self, released: &NoisedBoth, n: u64) -> Result<FoundModes, StudyError> {
        let Both { first: mean, second: modes } = released;
        let own = &self.modes.own;
        let found = self.modes.found(modes, n)?;
        let spread = self.mechanism.first().record_spread(mean);
        Ok(FoundModes {
            curves: FaceCurves::new(own.curves(), own.samples(), mean.samples.clone())?,
            accuracy: Accuracy::of(mean, own, None, n, spread),
            ..found
        })
    }

    /// What each part of the budget bought.
    fn bought(&self) -> serde_json::Value {
        let price = |name: &str, price: &crate::privacy::Price| json!({"statistic": name, "loss": price.loss, "mechanism": price.mechanism, "what": price.statistic});
        json!([
            price("mean", self.mechanism.first().price()),
            price("modes", self.mechanism.second().price())
        ])
    }
}

impl Publication for BothPublication {
    type Value = NoisedBoth;
    type Error = StudyError;

    fn counts_persons(&self) -> bool {
        self.modes.counting.counts_persons()
    }

    fn describe(&self, released: &Released<NoisedBoth>, statement: &mut Statement) {
        let found = self.found(&released.value, released.price.n).ok();
        self.modes.state(found.as_ref(), &released.price.statistic, statement);
        statement.details.insert("bought".into(), self.bought());
    }

    fn statistic(&self) -> String {
        "face modes --with mean,modes".into()
    }

    fn write(
        &self,
        released: &Released<NoisedBoth>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), StudyError> {
        let found = self.found(&released.value, released.price.n)?;
        let errors = Some(&released.value.first.errors[..]);
        self.modes.write_found(&found, &released.price.statistic, errors, certificate, folder)
    }
}
