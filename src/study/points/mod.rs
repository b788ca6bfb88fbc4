//! Studies of points on manifolds: landmark shapes, matrices, directions, hyperbolic points → a private mean.

mod exploration;
mod finish;
mod first_pass;
mod internal_page;
mod publish;
mod release;
pub mod shape;
mod shape_page;
mod smooth;
pub mod spd;
mod spd_study;
mod vector_study;
pub mod vectors;

pub use exploration::{Exploration, UtilityCurve, UtilityPoint};
pub use first_pass::FirstPass;

pub use publish::{Form, PointWriter, Published, publish};
pub use release::{Internal, Outcome, Released, release};
pub use shape_page::StandardPages;
pub use smooth::{Smoothing, local_linear, shrink_outline};
pub use spd_study::{SpdCentre, SpdMetric, SpdStudy, run_spd};
pub use vector_study::{VectorCentre, VectorSpace, VectorStudy, run_vectors};

use crate::io::{ReadError, WriteError};
use crate::manifold::ManifoldError;
use crate::mechanism::manifold::{ManifoldMeanError, VectorNoise};
use crate::mechanism::quantile::QuantileError;
use crate::privacy::noise::{NoiseError, NoiseSource};
use crate::privacy::{
    BudgetError, Calibration, CertificateError, ChargeError, Epsilon, LedgerError, Mu, PrivacyLoss,
    PublicInput,
};
use crate::study::{FolderError, LedgerChoice};
use std::path::PathBuf;

/// Which private mean of points is released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointMechanism {
    /// K-norm gradient mechanism: ε-DP.
    Kng,
    /// Riemannian Laplace: ε-DP.
    Laplace,
    /// Riemannian Gaussian with exact accounting: μ-GDP, two-point homogeneous spaces.
    RiemannianGaussian,
    /// Gaussian in the tangent space of the public centre: μ-GDP.
    TangentGaussian,
    /// Noise in the surrounding vector space, projected back where a projection exists (a baseline).
    Extrinsic,
    /// Laplace noise on every coordinate of every landmark of aligned shapes (a baseline).
    Pointwise,
    /// The same without alignment (a baseline).
    PointwiseUnaligned,
    /// No privacy: the mean itself, for the data holder only.
    None,
}

/// What is asked of a study; all of it public.
#[derive(Debug, Clone)]
pub struct PointRequest {
    /// The study's folder.
    pub out: PathBuf,
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
    /// Fixed noise seed: an experiment, not private.
    pub seed: Option<u64>,
    /// Which ledger is charged.
    pub ledger: LedgerChoice,
    /// Replace a finished release.
    pub replace: bool,
    /// Files that were assumed public.
    pub public_inputs: Vec<PublicInput>,
    /// What this release has already paid for from the same records (a private centre or radius): part of its loss.
    pub paid_before: Vec<FirstPass>,
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
    /// The records, `None` for those that count as the centre.
    ///
    /// # Errors
    /// [`PointStudyError::Record`] for the first unusable one, where the study stops.
    pub fn points<P>(
        self,
        records: impl IntoIterator<Item = Result<P, String>>,
    ) -> Result<Vec<Option<P>>, PointStudyError> {
        let point = |(i, record): (usize, Result<P, String>)| match (record, self) {
            (Ok(point), _) => Ok(Some(point)),
            (Err(_), Self::CountAsCentre) => Ok(None),
            (Err(problem), Self::Stop) => Err(PointStudyError::Record { index: i + 1, problem }),
        };
        records.into_iter().enumerate().map(point).collect()
    }

    /// For the certificate.
    fn describe(self) -> &'static str {
        match self {
            Self::Stop => {
                "stop a study before anything is charged: that this release exists tells that there was none"
            }
            Self::CountAsCentre => "count as the centre of the ball; their number is not published",
        }
    }
}

/// Which part of a study draws noise: with a fixed seed each has a stream of its own.
#[derive(Debug, Clone, Copy)]
enum Stream {
    Release = 0,
    Radius = 0x5ad1,
    Centre = 0xce47,
    Exploration = 0xe591,
}

impl PointRequest {
    /// The noise source of a part of the study: from the operating system, or of its own stream of the fixed seed.
    ///
    /// # Errors
    /// The operating system gives no randomness.
    fn noise(&self, stream: Stream) -> Result<NoiseSource, NoiseError> {
        match self.seed {
            Some(seed) => Ok(NoiseSource::seeded(seed ^ stream as u64)),
            None => NoiseSource::from_os(),
        }
    }

