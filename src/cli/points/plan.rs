//! `visard shape plan`, `visard spd plan`: what to expect of a private mean, before any record is read.

use super::common::{among, failure};
use super::shape_choice::{ShapeChoice, choices};
use crate::cli::budget::BudgetArgs;
use crate::cli::heading;
use crate::cli::output::{Failure, Printer};
use crate::cli::plan::SaveArgs;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use visard::manifold::LandmarkShapes;
use visard::privacy::{Delta, Epsilon, Mu, PrivacyLoss};
use visard::report::colour::short;
use visard::study::face::modes::MODES;
use visard::study::points::plan::{
    Guess, MOST, PointForecast, PointPlan, plan_shapes, plan_spd, records_for,
};
use visard::study::points::spd::descriptor_ball;
use visard::study::points::{PointMechanism, PointStudyError, SpdMetric};
use visard::study::shape::plan::{CompareForecast, FIELD, ModesForecast, ShapePlan, gaussian};

/// The δ at which budgets are also stated as ε, where none is given.
const DELTA: f64 = 1e-6;

/// What plans for points have in common.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// Planned number of records; several are compared
    #[arg(long, value_name = "N", num_args = 1.., required_unless_present = "want",
          value_parser = clap::value_parser!(u64).range(1..=MOST))]
    n: Vec<u64>,
    /// Budgets to compare
    #[arg(long, help_heading = heading::BUDGET, value_name = "F", num_args = 1.., allow_negative_numbers = true, conflicts_with = "epsilon")]
    mu: Vec<f64>,
    /// Budgets to compare as epsilon (pure without --delta)
    #[arg(long, help_heading = heading::BUDGET, value_name = "F", num_args = 1.., allow_negative_numbers = true)]
    epsilon: Vec<f64>,
    /// The delta of --epsilon
    #[arg(long, help_heading = heading::BUDGET, value_name = "F", allow_negative_numbers = true, requires = "epsilon")]
    delta: Option<f64>,
    /// Wanted error, in the distance of the space (root mean square): prints how many records are needed
    #[arg(long, value_name = "F", conflicts_with = "n", allow_negative_numbers = true)]
    want: Option<f64>,
    /// Guess of how far records lie from their mean (root mean square); by default half the radius (of surfaces a quarter, or as those of --prior lie)
    #[arg(long, help_heading = heading::RECORDS, value_name = "F")]
    spread: Option<f64>,
    /// Guess of how far their mean lies from the public centre; by default a third of the radius (of surfaces a tenth, half of that with --prior)
    #[arg(long, help_heading = heading::RECORDS, value_name = "F")]
    distance: Option<f64>,
    #[command(flatten)]
    save: SaveArgs,
}

/// Arguments of `shape plan`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard shape plan --landmarks 50 --n 100 400\n  visard shape plan --landmarks 50 --radius 0.15 --public-center --mu 1 --want 0.01\n  visard shape plan --landmarks 20 --dimensions 3 --n 300 1000 --mu 1 --modes"
)]
pub struct ShapePlanArgs {
    /// Landmarks of a shape
    #[arg(long, help_heading = heading::RECORDS, value_name = "K", value_parser = clap::value_parser!(u32).range(3..=2000))]
    landmarks: u32,
    /// Public radius (default: found privately where the records and the budget are enough)
    #[arg(long, help_heading = heading::RELEASE, value_name = "F", allow_negative_numbers = true)]
    radius: Option<f64>,
    /// The centre is a public shape (default: found privately)
    #[arg(long, help_heading = heading::RELEASE)]
    public_center: bool,
    /// Which private mean (default: joint; for a pure ε tangent-laplace)
    #[arg(long, help_heading = heading::RELEASE, value_parser = choices())]
    mechanism: Option<ShapeChoice>,
    /// Coordinates of a landmark
    #[arg(long, help_heading = heading::RECORDS, value_name = "D", default_value_t = 2, value_parser = clap::value_parser!(u8).range(2..=3))]
    dimensions: u8,
    /// The landmarks go around a closed outline, in order, or N of them, one after the other and as many landmarks on each
    #[arg(long, help_heading = heading::RECORDS, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    outline: Option<u32>,
    /// Plan private modes of variation instead of a mean
    #[arg(long, help_heading = heading::STATISTIC, conflicts_with_all = ["want", "mechanism", "compare", "regress"])]
    modes: bool,
    /// Plan a comparison of two groups of half the records each
    #[arg(long, help_heading = heading::STATISTIC, conflicts_with_all = ["want", "mechanism", "regress"])]
    compare: bool,
    /// Plan a regression on this many covariates (columns of splines count): how exact its fields will be
    #[arg(long, help_heading = heading::STATISTIC, value_name = "COVARIATES", conflicts_with_all = ["want", "mechanism"], value_parser = clap::value_parser!(u8).range(1..=16))]
    regress: Option<u8>,
    #[command(flatten)]
    plan: PlanArgs,
}

