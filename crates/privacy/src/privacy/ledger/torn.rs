//! The end of a file that an interrupted write of ours left.
//!
//! A write adds whole lines, and what is interrupted leaves the beginning of them. So a torn tail is the *beginning of
//! the one line that could come next*, and nothing else: anything that differs from one in a byte is no work of ours,
//! and its file is refused rather than repaired.

use super::super::Part;
use super::super::digest::sha256_hex;
use super::line::{Chain, Entry, KINDS, ending};
use serde::Deserialize;

/// Whether `tail`, which has no newline, may be the beginning of the next line of the chain.
pub(super) fn is_ours(chain: &Chain, tail: &[u8]) -> bool {
    let opening = chain.opening();
    let Some(entry) = tail.strip_prefix(opening.as_bytes()) else {
        return opening.as_bytes().starts_with(tail);
    };
    match scan(entry) {
        Scan::Open => begins_an_entry(entry, chain.length == 0),
        Scan::Closed(end) => {
            let (entry, rest) = entry.split_at(end);
            let known = serde_json::from_slice::<Entry>(entry).is_ok();
            let check = sha256_hex(&[opening.as_bytes(), entry].concat());
            known && ending(&check).as_bytes().starts_with(rest)
        }
        Scan::Foreign => false,
    }
}

/// The loss in a torn line, if enough of it is there: that of a charge, or of a repair that had read one.
pub(super) fn salvage(tail: &[u8]) -> Option<Part> {
    let text = String::from_utf8_lossy(tail);
    let charge = text.split_once("\"entry\":{\"kind\":\"charge\",").and_then(|(_, rest)| {
        let nonce = rest.strip_prefix("\"nonce\":\"").and_then(|rest| rest.split_once("\","));
        nonce.map_or(rest, |(_, rest)| rest).strip_prefix("\"part\":")
    });
    let part = charge.or_else(|| text.split_once("\"salvaged\":").map(|(_, rest)| rest))?;
    Part::deserialize(&mut serde_json::Deserializer::from_str(part)).ok()
}

/// Whether this is the beginning of an entry of a kind that may stand here: an opening comes first and only first.
fn begins_an_entry(text: &[u8], first: bool) -> bool {
    KINDS.iter().filter(|kind| (**kind == "open") == first).any(|kind| {
        let start = format!("{{\"kind\":\"{kind}\"");
        let common = start.len().min(text.len());
        start.as_bytes().get(..common) == text.get(..common)
    })
}

/// Where the entry that `text` begins with ends, if it does.
pub(super) fn closed_at(text: &[u8]) -> Option<usize> {
    match scan(text) {
        Scan::Closed(end) => Some(end),
        Scan::Open | Scan::Foreign => None,
    }
}

enum Scan {
    /// The object's closing brace has not come.
    Open,
    /// It ends before this byte.
    Closed(usize),
    /// Nothing that is written by us.
    Foreign,
}

/// Finds the end of a JSON object without white space between its parts.
fn scan(text: &[u8]) -> Scan {
    // A character cut in two at the very end is torn, not foreign.
    if std::str::from_utf8(text).is_err_and(|error| error.error_len().is_some()) {
        return Scan::Foreign;
    }
    let (mut depth, mut quoted, mut escaped) = (0u32, false, false);
    for (at, byte) in text.iter().enumerate() {
        match (byte, quoted) {
            (0..0x20, _) => return Scan::Foreign,
            (_, true) if escaped => escaped = false,
            (b'\\', true) => escaped = true,
            (b'"', _) => quoted = !quoted,
            (_, true) => {}
            (b'{' | b'[', false) => depth += 1,
            (b'}' | b']', false) if depth == 1 => return Scan::Closed(at + 1),
            (b'}' | b']', false) => depth = depth.saturating_sub(1),
            (b' ', false) => return Scan::Foreign,
            _ => {}
        }
        if depth == 0 {
            return Scan::Foreign;
        }
    }
    Scan::Open
}
