//! Why a study of points stopped.

use crate::io::{ReadError, WriteError};
use crate::manifold::ManifoldError;
use crate::mechanism::MechanismError;
use crate::privacy::{BudgetError, PrivacyLoss};
use crate::study::public_people::PriorError;
use crate::study::{CovariateError, GroupsError, JobError, PeopleError};

/// Why a study of points stopped. Errors about the input name a record by its place only.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PointStudyError {
    /// The study's folder, its ledger, its state.
    #[error(transparent)]
    Job(#[from] JobError),
    /// An input file.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An output file.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A record that is no point of the space.
    #[error("record {index} (counting from 1): {problem}")]
    Record {
        /// Its place, from 1.
        index: usize,
        /// What is wrong and what to do.
        problem: String,
    },
    /// No record can be used: a release would be noise.
    #[error("none of the {n} records can be used; the first: {first}")]
    NoneUsable {
        /// How many there are.
        n: usize,
        /// What is wrong with the first one.
        first: String,
    },
    /// Who gave which records.
    #[error(transparent)]
    People(#[from] PeopleError),
    /// The table of covariates.
    #[error(transparent)]
    Covariates(#[from] CovariateError),
    /// The table of groups.
    #[error(transparent)]
    Groups(#[from] GroupsError),
    /// Something else about the input.
    #[error("{0}")]
    Input(String),
    /// Too few records for what is to be found privately: a condition on public numbers, known before a record is read.
    #[error("{n} records are too few at this budget for a private {what}: {records} would do{}; or give a public {what}", budget_for(*.n, *.budget))]
    TooFew {
        /// n.
        n: u64,
        /// Centre or radius.
        what: &'static str,
        /// The smallest n that would do at this budget.
        records: u64,
        /// The smallest budget that would do for so many records.
        budget: Option<PrivacyLoss>,
    },
    /// A prior.
    #[error(transparent)]
    Prior(#[from] PriorError),
    /// Geometry.
    #[error(transparent)]
    Manifold(#[from] ManifoldError),
    /// The mechanism or its noise.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// A budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// What only one kind of record has: scans, a template, curves.
    #[error(transparent)]
    OfKind(Box<dyn std::error::Error + Send + Sync>),
}

fn budget_for(n: u64, budget: Option<PrivacyLoss>) -> String {
    budget.map_or_else(String::new, |loss| format!(", or {loss} for {n}"))
}
