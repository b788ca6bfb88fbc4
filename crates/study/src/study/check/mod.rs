//! What a study of faces would find, before there is one: which files count, what is wrong with which, how long it would take, what it would
//! cost. Everything is read, nothing is charged, nothing is written. For the data holder only: it tells of single records.

mod estimate;
mod look;
mod report;
mod units;

pub use report::{Counted, Failed, Planned, Report, Skipped};
pub use units::Scale;

use super::face::mean::{FaceMechanism, mechanism};
use super::face::record::{RecordMaker, UNUSED};
use super::face::{ClipChoice, FaceInputs, StudyError, copies, load_template};
use super::{Identical, LedgerChoice, StudyFolder, Whose};
use crate::function::FaceCurves;
use crate::io::{Manifest, survey};
use crate::job::JobError;
use crate::job::{PeopleError, near_notes};
use crate::privacy::{Composition, Mechanism, Mu};
use look::{Candidate, Looked};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::time::Instant;
use visard_base::parallel;

/// What is to be looked at; all of it public.
#[derive(Debug, Clone)]
pub struct CheckSettings {
    /// Files, folders or a manifest; how records would be made; what counts as a person.
    pub records: FaceInputs,
    /// Whether folders in folders are looked into; scans below a folder `sub-…` are then one person's.
    pub recursive: bool,
    /// Whether every scan is registered too, not only read: finds what a study would find, and takes as long.
    pub full: bool,
    /// The budget that is planned.
    pub budget: Option<Mu>,
    /// The ledger that would be charged.
    pub ledger: LedgerChoice,
}

/// Looks.
///
/// # Errors
/// [`StudyError`] for what leaves nothing to look at: no manifest where one is named, no template. All else is in the report.
pub fn check(settings: &CheckSettings) -> Result<Report, StudyError> {
    let begun = Instant::now();
    settings.records.check_form()?;
    let loaded = load_template(&settings.records.template)?;
    let maker = RecordMaker::new(&loaded.template, settings.records.making(&loaded.template))?;
    let (candidates, mut report) = candidates(settings)?;
    let looked: Vec<Looked> =
        parallel::map_slice(&candidates, |candidate| look::look(candidate, &maker, settings.full));
    let persons = persons(settings, &candidates).unwrap_or_else(|error| {
        report.refused.push(error.to_string());
        (0..candidates.len()).collect()
    });
    report.n = persons.iter().collect::<HashSet<_>>().len();
    if settings.records.counting.identical == Identical::Refuse {
        let own = loaded.template.own_curves(settings.records.curves, settings.records.samples);
        (report.duplicates, report.notes) =
            duplicates(&looked, &persons, &own.map_err(super::face::TemplateLoadError::from)?);
        report.notes.extend((!settings.full && report.n > 1).then(|| NOT_LOOKED_FOR.to_owned()));
    }
    let unusable = looked.iter().filter(|looked| looked.problem.is_some()).count();
    if unusable > 0 && unusable == looked.len() {
        report.refused.push(format!("none of the {unusable} records can be used"));
    }
    report.units = units::guess(&looked);
    for (candidate, looked) in candidates.iter().zip(&looked) {
        if let Some(problem) = &looked.problem {
            report.failed.push(Failed { file: candidate.file.clone(), problem: problem.clone() });
        }
        if let Some(file) = &looked.unused {
            report.skipped.retain(|skipped| skipped.file != *file);
            report.skipped.push(Skipped { file: file.clone(), why: UNUSED.into() });
        }
        report.people.push(Counted::new(candidate, looked));
    }
    let work = estimate::work(&candidates, &looked, &maker, settings.full);
    report.seconds_per_scan = work.seconds_per_scan;
    report.seconds = work.seconds;
    report.memory_bytes = work.memory_bytes;
    if let Some(mu) = settings.budget {
        let own = loaded.template.own_curves(settings.records.curves, settings.records.samples);
        report.price =
            Some(planned(settings, &own.map_err(super::face::TemplateLoadError::from)?, report.n, mu)?);
    }
    report.looked_seconds = begun.elapsed().as_secs_f64();
    Ok(report)
}

/// The files that would count, and what was passed over.
fn candidates(settings: &CheckSettings) -> Result<(Vec<Candidate>, Report), StudyError> {
    let mut report = Report::default();
    let Some(file) = &settings.records.manifest else {
        let found = survey(&settings.records.inputs, settings.recursive);
        report.skipped = found.skipped.into_iter().map(|(file, why)| Skipped { file, why }).collect();
        report.failed = found.failed.into_iter().map(|(file, problem)| Failed { file, problem }).collect();
        let of = |scan: PathBuf| {
            let person = match settings.records.counting.people {
                Some(Whose::Scans) => None,
                Some(Whose::Folders) => scan.parent().map(|folder| folder.display().to_string()),
                _ => settings.recursive.then(|| look::subject(&scan)).flatten(),
            };
            Candidate { file: scan, person, names: None }
        };
        return Ok((found.scans.into_iter().map(of).collect(), report));
    };
    let manifest = Manifest::read(file)?.within(&settings.records.inputs);
    let of = |(row, scan): (usize, &PathBuf)| Candidate {
        file: scan.clone(),
        person: manifest.value(row, "person").map(str::to_owned),
        names: Some(manifest.names(row).to_vec()),
    };
    report.groups =
        manifest.has("group").then(|| tally((0..manifest.len()).map(|row| manifest.value(row, "group"))));
    let candidates: Vec<Candidate> = manifest.scans().iter().enumerate().map(of).collect();
    report.skipped = unlisted(settings, &candidates);
    Ok((candidates, report))
}

