use crate::function::FunctionError;
use crate::privacy::noise::NoiseError;
use crate::privacy::{Adjacency, BudgetError, ClipRadius, IncompleteMean, PrivacyLoss};
use serde::Serialize;

/// The price and the working of a mechanism, known before it has seen any record. All of it is public.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    /// The mechanism's name.
    pub mechanism: &'static str,
    /// Which datasets are neighbours.
    pub adjacency: Adjacency,
    /// n, failed scans included.
    pub records: u64,
    /// The loss of the whole release, to be charged to the ledger.
    pub loss: PrivacyLoss,
    /// The clip radius, in `norm`; where blocks are clipped apart, the largest of theirs. `None` when it is measured on
    /// the records.
    pub clip_radius: Option<ClipRadius>,
    /// The norm that is clipped.
    pub norm: &'static str,
    /// Sensitivity of the mean in that norm; for blocks clipped apart, of the vector of all blocks, each divided by
    /// its radius and multiplied by its share of the budget. `None` when measured.
    pub sensitivity: Option<f64>,
    /// Expected squared noise at a point, all coordinates together, mean over points, before any denoising.
    /// `None` when it depends on measured bounds.
    pub noise_per_point: Option<f64>,
    /// What the reader of a certificate must know besides.
    pub caveats: Vec<&'static str>,
    /// What is taken from the records unpaid: a release with any of these is not private.
    pub data_driven: Vec<&'static str>,
}

/// Why a private mean was not planned, fed or released. No message depends on a record's values.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FunctionalError {
    /// A setting does not describe a function on the domain.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// A budget or radius outside its range.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// No noise was drawn.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// Records are missing, superfluous or of another length.
    #[error(transparent)]
    Records(#[from] IncompleteMean),
    /// A record does not have the template's shape.
    #[error("a record has {got:?} (curves, samples), the template {expected:?}; sample all alike")]
    Shape {
        /// Curves and samples of the template.
        expected: (usize, usize),
        /// Those of the record.
        got: (usize, usize),
    },
    /// A radius measured on the records where none may be.
    #[error("{0} takes a clip radius that is public or privately estimated, not one measured on the records")]
    DataRadius(&'static str),
    /// A tally of another mechanism.
    #[error("the tally was started by another mechanism; use the one that releases it")]
    ForeignTally,
}
