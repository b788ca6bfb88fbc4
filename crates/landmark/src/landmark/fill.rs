//! Missing landmarks of one configuration, estimated from a template.

use super::procrustes::corresponding;
use super::{Configuration, LandmarkError, ThinPlate};

/// Which landmarks have no place: those with a coordinate that is NaN.
pub fn is_missing(x: &Configuration) -> Vec<bool> {
    x.row_iter().map(|row| row.iter().any(|c| c.is_nan())).collect()
}

/// The configuration with missing landmarks where the thin-plate spline puts them that takes the template's other landmarks to the
/// configuration's (Gunz et al. 2009; geomorph's `estimate.missing(method = "TPS")`). The template needs no alignment, and is public or
/// noised already: then this is part of the record.
///
/// # Errors
/// [`LandmarkError`]: configurations that do not correspond, or too few landmarks left, or those on one line or plane.
pub fn fill(x: &Configuration, template: &Configuration) -> Result<Configuration, LandmarkError> {
    corresponding(x, template)?;
    let missing = is_missing(x);
    if !missing.contains(&true) {
        return Ok(x.clone());
    }
    let of = |wanted: bool| (0..missing.len()).filter(|i| missing[*i] == wanted).collect::<Vec<_>>();
    let (there, lost) = (of(false), of(true));
    let spline = ThinPlate::new(&template.select_rows(&there), &x.select_rows(&there))?;
    let found = spline.map(&template.select_rows(&lost));
    let mut filled = x.clone();
    lost.iter().zip(found.row_iter()).for_each(|(i, row)| filled.set_row(*i, &row));
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_affine_image_of_the_template_is_filled_exactly() {
        for d in [2, 3] {
            let template =
                Configuration::from_fn(9, d, |i, j| ((5 * i + 3 * j) as f64).sin() + 0.1 * (i * j) as f64);
            let a = Configuration::from_fn(d, d, |i, j| if i == j { 40.0 } else { 9.0 - 5.0 * i as f64 });
            let truth = (&template * a).add_scalar(300.0);
            let mut x = truth.clone();
            x.row_mut(2).fill(f64::NAN);
            x[(7, 0)] = f64::NAN;
            let filled = fill(&x, &template).unwrap();
            assert!((&filled - &truth).amax() < 1e-9, "{d}");
            assert_eq!(filled.row(0), truth.row(0));
        }
    }

    #[test]
    fn too_few_landmarks_cannot_be_filled() {
        let template = Configuration::from_fn(5, 2, |i, j| ((5 * i + 3 * j) as f64).sin());
        let mut x = template.clone();
        (0..3).for_each(|i| x.row_mut(i).fill(f64::NAN));
        assert!(matches!(fill(&x, &template), Err(LandmarkError::Degenerate { found: 2, needed: 3 })));
        assert_eq!(fill(&template, &template).unwrap(), template);
    }
}
