//! Why a face study stopped.

use super::prepared::PreparedError;
use super::template::TemplateLoadError;
use super::units::Units;
use crate::estimate::design::{AtError, DesignError};
use crate::function::CurvesError;
use crate::io::{ReadError, WriteError};
use crate::job::layout::{INTERNAL, SCAN_TABLE};
use crate::mechanism::MechanismError;
use crate::privacy::BudgetError;
use crate::study::points::PointStudyError;
use crate::study::public_people::PriorError;
use crate::study::records::RecordsError;
use crate::study::{CovariateError, GroupsError, JobError, PeopleError};
use crate::surface::TemplateError;

/// Why a study stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The study's folder, its ledger, its state.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The scans.
    #[error(transparent)]
    Scans(#[from] ReadError),
    /// Who gave which scans.
    #[error(transparent)]
    People(#[from] PeopleError),
    /// Who is in which group.
    #[error(transparent)]
    Groups(#[from] GroupsError),
    /// What is known of the covariates beforehand.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// The covariates of the records.
    #[error(transparent)]
    Covariates(#[from] CovariateError),
    /// Values of covariates that a release tells nothing of.
    #[error(transparent)]
    At(#[from] AtError),
    /// A folder that is no release of this kind.
    #[error("{0}")]
    Release(String),
    /// The template.
    #[error(transparent)]
    Template(#[from] TemplateLoadError),
    /// A record that cannot be used, where the study stops at those.
    #[error("{record} cannot be used ({problem}); without --unusable refuse it contributes zero")]
    Unusable {
        /// What it is called.
        record: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No record can be used.
    #[error(
        "none of the {n} records can be used, {first} for instance: {problem}; the reasons of all are in {folder}/{table}",
        folder = INTERNAL, table = SCAN_TABLE
    )]
    NoneUsable {
        /// How many there are.
        n: usize,
        /// What one of them is called.
        first: String,
        /// What is wrong with that.
        problem: String,
    },
    /// Records that were prepared elsewhere.
    #[error(transparent)]
    Prepared(#[from] PreparedError),
    /// A step of a stream, or its plan.
    #[error("{0}")]
    Stream(String),
    /// Sums of parts.
    #[error("{0}")]
    Parts(String),
    /// Records that `face prepare` made, or their manifest.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// The mechanism or its noise.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// A budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// Sizes that cannot be in the units that were given.
    #[error(
        "{outside} of {known} faces are less than 1/1.5 or more than 1.5 times as large as the template; the middle one has a size (square \
         root of its area) of {middle:.4}, which in {units} is not near the template's {template:.0} mm: is --units right?"
    )]
    Units {
        /// How many.
        outside: usize,
        /// Of how many.
        known: usize,
        /// The median size, in the scans' units.
        middle: f64,
        /// The units that were given.
        units: Units,
        /// Size of the template in millimetres.
        template: f64,
    },
    /// Scans in several units, of which no mean size can be made.
    #[error(
        "{odd} of {known} scans are at least five times larger or smaller than the middle one (the first is {first}): for a mean size give all scans \
         in one unit, or leave out --size"
    )]
    MixedUnits {
        /// How many.
        odd: usize,
        /// Of how many.
        known: usize,
        /// What one of them is called.
        first: String,
    },
    /// A prior.
    #[error(transparent)]
    Prior(#[from] PriorError),
    /// Too few curves or samples.
    #[error("{0}")]
    Shape(&'static str),
    /// A record or result could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The released curves do not make a face.
    #[error(transparent)]
    Curves(#[from] CurvesError),
    /// No surface goes through the curves.
    #[error(transparent)]
    Surface(#[from] TemplateError),
    /// A picture.
    #[error("cannot draw the report's pictures: {0}")]
    Picture(#[from] png::EncodingError),
    /// What faces have in common with other records.
    #[error(transparent)]
    Tangent(Box<PointStudyError>),
}

impl From<StudyError> for PointStudyError {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::Tangent(own) => *own,
            other => Self::OfKind(Box::new(other)),
        }
    }
}

impl From<PointStudyError> for StudyError {
    fn from(error: PointStudyError) -> Self {
        match error {
            PointStudyError::OfKind(own) => match own.downcast::<Self>() {
                Ok(own) => *own,
                Err(other) => Self::Tangent(Box::new(PointStudyError::OfKind(other))),
            },
            PointStudyError::Job(error) => error.into(),
            PointStudyError::Covariates(error) => error.into(),
            PointStudyError::Mechanism(error) => error.into(),
            other => Self::Tangent(Box::new(other)),
        }
    }
}
