use super::disk::check_radii;
use super::spline::{Centre, RadialSpline};
use super::{Circle, FaceCurves, FunctionError};
use std::f64::consts::SQRT_2;

/// A vector field on the disk known on rings, such as the deviation of a mean face from the template, evaluated
/// anywhere: trigonometric along the rings, cubic splines across them, continuously differentiable everywhere,
/// the centre included.
///
/// It is linear in the samples and interpolates them. To move a fine template mesh by a released mean, evaluate
/// the released deviation at the disk position of each of its vertices.
#[derive(Debug, Clone)]
pub struct DiskField {
    /// One spline for each angular basis function and coordinate, coordinate fastest.
    splines: Vec<RadialSpline>,
    circle: Circle,
}

impl DiskField {
    /// The field that takes the value `samples.point(j, l)` at radius `radii[j]` and angle 2πl/m.
    ///
    /// # Errors
    /// [`FunctionError`] when the radii do not ascend within (0, 1] or are not one for each curve.
    pub fn new(radii: &[f64], samples: &FaceCurves) -> Result<Self, FunctionError> {
        check_radii(radii)?;
        if radii.len() != samples.curves() {
            return Err(FunctionError::WrongLength {
                what: "ring radii",
                expected: samples.curves(),
                got: radii.len(),
            });
        }
        let (rings, m) = (samples.curves(), samples.samples());
        let circle = Circle::new(m)?;
        let mut coefficients = vec![Vec::with_capacity(rings); m * 3];
        for j in 0..rings {
            for k in 0..3 {
                let along: Vec<f64> = (0..m).map(|l| samples.get(j, l, k)).collect();
                for (i, c) in circle.analyse(&along)?.into_iter().enumerate() {
                    coefficients[i * 3 + k].push(c);
                }
            }
        }
        let splines = coefficients
            .iter()
            .enumerate()
            .map(|(at, c)| RadialSpline::new(radii, c, Centre::of_frequency(circle.frequency(at / 3))))
            .collect();
        Ok(Self { splines, circle })
    }

    /// The field at polar coordinates (r, θ), θ in radians; beyond the last ring it goes on linearly in r.
    pub fn evaluate(&self, r: f64, theta: f64) -> [f64; 3] {
        let r = r.max(0.0);
        // The basis functions by recurrence: two multiplications for each frequency in place of a cosine.
        let (sin1, cos1) = theta.sin_cos();
        let (mut cos, mut sin) = (1.0, 0.0);
        let (m, mut out) = (self.circle.samples(), [0.0; 3]);
        for i in 0..m {
            if i % 2 == 1 {
                (cos, sin) = (cos * cos1 - sin * sin1, sin * cos1 + cos * sin1);
            }
            let value = match i {
                0 => 1.0,
                i if i + 1 == m && i % 2 == 1 => cos,
                i if i % 2 == 1 => SQRT_2 * cos,
                _ => SQRT_2 * sin,
            };
            for (k, sum) in out.iter_mut().enumerate() {
                *sum += value * self.splines[i * 3 + k].at(r);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use std::f64::consts::TAU;

    fn sample(rings: usize, m: usize, f: impl Fn(f64, f64) -> [f64; 3]) -> (Vec<f64>, FaceCurves) {
        let radii: Vec<f64> = (1..=rings).map(|j| j as f64 / rings as f64).collect();
        let data = radii
            .iter()
            .flat_map(|&r| (0..m).map(move |l| (r, TAU * l as f64 / m as f64)))
            .flat_map(|(r, t)| f(r * t.cos(), r * t.sin()))
            .collect();
        (radii, FaceCurves::new(rings, m, data).unwrap())
    }

    fn smooth(x: f64, y: f64) -> [f64; 3] {
        [(1.5 * x + y).sin(), (x * x - y).cos(), 0.3 + x * y * y]
    }

    #[test]
    fn samples_are_interpolated() {
        for m in [1, 2, 7, 16] {
            let (radii, curves) = sample(5, m, smooth);
            let field = DiskField::new(&radii, &curves).unwrap();
            for (j, r) in radii.iter().enumerate() {
                for l in 0..m {
                    let got = field.evaluate(*r, TAU * l as f64 / m as f64);
                    for (a, b) in got.iter().zip(curves.point(j, l)) {
                        assert_relative_eq!(*a, b, epsilon = 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn smooth_functions_are_reproduced_between_the_rings() {
        let (radii, curves) = sample(23, 80, smooth);
        let field = DiskField::new(&radii, &curves).unwrap();
        for i in 0..500 {
            let (r, t) = (0.93 * ((i * 37 % 500) as f64 / 500.0), i as f64 * 0.7);
            let expected = smooth(r * t.cos(), r * t.sin());
            for (a, b) in field.evaluate(r, t).iter().zip(expected) {
                assert_relative_eq!(*a, b, epsilon = 2e-4);
            }
        }
    }

    #[test]
    fn rough_samples_still_give_a_field_with_one_gradient_at_the_centre() {
        // Deterministic noise: the worst a private release can look like.
        let (radii, curves) =
            sample(6, 12, |x, y| [(1e4 * x).sin(), (1e4 * y + 1.0).cos(), (1e5 * x * y).sin()]);
        let field = DiskField::new(&radii, &curves).unwrap();
        let (h, centre) = (1e-6, field.evaluate(0.0, 0.3));
        let slope = |theta: f64, k: usize| (field.evaluate(h, theta)[k] - centre[k]) / h;
        for (k, at_centre) in centre.iter().enumerate() {
            let (along_x, along_y) = (slope(0.0, k), slope(TAU / 4.0, k));
            for i in 0..16 {
                let theta = TAU * i as f64 / 16.0;
                // Differentiable: every directional slope is that of one linear map.
                assert_relative_eq!(
                    slope(theta, k),
                    along_x * theta.cos() + along_y * theta.sin(),
                    epsilon = 2e-2,
                    max_relative = 1e-3
                );
                assert_relative_eq!(field.evaluate(0.0, theta)[k], *at_centre, epsilon = 1e-12);
            }
        }
    }

    #[test]
    fn radii_must_fit_the_curves() {
        let (radii, curves) = sample(3, 4, smooth);
        assert!(DiskField::new(&radii[..2], &curves).is_err());
        assert!(DiskField::new(&[0.3, 0.2, 1.0], &curves).is_err());
    }
}