/// Arguments of `spd plan`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard spd plan --order 3 --radius 3 --n 200 1000 --mu 0.5 1\n  visard spd plan --order 11 --radius descriptor --epsilon 1 --delta 1e-6 --want 0.5"
)]
pub struct SpdPlanArgs {
    /// Matrices are k × k
    #[arg(long, help_heading = heading::RECORDS, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=60))]
    order: u32,
    /// The metric of the mean
    #[arg(long, help_heading = heading::RELEASE, value_enum, default_value_t = SpdMetric::LogEuclidean)]
    metric: SpdMetric,
    /// Public radius of the ball that bounds the records, or "descriptor": the ball of all covariance descriptors
    #[arg(long, help_heading = heading::RELEASE, value_name = "F|descriptor", allow_negative_numbers = true)]
    radius: String,
    /// Which private mean (default: the least noise at the budget)
    #[arg(long, help_heading = heading::RELEASE, value_parser = among(PointMechanism::OF_POINTS))]
    mechanism: Option<PointMechanism>,
    #[command(flatten)]
    plan: PlanArgs,
}

/// Root-mean-square distance of shapes from their mean where no radius tells: planar outlines of one species lie near it.
const SHAPE_SPREAD: f64 = 0.08;

/// Spreads of published landmarks, for whoever has to guess one: root-mean-square distances of 15 sets from their own means.
const SPREADS: &str = "note: the spread is a guess (--spread), and the forecast hangs on it. Published landmarks: 0.04 to 0.06 (skulls of apes, corpora \
                       callosa), 0.07 to 0.08 (faces, macaques, brain slices), 0.11 (brains), 0.14 (sand grains, optical nerves), 0.2 (hands in many poses, written digits)";

/// How points are taken to lie within a radius where nothing is said.
fn within(radius: f64) -> Guess {
    Guess { spread: 0.5 * radius, distance: radius / 3.0 }
}

/// Runs `shape plan`.
pub fn shape(args: &ShapePlanArgs, printer: &Printer) -> Result<(), Failure> {
    let landmarks = args.landmarks as usize;
    let radius = args.radius.unwrap_or(2.0 * SHAPE_SPREAD);
    if args.plan.spread.is_none() {
        printer.note(SPREADS);
    }
    let space = LandmarkShapes::new(landmarks, args.dimensions.into()).map_err(Failure::usage)?;
    let joint = |guess: Guess| ShapePlan {
        space,
        outlines: args.outline.unwrap_or(0) as usize,
        public: args.public_center,
        radius: args.radius,
        guess,
    };
    if args.modes || args.compare || args.regress.is_some() {
        return statistics(args, &joint(args.plan.guess(within(radius))?), printer);
    }
    let single = match args.mechanism {
        Some(ShapeChoice::Single(mechanism)) => Some(mechanism),
        Some(ShapeChoice::Joint) | None => None,
    };
    let made = |plan: &PointPlan| -> Result<Vec<PointForecast>, PointStudyError> {
        let pure = plan.budgets.iter().any(|loss| matches!(loss, PrivacyLoss::Pure(_)));
        if plan.mechanism.is_some() || pure {
            return plan_shapes(landmarks, args.radius, args.public_center, plan);
        }
        joint(plan.guess).means(plan)
    };
    // As the study says it: see `run_shapes`.
    let usual = |loss| matches!(loss, PrivacyLoss::Pure(_)).then(|| PointMechanism::best_for(loss));
    run(("shape mean", &usual), &args.plan, single, within(radius), made, printer)
}

