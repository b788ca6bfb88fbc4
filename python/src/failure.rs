//! Why something was not done, and the exception that says so.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyModule;
use std::fmt::Display;
use visard::optimize::{OptimizeError, PlanError};
use visard::privacy::LedgerError;
use visard::study::JobError;
use visard::study::face::StudyError;
use visard::study::optimize::OptimizeStudyError;
use visard::study::points::PointStudyError;

/// Which exception: a name in `visard._errors`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An argument or a record is no good.
    Input,
    /// The ledger has no room, or the budget protects nobody.
    Budget,
    /// The iteration did not reach its tolerance.
    NotConverged,
    /// Anything else.
    Other,
}

/// A message and its exception, made where there is no interpreter.
#[derive(Debug)]
pub struct Failure {
    kind: Kind,
    message: String,
}

impl Failure {
    /// An argument is no good.
    pub fn input(message: impl Display) -> Self {
        Self { kind: Kind::Input, message: message.to_string() }
    }

    /// Something else.
    pub fn other(message: impl Display) -> Self {
        Self { kind: Kind::Other, message: message.to_string() }
    }

    /// Of this kind.
    pub fn of(kind: Kind, message: impl Display) -> Self {
        Self { kind, message: message.to_string() }
    }

    fn of_job(error: &JobError, message: impl Display) -> Self {
        let (kind, hint) = match error {
            JobError::Ledger(LedgerError::AboveCeiling { .. }) => (Kind::Budget, ""),
            JobError::Vacuous(_) => (
                Kind::Budget,
                "choose a smaller budget; vacuous_budget=True allows this one, and the certificate will say so; nothing was charged",
            ),
            JobError::HasRelease(_) | JobError::HasResult(_) => (
                Kind::Other,
                "choose another out=, or force=True to replace it (the ledger keeps every charge)",
            ),
            JobError::Interrupted(_) => (
                Kind::Other,
                "resume=True continues it without paying again; force=True discards it and pays for a new one",
            ),
            JobError::OtherRun(_) => {
                (Kind::Other, "use the same records and settings, or discard it with force=True")
            }
            JobError::Read(_) => (Kind::Input, ""),
            _ => (Kind::Other, ""),
        };
        let message = if hint.is_empty() { message.to_string() } else { format!("{message}; {hint}") };
        Self { kind, message }
    }
}

impl From<StudyError> for Failure {
    fn from(error: StudyError) -> Self {
        match &error {
            StudyError::Job(job) => Self::of_job(job, &error),
            _ => Self::input(&error),
        }
    }
}

impl From<PointStudyError> for Failure {
    fn from(error: PointStudyError) -> Self {
        match &error {
            PointStudyError::Job(job) => Self::of_job(job, &error),
            _ => Self::input(&error),
        }
    }
}

impl From<OptimizeStudyError> for Failure {
    fn from(error: OptimizeStudyError) -> Self {
        match &error {
            OptimizeStudyError::Job(job) => Self::of_job(job, &error),
            OptimizeStudyError::Plan(PlanError::OutOfReach)
            | OptimizeStudyError::Optimize(OptimizeError::NoiseTooLarge { .. }) => {
                Self::of(Kind::Budget, &error)
            }
            _ => Self::input(&error),
        }
    }
}

static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        let name = match failure.kind {
            Kind::Input => "InputError",
            Kind::Budget => "BudgetError",
            Kind::NotConverged => "NotConvergedError",
            Kind::Other => "VisardError",
        };
        Python::attach(|py| {
            let made = ERRORS
                .get_or_try_init(py, || py.import("visard._errors").map(Bound::unbind))
                .and_then(|module| module.bind(py).getattr(name))
                .and_then(|class| class.call1((&failure.message,)));
            match made {
                Ok(exception) => PyErr::from_value(exception),
                Err(error) => error,
            }
        })
    }
}
