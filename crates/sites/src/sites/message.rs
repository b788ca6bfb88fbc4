//! Files that parties hand to each other: one line of public JSON, then bytes.

use super::error::{SitesError, of};
use super::plan::FORMAT;
use super::seal::{has_signing_half, split_signature};
use crate::io::{Limit, open};
use crate::privacy::Certificate;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What is taken for a message at most.
const LIMIT: Limit = Limit { bytes: 1 << 28, remedy: "check that it is a message of this exchange" };

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// A site's noised sum.
    Sum,
    /// A site's share, sealed for an aggregator.
    Share,
    /// What the first aggregator has found, sealed for the second.
    Check,
    /// The second one's answer, sealed for the first.
    Reply,
    /// An aggregator's sum of shares.
    Aggregate,
}

/// The first line of a message: public, and what sealed messages are bound to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub(super) visard_sites: u32,
    pub(super) kind: Kind,
    /// SHA-256 of the plan.
    pub(super) plan: String,
    /// Which round, from 1.
    pub(super) round: usize,
    /// What stands for the plan and all earlier results.
    pub(super) before: String,
    pub(super) from: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) to: Option<String>,
    /// Whether noise in it came from a fixed seed.
    pub(super) seeded: bool,
    /// The sites whose people are in it, counted from 0.
    pub(super) sites: Vec<usize>,
    /// Their certificates.
    pub(super) certificates: Vec<Certificate>,
}

/// A message that has been read.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) path: PathBuf,
    pub(super) header: Header,
    /// The first line as it is.
    pub(super) line: Vec<u8>,
    pub(super) body: Vec<u8>,
    pub(super) sha256: [u8; 32],
}

/// Where in the exchange one is: what every message of the round must say too.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Position {
    pub(super) plan: String,
    /// From 1.
    pub(super) round: usize,
    pub(super) before: String,
}

impl Position {
    /// Which draw of the charge for all rounds this one is, counted from 0.
    pub(super) fn part(&self) -> u32 {
        part_of(self.round)
    }

    /// A header of this round.
    pub(super) fn header(&self, kind: Kind, from: &str, to: Option<&str>) -> Header {
        Header {
            visard_sites: FORMAT,
            kind,
            plan: self.plan.clone(),
            round: self.round,
            before: self.before.clone(),
            from: from.to_owned(),
            to: to.map(str::to_owned),
            seeded: false,
            sites: Vec::new(),
            certificates: Vec::new(),
        }
    }

    /// Whether a message is of this round.
    pub(super) fn check(&self, message: &Message) -> Result<(), SitesError> {
        let Header { plan, round, before, .. } = &message.header;
        let refused = |what: String| Err(of(&message.path, what));
        if *plan != self.plan {
            return refused("is of another plan: sites must have the same plan.json, to the byte".into());
        }
        if *round < self.round {
            return refused(format!("is of round {round}, which is closed; this is round {}", self.round));
        }
        if *round > self.round {
            return refused(format!("is of round {round}; results of round {} are missing here", self.round));
        }
        if *before != self.before {
            return refused("rests on other results of earlier rounds than those here".into());
        }
        Ok(())
    }
}

/// Which draw of the charge for all rounds a round is; rounds count from 1, draws from 0.
pub(super) fn part_of(round: usize) -> u32 {
    u32::try_from(round.saturating_sub(1)).unwrap_or(u32::MAX)
}

impl Header {
    /// The message's file.
    pub(super) fn file_name(&self) -> String {
        let kind = format!("{:?}", self.kind).to_lowercase();
        match &self.to {
            Some(to) => format!("round-{}.{}.to-{to}.{kind}", self.round, self.from),
            None => format!("round-{}.{}.{kind}", self.round, self.from),
        }
    }

    /// The first line.
    pub(super) fn line(&self) -> Result<Vec<u8>, SitesError> {
        serde_json::to_vec(self).map_err(|e| SitesError::Asked(e.to_string()))
    }
}

/// A message as bytes.
pub(super) fn to_bytes(line: &[u8], body: &[u8]) -> Vec<u8> {
    [line, b"\n", body].concat()
}

impl Message {
    /// Reads one.
    pub(super) fn read(path: &Path) -> Result<Self, SitesError> {
        let file = open(path, LIMIT)?;
        let foreign = || of(path, "is not a message between sites, or was damaged");
        let end = file.bytes().iter().position(|b| *b == b'\n').ok_or_else(foreign)?;
        let (line, body) = file.bytes().split_at(end);
        let header: Header = serde_json::from_slice(line).map_err(|_| foreign())?;
        if header.visard_sites != FORMAT {
            return Err(of(path, format!("is of format {}; this program has {FORMAT}", header.visard_sites)));
        }
        Ok(Self {
            path: path.to_owned(),
            header,
            line: line.to_vec(),
            body: body.get(1..).unwrap_or_default().to_vec(),
            sha256: file.sha256(),
        })
    }

    /// Whether its sender signed it, where the plan names a key for that (`key`); the body is then what stands before the signature.
    pub(super) fn signed_by(mut self, key: &str) -> Result<Self, SitesError> {
        if !has_signing_half(key) {
            return Ok(self);
        }
        let body = split_signature(key, &self.line, &self.body).ok_or_else(|| {
            let what = format!(
                "was changed, or {} did not sign it for this plan and round; ask for it again",
                self.header.from
            );
            of(&self.path, what)
        })?;
        let length = body.len();
        self.body.truncate(length);
        Ok(self)
    }

    /// Reads all messages of these kinds that are named or lie in folders that are named; what is no message is passed over in folders only.
    pub(super) fn read_all(inputs: &[PathBuf], kinds: &[&str]) -> Result<Vec<Self>, SitesError> {
        let mut paths = Vec::new();
        for input in inputs {
            if !input.is_dir() {
                paths.push(input.clone());
                continue;
            }
            let entries = std::fs::read_dir(input).map_err(|e| of(input, e.to_string()))?;
            let mut found = Vec::new();
            for entry in entries {
                let path = entry.map_err(|e| of(input, e.to_string()))?.path();
                if path.extension().is_some_and(|ending| kinds.iter().any(|kind| ending == *kind)) {
                    found.push(path);
                }
            }
            found.sort();
            paths.extend(found);
        }
        paths.iter().map(|path| Self::read(path)).collect()
    }
}

/// Integers as bytes.
pub(super) fn steps_to_bytes(steps: &[i128]) -> Vec<u8> {
    steps.iter().flat_map(|k| k.to_le_bytes()).collect()
}

/// Integers from bytes; `None` unless there are so many.
pub(super) fn steps_of_bytes(bytes: &[u8], length: usize) -> Option<Vec<i128>> {
    let chunks = bytes.chunks_exact(16);
    if bytes.len() != 16 * length {
        return None;
    }
    chunks.map(|chunk| Some(i128::from_le_bytes(chunk.try_into().ok()?))).collect()
}
