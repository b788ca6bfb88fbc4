//! Extrinsic baselines: noise in the surrounding vector space.

use super::release::draws;
use super::{PointRequest, PointStudyError, Released};
use crate::mechanism::manifold::{ManifoldMeanError, ManifoldPrice};
use crate::privacy::noise::{NoiseDescription, NoisePath};
use crate::privacy::{ClipRadius, L2Sensitivity, Ledger, PrivacyLoss};

/// A vector statistic with a bounded L² sensitivity.
pub(super) struct Ambient<'a> {
    /// The statistic. Not to be shown to anyone.
    pub statistic: &'a [f64],
    /// Its bound.
    pub sensitivity: L2Sensitivity,
    /// Number of records.
    pub n: u64,
    /// The public radius the bound comes from.
    pub radius: ClipRadius,
    /// What the statistic is.
    pub what: &'static str,
}

/// Gaussian noise for budgets of μ or (ε, δ), isotropic Laplace noise for pure ε; `back` brings noised vectors to the space.
pub(super) fn ambient<P>(
    of: &Ambient<'_>,
    request: &PointRequest,
    ledger: &mut Ledger,
    back: impl Fn(&[f64]) -> Result<P, ManifoldMeanError>,
) -> Result<Released<P>, PointStudyError> {
    let price = |mechanism, loss, scale| ManifoldPrice {
        mechanism,
        loss,
        n: of.n,
        sensitivity: of.sensitivity.get(),
        radius: of.radius,
        scale,
        statistic: of.what,
    };
    let describe = |distribution: &str, path, scale, sampler: &str| NoiseDescription {
        distribution: distribution.into(),
        path,
        scale,
        dimension: of.statistic.len(),
        step: None,
        sampler: sampler.into(),
    };
    if let Some(PrivacyLoss::Pure(epsilon)) = request.budget {
        let scale = of.sensitivity.get() / epsilon.get();
        let price = price("extrinsic Laplace", PrivacyLoss::Pure(epsilon), scale);
        let noise = describe(
            "isotropic-laplace",
            NoisePath::IdealizedReals,
            scale,
            "gamma radius, uniform direction",
        );
        return draws(&price, noise, request, ledger, |source, paid| {
            let drawn =
                source.isotropic_laplace_vector_idealized(of.statistic, of.sensitivity, epsilon, paid)?;
            back(&drawn.values)
        });
    }
    let mu = request.gaussian()?;
    let scale = of.sensitivity.get() / mu.get();
    let price = price("extrinsic Gaussian", PrivacyLoss::Gaussian(mu), scale);
    let noise = describe("gaussian", NoisePath::Lattice, scale, "exact normal, rounded to a lattice");
    draws(&price, noise, request, ledger, |source, paid| {
        back(&source.gaussian_vector(of.statistic, of.sensitivity, mu, paid)?.values)
    })
}
