//! `visard face plan`: what to expect of a private mean face, before any scan is read.

mod compare;
mod modes;

use super::files::template_source;
use crate::cli::budget::BudgetArgs;
use crate::cli::heading;
use crate::cli::output::{Failure, Printer};
use crate::cli::plan::SaveArgs;
use clap::Args;
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use visard::privacy::{Mu, PrivacyLoss, rounded_up};
use visard::study::face::plan::{MOST, PlanRequest, people_for, plan};
use visard::study::face::plan_rows::{self, DELTA, FaceMeanPlan, Row};
use visard::study::face::regress::{RegressionForecast, plan_regression};
use visard::study::face::{CURVES, FACE_MM, FaceMechanism, SAMPLES, TEMPLATE_DISTANCE};

/// Arguments of `face plan`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard face plan --n 200\n  visard face plan --n 60 200 --mu 0.5 1 2\n  visard face plan --n 100 --epsilon 1 5 --delta 1e-6\n  visard face plan --mu 1 --want 1\n  visard face plan --modes --n 300 1000\n  visard face plan --compare --n 300 --mu 1\n  visard face plan --n 300 1000 --mu 1 --regress 3\n  visard face plan --n 200 --mu 1 --save study --accept 1"
)]
pub struct PlanArgs {
    /// Planned number of people; several are compared
    #[arg(long, value_name = "N", num_args = 1.., required_unless_present = "want",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    n: Vec<u32>,
    /// Budgets to compare
    #[arg(long, help_heading = heading::BUDGET, value_name = "F", num_args = 1.., allow_negative_numbers = true, conflicts_with = "epsilon")]
    mu: Vec<f64>,
    /// Budgets to compare as epsilon, with --delta
    #[arg(long, help_heading = heading::BUDGET, value_name = "F", num_args = 1.., allow_negative_numbers = true, requires = "delta")]
    epsilon: Vec<f64>,
    /// The delta of --epsilon
    #[arg(long, help_heading = heading::BUDGET, value_name = "F", allow_negative_numbers = true, requires = "epsilon")]
    delta: Option<f64>,
    /// Wanted error, in millimetres on a face of 20 cm (root mean square): prints how many people are needed
    #[arg(long, value_name = "MM", conflicts_with = "n", allow_negative_numbers = true)]
    want: Option<f64>,
    /// Public template face: a mesh file, or "builtin".
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "FILE|builtin", default_value = "builtin")]
    template: String,
    /// With a prior, as for `face mean`: public prepared faces (.npy) or an earlier private release; the simulated people then differ as its
    /// faces do; their mean is half as far from its mean as populations are from the template.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "FILE|RELEASE", conflicts_with_all = ["modes", "compare", "regress"])]
    prior: Option<PathBuf>,
    /// Which private mean
    #[arg(long, help_heading = heading::RELEASE, value_enum, default_value_t = FaceMechanism::Joint)]
    mechanism: FaceMechanism,
    /// Plan a confidence band for the population's mean too: its width, and its effect on the release
    #[arg(long, help_heading = heading::RELEASE)]
    band: bool,
    /// Plan private modes of variation instead of a mean
    #[arg(long, help_heading = heading::STATISTIC, conflicts_with_all = ["want", "band", "mechanism", "clip_radius", "compare"])]
    modes: bool,
    /// Plan a comparison of two groups instead: n people in two halves; level and power of the test, width of the band
    #[arg(long, help_heading = heading::STATISTIC, conflicts_with_all = ["want", "mechanism", "band", "clip_radius"])]
    compare: bool,
    /// Plan a regression on this many covariates (columns of splines count) instead: how exact its fields will be
    #[arg(long, help_heading = heading::STATISTIC, value_name = "COVARIATES", conflicts_with_all = ["want", "band", "mechanism", "clip_radius", "modes", "compare"],
          value_parser = clap::value_parser!(u8).range(1..=30))]
    regress: Option<u8>,
    /// The regression's modes of what the covariates leave are wanted too, as by `face regress --residuals`
    #[arg(long, help_heading = heading::STATISTIC, requires = "regress")]
    residuals: bool,
    /// Public clip radius (default: the mechanism's own)
    #[arg(long, help_heading = heading::RELEASE, value_name = "F", allow_negative_numbers = true)]
    clip_radius: Option<f64>,
    /// Number of face radial curves
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "J", default_value_t = CURVES as u16, value_parser = clap::value_parser!(u16).range(2..=500))]
    curves: u16,
    /// Samples on each curve
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "M", default_value_t = SAMPLES as u16, value_parser = clap::value_parser!(u16).range(8..=2000))]
    samples: u16,
    #[command(flatten)]
    save: SaveArgs,
}

