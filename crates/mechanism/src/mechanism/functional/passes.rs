//! Statistics of functions whose records are gone through pass by pass: what each pass asks of them are sums, so that these may be added up in
//! parts.

use super::two_rounds::Clip;
use super::{FunctionRecords, NoisedFunction, SampledRecords};
use crate::mechanism::vector::{AboutPass, NoisedGroups, NoisedModes, NoisedRegression, NoisedScores};
use crate::mechanism::{MechanismError, PassSum};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, Drawn, Mechanism, NoisedPart, Price};
use serde::{Deserialize, Serialize};

/// What a pass over the records has released; as private as the release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum PassOf {
    /// The rough mean, before a mean.
    Centre(Box<NoisedFunction>),
    /// Norm and radius about it.
    Clip(Clip),
    /// The mean.
    Mean(Box<NoisedFunction>),
    /// Of modes.
    Modes(AboutPass<NoisedModes>),
    /// Of the map of a comparison of groups.
    Map(AboutPass<NoisedGroups>),
    /// Of the test of one.
    Test(AboutPass<NoisedGroups>),
    /// Of the moments of a regression.
    Regression(AboutPass<NoisedRegression>),
    /// Of squared scores about what the moments tell.
    Scores(NoisedScores),
}

/// What was drawn in a pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassValue {
    /// What it released.
    pub of: PassOf,
    /// Where a seeded source of noise was left, for the next pass to go on from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
}

/// A pass that was drawn, and how it was noised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passed {
    /// What it released.
    pub value: PassOf,
    /// How.
    pub parts: Vec<NoisedPart>,
}

/// Some of the records.
#[derive(Clone, Copy)]
pub struct SomeRecords<'a> {
    /// Their samples.
    pub samples: &'a dyn FunctionRecords,
    /// Their covariates, where a statistic has a use for them.
    pub rows: &'a [Vec<f64>],
    /// The place of the first among all n.
    pub first: usize,
}

/// A statistic that takes several passes over the records. What is drawn, from which noise and in which order, is what its [`Mechanism`] draws
/// at once; all passes are paid for by one charge for its price.
pub trait InPasses {
    /// Of all passes.
    fn whole_price(&self) -> &Price;

    /// How many there are.
    ///
    /// # Errors
    /// [`MechanismError`]: a statistic that is not made in passes.
    fn passes(&self) -> Result<usize, MechanismError>;

    /// What the pass after these needs of some of the records: secret.
    ///
    /// # Errors
    /// [`MechanismError`]: passes of something else, records of another shape.
    fn sum_pass(&self, before: &[&PassOf], some: SomeRecords<'_>) -> Result<PassSum, MechanismError>;

    /// Whether a sum is this pass's, of all n records: to be asked before anything is charged.
    ///
    /// # Errors
    /// [`MechanismError`] where it is not.
    fn check_pass(&self, before: &[&PassOf], sum: &PassSum) -> Result<(), MechanismError>;

    /// Draws what the pass after these releases, against its part of a charge for all.
    ///
    /// # Errors
    /// [`MechanismError`].
    fn draw_pass(
        &self,
        sums: (&[&PassOf], &PassSum),
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<PassOf>, MechanismError>;

    /// The parts of all passes, as they were drawn, in the order in which a release tells them.
    fn in_order(&self, parts: Vec<NoisedPart>) -> Vec<NoisedPart> {
        parts
    }
}

/// The pass of a statistic that comes after some that were drawn.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    of: &'a dyn InPasses,
    before: &'a [Passed],
}

impl<'a> Pass<'a> {
    /// After these, oldest first.
    pub fn after(of: &'a dyn InPasses, before: &'a [Passed]) -> Self {
        Self { of, before }
    }

    fn values(&self) -> Vec<&'a PassOf> {
        self.before.iter().map(|passed| &passed.value).collect()
    }

    /// What it needs of these records: secret.
    ///
    /// # Errors
    /// [`MechanismError`]: passes of something else, records of another shape.
    pub fn sum(&self, records: SomeRecords<'_>) -> Result<PassSum, MechanismError> {
        self.of.sum_pass(&self.values(), records)
    }

    /// Whether all n records are in a sum: to be asked before anything is charged.
    ///
    /// # Errors
    /// [`MechanismError`], a sum of another pass or of fewer records among them.
    pub fn check(&self, sum: &PassSum) -> Result<(), MechanismError> {
        self.of.check_pass(&self.values(), sum)
    }
}

impl Mechanism for Pass<'_> {
    type Records = SampledRecords;
    type Prepared<'a>
        = PassSum
    where
        Self: 'a;
    type Value = PassValue;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        self.of.whole_price()
    }

    fn prepare(&self, records: &Self::Records) -> Result<PassSum, MechanismError> {
        self.sum(SomeRecords { samples: &*records.samples, rows: &records.rows, first: 0 })
    }

    /// Against its part of a charge for all passes. That every part is used once is the caller's to see to.
    fn draw(
        &self,
        sum: &PassSum,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<PassValue>, MechanismError> {
        let Drawn { value, parts } = self.of.draw_pass((&self.values(), sum), noise, paid)?;
        let is_last = self.before.len() + 1 == self.of.passes()?;
        // A release tells how all of it was noised.
        let before = self.before.iter().filter(|_| is_last).flat_map(|passed| passed.parts.clone());
        let parts: Vec<NoisedPart> = before.chain(parts).collect();
        Ok(Drawn {
            value: PassValue { of: value, position: noise.position() },
            parts: if is_last { self.of.in_order(parts) } else { parts },
        })
    }
}
