//! What the private means of points share.

use crate::cli::answer::{NothingReleased, Release};
use crate::cli::budget::{BudgetArgs, CountingArgs, PlaceArgs, UnusableArgs};
use crate::cli::output::{Failure, Printer, counted, where_to};
use crate::cli::{Global, heading};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use visard::mechanism::MechanismError;
use visard::privacy::Calibration;
use visard::study::layout::{REPORT, UNUSABLE};
use visard::study::points::{PointAccuracy, PointMechanism, PointOutcome, PointRequest, PointStudyError};
use visard::study::{Place, Unusable};

/// Options of every private mean of points.
#[derive(Debug, Args)]
pub struct Common {
    #[command(flatten)]
    budget: BudgetArgs,
    /// How Gaussian noise is calibrated to (ε, δ)
    #[arg(long, help_heading = heading::BUDGET, value_enum, default_value_t = Calibration::Analytic)]
    calibration: Calibration,
    #[command(flatten)]
    counting: CountingArgs,
    /// Number of independent draws, each charged
    #[arg(long, help_heading = heading::RELEASE, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    draws: u32,
    #[command(flatten)]
    unusable: UnusableArgs,
    /// Compare all mechanisms at several budgets, on this many simulated records, on the internal page
    #[arg(long, help_heading = heading::OUTPUT)]
    explore: bool,
    #[command(flatten)]
    place: PlaceArgs,
}

impl Common {
    pub(super) fn request(
        &self,
        mechanism: Option<PointMechanism>,
        global: &Global,
        printer: &Printer,
    ) -> Result<PointRequest, Failure> {
        let mechanism = self.mechanism(mechanism)?;
        let place = self.place(global)?;
        let request = match (mechanism, self.budget.is_empty()) {
            (PointMechanism::None, empty) => {
                if !empty {
                    printer.note("note: --mechanism none releases nothing: the budget is not used and nothing is charged");
                }
                PointRequest::nonprivate(place)
            }
            _ => PointRequest::new(place, mechanism, self.budget.loss()?),
        };
        let Self { calibration, draws, explore, .. } = *self;
        let (unusable, counting) = (self.unusable(), self.counting());
        Ok(PointRequest { calibration, draws, explore, unusable, counting, ..request })
    }
}

impl Common {
    /// The budget.
    pub(super) fn budget(&self) -> &BudgetArgs {
        &self.budget
    }

    /// What is done with records that are no points.
    pub(super) fn unusable(&self) -> Unusable {
        self.unusable.rule()
    }

    /// The same for landmarks ([`UnusableArgs::rule_of_shapes`]).
    pub(super) fn unusable_shapes(&self, file: &std::path::Path, told: bool) -> Unusable {
        self.unusable.rule_of_shapes(file, told)
    }

    /// What counts as a person.
    pub(super) fn counting(&self) -> visard::study::Counting {
        self.counting.counting()
    }

    /// Where it works.
    pub(super) fn place(&self, global: &Global) -> Result<Place, Failure> {
        Ok(Place { asked: self.budget.loss().ok(), ..self.place.place(global)? })
    }

    /// Whether something was asked for that only single mechanisms have: several draws, or comparing all.
    pub(super) fn wants_single(&self) -> bool {
        self.draws > 1 || self.explore || self.calibration != Calibration::Analytic
    }

    /// What was asked for, or the one with the least noise at this budget.
    pub(super) fn mechanism(&self, asked: Option<PointMechanism>) -> Result<PointMechanism, Failure> {
        match asked {
            Some(mechanism) => Ok(mechanism),
            None => Ok(PointMechanism::best_for(self.budget.loss()?)),
        }
    }
}

impl Common {
    /// Whether a mean without noise is all that is asked for: an exploration wants a ball.
    pub(super) fn is_plain(&self, mechanism: Option<PointMechanism>) -> bool {
        mechanism == Some(PointMechanism::None) && !self.explore
    }
}

/// What is said where nothing bounds the records of a release.
pub(super) fn no_radius() -> Failure {
    Failure::usage("a release needs a public bound on the records: --radius F").with_hint(
        "--mechanism none gives the mean without noise, for the data holder only, and needs no bound",
    )
}

/// The mechanisms that a kind of points has.
pub(super) fn among(mechanisms: &'static [PointMechanism]) -> impl TypedValueParser<Value = PointMechanism> {
    PossibleValuesParser::new(mechanisms.iter().filter_map(ValueEnum::to_possible_value))
        .try_map(|name| PointMechanism::from_str(&name, true))
}

/// Errors of a study as exit codes and advice.
pub(in crate::cli) fn failure(error: PointStudyError) -> Failure {
    match &error {
        PointStudyError::Job(job) => Failure::of_job(&error, Some(job)),
        PointStudyError::Budget(_)
        | PointStudyError::Mechanism(
            MechanismError::Budget(_) | MechanismError::NeedsDelta | MechanismError::NotHere { .. },
        ) => Failure::usage(&error),
        PointStudyError::Record { .. }
        | PointStudyError::NoneUsable { .. }
        | PointStudyError::TooFew { .. }
        | PointStudyError::People(_)
        | PointStudyError::Input(_)
        | PointStudyError::Read(_) => Failure::input(&error).with_hint("nothing was charged"),
        _ => Failure::input(&error),
    }
}

/// Says how many records could not be used, and what that means: to the data holder only.
pub(in crate::cli) fn note_failed(printer: &Printer, failed: usize, released: bool, internal: &Path) {
    let done = match (released, failed) {
        (true, 1) => "contributes zero",
        (true, _) => "contribute zero",
        (false, 1) => "is left out of the mean without noise",
        (false, _) => "are left out of the mean without noise",
    };
    let words = format!(
        "{} could not be used and {done} (reasons: {})",
        counted(failed, "record"),
        internal.join(UNUSABLE).display()
    );
    printer.secret("unusable", failed, (failed > 0).then_some(words));
}

/// A mean of points by a single mechanism.
#[derive(Serialize, JsonSchema)]
pub struct PointFindings {
    /// How far the release is expected to lie from the mean without noise; null where the mechanism does not tell.
    accuracy: Option<PointAccuracy>,
}

pub(super) fn say(published: &PointOutcome, what: &str, printer: &Printer) {
    let release = published.folder.release();
    let internal = published.folder.internal();
    let what = if published.of_persons {
        format!("{what} of {} persons", published.n)
    } else {
        format!("{} {what}", published.n)
    };
    let (outside, failed) = published.outside;
    let were = if outside == 1 { "was" } else { "were" };
    let words = format!(
        "{} {were} outside the public radius and {were} moved to its edge",
        counted(outside, "record")
    );
    printer.secret("outside", outside, (outside > 0).then_some(words));
    note_failed(printer, failed, published.certificate.is_some(), &internal);
    printer.remarks(&published.remarks);
    match &published.certificate {
        None => printer.own_result(
            NothingReleased::of(&published.folder, published.n),
            format!("non-private mean of {what}: {}", internal.display()),
        ),
        Some(certificate) => printer.result(
            Release::of(&published.folder, certificate, PointFindings { accuracy: published.accuracy }),
            format!(
                "{} of {what}, {}, {}\n{}  {} {}\n  open first:   {}\n  do not share: {}",
                if certificate.private { "private mean" } else { "mean (NOT PRIVATE)" },
                certificate.mechanism,
                certificate.loss,
                published
                    .accuracy
                    .map_or_else(String::new, |accuracy| format!("  {}\n", accuracy.sentence())),
                where_to(certificate.private),
                release.display(),
                release.join(REPORT).display(),
                internal.display()
            ),
        ),
    }
}
