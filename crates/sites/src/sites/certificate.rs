//! What certificates of many sites say: who adds the noise, and what is assumed.

use super::error::SitesError;
use super::plan::{Site, SitePlan};
use crate::job::JobError;
use crate::job::copies::Kind;
use crate::mechanism::functional::Sharing;
use crate::privacy::{Caveat, Certificate, Price, Receipt, WITHIN_GROUPS, WITHIN_GROUPS_TEXT};
use crate::study::Counting;
use serde_json::{Map, Value, json};

/// How much total variation separates the sums of shares from exact noise, as the proof bounds it.
const ETA: &str = "2^-1000";

/// The assumptions of a plan, in words.
pub(super) fn assumption(noise: Sharing, sites: usize) -> String {
    match noise {
        Sharing::Sites { honest } => format!(
            "the noise is in shares of the sites: it is enough if at least {honest} of the sites in every sum (of {sites} in the plan) add \
             theirs and do not tell it, and if the two aggregators do not collude; whoever knows the shares of the other {} still faces the \
             whole noise. If the aggregators collude, a site's people have only its own share before them (mu times {:.3})",
            sites as u64 - honest.min(sites as u64),
            (honest as f64).sqrt()
        ),
        Sharing::Aggregators => "each of the two aggregators adds the whole noise: it is enough if one of them is honest; if they collude, sites' \
                                 sums are open to them without noise"
            .into(),
        Sharing::Each => {
            "every site adds the whole noise to its own sum: nothing is assumed of other sites or of whoever puts sums together".into()
        }
    }
}

/// What range proofs and sites' words leave open.
const UNSEEN: &str = "proofs of range bound every entry of what a site hands on, not the norm of its records, not that its share of noise is \
                      there, and not that its records are people: a site that lies spoils the result, and counts as one that adds no noise";

/// What of the exchange was signed, in words.
fn signatures(plan: &SitePlan) -> &'static str {
    match plan.noise {
        _ if plan.unsigned().is_some() => {
            "none: the plan is of an earlier version, without keys to check signatures with; whoever carried sums could change them"
        }
        Sharing::Each if plan.sites.iter().all(|site| site.key.is_some()) => {
            "of every site, on its sums (Ed25519)"
        }
        Sharing::Each => {
            "on the sums of sites that have a key in the plan; whoever carried the others could change them"
        }
        _ => "of both aggregators, on their sums (Ed25519); shares are sealed by their sites",
    }
}

/// Public numbers of the exchange.
pub(super) fn details(plan: &SitePlan, id: &str) -> Map<String, Value> {
    let one = |site: &Site| match &site.groups[..] {
        [] => json!({"name": site.name, "n": site.n}),
        groups => json!({"name": site.name, "n": site.n, "groups": groups}),
    };
    let names: Vec<Value> = plan.sites.iter().map(one).collect();
    let aggregators: Vec<&str> = plan.aggregators.iter().map(|one| one.name.as_str()).collect();
    let who = match plan.noise {
        Sharing::Sites { honest } => json!({"by": "sites", "K": plan.sites.len(), "K_honest": honest}),
        Sharing::Aggregators => json!({"by": "aggregators", "K": 2, "K_honest": 1}),
        Sharing::Each => json!({"by": "each site the whole", "K": plan.sites.len(), "K_honest": 0}),
    };
    let mut details = Map::new();
    details.insert("plan".into(), json!(id));
    details.insert("sites".into(), json!(names));
    details.insert("aggregators".into(), json!(aggregators));
    details.insert("noise_added".into(), who);
    details.insert("assumption".into(), json!(assumption(plan.noise, plan.sites.len())));
    details.insert("not_seen".into(), json!(UNSEEN));
    details.insert("signatures".into(), json!(signatures(plan)));
    details.insert(
        "total_variation".into(),
        json!(format!(
            "delta(epsilon) is that of mu plus (1 + e^epsilon) times {ETA}, for sums of rounded shares"
        )),
    );
    details
}

/// What a guarantee under assumptions is noted with.
pub(super) fn caveats(plan: &SitePlan) -> Vec<Caveat> {
    if plan.noise == Sharing::Each {
        return Vec::new();
    }
    vec![Caveat::Other(format!("assumed: {}", assumption(plan.noise, plan.sites.len())))]
}

/// A site's own certificate: what all rounds together cost its people, counted as in its ledger.
pub(super) fn site_certificate(
    plan: &SitePlan,
    site: usize,
    counting: &Counting,
    price: Price,
    receipt: Option<&Receipt>,
    seeded: bool,
) -> Result<Certificate, SitesError> {
    let mut statement = price.statement();
    statement.neighbours = statement.neighbours.of_persons(counting.counts_persons());
    statement.details.insert("record_kind".into(), json!(counting.kind("scan")));
    statement.details.extend(counting.details(Kind::Faces));
    statement.ledger = receipt.cloned();
    statement.recorded = receipt.is_some();
    statement.seeded = seeded;
    statement.public_inputs = vec![plan.template.clone()];
    statement.caveats = caveats(plan);
    statement.details.insert("site".into(), json!(plan.sites[site].name));
    statement.details.insert("noise_added".into(), json!(plan.noise));
    if let Some(regression) = &plan.regression {
        statement.details.insert("covariates".into(), json!(regression.covariates));
    }
    if plan.groups.is_some() {
        statement.details.insert("groups".into(), json!(plan.sites[site].groups));
        statement.details.insert(WITHIN_GROUPS.into(), json!(WITHIN_GROUPS_TEXT));
    }
    Ok(statement.certify().map_err(JobError::from)?)
}
