//! `visard privacy`: convert, compose, calibrate, audit, explain, verify.

use super::Global;
use super::ledger::{self, LedgerCommand};
use super::output::{Failure, Printer};
use super::verify::{self, KeyArgs, SignArgs, VerifyArgs};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use std::path::PathBuf;
use visard::io::{Limit, open};
use visard::manifold::TwoPointSpace;
use visard::mechanism::manifold::{riemannian_gaussian_mu, riemannian_gaussian_sigma};
use visard::mechanism::registry::{audit_by_name, audit_names};
use visard::privacy::audit::audit;
use visard::privacy::{
    Calibration, Certificate, Delta, Epsilon, L2Sensitivity, Mu, convert, explain, gaussian_sigma_for,
};

/// Commands on budgets and certificates.
#[derive(Debug, Subcommand)]
pub enum PrivacyCommand {
    /// Give two of --mu, --epsilon, --delta; prints the third
    Convert(ConvertArgs),
    /// The total of several Gaussian-DP releases
    Compose(ComposeArgs),
    /// The noise scale a mechanism needs
    Calibrate(CalibrateArgs),
    /// Try to refute a mechanism on worst-case neighbours
    Audit(AuditArgs),
    /// A certificate in plain sentences
    Explain(ExplainArgs),
    /// Whether a release is what its certificate says: files, ledger, signature
    Verify(VerifyArgs),
    /// Make a key to sign releases with, once
    Key(KeyArgs),
    /// Sign the certificate of a release
    Sign(SignArgs),
    /// What was released from the same people, and what it adds up to
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
    after_help = "Example:\n  visard privacy compose --mu 1 --mu 2\n  visard privacy compose --mu 1 2 2"
)]
pub struct ComposeArgs {
    /// The μ of every release
    #[arg(long, required = true, num_args = 1.., allow_negative_numbers = true)]
    mu: Vec<f64>,
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
    /// Runs on each of two neighbouring datasets
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(100..))]
    runs: u64,
    /// The claimed μ (or ε, or ρ)
    #[arg(long, value_name = "F", default_value_t = 1.0, allow_negative_numbers = true)]
    parameter: f64,
}

/// Arguments of `privacy explain`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  visard privacy explain study/release/certificate.json")]
pub struct ExplainArgs {
    /// A certificate.json
    #[arg(value_name = "CERTIFICATE")]
    certificate: PathBuf,
}

/// Runs a privacy command.
pub fn run(command: &PrivacyCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    match command {
        PrivacyCommand::Convert(args) => {
            let c = convert(args.mu, args.epsilon, args.delta)
                .map_err(|e| Failure::usage(e).with_hint("give exactly two of --mu, --epsilon, --delta"))?;
            let value = json!({"mu": c.mu, "epsilon": c.epsilon, "delta": c.delta});
            printer.result(value, format!("mu = {}\nepsilon = {}\ndelta = {:e}", c.mu, c.epsilon, c.delta));
        }
        PrivacyCommand::Compose(args) => {
            let parts =
                args.mu.iter().map(|&m| Mu::new(m)).collect::<Result<Vec<_>, _>>().map_err(Failure::usage)?;
            let total =
                Mu::compose(parts).map_err(Failure::usage)?.ok_or_else(|| Failure::usage("no --mu given"))?;
            printer.result(json!({"mu": total.get()}), format!("mu = {}", total.get()));
        }
        PrivacyCommand::Calibrate(args) => {
            let value = match args.mechanism {
                CalibratedMechanism::Gaussian => calibrate_gaussian(args)?,
                CalibratedMechanism::RiemannianGaussian => calibrate_riemannian(args)?,
            };
            let text: Vec<String> = ["mu", "sigma"]
                .iter()
                .filter_map(|key| value.get(key).map(|v| format!("{key} = {v}")))
                .collect();
            printer.result(value, text.join("\n"));
        }
        PrivacyCommand::Audit(args) => {
            let mechanism = audit_by_name(&args.mechanism, args.parameter).map_err(Failure::usage)?;
            let report =
                audit(mechanism.as_ref(), args.runs, global.seed.unwrap_or(1)).map_err(Failure::failed)?;
            let verdict = if report.passed { "not refuted" } else { "REFUTED" };
            let text = format!(
                "{}: claimed {}, lower bound {:.4} from {} runs in {:.1} s: {verdict}",
                args.mechanism, report.claimed, report.lower_bound, report.runs, report.seconds
            );
            printer.result(report.to_json(), text);
            if !report.passed {
                return Err(Failure::failed("the audit refuted the claim"));
            }
        }
        PrivacyCommand::Verify(args) => verify::verify(args, printer)?,
        PrivacyCommand::Key(args) => verify::key(args, printer)?,
        PrivacyCommand::Sign(args) => verify::sign(args, printer)?,
        PrivacyCommand::Ledger(args) => ledger::run(args, printer)?,
        PrivacyCommand::Explain(args) => {
            let name = args.certificate.display();
            let file = open(&args.certificate, Limit::CERTIFICATE).map_err(Failure::failed)?;
            let text = file.text().map_err(Failure::failed)?;
            let certificate =
                Certificate::from_json(text).map_err(|e| Failure::failed(format!("{name}: {e}")))?;
            let text = explain(&certificate);
            printer.result(json!({"private": certificate.private, "explanation": text}), text.trim_end());
        }
    }
    Ok(())
}

fn calibrate_gaussian(args: &CalibrateArgs) -> Result<serde_json::Value, Failure> {
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
    Ok(json!({"sigma": sigma}))
}

fn calibrate_riemannian(args: &CalibrateArgs) -> Result<serde_json::Value, Failure> {
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
            Ok(json!({"mu": mu.get(), "sigma": sigma}))
        }
        (None, Some(sigma)) => {
            let mu = riemannian_gaussian_mu(space, args.sensitivity, sigma).map_err(Failure::usage)?;
            Ok(json!({"mu": mu.get(), "sigma": sigma}))
        }
        _ => Err(Failure::usage("give exactly one of --mu and --sigma")),
    }
}
