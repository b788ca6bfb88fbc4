//! Lines of a table matched with the records they are about: every record once, under one of its names.

use crate::io::{Label, Place};
use std::collections::{HashMap, HashSet};

/// The line of a table that is not about one record, or the record without a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    pub place: Place,
    pub record: String,
    pub what: Mistake,
}

/// What is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// No such record.
    Unknown,
    /// A second line about one record, and the line of the first.
    Doubled(usize),
    /// Several records of this name.
    Ambiguous,
    /// A record without a line, and how many others there are.
    Missing(usize),
}

/// The line about each of n records; `names` are all names of one, of which messages show the first.
pub fn line_of_each(
    lines: &[Label],
    n: usize,
    names: impl Fn(usize) -> Vec<String>,
) -> Result<Vec<&Label>, Mismatch> {
    let shown = |i: usize| names(i).into_iter().next().unwrap_or_default();
    let missing = |first: Option<usize>, more| Mismatch {
        place: Place::Whole,
        record: first.map(shown).unwrap_or_default(),
        what: Mistake::Missing(more),
    };
    if n > lines.len() {
        // However many records a file claims, one that no line names is among the first.
        let named: HashSet<&str> =
            lines.iter().flat_map(|label| [&label.record[..], plain(&label.record)]).collect();
        let first = (0..n).find(|&i| !names(i).iter().any(|name| named.contains(name.as_str())));
        return Err(missing(first, n - lines.len() - 1));
    }
    let mut called: HashMap<String, Vec<usize>> = HashMap::new();
    for i in 0..n {
        let mut own = names(i);
        own.dedup();
        own.into_iter().for_each(|name| called.entry(name).or_default().push(i));
    }
    let mut given: Vec<Option<&Label>> = vec![None; n];
    for label in lines {
        let fail = |what| Mismatch { place: Place::Line(label.line), record: label.record.clone(), what };
        let found = called.get(&label.record).or_else(|| called.get(plain(&label.record)));
        let record = match found.map(Vec::as_slice) {
            Some([record]) => *record,
            Some(_) => return Err(fail(Mistake::Ambiguous)),
            None => return Err(fail(Mistake::Unknown)),
        };
        if let Some(first) = given[record] {
            return Err(fail(Mistake::Doubled(first.line)));
        }
        given[record] = Some(label);
    }
    if let Some(first) = given.iter().position(Option::is_none) {
        return Err(missing(Some(first), given.iter().filter(|line| line.is_none()).count() - 1));
    }
    Ok(given.into_iter().flatten().collect())
}

/// A path without the `./` before it.
fn plain(record: &str) -> &str {
    record.strip_prefix("./").unwrap_or(record)
}
