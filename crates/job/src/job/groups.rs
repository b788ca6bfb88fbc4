//! Which record is in which group: public labels, read from a table.

use super::People;
use super::labelled::{FROM_ONE, Mismatch, Mistake, line_of_each};
use super::people::others;
use crate::io::{Label, Place, ReadError, RecordError, read_groups};
use crate::mechanism::MechanismError;
use crate::mechanism::vector::GroupLabels;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A label is at most as long: it becomes part of file names.
const LONGEST: usize = 60;

/// The groups of a study, in the order of their labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    names: Vec<String>,
    labels: GroupLabels,
}

impl Groups {
    /// Reads the table `record,group` for n records that are these people's; `names` are all names of a record.
    ///
    /// # Errors
    /// [`GroupsError`]; nothing has been charged then.
    pub fn read(
        file: &Path,
        people: &People,
        n: usize,
        names: &dyn Fn(usize) -> Vec<String>,
    ) -> Result<Self, GroupsError> {
        let (labels, of) = labels_of_people(file, people, n, names)?;
        let whole = |fault| GroupsError::Table { file: file.to_owned(), about: String::new(), fault };
        if let [label] = &labels[..] {
            return Err(whole(GroupFault::One { label: label.clone() }));
        }
        let alone = |group: &usize| of.iter().filter(|g| *g == group).count() < 2;
        if let Some(small) = (0..labels.len()).find(alone) {
            return Err(whole(GroupFault::Alone { label: labels[small].clone() }));
        }
        Ok(Self { names: labels, labels: GroupLabels::new(of)? })
    }

    /// Groups of which no more is known than how many people are in each, in the order of their labels.
    ///
    /// # Errors
    /// [`MechanismError`] for groups of fewer than two.
    pub fn of_sizes(names: Vec<String>, sizes: &[u64]) -> Result<Self, MechanismError> {
        Ok(Self { names, labels: GroupLabels::of_sizes(sizes)? })
    }

    /// Groups of a release of sums: which record is in which is not known here ([`GroupLabels::of_sums`]).
    ///
    /// # Errors
    /// [`MechanismError`] for groups of fewer than two.
    pub fn of_sums(names: Vec<String>, sizes: Vec<u64>, sha256: String) -> Result<Self, MechanismError> {
        Ok(Self { names, labels: GroupLabels::of_sums(sizes, sha256)? })
    }

    /// Reads the table of people who are a part of those compared: the group of each, by its place among `planned`.
    ///
    /// # Errors
    /// As [`Self::read`]; for a group that was not planned.
    pub fn read_part(
        file: &Path,
        people: &People,
        n: usize,
        names: &dyn Fn(usize) -> Vec<String>,
        planned: &[String],
    ) -> Result<Vec<usize>, GroupsError> {
        let (labels, of) = labels_of_people(file, people, n, names)?;
        let place = |label: &String| {
            planned.iter().position(|name| name == label).ok_or_else(|| GroupsError::Table {
                file: file.to_owned(),
                about: String::new(),
                fault: GroupFault::Unplanned { label: label.clone(), planned: planned.join(", ") },
            })
        };
        let places = labels.iter().map(place).collect::<Result<Vec<_>, _>>()?;
        Ok(of.into_iter().map(|group| places[group]).collect())
    }

    /// The labels of the groups, sorted.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The group of every person.
    pub fn labels(&self) -> &GroupLabels {
        &self.labels
    }

    /// SHA-256 of the partition ([`GroupLabels::sha256`]).
    pub fn sha256(&self) -> String {
        self.labels.sha256()
    }
}

/// The labels of a table, sorted, and the place of that of every person.
fn labels_of_people(
    file: &Path,
    people: &People,
    n: usize,
    names: &dyn Fn(usize) -> Vec<String>,
) -> Result<(Vec<String>, Vec<usize>), GroupsError> {
    let (_, lines) = read_groups(file)?;
    let refused = |place, record: Option<&str>, fault| GroupsError::Table {
        file: file.to_owned(),
        about: record.map(|record| RecordError::label(place, Some(record))).unwrap_or_default(),
        fault,
    };
    let of_line = |line: &Label, fault| refused(Place::Line(line.line), Some(line.record.as_str()), fault);
    let lines = line_of_each(&lines, n, names)
        .map_err(|Mismatch { place, record, what }| refused(place, Some(&record), what.into()))?;
    if let Some(line) = lines.iter().find(|line| !is_label(&line.label)) {
        return Err(of_line(line, GroupFault::Label { label: line.label.clone() }));
    }
    let names: BTreeSet<String> = lines.iter().map(|line| line.label.clone()).collect();
    let names: Vec<String> = names.into_iter().collect();
    let mut of = Vec::with_capacity(people.count());
    for records in people.members() {
        let own: Vec<&Label> = records.iter().filter_map(|&i| lines.get(i).copied()).collect();
        let Some(first) = own.first() else { continue };
        if let Some(other) = own.iter().find(|line| line.label != first.label) {
            let fault = GroupFault::TwoGroups { record: first.record.clone(), label: first.label.clone() };
            return Err(of_line(other, fault));
        }
        of.push(names.binary_search(&first.label).unwrap_or_default());
    }
    Ok((names, of))
}

