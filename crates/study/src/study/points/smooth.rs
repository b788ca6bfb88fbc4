//! OutlineSmoothing of released outlines: post-processing, so free; every choice is made from the release itself.

use crate::function::circle::Fourier;
use crate::function::shrink::empirical_bayes;
use crate::manifold::{Kendall, Manifold, ManifoldError};
use nalgebra::{Complex, DVector};

/// What is done to a released shape whose landmarks go once around a closed outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum OutlineSmoothing {
    /// No smoothing
    #[default]
    None,
    /// Wiener shrinkage along the outline, towards the centre (for Gaussian noise of known scale: the gaussian mechanism)
    Shrink,
    /// Local linear regression along the outline (Soto et al. 2022, Figure 3), width by generalized cross-validation
    LocalLinear,
}

/// [`shrink_outline_stating`] without the error.
///
/// # Errors
/// A release on the cut locus of the centre.
pub fn shrink_outline(
    space: &Kendall,
    centre: &DVector<Complex<f64>>,
    released: &DVector<Complex<f64>>,
    sigma: f64,
) -> Result<DVector<Complex<f64>>, ManifoldError> {
    shrink_outline_stating(space, centre, released, sigma).map(|(outline, _)| outline)
}

/// Shrinks the tangent vector at the public centre frequency by frequency, by factors fitted to the release and the known σ.
///
/// # Errors
/// A release on the cut locus of the centre.
pub fn shrink_outline_stating(
    space: &Kendall,
    centre: &DVector<Complex<f64>>,
    released: &DVector<Complex<f64>>,
    sigma: f64,
) -> Result<(DVector<Complex<f64>>, f64), ManifoldError> {
    let v = space.log(centre, released)?;
    let fourier = Fourier::new(v.len());
    // The basis has ⟨f, g⟩ = (1/k) Σ: the noise in its coefficients is σ/√k.
    let scale = sigma / (v.len() as f64).sqrt();
    let smooth = |part: Vec<f64>| {
        let coefficients = fourier.analyse(&part);
        let place = |i| (0, Fourier::frequency(i) as f64);
        let shrunk = empirical_bayes(&coefficients, |_| scale * scale, place);
        // Back from the mean over the landmarks to their sum.
        let error = v.len() as f64 * shrunk.errors.iter().sum::<f64>();
        (fourier.synthesize(&shrunk.values), error)
    };
    let ((x, of_x), (y, of_y)) =
        (smooth(v.iter().map(|z| z.re).collect()), smooth(v.iter().map(|z| z.im).collect()));
    let smoothed = DVector::from_iterator(v.len(), x.into_iter().zip(y).map(|(x, y)| Complex::new(x, y)));
    Ok((space.exp(centre, &space.project_tangent(centre, &smoothed)), (of_x + of_y).sqrt()))
}

/// Local linear regression of x and y on the place along a closed outline, with a Gaussian kernel whose width minimizes
/// generalized cross-validation on the same landmarks.
///
/// # Errors
/// All landmarks fall together.
pub fn local_linear(
    space: &Kendall,
    released: &DVector<Complex<f64>>,
) -> Result<DVector<Complex<f64>>, ManifoldError> {
    let k = released.len();
    let mut best: Option<(f64, DVector<Complex<f64>>)> = None;
    for step in 0..12 {
        let width = 0.5 * 1.25_f64.powi(step);
        let weights = local_linear_weights(k, width);
        let smoothed: DVector<Complex<f64>> =
            DVector::from_fn(k, |i, _| (0..k).map(|j| released[(i + j) % k] * weights[j]).sum());
        let residual: f64 = (0..k).map(|i| (released[i] - smoothed[i]).norm_sqr()).sum::<f64>() / k as f64;
        let score = residual / (1.0 - weights[0]).powi(2);
        if best.as_ref().is_none_or(|(s, _)| score < *s) {
            best = Some((score, smoothed));
        }
    }
    let smoothed = best.map_or_else(|| released.clone(), |(_, s)| s);
    space.preshape(&space.configuration(&smoothed))
}

/// The weights with which landmark i + j enters the fit at i: the same for every i on a closed outline, and symmetric, so
/// that the linear term drops out.
fn local_linear_weights(k: usize, width: f64) -> Vec<f64> {
    let kernel: Vec<f64> = (0..k)
        .map(|j| {
            let distance = j.min(k - j) as f64 / width;
            (-0.5 * distance * distance).exp()
        })
        .collect();
    let total: f64 = kernel.iter().sum();
    kernel.into_iter().map(|w| w / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn circle(k: usize) -> (Kendall, DVector<Complex<f64>>) {
        let space = Kendall::new(k).unwrap();
        let points: Vec<[f64; 2]> = (0..k)
            .map(|i| {
                let t = std::f64::consts::TAU * i as f64 / k as f64;
                [2.0 * t.cos() + 0.3 * (2.0 * t).cos(), t.sin()]
            })
            .collect();
        let shape = space.preshape(&points).unwrap();
        (space, shape)
    }

    #[test]
    fn both_smoothers_bring_noised_outlines_nearer_the_truth() {
        let (space, truth) = circle(60);
        let centre = circle(60).1.map(|z| Complex::new(1.1 * z.re, z.im));
        let centre = space.preshape(&space.configuration(&centre)).unwrap();
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let (mut raw, mut shrunk, mut local) = (0.0, 0.0, 0.0);
        let sigma = 0.01;
        for _ in 0..20 {
            let at_centre = space.log(&centre, &truth).unwrap();
            let noise = space.tangent_gaussian(&centre, sigma, &mut rng);
            let released = space.exp(&centre, &(at_centre + noise));
            raw += space.dist(&truth, &released).powi(2);
            shrunk += space.dist(&truth, &shrink_outline(&space, &centre, &released, sigma).unwrap()).powi(2);
            local += space.dist(&truth, &local_linear(&space, &released).unwrap()).powi(2);
        }
        assert!(shrunk < 0.35 * raw, "{shrunk} {raw}");
        assert!(local < 0.6 * raw, "{local} {raw}");
    }
}
