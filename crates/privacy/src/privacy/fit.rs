//! Whether a composition stays within a stated loss.

use super::compose::Leaves;
use super::{BudgetError, Composition, PrivacyLoss};

/// What decimal budgets may miss their sum by: 0.6² + 0.8² exceeds 1 in doubles. The *stated* totals are rounded up
/// and need no such allowance; only this yes-or-no does.
const ALLOWANCE: f64 = 1e-12;

/// Whether everything in all of `spent` together is within `limit`, by the rule of the limit's unit. A sum that cannot be
/// stated in that unit is not within it.
///
/// # Errors
/// [`BudgetError`] when a sum overflows.
pub(super) fn fits(spent: &[&Composition], limit: PrivacyLoss) -> Result<bool, BudgetError> {
    // Each group by itself: one may fit by another rule than the next.
    for leaves in Composition::people_of(spent)? {
        if !leaves_fit(&leaves, limit)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn leaves_fit(spent: &Leaves, limit: PrivacyLoss) -> Result<bool, BudgetError> {
    let below = |sum: f64, limit: f64| sum <= limit * (1.0 + ALLOWANCE);
    // Nothing lost has no mu and no rho, and fits.
    if spent.nothing_lost() {
        return Ok(true);
    }
    Ok(match limit {
        PrivacyLoss::Pure(limit) => spent.pure_epsilon()?.is_some_and(|sum| below(sum.get(), limit.get())),
        PrivacyLoss::Gaussian(limit) => spent.mu()?.is_some_and(|sum| below(sum.get(), limit.get())),
        PrivacyLoss::ZeroConcentrated(limit) => spent.rho()?.is_some_and(|sum| below(sum.get(), limit.get())),
        PrivacyLoss::Approximate(epsilon, delta) => {
            spent.mu()?.is_some_and(|mu| mu.delta_at(epsilon) <= delta.get())
                || spent.epsilon_at(delta).is_ok_and(|bound| below(bound.epsilon.get(), epsilon.get()))
        }
        PrivacyLoss::NonPrivate => true,
    })
}
