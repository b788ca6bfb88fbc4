//! What an aggregator does in a round: opens its shares, checks their proofs with the other one, and adds up, once.
//!
//! The first aggregator begins: it opens its shares, draws the key for the checks, and seals what it found for the second. The second opens
//! its own, checks, adds up, and seals its answer for the first, which then does the same. A round's set of sites is fixed by the first,
//! narrowed by nobody silently, and added up once by each: the difference of two sums over sets that differ by one site would be that site's
//! own, with no more than its share of the noise. The record of what was added up is a ledger, which lies beside the aggregator's key unless
//! it is told another place, so that a copied or new folder finds it.

use super::error::SitesError;
use super::exchange::Exchange;
use super::inbox::{Findings, Inbox, Opened};
use super::message::{Header, Kind, Message, Position, to_bytes};
use super::plan::SitePlan;
use super::purse::{Due, Purse};
use super::seal::KeyPair;
use super::site::sharer;
use super::vdaf::{Prepared, VerifyKey, add_steps, sum_to_bytes};
use crate::job::{self, Job};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{Sharing, SiteRound, SitesRounds};
use crate::privacy::Part;
use crate::study::face::{TemplateLoadError, TemplateSource, load_template};
use crate::study::{LedgerChoice, Place, StudyFolder, ledger_of};
use prio::field::{Field128, FieldElement};
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
    /// Its folder. Its ledger is the one beside its key by default: KEY.ledger.jsonl.
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

/// What stands for the records of a party that has none.
const NO_RECORDS: &str = "an aggregator's";

/// What is fixed for a step.
struct Step<'a> {
    settings: &'a AggregatorSettings,
    place: &'a Place,
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
/// [`SitesError`]: a missing, damaged, foreign or repeated share, a proof that does not hold, too few sites.
pub fn verify_round(settings: &AggregatorSettings) -> Result<Aggregated, SitesError> {
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
    let place = Place { ledger: beside_key(settings), ..settings.place.clone() };
    let step = Step { settings, place: &place, plan, index, key, rounds, round: &round, position };
    job::run(&place, |job| step.take(job))
}

/// The ledger beside the key, where none was named and the folder has none: whichever folder it is that works with the key, that is found.
fn beside_key(settings: &AggregatorSettings) -> LedgerChoice {
    let choice = settings.place.ledger.clone();
    let own = StudyFolder::at(&settings.place.out).own_ledger();
    let known = ledger_of(&settings.place.out).ok().flatten().filter(|path| *path != own || own.exists());
    if choice.file.is_some() || known.is_some() {
        return choice;
    }
    // The key was read: it is there.
    let key = settings.key.canonicalize().unwrap_or_else(|_| settings.key.clone());
    LedgerChoice { file: Some(PathBuf::from(format!("{}.ledger.jsonl", key.display()))), ..choice }
}

