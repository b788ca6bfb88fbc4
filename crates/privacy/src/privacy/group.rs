//! Disjoint groups of people, for parallel composition.
//!
//! What is computed from the records of one group alone costs nobody outside it anything. So if every person is in
//! exactly one group, what all releases together cost a person is what was charged to everyone and to *their* group;
//! the guarantee for all is that of the worst group (parallel composition: McSherry 2009, Theorem 4; for μ-GDP and
//! Rényi curves by the same argument: the releases of other groups do not depend on this person's record, given those
//! before).
//!
//! This rests on three things that the data holder answers for: groups are disjoint ([`Partition::of`] refuses a
//! record named twice), who is in which group is public, or at least not protected (neighbouring datasets differ in
//! one record, never in its group), and a group's releases read the records of that group only.

use super::Neighbours;
use super::digest::{is_sha256_hex, sha256_hex};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why records are not divided into groups.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartitionError {
    /// A record named twice, in one group or in two.
    #[error("the record {0} is named twice; everyone is in exactly one group")]
    Twice(String),
    /// A label that could not be part of a file's name.
    #[error("{0:?} is not a valid group label: use letters, digits, - and _, at most {LONGEST_LABEL}")]
    Label(String),
    /// No groups at all.
    #[error("a partition needs at least one record in a group")]
    Empty,
    /// A label that is not in this partition.
    #[error("there is no group {0:?} in this partition")]
    Unknown(String),
    /// What was read is no partition.
    #[error("a partition is the SHA-256 of its members and a list of groups with different labels")]
    Malformed,
}

/// Labels become parts of file names.
const LONGEST_LABEL: usize = 64;

/// A group's label and how many records are in it; both are public.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct GroupSize {
    /// Letters, digits, `-` and `_`.
    pub label: String,
    /// The number of records, failed ones included; at least 1.
    pub size: u64,
}

/// A division of all records into disjoint groups.
///
/// It keeps the groups' labels and sizes, and of who is in which only a hash, by which the same division is known
/// again: the SHA-256 of the JSON array of all `[record, label]`, sorted by record.
///
/// ```
/// use visard_privacy::privacy::Partition;
/// let people = Partition::of([("ann.ply", "F"), ("bob.ply", "M"), ("eve.ply", "F")])?;
/// assert_eq!(people.groups()[0].size, 2);
/// assert_eq!(people, Partition::of([("eve.ply", "F"), ("ann.ply", "F"), ("bob.ply", "M")])?);
/// assert!(Partition::of([("ann.ply", "F"), ("ann.ply", "M")]).is_err());
/// # Ok::<(), visard_privacy::privacy::PartitionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "RawPartition")]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Partition {
    hash: String,
    groups: Vec<GroupSize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "Partition"))]
struct RawPartition {
    hash: String,
    groups: Vec<GroupSize>,
}

impl Partition {
    /// From all records with the labels of their groups, in any order.
    ///
    /// # Errors
    /// [`PartitionError`]: a record named twice, a bad label, no records.
    pub fn of<R: Into<String>, L: Into<String>>(
        members: impl IntoIterator<Item = (R, L)>,
    ) -> Result<Self, PartitionError> {
        let mut label_of: BTreeMap<String, String> = BTreeMap::new();
        for (record, label) in members {
            let (record, label) = (record.into(), label.into());
            if !is_label(&label) {
                return Err(PartitionError::Label(label));
            }
            if label_of.contains_key(&record) {
                return Err(PartitionError::Twice(record));
            }
            label_of.insert(record, label);
        }
        let mut sizes: BTreeMap<&str, u64> = BTreeMap::new();
        for label in label_of.values() {
            *sizes.entry(label).or_default() += 1;
        }
        let groups: Vec<GroupSize> =
            sizes.into_iter().map(|(label, size)| GroupSize { label: label.to_owned(), size }).collect();
        if groups.is_empty() {
            return Err(PartitionError::Empty);
        }
        let members: Vec<(&String, &String)> = label_of.iter().collect();
        let text = serde_json::to_string(&members).map_err(|_| PartitionError::Malformed)?;
        Ok(Self { hash: sha256_hex(text.as_bytes()), groups })
    }

    /// The SHA-256 of who is in which group.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Who is protected where it is published: one record replaced by another of the same group.
    pub fn neighbours(&self) -> Neighbours {
        Neighbours::default().within(&self.hash)
    }

