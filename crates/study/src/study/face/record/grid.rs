//! Coordinates stored with too few digits lie on a grid: single precision far from the origin, metres with three decimals.

use crate::mesh::Point;

/// The root of the mean squared distance of a face's points from their mean, in mm: what lengths are told against, whatever the unit.
pub(super) const FACE: f64 = 65.0;
/// Wider grids hide a face, in mm: at 8 mm the registration is 4 mm off on average, at 2 mm .8 mm.
const WIDEST: f64 = 4.0;
/// Narrower ones are not worth a word: scanners are no better.
const NOTED: f64 = 0.5;
/// Points looked at: even so few of a face come nearer to one another, along every axis, than a thousandth of [`NOTED`].
const SAMPLE: usize = 4096;

/// What is to be told of the grid that the points lie on, if there is one; `size` of the face in the scan's unit, measured as [`FACE`] is.
///
/// # Errors
/// Why these coordinates will not do.
pub(super) fn told(points: &[Point], size: f64) -> Result<Option<String>, String> {
    let width = width(points) / size * FACE;
    if width > WIDEST {
        return Err(format!(
            "the coordinates lie on a grid of {width:.1} mm, too coarse for a face: they were stored with too few digits (single precision far from \
             the origin?); export them nearer to it, or with more digits"
        ));
    }
    Ok((width >= NOTED).then(|| format!("coordinates lie on a grid of {width:.1} mm")))
}

/// The least distance between two different coordinates along an axis, of the axis where that is least.
fn width(points: &[Point]) -> f64 {
    let step = points.len().div_ceil(SAMPLE).max(1);
    let least = |axis: usize| {
        let mut along: Vec<f64> = points.iter().step_by(step).map(|p| p[axis]).collect();
        along.sort_unstable_by(f64::total_cmp);
        along.windows(2).map(|w| w[1] - w[0]).filter(|gap| *gap > 0.0).fold(f64::INFINITY, f64::min)
    };
    let width = (0..3).map(least).fold(f64::INFINITY, f64::min);
    if width.is_finite() { width } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::builtin_template;

    #[test]
    fn grids_are_told_and_those_that_hide_a_face_refused() {
        let face = builtin_template();
        let on = |width: f64, scale: f64| {
            let onto = |x: f64| (x / width).round() * width * scale;
            let points: Vec<Point> = face.vertices().iter().map(|p| p.map(onto)).collect();
            told(&points, scale * FACE)
        };
        for scale in [1.0, 1e-3] {
            assert_eq!(
                told(&face.vertices().iter().map(|p| p * scale).collect::<Vec<_>>(), scale * FACE),
                Ok(None)
            );
            assert_eq!(on(0.1, scale), Ok(None));
            assert_eq!(on(2.0, scale), Ok(Some("coordinates lie on a grid of 2.0 mm".into())));
            assert!(on(8.0, scale).unwrap_err().contains("grid of 8.0 mm, too coarse"));
        }
        // A range image has a grid along two axes only.
        let image: Vec<Point> =
            face.vertices().iter().map(|p| Point::new(p.x.round(), p.y.round(), p.z)).collect();
        assert_eq!(told(&image, FACE), Ok(None));
        assert_eq!(told(&[Point::origin(); 3], FACE), Ok(None));
    }
}
