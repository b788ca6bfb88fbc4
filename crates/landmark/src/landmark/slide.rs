//! Semilandmarks: points of curves, slid along their tangents to where they bend a template least.

use super::procrustes::corresponding;
use super::{Configuration, LandmarkError, bending_matrix};
use nalgebra::DMatrix;
use std::collections::HashSet;
use std::ops::Range;

/// A point that slides along the line through its neighbours on a curve. Landmarks are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slider {
    /// The point before it.
    pub before: usize,
    /// The point that slides.
    pub slides: usize,
    /// The point after it.
    pub after: usize,
}

/// Sliders along curves whose points stand one after the other: all of a curve's points but its two ends.
pub fn sliders_along(curves: &[Range<usize>]) -> Vec<Slider> {
    let inner = |curve: &Range<usize>| {
        let (first, last) = (curve.start + 1, curve.end.saturating_sub(1));
        (first..last).map(|i| Slider { before: i - 1, slides: i, after: i + 1 })
    };
    curves.iter().flat_map(inner).collect()
}

/// Refuses sliders of points that do not exist, and points that slide twice.
fn check(sliders: &[Slider], landmarks: usize) -> Result<(), LandmarkError> {
    let mut seen = HashSet::new();
    for Slider { before, slides, after } in sliders {
        if let Some(beyond) = [before, slides, after].into_iter().find(|i| **i >= landmarks) {
            return Err(LandmarkError::NoSuchLandmark { landmark: beyond + 1, landmarks });
        }
        if !seen.insert(slides) {
            return Err(LandmarkError::Twice(slides + 1));
        }
    }
    Ok(())
}

/// The configuration with its semilandmarks slid along the lines through their neighbours so that the thin-plate spline from the template
/// bends least: Y + Ut, t = −(UᵀBU)⁻¹UᵀB vec(Y) with U the unit tangents and B the template's bending energy matrix for each coordinate
/// (Bookstein 1997; Gunz, Mitteroecker & Bookstein 2005). Done `rounds` times, since tangents change as points move. Neither needs to be
/// aligned with the other. The template is public or noised already: then this is part of the record.
///
/// # Errors
/// [`LandmarkError`]: configurations that do not correspond, missing landmarks, sliders of points that do not exist or that slide twice, a
/// degenerate template, or so many sliders that nothing holds them.
pub fn slide(
    x: &Configuration,
    template: &Configuration,
    sliders: &[Slider],
    rounds: usize,
) -> Result<Configuration, LandmarkError> {
    corresponding(x, template)?;
    check(sliders, x.nrows())?;
    if x.iter().any(|c| !c.is_finite()) {
        return Err(LandmarkError::NotFinite);
    }
    if sliders.is_empty() {
        return Ok(x.clone());
    }
    let bending = bending_matrix(template)?;
    (0..rounds).try_fold(x.clone(), |x, _| slide_once(&x, &bending, sliders))
}

/// UᵀBU couples two sliders by the bending of their landmarks times the cosine between their tangents.
fn slide_once(
    x: &Configuration,
    bending: &DMatrix<f64>,
    sliders: &[Slider],
) -> Result<Configuration, LandmarkError> {
    let tangents = tangents(x, sliders)?;
    let forces = bending * x;
    let m = sliders.len();
    let matrix = DMatrix::from_fn(m, m, |i, j| {
        bending[(sliders[i].slides, sliders[j].slides)] * tangents.row(i).dot(&tangents.row(j))
    });
    let force = DMatrix::from_fn(m, 1, |i, _| -forces.row(sliders[i].slides).dot(&tangents.row(i)));
    let held = LandmarkError::Degenerate { found: x.nrows() - m, needed: x.ncols() + 1 };
    let steps = matrix.cholesky().ok_or(held)?.solve(&force);
    let mut slid = x.clone();
    for (i, Slider { slides, .. }) in sliders.iter().enumerate() {
        let moved = slid.row(*slides) + tangents.row(i) * steps[i];
        slid.set_row(*slides, &moved);
    }
    Ok(slid)
}

