//! The last answers that took a transform: ledger, charge and certificate ask the same of one release.

use super::super::{BudgetError, Delta};
use super::{EpsilonBound, Leaves};
use std::sync::Mutex;

const KEPT: usize = 16;

type Answer = (Leaves, Delta, EpsilonBound);

static RECENT: Mutex<Vec<Answer>> = Mutex::new(Vec::new());

/// What `compute` says of `leaves` at δ, or what it said before.
pub(super) fn answer(
    leaves: &Leaves,
    delta: Delta,
    compute: impl FnOnce() -> Result<EpsilonBound, BudgetError>,
) -> Result<EpsilonBound, BudgetError> {
    let known = |answers: &Vec<Answer>| {
        answers.iter().find(|(l, d, _)| d == &delta && l == leaves).map(|(_, _, bound)| *bound)
    };
    if let Some(bound) = RECENT.lock().ok().and_then(|answers| known(&answers)) {
        return Ok(bound);
    }
    let bound = compute()?;
    if let Ok(mut answers) = RECENT.lock() {
        answers.truncate(KEPT - 1);
        answers.insert(0, (leaves.clone(), delta, bound));
    }
    Ok(bound)
}
