//! Bases on grids.

use super::*;

#[test]
fn isometry_and_inverse_on_every_domain() {
    let disk = Domain::Disk { curves: 5, samples: 8 };
    for (domain, channels) in
        [(disk, 3), (Domain::Circle { samples: 9 }, 2), (Domain::Interval { samples: 7 }, 1)]
    {
        let basis = Basis::new(domain, channels);
        let values: Vec<f64> = (0..basis.len()).map(|i| ((i * 37) % 101) as f64 / 50.0 - 1.0).collect();
        let c = basis.analyse(&values);
        let norm: f64 = values.iter().map(|x| x * x).sum::<f64>() / domain.points() as f64;
        approx::assert_relative_eq!(c.iter().map(|x| x * x).sum::<f64>(), norm, max_relative = 1e-13);
        for (a, b) in basis.synthesize(&c).iter().zip(&values) {
            assert!((a - b).abs() < 1e-13);
        }
    }
}

/// Against the sum over single coefficients.
#[test]
fn variances_are_those_of_independent_coefficients() {
    let disk = Domain::Disk { curves: 3, samples: 6 };
    for (domain, channels) in
        [(disk, 2), (Domain::Circle { samples: 7 }, 1), (Domain::Interval { samples: 5 }, 1)]
    {
        let basis = Basis::new(domain, channels);
        let variances: Vec<f64> = (0..basis.len()).map(|i| 0.1 + ((i * 37) % 11) as f64).collect();
        let mut expected = vec![0.0; basis.len()];
        for (i, v) in variances.iter().enumerate() {
            let mut one = vec![0.0; basis.len()];
            one[i] = v.sqrt();
            expected.iter_mut().zip(basis.synthesize(&one)).for_each(|(e, x)| *e += x * x);
        }
        for (found, expected) in basis.variances(&variances).iter().zip(expected) {
            approx::assert_relative_eq!(*found, expected, max_relative = 1e-11);
        }
    }
}

#[test]
fn a_constant_has_only_the_lowest_frequency() {
    let basis = Basis::new(Domain::Disk { curves: 4, samples: 6 }, 3);
    let mut values = vec![0.0; basis.len()];
    values.iter_mut().skip(1).step_by(3).for_each(|y| *y = 2.0);
    for (i, c) in basis.analyse(&values).into_iter().enumerate() {
        let place = basis.place(i);
        let expected = if place.channel == 1 && place.frequency < 1e-6 { 2.0 } else { 0.0 };
        assert!((c.abs() - expected).abs() < 1e-12);
    }
}

#[test]
fn mirrored_functions_have_coefficients_of_one_class_only() {
    for samples in [8, 10] {
        let (curves, basis) = (4, Basis::new(Domain::Disk { curves: 4, samples }, 3).with_mirror(0));
        let noise: Vec<f64> = (0..basis.len()).map(|i| ((i * 61) % 97) as f64 - 48.0).collect();
        let at = |v: &[f64], j: usize, l: usize, k: usize| v[3 * (j * samples + l) + k];
        for class in [0, 1] {
            let values: Vec<f64> = (0..basis.len())
                .map(|i| {
                    let (j, l, k) = (i / 3 / samples, i / 3 % samples, i % 3);
                    let sign = if (k == 0) != (class == 1) { -1.0 } else { 1.0 };
                    at(&noise, j, l, k) + sign * at(&noise, j, (samples + samples / 2 - l) % samples, k)
                })
                .collect();
            assert_eq!(values.len(), 3 * curves * samples);
            for (i, c) in basis.analyse(&values).into_iter().enumerate() {
                assert!(basis.place(i).class == class || c.abs() < 1e-10, "coefficient {i}: {c}");
            }
        }
    }
}

#[test]
fn coordinates_are_their_own_coefficients() {
    let basis = Basis::of_coordinates(4);
    let values = [0.3, -1.0, 2.5, 1e-7];
    assert_eq!(basis.analyse(&values), values);
    assert_eq!(basis.synthesize(&values), values);
    assert_eq!(basis.variances(&values), values);
    assert_eq!((basis.points(), basis.len()), (1, 4));
    assert!((0..4).all(|i| basis.place(i).frequency == 0.0 && basis.place(i).class == 0));
}

/// The mean square over all landmarks, on every outline its own waves; one outline is a circle.
#[test]
fn outlines_are_circles_of_their_own() {
    let (points, d) = (7, 2);
    let noise = |n: usize| (0..n).map(|i| ((i * 61) % 97) as f64 - 48.0).collect::<Vec<f64>>();
    let circle = Basis::new(Domain::Circle { samples: points }, d);
    let (one, several) = (Basis::of_outlines(1, points, d), Basis::of_outlines(3, points, d));
    let values = noise(points * d);
    assert_eq!(one.analyse(&values), circle.analyse(&values));
    assert_eq!(one.synthesize(&values), circle.synthesize(&values));
    assert_eq!(one.variances(&values), circle.variances(&values));
    let values = noise(3 * points * d);
    assert_eq!((several.points(), several.len()), (3 * points, values.len()));
    let found = several.analyse(&values);
    let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    approx::assert_relative_eq!(
        square(&found),
        square(&values) / several.points() as f64,
        max_relative = 1e-12
    );
    several
        .synthesize(&found)
        .iter()
        .zip(&values)
        .for_each(|(x, y)| approx::assert_abs_diff_eq!(x, y, epsilon = 1e-10));
    let mut on_one = vec![0.0; values.len()];
    on_one[points * d..2 * points * d].copy_from_slice(&values[..points * d]);
    let alone: Vec<f64> = several.analyse(&on_one).into_iter().filter(|x| x.abs() > 1e-12).collect();
    assert_eq!(alone.len(), points * d);
    // As the sum over the coefficients' functions.
    let variances: Vec<f64> = (0..values.len()).map(|i| 1.0 / (1 + i) as f64).collect();
    let mut sums = vec![0.0; values.len()];
    for (i, variance) in variances.iter().enumerate() {
        let mut unit = vec![0.0; values.len()];
        unit[i] = 1.0;
        sums.iter_mut().zip(several.synthesize(&unit)).for_each(|(sum, x)| *sum += variance * x * x);
    }
    several
        .variances(&variances)
        .iter()
        .zip(sums)
        .for_each(|(x, y)| approx::assert_abs_diff_eq!(*x, y, epsilon = 1e-10));
}
