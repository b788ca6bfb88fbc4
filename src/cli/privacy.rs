//! `visard privacy`: convert, compose, calibrate, audit, explain, verify.

use super::Global;
use super::answer::Answers;
use super::dossier::{self, DossierArgs};
use super::ledger::{self, LedgerCommand};
use super::output::{Failure, Printer};
use super::verify::{self, KeyArgs, SignArgs, VerifyArgs};
use clap::{Args, Subcommand, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use visard::io::{Limit, open};
use visard::manifold::TwoPointSpace;
use visard::mechanism::manifold::{riemannian_gaussian_mu, riemannian_gaussian_sigma};
use visard::mechanism::registry::{audit_by_name, audit_names, audit_runs};
use visard::privacy::audit::{AuditAnswer, AuditReport, AuditVerdict, EXCESS, audit};
use visard::privacy::{
    BudgetError, CERTIFICATE_FILE, Calibration, Certificate, Composition, Cost, Delta, Epsilon,
    EpsilonAtDelta, L2Sensitivity, Mu, PrivacyLoss, Rho, convert, explain, gaussian_sigma_for,
};
use visard::study::{StudyFolder, VerifiedAnswer};

/// Commands on budgets and certificates.
#[derive(Debug, Subcommand)]
pub enum PrivacyCommand {
    /// Give two of --mu, --epsilon, --delta; prints the third
    Convert(ConvertArgs),
    /// The total of several releases, of one kind or of several
    Compose(ComposeArgs),
    /// The noise scale a mechanism needs
    Calibrate(CalibrateArgs),
    /// Try to refute a mechanism on worst-case neighbours
    Audit(AuditArgs),
    /// A certificate in plain sentences
    Explain(ExplainArgs),
    /// Answer what review boards and registries ask, from a release's certificate and ledger
    Dossier(DossierArgs),
    /// Check that a release matches its certificate: files, ledger, signature
    Verify(VerifyArgs),
    /// Make a key for signing releases
    Key(KeyArgs),
    /// Sign the certificate of a release
    Sign(SignArgs),
    /// All releases from the same people, and their total
    Ledger(LedgerCommand),
}

/// Arguments of `privacy convert`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  visard privacy convert --mu 3 --delta 1e-6")]
pub struct ConvertArgs {
    /// μ of Gaussian differential privacy
    #[arg(long, allow_negative_numbers = true)]
    mu: Option<f64>,
    /// ε
    #[arg(long, allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// δ
    #[arg(long, allow_negative_numbers = true)]
    delta: Option<f64>,
}

/// Arguments of `privacy compose`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard privacy compose --mu 1 --mu 2\n  visard privacy compose --mu 1 2x5 --epsilon 0.5\n  visard privacy compose --epsilon-delta 1,1e-6 --rho 0.1x3 --delta 1e-5"
)]
#[command(group = clap::ArgGroup::new("losses").args(["mu", "epsilon", "epsilon_delta", "rho"]).required(true).multiple(true))]
pub struct ComposeArgs {
    /// The μ of every release; 0.5x20 stands for twenty of 0.5
    #[arg(long, value_name = "F[xN]", num_args = 1.., allow_negative_numbers = true, value_parser = counted)]
    mu: Vec<(f64, u32)>,
    /// The ε of every pure release
    #[arg(long, value_name = "F[xN]", num_args = 1.., allow_negative_numbers = true, value_parser = counted)]
    epsilon: Vec<(f64, u32)>,
    /// The ε and δ of every approximate release
    #[arg(long, value_name = "F,F[xN]", num_args = 1.., value_parser = counted_pair)]
    epsilon_delta: Vec<((f64, f64), u32)>,
    /// The ρ of every zero-concentrated release
    #[arg(long, value_name = "F[xN]", num_args = 1.., allow_negative_numbers = true, value_parser = counted)]
    rho: Vec<(f64, u32)>,
    /// The δ at which the total is also stated as ε
    #[arg(long, value_name = "F", default_value_t = 1e-6)]
    delta: f64,
}

/// `1.5`, or `1.5x20` for twenty of them.
fn counted(text: &str) -> Result<(f64, u32), String> {
    let (number, count) = split_count(text)?;
    let number = number.parse().map_err(|_| format!("{number} is not a number"))?;
    Ok((number, count))
}

