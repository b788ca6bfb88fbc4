//! One mean face of many sites, or modes of variation: the same steps as the command's group `site`, over files. Each answers with JSON about what it has done.

use crate::failure::Failure;
use crate::options::{Common, Faces, named, template_source};
use crate::studies::{Callback, faces};
use crate::work::{long, short};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use visard::mechanism::functional::Sharing;
use visard::privacy::Mu;
use visard::study::face::load_template;
use visard::study::face::sites::{
    Aggregator, AggregatorSettings, Closed, CombineSettings, Findings, KnownPlan, PLAN, Site, SiteAnswer,
    SitePlan, SiteSettings, answer_round, make_sealing_key, merge_round, read_public_key, unshare_round,
    verify_round,
};
use visard::study::{Place, Stop, layout};

/// What all parties agree on; a dictionary in Python.
#[derive(Debug, Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Agreed {
    public: PathBuf,
    mu: f64,
    sites: Vec<(String, u64, Option<PathBuf>)>,
    aggregators: Vec<(String, PathBuf)>,
    noise: String,
    honest: Option<u64>,
    template: Option<PathBuf>,
    curves: usize,
    samples: usize,
    registration: String,
    modes: Option<usize>,
}

impl Agreed {
    fn plan(self) -> Result<(PathBuf, SitePlan), Failure> {
        let key = |file: PathBuf| read_public_key(&file).map_err(Failure::from);
        let sites = self
            .sites
            .into_iter()
            .map(|(name, n, file)| Ok(Site { name, n, groups: Vec::new(), key: file.map(key).transpose()? }))
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
                groups: None,
            },
        ))
    }
}

/// A key pair for sealed messages: the secret one in `file`, the public one beside it, whose path is returned.
#[pyfunction]
pub fn site_key(py: Python<'_>, file: PathBuf) -> PyResult<PathBuf> {
    short(py, || Ok(make_sealing_key(&file)?))
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
#[pyo3(signature = (common, inputs, public, site, key, pooled, progress))]
#[expect(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub fn site_answer(
    py: Python<'_>,
    common: Common,
    inputs: Faces,
    public: PathBuf,
    site: String,
    key: Option<PathBuf>,
    pooled: bool,
    progress: Callback<'_, '_>,
) -> PyResult<String> {
    let stop = Stop::default();
    short(py, || fits(&public, pooled))?;
    let mut records = inputs.inputs(&common, &stop)?;
    // Answering a round again gives the same files: there is nothing that going on could lose.
    records.place.resume = true;
    let settings = SiteSettings { public, name: site, key, groups: None, records };
    let told = |done: SiteAnswer| {
        json!({
            "round": done.round, "rounds": done.rounds, "asked": done.kind.to_string(), "n": done.n, "again": done.again,
            "files": done.files,
        })
    };
    faces(py, stop, progress, move |show| answer_round(&settings, show), told)
}

/// Whether the plan is for shares, or for sums.
fn fits(public: &Path, pooled: bool) -> Result<(), Failure> {
    match (KnownPlan::read(public)?.plan.noise == Sharing::Each, pooled) {
        (true, true) => Err(Failure::input("public: this plan has no aggregators: use site_sum")),
        (false, false) => Err(Failure::input("public: this plan has aggregators: use site_share")),
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
            told["modes"] = certificate.details.get("modes").is_some().into();
            match found {
                Findings::Mean(accuracy) => told["accuracy"] = json!(accuracy),
                Findings::Groups(comparison) => told["comparison"] = json!(comparison),
            }
            told["secret"] = Value::Object(serde_json::Map::new());
        }
        Ok(told.to_string())
    })
}
