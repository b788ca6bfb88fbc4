//! Masks of records, each read by itself, and what the data holder should know of all of them.

use super::grid::Grid;
use super::making::{Label, MaskMaking};
use super::plane::Problem;
use super::read::read;
use crate::io::{Fault, Opened, ReadError, specimen_name};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

/// What was made of one record, and what is known of it.
pub(super) struct Record<T> {
    pub name: String,
    pub made: Result<T, Problem>,
    /// What the data holder should know of it.
    remarks: Vec<String>,
    about: About,
}

/// What records should have in common.
#[derive(Default)]
struct About {
    orientation: Option<String>,
    has_spacing: bool,
    is_volume: bool,
    labels: BTreeSet<u16>,
    /// What the file calls the organ, in lower case.
    organ: Option<String>,
}

/// What `make` makes of every mask; it may add remarks. Of the options `label` is told to readers, and `spacing` gives the size of a pixel where
/// files do not.
///
/// # Errors
/// What an option has to decide for all records.
pub(super) fn each<T: Send>(
    file: &Opened,
    making: &MaskMaking,
    make: impl Fn(&Grid, &mut Vec<String>) -> Result<T, Problem> + Sync,
) -> Result<Vec<Record<T>>, ReadError> {
    let files: Vec<_> = file.files().collect();
    let records: Vec<Record<T>> =
        files.par_iter().map(|(name, bytes)| record(name, bytes, making, &make)).collect();
    let mut names = HashSet::new();
    if let Some(twice) = records.iter().find(|record| !names.insert(&record.name)) {
        return Err(unclear(file, format!("two masks are called {:?}; rename one", twice.name)));
    }
    let undecided = |record: &Record<T>| match &record.made {
        Err(Problem::Choice(what)) => Some(format!("mask {:?} {what}", record.name)),
        _ => None,
    };
    let (spaced, others): (Vec<_>, Vec<_>) =
        records.iter().filter(|record| record.made.is_ok()).partition(|record| record.about.has_spacing);
    if making.spacing.is_none() && !spaced.is_empty() && !others.is_empty() {
        return Err(unclear(
            file,
            format!(
                "{} masks tell the size of a pixel and {} do not; give it for these as --spacing MM",
                spaced.len(),
                others.len()
            ),
        ));
    }
    match &records.iter().filter_map(undecided).collect::<Vec<_>>()[..] {
        [] => Ok(records),
        [one] => Err(unclear(file, one.clone())),
        [first, others @ ..] => Err(unclear(file, format!("{first} (so it is with {} more)", others.len()))),
    }
}

/// Of several things that each record has, made one by one, what `make` makes of them together.
pub(super) fn joined<T: Send, U: Send>(
    of_each: Vec<Vec<Record<T>>>,
    make: impl Fn(Vec<T>) -> Result<U, Problem> + Sync,
) -> Vec<Record<U>> {
    let mut by_record: Vec<Vec<Record<T>>> = Vec::new();
    for (k, records) in of_each.into_iter().enumerate() {
        if k == 0 {
            by_record = records.into_iter().map(|record| vec![record]).collect();
        } else {
            by_record.iter_mut().zip(records).for_each(|(own, record)| own.push(record));
        }
    }
    let one = |own: Vec<Record<T>>| -> Option<Record<U>> {
        let (mut all, mut remarks, mut told) = (Vec::new(), Vec::new(), None);
        // All organs, as the file calls them.
        let organs: Vec<String> = own.iter().filter_map(|record| record.about.organ.clone()).collect();
        let organ = (!organs.is_empty()).then(|| organs.join(" and "));
        for Record { name, made, remarks: more, about } in own {
            told.get_or_insert((name, About { organ: organ.clone(), ..about }));
            let new = |remark: &String| !remarks.contains(remark);
            let more: Vec<String> = more.into_iter().filter(new).collect();
            remarks.extend(more);
            all.push(made);
        }
        let made = all.into_iter().collect::<Result<Vec<T>, _>>().and_then(&make);
        told.map(|(name, about)| Record { name, made, remarks, about })
    };
    by_record.into_par_iter().filter_map(one).collect()
}

/// A fault of all records.
pub(super) fn unclear(file: &Opened, what: String) -> ReadError {
    ReadError::new(file.path(), Fault::Unclear { what })
}