impl PlanArgs {
    /// Prints, and keeps the plan where that is asked for.
    fn finish(
        &self,
        statistic: &str,
        cells: impl IntoIterator<Item = (usize, Mu)>,
        (rows, text): (Vec<impl Serialize>, String),
        printer: &Printer,
    ) -> Result<(), Failure> {
        let cells: Vec<_> = cells.into_iter().map(|(n, mu)| (n as u64, PrivacyLoss::Gaussian(mu))).collect();
        self.save.finish(statistic, &cells, 1.0 / FACE_MM, rows, text, printer)
    }

    fn budgets(&self) -> Result<Vec<Mu>, Failure> {
        let of = |mu, epsilon| BudgetArgs::of(mu, epsilon, self.delta).mu();
        match (&self.mu[..], &self.epsilon[..]) {
            ([], []) => [0.1, 0.3, 0.5, 1.0, 3.0].map(|mu| of(Some(mu), None)).into_iter().collect(),
            (mus, []) => mus.iter().map(|mu| Mu::new(*mu).map_err(Failure::usage)).collect(),
            (_, epsilons) => epsilons.iter().map(|epsilon| of(None, Some(*epsilon))).collect(),
        }
    }

    fn request(&self) -> Result<PlanRequest, Failure> {
        Ok(PlanRequest {
            sizes: self.n.iter().map(|n| *n as usize).collect(),
            budgets: self.budgets()?,
            template: template_source(&self.template),
            prior: self.prior.clone(),
            mechanism: self.mechanism,
            band: self.band,
            radius: self.clip_radius,
            curves: usize::from(self.curves),
            samples: usize::from(self.samples),
        })
    }
}

/// Runs `face plan`.
pub fn run(args: &PlanArgs, printer: &Printer) -> Result<(), Failure> {
    let request = args.request()?;
    if args.modes {
        let found = modes::run(&request, delta(args))?;
        return args.finish("face modes", request.cells(), found, printer);
    }
    if args.compare {
        let found = compare::run(&request, delta(args))?;
        return args.finish("face compare", request.cells(), found, printer);
    }
    match args.want {
        Some(want) if !(want > 0.0 && want.is_finite()) => {
            Err(Failure::usage("--want must be a positive number of millimetres"))
        }
        Some(want) => needed(args, &request, want, printer),
        None if args.regress.is_some() => regression(args, &request, printer),
        None => {
            let found = plan(&request).map_err(Failure::usage)?;
            let rows = found.iter().map(|f| plan_rows::mean(f, delta(args)));
            let rows = rows.collect::<Result<Vec<_>, _>>().map_err(Failure::failed)?;
            let text = text(&rows, args.prior.is_some());
            args.finish(
                &args.mechanism.statistic(args.band),
                found.iter().map(|f| (f.n, f.mu)),
                (rows, text),
                printer,
            )
        }
    }
}

