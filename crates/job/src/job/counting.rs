//! What counts as a person, and what is done about records of two that are alike.

use super::copies::{Copies, Kind, Sketch};
use super::people::{People, PeopleError};
use crate::io::numbers_sha256;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
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
    pub fn people(&self, n: usize, names: &dyn Fn(usize) -> Vec<String>) -> Result<People, PeopleError> {
        match &self.people {
            None => Ok(People::one_each_of(n)),
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
        names: &dyn Fn(usize) -> Vec<String>,
    ) -> Result<People, PeopleError> {
        match &self.people {
            Some(Whose::Folders) => {
                let folders: Vec<String> = scans.iter().map(|scan| folder_of(scan)).collect();
                let mut sum = Sha256::new();
                folders.iter().for_each(|folder| sum.update(format!("{}:{folder}", folder.len())));
                Ok(People::of(folders.iter().map(String::as_str), sum.finalize().into()))
            }
            Some(Whose::Scans) => Ok(People::one_each_of(scans.len())),
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
        self.refuse_identical(people, records.iter().map(|numbers| numbers.map(numbers_sha256)), &name)?;
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
        Ok(near_notes(&noted, name))
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

/// This many pairs are told of.
const NOTED: usize = 3;

/// What the data holder is told of pairs that are near, but not as near as copies are.
pub fn near_notes(noted: &[(usize, usize)], name: impl Fn(usize) -> String) -> Vec<String> {
    let note = |&(i, j): &(usize, usize)| {
        format!(
            "{} and {} are nearer than two people should be: are they one person's? (--people)",
            name(i),
            name(j)
        )
    };
    noted.iter().take(NOTED).map(note).collect()
}

/// The folder that a scan lies in, as messages show it.
fn folder_of(scan: &Path) -> String {
    let parts: PathBuf = scan.components().filter(|part| *part != Component::CurDir).collect();
    let folder = parts.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    if folder.is_empty() { ".".to_owned() } else { folder }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let people = of(word).people_of_scans(&scans, &|_| Vec::new()).unwrap();
            assert_eq!((people.count(), of(word).counts_persons()), (members, word == "folders"));
            assert_eq!(people.are_apart(0, 1), word == "scans");
            assert!(of(word).people(3, &|_| Vec::new()).is_err());
        }
    }
}
