//! Which datasets a loss cannot tell apart.
//!
//! A guarantee is a statement about pairs of neighbouring datasets, and different releases may be stated for different pairs: a mean for any
//! record replaced by any other, a comparison of groups only for a record replaced by one with the same label, because the labels are
//! published. Losses add up over releases only for pairs that all of them cover, so every sum is made for one relation
//! ([`Composition::for_neighbours`](super::Composition::for_neighbours)).
//!
//! A relation is the set of its pairs. It gets smaller with every partition whose labels must be kept, and a record instead of a whole
//! person makes it smaller too: to replace one record of a person is one way of replacing what the person gave. A loss that holds for a
//! relation holds for every smaller one ([`Neighbours::covers`]).

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// Where a certificate says that neighbours are replaced within public groups.
pub const WITHIN_GROUPS: &str = "adjacency_within_groups";
/// What it says there.
pub const WITHIN_GROUPS_TEXT: &str = "which record is in which group is public, and so are the groups' sizes: neighbours differ in one \
                                      record, replaced by another of the same group";

/// What stands for a partition that is not known, of releases of earlier versions.
pub(super) const UNKNOWN_PARTITION: &str = "unknown";

/// The neighbour relation of a release, as certificates name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum Adjacency {
    /// One record is replaced by any other; the number of records n is public.
    ReplaceOne,
    /// One record is replaced by another with the same label; labels and the groups' sizes are public.
    ReplaceOneWithinGroups,
    /// One person, with all their records, is replaced by any other; the number of persons n is public.
    ReplaceOnePerson,
    /// One person, with all their records, is replaced by another with the same label.
    ReplaceOnePersonWithinGroups,
}

impl Adjacency {
    /// Its name in certificates.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReplaceOne => "replace-one",
            Self::ReplaceOneWithinGroups => "replace-one-within-groups",
            Self::ReplaceOnePerson => "replace-one-person",
            Self::ReplaceOnePersonWithinGroups => "replace-one-person-within-groups",
        }
    }

    /// Whether a whole person is replaced.
    pub fn of_persons(self) -> bool {
        matches!(self, Self::ReplaceOnePerson | Self::ReplaceOnePersonWithinGroups)
    }

    /// Whether labels are kept, because they are published.
    pub fn within_groups(self) -> bool {
        matches!(self, Self::ReplaceOneWithinGroups | Self::ReplaceOnePersonWithinGroups)
    }
}

/// Pairs of neighbouring datasets: one record, or one person, replaced by any other that has the same label in every partition named.
///
/// ```
/// use visard_privacy::privacy::Neighbours;
/// let (any, within) = (Neighbours::default(), Neighbours::default().within("sex"));
/// // A mean's loss also holds for a record whose label is kept; a comparison's says nothing about a changed label.
/// assert!(any.covers(&within) && !within.covers(&any));
/// assert_eq!(within.adjacency().name(), "replace-one-within-groups");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Neighbours {
    /// A whole person, with all their records, is replaced.
    #[serde(default, skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "cli", schemars(extend("const" = true)))]
    persons: bool,
    /// The partitions whose labels are kept, by what identifies them: a SHA-256, as a rule.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    #[cfg_attr(feature = "cli", schemars(length(min = 1)))]
    partitions: BTreeSet<String>,
}

fn is_false(x: &bool) -> bool {
    !x
}

impl Neighbours {
    /// The same for whole persons.
    pub fn of_persons(self, persons: bool) -> Self {
        Self { persons, ..self }
    }

    /// The same with the labels of one more partition kept.
    pub fn within(mut self, partition: impl Into<String>) -> Self {
        self.partitions.insert(partition.into());
        self
    }

    /// The partitions whose labels are kept.
    pub fn partitions(&self) -> &BTreeSet<String> {
        &self.partitions
    }

    /// Whether a loss stated for these neighbours also holds for those of `other`, because all of those are among them.
    pub fn covers(&self, other: &Self) -> bool {
        (self.persons || !other.persons) && self.partitions.is_subset(&other.partitions)
    }

    /// The largest relation that both cover.
    pub fn common(&self, other: &Self) -> Self {
        Self {
            persons: self.persons && other.persons,
            partitions: self.partitions.union(&other.partitions).cloned().collect(),
        }
    }

    /// Its name in certificates.
    pub fn adjacency(&self) -> Adjacency {
        match (self.persons, self.partitions.is_empty()) {
            (false, true) => Adjacency::ReplaceOne,
            (false, false) => Adjacency::ReplaceOneWithinGroups,
            (true, true) => Adjacency::ReplaceOnePerson,
            (true, false) => Adjacency::ReplaceOnePersonWithinGroups,
        }
    }
}

/// In words: `one record replaced by any other`.
impl fmt::Display for Neighbours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.persons { "one person with all their records" } else { "one record" };
        let by = match self.partitions.len() {
            0 => "any other",
            1 => "another of the same group",
            _ => "another of the same group in every partition",
        };
        write!(f, "{what} replaced by {by}")?;
        if self.partitions.is_empty() {
            return Ok(());
        }
        let short = |name: &String| name.chars().take(8).collect::<String>();
        let names: Vec<String> = self.partitions.iter().map(short).collect();
        write!(f, " (partition {})", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relation_covers_the_smaller_ones() {
        let any = Neighbours::default();
        let persons = any.clone().of_persons(true);
        let (p, q) = (any.clone().within("p"), any.clone().within("q"));
        let both = p.common(&q);
        for (larger, smaller) in [(&persons, &any), (&any, &p), (&any, &both), (&p, &both), (&q, &both)] {
            assert!(larger.covers(smaller) && !smaller.covers(larger), "{larger} {smaller}");
        }
        assert!(!p.covers(&q) && !q.covers(&p) && p.covers(&p));
        assert_eq!(persons.common(&any), any);
        assert_eq!(both.partitions().len(), 2);
        assert!(!any.covers(&persons), "several records of one person are more than one");
    }

    #[test]
    fn the_plain_relation_is_written_as_nothing() {
        assert_eq!(serde_json::to_string(&Neighbours::default()).unwrap(), "{}");
        let all = Neighbours::default().of_persons(true).within("p");
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(text, r#"{"persons":true,"partitions":["p"]}"#);
        assert_eq!(serde_json::from_str::<Neighbours>(&text).unwrap(), all);
        for adjacency in [
            Adjacency::ReplaceOne,
            Adjacency::ReplaceOneWithinGroups,
            Adjacency::ReplaceOnePerson,
            Adjacency::ReplaceOnePersonWithinGroups,
        ] {
            assert_eq!(serde_json::to_string(&adjacency).unwrap(), format!("{:?}", adjacency.name()));
        }
    }
}
