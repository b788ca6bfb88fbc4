//! The lines of a ledger file.
//!
//! One JSON object a line: `{"n", "previous", "entry", "check"}`. `check` is the SHA-256 of the line's own text up to
//! it, `previous` the check of the line before, so a changed, removed, inserted or foreign line shows.

use super::super::digest::sha256_hex;
use super::super::{Adjacency, Neighbours, Part, Partition, PrivacyLoss};
use serde::{Deserialize, Serialize};

/// The version of the format of new files; why it is 2 stands in the [module](super).
pub(super) const FORMAT: u32 = 2;

/// The oldest format that is read, and written on.
pub(super) const OLDEST_FORMAT: u32 = 1;

/// What a line records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Entry {
    /// The first line. (`study` was of use to no one and is always null; version 0.1 could write a name.)
    Open { format: u32, visard: String, id: String, study: Option<String>, adjacency: Adjacency },
    /// From here on the total for these neighbours must stay within this.
    Ceiling {
        loss: PrivacyLoss,
        #[serde(default, skip_serializing_if = "is_usual")]
        neighbours: Neighbours,
    },
    /// How the records are divided into the groups that charges name; at most once.
    Partition(Partition),
    /// A loss, counted from the moment that it can be read. The nonce, drawn at random, makes charges of one second different, and tells
    /// whose a half-written one is; version 0.1 wrote none.
    Charge {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nonce: Option<String>,
        part: Part,
        unix_time: u64,
    },
    /// The line after each charge, redemption and publication: where a torn write most likely ends, and a cut costs nothing.
    Seal { charge: u64 },
    /// The result drawn under the charge of that line has this SHA-256; no other will be published under it. With a `part`, that of one of
    /// its draws, counted from 0: the others are redeemed by themselves. (Programs that know no parts say that a newer one wrote this.)
    Redeem {
        charge: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        part: Option<u32>,
        draw: String,
    },
    /// A release was made of the result of that charge, and this is the SHA-256 of its certificate, which names every file of it.
    Publish { charge: u64, certificate: String },
    /// A torn last line was found; what could be read of a charge in it counts.
    Repair { torn_bytes: u64, salvaged: Option<Part> },
}

/// Every kind a line of this version may have, as it is spelled in the file.
pub(super) const KINDS: [&str; 8] =
    ["open", "ceiling", "partition", "charge", "seal", "redeem", "publish", "repair"];

fn is_usual(neighbours: &Neighbours) -> bool {
    *neighbours == Neighbours::default()
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    n: u64,
    previous: String,
    entry: Entry,
}

const CHECK: &str = ",\"check\":\"";

/// Why a line is not the next of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadLine {
    /// Not of the form.
    Foreign,
    /// Changed after it was written.
    Changed,
    /// Right, but not at this place.
    Misplaced,
    /// Right, but written by a program that knows more than this one.
    Newer,
}

/// Where a chain of lines has got to.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Chain {
    /// The number of lines.
    pub(super) length: u64,
    /// The check of the last.
    pub(super) head: String,
}

impl Chain {
    /// The next line's text, with its newline; the chain moves on.
    pub(super) fn write(&mut self, entry: &Entry) -> Result<String, serde_json::Error> {
        let mut text = self.opening();
        text.push_str(&serde_json::to_string(entry)?);
        let check = sha256_hex(text.as_bytes());
        text.push_str(&ending(&check));
        text.push('\n');
        self.length += 1;
        self.head = check;
        Ok(text)
    }

    /// Reads the next line (without its newline); the chain moves on if it is right.
    pub(super) fn read(&mut self, text: &[u8]) -> Result<Entry, BadLine> {
        let text = std::str::from_utf8(text).map_err(|_| BadLine::Foreign)?;
        let (body, rest) = text.rsplit_once(CHECK).ok_or(BadLine::Foreign)?;
        let check = rest.strip_suffix("\"}").ok_or(BadLine::Foreign)?;
        if sha256_hex(body.as_bytes()) != check {
            return Err(BadLine::Changed);
        }
        // The chain first: an entry this version does not know may still stand where it belongs.
        if !body.starts_with(&self.opening()) {
            return Err(BadLine::Misplaced);
        }
        let line: Line = serde_json::from_str(&format!("{body}}}")).map_err(|_| BadLine::Newer)?;
        self.length += 1;
        self.head = check.to_owned();
        Ok(line.entry)
    }

    /// How the next line begins, up to its entry.
    pub(super) fn opening(&self) -> String {
        format!("{{\"n\":{},\"previous\":\"{}\",\"entry\":", self.length, self.head)
    }
}

/// How a line goes on after its entry.
pub(super) fn ending(check: &str) -> String {
    format!("{CHECK}{check}\"}}")
}