/// `1,1e-6`, or `1,1e-6x20`.
fn counted_pair(text: &str) -> Result<((f64, f64), u32), String> {
    let (pair, count) = split_count(text)?;
    let numbers = pair.split_once(',').and_then(|(e, d)| Some((e.parse().ok()?, d.parse().ok()?)));
    numbers
        .map(|pair| (pair, count))
        .ok_or_else(|| format!("{pair} is not two numbers with a comma between them"))
}

fn split_count(text: &str) -> Result<(&str, u32), String> {
    match text.split_once('x') {
        None => Ok((text, 1)),
        Some((number, count)) => match count.parse() {
            Ok(count) if count > 0 => Ok((number, count)),
            _ => Err(format!("{count} is not a count of releases, 1 and more")),
        },
    }
}

/// Arguments of `privacy calibrate`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard privacy calibrate --mechanism gaussian --epsilon 1 --delta 1e-6 --sensitivity 0.01\n  visard privacy calibrate --mechanism riemannian-gaussian --manifold sphere --dim 2 --sensitivity 0.05 --mu 1"
)]
pub struct CalibrateArgs {
    /// The mechanism
    #[arg(long, value_enum)]
    mechanism: CalibratedMechanism,
    /// ε (gaussian)
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// δ (gaussian)
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    delta: Option<f64>,
    /// Sensitivity: in the L2 norm, or the distance two neighbours' means can be apart
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    sensitivity: f64,
    /// Which formula (gaussian)
    #[arg(long, value_enum)]
    calibration: Option<Calibration>,
    /// The space (riemannian-gaussian)
    #[arg(long, value_enum)]
    manifold: Option<ManifoldName>,
    /// Its real dimension; for kendall the complex one, landmarks less two (riemannian-gaussian)
    #[arg(long, value_name = "D")]
    dim: Option<usize>,
    /// μ; gives σ (riemannian-gaussian)
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    mu: Option<f64>,
    /// σ; gives μ (riemannian-gaussian)
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    sigma: Option<f64>,
}

/// Mechanisms that can be calibrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CalibratedMechanism {
    /// Gaussian noise to (ε, δ)
    Gaussian,
    /// Riemannian Gaussian noise to μ, by exact quadrature
    RiemannianGaussian,
}

/// Spaces with exact accounting.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ManifoldName {
    /// Flat space
    Euclidean,
    /// The unit sphere
    Sphere,
    /// Hyperbolic space of curvature −1
    Hyperbolic,
    /// Planar shapes: complex projective space
    Kendall,
}

/// Arguments of `privacy audit`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  visard privacy audit --mechanism gaussian --runs 100000")]
pub struct AuditArgs {
    /// Which mechanism
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(audit_names()))]
    mechanism: String,
    /// Runs on each of two neighbouring datasets, and as many with a planted fault; the default is enough to see most of the loss
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(100..))]
    runs: Option<u64>,
    /// The claimed μ (or ε, or ρ)
    #[arg(long, value_name = "F", default_value_t = 1.0, allow_negative_numbers = true)]
    parameter: f64,
}

/// Arguments of `privacy explain`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  visard privacy explain study/release/certificate.json")]
pub struct ExplainArgs {
    /// A certificate.json, or the folder of a release or a study
    #[arg(value_name = "CERTIFICATE")]
    certificate: PathBuf,
}

/// A Gaussian budget as (ε, δ).
#[derive(Serialize, JsonSchema)]
pub struct Converted {
    mu: f64,
    epsilon: f64,
    delta: f64,
}

/// What several releases lose together.
#[derive(Serialize, JsonSchema)]
pub struct Composed {
    /// In the unit that fits.
    #[serde(flatten)]
    total: PrivacyLoss,
    /// The same as ε at a δ.
    epsilon_at_delta: Vec<EpsilonAtDelta>,
}

/// The scale of a noise.
#[derive(Serialize, JsonSchema)]
pub struct Calibrated {
    /// The loss, of Riemannian Gaussian noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    mu: Option<f64>,
    /// The standard deviation, or the scale of the Riemannian Gaussian law.
    sigma: f64,
}

/// A certificate in words.
#[derive(Serialize, JsonSchema)]
pub struct Explained {
    /// Whether the guarantee holds.
    private: bool,
    explanation: String,
}

