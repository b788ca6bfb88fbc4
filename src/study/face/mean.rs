//! Which private mean is released, and how: the price first, then the charge, then the noise.

use crate::function::{CurvesError, Domain, FaceCurves};
use crate::mechanism::functional::{
    FunctionalMean, MeanMechanism, MechanismError, PerCurveMean, PerCurveSettings, PointwiseMean, Price,
    RangeScale,
};
use crate::mechanism::quantile::{PrivateQuantile, QuantileError};
use crate::privacy::noise::{NoiseDescription, NoiseError, NoiseSource};
use crate::privacy::{Charge, ChargeError, ClipRadius, ClipSource, Ledger, LedgerError, Mu, PrivacyLoss};
use serde::Serialize;

/// Which mean is released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FaceMechanism {
    /// All curves as one vector around the template, one clip, free shrinkage.
    #[default]
    Joint,
    /// Every curve and coordinate on its own, centred, matched noise.
    Curves,
    /// As published (Soto et al. 2024).
    Paper,
    /// Independent noise on every coordinate of every sample.
    Pointwise,
    /// No privacy: the mean itself, for the data holder only.
    None,
}

/// Default public clip radius of [`FaceMechanism::Joint`]: root-mean-square deviation of a unit-area face's curves from the
/// template's. Chosen on public populations before any study's data: it clips none of 200 faces of the built-in synthetic
/// population (largest 0.0254), of 1000 drawn from a public face model (0.0390) and of 30 public simulated ones (0.0328; see
/// docs/measurements.md).
pub const JOINT_RADIUS: f64 = 0.045;

/// Templates at most this far from their mirror image (root mean square, unit area) let the shrinkage expect symmetry of the mean.
pub const NEARLY_SYMMETRIC: f64 = 0.02;

/// Default public radius of [`FaceMechanism::Curves`] for each curve's each coordinate.
pub const CURVE_RADIUS: f64 = 0.060;

/// Where the clip radius comes from.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum ClipChoice {
    /// The mechanism's public default.
    #[default]
    Default,
    /// A radius declared public.
    Public(ClipRadius),
    /// A private quantile of the records' deviations, paid from the budget ([`FaceMechanism::Joint`] only).
    Private,
}

/// Share of μ that a private clip radius costs; the mean keeps √(1 − 0.2²) = 0.98 of it.
pub const QUANTILE_SHARE: f64 = 0.2;

