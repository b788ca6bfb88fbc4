//! Closing a hole with triangles on its rim vertices only.

use super::{Point, Vector};

/// Longer rims are not filled: the table grows with the square of the length, the time with its cube.
pub(crate) const LONGEST_RIM: usize = 400;

/// The triangulation of a closed rim of least weight, by dynamic programming over its chords (Barequet and
/// Sharir 1995, as used by Liepa 2003).
///
/// The weight of a triangle is its area plus 0.05 Σ edge², which among triangulations of equal area prefers
/// short edges, and eleven times that where it turns away from the normals at its corners. `rim` runs with the
/// new surface on its left; `normals` belong to the rim positions; a chord for which `is_edge` holds is not
/// used, for it would get a third side. `None` when the rim is too long or every triangulation needs such a
/// chord.
pub(crate) fn fill_rim(
    places: &[Point],
    rim: &[usize],
    normals: &[Vector],
    is_edge: &dyn Fn(usize, usize) -> bool,
) -> Option<Vec<[usize; 3]>> {
    let n = rim.len();
    if !(3..=LONGEST_RIM).contains(&n) {
        return None;
    }
    let at = |i: usize| places[rim[i]];
    let weight = |i: usize, k: usize, j: usize| {
        let (a, b, c) = (at(i), at(k), at(j));
        let area_vector = (b - a).cross(&(c - a));
        let edges = (b - a).norm_squared() + (c - b).norm_squared() + (a - c).norm_squared();
        let weight = 0.5 * area_vector.norm() + 0.05 * edges;
        let turned = area_vector.dot(&(normals[i] + normals[k] + normals[j])) < 0.0;
        if turned { 11.0 * weight } else { weight }
    };
    let allowed = |i: usize, j: usize| {
        j == i + 1 || (i == 0 && j == n - 1) || (rim[i] != rim[j] && !is_edge(rim[i], rim[j]))
    };
    let mut best = vec![0.0; n * n];
    let mut apex = vec![0usize; n * n];
    for span in 2..n {
        for i in 0..n - span {
            let j = i + span;
            let mut least = (f64::INFINITY, i + 1);
            if allowed(i, j) {
                for k in i + 1..j {
                    let below = best[i * n + k] + best[k * n + j];
                    if below < least.0 {
                        let total = below + weight(i, k, j);
                        if total < least.0 {
                            least = (total, k);
                        }
                    }
                }
            }
            best[i * n + j] = least.0;
            apex[i * n + j] = least.1;
        }
    }
    if !best[n - 1].is_finite() {
        return None;
    }
    let mut triangles = Vec::with_capacity(n - 2);
    let mut open = vec![(0, n - 1)];
    while let Some((i, j)) = open.pop() {
        if j - i >= 2 {
            let k = apex[i * n + j];
            triangles.push([rim[i], rim[k], rim[j]]);
            open.extend([(i, k), (k, j)]);
        }
    }
    Some(triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(places: &[Point], triangles: &[[usize; 3]]) -> f64 {
        triangles
            .iter()
            .map(|t| 0.5 * (places[t[1]] - places[t[0]]).cross(&(places[t[2]] - places[t[0]])).z)
            .sum()
    }

    /// A star-shaped, non-convex polygon: only triangulations inside it have unsigned area = shoelace area.
    #[test]
    fn a_star_is_filled_inside_its_rim() {
        let places: Vec<Point> = (0..14)
            .map(|i| {
                let (a, r) = (std::f64::consts::TAU * i as f64 / 14.0, if i % 2 == 0 { 3.0 } else { 1.0 });
                Point::new(r * a.cos(), r * a.sin(), 0.0)
            })
            .collect();
        let rim: Vec<usize> = (0..14).collect();
        let triangles = fill_rim(&places, &rim, &[Vector::z(); 14], &|_, _| false).unwrap();
        assert_eq!(triangles.len(), 12);
        let shoelace: f64 = (0..14)
            .map(|i| {
                let (p, q) = (places[i], places[(i + 1) % 14]);
                0.5 * (p.x * q.y - p.y * q.x)
            })
            .sum();
        approx::assert_relative_eq!(area(&places, &triangles), shoelace, epsilon = 1e-12);
        for t in &triangles {
            assert!(area(&places, &[*t]) > 0.0);
        }
    }

    #[test]
    fn existing_edges_are_avoided_or_the_rim_refused() {
        let places = [[0., 0.], [1., 0.], [1., 1.], [0., 1.2]].map(|[x, y]| Point::new(x, y, 0.0));
        let rim = [0, 1, 2, 3];
        let normals = [Vector::z(); 4];
        let short = fill_rim(&places, &rim, &normals, &|_, _| false).unwrap();
        assert!(short.iter().all(|t| t.contains(&0) && t.contains(&2)));
        let other = fill_rim(&places, &rim, &normals, &|a, b| a + b == 2).unwrap();
        assert!(other.iter().all(|t| t.contains(&1) && t.contains(&3)));
        assert!(fill_rim(&places, &rim, &normals, &|_, _| true).is_none());
    }
}
