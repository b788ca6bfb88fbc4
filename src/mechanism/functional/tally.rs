use super::measured::Measured;
use super::{FunctionalError, Plan};
use crate::privacy::ClippedMean;

/// The running sum of a private mean: as large as one record (and its extremes), whatever n.
#[derive(Debug, Clone)]
pub struct Tally {
    /// Whose sum it is: no other mechanism releases it.
    plan: Plan,
    sum: Sum,
}

#[derive(Debug, Clone)]
enum Sum {
    /// Clipped to public bounds and summed in integers.
    Clipped(ClippedMean),
    /// Unclipped, with the extremes that bounds will be taken from: not private.
    Measured(Measured),
}

impl Tally {
    pub(super) fn of_clipped(plan: &Plan, sum: ClippedMean) -> Self {
        Self { plan: plan.clone(), sum: Sum::Clipped(sum) }
    }

    pub(super) fn of_measured(plan: &Plan, sum: Measured) -> Self {
        Self { plan: plan.clone(), sum: Sum::Measured(sum) }
    }

    /// Whether all n records are in: to be asked before the ledger is charged.
    ///
    /// # Errors
    /// [`FunctionalError::Records`].
    pub fn check_complete(&self) -> Result<(), FunctionalError> {
        match &self.sum {
            Sum::Clipped(sum) => Ok(sum.check_complete()?),
            Sum::Measured(sum) => sum.check_complete(),
        }
    }

    /// Adds the records of another tally of the same plan (summed elsewhere, as in parallel work).
    ///
    /// # Errors
    /// [`FunctionalError::ForeignTally`] when the plans differ or bounds are measured (those sums are not merged),
    /// [`FunctionalError::Records`] beyond n.
    pub fn merge(&mut self, other: &Self) -> Result<(), FunctionalError> {
        match (&mut self.sum, &other.sum) {
            (Sum::Clipped(a), Sum::Clipped(b)) if self.plan == other.plan => Ok(a.merge(b)?),
            _ => Err(FunctionalError::ForeignTally),
        }
    }

    pub(super) fn clipped(&mut self, plan: &Plan) -> Result<&mut ClippedMean, FunctionalError> {
        match &mut self.sum {
            Sum::Clipped(sum) if self.plan == *plan => Ok(sum),
            _ => Err(FunctionalError::ForeignTally),
        }
    }

    pub(super) fn measured(&mut self, plan: &Plan) -> Result<&mut Measured, FunctionalError> {
        match &mut self.sum {
            Sum::Measured(sum) if self.plan == *plan => Ok(sum),
            _ => Err(FunctionalError::ForeignTally),
        }
    }

    pub(super) fn into_clipped(self, plan: &Plan) -> Result<ClippedMean, FunctionalError> {
        match self.sum {
            Sum::Clipped(sum) if self.plan == *plan => Ok(sum),
            _ => Err(FunctionalError::ForeignTally),
        }
    }

    pub(super) fn into_measured(self, plan: &Plan) -> Result<Measured, FunctionalError> {
        match self.sum {
            Sum::Measured(sum) if self.plan == *plan => Ok(sum),
            _ => Err(FunctionalError::ForeignTally),
        }
    }
}