/// Modes, comparisons, regressions.
fn statistics(args: &ShapePlanArgs, plan: &ShapePlan, printer: &Printer) -> Result<(), Failure> {
    let (mut rows, mut cells) = (Vec::new(), Vec::new());
    let mut text = format!(
        "Made-up shapes, {} from their mean, which lies {} from a public centre (--spread, --distance); none of your data is read.\n",
        short(plan.guess.spread),
        short(plan.guess.distance)
    );
    for &n in &args.plan.n {
        for loss in args.plan.budgets()? {
            let mu = gaussian(loss).ok_or_else(|| {
                Failure::usage("this Gaussian mechanism has no pure epsilon; give --delta too, or --mu")
            })?;
            let (found, line) = statistic(args, plan, n, mu)?;
            rows.push(PlanRow { n, budget: args.plan.stated(loss)?, expected: found });
            let _ = write!(text, "\nn = {n}, {loss}: {line}");
            cells.push((n, loss));
        }
    }
    let statistic = match (args.modes, args.compare) {
        (true, _) => "shape modes",
        (_, true) => "shape compare",
        _ => "shape regress",
    };
    args.plan.save.finish(statistic, &cells, 1.0, rows, text, printer)
}

/// One cell: for machines and in words.
fn statistic(
    args: &ShapePlanArgs,
    plan: &ShapePlan,
    n: u64,
    mu: Mu,
) -> Result<(ShapeStatistic, String), Failure> {
    if args.modes {
        let found = plan.modes(n, mu, MODES).map_err(failure)?;
        let warning = if found.worth { "" } else { "; hardly worth the budget" };
        let line = format!(
            "{:.1} modes stand out of the noise; {MODES} private ones explain {:.0} % of what {MODES} without privacy do{warning}",
            found.visible,
            100.0 * found.explained
        );
        return Ok((ShapeStatistic::Modes(found), line));
    }
    if args.compare {
        let found = plan.compare(n, mu).map_err(failure)?;
        let power: Vec<String> = found
            .power
            .iter()
            .map(|(size, power)| format!("{} in {:.0} %", short(*size), 100.0 * power))
            .collect();
        let line = format!(
            "differences of these sizes are found at 5 %: {}; the band reaches {} to either side",
            power.join(", "),
            short(found.band)
        );
        return Ok((ShapeStatistic::Compare(found), line));
    }
    let covariates = usize::from(args.regress.unwrap_or(1));
    let error = plan.regression(n, mu, covariates).map_err(failure)?;
    let worth = error < 0.8;
    let warning = if worth { "" } else { "; not worth the budget" };
    let line = format!("a field of size {FIELD} has {error:.2} of the error of a zero field{warning}");
    Ok((ShapeStatistic::Regression(ShapeRegressionPlan { covariates, field: FIELD, error, worth }), line))
}

/// Runs `spd plan`.
pub fn spd(args: &SpdPlanArgs, printer: &Printer) -> Result<(), Failure> {
    let order = args.order as usize;
    let radius = match args.radius.as_str() {
        "descriptor" => descriptor_ball(order).map(|(_, radius)| radius).ok_or_else(|| {
            Failure::usage(
                "--radius descriptor is for covariance descriptors: 9 × 9 (grey) or 11 × 11 (colour)",
            )
        })?,
        text => text.parse().map_err(|_| {
            Failure::usage(format!("--radius {text:?} is neither a number nor \"descriptor\""))
        })?,
    };
    let usual = |loss| Some(PointMechanism::best_for_matrices(args.metric, true, loss));
    run(
        ("spd mean", &usual),
        &args.plan,
        args.mechanism,
        within(radius),
        |plan| plan_spd(order, args.metric, radius, plan),
        printer,
    )
}

