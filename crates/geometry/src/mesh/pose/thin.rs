//! Evening out the density of a cloud.

use super::super::grid::Grid;
use super::super::{Point, Vector};
use std::cmp::Ordering;

/// One point, the mean, for each occupied cell of a cubic grid whose cell size makes them about `wanted`; of a cloud
/// of fewer points each place once. The order does not depend on that of the input.
#[doc(hidden)]
pub fn thin(points: &[Point], wanted: usize) -> Vec<Point> {
    if points.len() <= wanted {
        let mut out = points.to_vec();
        let key = |p: &Point| [p.x, p.y, p.z];
        out.sort_by(|a, b| {
            key(a)
                .iter()
                .zip(key(b))
                .map(|(x, y)| x.total_cmp(&y))
                .find(|o| o.is_ne())
                .unwrap_or(Ordering::Equal)
        });
        out.dedup();
        return out;
    }
    let keyed = Grid::with_cells(points, wanted).sorted(points);
    let mut out = Vec::with_capacity(wanted * 5 / 4);
    for cell in keyed.chunk_by(|a, b| a.0 == b.0) {
        let sum: Vector = cell.iter().map(|&(_, i)| points[i as usize].coords).sum();
        out.push(Point::from(sum / cell.len() as f64));
    }
    out
}

/// The numbers, rising, of at most `most` points that stand for all: of every occupied cell of a cubic grid the one nearest to the mean
/// of those in it. All of them where there are no more.
#[doc(hidden)]
pub fn thinned_to(points: &[Point], most: usize) -> Vec<usize> {
    if points.len() <= most {
        return (0..points.len()).collect();
    }
    let keyed = Grid::with_at_most(points, most).sorted(points);
    let mut out: Vec<usize> =
        keyed.chunk_by(|a, b| a.0 == b.0).map(|cell| nearest_to_mean(points, cell)).collect();
    out.sort_unstable();
    out.truncate(most);
    out
}

fn nearest_to_mean(points: &[Point], cell: &[(u64, u32)]) -> usize {
    let mean = cell.iter().map(|&(_, i)| points[i as usize].coords).sum::<Vector>() / cell.len() as f64;
    let distance = |i: u32| (points[i as usize].coords - mean).norm_squared();
    let nearest = cell.iter().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
    nearest.map_or(0, |&(_, i)| i as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn thinned_clouds_keep_points_of_theirs_evenly() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let mut points: Vec<Point> =
            (0..50_000).map(|_| Point::new(rng.random::<f64>(), rng.random::<f64>().powi(3), 0.0)).collect();
        for far in [false, true] {
            if far {
                points.push(Point::new(1e3, 0.0, 0.0));
            }
            let kept = thinned_to(&points, 10_000);
            assert!((4_000..=10_000).contains(&kept.len()), "{}", kept.len());
            assert!(kept.windows(2).all(|w| w[0] < w[1]));
        }
        assert_eq!(thinned_to(&points[..7], 10), (0..7).collect::<Vec<_>>());
        assert_eq!(thinned_to(&[Point::origin(); 9], 3).len(), 1);
        assert!(
            thinned_to(&[Point::new(1e300, 0.0, 0.0), Point::new(-1e300, 0.0, 0.0), Point::origin()], 2)
                .len()
                <= 2
        );
    }
}