/// Scans in the folders given that the manifest does not list.
fn unlisted(settings: &CheckSettings, candidates: &[Candidate]) -> Vec<Skipped> {
    let real = |path: &PathBuf| std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    let listed: HashSet<_> = candidates.iter().map(|c| real(&c.file)).collect();
    let found = survey(&settings.records.inputs, settings.recursive);
    let others = found.scans.into_iter().filter(|scan| !listed.contains(&real(scan)));
    let others =
        others.map(|file| Skipped { file, why: "is not in the manifest, so it belongs to no person".into() });
    others.chain(found.skipped.into_iter().map(|(file, why)| Skipped { file, why })).collect()
}

fn tally<'a>(labels: impl Iterator<Item = Option<&'a str>>) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    labels.for_each(|label| *counted.entry(label.unwrap_or("(none)").to_owned()).or_default() += 1);
    counted
}

/// The person of every file, by number.
fn persons(settings: &CheckSettings, candidates: &[Candidate]) -> Result<Vec<usize>, PeopleError> {
    let counting = &settings.records.counting;
    let mut of: Vec<usize> = (0..candidates.len()).collect();
    if settings.records.manifest.is_none() {
        counting.ask_about_folders(candidates.iter().filter(|c| c.person.is_none()).map(|c| &c.file))?;
    }
    if counting.counts_persons() {
        let files: Vec<PathBuf> = candidates.iter().map(|candidate| candidate.file.clone()).collect();
        let people = counting.people_of_scans(&files, &|i| look::names(&candidates[i]))?;
        for (person, own) in people.members().into_iter().enumerate() {
            own.into_iter().for_each(|i| of[i] = person);
        }
        return Ok(of);
    }
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (i, candidate) in candidates.iter().enumerate() {
        if let Some(person) = &candidate.person {
            of[i] = *first.entry(person).or_insert(i);
        }
    }
    Ok(of)
}

/// Near copies show once scans are registered.
const NOT_LOOKED_FOR: &str = "files were compared byte for byte: whether two are copies of one scan (converted, moved, in other units) is found by --full, \
     and by the study, which stops at them before anything is charged";

/// Files of different persons with the same bytes, and those whose registered curves are copies of one another; what is told of others that
/// are near.
fn duplicates(looked: &[Looked], persons: &[usize], own: &FaceCurves) -> (Vec<Vec<PathBuf>>, Vec<String>) {
    let apart = |i: usize, j: usize| persons[i] != persons[j];
    let curves = |i: usize| looked[i].curves.as_ref().map(Cow::Borrowed);
    let mut first: Vec<usize> = (0..looked.len()).collect();
    let mut join = |i: usize, j: usize| {
        let (from, to) = (first[i].max(first[j]), first[i].min(first[j]));
        first.iter_mut().filter(|first| **first == from).for_each(|first| *first = to);
    };
    let mut same: HashMap<[u8; 32], usize> = HashMap::new();
    for (i, sum) in looked.iter().enumerate().filter_map(|(i, looked)| Some((i, looked.sum?))) {
        join(*same.entry(sum).or_insert(i), i);
    }
    let near = copies(own, looked.len(), curves, apart);
    near.found.iter().for_each(|&(i, j)| join(i, j));
    let notes = near_notes(&near.noted, |i| looked[i].file.display().to_string());
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    (0..looked.len()).for_each(|i| groups.entry(first[i]).or_default().push(i));
    let groups = groups.into_values().filter(|files| files.iter().any(|&i| apart(i, files[0])));
    (groups.map(|files| files.into_iter().map(|i| looked[i].file.clone()).collect()).collect(), notes)
}

/// What the mean face of so many people would cost, and whether the ledger has room for it.
fn planned(settings: &CheckSettings, own: &FaceCurves, n: usize, mu: Mu) -> Result<Planned, StudyError> {
    let mechanism = mechanism(FaceMechanism::Joint, own, n.max(1) as u64, ClipChoice::Default, mu)?;
    let mechanism = mechanism.ok_or(StudyError::Shape("the mean has a mechanism"))?;
    let price = mechanism.price();
    let after = settings
        .ledger
        .after(&StudyFolder::at(&settings.records.place.out), &Composition::from(price.charged()));
    let (total, problem) = match after {
        Ok(total) => (total.total().ok(), None),
        Err(error @ JobError::Ledger(_)) => (None, Some(error.to_string())),
        Err(error) => return Err(error.into()),
    };
    Ok(Planned {
        mechanism: price.mechanism.clone(),
        loss: price.loss,
        n: price.n,
        ledger_total_after: total,
        problem,
    })
}
