//! The lines of a ledger file.
//!
//! One JSON object a line: `{"n", "previous", "entry", "check"}`. `check` is the SHA-256 of the line's own text up to
//! it, `previous` the check of the line before, so a changed, removed, inserted or foreign line shows. (Whoever can
//! write the file can forge all of it, or roll it back to an older copy: the ledger guards against accidents.)

use super::super::{Adjacency, Part, PrivacyLoss};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The version of this format; files of another are refused.
pub(super) const FORMAT: u32 = 1;

/// What a line records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Entry {
    /// The first line.
    Open { format: u32, visard: String, id: String, study: Option<String>, adjacency: Adjacency },
    /// From here on the total must stay within this.
    Ceiling { loss: PrivacyLoss },
    /// A loss, counted from the moment this line is whole.
    Charge { part: Part, unix_time: u64 },
    /// The line after each charge: where a torn write most likely ends.
    Seal { charge: u64 },
    /// A torn last line was found; what could be read of a charge in it counts.
    Repair { torn_bytes: u64, salvaged: Option<Part> },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    n: u64,
    previous: String,
    entry: Entry,
}

const CHECK: &str = ",\"check\":\"";

/// Where a chain of lines has got to.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Chain {
    /// The number of lines.
    pub(super) length: u64,
    last_check: String,
}

impl Chain {
    /// The next line's text, with its newline; the chain moves on.
    pub(super) fn write(&mut self, entry: Entry) -> Result<String, serde_json::Error> {
        let line = Line { n: self.length, previous: self.last_check.clone(), entry };
        let mut text = serde_json::to_string(&line)?;
        // The closing brace comes after the check.
        text.pop();
        let check = digest(&text);
        text.push_str(CHECK);
        text.push_str(&check);
        text.push_str("\"}\n");
        self.length += 1;
        self.last_check = check;
        Ok(text)
    }

    /// Reads the next line (without its newline); the chain moves on if it is right.
    pub(super) fn read(&mut self, text: &str) -> Result<Entry, &'static str> {
        let at = text.rfind(CHECK).ok_or("it is not a ledger line")?;
        let (body, rest) = text.split_at(at);
        let check = rest[CHECK.len()..].strip_suffix("\"}").ok_or("it is not a ledger line")?;
        if digest(body) != check {
            return Err("its text does not match its checksum");
        }
        let line: Line = serde_json::from_str(&format!("{body}}}"))
            .map_err(|_| "its entry is not understood by this version")?;
        if line.n != self.length || line.previous != self.last_check {
            return Err("it does not follow the line before (a line was removed, inserted or reordered)");
        }
        self.length += 1;
        self.last_check = check.to_owned();
        Ok(line.entry)
    }
}

fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Lower-case hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The charge in a torn line, if enough of it is there.
pub(super) fn salvage(torn: &str) -> Option<Part> {
    const PART: &str = "\"kind\":\"charge\",\"part\":";
    let at = torn.find(PART)?;
    serde_json::Deserializer::from_str(&torn[at + PART.len()..]).into_iter::<Part>().next()?.ok()
}
