//! Thin-plate splines between configurations (Bookstein 1989; in space Gunz, Mitteroecker & Bookstein 2005).

use super::procrustes::{centred, corresponding};
use super::{Configuration, LandmarkError};
use nalgebra::{DMatrix, Dyn, LU};

/// The kernel of the biharmonic equation, of a squared distance: r² ln r² in the plane, −|r| in space. With these signs bending energies
/// are not negative.
fn kernel(square: f64, dimension: usize) -> f64 {
    match dimension {
        _ if square == 0.0 => 0.0,
        2 => square * square.ln(),
        _ => -square.sqrt(),
    }
}

/// The smooth map that takes the landmarks of one configuration to those of another and bends as little as can be:
/// f(p) = a + pA + Σ w_i U(|p − x_i|), with Σ w_i = 0 and Σ w_i x_iᵀ = 0.
#[derive(Debug, Clone)]
pub struct ThinPlate {
    knots: Configuration,
    /// Where the knots were before they were moved and scaled: their centroid and size.
    origin: DMatrix<f64>,
    size: f64,
    /// w over a over A: (k + 1 + d) × d.
    coefficients: DMatrix<f64>,
}

impl ThinPlate {
    /// The map from one configuration to another.
    ///
    /// # Errors
    /// [`LandmarkError`]: configurations that do not correspond, numbers that are not finite, knots on one line or plane, or two at one place.
    pub fn new(from: &Configuration, to: &Configuration) -> Result<Self, LandmarkError> {
        corresponding(from, to)?;
        if to.iter().any(|c| !c.is_finite()) {
            return Err(LandmarkError::NotFinite);
        }
        let system = System::new(from)?;
        let (k, d) = from.shape();
        let mut right = DMatrix::zeros(k + 1 + d, d);
        right.rows_mut(0, k).copy_from(to);
        let coefficients = system.solve(&right)?;
        let System { knots, origin, size, .. } = system;
        Ok(Self { knots, origin, size, coefficients })
    }

    /// The images of points (m × d).
    pub fn map(&self, points: &Configuration) -> Configuration {
        let (k, d) = self.knots.shape();
        let mut values = DMatrix::zeros(points.nrows(), k + 1 + d);
        for i in 0..points.nrows() {
            let p = (points.row(i) - self.origin.row(0)) / self.size;
            for j in 0..k {
                values[(i, j)] = kernel((&p - self.knots.row(j)).norm_squared(), d);
            }
            values[(i, k)] = 1.0;
            values.view_mut((i, k + 1), (1, d)).copy_from(&p);
        }
        values * &self.coefficients
    }
}

/// The bending energy matrix B of a configuration, k × k: the upper left block of the inverse of the spline's system for the template at unit
/// size (Bookstein 1989). tr(YᵀBY) is the energy of the spline from the template to Y: 0 just for affine images of it.
///
/// # Errors
/// As [`ThinPlate::new`].
pub fn bending_matrix(template: &Configuration) -> Result<DMatrix<f64>, LandmarkError> {
    let system = System::new(template)?;
    let (k, d) = template.shape();
    let mut right = DMatrix::zeros(k + 1 + d, k);
    right.view_mut((0, 0), (k, k)).fill_with_identity();
    let b = system.solve(&right)?.rows(0, k).into_owned();
    // Symmetric to the last digit.
    Ok((&b + b.transpose()) * 0.5)
}

/// The equations of a spline with knots at a configuration's landmarks, brought to unit size so that the system is well scaled; neither
/// motion nor scale changes the spline.
struct System {
    knots: Configuration,
    origin: DMatrix<f64>,
    size: f64,
    lu: LU<f64, Dyn, Dyn>,
}

