//! Evening out the density of a cloud.

use super::super::{Point, Vector};
use std::cmp::Ordering;

/// One point, the mean, for each occupied cell of a cubic grid whose cell size makes them about `wanted`; of a cloud
/// of fewer points each place once. The order does not depend on that of the input.
pub(crate) fn thin(points: &[Point], wanted: usize) -> Vec<Point> {
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
    let lowest = points.iter().fold(Vector::repeat(f64::INFINITY), |low, p| low.inf(&p.coords));
    let highest = points.iter().fold(Vector::repeat(f64::NEG_INFINITY), |high, p| high.sup(&p.coords));
    // The count of occupied cells of a surface falls with the square of their size.
    let mut size = (highest - lowest).norm() / (wanted as f64).sqrt();
    for _ in 0..3 {
        let n = count_cells(points, lowest, size);
        size *= (n as f64 / wanted as f64).sqrt();
    }
    let mut keyed = keys(points, lowest, size);
    keyed.sort_unstable();
    let mut out = Vec::with_capacity(wanted * 5 / 4);
    for cell in keyed.chunk_by(|a, b| a.0 == b.0) {
        let sum: Vector = cell.iter().map(|&(_, i)| points[i as usize].coords).sum();
        out.push(Point::from(sum / cell.len() as f64));
    }
    out
}

fn keys(points: &[Point], lowest: Vector, size: f64) -> Vec<(u64, u32)> {
    let cell = |x: f64| ((x / size) as u64).min((1 << 21) - 1);
    points
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let v = p.coords - lowest;
            (cell(v.x) << 42 | cell(v.y) << 21 | cell(v.z), i as u32)
        })
        .collect()
}

fn count_cells(points: &[Point], lowest: Vector, size: f64) -> usize {
    let mut all: Vec<u64> = keys(points, lowest, size).into_iter().map(|(key, _)| key).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

/// The numbers, rising, of at most `most` points that stand for all: of every occupied cell of a cubic grid the one nearest to the mean
/// of those in it. All of them where there are no more.
pub(crate) fn thinned_to(points: &[Point], most: usize) -> Vec<usize> {
    if points.len() <= most {
        return (0..points.len()).collect();
    }
    let lowest = points.iter().fold(Vector::repeat(f64::INFINITY), |low, p| low.inf(&p.coords));
    let highest = points.iter().fold(Vector::repeat(f64::NEG_INFINITY), |high, p| high.sup(&p.coords));
    let mut size = (highest - lowest).norm() / (most as f64).sqrt();
    // As fine as may be: first halved while there is room, then coarser by ever more until it fits.
    for _ in 0..24 {
        let n = count_cells(points, lowest, size);
        if n > most / 2 {
            break;
        }
        size *= 0.5_f64.max((n as f64 / most as f64).sqrt());
    }
    while size > 0.0 && count_cells(points, lowest, size) > most {
        size *= 1.1;
    }
    let mut keyed = keys(points, lowest, size);
    keyed.sort_unstable();
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
