//! Who gave which records: n counts persons, and records that are alike to the last bit are not taken for two.

use super::labelled::{FROM_ONE, Mismatch, Mistake, line_of_each};
use crate::io::{ReadError, RecordError, read_people};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

/// What counts as a person; all of it public but the content of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counting {
    /// A table of `record,person`: the average of one person's records is one record. Without it every record is a person.
    pub people: Option<PathBuf>,
    /// What is done about records that are alike to the last bit.
    pub identical: Identical,
}

/// What is done about records of different persons that are alike to the last bit: files with the same bytes, shapes, matrices or
/// points with the same numbers. Nearly always they are one person's, copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Identical {
    /// The study stops and names two, before anything is charged.
    #[default]
    Refuse,
    /// They are records like any others.
    Allow,
}

impl Counting {
    /// The people of n records; `names` are all names of one, of which messages show the first.
    ///
    /// # Errors
    /// [`PeopleError`].
    pub fn people(&self, n: usize, names: impl Fn(usize) -> Vec<String>) -> Result<People, PeopleError> {
        match &self.people {
            None => Ok(People { n, shared: None }),
            Some(file) => People::read(file, n, names),
        }
    }

    /// For the certificate: depends on the options alone.
    pub fn details(&self) -> Map<String, Value> {
        let mut details = Map::new();
        let identical = match self.identical {
            Identical::Refuse => {
                "stop a study before anything is charged: that this release exists tells that no two persons had the same"
            }
            Identical::Allow => "count as records like any others",
        };
        details.insert("identical_records".into(), json!(identical));
        if self.people.is_some() {
            let people = "n counts persons: the average of a person's records is one record, and neighbours differ in one person with \
                          all their records; how many a person has is not published";
            details.insert("people".into(), json!(people));
        }
        details
    }

    /// Whether n counts persons, each with any number of records.
    pub fn counts_persons(&self) -> bool {
        self.people.is_some()
    }

    /// What a record is, for the certificate: a person where a table tells.
    pub fn kind(&self, record: &'static str) -> &'static str {
        if self.people.is_some() { "person" } else { record }
    }
}

/// SHA-256 of a record's numbers, bit by bit: what copies have in common.
pub fn sum_of(numbers: &[f64]) -> [u8; 32] {
    let mut hash = Sha256::new();
    numbers.iter().for_each(|x| hash.update(x.to_bits().to_le_bytes()));
    hash.finalize().into()
}

/// One person's vectors of numbers as one; none where the sums are beyond all numbers.
#[doc(hidden)]
pub fn average(own: &[Vec<f64>]) -> Option<Vec<f64>> {
    let mut sum = own.first()?.clone();
    for other in &own[1..] {
        sum.iter_mut().zip(other).for_each(|(s, x)| *s += x);
    }
    let count = own.len() as f64;
    Some(sum.into_iter().map(|s| s / count).collect())
        .filter(|mean: &Vec<f64>| mean.iter().all(|x| x.is_finite()))
}

/// Who gave which records.
#[derive(Debug, Clone)]
pub struct People {
    n: usize,
    /// `None` where every record is a person.
    shared: Option<Shared>,
}

/// Records that may be one person's.
#[derive(Debug, Clone)]
struct Shared {
    /// The records of each person, in the order of the records.
    members: Vec<Vec<usize>>,
    /// The person of each record.
    of: Vec<usize>,
    /// SHA-256 of the table.
    table: [u8; 32],
}

impl People {
    /// How many persons there are: n.
    pub fn count(&self) -> usize {
        self.n
    }

    /// SHA-256 of the table, where there is one.
    pub fn table(&self) -> Option<[u8; 32]> {
        self.shared.as_ref().map(|shared| shared.table)
    }

    /// The records of each person.
    pub fn members(&self) -> Vec<Vec<usize>> {
        match &self.shared {
            Some(shared) => shared.members.clone(),
            None => (0..self.n).map(|i| vec![i]).collect(),
        }
    }

