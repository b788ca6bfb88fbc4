//! What a ledger records, as JSON and in words: one answer for the command, Python and the viewer.

use super::super::{
    Adjacency, BudgetError, Composition, Delta, EpsilonAtDelta, Part, Partition, PrivacyLoss,
};
use super::history::{Ceiling, ChargeOnRecord, LedgerHistory, SumForNeighbours};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The δ at which sums are also stated as ε.
const DELTAS: [f64; 3] = [1e-5, 1e-6, 1e-9];

/// What a ledger records.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct LedgerAnswer {
    /// Its id.
    pub id: String,
    /// The charges, oldest first.
    pub releases: Vec<ChargeAnswer>,
    /// The limits, all of which hold.
    pub ceilings: Vec<CeilingAnswer>,
    /// The groups that charges may name.
    pub partition: Option<Partition>,
    /// What the members of each group bear in all.
    pub groups: Vec<GroupAnswer>,
    /// What is spent, a row for each neighbour relation.
    pub sums: Vec<SumAnswer>,
    /// What is spent where there is one relation only.
    pub total: Option<PrivacyLoss>,
    /// The same as ε at the usual δ.
    pub epsilon_at_delta: Vec<EpsilonAtDelta>,
}

/// A charge with its place in the file, and the result and the certificates it was used for where these are on record.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ChargeAnswer {
    /// When, in seconds since 1970; null if its line was torn.
    pub unix_time: Option<u64>,
    /// The number of its line.
    pub line: Option<u64>,
    /// What was charged.
    pub part: Part,
    /// The neighbours that its loss is stated for.
    pub neighbours: Adjacency,
    /// Whether its noise came from a fixed seed.
    pub seeded: bool,
    /// The SHA-256 of the result that was drawn.
    pub redeemed: Option<String>,
    /// Of draws that are redeemed one by one, by their number.
    pub redeemed_parts: BTreeMap<u32, String>,
    /// The SHA-256 of the certificates of its releases.
    pub certificates: Vec<String>,
}

/// A limit: its loss, whom it protects, and how many releases stood before it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct CeilingAnswer {
    /// The limit, in one unit.
    #[serde(flatten)]
    pub loss: PrivacyLoss,
    /// The neighbours that it is stated for.
    pub neighbours: Adjacency,
    /// The partitions whose labels they keep.
    pub partitions: BTreeSet<String>,
    /// How many charges stood before it.
    pub set_after: usize,
}

/// What the members of a group bear in all.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct GroupAnswer {
    /// The group's label.
    pub label: String,
    /// Null for nothing, and for what has no sum.
    pub total: Option<PrivacyLoss>,
}

/// What is spent for one neighbour relation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct SumAnswer {
    /// The relation.
    pub neighbours: Adjacency,
    /// The partitions whose labels it keeps.
    pub partitions: BTreeSet<String>,
    /// Null where something has no bound.
    pub loss: Option<PrivacyLoss>,
    /// The loss as ε at the usual δ.
    pub epsilon_at_delta: Vec<EpsilonAtDelta>,
    /// The releases with a bound, counted from 1.
    pub releases: Vec<usize>,
    /// Those without.
    pub no_bound_by: Vec<usize>,
}

impl LedgerHistory {
    /// All of it. `sums` has one row for each neighbour relation; `total` and `epsilon_at_delta` are there only where there is one relation.
    ///
    /// # Errors
    /// [`BudgetError`] when a sum overflows.
    pub fn answer(&self) -> Result<LedgerAnswer, BudgetError> {
        let sums = self.sums();
        let only = match &sums[..] {
            [sum] => sum.loss()?.map(|loss| (loss, &sum.total)),
            _ => None,
        };
        Ok(LedgerAnswer {
            id: self.id().to_owned(),
            releases: self.charges.iter().map(charge).collect(),
            ceilings: self.ceilings.iter().map(ceiling).collect(),
            partition: self.partition.clone(),
            groups: self.spent_by_group().into_iter().map(group).collect(),
            sums: sums.iter().map(row).collect::<Result<_, _>>()?,
            total: only.map(|(loss, _)| loss),
            epsilon_at_delta: only.map_or_else(|| Ok(Vec::new()), |(_, total)| epsilons(total))?,
        })
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

fn row(sum: &SumForNeighbours) -> Result<SumAnswer, BudgetError> {
    let loss = sum.loss()?;
    Ok(SumAnswer {
        neighbours: sum.neighbours.adjacency(),
        partitions: sum.neighbours.partitions().clone(),
        loss,
        epsilon_at_delta: if loss.is_some() { epsilons(&sum.total)? } else { Vec::new() },
        releases: sum.releases.clone(),
        no_bound_by: sum.unbounded.clone(),
    })
}

fn ceiling(ceiling: &Ceiling) -> CeilingAnswer {
    CeilingAnswer {
        loss: ceiling.loss,
        neighbours: ceiling.neighbours.adjacency(),
        partitions: ceiling.neighbours.partitions().clone(),
        set_after: ceiling.after,
    }
}

fn charge(charge: &ChargeOnRecord) -> ChargeAnswer {
    ChargeAnswer {
        unix_time: charge.unix_time,
        line: charge.receipt.as_ref().map(|receipt| receipt.line),
        part: charge.part.clone(),
        neighbours: charge.part.neighbours().adjacency(),
        seeded: charge.part.is_seeded(),
        redeemed: charge.redeemed.clone(),
        redeemed_parts: charge.redeemed_parts.clone(),
        certificates: charge.published.clone(),
    }
}

fn group((label, spent): (String, Composition)) -> GroupAnswer {
    let total = if spent.is_empty() { None } else { spent.total().ok() };
    GroupAnswer { label, total }
}
