//! `visard face plan`: what to expect of a private mean face, before any scan is read.

use crate::cli::output::{Failure, Printer};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use visard::privacy::{Delta, Mu, PrivacyLoss};
use visard::study::face::FaceMechanism;
use visard::study::face::plan::{Forecast, PlanRequest, TEMPLATE_DISTANCE, plan};

/// The δ at which budgets are also stated as ε.
const DELTA: f64 = 1e-6;

/// Arguments of `face plan`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard face plan --n 200\n  visard face plan --n 60 --mu 0.5 1 2 --clip-radius 0.03"
)]
pub struct PlanArgs {
    /// How many scans there will be
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    n: u32,
    /// Budgets to compare
    #[arg(long, value_name = "F", num_args = 1.., default_values_t = [0.1, 0.3, 1.0, 2.0, 3.0], allow_negative_numbers = true)]
    mu: Vec<f64>,
    /// Which private mean
    #[arg(long, value_enum, default_value_t = FaceMechanism::Joint)]
    mechanism: FaceMechanism,
    /// Public clip radius (default: the mechanism's own)
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    clip_radius: Option<f64>,
    /// Number of face radial curves
    #[arg(long, value_name = "J", default_value_t = 23, value_parser = clap::value_parser!(u16).range(2..=500))]
    curves: u16,
    /// Samples on each curve
    #[arg(long, value_name = "M", default_value_t = 80, value_parser = clap::value_parser!(u16).range(8..=2000))]
    samples: u16,
}

/// Runs `face plan`.
pub fn run(args: &PlanArgs, printer: &Printer) -> Result<(), Failure> {
    let budgets =
        args.mu.iter().map(|&mu| Mu::new(mu)).collect::<Result<Vec<_>, _>>().map_err(Failure::usage)?;
    let request = PlanRequest {
        n: args.n as usize,
        budgets,
        mechanism: args.mechanism,
        radius: args.clip_radius,
        curves: usize::from(args.curves),
        samples: usize::from(args.samples),
    };
    let found = plan(&request).map_err(Failure::usage)?;
    let rows =
        found.errors.iter().map(|&(mu, error)| row(&found, mu, error)).collect::<Result<Vec<_>, _>>()?;
    printer.result(
        json!({
            "n": args.n,
            "clip_radius": found.radius,
            "sampling_error": found.sampling_error,
            "sampling_error_mm": millimetres(&found, found.sampling_error),
            "budgets": rows,
        }),
        text(args.n, &found, &rows),
    );
    Ok(())
}

fn millimetres(plan: &Forecast, square: f64) -> f64 {
    square.sqrt() * plan.scale_mm
}

fn row(plan: &Forecast, mu: Mu, error: f64) -> Result<Value, Failure> {
    let loss = PrivacyLoss::Gaussian(mu);
    let epsilon = Delta::new(DELTA).and_then(|delta| loss.epsilon_at(delta)).map_err(Failure::failed)?;
    Ok(json!({
        "mu": mu,
        "epsilon": epsilon,
        "delta": DELTA,
        "guess_probability": loss.guess_probability(),
        "mean_square_error": error,
        "error_mm": millimetres(plan, error),
    }))
}

fn text(n: u32, plan: &Forecast, rows: &[Value]) -> String {
    let mut out = format!(
        "{n} scans, clip radius {}: simulated people whose mean is {TEMPLATE_DISTANCE} off the template; nothing of yours is read.\n\
         The mean of {n} people is itself {:.2} mm off that of all people (root mean square, on a face of life size).\n\n\
         {:>6}  {:>16}  {:>15}  {:>18}  {:>12}",
        plan.radius,
        millimetres(plan, plan.sampling_error),
        "mu",
        "epsilon at 1e-6",
        "attacker right",
        "error of release",
        "mean square",
    );
    for row in rows {
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        let _ = write!(
            out,
            "\n{:>6}  {:>16.2}  {:>13.1} %  {:>15.2} mm  {:>12.1e}",
            number("mu"),
            number("epsilon"),
            100.0 * number("guess_probability"),
            number("error_mm"),
            number("mean_square_error"),
        );
    }
    if plan.clipped > 0.0 {
        let _ = write!(
            out,
            "\n\nnote: {:.0} % of the simulated people lie beyond this radius and are drawn in, which is part of the error",
            100.0 * plan.clipped
        );
    }
    out
}
