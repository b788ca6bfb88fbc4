//! What is asked of a study of points.

use crate::privacy::{Calibration, PrivacyLoss};
use crate::study::{Counting, Place};

/// Which private mean of points is released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum PointMechanism {
    /// Gaussian in the tangent space at the centre: the least noise
    #[cfg_attr(feature = "cli", value(alias = "gaussian"))]
    TangentGaussian,
    /// Laplace in the tangent space at the centre: pure ε, the least noise for it
    TangentLaplace,
    /// Riemannian Gaussian with exact accounting
    RiemannianGaussian,
    /// Riemannian Laplace: pure ε
    Laplace,
    /// K-norm gradient: pure ε
    Kng,
    /// Noise in the surrounding space (a baseline)
    Extrinsic,
    /// Laplace noise on every coordinate, shapes aligned (a baseline)
    Pointwise,
    /// The same without alignment (a baseline)
    PointwiseUnaligned,
    /// The mean without noise, under internal/ only
    None,
}

impl PointMechanism {
    /// The one with the least noise at this budget.
    pub fn best_for(budget: PrivacyLoss) -> Self {
        match budget {
            PrivacyLoss::Pure(_) => Self::TangentLaplace,
            _ => Self::TangentGaussian,
        }
    }

    /// Its name among options.
    pub fn name(self) -> &'static str {
        match self {
            Self::TangentGaussian => "tangent-gaussian",
            Self::TangentLaplace => "tangent-laplace",
            Self::RiemannianGaussian => "riemannian-gaussian",
            Self::Laplace => "laplace",
            Self::Kng => "kng",
            Self::Extrinsic => "extrinsic",
            Self::Pointwise => "pointwise",
            Self::PointwiseUnaligned => "pointwise-unaligned",
            Self::None => "none",
        }
    }

    /// What a plan calls a mean by this mechanism: the command alone where it is the `usual` one.
    pub fn statistic(self, command: &str, usual: Option<Self>) -> String {
        let named = || format!("{command} --mechanism {}", self.name());
        if usual == Some(self) { command.to_owned() } else { named() }
    }

    /// Those for shapes.
    pub const OF_SHAPES: &'static [Self] = &[
        Self::TangentGaussian,
        Self::TangentLaplace,
        Self::RiemannianGaussian,
        Self::Laplace,
        Self::Kng,
        Self::Pointwise,
        Self::PointwiseUnaligned,
        Self::None,
    ];

    /// Those for matrices, directions and hyperbolic points.
    pub const OF_POINTS: &'static [Self] = &[
        Self::TangentGaussian,
        Self::TangentLaplace,
        Self::RiemannianGaussian,
        Self::Laplace,
        Self::Kng,
        Self::Extrinsic,
        Self::None,
    ];
}

/// What is asked of a study; all of it public.
#[derive(Debug, Clone)]
pub struct PointRequest {
    /// Folder, ledger, seed; whether to resume or replace.
    pub place: Place,
    /// Which mean.
    pub mechanism: PointMechanism,
    /// The budget of each draw; `None` only for [`PointMechanism::None`].
    pub budget: Option<PrivacyLoss>,
    /// How Gaussian noise is calibrated to (ε, δ).
    pub calibration: Calibration,
    /// How many independent draws, each charged.
    pub draws: u32,
    /// What is done with records that are no points of the space.
    pub unusable: Unusable,
    /// What counts as a person.
    pub counting: Counting,
    /// Whether draws of all mechanisms on made-up records are compared on the data holder's page.
    pub explore: bool,
}

impl PointRequest {
    /// One draw of this mechanism at this budget.
    pub fn new(place: Place, mechanism: PointMechanism, budget: PrivacyLoss) -> Self {
        Self { budget: Some(budget), ..Self::without_release(place, mechanism) }
    }

    /// The mean without noise, for the data holder.
    pub fn nonprivate(place: Place) -> Self {
        Self::without_release(place, PointMechanism::None)
    }

    fn without_release(place: Place, mechanism: PointMechanism) -> Self {
        Self {
            place,
            mechanism,
            budget: None,
            calibration: Calibration::Analytic,
            draws: 1,
            unusable: Unusable::Stop,
            counting: Counting::default(),
            explore: false,
        }
    }

    /// What makes a run this run, whatever folder it is in.
    pub(super) fn digest(&self) -> String {
        let Self { place: _, mechanism, budget, calibration, draws, unusable, counting, explore: _ } = self;
        format!("{mechanism:?} {budget:?} {calibration:?} {draws} {unusable:?} {:?}", counting.identical)
    }
}

/// What is done with a record that is no point of the space: landmarks missing or all in one place, a matrix that is not positive
/// definite, a vector off the sphere, anything that is not a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unusable {
    /// The study stops and says which record it is and why, before anything is charged. A message to the data holder; whoever hears
    /// that a study stopped, or that it did not, learns something the guarantee does not cover.
    #[default]
    Stop,
    /// It counts as the centre of the ball, like a record that cannot be projected: n stays what it was, and how many there
    /// were is told under `internal/` only. Nothing that can be seen depends on it.
    CountAsCentre,
}

impl Unusable {
    /// For the certificate.
    pub(in crate::study) fn describe(self) -> &'static str {
        match self {
            Self::Stop => {
                "stop a study before anything is charged: that this release exists tells that there was none"
            }
            Self::CountAsCentre => "count as the centre of the ball; their number is not published",
        }
    }
}
