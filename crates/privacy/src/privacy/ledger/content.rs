//! What the bytes of a ledger file say; no file is touched here.

use super::super::Part;
use super::line::{BadLine, Chain, Entry, FORMAT, OLDEST_FORMAT};
use super::torn;

/// The longest file that is read, in bytes: some 400 000 charges in a unit, or 25 000 Rényi curves of 10 KiB.
pub(super) const LARGEST: u64 = 1 << 28;

/// A file that was read whole.
#[derive(Debug, Clone)]
pub(super) struct Content {
    /// Its lines.
    pub(super) lines: Vec<Recorded>,
    /// Where they end.
    pub(super) chain: Chain,
    /// The length of the lines that end with a newline.
    pub(super) whole: usize,
    /// What comes after these.
    pub(super) end: End,
}

/// A line on record.
#[derive(Debug, Clone)]
pub(super) struct Recorded {
    pub(super) entry: Entry,
    /// Its check.
    pub(super) head: String,
}

/// How a file ends.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum End {
    /// With a newline, or the file is empty.
    Whole,
    /// With a line that is complete but for its newline; it counts.
    NoNewline,
    /// With the beginning of a line, of this length.
    Torn {
        bytes: u64,
        /// The loss in it, if it can be read.
        salvaged: Option<Part>,
    },
}

/// Why a file is not read at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Damage {
    Foreign,
    Version(u64),
    Newer { line: u64 },
    Corrupted { line: u64, what: &'static str },
}

const LINE_ENDS: &str = "its end is missing, and it is not what an interrupted write leaves (were line ends removed, \
                         or lines joined?)";

/// Reads all of it, or nothing.
pub(super) fn read(bytes: &[u8]) -> Result<Content, Damage> {
    let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let (text, tail) = bytes.split_at(whole);
    let mut chain = Chain::default();
    let mut lines = Vec::new();
    for line in text.split_inclusive(|b| *b == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let entry = chain.read(line).map_err(|bad| damage(bad, chain.length, line))?;
        lines.push(Recorded { entry, head: chain.head.clone() });
    }
    let end = read_tail(tail, &mut chain, &mut lines)?;
    match lines.first().map(|first| &first.entry) {
        Some(Entry::Open { format, .. }) if !(OLDEST_FORMAT..=FORMAT).contains(format) => {
            Err(Damage::Version(u64::from(*format)))
        }
        Some(Entry::Open { .. }) | None => Ok(Content { lines, chain, whole, end }),
        Some(_) => Err(Damage::Foreign),
    }
}

fn read_tail(tail: &[u8], chain: &mut Chain, lines: &mut Vec<Recorded>) -> Result<End, Damage> {
    if tail.is_empty() {
        return Ok(End::Whole);
    }
    match chain.read(tail) {
        Ok(entry) => {
            lines.push(Recorded { entry, head: chain.head.clone() });
            Ok(End::NoNewline)
        }
        Err(BadLine::Newer) => Err(Damage::Newer { line: chain.length + 1 }),
        Err(_) if torn::is_ours(chain, tail) => {
            Ok(End::Torn { bytes: tail.len() as u64, salvaged: torn::salvage(tail) })
        }
        Err(_) if chain.length == 0 && !tail.starts_with(chain.opening().as_bytes()) => Err(Damage::Foreign),
        Err(_) => Err(Damage::Corrupted { line: chain.length + 1, what: LINE_ENDS }),
    }
}

/// Tells what is wrong with the line after `before` others.
fn damage(bad: BadLine, before: u64, line: &[u8]) -> Damage {
    let corrupted = |what| Damage::Corrupted { line: before + 1, what };
    if before == 0 && bad != BadLine::Misplaced {
        // A ledger whose first line was changed, one of another version, or no ledger.
        let value: serde_json::Value = serde_json::from_slice(line).unwrap_or_default();
        match value.pointer("/entry/format").and_then(serde_json::Value::as_u64) {
            Some(found) if !(u64::from(OLDEST_FORMAT)..=u64::from(FORMAT)).contains(&found) => {
                return Damage::Version(found);
            }
            Some(_) => {}
            None if line.starts_with(Chain::default().opening().as_bytes()) => {}
            None => return Damage::Foreign,
        }
    }
    match bad {
        BadLine::Foreign if line.ends_with(b"\r") => {
            corrupted("its line end was changed; undo the conversion of line ends")
        }
        BadLine::Foreign => corrupted("it is not a ledger line"),
        BadLine::Changed => corrupted("its text does not match its checksum"),
        BadLine::Misplaced => corrupted(
            "it does not follow the line before: a line was removed, inserted, doubled or reordered",
        ),
        BadLine::Newer => Damage::Newer { line: before + 1 },
    }
}
