//! Whether two registered faces are one scan's: they are compared by their heights over the template alone.

use crate::function::{FaceCurves, Relief};
use crate::job::copies::{Copies, Kind};
use std::borrow::Cow;

/// Which of n faces of the form of the template's are copies of one another.
pub fn copies<'c>(
    template: &FaceCurves,
    n: usize,
    face: impl Fn(usize) -> Option<Cow<'c, FaceCurves>> + Sync,
    apart: impl Fn(usize, usize) -> bool + Sync,
) -> Copies {
    let relief = Relief::over(template);
    let record = |i: usize| face(i).map(|face| Cow::Owned(relief.heights(&face)));
    let dist = |a: &Vec<f64>, b: &Vec<f64>| Relief::difference(a, b);
    let measure = |i: usize, j: usize| face(i).zip(face(j)).map_or(f64::INFINITY, |(a, b)| distance(&a, &b));
    Copies::among(Kind::Faces, template.data().len(), n, record, dist, measure, apart)
}

/// How far two faces lie apart along the normals of the first: see [`Kind::Faces`].
fn distance(a: &FaceCurves, b: &FaceCurves) -> f64 {
    Relief::over(a).distance(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bump of J circles, moved by `change` at each point.
    fn bump(change: impl Fn(f64, f64) -> [f64; 3]) -> FaceCurves {
        let mut data = Vec::new();
        for j in 1..=8 {
            for l in 0..24 {
                let (r, t) = (0.06 * f64::from(j), std::f64::consts::TAU * f64::from(l) / 24.0);
                let [dx, dy, dz] = change(r, t);
                let (x, y) = (r * t.cos() + dx, 1.2 * r * t.sin() + dy);
                data.extend([x, y, -1.5 * x * x - y * y + 0.3 * x * y * y + dz]);
            }
        }
        FaceCurves::new(8, 24, data).unwrap()
    }

    #[test]
    fn sliding_is_no_distance_and_height_is() {
        let own = bump(|_, _| [0.0; 3]);
        assert_eq!(distance(&own, &own), 0.0);
        // By 2e-3 along the surface, as much as registration slides copies; turned and scaled a little.
        let slid = bump(|r, t| [2e-3 * (3.0 * t).sin() * r, 2e-3 * (2.0 * t).cos() * r, 0.0]);
        let data = slid
            .data()
            .chunks(3)
            .flat_map(|p| [1.001 * p[0] - 1e-3 * p[1], 1e-3 * p[0] + 1.001 * p[1], 1.001 * p[2]]);
        let moved = FaceCurves::new(8, 24, data.collect()).unwrap();
        assert!(distance(&own, &moved) < Kind::Faces.within(), "{}", distance(&own, &moved));
        let other = bump(|r, t| [0.0, 0.0, 2e-3 * (3.0 * t).sin() * r]);
        assert!(distance(&own, &other) > Kind::Faces.within(), "{}", distance(&own, &other));
        let faces = [&own, &other, &moved];
        let found = copies(&own, 3, |i| Some(Cow::Borrowed(faces[i])), |i, j| i != j);
        assert_eq!(found.found, [(0, 2)]);
    }
}