/// How exact the fields of a regression will be.
fn regression(args: &PlanArgs, request: &PlanRequest, printer: &Printer) -> Result<(), Failure> {
    let covariates = usize::from(args.regress.unwrap_or(1));
    let found = plan_regression(request, covariates, args.residuals).map_err(Failure::usage)?;
    let mut rows = Vec::new();
    let mut text = format!(
        "Simulated people with planted effects of {covariates} covariates, as large as those of age, body mass and sex; none of your data is read.\nError \
         of the fields over their size: 1 is the error of a zero field.\n\n{:>6}  {:>6}  {:>7}  {:>7}  {:>13}",
        "n", "mu", "epsilon", "private", "least squares",
    );
    for forecast in &found {
        let RegressionForecast { n, mu, relative_error, sampling_error, .. } = *forecast;
        let (epsilon, worth) = (epsilon(mu, delta(args))?, forecast.is_worth_it());
        let _ = write!(
            text,
            "\n{n:>6}  {:>6.3}  {epsilon:>7.2}  {relative_error:>7.2}  {sampling_error:>13.2}{}",
            mu.get(),
            if worth { "" } else { "  not worth the budget: the noise hides most of the fields" },
        );
        rows.push(plan_rows::regression(forecast, covariates, delta(args)).map_err(Failure::failed)?);
    }
    args.finish("face regress", request.cells(), (rows, text), printer)
}

/// How many scans it takes.
fn needed(args: &PlanArgs, request: &PlanRequest, want: f64, printer: &Printer) -> Result<(), Failure> {
    let found = people_for(request, (want / FACE_MM).powi(2)).map_err(Failure::usage)?;
    let mut rows = Vec::new();
    let mut text = format!(
        "People needed for an error of {want} mm on a face of 20 cm (root mean square):\n\n    mu  epsilon at {:.0e}     n",
        delta(args)
    );
    for (mu, n) in found {
        let epsilon = epsilon(mu, delta(args))?;
        let shown = n.map_or_else(|| format!("more than {MOST}"), |n| n.to_string());
        let _ = write!(text, "\n{:>6.3}  {:>16.2}  {shown:>6}", mu.get(), epsilon);
        rows.push(plan_rows::people(mu, n, want, delta(args)).map_err(Failure::failed)?);
    }
    printer.result(rows, text);
    Ok(())
}

fn delta(args: &PlanArgs) -> f64 {
    args.delta.unwrap_or(DELTA)
}

fn epsilon(mu: Mu, delta: f64) -> Result<f64, Failure> {
    // As it is shown.
    Ok(rounded_up(plan_rows::epsilon(mu, delta).map_err(Failure::failed)?, 2))
}

fn text(rows: &[Row<FaceMeanPlan>], prior: bool) -> String {
    let people = if prior {
        "Simulated people who differ as the prior's do, their mean half as far off the prior's as populations lie off the template".into()
    } else {
        format!("Simulated people whose mean lies {TEMPLATE_DISTANCE} off the template, as real ones do")
    };
    let unread = if prior { "prior" } else { "template" };
    let mut out = format!(
        "{people}; none of your data is read.\n\
         Root-mean-square errors on a face of 20 cm: of the release, of the {unread} itself, of these people as a sample of their population.\n\n\
         {:>6}  {:>6}  {:>7}  {:>14}  {:>10}  {:>10}  {:>10}",
        "n", "mu", "epsilon", "attacker right", "release", unread, "sample",
    );
    let verdict = format!("  not worth the budget: mostly the {unread}");
    for Row { n, mu, epsilon, expected, .. } in rows {
        let _ = write!(
            out,
            "\n{:>6}  {:>6.3}  {:>7.2}  {:>12.1} %  {:>7.2} mm  {:>7.2} mm  {:>7.2} mm{}",
            n,
            mu.get(),
            rounded_up(*epsilon, 2),
            rounded_up(100.0 * expected.guess_probability, 1),
            expected.error_mm,
            expected.template_error_mm,
            expected.sampling_error_mm,
            if expected.worth { "" } else { &verdict },
        );
        if let Some(band) = expected.band_mm {
            let _ = write!(
                out,
                "\n{:>8}95 % band for the population's mean: {band:.2} mm to either side in each coordinate",
                ""
            );
        }
    }
    out
}