impl Step<'_> {
    fn take(&self, job: &Job<'_>) -> Result<Aggregated, SitesError> {
        let mut purse = Purse::open(job.folder(), &self.position.plan)?;
        purse.check(self.place, self.rounds.price(), &self.part())?;
        if let Some(files) = purse.stored(&self.position)? {
            let sites = self.added_up(&files)?;
            let again = purse.again(self.place, &self.part(), &self.position, NO_RECORDS)?;
            return Ok(self.done(again.unwrap_or_default(), true, sites));
        }
        let shares = self.inbox().shares(&self.without()?)?;
        self.enough(shares.len())?;
        if self.index == 1 {
            return self.second(job, &mut purse, shares);
        }
        let key = self.check_key();
        match self.findings(Kind::Reply)?.filter(|reply| reply.key == hex::encode(key)) {
            Some(reply) => self.last(job, &mut purse, &shares, &key, &reply),
            None => self.first(job, &shares, &key),
        }
    }

    /// What is charged for the plan, by a name that tells it from other plans.
    fn part(&self) -> Part {
        let part = self.rounds.price().charged_as(self.place.seed.is_some());
        let named = format!("{}, added up for the plan {}", part.mechanism, self.position.plan);
        Part { mechanism: named, ..part }
    }

    /// The first aggregator's key for the checks of this round: one, no matter which sites remain and from which folder, since a share
    /// that was checked under several keys would tell more than that it is in range. Sites cannot know it: it is made of the secret key.
    fn check_key(&self) -> VerifyKey {
        let Position { plan, round, before } = &self.position;
        self.key.secret_for(&format!("checks of round {round} after {before} of the plan {plan}"))
    }

    /// The sites in a stored sum, if they are those that are asked for.
    fn added_up(&self, files: &[PathBuf]) -> Result<Vec<usize>, SitesError> {
        let stored = files.iter().find(|file| file.extension().is_some_and(|ending| ending == "aggregate"));
        let sites = match stored {
            Some(file) => Message::read(file)?.header.sites,
            None => return Err(SitesError::Asked("the stored answer has no sum".into())),
        };
        let without = self.without()?;
        let (asked, stood): (Vec<_>, Vec<_>) =
            (0..self.plan.sites.len()).map(|site| (!without.contains(&site), sites.contains(&site))).unzip();
        if asked == stood {
            return Ok(sites);
        }
        let names: Vec<&str> = sites
            .iter()
            .filter_map(|site| self.plan.sites.get(*site))
            .map(|site| site.name.as_str())
            .collect();
        Err(SitesError::Asked(format!(
            "round {} has been added up over {}, and is added up once: ask for the same sites again, by --without",
            self.position.round,
            names.join(", ")
        )))
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

    /// Sites that this round goes on without.
    fn without(&self) -> Result<Vec<usize>, SitesError> {
        self.settings.without.iter().map(|name| self.plan.site(name)).collect()
    }

    fn inbox(&self) -> Inbox<'_> {
        let AggregatorSettings { name, inbox, .. } = self.settings;
        Inbox { plan: self.plan, position: &self.position, own: name, key: &self.key, messages: inbox }
    }

    /// What the other aggregator has told in this round, where it is there.
    fn findings(&self, kind: Kind) -> Result<Option<Findings>, SitesError> {
        self.inbox().findings(&self.plan.aggregators[1 - self.index], kind)
    }

    fn prepare(&self, key: &VerifyKey, one: &Opened) -> Result<Prepared, SitesError> {
        let name = &self.plan.sites[one.site].name;
        let sharer = sharer(self.plan, one.site, self.round, &self.position)?;
        sharer.prepare(key, self.index, &one.share).map_err(|e| wrong_share(name, &e))
    }

    /// The first aggregator shows what it found.
    fn first(&self, job: &Job<'_>, shares: &[Opened], key: &VerifyKey) -> Result<Aggregated, SitesError> {
        let mut shown = Vec::new();
        for one in shares {
            shown.push((one.site, hex::encode(self.prepare(key, one)?.shown()?)));
        }
        let file = self.sealed(Kind::Check, &Findings { key: hex::encode(key), shown })?;
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
    ) -> Result<Aggregated, SitesError> {
        let first = &self.plan.aggregators[0].name;
        let Some(check) = self.findings(Kind::Check)? else {
            return Err(SitesError::Asked(format!(
                "round {}: {first} begins; its message for {} is not here yet",
                self.position.round, self.settings.name
            )));
        };
        let mut key = VerifyKey::default();
        hex::decode_to_slice(&check.key, &mut key)
            .map_err(|_| SitesError::Asked(format!("the message of {first} has no key")))?;
        // A site that is named twice would count twice, and its people's noise would be too small.
        if !check.shown.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(SitesError::Asked(format!(
                "the message of {first} names a site twice, or not in the plan's order: every site is added up once"
            )));
        }
        let (mut shown, mut sum) = (Vec::new(), self.empty());
        let mut taken = Vec::new();
        for (site, theirs) in &check.shown {
            let Some(one) = shares.iter().find(|one| one.site == *site) else {
                return Err(SitesError::Asked(format!(
                    "{first} has a share of {}, here is none: both must go on with the same sites",
                    self.plan.sites.get(*site).map_or("an unknown site", |site| &site.name)
                )));
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
            )));
        }
        self.finish(job, purse, &taken, sum, Some(Findings { key: check.key.clone(), shown }))
    }

    /// The first aggregator checks the answer and adds up.
    fn last(
        &self,
        job: &Job<'_>,
        purse: &mut Purse,
        shares: &[Opened],
        key: &VerifyKey,
        reply: &Findings,
    ) -> Result<Aggregated, SitesError> {
        let mut sum = self.empty();
        let sites: Vec<usize> = reply.shown.iter().map(|(site, _)| *site).collect();
        if sites != shares.iter().map(|one| one.site).collect::<Vec<_>>() {
            return Err(SitesError::Asked(format!(
                "{} has added up other sites than those here; go on with the same, by --without",
                self.plan.aggregators[1].name
            )));
        }
        for (one, (_, theirs)) in shares.iter().zip(&reply.shown) {
            let own = self.prepare(key, one)?;
            self.add(one, own, theirs, &mut sum)?;
        }
        self.finish(job, purse, &shares.iter().collect::<Vec<_>>(), sum, None)
    }

    fn empty(&self) -> Vec<Field128> {
        vec![Field128::zero(); self.round.noise().dimension()]
    }

    fn add(&self, one: &Opened, own: Prepared, theirs: &str, sum: &mut [Field128]) -> Result<(), SitesError> {
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
    ) -> Result<Aggregated, SitesError> {
        self.enough(shares.len())?;
        let mut seeded = shares.iter().any(|one| one.seeded);
        let sites: Vec<usize> = shares.iter().map(|one| one.site).collect();
        // An aggregator's ledger counts what it has added up, once a plan.
        let part = self.part();
        let mut ledger = purse.ledger(self.place, &part)?;
        let closed = (1..self.position.round).map(|round| (round, None)).collect();
        let due = Due { part, once: true, position: &self.position, records: NO_RECORDS, closed };
        let paid = purse.pay(&mut ledger, due)?;
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
        let sum = self.key.signed(to_bytes(&header.line()?, &sum_to_bytes(sum)?));
        let mut files = vec![(header.file_name(), sum)];
        if let Some(reply) = reply {
            files.push(self.sealed(Kind::Reply, &reply)?);
        }
        let files = purse.answer(&mut ledger, &self.position, &files)?;
        Ok(self.done(files, true, sites))
    }

    fn header(&self, kind: Kind, to: Option<&str>) -> Header {
        self.position.header(kind, &self.settings.name, to)
    }

    fn sealed(&self, kind: Kind, findings: &Findings) -> Result<(String, Vec<u8>), SitesError> {
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

fn wrong_share(site: &str, why: &SitesError) -> SitesError {
    SitesError::Asked(format!(
        "the share of {site} is not valid ({why}): an entry is out of range, or its two halves are not of one sharing; ask for both again, \
         or go on with --without {site}"
    ))
}
