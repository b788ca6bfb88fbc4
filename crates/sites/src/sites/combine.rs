//! What closes a round, and in the end the release: noised sums and public things only.

use super::certificate::{caveats, details};
use super::error::{SitesError, of};
use super::exchange::Exchange;
use super::message::{Kind, Message, steps_of_bytes};
use super::statistic::{Around, Findings, SitesStatistic};
use super::vdaf::opened;
use crate::function::FaceCurves;
use crate::mechanism::functional::{Answer, RoundKind, Sharing, SiteRound};
use crate::privacy::{Certificate, Mu};
use crate::study::Place;
use crate::study::face::{LoadedTemplate, TemplateLoadError, TemplateSource, load_template};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// What is told to whoever closes a round.
#[derive(Debug, Clone)]
pub struct CombineSettings {
    /// The public folder.
    pub public: PathBuf,
    /// Messages, or folders of them: sites' sums, or the aggregators'.
    pub inbox: Vec<PathBuf>,
    /// Sites that this round goes on without, where sites' own sums are put together.
    pub without: Vec<String>,
    /// The plan's template.
    pub template: TemplateSource,
    /// The folder of the release, which the last round makes.
    pub place: Place,
}

/// What closing a round has done.
#[derive(Debug, Clone)]
pub struct Closed {
    /// Which round, from 1.
    pub round: usize,
    /// Of how many.
    pub rounds: usize,
    /// What was asked.
    pub kind: RoundKind,
    /// The release, after the last.
    pub released: Option<(Certificate, Findings)>,
}

/// Noised sums of a round, and whose.
struct Gathered {
    answer: Answer,
    seeded: bool,
    certificates: Vec<Certificate>,
}

/// Closes the open round with sites' own sums.
///
/// # Errors
/// [`SitesError`].
pub fn merge_round(settings: &CombineSettings) -> Result<Closed, SitesError> {
    close(settings, "site merge", Sharing::Each, own_sums)
}

/// Closes the open round with the aggregators' sums.
///
/// # Errors
/// [`SitesError`].
pub fn unshare_round(settings: &CombineSettings) -> Result<Closed, SitesError> {
    close(settings, "site unshare", Sharing::Aggregators, aggregated)
}

fn close(
    settings: &CombineSettings,
    command: &str,
    kind: Sharing,
    gather: impl Fn(&CombineSettings, &Exchange, &SiteRound) -> Result<Gathered, SitesError>,
) -> Result<Closed, SitesError> {
    let exchange = Exchange::read(&settings.public)?;
    let plan = &exchange.known.plan;
    if (plan.noise == Sharing::Each) != (kind == Sharing::Each) {
        return Err(SitesError::Asked(format!(
            "{command} is not for this plan: with aggregators a round is closed by site unshare, without them by site merge"
        )));
    }
    let loaded = load_template(&settings.template)?;
    plan.check_template(&loaded)?;
    let own = loaded.template.own_curves(plan.curves, plan.samples).map_err(TemplateLoadError::from)?;
    let statistic = plan.statistic(&own)?;
    let all = statistic.rounds();
    // A release whose last round was closed is made again from the same results.
    if all.next(&exchange.results())?.is_none() {
        let last = exchange.rounds.last().ok_or_else(|| SitesError::Asked("there are no results".into()))?;
        let (round, kind) = (last.round, last.kind);
        let released = Some(publish(settings, &exchange, statistic, loaded, own)?);
        return Ok(Closed { round, rounds: round, kind, released });
    }
    let round = exchange.open_round(all)?;
    let Gathered { answer, seeded, certificates } = gather(settings, &exchange, &round)?;
    let result = round.result(&answer, all.sites())?;
    let seeded = seeded || exchange.rounds.iter().any(|round| round.seeded);
    let (number, rounds, kind) = (exchange.position().round, all.count_rounds(), round.kind());
    let exchange = exchange.write(kind, result, seeded, certificates)?;
    let released =
        if number == rounds { Some(publish(settings, &exchange, statistic, loaded, own)?) } else { None };
    Ok(Closed { round: number, rounds, kind, released })
}

/// The messages of this round of a kind; in folders, those of earlier rounds are passed over.
fn messages(
    settings: &CombineSettings,
    exchange: &Exchange,
    kind: Kind,
    ending: &str,
) -> Result<Vec<Message>, SitesError> {
    let position = exchange.position();
    let mut found = Vec::new();
    for message in Message::read_all(&settings.inbox, &[ending])? {
        if message.header.round < position.round && !settings.inbox.contains(&message.path) {
            continue;
        }
        position.check(&message)?;
        if message.header.kind != kind {
            return Err(of(&message.path, "is a different kind of message"));
        }
        found.push(message);
    }
    Ok(found)
}