fn record<T>(
    name: &str,
    bytes: &[u8],
    making: &MaskMaking,
    make: impl Fn(&Grid, &mut Vec<String>) -> Result<T, Problem>,
) -> Record<T> {
    let file =
        Path::new(name).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = specimen_name(&file).to_owned();
    let grid = match read(&file, bytes, making.label.as_ref()) {
        Ok(grid) => grid,
        Err(fault) => {
            let made = Err(Problem::record(fault.to_string()));
            return Record { name, made, remarks: Vec::new(), about: About::default() };
        }
    };
    let about = About {
        orientation: grid.code(),
        has_spacing: grid.spacing().is_some(),
        is_volume: !grid.shape.contains(&1),
        labels: grid.present(),
        organ: organ_name(&grid, making.label.as_ref()),
    };
    let mut remarks = grid.notes.clone();
    let made = make(&grid, &mut remarks);
    Record { name, made, remarks, about }
}

/// What a file calls the label that is asked for, or its only one.
fn organ_name(grid: &Grid, label: Option<&Label>) -> Option<String> {
    let number = match label {
        Some(label) => grid.names.number(label).ok()?,
        None => Some(grid.present()).filter(|present| present.len() == 1)?.first().copied(),
    };
    grid.names.key(number?)
}

/// The most names in a note.
const NAMED: usize = 5;

fn named(names: &[&str]) -> String {
    let mut shown: Vec<&str> = names.iter().take(NAMED).copied().collect();
    if names.len() > NAMED {
        shown.push("...");
    }
    shown.join(", ")
}

/// How many of the records are so, and which; nothing where none is.
pub(super) fn told<T>(
    records: &[Record<T>],
    what: &str,
    wanted: impl Fn(&Record<T>) -> bool,
) -> Option<String> {
    let names: Vec<&str> =
        records.iter().filter(|record| wanted(record)).map(|record| record.name.as_str()).collect();
    (!names.is_empty())
        .then(|| format!("{} of {} masks {what} ({})", names.len(), records.len(), named(&names)))
}

/// What the data holder should know of masks, one line each.
pub(super) fn notes<T>(records: &[Record<T>], making: &MaskMaking) -> Vec<String> {
    let square = "do not tell the size of a pixel: they were taken to be square, and sizes are in pixels";
    let own = "tell the size of a pixel themselves, which was taken instead of --spacing";
    let spaced = |record: &Record<T>| record.about.has_spacing;
    let mut notes: Vec<String> = [
        told(records, square, |record| !spaced(record) && making.spacing.is_none() && record.made.is_ok()),
        told(records, own, |record| spaced(record) && making.spacing.is_some()),
        orientations(records),
        organs(records),
    ]
    .into_iter()
    .flatten()
    .collect();
    let labels: BTreeSet<u16> =
        records.iter().flat_map(|record| record.about.labels.iter().copied()).collect();
    if making.label.is_none() && labels.len() > 1 {
        notes.push(format!(
            "masks have different labels ({labels:?}), one each, which were all taken for the organ"
        ));
    }
    for record in records {
        notes.extend(record.remarks.iter().map(|remark| format!("mask {:?} {remark}", record.name)));
    }
    notes
}

/// Records by what they say of something, where they differ: how many, and which.
fn divided<T>(records: &[Record<T>], what: impl Fn(&About) -> Option<&str>) -> Option<String> {
    let mut by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for record in records {
        if let Some(said) = what(&record.about) {
            by.entry(said).or_default().push(&record.name);
        }
    }
    let list = by.iter().map(|(said, names)| format!("{said}: {} ({})", names.len(), named(names)));
    (by.len() > 1).then(|| list.collect::<Vec<_>>().join("; "))
}

const UNKNOWN: &str = "unknown";

/// Which way the axes of volumes run, where files differ: the most frequent fault of medical images.
fn orientations<T>(records: &[Record<T>]) -> Option<String> {
    let list = divided(records, |about| about.orientation.as_deref().or(about.is_volume.then_some(UNKNOWN)))?;
    let known = "the axes of files run in different directions, and were all brought to one frame as the files tell: ";
    let is_unknown = |record: &Record<T>| record.about.is_volume && record.about.orientation.is_none();
    let unknown = match records.iter().any(is_unknown) {
        true => "; those of unknown orientation may be mirrored",
        false => "",
    };
    Some(format!("{known}{list}{unknown}"))
}

/// What files call the organ, where they differ: numbers of labels often mean different organs in different files.
fn organs<T>(records: &[Record<T>]) -> Option<String> {
    let list = divided(records, |about| about.organ.as_deref())?;
    Some(format!(
        "files call the organ by different names; if these are different organs, choose yours as --label NAME: {list}"
    ))
}
