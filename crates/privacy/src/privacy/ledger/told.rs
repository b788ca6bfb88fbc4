//! What a ledger records, as JSON and in words: one answer for the command, Python and the viewer.

use super::super::{BudgetError, Composition, Delta, EpsilonAtDelta, PrivacyLoss};
use super::history::{Ceiling, ChargeOnRecord, LedgerHistory, SumForNeighbours};
use serde_json::{Value, json};
use std::fmt;

/// The δ at which sums are also stated as ε.
const DELTAS: [f64; 3] = [1e-5, 1e-6, 1e-9];

impl LedgerHistory {
    /// All of it. `sums` has one row for each neighbour relation; `total` and `epsilon_at_delta` are there only where there is one relation.
    ///
    /// # Errors
    /// [`BudgetError`] when a sum overflows.
    pub fn to_json(&self) -> Result<Value, BudgetError> {
        let sums = self.sums();
        let only = match &sums[..] {
            [sum] => sum.loss()?.map(|loss| (loss, &sum.total)),
            _ => None,
        };
        Ok(json!({
            "id": self.id(),
            "releases": self.charges.iter().map(charge).collect::<Vec<_>>(),
            "ceilings": self.ceilings.iter().map(ceiling).collect::<Vec<_>>(),
            "partition": self.partition,
            "groups": self.spent_by_group().iter().map(group).collect::<Vec<_>>(),
            "sums": sums.iter().map(row).collect::<Result<Vec<_>, _>>()?,
            "total": only.map(|(loss, _)| loss),
            "epsilon_at_delta": only.map_or_else(|| Ok(Vec::new()), |(_, total)| epsilons(total))?,
        }))
    }
}

impl SumForNeighbours {
    /// The loss, `None` where something on record has no bound for these neighbours.
    ///
    /// # Errors
    /// [`BudgetError`] when a sum overflows.
    pub fn loss(&self) -> Result<Option<PrivacyLoss>, BudgetError> {
        if self.unbounded.is_empty() { self.total.total().map(Some) } else { Ok(None) }
    }

    /// What it comes to, in words: `mu = 1 for one record replaced by any other (releases 1, 2)`.
    pub fn in_words(&self) -> String {
        let neighbours = &self.neighbours;
        match self.loss() {
            Ok(Some(loss)) => format!("{loss} for {neighbours} ({})", these(&self.releases)),
            Ok(None) => format!(
                "no bound for {neighbours}: {} published labels that these neighbours do not keep, counted records where they are persons, or \
                 had noise from a fixed seed",
                these(&self.unbounded)
            ),
            Err(error) => format!("no sum for {neighbours}: {error}"),
        }
    }
}

impl fmt::Display for Ceiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {}", self.loss, self.neighbours)?;
        match self.after {
            0 => Ok(()),
            n => write!(f, " (set after {}: not proved for budgets chosen after looking at these)", many(n)),
        }
    }
}

/// `1 release`, `2 releases`.
fn many(n: usize) -> String {
    format!("{n} release{}", if n == 1 { "" } else { "s" })
}

fn these(releases: &[usize]) -> String {
    let list: Vec<String> = releases.iter().map(usize::to_string).collect();
    format!("release{} {}", if list.len() == 1 { "" } else { "s" }, list.join(", "))
}

/// A total as ε at the usual δ, where there is a bound.
///
/// # Errors
/// None for the usual δ.
fn epsilons(total: &Composition) -> Result<Vec<EpsilonAtDelta>, BudgetError> {
    let mut rows = Vec::new();
    for delta in DELTAS {
        let delta = Delta::new(delta)?;
        if let Ok(bound) = total.epsilon_at(delta) {
            rows.push(EpsilonAtDelta { delta, epsilon: bound.epsilon });
        }
    }
    Ok(rows)
}

/// The loss is null where there is no bound.
fn row(sum: &SumForNeighbours) -> Result<Value, BudgetError> {
    let loss = sum.loss()?;
    let rows = if loss.is_some() { epsilons(&sum.total)? } else { Vec::new() };
    Ok(json!({
        "neighbours": sum.neighbours.adjacency(),
        "partitions": sum.neighbours.partitions(),
        "loss": loss,
        "epsilon_at_delta": rows,
        "releases": sum.releases,
        "no_bound_by": sum.unbounded,
    }))
}

/// A ceiling: its loss, whom it protects, and how many releases stood before it.
fn ceiling(ceiling: &Ceiling) -> Value {
    let mut value = json!(ceiling.loss);
    if let Some(object) = value.as_object_mut() {
        object.insert("neighbours".into(), json!(ceiling.neighbours.adjacency()));
        object.insert("partitions".into(), json!(ceiling.neighbours.partitions()));
        object.insert("set_after".into(), json!(ceiling.after));
    }
    value
}

/// A charge with its place in the file, and the result and the certificates it was used for where these are on record.
fn charge(charge: &ChargeOnRecord) -> Value {
    json!({
        "unix_time": charge.unix_time,
        "line": charge.receipt.as_ref().map(|receipt| receipt.line),
        "part": charge.part,
        "neighbours": charge.part.neighbours().adjacency(),
        "seeded": charge.part.is_seeded(),
        "redeemed": charge.redeemed,
        "redeemed_parts": charge.redeemed_parts,
        "certificates": charge.published,
    })
}

/// What the members of a group bear in all; null for nothing, and for what has no sum.
fn group((label, spent): &(String, Composition)) -> Value {
    let total = if spent.is_empty() { None } else { spent.total().ok() };
    json!({"label": label, "total": total})
}
