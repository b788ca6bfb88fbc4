//! Fréchet means with a certificate.

use super::descent::Descent;
use super::stationarity::{FrechetMean, FrechetOptions};
use crate::manifold::{Manifold, ManifoldError};

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
    let mut descent = Descent::new(manifold, asked);
    let start = match start {
        Some(start) => start.clone(),
        None => from_subset(manifold, points, weights, &mut descent)?,
    };
    descent.run(points, weights, start, options)
}

/// Points below which a subset is not worth it.
const FEW: usize = 1024;
/// A subset takes one point in this many.
const STRIDE: usize = 16;

/// The mean of every 16th point, to the accuracy such a subset can have; of fewer points, the rough mean. Leaves the
/// curvature pairs it met in `descent`.
fn from_subset<M: Manifold>(
    manifold: &M,
    points: &[M::Point],
    weights: Option<&[f64]>,
    descent: &mut Descent<'_, M>,
) -> Result<M::Point, ManifoldError> {
    if points.len() < FEW {
        return manifold.rough_mean(points, weights);
    }
    let subset: Vec<M::Point> = points.iter().step_by(STRIDE).cloned().collect();
    let subset_weights: Option<Vec<f64>> = weights.map(|w| w.iter().step_by(STRIDE).copied().collect());
    let subset_weights = subset_weights.as_deref();
    // Weights may vanish on the subset though not on the whole.
    if subset_weights.is_some_and(|w| w.iter().all(|w| *w == 0.0)) {
        return manifold.rough_mean(points, weights);
    }
    let start = from_subset(manifold, &subset, subset_weights, descent)?;
    let spread = manifold.mean_log(&start, &subset, subset_weights)?.mean_square.sqrt();
    // Sampling error is about spread/√n: a tenth of it is as good as exact.
    let gradient_tolerance = 0.1 * spread / (points.len() as f64).sqrt();
    let options = FrechetOptions { gradient_tolerance, max_iterations: 50 };
    Ok(descent.run(&subset, subset_weights, start, options)?.point)
}
