//! Why something was not done, and the exception that says so.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyModule;
use std::fmt::Display;
use visard::command::Refusal;

/// Which exception: a name in `visard._errors`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// There is no argument of this name: Python's own `TypeError`.
    Option,
    /// An argument or a record is not valid.
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
}

impl From<Refusal> for Failure {
    fn from(Refusal { kind, message, hint }: Refusal) -> Self {
        let kind = match kind {
            "unknown-option" => Kind::Option,
            "usage" | "input" | "read" => Kind::Input,
            "budget" | "above-ceiling" | "vacuous-budget" => Kind::Budget,
            _ => Kind::Other,
        };
        let message = match hint {
            Some(hint) => format!("{message}; {hint}"),
            None => message,
        };
        Self { kind, message }
    }
}

static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        let name = match failure.kind {
            Kind::Option => return PyTypeError::new_err(failure.message),
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
