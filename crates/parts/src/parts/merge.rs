//! The sums of all parts as one: what is missing, doubled or of something else is refused by name.

use super::file::{Found, SumFile};
use super::{Part, PartForm, fault};
use crate::mechanism::PassSum;
use crate::study::PeopleError;
use crate::study::face::StudyError;
use std::path::PathBuf;

/// All parts of one pass, in their order.
pub(super) struct Merged {
    pub(super) parts: Vec<Found>,
}

impl Merged {
    /// Reads them.
    pub(super) fn read(paths: &[PathBuf]) -> Result<Self, StudyError> {
        let read = |path: &PathBuf| Ok(Found { path: path.clone(), file: SumFile::read(path)? });
        let mut parts = paths.iter().map(read).collect::<Result<Vec<Found>, StudyError>>()?;
        let Some(first) = parts.first() else {
            return Err(StudyError::Parts("no sums were given".into()));
        };
        let (of, at) = (part_of(first).of(), first.path.clone());
        for found in &parts {
            let file = &found.file;
            let other = |what: &str| {
                Err(fault(
                    &found.path,
                    format!("{what} differs from that of {}; make both with the same", at.display()),
                ))
            };
            if let Some(what) = first.file.form.difference(&file.form) {
                return other(what);
            }
            if part_of(found).of() != of {
                return other("the number of parts");
            }
            if file.pass != first.file.pass {
                return other("the pass");
            }
            if file.about != first.file.about {
                return other("the round that it is about");
            }
            if file.source != first.file.source {
                return other("the file of records, or a table of people or covariates,");
            }
        }
        parts.sort_by_key(|found| part_of(found).number());
        for pair in parts.windows(2) {
            if part_of(&pair[0]) == part_of(&pair[1]) {
                let [a, b] = [&pair[0].path, &pair[1].path].map(|path| path.display().to_string());
                return Err(StudyError::Parts(format!("{a} and {b} are both of part {}", part_of(&pair[0]))));
            }
        }
        let there = |k: usize| parts.iter().any(|found| part_of(found).number() == k);
        let missing: Vec<String> =
            (1..=of).filter(|k| !there(*k)).map(|k| format!("{k}/{of}")).take(8).collect();
        if !missing.is_empty() {
            let more = if of - parts.len() > missing.len() { " and more" } else { "" };
            return Err(StudyError::Parts(format!("sums are missing: part {}{more}", missing.join(", "))));
        }
        Ok(Self { parts })
    }

    /// What they have in common.
    pub(super) fn form(&self) -> &PartForm {
        &self.first().form
    }

    /// Which pass, from 1.
    pub(super) fn pass(&self) -> usize {
        self.first().pass
    }

    /// What stands for all that was released before.
    pub(super) fn about(&self) -> &str {
        &self.first().about
    }

    fn first(&self) -> &SumFile {
        &self.parts[0].file
    }

    /// What the records of every part are.
    pub(super) fn records(&self) -> Vec<String> {
        let own = |found: &Found| format!("{} {}", found.file.source, found.file.records);
        self.parts.iter().map(own).collect()
    }

    /// How many records cannot be used.
    pub(super) fn failed(&self) -> usize {
        self.parts.iter().map(|found| found.file.failed).sum()
    }

    /// The mean of the faces that can be used, without noise.
    pub(super) fn nonprivate(&self) -> Vec<f64> {
        let mut sum: Vec<f64> = vec![0.0; self.first().nonprivate.0.len()];
        let mut count = 0;
        for Found { file, .. } in &self.parts {
            sum.iter_mut().zip(&file.nonprivate.0).for_each(|(sum, x)| *sum += x);
            count += file.nonprivate.1;
        }
        sum.into_iter().map(|x| x / count as f64).collect()
    }

    /// The sums as one.
    pub(super) fn sum(&self) -> Result<PassSum, StudyError> {
        let mut sum = self.first().sum.clone();
        for Found { path, file } in &self.parts[1..] {
            sum.merge(file.sum.clone()).map_err(|e| fault(path, e))?;
        }
        Ok(sum)
    }

    /// Refuses records of two parts that are equal to the last bit: they are two persons'.
    pub(super) fn refuse_identical(&self) -> Result<(), StudyError> {
        let mut all = Vec::new();
        for found in &self.parts {
            let part = part_of(found);
            all.extend(found.file.hashes().into_iter().map(|(hash, place)| (hash, part.number(), place)));
        }
        all.sort_unstable();
        let mut pairs = all.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1);
        let shown = |&(_, part, place): &([u8; 16], usize, u64)| format!("record {place} of part {part}");
        match pairs.next() {
            Some([a, b]) => Err(PeopleError::Identical { first: shown(a), second: shown(b) }.into()),
            _ => Ok(()),
        }
    }
}

/// Reading has made sure that there is one.
fn part_of(found: &Found) -> Part {
    found.file.part().unwrap_or(Part::WHOLE)
}
