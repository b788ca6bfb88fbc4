//! Who gave which records: n counts persons.

use super::labelled::{Mismatch, line_of_each};
use crate::io::{RecordError, read_people};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

pub use super::people_error::{PeopleError, PeopleFault, others};

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
    /// What each person is called.
    labels: Vec<String>,
    /// SHA-256 of the table.
    table: [u8; 32],
}

impl People {
    /// A person for each of n records.
    pub(super) fn one_each_of(n: usize) -> Self {
        Self { n, shared: None }
    }

    /// How many persons there are: n.
    pub fn count(&self) -> usize {
        self.n
    }

    /// SHA-256 of the table, where there is one.
    pub fn table(&self) -> Option<[u8; 32]> {
        self.shared.as_ref().map(|shared| shared.table)
    }

    /// What each person is called, where a table or folders tell: secret.
    pub fn labels(&self) -> Option<&[String]> {
        self.shared.as_ref().map(|shared| &shared.labels[..])
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

    pub(super) fn read(
        file: &Path,
        n: usize,
        names: &dyn Fn(usize) -> Vec<String>,
    ) -> Result<Self, PeopleError> {
        let (opened, lines) = read_people(file)?;
        let lines = line_of_each(&lines, n, names).map_err(|Mismatch { place, record, what }| {
            let about = RecordError::label(place, Some(&record));
            PeopleError::Table { file: file.to_owned(), about, fault: what.into() }
        })?;
        Ok(Self::of(lines.iter().map(|line| line.label.as_str()), opened.sha256()))
    }

    /// By the label of each record's person.
    pub(super) fn of<'l>(labels: impl Iterator<Item = &'l str>, table: [u8; 32]) -> Self {
        let mut persons: HashMap<&str, usize> = HashMap::new();
        let mut names = Vec::new();
        let next = |label: &'l str| {
            let next = persons.len();
            *persons.entry(label).or_insert_with(|| {
                names.push(label.to_owned());
                next
            })
        };
        let of: Vec<usize> = labels.map(next).collect();
        let mut members = vec![Vec::new(); names.len()];
        of.iter().enumerate().for_each(|(record, &person)| members[person].push(record));
        Self { n: members.len(), shared: Some(Shared { members, of, labels: names, table }) }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Counting;

    fn people(text: &str, names: &[&[&str]]) -> Result<People, String> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("people.csv");
        std::fs::write(&file, format!("record,person\n{text}")).unwrap();
        let counting = Counting { people: Some(file.into()), ..Counting::default() };
        let own = |i: usize| names[i].iter().map(|&name| name.to_owned()).collect();
        counting.people(names.len(), &own).map_err(|e| e.to_string())
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
