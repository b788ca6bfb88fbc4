//! The public folder: the plan, and what every round has released.

use super::error::SitesError;
use super::error::of;
use super::message::Position;
use super::plan::{FORMAT, KnownPlan};
use crate::io::{Limit, write_text};
use crate::job::kept::kept;
use crate::mechanism::functional::{RoundKind, RoundResult, SiteRound, SitesRounds};
use crate::privacy::{Certificate, Receipt};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};

/// `round-R.json`: what a round has released.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoundFile {
    pub(super) visard_sites: u32,
    pub(super) plan: String,
    pub(super) round: usize,
    pub(super) before: String,
    pub(super) kind: RoundKind,
    pub(super) result: RoundResult,
    pub(super) seeded: bool,
    /// Of the sites that are in it.
    pub(super) certificates: Vec<Certificate>,
}

/// The public folder as it is.
pub(super) struct Exchange {
    public: PathBuf,
    pub(super) known: KnownPlan,
    pub(super) rounds: Vec<RoundFile>,
    before: String,
}

fn file_of(public: &Path, round: usize) -> PathBuf {
    public.join(format!("round-{round}.json"))
}

impl Exchange {
    /// Reads it; results must rest on each other and on the plan.
    pub(super) fn read(public: &Path) -> Result<Self, SitesError> {
        let known = KnownPlan::read(public)?;
        let (mut rounds, mut before) = (Vec::new(), known.id.clone());
        loop {
            let path = file_of(public, rounds.len() + 1);
            let Some(file) = kept(&path, Limit::SMALL)? else { break };
            let round: RoundFile = serde_json::from_slice(file.bytes())
                .map_err(|_| of(&path, "holds no results of a round, or was damaged"))?;
            let place = (round.visard_sites, &round.plan, round.round, &round.before);
            if place != (FORMAT, &known.id, rounds.len() + 1, &before) {
                return Err(of(&path, "belongs to another plan, or rests on other results than those here"));
            }
            before = hex::encode(Sha256::digest([before.as_bytes(), file.bytes()].concat()));
            rounds.push(round);
        }
        Ok(Self { public: public.to_owned(), known, rounds, before })
    }

    /// What has been released.
    pub(super) fn results(&self) -> Vec<RoundResult> {
        self.rounds.iter().map(|round| round.result.clone()).collect()
    }

    /// The closed rounds that a site took part in, with the charges that it answered them under, as its certificates say: what its ledger
    /// must hold, kept elsewhere than the ledger.
    pub(super) fn answered_by(&self, site: usize) -> Vec<(usize, Option<Receipt>)> {
        let receipt = |round: &RoundFile| {
            let at = round.result.sites.iter().position(|one| *one == site)?;
            Some((round.round, Some(round.certificates.get(at)?.ledger.clone()?)))
        };
        self.rounds.iter().filter_map(receipt).collect()
    }

    /// The round that is open.
    pub(super) fn open_round(&self, rounds: &SitesRounds) -> Result<SiteRound, SitesError> {
        let done =
            || of(&self.public, "all rounds of this plan are done; another release needs another plan");
        rounds.next(&self.results())?.ok_or_else(done)
    }

    /// Where one is.
    pub(super) fn position(&self) -> Position {
        Position { plan: self.known.id.clone(), round: self.rounds.len() + 1, before: self.before.clone() }
    }

    /// Writes what the open round has released, and reads the folder anew.
    pub(super) fn write(
        &self,
        kind: RoundKind,
        result: RoundResult,
        seeded: bool,
        certificates: Vec<Certificate>,
    ) -> Result<Self, SitesError> {
        let Position { plan, round, before } = self.position();
        let path = file_of(&self.public, round);
        let file =
            RoundFile { visard_sites: FORMAT, plan, round, before, kind, result, seeded, certificates };
        let text = serde_json::to_string(&file).map_err(|e| of(&path, e.to_string()))? + "\n";
        write_text(&path, &text)?;
        Self::read(&self.public)
    }
}
