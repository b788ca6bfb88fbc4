//! `visard face`: private mean, modes, groups and regression, planning them, flattening, dense correspondence.

mod assess;
mod compare;
mod files;
pub(super) mod flatten;
mod mean;
mod measure;
mod modes;
mod plan;
mod predict;
mod prepare;
mod records;
mod register;
mod regress;
mod sample;

pub use compare::{difference_lines, report as report_groups};
pub use files::{scans_help, template_source};
pub use mean::{FaceMean, budget_of, report};
pub use modes::report as report_modes;
pub use records::{MakingArgs, NeutralArgs, failure, note_failures, run_with_progress, with_progress};
pub use regress::report as report_fields;

use super::Global;
use super::answer::{Answers, NothingReleased, Own, Release};
use super::assessed::Assessed;
use super::output::{Failure, Printer};
use super::tangent::{self, ModesFindings};
use clap::Subcommand;
use visard::conformal::Quality;
use visard::norm::assess::Assessment;
use visard::study::face::plan_rows::{
    FaceComparePlan, FaceMeanPlan, FaceModesPlan, FaceRegressionPlan, PeopleNeeded, Row,
};

/// Commands on face scans.
#[derive(Debug, Subcommand)]
pub enum FaceCommand {
    /// From a folder of scans to a private average face
    Mean(Box<mean::MeanArgs>),
    /// Private modes of variation (how people's faces differ), with the mean
    Modes(Box<modes::ModesArgs>),
    /// Synthetic faces from released modes; free
    Sample(sample::SampleArgs),
    /// From groups of scans to private means of each, a map of where they differ, and a test
    Compare(Box<compare::CompareArgs>),
    /// Private effects of covariates (age, sex and the like) on a face, from scans and a table
    Regress(Box<regress::RegressArgs>),
    /// The face at given values of the covariates, from the release of a regression; costs nothing
    Predict(predict::PredictArgs),
    /// A patient's face held against a released norm: map of z-values, percentile; costs nothing, never a diagnosis
    Assess(assess::AssessArgs),
    /// Expected error of a private average face; reads no data, costs nothing
    Plan(plan::PlanArgs),
    /// Make records of a manifest's scans, a shard at a time: stage one of a study on many machines; charges nothing
    Prepare(prepare::PrepareArgs),
    /// Map a face mesh conformally onto the unit disk
    Flatten(flatten::FlattenArgs),
    /// Put scans into dense correspondence with a template mesh
    Register(register::RegisterArgs),
    /// Distances and angles between landmarks, face by face; not private
    Measure(measure::MeasureArgs),
}

/// Runs a face command.
pub fn run(command: &FaceCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    match command {
        FaceCommand::Mean(args) => mean::run(args, global, printer),
        FaceCommand::Modes(args) => modes::run(args, global, printer),
        FaceCommand::Sample(args) => sample::run(args, global, printer),
        FaceCommand::Compare(args) => compare::run(args, global, printer),
        FaceCommand::Regress(args) => regress::run(args, global, printer),
        FaceCommand::Predict(args) => predict::run(args, global, printer),
        FaceCommand::Assess(args) => assess::run(args, global, printer),
        FaceCommand::Plan(args) => plan::run(args, printer),
        FaceCommand::Prepare(args) => prepare::run(args, global, printer),
        FaceCommand::Flatten(args) => flatten::run(args, global, printer),
        FaceCommand::Register(args) => register::run(args, global, printer),
        FaceCommand::Measure(args) => measure::run(args, global, printer),
    }
}

/// What these commands answer.
pub fn answers(all: &mut Answers) {
    all.add_study::<mean::FaceMean>("face mean");
    all.add::<Release<ModesFindings>>("face mean");
    all.add::<Own<NothingReleased>>("face mean");
    tangent::answers("face", all);
    all.add::<sample::SampledFaces>("face sample");
    all.add::<predict::Predicted>("face predict");
    all.add::<Own<Assessed<Assessment>>>("face assess");
    all.add::<Vec<Row<FaceMeanPlan>>>("face plan");
    all.add::<Vec<PeopleNeeded>>("face plan");
    all.add::<Vec<Row<FaceModesPlan>>>("face plan");
    all.add::<Vec<Row<FaceComparePlan>>>("face plan");
    all.add::<Vec<Row<FaceRegressionPlan>>>("face plan");
    all.add::<prepare::Prepared>("face prepare");
    all.add::<flatten::Flattened<Quality>>("face flatten");
    all.add::<Own<register::Registered>>("face register");
    all.add::<measure::Measured>("face measure");
    all.add::<Release<mean::FaceMean>>("demo");
}