/// A private mean could not be made. Nothing in it depends on a record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeanError {
    /// The mechanism's settings.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// A budget or radius.
    #[error(transparent)]
    Budget(#[from] crate::privacy::BudgetError),
    /// The ledger refused or failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// No noise was drawn.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The private clip radius.
    #[error(transparent)]
    Quantile(#[from] QuantileError),
    /// The charge does not cover its parts.
    #[error(transparent)]
    Charge(#[from] ChargeError),
    /// A private radius for a mechanism that has none.
    #[error("a private clip radius is for the joint mechanism; give this one a public radius")]
    PrivateRadius,
    /// The mean is not a set of curves.
    #[error(transparent)]
    Curves(#[from] CurvesError),
}

/// A released mean with all that its certificate needs.
#[derive(Debug, Clone)]
pub struct ReleasedMean {
    /// The private mean curves.
    pub curves: FaceCurves,
    /// The price that was paid.
    pub price: Price,
    /// The releases it is composed of, where there are several.
    pub parts: Vec<(&'static str, Mu)>,
    /// The noise that was drawn.
    pub noise: NoiseDescription,
    /// Whether the noise came from a fixed seed.
    pub seeded: bool,
    /// Whether the charge is on disk.
    pub recorded: bool,
}

/// Sets up the mechanism. Reads the records only where a radius is to be measured on them (`paper` and `pointwise` without
/// a public radius), and then prices the release as not private.
///
/// # Errors
/// [`MeanError`].
pub fn mechanism(
    kind: FaceMechanism,
    template: &FaceCurves,
    records: &[Option<FaceCurves>],
    radius: Option<ClipRadius>,
    mu: Mu,
) -> Result<Option<Box<dyn MeanMechanism>>, MeanError> {
    let n = records.len() as u64;
    let blocks = 3 * template.curves();
    let public = |value: f64| ClipRadius::new(value, ClipSource::Public);
    let settings =
        |s: Option<PerCurveSettings>| s.ok_or(MechanismError::Shape("kernel parameters out of range"));
    Ok(Some(match kind {
        FaceMechanism::None => return Ok(None),
        FaceMechanism::Joint => {
            let domain = Domain::Disk { curves: template.curves(), samples: template.samples() };
            let radius = radius.map_or_else(|| public(JOINT_RADIUS), Ok)?;
            let mean = FunctionalMean::new(domain, 3, template.data().to_vec(), radius, mu, n)?;
            Box::new(if template.mirror_asymmetry() < NEARLY_SYMMETRIC { mean.with_mirror(0) } else { mean })
        }
        FaceMechanism::Curves => {
            let radius = radius.map_or_else(|| public(CURVE_RADIUS), Ok)?;
            let settings = settings(PerCurveSettings::matched())?;
            Box::new(PerCurveMean::new(template.clone(), &vec![radius; blocks], settings, mu, n)?)
        }
        FaceMechanism::Paper => {
            let settings = settings(PerCurveSettings::paper())?;
            let radii = match radius {
                Some(radius) => vec![radius; blocks],
                None => PerCurveMean::radii_from_data(template, records, settings.centred)?,
            };
            Box::new(PerCurveMean::new(template.clone(), &radii, settings, mu, n)?)
        }
        FaceMechanism::Pointwise => match radius {
            Some(radius) => Box::new(PointwiseMean::around(template.data().to_vec(), radius, mu, n)?),
            None => {
                let data = records.iter().map(|r| r.as_ref().map(FaceCurves::data));
                Box::new(PointwiseMean::from_data(template.data(), data, RangeScale::OfMean, mu, n)?)
            }
        },
    }))
}

/// Charges the ledger, draws the noise, post-processes. Everything that can fail for want of data fails before the charge.
///
/// # Errors
/// [`MeanError`].
pub fn release(
    mechanism: &dyn MeanMechanism,
    template: &FaceCurves,
    records: &[Option<FaceCurves>],
    ledger: &mut Ledger,
    noise: &mut NoiseSource,
) -> Result<ReleasedMean, MeanError> {
    let price = mechanism.price();
    let charge = ledger.charge(price.mechanism, price.loss)?;
    draw(mechanism, template, records, charge, noise)
}

/// A mean whose radius is a private 95 % quantile of the deviations: one charge of the whole μ, split between the two.
///
/// # Errors
/// [`MeanError`].
pub fn release_with_private_radius(
    kind: FaceMechanism,
    template: &FaceCurves,
    records: &[Option<FaceCurves>],
    mu: Mu,
    ledger: &mut Ledger,
    noise: &mut NoiseSource,
) -> Result<ReleasedMean, MeanError> {
    if kind != FaceMechanism::Joint {
        return Err(MeanError::PrivateRadius);
    }
    let for_radius = Mu::new(QUANTILE_SHARE * mu.get())?;
    // A hair less than √(1 − share²), so that rounding cannot make the parts exceed the whole.
    let for_mean = Mu::new(mu.get() * (1.0 - QUANTILE_SHARE * QUANTILE_SHARE).sqrt() * (1.0 - 1e-12))?;
    let quantile = PrivateQuantile::new(0.015, 0.2, 1.15, 0.95, records.len() as u64, for_radius)?;
    let charge = ledger.charge("private clip radius and joint mean", PrivacyLoss::Gaussian(mu))?;
    let mut paid = charge.split(&[PrivacyLoss::Gaussian(for_radius), PrivacyLoss::Gaussian(for_mean)])?;
    let (for_mean_paid, for_radius_paid) = match (paid.pop(), paid.pop()) {
        (Some(mean), Some(radius)) => (mean, radius),
        _ => return Err(MeanError::PrivateRadius),
    };
    let deviations = records.iter().map(|r| r.as_ref().map(|r| r.mean_square_distance(template).sqrt()));
    let radius = quantile.release(deviations, noise, for_radius_paid)?;
    let mechanism =
        mechanism(kind, template, records, Some(radius), for_mean)?.ok_or(MeanError::PrivateRadius)?;
    let mut released = draw(mechanism.as_ref(), template, records, for_mean_paid, noise)?;
    released.price.loss = PrivacyLoss::Gaussian(mu);
    released.price.mu = mu;
    released.parts = vec![("private clip radius", for_radius), ("joint mean", for_mean)];
    Ok(released)
}

fn draw(
    mechanism: &dyn MeanMechanism,
    template: &FaceCurves,
    records: &[Option<FaceCurves>],
    charge: Charge,
    noise: &mut NoiseSource,
) -> Result<ReleasedMean, MeanError> {
    let price = mechanism.price().clone();
    let statistic = mechanism.statistic(&mut records.iter().map(|r| r.as_ref().map(FaceCurves::data)));
    let recorded = charge.is_durable();
    let drawn = noise.gaussian_vector(&statistic, price.sensitivity, price.mu, charge)?;
    let values = mechanism.finish(&drawn.values, drawn.sigma);
    let curves = FaceCurves::new(template.curves(), template.samples(), values)?;
    let parts = Vec::new();
    Ok(ReleasedMean { curves, price, parts, noise: drawn.noise, seeded: noise.is_seeded(), recorded })
}

/// The mean of the records, a missing one counting as the template: for the data holder only.
///
/// # Errors
/// [`CurvesError`] when there are no records.
pub fn nonprivate_mean(
    template: &FaceCurves,
    records: &[Option<FaceCurves>],
) -> Result<FaceCurves, CurvesError> {
    let mut sum = vec![0.0; template.data().len()];
    for record in records {
        let data = record.as_ref().unwrap_or(template).data();
        sum.iter_mut().zip(data).for_each(|(s, x)| *s += x);
    }
    sum.iter_mut().for_each(|s| *s /= records.len() as f64);
    FaceCurves::new(template.curves(), template.samples(), sum)
}
