//! One mean face of many sites, modes of variation, or groups compared: the same steps as the command's group `site`, over files. Each answers with JSON about what it has done.

use crate::failure::Failure;
use crate::options::{Common, Faces, named, template_source};
use crate::studies::{Callback, faces};
use crate::work::{long, short};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use visard::mechanism::functional::{Sharing, Want};
use visard::mechanism::vector::GroupAim;
use visard::privacy::Mu;
use visard::study::face::load_template;
use visard::study::face::sites::{
    Aggregator, AggregatorSettings, Closed, CombineSettings, Findings, KnownPlan, PLAN, PlannedGroups, Site,
    SiteAnswer, SitePlan, SiteSettings, answer_round, make_site_key, merge_round, read_public_key,
    unshare_round, verify_round,
};
use visard::study::{Place, Stop, layout};

/// What all parties agree on; a dictionary in Python.
#[derive(Debug, Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Agreed {
    public: PathBuf,
    mu: f64,
    /// Names, people of each group (one number where none are compared), public keys.
    sites: Vec<(String, Vec<u64>, Option<PathBuf>)>,
    aggregators: Vec<(String, PathBuf)>,
    noise: String,
    honest: Option<u64>,
    template: Option<PathBuf>,
    curves: usize,
    samples: usize,
    registration: String,
    modes: Option<usize>,
    /// Labels, sorted, in the order of the sites' numbers; none where no groups are compared.
    groups: Vec<String>,
    want: Option<String>,
}

impl Agreed {
    fn plan(self) -> Result<(PathBuf, SitePlan), Failure> {
        let key = |file: PathBuf| read_public_key(&file).map_err(Failure::from);
        let sites = self
            .sites
            .into_iter()
            .map(|(name, people, file)| {
                let many = || Failure::input(format!("sites: {name:?} has too many people"));
                let n = people.iter().try_fold(0u64, |sum, n| sum.checked_add(*n)).ok_or_else(many)?;
                let groups = if self.groups.is_empty() { Vec::new() } else { people };
                Ok(Site { name, n, groups, key: file.map(key).transpose()? })
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        let aggregators = self
            .aggregators
            .into_iter()
            .map(|(name, file)| Ok(Aggregator { name, key: key(file)? }))
            .collect::<Result<Vec<_>, Failure>>()?;
        let noise = match (self.noise.as_str(), self.honest) {
            ("sites", honest) => {
                Sharing::Sites { honest: honest.unwrap_or((sites.len() as u64).saturating_sub(1)) }
            }
            (_, Some(_)) => return Err(Failure::input("honest: goes with noise=\"sites\" only")),
            ("aggregators", None) => Sharing::Aggregators,
            ("each", None) => Sharing::Each,
            (name, None) => {
                return Err(Failure::input(format!("noise: {name:?} is none of sites, aggregators, each")));
            }
        };
        let groups = planned_groups(self.groups, self.want.as_deref())?;
        let mu = Mu::new(self.mu).map_err(|e| Failure::input(format!("mu: {e}")))?.get();
        let template = load_template(&template_source(self.template)).map_err(Failure::input)?.input;
        let (curves, samples) = (self.curves, self.samples);
        let registration = named("registration", &self.registration)?;
        Ok((
            self.public,
            SitePlan {
                visard_sites: 1,
                mu,
                noise,
                sites,
                aggregators,
                template,
                curves,
                samples,
                registration,
                modes: self.modes,
                groups,
            },
        ))
    }
}

/// Groups that are compared, where there are any.
fn planned_groups(names: Vec<String>, want: Option<&str>) -> Result<Option<PlannedGroups>, Failure> {
    let aim = match want.map(|name| named::<Want>("want", name)).transpose()? {
        Some(_) if names.is_empty() => return Err(Failure::input("want: goes with groups only")),
        Some(Want::Both) => {
            return Err(Failure::input(
                "want: over many sites a map and a test need two plans, each with its own mu",
            ));
        }
        Some(Want::Test) => GroupAim::Test,
        Some(Want::Map) | None => GroupAim::Map,
    };
    Ok((!names.is_empty()).then_some(PlannedGroups { names, aim }))
}

/// A key pair for sealed and signed messages: the secret one in `file`, the public one beside it, whose path is returned.
#[pyfunction]
pub fn site_key(py: Python<'_>, file: PathBuf) -> PyResult<PathBuf> {
    short(py, || Ok(make_site_key(&file)?))
}

/// Writes the plan into the public folder.
#[pyfunction]
pub fn site_plan(py: Python<'_>, agreed: Agreed) -> PyResult<String> {
    short(py, || {
        let (public, plan) = agreed.plan()?;
        let known = plan.write(&public)?;
        let people: u64 = plan.sites.iter().map(|site| site.n).sum();
        let file = public.join(PLAN);
        Ok(json!({"plan": file, "sha256": known.id, "sites": plan.sites.len(), "n": people, "mu": plan.mu})
            .to_string())
    })
}

/// Answers the open round: with a noised sum where `pooled` is false, else with two sealed shares.
#[pyfunction]
#[pyo3(signature = (common, inputs, public, site, key, groups, pooled, progress))]
#[expect(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub fn site_answer(
    py: Python<'_>,
    common: Common,
    inputs: Faces,
    public: PathBuf,
    site: String,
    key: Option<PathBuf>,
    groups: Option<PathBuf>,
    pooled: bool,
    progress: Callback<'_, '_>,
) -> PyResult<String> {
    let stop = Stop::default();
    short(py, || fits(&public, pooled, groups.is_some()))?;
    let mut records = inputs.inputs(&common, &stop)?;
    // Answering a round again gives the same files: there is nothing that going on could lose.
    records.place.resume = true;
    let settings = SiteSettings { public, name: site, key, groups, records };
    let told = |done: SiteAnswer| {
        json!({
            "round": done.round, "rounds": done.rounds, "asked": done.kind.to_string(), "n": done.n, "again": done.again,
            "files": done.files,
        })
    };
    faces(py, stop, progress, move |show| answer_round(&settings, show), told)
}

/// Whether the plan is for shares, or for sums; and for groups, where there are some.
fn fits(public: &Path, pooled: bool, grouped: bool) -> Result<(), Failure> {
    let plan = KnownPlan::read(public)?.plan;
    match (plan.noise == Sharing::Each, pooled) {
        (true, true) => Err(Failure::input("public: this plan has no aggregators: use site_sum")),
        (false, false) => Err(Failure::input("public: this plan has aggregators: use site_share")),
        _ if grouped && plan.groups.is_none() => {
            Err(Failure::input("groups: this plan compares none: leave them out"))
        }
        _ => Ok(()),
    }
}

/// An aggregator's step of a round.
#[pyfunction]
#[pyo3(signature = (common, public, aggregator, key, inbox, without, template))]
#[expect(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub fn site_verify(
    py: Python<'_>,
    common: Common,
    public: PathBuf,
    aggregator: String,
    key: PathBuf,
    inbox: Vec<PathBuf>,
    without: Vec<String>,
    template: Option<PathBuf>,
) -> PyResult<String> {
    let stop = Stop::default();
    let place = Place { resume: true, ..common.place(&stop)? };
    let template = template_source(template);
    let settings = AggregatorSettings { public, name: aggregator, key, inbox, without, template, place };
    long(py, stop, None, move |_| {
        let done = verify_round(&settings)?;
        let told =
            json!({"round": done.round, "finished": done.finished, "sites": done.sites, "files": done.files});
        Ok(told.to_string())
    })
}