    /// One record for each person: their only one, or what `average` makes of those of them that can be used. A person without any has
    /// none, and counts.
    ///
    /// # Errors
    /// Those of `average`, which is told the place of the person's first record.
    pub fn one_each<R, E>(
        &self,
        mut records: Vec<Option<R>>,
        mut average: impl FnMut(usize, Vec<R>) -> Result<Option<R>, E>,
    ) -> Result<Vec<Option<R>>, E> {
        let Some(shared) = &self.shared else { return Ok(records) };
        let one = |own: &Vec<usize>| {
            let mut usable: Vec<R> = own.iter().filter_map(|&i| records.get_mut(i)?.take()).collect();
            match usable.len() {
                0 | 1 => Ok(usable.pop()),
                _ => average(own.first().copied().unwrap_or(0), usable),
            }
        };
        shared.members.iter().map(one).collect()
    }

    /// Two records of different persons with the same sum, if there are any. One without a sum is like no other.
    pub fn identical(&self, sums: impl IntoIterator<Item = Option<[u8; 32]>>) -> Option<(usize, usize)> {
        let person = |i: usize| self.shared.as_ref().map_or(Some(i), |shared| shared.of.get(i).copied());
        let mut seen: HashMap<[u8; 32], usize> = HashMap::new();
        for (i, sum) in sums.into_iter().enumerate() {
            match sum.map(|sum| seen.entry(sum)) {
                Some(Entry::Occupied(first)) if person(*first.get()) != person(i) => {
                    return Some((*first.get(), i));
                }
                Some(Entry::Vacant(place)) => {
                    place.insert(i);
                }
                _ => {}
            }
        }
        None
    }

    fn read(file: &Path, n: usize, names: impl Fn(usize) -> Vec<String>) -> Result<Self, PeopleError> {
        let (opened, lines) = read_people(file)?;
        let lines = line_of_each(&lines, n, names).map_err(|Mismatch { place, record, what }| {
            let about = RecordError::label(place, Some(&record));
            PeopleError::Table { file: file.to_owned(), about, fault: what.into() }
        })?;
        let mut persons: HashMap<&str, usize> = HashMap::new();
        let mut of = Vec::with_capacity(n);
        for line in lines {
            let next = persons.len();
            of.push(*persons.entry(line.label.as_str()).or_insert(next));
        }
        let mut members = vec![Vec::new(); persons.len()];
        of.iter().enumerate().for_each(|(record, &person)| members[person].push(record));
        Ok(Self { n: members.len(), shared: Some(Shared { members, of, table: opened.sha256() }) })
    }
}

/// Why it cannot be told who gave which records. For the data holder, before anything is charged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeopleError {
    /// The table cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The table does not go with the records.
    #[error("{}: {about}{fault}", file.display())]
    Table {
        /// The table.
        file: PathBuf,
        /// The line and the record.
        about: String,
        /// What is wrong.
        fault: PeopleFault,
    },
    /// Persons in a manifest and in a table of their own.
    #[error("the manifest has a column person, and {} gives persons too; use one of them", people.display())]
    Twice {
        /// The table.
        people: PathBuf,
    },
    /// Two persons' records are alike to the last bit.
    #[error(
        "{first} and {second} are identical to the last bit: one person counted twice has twice the loss; remove one, give --people \
         with both as one person's, or --allow-identical if they are two people's"
    )]
    Identical {
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
}

/// What is wrong with a table of people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PeopleFault {
    /// No such record.
    #[error(
        "is not a record of this study; records are scans by file name or path, shapes by ID, rows of tables and arrays by number from 0"
    )]
    Unknown,
    /// Two lines about one record.
    #[error("was given to a person in line {line} already; give every record once")]
    Doubled {
        /// The line before.
        line: usize,
    },
    /// Several records of this name.
    #[error("matches more than one record; give scans by their paths, and shapes an ID of their own")]
    Ambiguous,
    /// A record without a line.
    #[error("has no person{}; give every record a line with its person", others_without(*.more))]
    Nobody {
        /// How many others there are.
        more: usize,
    },
    /// Row 0 without a line, while later ones have one.
    #[error("{FROM_ONE}")]
    FromOne,
}

