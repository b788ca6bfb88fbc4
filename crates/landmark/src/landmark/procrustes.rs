//! Procrustes fits: one configuration onto another, and many onto their mean.

use super::{Configuration, LandmarkError};
use nalgebra::DMatrix;

/// The configuration about its centroid.
pub fn centred(x: &Configuration) -> Configuration {
    let centroid = x.row_mean();
    let mut x = x.clone();
    x.row_iter_mut().for_each(|mut row| row -= &centroid);
    x
}

/// S(X) = ‖X − 1x̄ᵀ‖, the centroid size (Dryden & Mardia 2016, eq. 2.2): in the units of the coordinates.
pub fn centroid_size(x: &Configuration) -> f64 {
    // Divided by the largest entry first: squares neither overflow nor vanish.
    let x = centred(x);
    let largest = x.amax();
    if largest > 0.0 && largest.is_finite() { (x / largest).norm() * largest } else { largest }
}

/// Centred and of centroid size 1.
///
/// # Errors
/// [`LandmarkError`]: a number that is not finite, all landmarks at one place, coordinates neither two nor three.
pub fn unit_size(x: &Configuration) -> Result<Configuration, LandmarkError> {
    if !matches!(x.ncols(), 2 | 3) {
        return Err(LandmarkError::Dimension(x.ncols()));
    }
    if x.iter().any(|c| !c.is_finite()) {
        return Err(LandmarkError::NotFinite);
    }
    let largest = x.amax();
    if x.nrows() == 0 || largest == 0.0 {
        return Err(LandmarkError::OnePlace);
    }
    let x = centred(&(x / largest));
    let size = x.norm();
    // Below this the differences between landmarks are rounding error.
    if size <= 1e-13 {
        return Err(LandmarkError::OnePlace);
    }
    Ok(centred(&(x / size)))
}

/// Refuses configurations that do not correspond landmark by landmark.
pub(super) fn corresponding(x: &Configuration, y: &Configuration) -> Result<(), LandmarkError> {
    if x.shape() == y.shape() {
        return Ok(());
    }
    let ((found, found_dimension), (expected, expected_dimension)) = (x.shape(), y.shape());
    Err(LandmarkError::Size { found, found_dimension, expected, expected_dimension })
}

/// The rotation Γ ∈ SO(d) that brings the centred x nearest to the centred y, ‖xΓ − y‖ least, and Σ of the singular values of xᵀy, the
/// last with the sign of the determinant: tr(Γᵀxᵀy). (Kabsch 1976; Dryden & Mardia 2016, §7.1.) No reflections. Numbers that are not finite
/// rotate nothing.
pub fn rotation(x: &Configuration, y: &Configuration) -> (DMatrix<f64>, f64) {
    let product = x.transpose() * y;
    let as_it_is = (DMatrix::identity(x.ncols(), x.ncols()), product.trace());
    if product.iter().any(|c| !c.is_finite()) {
        return as_it_is;
    }
    let svd = product.svd(true, true);
    let (Some(u), Some(vt)) = (svd.u, svd.v_t) else { return as_it_is };
    let mut values = svd.singular_values;
    let mut u = u;
    if (&u * &vt).determinant() < 0.0 {
        // The direction that matters least is turned over.
        let least = values.imin();
        u.column_mut(least).neg_mut();
        values[least] = -values[least];
    }
    (u * vt, values.sum())
}

/// x centred, rotated to fit y best, at its own size: the ordinary partial Procrustes fit.
///
/// # Errors
/// Configurations that do not correspond.
pub fn rotated_onto(x: &Configuration, y: &Configuration) -> Result<Configuration, LandmarkError> {
    corresponding(x, y)?;
    let x = centred(x);
    let (gamma, _) = rotation(&x, &centred(y));
    Ok(x * gamma)
}

