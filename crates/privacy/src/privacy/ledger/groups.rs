//! Charges for groups ([`Partition`] says when they compose in parallel).

use super::super::{BudgetError, Composition, Cost, Group, GroupCost, Part, Partition, PartitionError};
use super::{Announced, Ledger, LedgerError};
use crate::privacy::Charge;

/// A release of which some entries concern everyone and others one group each, with the partition that the groups
/// belong to: there is no charging a group without it.
///
/// ```
/// use visard_privacy::privacy::{Cost, GroupedPart, Ledger, Mu, Partition, PrivacyLoss};
/// let people = Partition::of([("ann.ply", "F"), ("bob.ply", "M"), ("eve.ply", "F")])?;
/// let loss = |mu| Mu::new(mu).map(|mu| Cost::Loss(PrivacyLoss::Gaussian(mu)));
/// let mut means = GroupedPart::new("mean of each group", people);
/// means.everyone("private radius", 1, loss(0.6)?);
/// means.group("F", "mean", 1, loss(0.8)?)?;
/// means.group("M", "mean", 1, loss(0.8)?)?;
/// let mut ledger = Ledger::in_memory(None);
/// let paid = ledger.charge_groups(&means)?;
/// // 0.6 and one mean: nobody is in two groups.
/// assert!(matches!(paid.loss(), PrivacyLoss::Gaussian(mu) if (mu.get() - 1.0).abs() < 1e-12));
/// let parts = paid.split_parts()?;
/// assert_eq!(parts[1].group().map(|group| group.label()), Some("F"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GroupedPart {
    mechanism: String,
    partition: Partition,
    entries: Vec<(Option<String>, Part)>,
}

impl GroupedPart {
    /// A release of which nothing is said yet.
    pub fn new(mechanism: impl Into<String>, partition: Partition) -> Self {
        Self { mechanism: mechanism.into(), partition, entries: Vec::new() }
    }

    /// Adds an entry that everyone bears.
    pub fn everyone(&mut self, mechanism: impl Into<String>, times: u32, cost: Cost) -> &mut Self {
        self.entries.push((None, Part { mechanism: mechanism.into(), times, cost }));
        self
    }

    /// Adds an entry that only the members of the group called `label` bear, because only their records are read.
    ///
    /// # Errors
    /// [`PartitionError::Unknown`].
    pub fn group(
        &mut self,
        label: &str,
        mechanism: impl Into<String>,
        times: u32,
        cost: Cost,
    ) -> Result<&mut Self, PartitionError> {
        let label = Some(self.partition.known(label)?.to_owned());
        self.entries.push((label, Part { mechanism: mechanism.into(), times, cost }));
        Ok(self)
    }

    /// The partition.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// As one entry: with the groups of the partition registered in the ledger of this id, or, without one, borne by
    /// everyone.
    fn part(&self, ledger: Option<&str>) -> Result<Part, BudgetError> {
        let mut all = Composition::new();
        for (label, part) in &self.entries {
            let cost = match (label, ledger) {
                (Some(label), Some(id)) => {
                    Cost::Group(GroupCost::new(Group::new(id, label), part.cost.clone())?)
                }
                _ => part.cost.clone(),
            };
            all.push(part.mechanism.clone(), part.times, cost);
        }
        Ok(Part { mechanism: self.mechanism.clone(), times: 1, cost: Cost::Parts(all) })
    }
}

impl Ledger {
    /// The partition whose groups compose in parallel here, if one has been registered.
    pub fn partition(&self) -> Option<&Partition> {
        self.history.partition.as_ref()
    }

    /// The entry that [`Self::charge_groups`] would record, to be quoted, checked, or stated in a certificate: with its
    /// groups where the ledger's partition is this one or there is none yet. Where it is another one, who is in two
    /// groups is not known, and everyone bears everything: it adds up.
    ///
    /// # Errors
    /// [`LedgerError::GroupWithoutPartition`] when an entry names groups of its own, or of another ledger.
    pub fn as_recorded(&self, release: &GroupedPart) -> Result<Part, LedgerError> {
        if release.entries.iter().any(|(_, part)| part.cost.names_groups()) {
            return Err(LedgerError::GroupWithoutPartition);
        }
        let in_parallel = self.partition().is_none_or(|registered| *registered == release.partition);
        let part = release.part(in_parallel.then_some(self.history.id()))?;
        // Who is in which group is public: nobody is protected from its being known.
        Ok(part.with_terms(release.partition.neighbours(), false))
    }

    /// Records a release from groups in one line, and registers its partition if it is the ledger's first. Divide the
    /// proof with [`Charge::split_parts`], one for each entry.
    ///
    /// # Errors
    /// As [`Self::charge`] and [`Self::as_recorded`].
    pub fn charge_groups(&mut self, release: &GroupedPart) -> Result<Charge, LedgerError> {
        self.announce_groups(release)?.pay()
    }

    /// As [`Self::charge_groups`], in two steps ([`Self::announce`]).
    ///
    /// # Errors
    /// As [`Self::charge_groups`].
    pub fn announce_groups(&mut self, release: &GroupedPart) -> Result<Announced<'_>, LedgerError> {
        let part = self.as_recorded(release)?;
        let first = self.partition().is_none() && part.cost.names_groups();
        self.draft(part, first.then(|| release.partition.clone()))
    }
}
