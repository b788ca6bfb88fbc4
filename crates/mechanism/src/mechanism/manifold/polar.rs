//! What the exact samplers in polar coordinates share.

use super::lazy::SAMPLER;
use crate::manifold::PolarVolume;
use crate::mechanism::MechanismError;
use crate::privacy::noise::{NoiseDescription, NoisePath, PaidGenerator};
use crate::privacy::{ClipRadius, NoisedPart, Price};

/// Noise of this scale has no law on the space.
pub(super) struct TooWide(pub(super) f64);

impl From<TooWide> for MechanismError {
    fn from(wide: TooWide) -> Self {
        Self::NoiseTooWide { scale: wide.0 }
    }
}

/// How a point was drawn.
pub(super) enum HowDrawn<'a> {
    /// With digits on demand, rounded to a grid of this step (in the unit of distance).
    OnGrid(f64),
    /// In floating point, by this sampler.
    Idealized(&'a str),
}

/// Root mean square of a distance from the mean whose density is the area of spheres times e^{−`loss`(t)}: how far draws of a law that
/// depends on the distance alone lie from the mean. On spaces where spheres about all points have the same area; `None` elsewhere, and
/// where the law has no second moment that can be found. `typical`: about how large distances are.
pub(super) fn root_mean_square<M: PolarVolume>(
    manifold: &M,
    typical: f64,
    loss: impl Fn(f64) -> f64,
) -> Option<f64> {
    manifold.two_point()?;
    let ln = |t: f64| manifold.ln_area_concave(t) + manifold.ln_area_rise(t) - loss(t);
    let mut end = (40.0 * typical).min(manifold.largest_distance());
    for _ in 0..DOUBLINGS {
        let at = |i: usize| end * (i as f64 + 0.5) / CELLS as f64;
        let density: Vec<f64> = (0..CELLS).map(|i| ln(at(i))).collect();
        let most = density.iter().copied().filter(|f| f.is_finite()).fold(f64::NEG_INFINITY, f64::max);
        let last = density.last().copied().unwrap_or(f64::NAN);
        if end < manifold.largest_distance() && (last.is_nan() || last > most - NEGLIGIBLE) {
            end = (2.0 * end).min(manifold.largest_distance());
            continue;
        }
        let weights = density.iter().map(|f| if f.is_nan() { 0.0 } else { (f - most).exp() });
        let (mass, square) = weights
            .enumerate()
            .fold((0.0, 0.0), |(mass, square), (i, w)| (mass + w, square + w * at(i).powi(2)));
        let found = (square / mass).sqrt();
        return found.is_finite().then_some(found);
    }
    None
}

/// Cells of the midpoint rule: a peak of a law in 1000 dimensions is some 20 of them wide.
const CELLS: usize = 20_000;
/// ln of what is left out beyond the end of the range.
const NEGLIGIBLE: f64 = 35.0;
/// How often the range is doubled, for noise that is nearly too wide for its space.
const DOUBLINGS: usize = 12;

/// What a certificate says of a draw on the space itself.
pub(super) fn described(
    price: &Price,
    clip: ClipRadius,
    distribution: &str,
    how: HowDrawn<'_>,
    dimension: usize,
    expected_error: Option<f64>,
) -> Result<NoisedPart, MechanismError> {
    let (path, step, sampler) = match how {
        HowDrawn::OnGrid(step) => (NoisePath::Lattice, Some(step), SAMPLER),
        HowDrawn::Idealized(sampler) => (NoisePath::IdealizedReals, None, sampler),
    };
    let (Some(sensitivity), Some(scale)) = (price.sensitivity, price.scale) else {
        return Err(MechanismError::Shape("the noise has no scale"));
    };
    let noise = NoiseDescription {
        distribution: distribution.into(),
        path,
        scale,
        dimension,
        step,
        sampler: sampler.into(),
    };
    let what = price.mechanism.clone();
    Ok(NoisedPart { what, loss: price.loss, sensitivity, clip: Some(clip), noise, expected_error })
}

/// Accepts v with the probability that corrects the envelope's volume and whatever else (`ln_ratio` ≤ 0) is missing.
pub(super) fn direction_accepted<M: PolarVolume>(
    manifold: &M,
    p: &M::Point,
    v: &M::Tangent,
    ln_ratio: f64,
    rng: &mut PaidGenerator<'_>,
) -> bool {
    let ln = ln_ratio + manifold.ln_area_factor(p, v);
    ln >= 0.0 || -rng.exponential() < ln
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::{Euclidean, Kendall, Lorentz, SpdAffineInvariant, Sphere};

    #[test]
    fn distances_are_as_large_as_closed_forms_have_them() {
        for d in [1, 2, 6, 200] {
            let (flat, d) = (Euclidean::new(d), d as f64);
            // Gamma(d) and χ_d.
            let laplace = root_mean_square(&flat, 0.3 * d, |t| t / 0.3).unwrap();
            approx::assert_relative_eq!(laplace, 0.3 * (d * (d + 1.0)).sqrt(), max_relative = 1e-4);
            let gaussian = root_mean_square(&flat, 0.3 * d.sqrt(), |t| 0.5 * (t / 0.3).powi(2)).unwrap();
            approx::assert_relative_eq!(gaussian, 0.3 * d.sqrt(), max_relative = 1e-4);
        }
        // Nothing pulls: the mean square of an angle on the sphere is π²/2 − 2.
        let uniform = root_mean_square(&Sphere::new(2, 1.0).unwrap(), 1.0, |_| 0.0).unwrap();
        let exact = 0.5 * std::f64::consts::PI.powi(2) - 2.0;
        approx::assert_relative_eq!(uniform, exact.sqrt(), max_relative = 1e-4);
        // H²: sinh t e^{−2t} = (e^{−t} − e^{−3t})/2, so E t² = (2 − 2/27)/(1 − 1/3).
        let hyperbolic = root_mean_square(&Lorentz::new(2).unwrap(), 1.0, |t| 2.0 * t).unwrap();
        approx::assert_relative_eq!(hyperbolic, ((2.0 - 2.0 / 27.0) * 1.5f64).sqrt(), max_relative = 1e-3);
        assert!(root_mean_square(&Kendall::new(5).unwrap(), 0.1, |t| t / 0.02).is_some());
        // Directions differ there; and a law without a second moment has none.
        assert_eq!(root_mean_square(&SpdAffineInvariant::new(3).unwrap(), 0.1, |t| t / 0.02), None);
        assert_eq!(root_mean_square(&Euclidean::new(2), 1.0, |t| 2.0 * (1.0 + t).ln()), None);
    }
}
