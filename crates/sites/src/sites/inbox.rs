//! What an aggregator has received: shares of sites, and what the other aggregator has found.

use super::error::{SitesError, of};
use super::message::{Kind, Message, Position};
use super::plan::{Aggregator, SitePlan};
use super::seal::KeyPair;
use super::vdaf::Share;
use crate::privacy::Certificate;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the aggregators tell each other, sealed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Findings {
    /// The key for the checks, in hexadecimal, so that all are of one length: the first makes it, the second says it again.
    pub(super) key: String,
    /// For every site what the other one needs to check its proof, in hexadecimal.
    pub(super) shown: Vec<(usize, String)>,
}

/// One opened share.
pub(super) struct Opened {
    pub(super) site: usize,
    pub(super) share: Share,
    sha256: String,
    pub(super) seeded: bool,
    pub(super) certificates: Vec<Certificate>,
}

/// Messages to one aggregator, in one round.
pub(super) struct Inbox<'a> {
    pub(super) plan: &'a SitePlan,
    pub(super) position: &'a Position,
    /// The aggregator's name and key.
    pub(super) own: &'a str,
    pub(super) key: &'a KeyPair,
    /// Messages, or folders of them.
    pub(super) messages: &'a [PathBuf],
}

impl Inbox<'_> {
    /// Opens the shares of this round, one of each site that takes part.
    pub(super) fn shares(&self, without: &[usize]) -> Result<Vec<Opened>, SitesError> {
        let mut found: Vec<Option<Opened>> = self.plan.sites.iter().map(|_| None).collect();
        for message in Message::read_all(self.messages, &["share"])? {
            let header = &message.header;
            if header.to.as_deref() != Some(self.own) || self.is_of_an_earlier_round(&message) {
                continue;
            }
            let site = self.plan.site(&header.from).map_err(|e| of(&message.path, e.to_string()))?;
            if without.contains(&site) {
                continue;
            }
            let opened = self.open_share(&message, site)?;
            match &found[site] {
                Some(other) if other.sha256 != opened.sha256 => {
                    return Err(of(
                        &message.path,
                        format!("is a second share of {}; a site answers once", header.from),
                    ));
                }
                _ => found[site] = Some(opened),
            }
        }
        let missing: Vec<&str> = self
            .plan
            .sites
            .iter()
            .enumerate()
            .filter(|(i, _)| found[*i].is_none() && !without.contains(i))
            .map(|(_, site)| site.name.as_str())
            .collect();
        if !missing.is_empty() {
            return Err(SitesError::Asked(format!(
                "round {}: no share of {}; wait for it, or go on with --without {} (its people are then not in this round's sum)",
                self.position.round,
                missing.join(", "),
                missing.join(" --without ")
            )));
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// Folders gather the messages of all rounds; one that was named itself is looked at.
    fn is_of_an_earlier_round(&self, message: &Message) -> bool {
        message.header.round < self.position.round && !self.messages.contains(&message.path)
    }

    fn open_share(&self, message: &Message, site: usize) -> Result<Opened, SitesError> {
        self.position.check(message)?;
        let (header, from) = (&message.header, &self.plan.sites[site]);
        let refused = || {
            let what = format!(
                "cannot be opened: it was damaged, is for another aggregator, or was not sealed by {} for this round; ask for it again",
                from.name
            );
            of(&message.path, what)
        };
        let key = from.key.as_deref().unwrap_or_default();
        let bytes = self.key.open(key, &message.line, &message.body).ok_or_else(refused)?;
        let share = Share::of_bytes(&bytes).ok_or_else(refused)?;
        if header.kind != Kind::Share || header.sites != [site] {
            return Err(refused());
        }
        Ok(Opened {
            site,
            share,
            sha256: hex::encode(message.sha256),
            seeded: header.seeded,
            certificates: header.certificates.clone(),
        })
    }

    /// What the other aggregator has told in this round, where it is there.
    pub(super) fn findings(&self, other: &Aggregator, kind: Kind) -> Result<Option<Findings>, SitesError> {
        let ending = if kind == Kind::Check { "check" } else { "reply" };
        for message in Message::read_all(self.messages, &[ending])? {
            let header = &message.header;
            let for_us = header.kind == kind && header.to.as_deref() == Some(self.own);
            if !for_us || self.is_of_an_earlier_round(&message) {
                continue;
            }
            self.position.check(&message)?;
            let refused = || {
                of(
                    &message.path,
                    format!(
                        "cannot be opened: it was damaged, or {} did not seal it for this round",
                        other.name
                    ),
                )
            };
            let bytes = self.key.open(&other.key, &message.line, &message.body).ok_or_else(refused)?;
            return Ok(Some(serde_json::from_slice(&bytes).map_err(|_| refused())?));
        }
        Ok(None)
    }
}

/// What a dishonest first aggregator could send: its message to the second, which names a site twice.
#[cfg(test)]
pub(crate) fn naming_a_site_twice(
    check: &std::path::Path,
    plan: &SitePlan,
    keys: [&std::path::Path; 2],
) -> Vec<u8> {
    let message = Message::read(check).unwrap();
    let [x, y] = &plan.aggregators[..] else { panic!("two aggregators") };
    let [first, second] =
        [(keys[0], &x.key), (keys[1], &y.key)].map(|(path, key)| KeyPair::read(path, key).unwrap());
    let found = second.open(&x.key, &message.line, &message.body).unwrap();
    let mut found: Findings = serde_json::from_slice(&found).unwrap();
    found.shown.insert(0, found.shown[0].clone());
    let body = first.seal(&y.key, &message.line, &serde_json::to_vec(&found).unwrap()).unwrap();
    super::message::to_bytes(&message.line, &body)
}
