//! Charges that were half written, completed where they stand.
//!
//! A torn charge whose loss can be read counts. To cut it off and to write a line that says so would be two steps, between which it
//! would count no longer; what is missing of its line can be added in one, after which as before it counts, wherever that is
//! interrupted. By the run that announced it the lines are completed as announced, by another as a charge that was never handed out.

use super::super::digest::sha256_hex;
use super::content::{Content, End};
use super::line::{Chain, Entry, ending};
use super::torn;

/// What comes after the loss in the line of a charge, and before its time.
const BEFORE_TIME: &str = ",\"unix_time\":";

/// What is missing of the lines that were `announced`, where the torn tail of `bytes` is the beginning of one of them and its loss can be
/// read, so that it counts in any case: completed, it counts as the charge it was to be.
pub(super) fn rest<'a>(content: &Content, bytes: &[u8], announced: &'a str) -> Option<&'a str> {
    let End::Torn { salvaged: Some(_), .. } = content.end else { return None };
    let tail = bytes.get(content.whole..)?;
    let starts = announced.split_inclusive('\n').scan(0, |next, line| {
        let at = *next;
        *next += line.len();
        Some(at)
    });
    starts.filter_map(|at| announced.get(at..)).find_map(|lines| {
        let mut chain = content.chain.clone();
        let follows = lines.ends_with('\n') && lines.lines().all(|line| chain.read(line.as_bytes()).is_ok());
        (follows && lines.as_bytes().starts_with(tail)).then(|| lines.get(tail.len()..))?
    })
}

/// What is missing of the torn line itself, its newline included, where its loss can be read: of a charge, whose time is as much as there
/// is of it and then that of `now`, in seconds since 1970; or of a repair of an earlier version. Nothing where it was damaged besides.
pub(super) fn of_anyone(content: &Content, bytes: &[u8], now: u64) -> Option<String> {
    let End::Torn { salvaged: Some(part), .. } = &content.end else { return None };
    let tail = std::str::from_utf8(bytes.get(content.whole..)?).ok()?;
    let opening = content.chain.opening();
    let entry = tail.strip_prefix(&opening)?;
    let closings = [of_charge(entry, now), "}".to_owned()];
    closings.iter().find_map(|closing| {
        let line = with_check(&opening, entry, closing)?;
        let read = Chain::read(&mut content.chain.clone(), line.as_bytes()).ok()?;
        let counted = match read {
            Entry::Charge { part, .. } | Entry::Repair { salvaged: Some(part), .. } => Some(part),
            _ => None,
        };
        (counted.as_ref() == Some(part)).then(|| format!("{}\n", line.get(tail.len()..).unwrap_or_default()))
    })
}

/// What closes the entry of a charge that is torn after its loss.
fn of_charge(entry: &str, now: u64) -> String {
    let now = now.to_string();
    if let Some((_, digits)) = entry.rsplit_once(BEFORE_TIME) {
        return format!("{}}}", now.strip_prefix(digits).unwrap_or_default());
    }
    let begun = (0..BEFORE_TIME.len()).rev().find(|length| entry.ends_with(&BEFORE_TIME[..*length]));
    format!("{}{now}}}", &BEFORE_TIME[begun.unwrap_or(0)..])
}

/// The whole line whose entry begins like this, and goes on with `closing` if it is not closed; with as much of its check as is there, which
/// must be right.
fn with_check(opening: &str, entry: &str, closing: &str) -> Option<String> {
    let closed = match torn::closed_at(entry.as_bytes()) {
        Some(end) => entry.get(..end)?.to_owned(),
        None => format!("{entry}{closing}"),
    };
    let line = format!("{opening}{closed}");
    let line = format!("{line}{}", ending(&sha256_hex(line.as_bytes())));
    line.starts_with(&format!("{opening}{entry}")).then_some(line)
}