/// Runs a privacy command.
pub fn run(command: &PrivacyCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    match command {
        PrivacyCommand::Convert(args) => {
            let c = convert(args.mu, args.epsilon, args.delta)
                .map_err(|e| Failure::usage(e).with_hint("give exactly two of --mu, --epsilon, --delta"))?;
            let value = Converted { mu: c.mu, epsilon: c.epsilon, delta: c.delta };
            printer.result(value, format!("mu = {}\nepsilon = {}\ndelta = {:e}", c.mu, c.epsilon, c.delta));
        }
        PrivacyCommand::Compose(args) => {
            let (value, text) = compose(args).map_err(Failure::usage)?;
            printer.result(value, text);
        }
        PrivacyCommand::Calibrate(args) => {
            let value = match args.mechanism {
                CalibratedMechanism::Gaussian => calibrate_gaussian(args)?,
                CalibratedMechanism::RiemannianGaussian => calibrate_riemannian(args)?,
            };
            let mu = value.mu.map_or_else(String::new, |mu| format!("mu = {}\n", json!(mu)));
            let text = format!("{mu}sigma = {}", json!(value.sigma));
            printer.result(value, text);
        }
        PrivacyCommand::Audit(args) => {
            let mechanism = audit_by_name(&args.mechanism, args.parameter).map_err(Failure::usage)?;
            let runs = args.runs.unwrap_or_else(|| audit_runs(&args.mechanism));
            let report =
                audit(mechanism.as_ref(), runs, global.seed.unwrap_or(1)).map_err(Failure::failed)?;
            let text = audited(&report);
            printer.result(report.answer(), text);
            if report.verdict == AuditVerdict::Refuted {
                return Err(Failure::failed("the audit refuted the claim"));
            }
        }
        PrivacyCommand::Verify(args) => verify::verify(args, printer)?,
        PrivacyCommand::Key(args) => verify::key(args, printer)?,
        PrivacyCommand::Sign(args) => verify::sign(args, printer)?,
        PrivacyCommand::Ledger(args) => ledger::run(args, printer)?,
        PrivacyCommand::Dossier(args) => dossier::run(args, global, printer)?,
        PrivacyCommand::Explain(args) => {
            let path = certificate_in(&args.certificate);
            let name = path.display();
            let file = open(&path, Limit::CERTIFICATE).map_err(Failure::failed)?;
            let text = file.text().map_err(Failure::failed)?;
            let certificate =
                Certificate::from_json(text).map_err(|e| Failure::failed(format!("{name}: {e}")))?;
            let text = explain(&certificate);
            let printed = text.trim_end().to_owned();
            printer.result(Explained { private: certificate.private, explanation: text }, printed);
        }
    }
    Ok(())
}

/// What an audit found, in words.
fn audited(report: &AuditReport) -> String {
    let most = report.largest_refutable.map_or_else(|| "nothing".to_owned(), |most| format!("{most:.3}"));
    let verdict = match (report.verdict, report.runs_needed) {
        (AuditVerdict::Held, _) => "held".to_owned(),
        (AuditVerdict::Refuted, _) => "REFUTED".to_owned(),
        (AuditVerdict::Inconclusive, Some(runs)) => {
            format!("INCONCLUSIVE: about --runs {runs} would be needed")
        }
        (AuditVerdict::Inconclusive, None) => {
            "INCONCLUSIVE: give more --runs; this many do not show how many would be needed".to_owned()
        }
    };
    let pair = report.loss_of_pair.map_or_else(String::new, |loss| format!(" of a true loss of {loss:.4}"));
    format!(
        "{}: claimed {}, lower bound {:.4}{pair} from {} runs in {:.1} s; if the loss were {EXCESS} times the claim, this many runs could only \
         refute claims up to {most}: \
         {verdict}",
        report.mechanism, report.claimed, report.lower_bound, report.runs, report.seconds
    )
}

/// The certificate that a path leads to: of a folder, that of its release.
fn certificate_in(path: &Path) -> PathBuf {
    if !path.is_dir() {
        return path.to_owned();
    }
    let folder = StudyFolder::release_of(path);
    folder.join(CERTIFICATE_FILE)
}

