//! Which private means of points are offered: their names, where they are offered, the unit of their budget, and how they are made.

use super::SpdMetric;
use super::budget::Budget;
use crate::manifold::PolarVolume;
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{MakeMean, PointMean};
use crate::privacy::{BudgetError, PrivacyLoss};

/// Which private mean of points is released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum PointMechanism {
    /// Gaussian in the tangent space at the centre: the least noise
    #[cfg_attr(feature = "cli", value(alias = "gaussian"))]
    TangentGaussian,
    /// Gaussian in two rounds, a private radius about a private centre: log-Euclidean matrices
    TwoRounds,
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

    /// That of matrices, where the centre is public: in the log-Euclidean metric it is near the records after the first round.
    pub fn best_for_matrices(metric: SpdMetric, centre_is_public: bool, budget: PrivacyLoss) -> Self {
        match (Self::best_for(budget), metric) {
            (Self::TangentGaussian, SpdMetric::LogEuclidean) if centre_is_public => Self::TwoRounds,
            (best, _) => best,
        }
    }

    /// Its name among options.
    pub fn name(self) -> &'static str {
        match self {
            Self::TangentGaussian => "tangent-gaussian",
            Self::TwoRounds => "two-rounds",
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
        Self::TwoRounds,
        Self::TangentLaplace,
        Self::RiemannianGaussian,
        Self::Laplace,
        Self::Kng,
        Self::Extrinsic,
        Self::None,
    ];

    /// Whether it is stated in pure ε: such a mean gets the ε of a budget, the others its μ.
    pub(super) fn is_pure(self) -> bool {
        match self {
            Self::Kng | Self::Laplace | Self::TangentLaplace | Self::Pointwise | Self::PointwiseUnaligned => {
                true
            }
            Self::TangentGaussian
            | Self::TwoRounds
            | Self::RiemannianGaussian
            | Self::Extrinsic
            | Self::None => false,
        }
    }
}

/// The means that every space may have.
pub(super) fn make_mean<M: PolarVolume>(
    space: &M,
    kind: PointMechanism,
    n: u64,
    budget: Budget,
) -> Result<MakeMean<M, PointMean<M>>, MechanismError> {
    Ok(match kind {
        // Their draws would be floating-point, and the low bits of those tell more than any theorem says.
        PointMechanism::Kng | PointMechanism::Laplace if space.two_point().is_none() => {
            return Err(MechanismError::NotHere {
                mechanism: "Riemannian Laplace or K-norm gradient",
                space: "affine-invariant matrices, where no draw of it is safe to the last bit yet",
                remedy: "choose tangent-laplace, which is exact and has less noise",
            });
        }
        PointMechanism::Kng => {
            let epsilon = budget.pure()?;
            Box::new(move |ball| PointMean::kng(ball, n, epsilon))
        }
        PointMechanism::Laplace => {
            let epsilon = budget.pure()?;
            Box::new(move |ball| PointMean::laplace(ball, n, epsilon))
        }
        PointMechanism::TangentLaplace => {
            let epsilon = budget.pure()?;
            Box::new(move |ball| PointMean::tangent_laplace(ball, n, epsilon))
        }
        PointMechanism::RiemannianGaussian => {
            let mu = budget.gaussian()?;
            Box::new(move |ball| PointMean::riemannian_gaussian(ball, n, mu))
        }
        PointMechanism::TangentGaussian => {
            let mu = budget.gaussian()?;
            Box::new(move |ball| PointMean::tangent_gaussian(ball, n, mu))
        }
        PointMechanism::TwoRounds => {
            let mu = budget.gaussian()?;
            Box::new(move |ball| PointMean::two_rounds(ball, n, mu))
        }
        PointMechanism::Extrinsic => {
            return Err(MechanismError::NotHere {
                mechanism: "extrinsic",
                space: "this space",
                remedy: "choose tangent-gaussian, tangent-laplace, riemannian-gaussian, laplace or kng",
            });
        }
        PointMechanism::Pointwise | PointMechanism::PointwiseUnaligned => {
            return Err(MechanismError::NotHere {
                mechanism: "pointwise",
                space: "anything but landmark shapes",
                remedy: "choose tangent-gaussian, tangent-laplace, riemannian-gaussian, laplace or kng",
            });
        }
        PointMechanism::None => return Err(MechanismError::Budget(BudgetError::NoBudget)),
    })
}