/// Labels become part of file names and of pages.
pub fn is_label(label: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=LONGEST).contains(&label.len()) && label.chars().all(plain)
}

/// Why it cannot be told which record is in which group. For the data holder, before anything is charged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GroupsError {
    /// The table cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The table does not go with the records, or makes no groups to compare.
    #[error("{}: {about}{fault}", file.display())]
    Table {
        /// The table.
        file: PathBuf,
        /// The line and the record.
        about: String,
        /// What is wrong.
        fault: GroupFault,
    },
    /// The mechanism wants other groups.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
}

/// What is wrong with a table of groups.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupFault {
    /// No such record.
    #[error(
        "is not a record of this study; records are scans by file name or path, rows of arrays by number from 0"
    )]
    Unknown,
    /// Two lines about one record.
    #[error("was put in a group in line {line} already; give every record once")]
    Doubled {
        /// The line before.
        line: usize,
    },
    /// Several records of this name.
    #[error("matches more than one record; give scans by their paths")]
    Ambiguous,
    /// A record without a line.
    #[error("is in no group{}; give every record a line with its group", others(*.more))]
    Missing {
        /// How many others there are.
        more: usize,
    },
    /// Row 0 without a line, while later ones have one.
    #[error("{FROM_ONE}")]
    FromOne,
    /// A label that is no name for a file.
    #[error("{label:?} is not a valid group label; use letters, digits, - and _, at most {LONGEST}")]
    Label {
        /// The label.
        label: String,
    },
    /// A group that a plan does not have.
    #[error("the group {label:?} is not one of those compared: {planned}")]
    Unplanned {
        /// Its label.
        label: String,
        /// Theirs.
        planned: String,
    },
    /// A person in two groups.
    #[error(
        "is in another group than {record:?} ({label}), a record of the same person; a person is in one group"
    )]
    TwoGroups {
        /// The person's first record.
        record: String,
        /// Its group.
        label: String,
    },
    /// One group only.
    #[error("all records are in one group, {label:?}; a comparison needs two")]
    One {
        /// The group.
        label: String,
    },
    /// A group of one.
    #[error(
        "the group {label:?} has one member only, whose face would be the group's mean; every group needs two at least"
    )]
    Alone {
        /// The group.
        label: String,
    },
}

impl From<Mistake> for GroupFault {
    fn from(mistake: Mistake) -> Self {
        match mistake {
            Mistake::Unknown => Self::Unknown,
            Mistake::Doubled(line) => Self::Doubled { line },
            Mistake::Ambiguous => Self::Ambiguous,
            Mistake::Missing(more) => Self::Missing { more },
            Mistake::FromOne => Self::FromOne,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Counting;

    /// Five records in a table, under these people.
    fn groups(lines: &str, people: Option<&str>) -> Result<Groups, String> {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: String| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let people = people.map(|lines| file("people.csv", format!("record,person\n{lines}")));
        let names = |i: usize| vec![i.to_string()];
        let people =
            Counting { people: people.map(Into::into), ..Counting::default() }.people(5, &names).unwrap();
        let table = file("groups.csv", format!("record,group\n{lines}"));
        Groups::read(&table, &people, 5, &names).map_err(|e| e.to_string())
    }

    #[test]
    fn groups_are_those_of_the_people_in_the_order_of_their_labels() {
        let found = groups("0,m\n2,f\n1,f\n4,m\n3,m\n", None).unwrap();
        assert_eq!(found.names(), ["f", "m"]);
        assert_eq!((found.labels().of(), found.labels().sizes()), (&[1, 0, 0, 1, 1][..], &[2, 3][..]));
        let people = "0,ann\n1,bob\n2,bob\n3,cem\n4,dee\n";
        let shared = groups("0,m\n1,f\n2,f\n3,m\n4,f\n", Some(people)).unwrap();
        assert_eq!(shared.labels().of(), [1, 0, 1, 0]);
        assert!(found.sha256() != shared.sha256() && found.sha256().len() == 64);
    }

    #[test]
    fn tables_that_make_no_groups_are_refused() {
        let people = "0,x\n1,y\n2,z\n3,w\n4,x\n";
        for (lines, people, expected) in [
            ("0,a\n1,a\n2,b\n3,b\n", None, "\"4\": is in no group; give"),
            ("0,a\n1,a\n2,b\n3,b\n7,b\n", None, "line 6, \"7\": is not a record"),
            ("0,a\n1,a\n2,b\n3,b\n3,b\n", None, "line 6, \"3\": was put in a group in line 5"),
            ("0,a\n1,a\n2,b c\n3,b\n4,b\n", None, "\"b c\" is not a valid group label"),
            ("0,a\n1,a\n2,a\n3,a\n4,a\n", None, "one group, \"a\""),
            ("0,a\n1,a\n2,a\n3,a\n4,b\n", None, "group \"b\" has one member"),
            ("0,a\n1,b\n2,b\n3,a\n4,b\n", Some(people), "same person"),
        ] {
            let problem = groups(lines, people).unwrap_err();
            assert!(problem.contains("groups.csv: ") && problem.contains(expected), "{problem}");
        }
    }
}
