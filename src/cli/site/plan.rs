//! `visard site keys`, `visard site plan`.

use crate::cli::answer::shown;
use crate::cli::budget::BudgetArgs;
use crate::cli::face::template_source;
use crate::cli::heading;
use crate::cli::output::{Failure, Printer};
use crate::cli::tangent::DesignArgs;
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use visard::mechanism::functional::{Sharing, Want};
use visard::mechanism::vector::GroupAim;
use visard::sites::{
    Aggregator, FORMAT, PLAN, PlannedGroups, PlannedRegression, Site, SitePlan, make_site_key,
    read_public_key,
};
use visard::study::face::{CURVES, Registration, SAMPLES, load_template};

/// Arguments of `site keys`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  visard site keys berlin.key")]
pub struct KeysArgs {
    /// File for the secret key; the public key, for the plan, is written beside it as FILE.pub
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Who adds the noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Noise {
    /// Every site adds a share, under secure aggregation: private if --honest of them are honest
    Sites,
    /// Each of two aggregators adds the whole noise: private if one is honest; 1.4 times the noise
    Aggregators,
    /// Every site adds the whole noise, without aggregators: assumes nothing; the noise of one site times the root of their number
    Each,
}

/// Arguments of `site plan`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard site plan consortium --mu 1 --site berlin=200,berlin.key.pub --site lyon=180,lyon.key.pub --site oslo=90,oslo.key.pub --aggregator ministry=ministry.key.pub --aggregator registry=registry.key.pub\n  visard site plan consortium --mu 1 --noise each --site berlin=200 --site lyon=180\n  visard site plan consortium --mu 1 --modes 5 --site berlin=200 --site lyon=180\n  visard site plan consortium --mu 1 --groups control,patient --site berlin=120+80 --site lyon=90+90\n  visard site plan consortium --mu 1 --bounds age=3:40 --levels \"sex=F|M\" --site berlin=200 --site lyon=180"
)]
pub struct PlanArgs {
    /// The public folder, of which every site has a copy
    #[arg(value_name = "PUBLIC")]
    public: PathBuf,
    /// A site, its number of people (public; one for each of --groups, with + between), and its public key where sums are sealed or signed
    #[arg(long = "site", help_heading = heading::SITES, value_name = "NAME=N[+N][,FILE.pub]", required = true)]
    sites: Vec<String>,
    /// One of two members who add up and do not collude, with its public key; the first begins
    #[arg(long = "aggregator", help_heading = heading::SITES, value_name = "NAME=FILE.pub")]
    aggregators: Vec<String>,
    /// Who adds the noise (default: sites where there are aggregators, else each)
    #[arg(long, help_heading = heading::SITES, value_enum)]
    noise: Option<Noise>,
    /// How many sites' shares of noise must be honest and unknown to an attacker (default: all but one, since a site knows its own)
    #[arg(long, help_heading = heading::SITES, value_name = "K")]
    honest: Option<u64>,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Public template face: a mesh file, or "builtin".
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "FILE|builtin", default_value = "builtin")]
    template: String,
    /// Number of face radial curves
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "J", default_value_t = CURVES)]
    curves: usize,
    /// Samples on each curve
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "M", default_value_t = SAMPLES)]
    samples: usize,
    /// Method of registration to the template
    #[arg(long, help_heading = heading::REGISTRATION, value_enum, default_value_t = Registration::Elastic)]
    registration: Registration,
    /// Release modes of variation with the mean, at most this many (1 to 200), instead of the mean alone
    #[arg(long, help_heading = heading::RELEASE, value_name = "M")]
    modes: Option<usize>,
    /// Compare groups instead of releasing one mean: their labels, as in the sites' tables
    #[arg(long, help_heading = heading::RELEASE, value_name = "LABEL,LABEL", value_delimiter = ',', conflicts_with = "modes")]
    groups: Vec<String>,
    /// What to release of the groups: a map of where they differ (default), or a test of whether they do; both need two plans
    #[arg(long, help_heading = heading::RELEASE, value_enum, requires = "groups")]
    want: Option<Want>,
    #[command(flatten)]
    design: DesignArgs,
    /// With covariates, release the modes of what they leave too, at no further loss
    #[arg(long, help_heading = heading::RELEASE)]
    residuals: bool,
}

/// The keys of a site.
#[derive(Serialize, JsonSchema)]
pub struct SiteKeys {
    /// The file to keep.
    secret: String,
    /// The file for the plan.
    public: String,
}

/// A plan of many sites.
#[derive(Serialize, JsonSchema)]
pub struct SitePlanWritten {
    /// The file that every party needs.
    plan: String,
    /// Its SHA-256, which all confirm.
    sha256: String,
    /// How many sites.
    sites: usize,
    /// How many people.
    n: u64,
    /// The budget.
    mu: f64,
    /// Who adds the noise.
    noise: Sharing,
}

/// Runs `site keys`.
pub fn keys(args: &KeysArgs, printer: &Printer) -> Result<(), Failure> {
    let public = make_site_key(&args.file).map_err(Failure::failed)?;
    printer.result(
        SiteKeys { secret: shown(&args.file), public: shown(&public) },
        format!(
            "secret key: {} (keep it)\npublic key: {} (for the plan)",
            args.file.display(),
            public.display()
        ),
    );
    Ok(())
}

