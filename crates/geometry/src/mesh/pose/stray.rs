//! Points far from all others.

use super::super::Point;

/// The point farthest from the middle of a cloud (the median of each coordinate), and how many times as far it is as three quarters of
/// the points. `None` for fewer than 100 points, and where three quarters are at one place.
pub(super) fn farthest(points: &[Point]) -> Option<(usize, f64)> {
    if points.len() < 100 {
        return None;
    }
    let median = |axis: usize| {
        let mut all: Vec<f64> = points.iter().map(|p| p[axis]).collect();
        *all.select_nth_unstable_by(points.len() / 2, f64::total_cmp).1
    };
    let middle = Point::from([0, 1, 2].map(median));
    // Coordinates may be as large as doubles are: no squares of them.
    let out = |p: &Point| (p.x - middle.x).abs().max((p.y - middle.y).abs()).max((p.z - middle.z).abs());
    let mut all: Vec<f64> = points.iter().map(out).collect();
    let (point, most) = all.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let most_others = *all.select_nth_unstable_by(points.len() * 3 / 4, f64::total_cmp).1;
    (most_others > 0.0).then(|| (point, most / most_others))
}
