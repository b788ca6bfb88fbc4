//! The records of a part, read from the file when they are asked for: memory does not grow with the file.

use super::Part;
use crate::function::FaceCurves;
use crate::io::{ReadError, Records, numbers_sha256};
use crate::mechanism::functional::FunctionRecords;
use crate::study::face::{StudyError, copies, mean_of, prepared_face};
use crate::study::{Counting, Identical, People, Unusable};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// So many persons are read at once.
const BLOCK: usize = 256;
/// So many records stand for a file.
const SAMPLED: usize = 64;

/// The people of a part.
pub(super) struct PartRecords<'a> {
    pub(super) rows: &'a Records<'static>,
    pub(super) own: &'a FaceCurves,
    pub(super) people: &'a People,
    /// The records of each person of the part.
    members: Vec<Vec<usize>>,
    /// Records that cannot be used: they contribute zero in every pass.
    unusable: HashSet<usize>,
}

/// What was found in going through a part: secret.
pub(super) struct Looked {
    /// SHA-256 of what its records are.
    pub(super) digest: [u8; 32],
    /// The sum of the faces that can be used, and how many persons have one.
    pub(super) nonprivate: (Vec<f64>, u64),
    /// The first record that cannot be used, and why.
    pub(super) first: Option<(usize, String)>,
    /// SHA-256 of each record that can be used.
    pub(super) sums: Vec<(usize, [u8; 32])>,
}

/// A record's hash, and its face or what is wrong.
type Seen = (usize, [u8; 32], Result<FaceCurves, String>);

/// What tells one file of records from another of the same form: its shape and some records, spread evenly. Secret.
pub(super) fn print_of(rows: &Records<'_>) -> Result<[u8; 32], ReadError> {
    let n = rows.shape().first().copied().unwrap_or(0);
    let mut hash = Sha256::new();
    rows.shape().iter().for_each(|&axis| hash.update((axis as u64).to_le_bytes()));
    for k in 0..SAMPLED.min(n) {
        let at = (k as u128 * n as u128 / SAMPLED.min(n) as u128) as usize;
        hash.update(numbers_sha256(&rows.record(at)?));
    }
    Ok(hash.finalize().into())
}

impl<'a> PartRecords<'a> {
    /// Goes through the records of these persons once.
    pub(super) fn look(
        (rows, own): (&'a Records<'static>, &'a FaceCurves),
        people: &'a People,
        persons: Range<usize>,
    ) -> Result<(Self, Looked), StudyError> {
        let members: Vec<Vec<usize>> = match people.table() {
            None => persons.map(|person| vec![person]).collect(),
            Some(_) => people.members().into_iter().skip(persons.start).take(persons.len()).collect(),
        };
        let mut records = Self { rows, own, people, members, unusable: HashSet::new() };
        let (mut hash, mut first, mut sums) = (Sha256::new(), None, Vec::new());
        let mut nonprivate = (vec![0.0; own.data().len()], 0);
        for start in (0..records.members.len()).step_by(BLOCK) {
            let end = records.members.len().min(start + BLOCK);
            let block: Result<Vec<Vec<Seen>>, ReadError> =
                (start..end).into_par_iter().map(|person| records.seen(person)).collect();
            for person in block? {
                let mut faces = Vec::new();
                for (row, sum, face) in person {
                    hash.update(sum);
                    match face {
                        Ok(face) => {
                            sums.push((row, sum));
                            faces.push(face);
                        }
                        Err(problem) => {
                            records.unusable.insert(row);
                            first.get_or_insert((row, problem));
                        }
                    }
                }
                if let Some(face) = one_of(faces) {
                    nonprivate.0.iter_mut().zip(face.data()).for_each(|(sum, x)| *sum += x);
                    nonprivate.1 += 1;
                }
            }
        }
        Ok((records, Looked { digest: hash.finalize().into(), nonprivate, first, sums }))
    }

    /// The records of each of its people.
    pub(super) fn members(&self) -> &[Vec<usize>] {
        &self.members
    }

    /// How many records its people have.
    pub(super) fn count_records(&self) -> usize {
        self.members.iter().map(Vec::len).sum()
    }

    /// How many of them cannot be used.
    pub(super) fn failed(&self) -> usize {
        self.unusable.len()
    }

    fn seen(&self, person: usize) -> Result<Vec<Seen>, ReadError> {
        let one = |&row: &usize| {
            let values = self.rows.record(row)?;
            Ok((row, numbers_sha256(&values), prepared_face(values, self.own)))
        };
        self.members[person].iter().map(one).collect()
    }

    /// A record that can be used, as was found out in going through them. One that cannot be read any more was read before: the file is then
    /// another, which the sum's digest tells.
    fn face(&self, row: usize) -> Option<FaceCurves> {
        if self.unusable.contains(&row) {
            return None;
        }
        let values = self.rows.record(row).ok()?;
        FaceCurves::new(self.own.curves(), self.own.samples(), values).ok()
    }

    /// Refuses records of different persons of the part that are alike, or nearer than two persons' are; what should be told all the same.
    pub(super) fn refuse_copies(
        &self,
        counting: &Counting,
        sums: &[(usize, [u8; 32])],
    ) -> Result<Vec<String>, StudyError> {
        if counting.identical == Identical::Allow {
            return Ok(Vec::new());
        }
        let rows: Vec<usize> = self.members.iter().flatten().copied().collect();
        let mut all = vec![None; rows.iter().max().map_or(0, |most| most + 1)];
        sums.iter().for_each(|(row, sum)| all[*row] = Some(*sum));
        counting.refuse_identical(self.people, all, shown)?;
        let look = |apart: &(dyn Fn(usize, usize) -> bool + Sync)| {
            let face = |i: usize| self.face(rows[i]).map(Cow::Owned);
            copies(self.own, rows.len(), face, |i, j| apart(rows[i], rows[j]))
        };
        Ok(counting.refuse_copies(self.people, |i| shown(rows[i]), look)?)
    }

    /// Stops at the first record that cannot be used, where that was asked for.
    pub(super) fn refuse_unusable(
        &self,
        rule: Unusable,
        looked: &Looked,
        part: Part,
    ) -> Result<(), StudyError> {
        match &looked.first {
            Some((row, problem)) if rule == Unusable::Refuse => Err(StudyError::Unusable {
                record: format!("{} of part {part}", shown(*row)),
                problem: problem.clone(),
            }),
            _ => Ok(()),
        }
    }
}

/// What a record is called, counted from 0.
pub(super) fn shown(row: usize) -> String {
    format!("record {row}")
}

/// A person's one face.
fn one_of(mut faces: Vec<FaceCurves>) -> Option<FaceCurves> {
    match faces.len() {
        0 | 1 => faces.pop(),
        _ => mean_of(&faces).ok(),
    }
}

impl FunctionRecords for PartRecords<'_> {
    fn count(&self) -> usize {
        self.members.len()
    }

    fn samples(&self, i: usize) -> Option<Cow<'_, [f64]>> {
        let faces = self.members.get(i)?.iter().filter_map(|&row| self.face(row)).collect();
        Some(Cow::Owned(one_of(faces)?.into_data()))
    }
}
