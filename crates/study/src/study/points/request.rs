//! What is asked of a study of points.

use super::budget::Budget;
use super::mechanism::PointMechanism;
use crate::privacy::{BudgetError, Calibration, PrivacyLoss};
use crate::study::{Counting, Place, Unusable};

/// What is asked of a study; all of it public.
#[derive(Debug, Clone)]
pub struct PointRequest {
    /// Folder, ledger, seed; whether to resume or replace.
    pub place: Place,
    /// Which mean.
    pub mechanism: PointMechanism,
    /// The budget of each draw; `None` only for [`PointMechanism::None`].
    pub budget: Option<PrivacyLoss>,
    /// How Gaussian noise is calibrated to (ε, δ).
    pub calibration: Calibration,
    /// How many independent draws, each charged.
    pub draws: u32,
    /// What is done with records that cannot be used.
    pub unusable: Unusable,
    /// What counts as a person.
    pub counting: Counting,
    /// Whether draws of all mechanisms on made-up records are compared on the data holder's page.
    pub explore: bool,
}

impl PointRequest {
    /// One draw of this mechanism at this budget.
    pub fn new(place: Place, mechanism: PointMechanism, budget: PrivacyLoss) -> Self {
        Self { budget: Some(budget), ..Self::without_release(place, mechanism) }
    }

    /// The mean without noise, for the data holder.
    pub fn nonprivate(place: Place) -> Self {
        Self::without_release(place, PointMechanism::None)
    }

    fn without_release(place: Place, mechanism: PointMechanism) -> Self {
        Self {
            place,
            mechanism,
            budget: None,
            calibration: Calibration::Analytic,
            draws: 1,
            unusable: Unusable::default(),
            counting: Counting::default(),
            explore: false,
        }
    }

    /// The budget of each draw in the unit of the mechanism.
    ///
    /// # Errors
    /// [`BudgetError::NoBudget`], for the mean without noise.
    pub(super) fn whole_budget(&self) -> Result<Budget, BudgetError> {
        let left = self.budget.ok_or(BudgetError::NoBudget)?;
        Ok(Budget::new(left, self.calibration, self.mechanism.is_pure()))
    }

    /// What makes a run this run, whatever folder it is in.
    pub(super) fn digest(&self) -> String {
        let Self { place: _, mechanism, budget, calibration, draws, unusable, counting, explore: _ } = self;
        format!("{mechanism:?} {budget:?} {calibration:?} {draws} {unusable:?} {:?}", counting.identical)
    }
}

/// What zero means for means in a ball, some of which are no sums: at the centre the gradient, and the tangent vector, of a point is zero.
pub(super) const ZERO_AT_CENTRE: &str = "nothing in the average that a private centre is read off, the distance 0 for a private radius, the centre of the ball for the mean";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_without_a_budget_has_none_to_share_out() {
        let request = PointRequest::nonprivate(Place::new("study"));
        assert!(matches!(request.whole_budget(), Err(BudgetError::NoBudget)));
    }
}