impl System {
    fn new(from: &Configuration) -> Result<Self, LandmarkError> {
        let (k, d) = from.shape();
        if !matches!(d, 2 | 3) {
            return Err(LandmarkError::Dimension(d));
        }
        if from.iter().any(|c| !c.is_finite()) {
            return Err(LandmarkError::NotFinite);
        }
        let degenerate = LandmarkError::Degenerate { found: k, needed: d + 1 };
        let centre = centred(from);
        let size = centre.norm();
        if k < d + 1 || size <= 0.0 || !size.is_finite() {
            return Err(degenerate);
        }
        let knots = centre / size;
        // On a line or a plane the affine part is not determined.
        if knots.singular_values().min() < 1e-9 {
            return Err(degenerate);
        }
        let mut matrix = DMatrix::zeros(k + 1 + d, k + 1 + d);
        for i in 0..k {
            for j in 0..i {
                let square = (knots.row(i) - knots.row(j)).norm_squared();
                if square < 1e-24 {
                    return Err(degenerate);
                }
                (matrix[(i, j)], matrix[(j, i)]) = (kernel(square, d), kernel(square, d));
            }
            (matrix[(i, k)], matrix[(k, i)]) = (1.0, 1.0);
            for axis in 0..d {
                let c = knots[(i, axis)];
                (matrix[(i, k + 1 + axis)], matrix[(k + 1 + axis, i)]) = (c, c);
            }
        }
        let origin = DMatrix::from_iterator(1, d, from.row_mean().iter().copied());
        Ok(Self { knots, origin, size, lu: matrix.lu() })
    }

    fn solve(&self, right: &DMatrix<f64>) -> Result<DMatrix<f64>, LandmarkError> {
        let (k, d) = self.knots.shape();
        let solution = self.lu.solve(right).filter(|s| s.iter().all(|c| c.is_finite()));
        solution.ok_or(LandmarkError::Degenerate { found: k, needed: d + 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Configuration {
        Configuration::from_row_slice(5, 2, &[0., 0., 1., 0., 1., 1., 0., 1., 0.4, 0.3])
    }

    fn solid() -> Configuration {
        Configuration::from_row_slice(
            6,
            3,
            &[0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 1., 1., 1.2, 0.3, 0.6, 0.2],
        )
    }

    #[test]
    fn knots_go_where_they_should_and_affine_maps_are_exact() {
        for x in [square(), solid()] {
            let (k, d) = x.shape();
            let y = Configuration::from_fn(k, d, |i, j| ((3 * i + j) as f64).sin());
            let spline = ThinPlate::new(&x, &y).unwrap();
            assert!((spline.map(&x) - &y).amax() < 1e-12);
            let a = Configuration::from_fn(d, d, |i, j| {
                (i + 1) as f64 - 0.3 * j as f64 + f64::from(u8::from(i == j))
            });
            let affine = |p: &Configuration| (p * &a * 100.0).add_scalar(7.0);
            let spline = ThinPlate::new(&x, &affine(&x)).unwrap();
            let points = Configuration::from_fn(9, d, |i, j| (i as f64 - 4.0) * 0.3 + j as f64);
            assert!((spline.map(&points) - affine(&points)).amax() < 1e-9);
            let b = bending_matrix(&x).unwrap();
            assert!((affine(&x).transpose() * &b * affine(&x)).trace().abs() < 1e-7);
            assert!(b.symmetric_eigenvalues().min() > -1e-9 && (y.transpose() * b * y).trace() > 1e-3);
        }
    }

    /// Neither units nor pose of the template matter.
    #[test]
    fn a_spline_moves_with_its_knots() {
        let (x, points) = (square(), Configuration::from_row_slice(2, 2, &[0.2, 0.9, 3.0, -1.0]));
        let y = Configuration::from_fn(5, 2, |i, j| ((3 * i + j) as f64).cos());
        let turn = DMatrix::from_row_slice(2, 2, &[0.6, -0.8, 0.8, 0.6]);
        let moved = |p: &Configuration| (p * &turn * 250.0).add_scalar(40.0);
        let one = ThinPlate::new(&x, &y).unwrap().map(&points);
        let other = ThinPlate::new(&moved(&x), &y).unwrap().map(&moved(&points));
        assert!((one - other).amax() < 1e-10);
    }

    #[test]
    fn knots_on_a_line_or_at_one_place_are_refused() {
        let line = Configuration::from_fn(5, 2, |i, j| i as f64 * (1.0 + j as f64));
        let plane =
            Configuration::from_fn(6, 3, |i, j| if j == 2 { 1.0 } else { ((i + 2 * j) as f64).sin() });
        let mut twice = square();
        twice.set_row(1, &square().row(0).into_owned());
        for x in [line, plane, twice, square().rows(0, 2).into_owned()] {
            assert!(matches!(bending_matrix(&x), Err(LandmarkError::Degenerate { .. })));
        }
        assert!(ThinPlate::new(&square(), &solid()).is_err());
        assert!(bending_matrix(&Configuration::from_element(4, 2, f64::NAN)).is_err());
    }
}