/// Runs `site plan`.
pub fn run(args: &PlanArgs, printer: &Printer) -> Result<(), Failure> {
    let mut sites = args.sites.iter().map(|text| site(text)).collect::<Result<Vec<_>, _>>()?;
    let groups = groups(args, &mut sites)?;
    let regression = regression(args)?;
    let aggregators = args.aggregators.iter().map(|text| aggregator(text)).collect::<Result<Vec<_>, _>>()?;
    let noise = args.noise.unwrap_or(if aggregators.is_empty() { Noise::Each } else { Noise::Sites });
    if args.honest.is_some() && noise != Noise::Sites {
        return Err(Failure::usage("--honest goes with --noise sites only"));
    }
    let noise = match noise {
        Noise::Sites => Sharing::Sites { honest: args.honest.unwrap_or(sites.len() as u64 - 1) },
        Noise::Aggregators => Sharing::Aggregators,
        Noise::Each => Sharing::Each,
    };
    let mu = args.budget.mu()?.get();
    let loaded = load_template(&template_source(&args.template)).map_err(Failure::failed)?;
    let plan = SitePlan {
        visard_sites: FORMAT,
        mu,
        noise,
        sites,
        aggregators,
        template: loaded.input.clone(),
        curves: args.curves,
        samples: args.samples,
        registration: args.registration,
        modes: args.modes,
        groups,
        regression,
    };
    plan.check_release(&loaded).map_err(Failure::failed)?;
    let known = plan.write(&args.public).map_err(Failure::failed)?;
    let people: u64 = plan.sites.iter().map(|site| site.n).sum();
    let path = args.public.join(PLAN);
    printer.result(
        SitePlanWritten {
            plan: shown(&path),
            sha256: known.id.clone(),
            sites: plan.sites.len(),
            n: people,
            mu,
            noise: plan.noise,
        },
        format!(
            "plan of {} sites with {people} people, mu = {mu}: {}\n  SHA-256 {}\n  every party needs this exact file; all parties confirm the \
             SHA-256 before the first round",
            plan.sites.len(),
            path.display(),
            known.id
        ),
    );
    Ok(())
}

/// The covariates, where some are given.
fn regression(args: &PlanArgs) -> Result<Option<PlannedRegression>, Failure> {
    match (args.design.is_empty(), args.residuals) {
        (true, true) => {
            Err(Failure::usage("--residuals goes with covariates: give their --bounds or --levels"))
        }
        (true, false) => Ok(None),
        (false, residuals) => Ok(Some(PlannedRegression { covariates: args.design.design()?, residuals })),
    }
}

/// Groups in the order of their labels, and sites' sizes with them.
fn groups(args: &PlanArgs, sites: &mut [Site]) -> Result<Option<PlannedGroups>, Failure> {
    if args.groups.is_empty() {
        // One number is of all people.
        sites.iter_mut().filter(|site| site.groups.len() == 1).for_each(|site| site.groups.clear());
        return Ok(None);
    }
    let aim = match args.want {
        None | Some(Want::Map) => GroupAim::Map,
        Some(Want::Test) => GroupAim::Test,
        Some(Want::Both) => {
            return Err(Failure::usage(
                "over many sites a map and a test need two plans, each with its own --mu",
            ));
        }
    };
    let mut order: Vec<usize> = (0..args.groups.len()).collect();
    order.sort_by(|a, b| args.groups[*a].cmp(&args.groups[*b]));
    for site in sites.iter_mut().filter(|site| site.groups.len() == order.len()) {
        site.groups = order.iter().map(|k| site.groups[*k]).collect();
    }
    Ok(Some(PlannedGroups { names: order.iter().map(|k| args.groups[*k].clone()).collect(), aim }))
}

/// `NAME=N[+N][,FILE.pub]`.
fn site(text: &str) -> Result<Site, Failure> {
    let wrong = || {
        Failure::usage(format!(
            "--site {text:?}: write NAME=N or NAME=N,FILE.pub, as in berlin=200,berlin.key.pub"
        ))
    };
    let (name, rest) = text.split_once('=').ok_or_else(wrong)?;
    let (n, key) = match rest.split_once(',') {
        Some((n, key)) => (n, Some(key)),
        None => (rest, None),
    };
    let key = key.map(|key| read_public_key(Path::new(key))).transpose().map_err(Failure::failed)?;
    let groups: Vec<u64> =
        n.split('+').map(|n| n.trim().parse()).collect::<Result<_, _>>().map_err(|_| wrong())?;
    let n = groups.iter().try_fold(0u64, |sum, n| sum.checked_add(*n)).ok_or_else(wrong)?;
    Ok(Site { name: name.to_owned(), n, groups, key })
}

/// `NAME=FILE.pub`.
fn aggregator(text: &str) -> Result<Aggregator, Failure> {
    let (name, key) = text
        .split_once('=')
        .ok_or_else(|| Failure::usage(format!("--aggregator {text:?}: write NAME=FILE.pub")))?;
    let key = read_public_key(Path::new(key)).map_err(Failure::failed)?;
    Ok(Aggregator { name: name.to_owned(), key })
}