    /// The groups, by label.
    pub fn groups(&self) -> &[GroupSize] {
        &self.groups
    }

    /// The groups' own label.
    ///
    /// # Errors
    /// [`PartitionError::Unknown`].
    pub(super) fn known(&self, label: &str) -> Result<&str, PartitionError> {
        let found = self.groups.iter().find(|group| group.label == label);
        found.map(|group| group.label.as_str()).ok_or_else(|| PartitionError::Unknown(label.to_owned()))
    }
}

impl TryFrom<RawPartition> for Partition {
    type Error = PartitionError;
    fn try_from(raw: RawPartition) -> Result<Self, PartitionError> {
        let in_order = raw.groups.windows(2).all(|pair| pair[0].label < pair[1].label);
        let valid = raw.groups.iter().all(|group| is_label(&group.label) && group.size > 0);
        if raw.groups.is_empty() || !in_order || !valid || !is_sha256_hex(&raw.hash) {
            return Err(PartitionError::Malformed);
        }
        Ok(Self { hash: raw.hash, groups: raw.groups })
    }
}

fn is_label(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    !text.is_empty() && text.len() <= LONGEST_LABEL && text.bytes().all(allowed)
}

/// One group of the partition registered in a ledger: whom an entry of a composition concerns.
///
/// Only a ledger makes one (and whoever reads a certificate): an entry for a group of a partition that no ledger knows
/// cannot be written.
///
/// ```compile_fail
/// let group = visard_privacy::privacy::Group { ledger: String::new(), label: String::new() };
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Group {
    /// The ledger's id: a ledger has one partition, and groups of two ledgers' partitions may overlap.
    ledger: String,
    #[cfg_attr(feature = "cli", schemars(regex(pattern = "^[A-Za-z0-9_-]{1,64}$")))]
    label: String,
}

impl Group {
    pub(super) fn new(ledger: &str, label: &str) -> Self {
        Self { ledger: ledger.to_owned(), label: label.to_owned() }
    }

    /// The id of the ledger in which the partition is registered.
    pub fn ledger(&self) -> &str {
        &self.ledger
    }

    /// The group's label.
    pub fn label(&self) -> &str {
        &self.label
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_known_by_who_is_in_which_group() {
        let first = Partition::of([("a", "x"), ("b", "y"), ("c", "x")]).unwrap();
        assert_eq!(
            first.groups(),
            [GroupSize { label: "x".into(), size: 2 }, GroupSize { label: "y".into(), size: 1 }]
        );
        // printf '[["a","x"],["b","y"],["c","x"]]' | sha256sum
        assert_eq!(first.hash(), "73a52fee40993c349fbcec06f133961950aaf2ee8db3561e1992eaebbc90314f");
        let other = Partition::of([("a", "x"), ("b", "x"), ("c", "y")]).unwrap();
        assert!(first.groups() == other.groups() && first != other);
    }

    #[test]
    fn what_is_no_partition_is_refused() {
        let of = |members: &[(&str, &str)]| Partition::of(members.iter().copied());
        assert_eq!(of(&[("a", "x"), ("a", "y")]), Err(PartitionError::Twice("a".into())));
        assert_eq!(of(&[("a", "x"), ("a", "x")]), Err(PartitionError::Twice("a".into())));
        assert_eq!(of(&[]), Err(PartitionError::Empty));
        let long = "x".repeat(65);
        for bad in ["", "a b", "é", "../x", "a.b", long.as_str()] {
            assert_eq!(of(&[("a", bad)]), Err(PartitionError::Label(bad.into())));
        }
    }

    #[test]
    fn partitions_survive_json_and_malformed_ones_do_not() {
        let good = Partition::of([("a", "x"), ("b", "y")]).unwrap();
        let text = serde_json::to_string(&good).unwrap();
        assert_eq!(serde_json::from_str::<Partition>(&text).unwrap(), good);
        for (from, to) in [
            ("\"x\"", "\"y\""),
            ("\"x\"", "\"z\""),
            ("\"x\"", "\"\""),
            ("\"size\":1", "\"size\":0"),
            ("\"hash\":\"", "\"hash\":\"0"),
            ("\"size\":1", "\"size\":1,\"more\":1"),
        ] {
            let bad = text.replacen(from, to, 1);
            assert!(bad != text && serde_json::from_str::<Partition>(&bad).is_err(), "{bad}");
        }
    }
}