/// Closes the open round, from aggregators' sums where `pooled`, else from sites' own; after the last, the release.
#[pyfunction]
#[pyo3(signature = (public, inbox, without, template, out, pooled, force))]
#[expect(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub fn site_close(
    py: Python<'_>,
    public: PathBuf,
    inbox: Vec<PathBuf>,
    without: Vec<String>,
    template: Option<PathBuf>,
    out: PathBuf,
    pooled: bool,
    force: bool,
) -> PyResult<String> {
    let place = Place { replace: force, ..Place::new(&out) };
    let settings = CombineSettings { public, inbox, without, template: template_source(template), place };
    long(py, Stop::default(), None, move |_| {
        let Closed { round, rounds, kind, released } =
            if pooled { unshare_round(&settings)? } else { merge_round(&settings)? };
        let mut told = json!({"round": round, "rounds": rounds, "closed": kind.to_string(), "released": released.is_some()});
        if let Some((certificate, found)) = released {
            told["out"] = json!(out);
            told["release"] = json!(out.join(layout::RELEASE));
            told["n"] = json!(certificate.n);
            let modes = certificate.details.get("modes").is_some();
            match found {
                Findings::Mean(accuracy) => {
                    told["what"] = json!(if modes { "modes" } else { "mean" });
                    told["accuracy"] = json!(accuracy);
                }
                Findings::Groups(comparison) => {
                    let groups = comparison.groups.iter().map(|(label, n)| json!({"label": label, "n": n}));
                    told["what"] = json!("groups");
                    told["groups"] = groups.collect();
                    told["test"] = json!(comparison.test);
                }
            }
            told["secret"] = Value::Object(serde_json::Map::new());
        }
        Ok(told.to_string())
    })
}