/// The full Procrustes distance sin ρ = √(1 − t²) of two shapes, t the signed sum of singular values of their preshapes' product (Dryden &
/// Mardia 2016, eq. 4.13); in [0, 1].
///
/// # Errors
/// As [`unit_size`]; configurations that do not correspond.
pub fn full_distance(x: &Configuration, y: &Configuration) -> Result<f64, LandmarkError> {
    corresponding(x, y)?;
    let (x, y) = (unit_size(x)?, unit_size(y)?);
    let (gamma, t) = rotation(&x, &y);
    // √(1 − t²) loses half the digits for near shapes; the residual ‖xΓ t − y‖ does not. Where no rotation brings them nearer than a right
    // angle (t ≤ 0) the best scale is 0.
    Ok((x * gamma * t.max(0.0) - y).norm().min(1.0))
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct GeneralizedOptions {
    /// How far the mean may move in the last step (1e-13).
    pub tolerance: f64,
    /// The most steps (1000).
    pub steps: usize,
}

impl Default for GeneralizedOptions {
    fn default() -> Self {
        Self { tolerance: 1e-13, steps: 1000 }
    }
}

/// The full generalized Procrustes fit of many configurations.
#[derive(Debug, Clone)]
pub struct Generalized {
    /// The full Procrustes mean shape: centred, of unit size, rotated like the first configuration.
    pub mean: Configuration,
    /// Full Procrustes distance of each from it.
    pub distances: Vec<f64>,
    /// Whether the mean stood still to the tolerance.
    pub converged: bool,
}

/// The full Procrustes mean: the shape M that minimizes Σ sin²ρ(X_i, M) = Σ (1 − t_i²) (Dryden & Mardia 2016, §6.2 and 7.4). In turns each
/// is rotated and scaled onto M, by t_i, and M is their sum, of unit size; each turn lowers the criterion. The least of many starts is not
/// sought: shapes within one radian of their mean have one minimum.
///
/// # Errors
/// No configurations, some that do not correspond, or one that has no shape ([`unit_size`]).
pub fn generalized(
    configurations: &[Configuration],
    options: GeneralizedOptions,
) -> Result<Generalized, LandmarkError> {
    let shapes = configurations.iter().map(unit_size).collect::<Result<Vec<_>, _>>()?;
    let first = shapes.first().ok_or(LandmarkError::Nothing)?;
    shapes.iter().try_for_each(|x| corresponding(x, first))?;
    let mut mean = first.clone();
    let mut converged = false;
    for _ in 0..options.steps {
        let mut sum = Configuration::zeros(mean.nrows(), mean.ncols());
        for x in &shapes {
            let (gamma, t) = rotation(x, &mean);
            sum.gemm(t.max(0.0), x, &gamma, 1.0);
        }
        let next = unit_size(&sum)?;
        let moved = (&next - &mean).norm();
        mean = next;
        if moved <= options.tolerance {
            converged = true;
            break;
        }
    }
    let mean = rotated_onto(&mean, first)?;
    let distances = shapes.iter().map(|x| full_distance(x, &mean)).collect::<Result<_, _>>()?;
    Ok(Generalized { mean, distances, converged })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made_up(k: usize, d: usize, seed: f64) -> Configuration {
        Configuration::from_fn(k, d, |i, j| ((i * d + j) as f64 * (1.3 + seed)).sin() * 3.0 + i as f64 * 0.1)
    }

    /// A rotation by an angle in the first plane, and in space by another in the last one.
    fn turn(d: usize, angle: f64) -> DMatrix<f64> {
        let mut r = DMatrix::identity(d, d);
        let (s, c) = angle.sin_cos();
        (r[(0, 0)], r[(0, 1)], r[(1, 0)], r[(1, 1)]) = (c, -s, s, c);
        if d == 3 {
            let mut q = DMatrix::identity(3, 3);
            let (s, c) = (2.0 * angle).sin_cos();
            (q[(1, 1)], q[(1, 2)], q[(2, 1)], q[(2, 2)]) = (c, -s, s, c);
            r *= q;
        }
        r
    }

    #[test]
    fn similar_configurations_have_one_shape() {
        for d in [2, 3] {
            let x = made_up(7, d, 0.0);
            let moved = (&x * turn(d, 2.1) * 5.0).add_scalar(3.0);
            assert!(full_distance(&x, &moved).unwrap() < 1e-14);
            assert!((rotated_onto(&moved, &(&x * 5.0)).unwrap() - centred(&x) * 5.0).norm() < 1e-12);
            assert!((centroid_size(&moved) / centroid_size(&x) - 5.0).abs() < 1e-13);
            // A mirror image is another shape.
            let mut mirrored = x.clone();
            mirrored.column_mut(0).neg_mut();
            assert!(full_distance(&x, &mirrored).unwrap() > 0.1);
        }
    }

    /// In the plane t = |x*y| of the complex preshapes, whatever the singular values.
    #[test]
    fn distances_in_the_plane_are_those_of_complex_numbers() {
        let (x, y) = (made_up(6, 2, 0.0), made_up(6, 2, 0.7));
        let (a, b) = (unit_size(&x).unwrap(), unit_size(&y).unwrap());
        let re: f64 = a.dot(&b);
        let im: f64 = (0..6).map(|i| a[(i, 0)] * b[(i, 1)] - a[(i, 1)] * b[(i, 0)]).sum();
        let expected = (1.0 - re * re - im * im).sqrt();
        assert!((full_distance(&x, &y).unwrap() - expected).abs() < 1e-14);
    }

    #[test]
    fn a_rotation_turns_nothing_over_and_is_the_best() {
        for d in [2, 3] {
            let (x, y) = (centred(&made_up(5, d, 0.2)), centred(&made_up(5, d, 1.9)));
            let (gamma, t) = rotation(&x, &y);
            assert!((gamma.determinant() - 1.0).abs() < 1e-12);
            assert!((t - (&x * &gamma).dot(&y)).abs() < 1e-12);
            for step in 1..40 {
                let other = &gamma * turn(d, 0.15 * f64::from(step));
                assert!((&x * other).dot(&y) <= t + 1e-12);
            }
        }
    }

    /// The mean is where the criterion's derivative vanishes: Σ t_i (X_iΓ_i − t_i M) = 0, and no near shape is better.
    #[test]
    fn the_mean_minimizes_the_criterion() {
        for d in [2, 3] {
            let base = made_up(8, d, 0.0);
            let shapes: Vec<Configuration> = (0..6)
                .map(|i| {
                    (&base + made_up(8, d, 0.3 + f64::from(i)) * 0.1)
                        * turn(d, f64::from(i))
                        * (1.0 + f64::from(i))
                })
                .collect();
            let fit = generalized(&shapes, GeneralizedOptions::default()).unwrap();
            assert!(fit.converged && (fit.mean.norm() - 1.0).abs() < 1e-12);
            let criterion = |m: &Configuration| -> f64 {
                shapes.iter().map(|x| full_distance(x, m).unwrap().powi(2)).sum()
            };
            let least = criterion(&fit.mean);
            assert!((least - fit.distances.iter().map(|d| d * d).sum::<f64>()).abs() < 1e-14);
            for i in 0..8 * d {
                for step in [-1e-3, 1e-3] {
                    let mut near = fit.mean.clone();
                    near[(i / d, i % d)] += step;
                    assert!(criterion(&near) > least - 1e-15);
                }
            }
        }
    }

    #[test]
    fn what_has_no_shape_is_refused() {
        use LandmarkError::*;
        let x = made_up(5, 2, 0.0);
        assert_eq!(unit_size(&Configuration::from_element(4, 2, 7.0)), Err(OnePlace));
        assert_eq!(unit_size(&Configuration::zeros(0, 2)), Err(OnePlace));
        assert_eq!(unit_size(&Configuration::from_element(4, 2, f64::NAN)), Err(NotFinite));
        assert_eq!(unit_size(&made_up(4, 4, 0.0)), Err(Dimension(4)));
        assert!(full_distance(&x, &made_up(4, 2, 0.0)).is_err());
        assert!(generalized(&[], GeneralizedOptions::default()).is_err());
        assert!(generalized(&[x, made_up(5, 3, 0.0)], GeneralizedOptions::default()).is_err());
    }
}
