//! The nearest neighbours of every point of a cloud.

use super::Point;
use super::grid::{CELLS, Grid};
use crate::numeric::search::SearchTree3;
use std::num::NonZero;

/// For every point its nearest other points, nearest first.
#[derive(Debug, Clone)]
pub(crate) struct Neighbours {
    k: usize,
    flat: Vec<u32>,
}

/// Points to a cell of the grid, as a share of the neighbours wanted: then the cells about a point's own hold them nearly always.
const SHARE: f64 = 0.45;

/// Where the cells about a point's own hold more than this many times the neighbours wanted, a tree is faster.
const CROWD: usize = 16;

/// A part by which a sum of two distances, squared, may be off.
const ROUNDING: f64 = 1e-9;

/// More than the neighbours a point may be told, times [`CROWD`].
const PLACES: u64 = 1 << 12;

/// A square and a place among [`PLACES`] in a number that sorts as the square does: it is cut by a part in 10¹², less than coordinates are exact.
fn word(square: f64, place: u64) -> u64 {
    square.to_bits() & !(PLACES - 1) | place
}

impl Neighbours {
    /// The `min(k, n − 1)` nearest of each of `n` distinct, finite points.
    ///
    /// A cell of a grid and those about it are searched together for all points of the cell; a point that may have nearer neighbours beyond is
    /// looked up in a tree, as are those of crowded cells: clouds may be of uneven density.
    pub fn new(points: &[Point], k: usize) -> Option<Self> {
        let k = k.min(points.len().saturating_sub(1));
        let mut flat = vec![0; k * points.len()];
        let wanted = (points.len() as f64 / (SHARE * k as f64).max(1.0)).ceil() as usize;
        let grid = Grid::with_cells(points, wanted.max(1));
        let sorted = grid.sorted(points);
        let (mut near, mut found, mut left) = (Vec::new(), Vec::new(), Vec::new());
        for cell in sorted.chunk_by(|a, b| a.0 == b.0) {
            let mut last = None;
            around(&sorted, grid.cell(&points[cell[0].1 as usize]), &mut near);
            for &(_, i) in cell {
                let p = &points[i as usize];
                // All points nearer than this are in the cells searched.
                let reach = grid.size() + grid.depth(p);
                if near.len() <= k || near.len() > (CROWD * k.max(1)).min(PLACES as usize) {
                    left.push(i);
                    continue;
                }
                // The neighbours of the point before, all but this one, and that point itself are so near.
                let most = last.map_or(f64::INFINITY, |(q, far): (&Point, f64)| {
                    ((p - q).norm() + far).powi(2) * (1.0 + ROUNDING)
                });
                found.resize(near.len(), 0);
                let mut count = 0;
                for (&j, at) in near.iter().zip(0..) {
                    let square = (points[j as usize] - p).norm_squared();
                    // Without a branch, which would go wrong half of the time.
                    found[count] = word(square, at);
                    count += usize::from(square <= most && j != i);
                }
                found.truncate(count);
                if k < found.len() && k > 0 {
                    found.select_nth_unstable(k - 1);
                    found.truncate(k);
                }
                found.sort_unstable();
                let far = found.last().map_or(f64::INFINITY, |&farthest| f64::from_bits(farthest).sqrt());
                // Fewer only where squares are too small for numbers.
                if found.len() >= k && far < reach {
                    last = Some((p, far));
                    let own = &mut flat[i as usize * k..(i as usize + 1) * k];
                    own.iter_mut().zip(&found).for_each(|(o, f)| *o = near[(f % PLACES) as usize]);
                } else {
                    left.push(i);
                }
            }
        }
        Self { k, flat }.completed(points, &left)
    }

    /// With those of these points looked up in a tree.
    fn completed(mut self, points: &[Point], left: &[u32]) -> Option<Self> {
        if left.is_empty() && !points.is_empty() {
            return Some(self);
        }
        let places: Vec<[f64; 3]> = points.iter().map(|p| [p.x, p.y, p.z]).collect();
        let tree = SearchTree3::new(&places)?;
        let wanted = NonZero::new(self.k + 1)?;
        for &i in left {
            let own = &mut self.flat[i as usize * self.k..(i as usize + 1) * self.k];
            let found = tree.nearest_n(&places[i as usize], wanted);
            let others = found.into_iter().filter(|&j| j != i).chain(std::iter::repeat(i));
            own.iter_mut().zip(others).for_each(|(o, j)| *o = j);
        }
        Some(self)
    }

    /// The neighbours of point `i`.
    pub fn of(&self, i: usize) -> &[u32] {
        &self.flat[i * self.k..(i + 1) * self.k]
    }
}

/// The points in a cell and those about it, of points sorted by cell.
fn around(sorted: &[(u64, u32)], [x, y, z]: [u64; 3], near: &mut Vec<u32>) {
    near.clear();
    let [x, y, z] = [x, y, z].map(|k| k.saturating_sub(1)..=(k + 1).min(CELLS - 1));
    for x in x {
        for y in y.clone() {
            // Cells along z follow one another.
            let row = x << 42 | y << 21;
            let (first, last) = (row | z.start(), row | z.end());
            let from = sorted.partition_point(|&(number, _)| number < first);
            near.extend(sorted[from..].iter().take_while(|&&(number, _)| number <= last).map(|&(_, i)| i));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// The nearest by looking at all.
    fn nearest(points: &[Point], i: usize, k: usize) -> Vec<f64> {
        let mut all: Vec<f64> =
            (0..points.len()).filter(|&j| j != i).map(|j| (points[j] - points[i]).norm()).collect();
        all.sort_by(f64::total_cmp);
        all.truncate(k);
        all
    }

    /// Even and uneven surfaces, a line, a ball, points far beyond the others, few points.
    #[test]
    fn neighbours_are_the_nearest() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
        let mut cloud = |n: usize, shape: fn([f64; 3]) -> [f64; 3]| -> Vec<Point> {
            (0..n).map(|_| Point::from(shape([0; 3].map(|_| rng.random::<f64>())))).collect()
        };
        let mut clouds = vec![
            cloud(1500, |[x, y, _]| [x, y, 0.1 * (9.0 * x).sin()]),
            cloud(1500, |[x, y, _]| [x.powi(6), y.powi(6), 0.0]),
            cloud(800, |[x, _, _]| [x, 2.0 * x, -x]),
            cloud(800, |p| p),
            cloud(21, |p| p),
            cloud(2, |p| p),
            cloud(1, |p| p),
        ];
        let mut stray = clouds[0].clone();
        stray.extend([Point::new(1e6, 0.0, 0.0), Point::new(0.0, -1e6, 3.0)]);
        clouds.push(stray);
        for points in &clouds {
            let found = Neighbours::new(points, 20).unwrap();
            assert!((0..points.len()).all(|i| found.of(i).len() == 20.min(points.len() - 1)));
            for i in 0..points.len() {
                let got: Vec<f64> =
                    found.of(i).iter().map(|&j| (points[j as usize] - points[i]).norm()).collect();
                assert_eq!(got, nearest(points, i, 20), "point {i} of {}", points.len());
            }
        }
    }
}