/// The total of all releases, in the unit that fits, and as ε at one δ.
fn compose(args: &ComposeArgs) -> Result<(Composed, String), BudgetError> {
    let mut all = Composition::new();
    for &(mu, count) in &args.mu {
        all.push("mu", count, Cost::Loss(PrivacyLoss::Gaussian(Mu::new(mu)?)));
    }
    for &(epsilon, count) in &args.epsilon {
        all.push("epsilon", count, Cost::Loss(PrivacyLoss::Pure(Epsilon::new(epsilon)?)));
    }
    for &((epsilon, delta), count) in &args.epsilon_delta {
        let loss = PrivacyLoss::approximate(Epsilon::new(epsilon)?, Delta::new(delta)?);
        all.push("epsilon and delta", count, Cost::Loss(loss));
    }
    for &(rho, count) in &args.rho {
        all.push("rho", count, Cost::Loss(PrivacyLoss::ZeroConcentrated(Rho::new(rho)?)));
    }
    let (total, delta) = (all.total()?, Delta::new(args.delta)?);
    let bound = all.epsilon_at(delta)?;
    let value = Composed { total, epsilon_at_delta: vec![EpsilonAtDelta { delta, epsilon: bound.epsilon }] };
    let text = format!("{total}\nepsilon = {} at delta = {:e}", bound.epsilon.get(), delta.get());
    Ok((value, text))
}

fn calibrate_gaussian(args: &CalibrateArgs) -> Result<Calibrated, Failure> {
    let (Some(epsilon), Some(delta)) = (args.epsilon, args.delta) else {
        return Err(Failure::usage("--mechanism gaussian needs --epsilon and --delta"));
    };
    if args.mu.is_some() || args.sigma.is_some() || args.manifold.is_some() || args.dim.is_some() {
        return Err(Failure::usage(
            "--mu, --sigma, --manifold and --dim belong to --mechanism riemannian-gaussian",
        ));
    }
    let calibration = args.calibration.unwrap_or_default();
    let sensitivity = L2Sensitivity::new(args.sensitivity).map_err(Failure::usage)?;
    let epsilon = Epsilon::new(epsilon).map_err(Failure::usage)?;
    let delta = Delta::new(delta).map_err(Failure::usage)?;
    let sigma = gaussian_sigma_for(calibration, epsilon, delta, sensitivity).map_err(Failure::usage)?;
    Ok(Calibrated { mu: None, sigma })
}

fn calibrate_riemannian(args: &CalibrateArgs) -> Result<Calibrated, Failure> {
    let (Some(manifold), Some(dim)) = (args.manifold, args.dim) else {
        return Err(Failure::usage("--mechanism riemannian-gaussian needs --manifold and --dim"));
    };
    if args.epsilon.is_some() || args.delta.is_some() || args.calibration.is_some() {
        return Err(Failure::usage("--epsilon, --delta and --calibration belong to --mechanism gaussian"));
    }
    if dim == 0 || dim > 100_000 {
        return Err(Failure::usage("--dim must lie between 1 and 100000"));
    }
    let space = match manifold {
        ManifoldName::Euclidean => TwoPointSpace::Euclidean { dim },
        ManifoldName::Sphere => TwoPointSpace::Sphere { dim },
        ManifoldName::Hyperbolic => TwoPointSpace::Hyperbolic { dim },
        ManifoldName::Kendall => TwoPointSpace::ComplexProjective { dim },
    };
    match (args.mu, args.sigma) {
        (Some(mu), None) => {
            let mu = Mu::new(mu).map_err(Failure::usage)?;
            let sigma = riemannian_gaussian_sigma(space, args.sensitivity, mu).map_err(Failure::usage)?;
            Ok(Calibrated { mu: Some(mu.get()), sigma })
        }
        (None, Some(sigma)) => {
            let mu = riemannian_gaussian_mu(space, args.sensitivity, sigma).map_err(Failure::usage)?;
            Ok(Calibrated { mu: Some(mu.get()), sigma })
        }
        _ => Err(Failure::usage("give exactly one of --mu and --sigma")),
    }
}

/// What these commands answer.
pub fn answers(all: &mut Answers) {
    all.add::<Converted>("privacy convert");
    all.add::<Composed>("privacy compose");
    all.add::<Calibrated>("privacy calibrate");
    all.add::<AuditAnswer>("privacy audit");
    all.add::<Explained>("privacy explain");
    all.add::<VerifiedAnswer>("privacy verify");
    all.add::<verify::KeyPair>("privacy key");
    all.add::<verify::Signed>("privacy sign");
    all.add::<ledger::LedgerFile>("privacy ledger");
    all.add::<dossier::DossierAnswer>("privacy dossier");
}