/// `usual`: the mechanism that the command takes at a budget where none is named; `usually`: how records lie where nothing is said.
pub fn run(
    (command, usual): (&str, &dyn Fn(PrivacyLoss) -> Option<PointMechanism>),
    args: &PlanArgs,
    mechanism: Option<PointMechanism>,
    usually: Guess,
    made: impl Fn(&PointPlan) -> Result<Vec<PointForecast>, PointStudyError>,
    printer: &Printer,
) -> Result<(), Failure> {
    if mechanism == Some(PointMechanism::None) {
        return Err(Failure::usage("there is nothing to plan for --mechanism none: it releases nothing"));
    }
    let guess = args.guess(usually)?;
    let budgets = args.budgets()?;
    let plan = PointPlan { sizes: args.n.clone(), budgets: budgets.clone(), mechanism, guess };
    let Some(want) = args.want else {
        let found = made(&plan).map_err(failure)?;
        let rows = found.iter().map(|forecast| args.row(forecast)).collect::<Result<Vec<_>, _>>()?;
        let text = text(&rows, guess);
        let cells: Vec<_> = found.iter().map(|forecast| (forecast.n, forecast.loss)).collect();
        let usual = budgets.first().copied().and_then(usual);
        let statistic = mechanism.map_or_else(|| command.to_owned(), |named| named.statistic(command, usual));
        return args.save.finish(&statistic, &cells, 1.0, rows, text, printer);
    };
    let want = positive(Some(want), 0.0, "--want")?;
    let at = |n: u64, loss| {
        let one = PointPlan { sizes: vec![n], budgets: vec![loss], ..plan.clone() };
        made(&one)?.pop().ok_or_else(|| PointStudyError::Input("nothing was planned".into()))
    };
    let found = records_for(want, &budgets, at).map_err(failure)?;
    let (mut rows, mut text) =
        (Vec::new(), format!("Records needed for an error of {want} (root mean square):\n"));
    for (loss, n) in found {
        let shown = n.map_or_else(|| format!("more than {MOST}"), |n| n.to_string());
        let _ = write!(text, "\n{loss}: {shown}");
        rows.push(RecordsNeeded { budget: args.stated(loss)?, error: want, n });
    }
    printer.result(rows, text);
    Ok(())
}

/// A positive number, or this one.
fn positive(x: Option<f64>, default: f64, name: &str) -> Result<f64, Failure> {
    match x.unwrap_or(default) {
        x if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err(Failure::usage(format!("{name} must be a positive number"))),
    }
}

impl PlanArgs {
    /// How records are taken to lie.
    fn guess(&self, usually: Guess) -> Result<Guess, Failure> {
        Ok(Guess {
            spread: positive(self.spread, usually.spread, "--spread")?,
            distance: positive(self.distance, usually.distance, "--distance")?,
        })
    }

    fn budgets(&self) -> Result<Vec<PrivacyLoss>, Failure> {
        match (&self.mu[..], &self.epsilon[..]) {
            ([], []) => [0.3, 0.5, 1.0, 3.0].map(|mu| BudgetArgs::of_mu(mu).loss()).into_iter().collect(),
            (mus, []) => mus.iter().map(|mu| BudgetArgs::of_mu(*mu).loss()).collect(),
            (_, epsilons) => {
                epsilons.iter().map(|e| BudgetArgs::of(None, Some(*e), self.delta).loss()).collect()
            }
        }
    }

