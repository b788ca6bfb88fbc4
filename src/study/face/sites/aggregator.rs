//! What an aggregator does in a round: opens its shares, checks their proofs with the other one, and adds up, once.
//!
//! The first aggregator begins: it opens its shares, draws the key for the checks, and seals what it found for the second. The second opens
//! its own, checks, adds up, and seals its answer for the first, which then does the same. A round's set of sites is fixed by the first,
//! narrowed by nobody silently, and added up once by each.

use super::error::{SitesError, of};
use super::exchange::Exchange;
use super::message::{Header, Kind, Message, Position, to_bytes};
use super::plan::SitePlan;
use super::purse::Purse;
use super::seal::KeyPair;
use super::site::sharer;
use super::vdaf::{Prepared, Share, VerifyKey, add_steps, random, sum_to_bytes};
use crate::io::{Limit, write_text};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{Sharing, SiteRound, SitesRounds};
use crate::privacy::Certificate;
use crate::study::Place;
use crate::study::face::StudyError;
use crate::study::face::template::{TemplateLoadError, TemplateSource, load_template};
use crate::study::job::{self, Job};
use crate::study::kept::kept;
use prio::field::{Field128, FieldElement};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What an aggregator is told.
#[derive(Debug, Clone)]
pub struct AggregatorSettings {
    /// The public folder.
    pub public: PathBuf,
    /// Its name in the plan.
    pub name: String,
    /// Its secret key.
    pub key: PathBuf,
    /// Messages, or folders of them.
    pub inbox: Vec<PathBuf>,
    /// Sites that this round goes on without.
    pub without: Vec<String>,
    /// The plan's template.
    pub template: TemplateSource,
    /// Its folder.
    pub place: Place,
}

/// What an aggregator has done.
#[derive(Debug, Clone)]
pub struct Aggregated {
    /// Which round, from 1.
    pub round: usize,
    /// What is to be handed on.
    pub files: Vec<PathBuf>,
    /// Whether it has added up: its sum is among the files.
    pub finished: bool,
    /// The sites whose shares are right so far, by name.
    pub sites: Vec<String>,
}

/// What the aggregators tell each other, sealed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Findings {
    /// The key for the checks, in hexadecimal, so that all are of one length: the first draws it, the second says it again.
    key: String,
    /// For every site what the other one needs to check its proof, in hexadecimal.
    shown: Vec<(usize, String)>,
}

/// What the first aggregator has fixed for a round: kept in `internal/round-R.json` before it leaves. One key for all that is shown in a round,
/// whichever sites it goes on with: a share that was checked under several keys would tell more than that it is in range.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Begun {
    before: String,
    key: VerifyKey,
}

/// One opened share.
struct Opened {
    site: usize,
    share: Share,
    sha256: String,
    seeded: bool,
    certificates: Vec<Certificate>,
}

/// What is fixed for a step.
struct Step<'a> {
    settings: &'a AggregatorSettings,
    plan: &'a SitePlan,
    index: usize,
    key: KeyPair,
    rounds: &'a SitesRounds,
    round: &'a SiteRound,
    position: Position,
}

/// Takes the step of the open round that can be taken.
///
/// # Errors
/// [`StudyError`]: a missing, damaged, foreign or repeated share, a proof that does not hold, too few sites.
pub fn verify_round(settings: &AggregatorSettings) -> Result<Aggregated, StudyError> {
    let exchange = Exchange::read(&settings.public)?;
    let plan = &exchange.known.plan;
    let index = plan.aggregator(&settings.name)?;
    let key = KeyPair::read(&settings.key, &plan.aggregators[index].key)?;
    let loaded = load_template(&settings.template)?;
    plan.check_template(&loaded)?;
    let own = loaded.template.own_curves(plan.curves, plan.samples).map_err(TemplateLoadError::from)?;
    let statistic = plan.statistic(&own)?;
    let rounds = statistic.rounds();
    let (round, position) = (exchange.open_round(rounds)?, exchange.position());
    let step = Step { settings, plan, index, key, rounds, round: &round, position };
    job::run(&settings.place, |job| step.take(job))
}