    /// The budget for a mechanism that gives pure ε-DP: ε itself (δ is not needed), or the ε that implies μ-GDP.
    ///
    /// # Errors
    /// No budget.
    pub fn pure(&self) -> Result<Epsilon, PointStudyError> {
        match self.budget.ok_or(BudgetError::NoBudget)? {
            PrivacyLoss::Pure(epsilon) | PrivacyLoss::Approximate(epsilon, _) => Ok(epsilon),
            PrivacyLoss::Gaussian(mu) => Ok(pure_within(mu)?),
            _ => Err(BudgetError::NoBudget.into()),
        }
    }

    /// The noise of an extrinsic baseline: isotropic Laplace for pure ε, Gaussian for every other budget.
    ///
    /// # Errors
    /// As [`gaussian`](Self::gaussian).
    pub fn vector_noise(&self) -> Result<VectorNoise, PointStudyError> {
        match self.budget {
            Some(PrivacyLoss::Pure(epsilon)) => Ok(VectorNoise::Laplace(epsilon)),
            _ => Ok(VectorNoise::Gaussian(self.gaussian()?)),
        }
    }

    /// The budget for a Gaussian mechanism: μ itself, or the largest μ within (ε, δ); by the classical formula where that was
    /// asked for.
    ///
    /// # Errors
    /// No budget, or pure ε, which no Gaussian gives.
    pub fn gaussian(&self) -> Result<Mu, PointStudyError> {
        match self.budget.ok_or(BudgetError::NoBudget)? {
            PrivacyLoss::Gaussian(mu) => Ok(mu),
            PrivacyLoss::Approximate(epsilon, delta) => match self.calibration {
                Calibration::Classical => {
                    let one = crate::privacy::L2Sensitivity::new(1.0)?;
                    let sigma = crate::privacy::gaussian_sigma_for(self.calibration, epsilon, delta, one)?;
                    Ok(Mu::new(1.0 / sigma)?)
                }
                _ => Ok(Mu::within(epsilon, delta)?),
            },
            _ => Err(PointStudyError::NeedsDelta),
        }
    }
}

/// The largest ε whose ε-DP implies μ-GDP (a hair less): ε = ln((1 − p)/p), p = Φ(−μ/2).
fn pure_within(mu: Mu) -> Result<Epsilon, BudgetError> {
    let p = crate::privacy::normal::cdf(-0.5 * mu.get());
    let mut epsilon = Epsilon::new(((1.0 - p) / p).ln() * (1.0 - 1e-12))?;
    while Mu::of_pure(epsilon)?.get() > mu.get() {
        epsilon = Epsilon::new(epsilon.get() * (1.0 - 1e-9))?;
    }
    Ok(epsilon)
}

/// Why a study of points stopped. Errors about the input name a record by its place only.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PointStudyError {
    /// The study's folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// An input file.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An output file.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The results could not be moved into place.
    #[error("cannot prepare {0}: {1}")]
    Io(PathBuf, std::io::Error),
    /// A record that is no point of the space.
    #[error("record {index} (counting from 1): {problem}")]
    Record {
        /// Its place, from 1.
        index: usize,
        /// What is wrong and what to do.
        problem: String,
    },
    /// Something else about the input.
    #[error("{0}")]
    Input(String),
    /// A pure budget for a Gaussian mechanism.
    #[error("this mechanism adds Gaussian noise, which gives no pure epsilon; give --delta too, or --mu")]
    NeedsDelta,
    /// A mechanism that does not exist on this space.
    #[error("the {mechanism} mechanism is not known on {space}; {remedy}")]
    NotHere {
        /// The mechanism.
        mechanism: &'static str,
        /// The space.
        space: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// The mean was not found to the accuracy the sensitivity counts on.
    #[error("the mean of the records was not found to the accuracy the guarantee needs; nothing was charged")]
    NotConverged,
    /// Geometry.
    #[error(transparent)]
    Manifold(#[from] ManifoldError),
    /// The mechanism.
    #[error(transparent)]
    Mechanism(#[from] ManifoldMeanError),
    /// The private radius.
    #[error(transparent)]
    Quantile(#[from] QuantileError),
    /// A budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// The ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A payment that does not cover its parts.
    #[error(transparent)]
    Charge(#[from] ChargeError),
    /// No noise was drawn.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The certificate.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pure_budgets_from_mu_are_within_it() {
        for mu in [0.01, 0.5, 1.0, 3.0, 8.0] {
            let mu = Mu::new(mu).unwrap();
            let back = Mu::of_pure(pure_within(mu).unwrap()).unwrap();
            assert!(back.get() <= mu.get() && back.get() > mu.get() * (1.0 - 1e-6), "{back} {mu}");
        }
    }
}
