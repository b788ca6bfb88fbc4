//! What a site does in a round: adds up its people, pays once, adds noise, and hands on one sum.

use super::certificate::site_certificate;
use super::error::SitesError;
use super::exchange::Exchange;
use super::message::{Kind, Position, steps_to_bytes, to_bytes};
use super::plan::SitePlan;
use super::purse::{Due, Purse};
use super::seal::{KeyPair, has_signing_half};
use super::table::SiteTable;
use super::vdaf::Sharer;
use crate::job::{self, Job};
use crate::mechanism::functional::{RoundKind, Sharing, SiteRound, SitesRounds};
use crate::privacy::noise::{NoiseSource, SharedSum};
use crate::privacy::{Charge, Neighbours, Price};
use crate::study::face::FaceInputs;
use crate::study::face::{FaceProgress, FaceStudy};
use crate::study::{Counting, Unusable};
use std::path::PathBuf;

/// What a site is told.
#[derive(Debug, Clone)]
pub struct SiteSettings {
    /// The public folder.
    pub public: PathBuf,
    /// Its name in the plan.
    pub name: String,
    /// Its secret key, where the plan names the public one: sums are sealed or signed with it.
    pub key: Option<PathBuf>,
    /// Its people's groups or covariates, where the plan asks for them: a table as for `face compare` or `face regress`.
    pub table: Option<PathBuf>,
    /// Its people, and its folder. Curves, samples and registration are the plan's.
    pub records: FaceInputs,
}

/// What a site has done.
#[derive(Debug, Clone)]
pub struct SiteAnswer {
    /// Which round, from 1.
    pub round: usize,
    /// Of how many.
    pub rounds: usize,
    /// What was asked.
    pub kind: RoundKind,
    /// What is to be handed on.
    pub files: Vec<PathBuf>,
    /// Whether the round had been answered before: the same files again.
    pub again: bool,
    /// People.
    pub n: u64,
    /// How many of its records could not be used, of how many; for the data holder only.
    pub failed: (usize, usize),
    /// What looks odd in the table of covariates; for the data holder only.
    pub remarks: Vec<String>,
}

/// What is fixed for a step of a site.
struct Step<'a> {
    plan: &'a SitePlan,
    site: usize,
    rounds: &'a SitesRounds,
    round: &'a SiteRound,
    position: &'a Position,
    key: Option<&'a KeyPair>,
    counting: &'a Counting,
}

/// A site's price: that of the whole, for its own people. Two plans may have two partitions of them.
fn price_of(rounds: &SitesRounds, n: u64, plan: &str) -> Price {
    let all = rounds.price();
    let neighbours = match all.neighbours.adjacency().within_groups() {
        true => Neighbours::default().within(plan),
        false => Neighbours::default(),
    };
    Price { n, sensitivity: None, scale: None, neighbours, ..all.clone() }
}

