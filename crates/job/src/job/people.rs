//! Who gave which records: n counts persons, and records that are alike to the last bit are not taken for two.

use super::copies::{Copies, Kind, Sketch};
use super::labelled::{FROM_ONE, Mismatch, Mistake, line_of_each};
use crate::io::{ReadError, RecordError, read_people};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

/// What counts as a person; all of it public but the content of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counting {
    /// Whose records are whose. Where nothing is told every record is a person, unless scans lie in folders that look like persons.
    pub people: Option<Whose>,
    /// What is done about records that are alike to the last bit.
    pub identical: Identical,
}

/// Whose records are whose: the average of one person's records is one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whose {
    /// By a table of `record,person`.
    Table(PathBuf),
    /// All scans of one folder are one person's.
    Folders,
    /// Every scan is a person.
    Scans,
}

impl std::fmt::Display for Whose {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Table(table) => table.display().fmt(f),
            Self::Folders => "folders".fmt(f),
            Self::Scans => "scans".fmt(f),
        }
    }
}

impl From<PathBuf> for Whose {
    /// As options have it: the words `folders` and `scans`, or a table.
    fn from(told: PathBuf) -> Self {
        match told.to_str() {
            Some("folders") => Self::Folders,
            Some("scans") => Self::Scans,
            _ => Self::Table(told),
        }
    }
}

/// What is done about records of different persons that are alike to the last bit (files with the same bytes, shapes, matrices or points with the
/// same numbers) or copies by [`Kind::within`]. Nearly always they are one person's.
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
            Some(Whose::Table(file)) => People::read(file, n, names),
            Some(Whose::Folders | Whose::Scans) => Err(PeopleError::NoScans),
        }
    }

    /// The people of these scans, which have such names.
    ///
    /// # Errors
    /// [`PeopleError`].
    pub fn people_of_scans(
        &self,
        scans: &[PathBuf],
        names: impl Fn(usize) -> Vec<String>,
    ) -> Result<People, PeopleError> {
        match &self.people {
            Some(Whose::Folders) => {
                let folders: Vec<String> = scans.iter().map(|scan| folder_of(scan)).collect();
                let mut sum = Sha256::new();
                folders.iter().for_each(|folder| sum.update(format!("{}:{folder}", folder.len())));
                Ok(People::of(folders.iter().map(String::as_str), sum.finalize().into()))
            }
            Some(Whose::Scans) => Ok(People { n: scans.len(), shared: None }),
            _ => self.people(scans.len(), names),
        }
    }

    /// Several folders that hold several scans each look like persons: whoever means one or the other says so.
    ///
    /// # Errors
    /// [`PeopleError::Folders`] where nothing is told: nothing is charged.
    pub fn ask_about_folders<'p>(
        &self,
        scans: impl IntoIterator<Item = &'p PathBuf>,
    ) -> Result<(), PeopleError> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        scans.into_iter().for_each(|scan| *counts.entry(folder_of(scan)).or_default() += 1);
        let mut several = counts.into_iter().filter(|(_, scans)| *scans > 1).map(|(folder, _)| folder);
        match (&self.people, several.next(), several.next()) {
            (None, Some(first), Some(second)) => Err(PeopleError::Folders { first, second }),
            _ => Ok(()),
        }
    }

    /// For the certificate: depends on the options and the kind of records alone.
    pub fn details(&self, kind: Kind) -> Map<String, Value> {
        let mut details = Map::new();
        let identical = match self.identical {
            Identical::Refuse => format!(
                "stop a study before anything is charged, and so do near copies ({}): that this release exists tells that no two persons had such",
                kind.sentence()
            ),
            Identical::Allow => "count as records like any others".to_owned(),
        };
        details.insert("identical_records".into(), json!(identical));
        if self.counts_persons() {
            let people = "n counts persons: the average of a person's records is one record, and neighbours differ in one person with \
                          all their records; how many a person has is not published";
            details.insert("people".into(), json!(people));
        }
        details
    }

    /// Refuses records of different persons that are alike to the last bit; `name` is what messages call a record.
    ///
    /// # Errors
    /// [`PeopleError::Identical`], for the data holder: nothing is charged.
    pub fn refuse_identical(
        &self,
        people: &People,
        sums: impl IntoIterator<Item = Option<[u8; 32]>>,
        name: impl Fn(usize) -> String,
    ) -> Result<(), PeopleError> {
        let found = if self.identical == Identical::Allow { None } else { people.identical(sums) };
        found.map_or(Ok(()), |(first, second)| {
            Err(PeopleError::Identical { first: name(first), second: name(second) })
        })
    }

    /// Refuses records of different persons whose numbers are alike to the last bit, or up to rounding.
    ///
    /// # Errors
    /// [`PeopleError`], for the data holder: nothing is charged.
    pub fn refuse_alike(
        &self,
        people: &People,
        records: &[Option<&[f64]>],
        name: impl Fn(usize) -> String,
    ) -> Result<(), PeopleError> {
        self.refuse_identical(people, records.iter().map(|numbers| numbers.map(sum_of)), &name)?;
        let sketches: Vec<Option<Sketch>> = records.iter().map(|numbers| Sketch::of((*numbers)?)).collect();
        let sketch = |i: usize| Some(Cow::Borrowed(sketches[i].as_ref()?));
        let measure =
            |i: usize, j: usize| sketch(i).zip(sketch(j)).map_or(f64::INFINITY, |(a, b)| a.dist(&b));
        let look = |apart: &(dyn Fn(usize, usize) -> bool + Sync)| {
            Copies::among(Kind::Numbers, usize::MAX, sketches.len(), sketch, Sketch::dist, measure, apart)
        };
        self.refuse_copies(people, &name, look).map(drop)
    }

    /// Refuses copies that `look` finds, which is told what pairs are of different persons. What should be told of all the same, one pair a line.
    ///
    /// # Errors
    /// [`PeopleError::Copies`], for the data holder: nothing is charged.
    pub fn refuse_copies(
        &self,
        people: &People,
        name: impl Fn(usize) -> String,
        look: impl FnOnce(&(dyn Fn(usize, usize) -> bool + Sync)) -> Copies,
    ) -> Result<Vec<String>, PeopleError> {
        if self.identical == Identical::Allow {
            return Ok(Vec::new());
        }
        let Copies { found, noted } = look(&|i, j| people.are_apart(i, j));
        if let Some(&(first, second)) = found.first() {
            return Err(PeopleError::Copies {
                first: name(first),
                second: name(second),
                more: found.len() - 1,
            });
        }
        let note = |&(i, j): &(usize, usize)| {
            format!(
                "{} and {} are nearer than two people should be: are they one person's? (--people)",
                name(i),
                name(j)
            )
        };
        Ok(noted.iter().take(NOTED).map(note).collect())
    }

    /// Whether n counts persons, each with any number of records.
    pub fn counts_persons(&self) -> bool {
        matches!(self.people, Some(Whose::Table(_) | Whose::Folders))
    }

    /// What a record is, for the certificate: a person where a table tells.
    pub fn kind(&self, record: &'static str) -> &'static str {
        if self.counts_persons() { "person" } else { record }
    }
}

