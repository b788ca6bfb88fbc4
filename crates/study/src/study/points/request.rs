//! What is asked of a study of points.

use crate::privacy::{Calibration, PrivacyLoss};
use crate::study::{Counting, Place, Unusable};

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
    /// Mean without noise, written under internal/ only
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
    /// What is done with records that cannot be used.
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
            unusable: Unusable::default(),
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

/// What zero means for means in a ball, some of which are no sums: at the centre the gradient, and the tangent vector, of a point is zero.
pub(super) const ZERO_AT_CENTRE: &str = "nothing in the average that a private centre is read off, the distance 0 for a private radius, the centre of the ball for the mean";