/// Unit vectors from the point before to the point after each slider, a row for each.
fn tangents(x: &Configuration, sliders: &[Slider]) -> Result<DMatrix<f64>, LandmarkError> {
    let mut tangents = DMatrix::zeros(sliders.len(), x.ncols());
    for (i, Slider { before, after, .. }) in sliders.iter().enumerate() {
        let along = x.row(*after) - x.row(*before);
        let length = along.norm();
        // Neighbours at one place give no direction to slide in.
        if length.is_nan() || length <= 0.0 {
            return Err(LandmarkError::OnePlace);
        }
        tangents.set_row(i, &(along / length));
    }
    Ok(tangents)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two lines of points joined by four corners.
    fn template() -> Configuration {
        Configuration::from_row_slice(
            9,
            2,
            &[0., 0., 4., 0., 4., 3., 0., 3., 1., 0.1, 2., 0.2, 3., 0.1, 1.3, 3.1, 2.6, 3.2],
        )
    }

    fn along_bottom() -> Vec<Slider> {
        let of = |before, slides, after| Slider { before, slides, after };
        vec![of(0, 4, 5), of(4, 5, 6), of(5, 6, 1)]
    }

    fn energy(x: &Configuration) -> f64 {
        (x.transpose() * bending_matrix(&template()).unwrap() * x).trace()
    }

    /// The step is the least squares solution of one linear problem: the energy is least along the tangents, and what does not slide stays.
    #[test]
    fn one_round_finds_the_least_energy_along_the_tangents() {
        let mut x = template();
        (x[(4, 0)], x[(5, 0)], x[(6, 0)], x[(8, 1)]) = (1.4, 2.3, 3.5, 3.6);
        let sliders = along_bottom();
        let slid = slide(&x, &template(), &sliders, 1).unwrap();
        let tangents = tangents(&x, &sliders).unwrap();
        assert!(energy(&slid) < energy(&x));
        for (i, Slider { slides, .. }) in sliders.iter().enumerate() {
            for step in [-1e-3, 1e-3] {
                let mut near = slid.clone();
                let moved = near.row(*slides) + tangents.row(i) * step;
                near.set_row(*slides, &moved);
                assert!(energy(&near) > energy(&slid));
            }
            let moved = slid.row(*slides) - x.row(*slides);
            assert!((moved[0] * tangents[(i, 1)] - moved[1] * tangents[(i, 0)]).abs() < 1e-12);
        }
        for i in [0, 1, 2, 3, 7, 8] {
            assert_eq!(slid.row(i), x.row(i));
        }
    }

    /// Points of a straight edge shifted along it come back to where the template has them, whatever its pose and size.
    #[test]
    fn points_shifted_along_a_straight_edge_come_back() {
        for d in [2, 3] {
            let mut truth =
                Configuration::from_fn(10, d, |i, j| ((4 * i + 7 * j + i * j) as f64).sin() * 2.0);
            // Points 6 to 9 on the edge from 0 to 1.
            for (i, share) in (6..10).zip([0.2, 0.45, 0.6, 0.85]) {
                let on_edge = truth.row(0) * (1.0 - share) + truth.row(1) * share;
                truth.set_row(i, &on_edge);
            }
            let mut x = truth.clone() * 17.0;
            for (i, shift) in (6..10).zip([0.05, -0.08, 0.1, -0.04]) {
                let moved = x.row(i) + (x.row(1) - x.row(0)) * shift;
                x.set_row(i, &moved);
            }
            let of = |before, slides, after| Slider { before, slides, after };
            let sliders = [of(0, 6, 7), of(6, 7, 8), of(7, 8, 9), of(8, 9, 1)];
            let slid = slide(&x, &truth, &sliders, 1).unwrap();
            assert!((slid - &truth * 17.0).amax() < 1e-8, "{d}");
        }
    }

    #[test]
    fn curves_hold_their_ends() {
        let of = |before, slides, after| Slider { before, slides, after };
        assert_eq!(sliders_along(&[3..7, 7..9, 9..10]), [of(3, 4, 5), of(4, 5, 6)]);
    }

    #[test]
    fn sliders_that_cannot_be_are_refused() {
        let x = template();
        let of = |before, slides, after| Slider { before, slides, after };
        let wrong = |sliders: &[Slider]| slide(&x, &x, sliders, 1).unwrap_err();
        assert_eq!(wrong(&[of(0, 9, 1)]), LandmarkError::NoSuchLandmark { landmark: 10, landmarks: 9 });
        assert_eq!(wrong(&[of(0, 4, 1), of(0, 4, 5)]), LandmarkError::Twice(5));
        assert_eq!(wrong(&[of(5, 4, 5)]), LandmarkError::OnePlace);
        let all: Vec<Slider> = (0..9).map(|i| of((i + 8) % 9, i, (i + 1) % 9)).collect();
        assert!(
            slide(&x, &x, &all, 1).is_err() || slide(&x, &x, &all, 1).unwrap().iter().all(|c| c.is_finite())
        );
    }
}
