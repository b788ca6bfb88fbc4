//! Fréchet means with a certificate.

use super::cloud::{Cloud, Points};
use super::descent::Descent;
use super::stationarity::{FrechetMean, FrechetOptions, Stationarity, Stop};
use crate::manifold::{Manifold, ManifoldError, MeanRows, RowCloud};

/// The weighted Fréchet mean: a stationary point of F(p) = ½ Σ w_i d²(p, x_i)/Σ w_i, by limited-memory BFGS with
/// transported curvature pairs, from `start` (a warm start) or [`Manifold::rough_mean`]. With many points and no start, a
/// subset is averaged first. The points must have been checked.
///
/// In a ball of radius below half the convexity radius, and anywhere on a Hadamard manifold, the stationary point is the
/// unique mean (Karcher 1977; Afsari 2011). The result does not depend on the number of threads.
///
/// ```
/// use nalgebra::dvector;
/// use visard_manifold::manifold::{Manifold, Sphere};
/// use visard_manifold::stats::{FrechetOptions, frechet_mean};
/// let sphere = Sphere::unit(2)?;
/// let points = [dvector![1.0, 0.0, 0.0], dvector![0.0, 1.0, 0.0], dvector![0.0, 0.0, 1.0]];
/// let mean = frechet_mean(&sphere, &points, None, None, FrechetOptions::default())?;
/// assert!(mean.certificate.converged());
/// assert!((mean.point[0] - 3f64.sqrt().recip()).abs() < 1e-12);
/// # Ok::<(), visard_manifold::manifold::ManifoldError>(())
/// ```
///
/// # Errors
/// No points, weights that do not fit (`weights`: nonnegative, one for each point, equal if `None`), or points so spread
/// that one lies on the cut locus of the iterate.
pub fn frechet_mean<M: Manifold>(
    manifold: &M,
    points: &[M::Point],
    weights: Option<&[f64]>,
    start: Option<&M::Point>,
    options: FrechetOptions,
) -> Result<FrechetMean<M::Point>, ManifoldError> {
    frechet_mean_until(manifold, points, weights, start, options, &|| false)
}

/// [`frechet_mean`] that is given up soon after `asked` answers yes: the point then is where it was, and [`Stop::Asked`](super::Stop) is why.
///
/// # Errors
/// As [`frechet_mean`].
pub fn frechet_mean_until<M: Manifold>(
    manifold: &M,
    points: &[M::Point],
    weights: Option<&[f64]>,
    start: Option<&M::Point>,
    options: FrechetOptions,
    asked: &(dyn Fn() -> bool + Sync),
) -> Result<FrechetMean<M::Point>, ManifoldError> {
    mean_of(manifold, &Points::new(points, weights), start, options, asked)
}

/// [`frechet_mean_until`] of points that are rows and were checked ([`Rows::prepare`](crate::manifold::Rows::prepare)): the same mean, without a
/// point of its own for each row. In closed form where there is one.
///
/// # Errors
/// As [`frechet_mean`].
pub fn frechet_mean_of_rows<M: MeanRows>(
    manifold: &M,
    rows: &RowCloud<'_>,
    options: FrechetOptions,
    asked: &(dyn Fn() -> bool + Sync),
) -> Result<FrechetMean<M::Point>, ManifoldError> {
    if manifold.has_closed_mean() {
        let point = rows.rough_mean(manifold)?;
        let certificate = Stationarity {
            gradient_norm: 0.0,
            tolerance: options.gradient_tolerance,
            rounding: 0.0,
            iterations: 0,
            evaluations: 0,
            stop: Stop::Converged,
        };
        return Ok(FrechetMean { point, certificate, objective: f64::NAN });
    }
    mean_of(manifold, rows, None, options, asked)
}

fn mean_of<M: Manifold, C: Cloud<M>>(
    manifold: &M,
    cloud: &C,
    start: Option<&M::Point>,
    options: FrechetOptions,
    asked: &(dyn Fn() -> bool + Sync),
) -> Result<FrechetMean<M::Point>, ManifoldError> {
    let mut descent = Descent::new(manifold, asked);
    let start = match start {
        Some(start) => start.clone(),
        None => from_subset(manifold, cloud, &mut descent)?,
    };
    descent.run(cloud, start, options)
}

/// Points below which a subset is not worth it.
const FEW: usize = 1024;
/// A subset takes one point in this many.
const STRIDE: usize = 16;

/// The mean of every 16th point, to the accuracy such a subset can have; of fewer points, the rough mean. Leaves the
/// curvature pairs it met in `descent`.
fn from_subset<M: Manifold, C: Cloud<M>>(
    manifold: &M,
    cloud: &C,
    descent: &mut Descent<'_, M>,
) -> Result<M::Point, ManifoldError> {
    if cloud.len() < FEW {
        return cloud.rough_mean(manifold);
    }
    let subset = cloud.every(STRIDE);
    // Weights may vanish on the subset though not on the whole.
    if subset.weights().is_some_and(|w| w.iter().all(|w| *w == 0.0)) {
        return cloud.rough_mean(manifold);
    }
    let start = from_subset(manifold, &subset, descent)?;
    let spread = subset.mean_log(manifold, &start)?.mean_square.sqrt();
    // Sampling error is about spread/√n: a tenth of it is as good as exact.
    let gradient_tolerance = 0.1 * spread / (cloud.len() as f64).sqrt();
    let options = FrechetOptions { gradient_tolerance, max_iterations: 50 };
    Ok(descent.run(&subset, start, options)?.point)
}
