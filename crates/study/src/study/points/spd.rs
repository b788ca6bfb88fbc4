//! Symmetric positive definite matrices: covariance descriptors of images, diffusion tensors, connectomes.

use crate::io::{ImageSize, Images, ReadError};
use crate::manifold::is_positive_definite;
use crate::stats::{DESCRIPTOR_RIDGE, covariance_descriptor};
use nalgebra::DMatrix;
use visard_base::parallel;

/// Which metric the mean of matrices is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum SpdMetric {
    /// Flat in the logarithm.
    LogEuclidean,
    /// Invariant under congruence.
    AffineInvariant,
    /// Optimal transport of centred Gaussians: the mean without noise only (--mechanism none).
    BuresWasserstein,
}

/// The k × k matrix of these numbers, row by row, if it is symmetric positive definite; otherwise what is wrong with it.
pub fn positive_definite(k: usize, numbers: &[f64]) -> Result<DMatrix<f64>, String> {
    let m = DMatrix::from_row_slice(k, k, numbers);
    if !m.iter().all(|x| x.is_finite()) {
        return Err("has an entry that is NaN or infinite; repair or remove it".into());
    }
    let asymmetry = (&m - m.transpose()).amax();
    if asymmetry > 1e-8 * m.amax() {
        return Err("is not symmetric; symmetrize it before the study".into());
    }
    if !is_positive_definite(&m) {
        let text = "is not positive definite (an eigenvalue that is zero to rounding counts as zero); add a multiple of the identity before the study";
        return Err(text.into());
    }
    Ok(m)
}

/// The covariance descriptor of every image: 9 × 9 for grey, 11 × 11 for colour (Tuzel et al. 2006; Utpala et al. 2023,
/// stencils corrected).
///
/// See [`covariance_descriptor`].
///
/// # Errors
/// [`ReadError`] for the first image that cannot be read.
pub fn descriptors(images: &Images) -> Result<Vec<DMatrix<f64>>, ReadError> {
    let ImageSize { height, width, channels } = images.size();
    parallel::try_map(images.len(), |i| Ok(covariance_descriptor(&images.get(i)?, height, width, channels)))
}

/// A ball in the log-Euclidean metric that holds every covariance descriptor whatever the image: centre c·I and radius.
///
/// The eigenvalues lie in [η, T + η], T the largest trace: features in [0, 1] have variance at most ¼ (seven of them grey, nine
/// colour), the gradient norm in [0, √2] ½, the angle in [0, π/2] π²/16. ln of the eigenvalues therefore lies within half of
/// ln((T + η)/η) of its middle: radius √k/2 · ln((T + η)/η). No data are looked at.
pub fn descriptor_ball(order: usize) -> Option<(DMatrix<f64>, f64)> {
    let quarter = match order {
        9 => 7.0,
        11 => 9.0,
        _ => return None,
    };
    let trace = 0.25 * quarter + 0.5 + std::f64::consts::PI.powi(2) / 16.0;
    let (low, high) = (DESCRIPTOR_RIDGE.ln(), (trace + DESCRIPTOR_RIDGE).ln());
    let centre = DMatrix::from_diagonal_element(order, order, (0.5 * (low + high)).exp());
    Some((centre, 0.5 * (order as f64).sqrt() * (high - low)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::write_npy;

    /// Two images of 12 × 10.
    fn of_images(channels: usize, value: impl Fn(usize) -> f64) -> Vec<DMatrix<f64>> {
        let data: Vec<f64> = (0..2 * 12 * 10 * channels).map(value).collect();
        data.chunks(120 * channels).map(|image| covariance_descriptor(image, 12, 10, channels)).collect()
    }

    #[test]
    fn images_of_a_file_are_described_one_by_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("images.npy");
        let value = |i: usize| ((i * 7919) % 251) as f64;
        let data: Vec<f64> = (0..240).map(value).collect();
        write_npy(&path, &[2, 12, 10], &data).unwrap();
        let found = descriptors(&crate::io::read_images(&path, 255.0).unwrap()).unwrap();
        assert_eq!(found, of_images(1, |i| value(i) / 255.0));
        let dark = descriptors(&crate::io::read_images(&path, 200.0).unwrap()).unwrap_err().to_string();
        assert!(dark.contains("outside 0 to 200; give the value of white as --white"), "{dark}");
    }

    #[test]
    fn what_is_singular_but_for_rounding_is_singular() {
        // Average reference: rows sum to zero, and the least eigenvalue is ±1e-17 of the largest.
        let k = 4;
        let p = DMatrix::from_fn(k, k, |i, j| f64::from(u8::from(i == j)) - 0.25);
        for step in 0..40 {
            let a = DMatrix::from_fn(k, k, |i, j| ((7 * i + 3 * j + step * (i + j + 1)) as f64).sin());
            let c = &p * (&a * a.transpose() + DMatrix::identity(k, k)) * &p;
            let c = 0.5 * (&c + c.transpose());
            assert!(positive_definite(k, c.as_slice()).is_err(), "{step}");
            let whole = c + DMatrix::identity(k, k) * 1e-12;
            assert!(positive_definite(k, whole.as_slice()).is_ok(), "{step}");
        }
    }

    #[test]
    fn flat_images_have_position_variance_only() {
        let d = of_images(1, |_| 0.5).remove(0);
        assert_eq!(d.shape(), (9, 9));
        // Var of i/(w−1), i = 0..w−1, is (w + 1)/(12 (w − 1)).
        assert!(
            (d[(0, 0)] - 11.0 / 108.0 - 1e-6).abs() < 1e-12
                && (d[(1, 1)] - 13.0 / 132.0 - 1e-6).abs() < 1e-12
        );
        assert!(d[(0, 1)].abs() < 1e-15 && (2..9).all(|i| (d[(i, i)] - 1e-6).abs() < 1e-15));
    }

    #[test]
    fn a_ramp_has_constant_derivatives() {
        // I = column/9: the Sobel stencil of slope s gives 8s/4 = 2s inside; borders halve it.
        let d = of_images(1, |i| (i % 10) as f64 / 9.0).remove(0);
        assert!((d[(2, 2)] - d[(0, 0)]).abs() < 1e-12 && (d[(0, 2)] - (d[(0, 0)] - 1e-6)).abs() < 1e-12);
        let expected = (2.0 / 9.0 - 1.0 / 9.0_f64).powi(2) * 0.2 * 0.8;
        assert!((d[(3, 3)] - 1e-6 - expected).abs() < 1e-12, "{} {expected}", d[(3, 3)]);
        assert!((d[(4, 4)] - 1e-6).abs() < 1e-12);
    }

    #[test]
    fn descriptors_lie_in_their_public_ball() {
        use crate::manifold::{Manifold, SpdLogEuclidean};
        for channels in [1, 3] {
            for d in of_images(channels, |i| ((i * 7919) % 257 % 2) as f64) {
                let (centre, radius) = descriptor_ball(d.nrows()).unwrap();
                assert!(SpdLogEuclidean::new(d.nrows()).unwrap().dist(&centre, &d) < radius);
            }
        }
        // The figures of theory.md: √k ln((T + η)/η) = 44.61 and 49.85.
        assert!((2.0 * descriptor_ball(9).unwrap().1 - 44.61).abs() < 0.01);
        assert!((2.0 * descriptor_ball(11).unwrap().1 - 49.85).abs() < 0.01);
    }
}