impl From<Mistake> for PeopleFault {
    fn from(mistake: Mistake) -> Self {
        match mistake {
            Mistake::Unknown => Self::Unknown,
            Mistake::Doubled(line) => Self::Doubled { line },
            Mistake::Ambiguous => Self::Ambiguous,
            Mistake::Missing(more) => Self::Nobody { more },
            Mistake::FromOne => Self::FromOne,
        }
    }
}

#[doc(hidden)]
pub fn others(more: usize) -> String {
    if more == 0 { String::new() } else { format!(", and so are {more} more") }
}

/// How many other records have no person.
fn others_without(more: usize) -> String {
    match more {
        0 => String::new(),
        1 => ", and 1 more has none".to_owned(),
        more => format!(", and {more} more have none"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(text: &str, names: &[&[&str]]) -> Result<People, String> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("people.csv");
        std::fs::write(&file, format!("record,person\n{text}")).unwrap();
        let counting = Counting { people: Some(file), ..Counting::default() };
        let own = |i: usize| names[i].iter().map(|&name| name.to_owned()).collect();
        counting.people(names.len(), own).map_err(|e| e.to_string())
    }

    const SCANS: [&[&str]; 3] = [&["x/a.ply", "a.ply"], &["y/a.ply", "a.ply"], &["b.ply", "b.ply"]];

    #[test]
    fn a_persons_vectors_are_averaged() {
        assert_eq!(average(&[vec![1.0, 2.0], vec![3.0, 6.0]]), Some(vec![2.0, 4.0]));
        assert_eq!(average(&[vec![f64::MAX], vec![f64::MAX]]), None);
        assert_eq!(average(&[]), None);
    }

    #[test]
    fn records_of_a_person_become_one() {
        let found = people("b.ply,ann\ny/a.ply,bob\nx/a.ply,ann\n", &SCANS).unwrap();
        assert_eq!((found.count(), found.members()), (2, vec![vec![0, 2], vec![1]]));
        let sum = |at, own: Vec<f64>| Ok::<_, ()>(Some(10.0 * at as f64 + own.iter().sum::<f64>()));
        assert_eq!(
            found.one_each(vec![Some(1.0), Some(5.0), Some(2.0)], sum),
            Ok(vec![Some(3.0), Some(5.0)])
        );
        assert_eq!(found.one_each(vec![None, None, Some(2.0)], sum), Ok(vec![Some(2.0), None]));
        // Alike are records of two persons only.
        let [a, b] = [Some([1; 32]), Some([2; 32])];
        assert_eq!(found.identical([a, b, a]), None);
        assert_eq!(found.identical([a, b, b]), Some((1, 2)));
        assert_eq!(found.identical([None, b, None]), None);
    }

    #[test]
    fn every_record_is_somebodys_once() {
        for (text, expected) in [
            ("b.ply,ann\na.ply,bob\nx/a.ply,bob\n", "line 3, \"a.ply\": matches more than one record"),
            ("b.ply,ann\nc.ply,bob\nx/a.ply,bob\n", "line 3, \"c.ply\": is not a record of this study"),
            ("b.ply,ann\nb.ply,ann\nx/a.ply,bob\n", "line 3, \"b.ply\": was given to a person in line 2"),
            ("b.ply,ann\n", "\"x/a.ply\": has no person, and 1 more has none"),
            ("b.ply,ann\nx/a.ply,ann\n", "\"y/a.ply\": has no person; give"),
        ] {
            let problem = people(text, &SCANS).unwrap_err();
            assert!(problem.contains(&format!("people.csv: {expected}")), "{problem}");
        }
    }
}