/// So many pairs are told of.
const NOTED: usize = 3;

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

    /// Whether two records are different persons'.
    pub fn are_apart(&self, i: usize, j: usize) -> bool {
        self.shared.as_ref().map_or(i != j, |shared| shared.of.get(i) != shared.of.get(j))
    }

    /// Two records of different persons with the same sum, if there are any. One without a sum is like no other.
    pub fn identical(&self, sums: impl IntoIterator<Item = Option<[u8; 32]>>) -> Option<(usize, usize)> {
        let mut seen: HashMap<[u8; 32], usize> = HashMap::new();
        for (i, sum) in sums.into_iter().enumerate() {
            match sum.map(|sum| seen.entry(sum)) {
                Some(Entry::Occupied(first)) if self.are_apart(*first.get(), i) => {
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
        Ok(Self::of(lines.iter().map(|line| line.label.as_str()), opened.sha256()))
    }

    /// By the label of each record's person.
    fn of<'l>(labels: impl Iterator<Item = &'l str>, table: [u8; 32]) -> Self {
        let mut persons: HashMap<&str, usize> = HashMap::new();
        let next = |label| {
            let next = persons.len();
            *persons.entry(label).or_insert(next)
        };
        let of: Vec<usize> = labels.map(next).collect();
        let mut members = vec![Vec::new(); persons.len()];
        of.iter().enumerate().for_each(|(record, &person)| members[person].push(record));
        Self { n: members.len(), shared: Some(Shared { members, of, table }) }
    }
}

/// The folder that a scan lies in, as messages show it.
fn folder_of(scan: &Path) -> String {
    let parts: PathBuf = scan.components().filter(|part| *part != Component::CurDir).collect();
    let folder = parts.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    if folder.is_empty() { ".".to_owned() } else { folder }
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
    /// Folders that look like persons.
    #[error(
        "{first} and {second} hold several scans each: if each folder is one person, give --people folders; if each scan is a person, --people \
         scans; otherwise a table, --people FILE.csv"
    )]
    Folders {
        /// One of them.
        first: String,
        /// Another.
        second: String,
    },
    /// Words that are about scans.
    #[error("--people folders and --people scans are about files of scans; give a table of record,person")]
    NoScans,
    /// Persons in a manifest and in a table of their own.
    #[error("the manifest has a column person, and --people {people} gives persons too; use one of them")]
    Twice {
        /// The table, or the word.
        people: Whose,
    },
    /// Two persons' records are copies of one another.
    #[error(
        "{first} and {second} are nearer than any two people: one record converted, moved, turned, in other units or simplified{}; one person counted \
         twice has twice the loss; remove one, give --people with both as one person's, or --allow-identical if they are two people's",
        pairs_more(*.more)
    )]
    Copies {
        /// One of them.
        first: String,
        /// The other.
        second: String,
        /// How many such pairs there are beside.
        more: usize,
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

/// How many other pairs there are.
fn pairs_more(more: usize) -> String {
    match more {
        0 => String::new(),
        1 => " (and so is 1 other pair)".to_owned(),
        more => format!(" (and so are {more} other pairs)"),
    }
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
        let counting = Counting { people: Some(file.into()), ..Counting::default() };
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
    fn folders_that_look_like_persons_are_asked_about() {
        let scans = ["a/1.ply", "a/2.ply", "./b/1.ply", "b/2.ply", "3.ply"].map(PathBuf::from);
        let of = |word: &str| Counting { people: Some(PathBuf::from(word).into()), ..Counting::default() };
        let asked = Counting::default().ask_about_folders(&scans).unwrap_err().to_string();
        assert!(asked.contains("a and b hold several") && asked.contains("--people folders"), "{asked}");
        for fine in [&scans[..3], &scans[1..3], &scans[4..]] {
            Counting::default().ask_about_folders(fine).unwrap();
        }
        for (word, members) in [("folders", 3), ("scans", 5)] {
            of(word).ask_about_folders(&scans).unwrap();
            let people = of(word).people_of_scans(&scans, |_| Vec::new()).unwrap();
            assert_eq!((people.count(), of(word).counts_persons()), (members, word == "folders"));
            assert_eq!(people.are_apart(0, 1), word == "scans");
            assert!(of(word).people(3, |_| Vec::new()).is_err());
        }
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