    /// A budget as plans state it.
    fn stated(&self, loss: PrivacyLoss) -> Result<PlannedBudget, Failure> {
        let delta = Delta::new(self.delta.unwrap_or(DELTA)).map_err(Failure::usage)?;
        let (mu, epsilon, delta) = match loss {
            PrivacyLoss::Gaussian(mu) => {
                (Some(mu), Some(loss.epsilon_at(delta).map_err(Failure::failed)?), Some(delta))
            }
            PrivacyLoss::Approximate(epsilon, delta) => (None, Some(epsilon), Some(delta)),
            PrivacyLoss::Pure(epsilon) => (None, Some(epsilon), Delta::new(0.0).ok()),
            _ => (None, None, None),
        };
        Ok(PlannedBudget { mu, epsilon, delta })
    }

    fn row(&self, forecast: &PointForecast) -> Result<PlanRow<PointPlanned>, Failure> {
        let PointForecast { n, loss, error, ref refused, template_error, sampling_error } = *forecast;
        let expected = PointPlanned {
            budget: loss.to_string(),
            error,
            refused: refused.clone(),
            template_error,
            sampling_error,
            band: None,
            worth: forecast.is_worth_it(),
        };
        Ok(PlanRow { n, budget: self.stated(loss)?, expected })
    }
}

/// A budget as plans state it.
#[derive(Serialize, JsonSchema)]
pub struct PlannedBudget {
    /// μ, where it is stated so.
    mu: Option<Mu>,
    /// ε, at `delta`.
    epsilon: Option<Epsilon>,
    /// δ; 0 for pure budgets.
    delta: Option<Delta>,
}

/// A row: so many records at a budget, and what to expect.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{Expected}Row")]
pub struct PlanRow<Expected> {
    /// Number of records.
    n: u64,
    #[serde(flatten)]
    budget: PlannedBudget,
    #[serde(flatten)]
    expected: Expected,
}

/// What to expect of a mean: root-mean-square distances in the space.
#[derive(Serialize, JsonSchema)]
pub struct PointPlanned {
    /// The budget in words.
    budget: String,
    /// Of the release from the mean of the records; null where a study would be refused.
    error: Option<f64>,
    /// Why it would be.
    refused: Option<String>,
    /// Of the centre from the mean of the records.
    template_error: f64,
    /// Of the mean of the records from that of their population.
    sampling_error: f64,
    /// None is foretold.
    band: Option<f64>,
    /// Whether the release is worth the budget.
    worth: bool,
}

/// How many records an error takes.
#[derive(Serialize, JsonSchema)]
pub struct RecordsNeeded {
    #[serde(flatten)]
    budget: PlannedBudget,
    /// The error that is wanted.
    error: f64,
    /// How many records; null if more than are simulated.
    n: Option<u64>,
}

/// What to expect of another statistic of shapes.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ShapeStatistic {
    Modes(ModesForecast),
    Compare(CompareForecast),
    Regression(ShapeRegressionPlan),
}

/// What to expect of a regression of shapes.
#[derive(Serialize, JsonSchema)]
pub struct ShapeRegressionPlan {
    /// On so many covariates.
    covariates: usize,
    /// The size of the fields.
    field: f64,
    /// The error of the fields over their size: 1 is that of a zero field.
    error: f64,
    /// Whether it is worth the budget.
    worth: bool,
}

fn text(rows: &[PlanRow<PointPlanned>], guess: Guess) -> String {
    let mut out = format!(
        "Made-up records, {} from their mean, which lies {} from the public centre (--spread, --distance); none of your data is read.\n\
         Root-mean-square distances: of the release, of the centre itself, of these records as a sample of their population.\n\n\
         {:>7}  {:>10}  {:>10}  {:>10}  budget",
        short(guess.spread),
        short(guess.distance),
        "n",
        "release",
        "centre",
        "sample",
    );
    for PlanRow { n, expected, .. } in rows {
        let _ = write!(
            out,
            "\n{:>7}  {:>10}  {:>10.4}  {:>10.4}  {}{}",
            n,
            expected.error.map_or_else(|| "refused".to_owned(), |error| format!("{error:.4}")),
            expected.template_error,
            expected.sampling_error,
            expected.budget,
            if expected.worth || expected.error.is_none() {
                ""
            } else {
                "  not worth the budget: hardly better than the centre"
            },
        );
    }
    out
}