/// Answers the open round.
///
/// # Errors
/// [`SitesError`]; nothing is charged unless all that can be checked without a draw was right.
pub fn answer_round(
    settings: &SiteSettings,
    progress: &(dyn Fn(FaceProgress) + Sync),
) -> Result<SiteAnswer, SitesError> {
    let exchange = Exchange::read(&settings.public)?;
    let plan = &exchange.known.plan;
    let site = plan.site(&settings.name)?;
    let inputs = FaceInputs {
        curves: plan.curves,
        samples: plan.samples,
        registration: plan.registration,
        // What the certificate of the whole says.
        unusable: Unusable::Zero,
        ..settings.records.clone()
    };
    let study = FaceStudy::open(&inputs)?;
    plan.check_template(&study.loaded)?;
    let own = &plan.sites[site];
    if study.n() != own.n {
        return Err(SitesError::Asked(format!(
            "the plan says that {} has {} people, here are {}: the numbers are public and fixed",
            own.name,
            own.n,
            study.n()
        )));
    }
    let (table, remarks) = SiteTable::read(plan, own, &study, settings.table.as_deref())?;
    let key = match (&settings.key, &own.key) {
        (_, None) => None,
        (Some(path), Some(public)) => Some(KeyPair::read(path, public)?),
        (None, Some(public)) if plan.noise == Sharing::Each && !has_signing_half(public) => None,
        (None, Some(_)) => {
            let what = "this plan names a key of this site, to seal or sign its sums with: give its --key";
            return Err(SitesError::Asked(what.into()));
        }
    };
    let statistic = plan.statistic(&study.own)?;
    let rounds = statistic.rounds();
    let (round, position) = (exchange.open_round(rounds)?, exchange.position());
    let (key, counting) = (key.as_ref(), &study.counting);
    let step = Step { plan, site, rounds, round: &round, position: &position, key, counting };
    let maker = study.maker()?;
    let (files, again, failed) = job::run(&inputs.place, |job| -> Result<_, SitesError> {
        let mut purse = Purse::open(job.folder(), &position.plan)?;
        let price = price_of(rounds, own.n, &position.plan);
        let seeded = inputs.place.seed.is_some();
        let neighbours = price.neighbours.clone().of_persons(study.counting.counts_persons());
        let part = price.charged_as(seeded).with_terms(neighbours, seeded);
        purse.check(&inputs.place, &price, &part)?;
        // Also where the answer is stored: it is of these records, and is handed on again for no others.
        let gathered = study.gather(job, &maker, progress)?;
        let failed = (gathered.failed, gathered.scans);
        let digest = study.digest(&table.settings(&position.plan), &price, &gathered);
        if let Some(files) = purse.again(&inputs.place, &part, &position, digest.as_str())? {
            return Ok((files, true, failed));
        }
        let sum = round.sum(&gathered.faces, table.people())?;
        let mut ledger = purse.ledger(&inputs.place, &part)?;
        let (records, closed) = (digest.as_str(), exchange.answered_by(site));
        let due = Due { part, once: false, position: &position, records, closed };
        let paid = purse.pay(&mut ledger, due)?;
        let part = rounds.part(paid, position.round - 1)?;
        let messages = step.messages(job, &purse, &sum, &part, price)?;
        let files = purse.answer(&mut ledger, &position, &messages)?;
        Ok((files, false, failed))
    })?;
    let (number, rounds) = (position.round, rounds.count_rounds());
    Ok(SiteAnswer { round: number, rounds, kind: round.kind(), files, again, n: own.n, failed, remarks })
}

impl Step<'_> {
    /// What is handed on: the noised sum as it is, or shared out over two sealed files.
    fn messages(
        &self,
        job: &Job<'_>,
        purse: &Purse,
        sum: &SharedSum,
        paid: &Charge,
        price: Price,
    ) -> Result<Vec<(String, Vec<u8>)>, SitesError> {
        // With a fixed seed every site and round has its own stream all the same.
        let mut noise = job.noise(((self.site as u64 + 1) << 8) ^ self.position.round as u64)?;
        let seeded = noise.is_seeded();
        let steps = self.noised(sum, &mut noise, paid)?;
        let certificate =
            site_certificate(self.plan, self.site, self.counting, price, purse.receipt(), seeded)?;
        let name = &self.plan.sites[self.site].name;
        let header = |kind, to: Option<&str>| {
            let mut header = self.position.header(kind, name, to);
            (header.seeded, header.sites) = (seeded, vec![self.site]);
            header.certificates = vec![certificate.clone()];
            header
        };
        let Some(key) = self.key.filter(|_| self.plan.noise != Sharing::Each) else {
            let header = header(Kind::Sum, None);
            let sum = to_bytes(&header.line()?, &steps_to_bytes(&steps));
            return Ok(vec![(header.file_name(), self.key.map_or(sum.clone(), |key| key.signed(sum)))]);
        };
        let sharer = sharer(self.plan, self.site, self.round, self.position)?;
        let mut files = Vec::new();
        for (share, to) in sharer.shard(&steps)?.iter().zip(&self.plan.aggregators) {
            let header = header(Kind::Share, Some(&to.name));
            let line = header.line()?;
            let sealed = key.seal(&to.key, &line, &share.to_bytes())?;
            files.push((header.file_name(), to_bytes(&line, &sealed)));
        }
        Ok(files)
    }

    fn noised(
        &self,
        sum: &SharedSum,
        noise: &mut NoiseSource,
        paid: &Charge,
    ) -> Result<Vec<i128>, SitesError> {
        let shared = self.round.noise();
        let steps = match self.rounds.sites().sharing {
            Sharing::Aggregators => shared.bare(sum, paid),
            Sharing::Sites { .. } | Sharing::Each => shared.masked(sum, noise, paid),
        };
        Ok(steps.map_err(crate::mechanism::MechanismError::from)?)
    }
}

/// How a site's sum of this round is shared out.
pub(super) fn sharer(
    plan: &SitePlan,
    site: usize,
    round: &SiteRound,
    position: &Position,
) -> Result<Sharer, SitesError> {
    let Position { plan: id, round: number, before } = position;
    let own = &plan.sites[site];
    let context = format!("visard sites {id} {number} {before} {}", own.name);
    Sharer::new(round.noise().dimension(), round.noise().range(own.n), context)
}