fn own_sums(
    settings: &CombineSettings,
    exchange: &Exchange,
    round: &SiteRound,
) -> Result<Gathered, SitesError> {
    let plan = &exchange.known.plan;
    let without: Vec<usize> =
        settings.without.iter().map(|name| plan.site(name)).collect::<Result<_, _>>()?;
    let mut found: Vec<Option<(Message, Vec<i128>)>> = plan.sites.iter().map(|_| None).collect();
    for message in messages(settings, exchange, Kind::Sum, "sum")? {
        let site = plan.site(&message.header.from).map_err(|e| of(&message.path, e.to_string()))?;
        if without.contains(&site) {
            continue;
        }
        let message = message.signed_by(plan.sites[site].key.as_deref().unwrap_or_default())?;
        let refused = |what: &str| of(&message.path, what);
        let length = round.noise().dimension();
        let damaged = "does not hold a sum of this round, or was damaged; ask for it again";
        let sum = steps_of_bytes(&message.body, length).ok_or_else(|| refused(damaged))?;
        let most = round.noise().range(plan.sites[site].n);
        if sum.iter().any(|k| k.unsigned_abs() > most) {
            return Err(refused(
                "has an entry out of range: the site's program or its people's number is another",
            ));
        }
        check_certificate(&message, exchange, site)?;
        if found[site].as_ref().is_some_and(|(other, _)| other.sha256 != message.sha256) {
            return Err(refused("is a second sum of its site; a site answers once"));
        }
        found[site] = Some((message, sum));
    }
    let missing: Vec<&str> = (0..plan.sites.len())
        .filter(|i| found[*i].is_none() && !without.contains(i))
        .map(|i| plan.sites[i].name.as_str())
        .collect();
    if !missing.is_empty() {
        return Err(SitesError::Asked(format!(
            "round {}: no sum of {}; wait for it, or go on with --without {}",
            exchange.position().round,
            missing.join(", "),
            missing.join(" --without ")
        )));
    }
    let (mut sums, mut seeded, mut certificates) = (Vec::new(), false, Vec::new());
    for (site, (message, sum)) in found.into_iter().enumerate().filter_map(|(i, one)| Some((i, one?))) {
        sums.push((site, sum));
        seeded |= message.header.seeded;
        certificates.extend(message.header.certificates);
    }
    Ok(Gathered { answer: Answer::Apart(sums), seeded, certificates })
}

/// A site's certificate must be of this plan.
fn check_certificate(message: &Message, exchange: &Exchange, site: usize) -> Result<(), SitesError> {
    let plan = &exchange.known.plan;
    let refused = |what: &str| Err(of(&message.path, what));
    let [certificate] = &message.header.certificates[..] else {
        return refused("has no certificate of its site");
    };
    if certificate.to_json().and_then(|text| Certificate::from_json(&text)).is_err() {
        return refused("has a certificate that contradicts itself");
    }
    if certificate.public_inputs != [plan.template.clone()] || certificate.n != plan.sites[site].n {
        return refused("is certified for other public inputs or another number of people than the plan's");
    }
    Ok(())
}

fn aggregated(
    settings: &CombineSettings,
    exchange: &Exchange,
    round: &SiteRound,
) -> Result<Gathered, SitesError> {
    let plan = &exchange.known.plan;
    let mut found: [Option<Message>; 2] = [None, None];
    for message in messages(settings, exchange, Kind::Aggregate, "aggregate")? {
        let index = plan.aggregator(&message.header.from).map_err(|e| of(&message.path, e.to_string()))?;
        let message = message.signed_by(&plan.aggregators[index].key)?;
        if found[index].as_ref().is_some_and(|other| other.sha256 != message.sha256) {
            return Err(of(&message.path, "is a second sum of its aggregator"));
        }
        found[index] = Some(message);
    }
    let [Some(a), Some(b)] = found else {
        return Err(SitesError::Asked(format!(
            "round {}: the sums of both aggregators are needed (files ending in .aggregate)",
            exchange.position().round
        )));
    };
    if a.header.sites != b.header.sites {
        return Err(of(&b.path, "is of other sites than the other aggregator's sum"));
    }
    let sites = a.header.sites.clone();
    if sites.iter().any(|site| *site >= plan.sites.len()) {
        return Err(of(&a.path, "names a site that is not in the plan"));
    }
    let noise = round.noise();
    let offset: u128 = sites.iter().map(|site| noise.range(plan.sites[*site].n)).sum();
    // Room for the aggregators' own noise.
    let most = offset + 2 * noise.range(0);
    let sum = opened([&a.body, &b.body], noise.dimension(), offset, most).ok_or_else(|| {
        let what = "and the other aggregator's do not add up to a sum of this round: one of them was damaged, or is of another run";
        of(&a.path, what)
    })?;
    let seeded = a.header.seeded || b.header.seeded;
    let certificates = a.header.certificates;
    Ok(Gathered { answer: Answer::Pooled { sites, sum }, seeded, certificates })
}

/// The release of all rounds.
fn publish(
    settings: &CombineSettings,
    exchange: &Exchange,
    statistic: SitesStatistic,
    loaded: LoadedTemplate,
    own: FaceCurves,
) -> Result<(Certificate, Findings), SitesError> {
    let plan = &exchange.known.plan;
    let last = exchange.rounds.last().ok_or_else(|| SitesError::Asked("there are no results".into()))?;
    let (n, seeded) = (statistic.rounds().sites().people(&last.result.sites), last.seeded);
    let mut details = details(plan, &exchange.known.id);
    let names =
        |sites: &[usize]| -> Vec<&str> { sites.iter().map(|i| plan.sites[*i].name.as_str()).collect() };
    let rounds: Vec<Value> = exchange
        .rounds
        .iter()
        .map(|round| json!({"round": round.round, "what": round.kind.to_string(), "sites": names(&round.result.sites)}))
        .collect();
    details.insert("rounds".into(), json!(rounds));
    // One of each site, as it stood in the last round that the site was in.
    let mut certificates: Map<String, Value> = Map::new();
    for (round, site) in
        exchange.rounds.iter().flat_map(|round| round.result.sites.iter().map(move |site| (round, site)))
    {
        let at = round.result.sites.iter().position(|one| one == site).unwrap_or_default();
        if let Some(certificate) = round.certificates.get(at) {
            certificates.insert(plan.sites[*site].name.clone(), json!(certificate));
        }
    }
    details.insert("site_certificates".into(), Value::Object(certificates));
    let (registration, caveats) = (plan.registration, caveats(plan));
    let mu = Mu::new(plan.mu)?;
    let around = Around { loaded, own, registration, caveats, details, seeded, mu, n };
    statistic.publish(&exchange.results(), around, &settings.place)
}
