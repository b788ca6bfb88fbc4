//! Lines of a table matched with the records they are about: no record twice, each under one of its names. One rule for all tables.

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
    /// Records are called by their number, and 0 has no line while later ones do.
    FromOne,
}

/// What is said of rows that seem to be counted from 1.
pub const FROM_ONE: &str = "has no line, while later rows have; are the rows counted from 1? Count them from 0, or give row 0 a line too";

/// The line about each of n records; `names` are all names of one, of which messages show the first.
pub fn line_of_each<'a>(
    lines: &'a [Label],
    n: usize,
    names: &dyn Fn(usize) -> Vec<String>,
) -> Result<Vec<&'a Label>, Mismatch> {
    let shown = |i: usize| names(i).into_iter().next().unwrap_or_default();
    let missing = |first: Option<usize>, more| Mismatch {
        place: Place::Whole,
        record: first.map(shown).unwrap_or_default(),
        what: Mistake::Missing(more),
    };
    if n > lines.len() {
        if n > 1 && is_numbered(names) && !has(lines, "0") && has(lines, "1") {
            return Err(from_one());
        }
        // However many records a file claims, one that no line names is among the first.
        let named: HashSet<&str> =
            lines.iter().flat_map(|label| [&label.record[..], plain(&label.record)]).collect();
        let first = (0..n).find(|&i| !names(i).iter().any(|name| named.contains(name.as_str())));
        return Err(missing(first, n - lines.len() - 1));
    }
    let mut labels = lines.iter().map(|label| (label.line, label.record.as_str()));
    let found = join(&mut labels, n, names)?;
    if let Some(first) = found.iter().position(Option::is_none) {
        return Err(missing(Some(first), found.iter().filter(|line| line.is_none()).count() - 1));
    }
    Ok(found.into_iter().flatten().filter_map(|i| lines.get(i)).collect())
}

/// Which of these lines (number, record) is about each of n records, if one is.
pub fn join(
    lines: &mut dyn Iterator<Item = (usize, &str)>,
    n: usize,
    names: &dyn Fn(usize) -> Vec<String>,
) -> Result<Vec<Option<usize>>, Mismatch> {
    let mut called: HashMap<String, Vec<usize>> = HashMap::new();
    for i in 0..n {
        let mut own = names(i);
        own.dedup();
        own.into_iter().for_each(|name| called.entry(name).or_default().push(i));
    }
    let mut given: Vec<Option<(usize, usize)>> = vec![None; n];
    let numbered = n > 1 && is_numbered(names);
    let mut beyond = None;
    for (at, (line, name)) in lines.enumerate() {
        let fail = |what| Mismatch { place: Place::Line(line), record: name.to_owned(), what };
        let found = called.get(name).or_else(|| called.get(plain(name)));
        let record = match found.map(Vec::as_slice) {
            Some([record]) => *record,
            Some(_) => return Err(fail(Mistake::Ambiguous)),
            None if numbered && beyond.is_none() && name.parse() == Ok(n) => {
                beyond = Some(fail(Mistake::Unknown));
                continue;
            }
            None => return Err(fail(Mistake::Unknown)),
        };
        if let Some((first, _)) = given[record] {
            return Err(fail(Mistake::Doubled(first)));
        }
        given[record] = Some((line, at));
    }
    if numbered && given[0].is_none() && given[1].is_some() {
        return Err(from_one());
    }
    beyond.map_or(Ok(()), Err)?;
    Ok(given.into_iter().map(|line| Some(line?.1)).collect())
}

fn from_one() -> Mismatch {
    Mismatch { place: Place::Whole, record: "0".into(), what: Mistake::FromOne }
}

/// Whether records have no names but their numbers.
fn is_numbered(names: &dyn Fn(usize) -> Vec<String>) -> bool {
    (0..2).all(|i| names(i) == [i.to_string()])
}

fn has(lines: &[Label], record: &str) -> bool {
    lines.iter().any(|label| label.record == record)
}

/// A path without the `./` before it.
fn plain(record: &str) -> &str {
    record.strip_prefix("./").unwrap_or(record)
}