impl Step<'_> {
    fn take(&self, job: &Job<'_>) -> Result<Aggregated, StudyError> {
        let mut purse = Purse::open(job.folder(), &self.position.plan)?;
        if let Some(files) = purse.again(&self.position)? {
            // It may have ended between the last answer and this.
            if self.position.round == self.rounds.count_rounds() {
                purse.close(&mut self.settings.place.ledger.open(job.folder(), "")?, &self.position)?;
            }
            return Ok(self.done(files, true, Vec::new()));
        }
        purse.check(&self.settings.place, self.rounds.price())?;
        let shares = self.shares()?;
        if self.index == 1 {
            return self.second(job, &mut purse, shares);
        }
        let path = job.folder().internal().join(format!("round-{}.json", self.position.round));
        let kept: Option<Begun> = match kept(&path, Limit::SMALL)? {
            None => None,
            Some(file) => {
                let wrong = |_| of(&path, "this is not the state of an aggregator");
                let begun: Begun = serde_json::from_slice(file.bytes()).map_err(wrong)?;
                Some(begun).filter(|begun| begun.before == self.position.before)
            }
        };
        let Some(begun) = kept else {
            let begun = Begun { before: self.position.before.clone(), key: random()? };
            let text = serde_json::to_string(&begun).map_err(|e| of(&path, e.to_string()))?;
            write_text(&path, &text)?;
            return self.first(job, &shares, &begun);
        };
        match self.findings(Kind::Reply)?.filter(|reply| reply.key == hex::encode(begun.key)) {
            Some(reply) => self.last(job, &mut purse, &shares, &begun, &reply),
            None => self.first(job, &shares, &begun),
        }
    }

    /// Opens the shares of this round, one of each site that takes part.
    fn shares(&self) -> Result<Vec<Opened>, StudyError> {
        let without: Vec<usize> =
            self.settings.without.iter().map(|name| self.plan.site(name)).collect::<Result<_, _>>()?;
        let mut found: Vec<Option<Opened>> = self.plan.sites.iter().map(|_| None).collect();
        for message in Message::read_all(&self.settings.inbox, &["share"])? {
            let header = &message.header;
            if header.to.as_deref() != Some(&self.settings.name) || self.is_of_an_earlier_round(&message) {
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
                    )
                    .into());
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
            ))
            .into());
        }
        let found: Vec<Opened> = found.into_iter().flatten().collect();
        self.enough(found.len())?;
        Ok(found)
    }

    /// Folders gather the messages of all rounds; one that was named itself is looked at.
    fn is_of_an_earlier_round(&self, message: &Message) -> bool {
        message.header.round < self.position.round && !self.settings.inbox.contains(&message.path)
    }

    fn enough(&self, sites: usize) -> Result<(), SitesError> {
        let fewest = self.plan.noise.fewest();
        if (sites as u64) < fewest {
            return Err(SitesError::Asked(format!(
                "{sites} sites are too few for this round: {fewest} are the fewest whose sum may be made known"
            )));
        }
        Ok(())
    }

    fn open_share(&self, message: &Message, site: usize) -> Result<Opened, StudyError> {
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
            return Err(refused().into());
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
    fn findings(&self, kind: Kind) -> Result<Option<Findings>, StudyError> {
        let other = &self.plan.aggregators[1 - self.index];
        let ending = if kind == Kind::Check { "check" } else { "reply" };
        for message in Message::read_all(&self.settings.inbox, &[ending])? {
            let header = &message.header;
            let for_us = header.kind == kind && header.to.as_deref() == Some(&self.settings.name);
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

    fn prepare(&self, key: &VerifyKey, one: &Opened) -> Result<Prepared, StudyError> {
        let name = &self.plan.sites[one.site].name;
        let sharer = sharer(self.plan, one.site, self.round, &self.position)?;
        sharer.prepare(key, self.index, &one.share).map_err(|e| wrong_share(name, &e))
    }

    /// The first aggregator shows what it found.
    fn first(&self, job: &Job<'_>, shares: &[Opened], begun: &Begun) -> Result<Aggregated, StudyError> {
        let mut shown = Vec::new();
        for one in shares {
            shown.push((one.site, hex::encode(self.prepare(&begun.key, one)?.shown()?)));
        }
        let file = self.sealed(Kind::Check, &Findings { key: hex::encode(begun.key), shown })?;
        let outbox = super::purse::outbox(job.folder().root())?;
        let path = outbox.join(&file.0);
        crate::io::write_bytes(&path, &file.1)?;
        Ok(self.done(vec![path], false, shares.iter().map(|one| one.site).collect()))
    }

    /// The second aggregator checks, adds up and answers.
    fn second(
        &self,
        job: &Job<'_>,
        purse: &mut Purse,
        shares: Vec<Opened>,
    ) -> Result<Aggregated, StudyError> {
        let first = &self.plan.aggregators[0].name;
        let Some(check) = self.findings(Kind::Check)? else {
            return Err(SitesError::Asked(format!(
                "round {}: {first} begins; its message for {} is not here yet",
                self.position.round, self.settings.name
            ))
            .into());
        };
        let mut key = VerifyKey::default();
        hex::decode_to_slice(&check.key, &mut key)
            .map_err(|_| SitesError::Asked(format!("the message of {first} has no key")))?;
        let (mut shown, mut sum) = (Vec::new(), self.empty());
        let mut taken = Vec::new();
        for (site, theirs) in &check.shown {
            let Some(one) = shares.iter().find(|one| one.site == *site) else {
                return Err(SitesError::Asked(format!(
                    "{first} has a share of {}, here is none: both must go on with the same sites",
                    self.plan.sites.get(*site).map_or("an unknown site", |site| &site.name)
                ))
                .into());
            };
            let own = self.prepare(&key, one)?;
            shown.push((*site, hex::encode(own.shown()?)));
            self.add(one, own, theirs, &mut sum)?;
            taken.push(one);
        }
        if let Some(one) = shares.iter().find(|one| !check.shown.iter().any(|(site, _)| *site == one.site)) {
            return Err(SitesError::Asked(format!(
                "{first} goes on without {}; do so too with --without, or ask it to begin again",
                self.plan.sites[one.site].name
            ))
            .into());
        }
        self.finish(job, purse, &taken, sum, Some(Findings { key: check.key.clone(), shown }))
    }

    /// The first aggregator checks the answer and adds up.
    fn last(
        &self,
        job: &Job<'_>,
        purse: &mut Purse,
        shares: &[Opened],
        begun: &Begun,
        reply: &Findings,
    ) -> Result<Aggregated, StudyError> {
        let mut sum = self.empty();
        let sites: Vec<usize> = reply.shown.iter().map(|(site, _)| *site).collect();
        if sites != shares.iter().map(|one| one.site).collect::<Vec<_>>() {
            return Err(SitesError::Asked(format!(
                "{} has added up other sites than those here; go on with the same, by --without",
                self.plan.aggregators[1].name
            ))
            .into());
        }
        for (one, (_, theirs)) in shares.iter().zip(&reply.shown) {
            let own = self.prepare(&begun.key, one)?;
            self.add(one, own, theirs, &mut sum)?;
        }
        self.finish(job, purse, &shares.iter().collect::<Vec<_>>(), sum, None)
    }

    fn empty(&self) -> Vec<Field128> {
        vec![Field128::zero(); self.round.noise().dimension()]
    }

    fn add(&self, one: &Opened, own: Prepared, theirs: &str, sum: &mut [Field128]) -> Result<(), StudyError> {
        let name = &self.plan.sites[one.site].name;
        let theirs = hex::decode(theirs).unwrap_or_default();
        let sharer = sharer(self.plan, one.site, self.round, &self.position)?;
        sharer.add(self.index, own, &theirs, sum).map_err(|e| wrong_share(name, &e))
    }

    /// Stores the sum, with noise where aggregators add it, and hands it on: once.
    fn finish(
        &self,
        job: &Job<'_>,
        purse: &mut Purse,
        shares: &[&Opened],
        mut sum: Vec<Field128>,
        reply: Option<Findings>,
    ) -> Result<Aggregated, StudyError> {
        self.enough(shares.len())?;
        let mut seeded = shares.iter().any(|one| one.seeded);
        let sites: Vec<usize> = shares.iter().map(|one| one.site).collect();
        // An aggregator's ledger counts what it has added up, once a plan.
        let mut ledger = self.settings.place.ledger.open(job.folder(), "")?;
        let price = self.rounds.price();
        let paid = purse.pay(&mut ledger, price.charged(), &self.position.plan, "an aggregator's")?;
        if self.plan.noise == Sharing::Aggregators {
            let part = self.rounds.part(paid, self.position.round - 1)?;
            let mut noise = job.noise(((self.index as u64 + 1) << 32) ^ self.position.round as u64)?;
            seeded |= noise.is_seeded();
            let share = self.round.noise().share(&mut noise, &part).map_err(MechanismError::from)?;
            add_steps(&mut sum, &share);
        }
        let mut header = self.header(Kind::Aggregate, None);
        (header.seeded, header.sites) = (seeded, sites.clone());
        header.certificates = shares.iter().flat_map(|one| one.certificates.clone()).collect();
        let mut files = vec![(header.file_name(), to_bytes(&header.line()?, &sum_to_bytes(sum)?))];
        if let Some(reply) = reply {
            files.push(self.sealed(Kind::Reply, &reply)?);
        }
        let files = purse.answer(&self.position, &files)?;
        if self.position.round == self.rounds.count_rounds() {
            purse.close(&mut ledger, &self.position)?;
        }
        Ok(self.done(files, true, sites))
    }

    fn header(&self, kind: Kind, to: Option<&str>) -> Header {
        self.position.header(kind, &self.settings.name, to)
    }

    fn sealed(&self, kind: Kind, findings: &Findings) -> Result<(String, Vec<u8>), StudyError> {
        let other = &self.plan.aggregators[1 - self.index];
        let header = self.header(kind, Some(&other.name));
        let line = header.line()?;
        let body = serde_json::to_vec(findings).map_err(|e| SitesError::Asked(e.to_string()))?;
        Ok((header.file_name(), to_bytes(&line, &self.key.seal(&other.key, &line, &body)?)))
    }

    fn done(&self, files: Vec<PathBuf>, finished: bool, sites: Vec<usize>) -> Aggregated {
        let sites = sites.into_iter().map(|site| self.plan.sites[site].name.clone()).collect();
        Aggregated { round: self.position.round, files, finished, sites }
    }
}

fn wrong_share(site: &str, why: &SitesError) -> StudyError {
    SitesError::Asked(format!(
        "the share of {site} does not hold ({why}): an entry is out of range, or its two halves are not of one sharing; ask for both again, \
         or go on with --without {site}"
    ))
    .into()
}
