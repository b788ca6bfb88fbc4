//! Pairs of records that are near, without comparing all with all: every record is compared with a few of them, the pivots, and by these distances
//! only with those that may be near.

use std::borrow::Cow;
use std::collections::HashMap;
use visard_base::parallel;

/// Records that every record is compared with.
const PIVOTS: usize = 12;
/// This many neighbours of a record are looked for.
const MOST: usize = 8;
/// Distances are computed to some thirteen digits.
const ROUNDING: f64 = 1e-13;

/// A record by its distances from the pivots, or what follows from them: nearby records have nearby marks.
type Marks = [f64; PIVOTS];

/// What the distances from the pivots tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// By the triangle inequality: two records within r of one another differ by at most r in each distance.
    Any,
    /// Straight-line distance of vectors. The distances tell the coordinates in the space that the pivots span, and two records within r are
    /// within r there: a much closer bound, since a few directions hold most of what people differ in.
    Euclidean,
}

/// All pairs of records nearer than `within`, a few for each record: `record(i)` for i < n, none for one that cannot be compared; `apart` tells
/// which pairs count. `dist` is a metric. Time: n distances for each pivot, and what stands in the same or the next cells of a grid of as wide
/// cells, in the five marks that vary most, and whose other marks do not tell them apart.
pub fn near<'a, R: Clone + Sync + Send + 'a>(
    n: usize,
    within: f64,
    metric: Metric,
    record: impl Fn(usize) -> Option<Cow<'a, R>> + Sync,
    dist: impl Fn(&R, &R) -> f64 + Sync,
    apart: impl Fn(usize, usize) -> bool + Sync,
) -> Vec<(usize, usize)> {
    let first = |p: usize| (p * n / PIVOTS..(p + 1) * n / PIVOTS).find_map(&record);
    let pivots: Vec<Cow<'_, R>> = (0..PIVOTS).filter_map(first).collect();
    let span = (metric == Metric::Euclidean).then(|| Span::of(&pivots, &dist));
    let marked = |i: usize| {
        let record = record(i)?;
        let mut from = [0.0; PIVOTS];
        from.iter_mut().zip(&pivots).for_each(|(d, pivot)| *d = dist(pivot, &record));
        let marks = span.as_ref().map_or(from, |span| span.coordinates(&from));
        marks.iter().all(|x| x.is_finite()).then_some((marks, i))
    };
    let marked: Vec<(Marks, usize)> = parallel::flat_map(n, marked);
    let reach = within * (1.0 + 1e-6) + ROUNDING;
    let may_be_near = |a: &Marks, b: &Marks| match metric {
        Metric::Any => a.iter().zip(b).all(|(a, b)| (a - b).abs() <= reach),
        Metric::Euclidean => a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>() <= reach * reach,
    };
    let grid = Grid::of(&marked, reach);
    let of = |at: usize| {
        let (marks, i) = &marked[at];
        let mut own = None;
        let mut is_near = |j: usize| {
            let own = own.get_or_insert_with(|| record(*i));
            own.as_ref().zip(record(j)).is_some_and(|(a, b)| dist(a, &b) <= within)
        };
        let found = grid.after(at, marks).filter_map(|(other, others)| {
            let j = may_be_near(marks, others).then(|| marked[*other].1)?;
            (apart(*i, j) && is_near(j)).then_some((j.min(*i), j.max(*i)))
        });
        found.take(MOST).collect::<Vec<_>>()
    };
    let mut pairs: Vec<(usize, usize)> = parallel::flat_map(marked.len(), of);
    pairs.sort_unstable();
    // Two may meet twice in the last cells of the grid.
    pairs.dedup();
    pairs
}

/// Orthonormal coordinates in the space that the pivots span, from the distances from them: with the first pivot as the origin,
/// 2⟨x, p⟩ = |x|² + |p|² − |x − p|², and the Cholesky factor of the pivots' inner products does the rest.
struct Span {
    /// Squared distances of the pivots from the first.
    squares: Vec<f64>,
    /// Rows of the factor: of a pivot that lies in the span of those before, to rounding, none.
    factor: Vec<Option<Vec<f64>>>,
}

impl Span {
    fn of<R: Clone>(pivots: &[Cow<'_, R>], dist: &impl Fn(&R, &R) -> f64) -> Self {
        let square = |i: usize, j: usize| dist(&pivots[i], &pivots[j]).powi(2);
        let squares: Vec<f64> = (0..pivots.len()).map(|i| square(0, i)).collect();
        let largest = squares.iter().fold(0.0f64, |m, x| m.max(*x));
        let mut span = Self { squares, factor: Vec::new() };
        for i in 0..pivots.len() {
            let products: Vec<f64> =
                (0..=i).map(|j| (span.squares[i] + span.squares[j] - square(i, j)) / 2.0).collect();
            let mut row = span.solved(&products[..i]);
            let left = products[i] - row.iter().map(|x| x * x).sum::<f64>();
            row.push(left.max(0.0).sqrt());
            // Less would be blown up to errors of the size that is looked for.
            span.factor.push((left > 1e-4 * largest).then_some(row));
        }
        span
    }

    /// Coordinates by inner products with the pivots; 0 where there is no such direction.
    fn solved(&self, products: &[f64]) -> Vec<f64> {
        let mut found: Vec<f64> = Vec::with_capacity(products.len() + 1);
        for (product, row) in products.iter().zip(&self.factor) {
            found.push(row.as_ref().map_or(0.0, |row| {
                let before: f64 = found.iter().zip(row).map(|(x, l)| x * l).sum();
                (product - before) / row[found.len()]
            }));
        }
        found
    }

    fn coordinates(&self, from: &Marks) -> Marks {
        let own = from[0].powi(2);
        let products: Vec<f64> =
            self.squares.iter().zip(from).map(|(square, d)| (own + square - d * d) / 2.0).collect();
        let mut marks = [0.0; PIVOTS];
        marks.iter_mut().zip(self.solved(&products)).for_each(|(mark, x)| *mark = x);
        marks
    }
}

/// Marks that the grid is made of: with fewer, what stands in the cells about a record is too much, with more, there are too many such cells.
const AXES: usize = 5;
/// A cell and those about it.
const ABOUT: usize = 3usize.pow(AXES as u32);

/// Records by the cell of their most varied marks.
struct Grid {
    axes: [usize; AXES],
    width: f64,
    /// The place of each record and its marks, which are read one after the other.
    cells: HashMap<[i64; AXES], Vec<(usize, Marks)>>,
}

impl Grid {
    fn of(marked: &[(Marks, usize)], width: f64) -> Self {
        let spread = |k: usize| {
            let mean = marked.iter().map(|(marks, _)| marks[k]).sum::<f64>() / marked.len() as f64;
            marked.iter().map(|(marks, _)| (marks[k] - mean).powi(2)).sum::<f64>()
        };
        let mut order: Vec<(f64, usize)> = (0..PIVOTS).map(|k| (spread(k), k)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut grid = Self { axes: std::array::from_fn(|k| order[k].1), width, cells: HashMap::new() };
        for (at, (marks, _)) in marked.iter().enumerate() {
            grid.cells.entry(grid.cell(marks)).or_default().push((at, *marks));
        }
        grid
    }

    fn cell(&self, marks: &Marks) -> [i64; AXES] {
        self.axes.map(|k| (marks[k] / self.width).floor() as i64)
    }

    /// What stands after the record at this place in its own cell, and in those about it that come after its own: each two records in such cells
    /// meet once.
    fn after(&self, at: usize, marks: &Marks) -> impl Iterator<Item = &(usize, Marks)> {
        let own = self.cell(marks);
        let step = |cell: usize, k: usize| (cell / 3usize.pow(k as u32) % 3) as i64 - 1;
        let about =
            move |c: usize| -> [i64; AXES] { std::array::from_fn(|k| own[k].saturating_add(step(c, k))) };
        let later = self.cells.get(&own).map(|all| &all[all.partition_point(|(other, _)| *other <= at)..]);
        let others =
            (ABOUT / 2 + 1..ABOUT).filter_map(move |c| self.cells.get(&about(c))).map(|all| &all[..]);
        later.into_iter().chain(others).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    fn points(n: usize) -> Vec<[f64; 3]> {
        let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(5);
        (0..n).map(|_| [rng.random(), rng.random(), rng.random()]).collect()
    }

    fn dist(a: &[f64; 3], b: &[f64; 3]) -> f64 {
        a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
    }

    /// The same pairs as by comparing all with all.
    #[test]
    fn neighbours_are_those_of_every_pair() {
        [Metric::Any, Metric::Euclidean].into_iter().for_each(neighbours_by);
    }

    fn neighbours_by(metric: Metric) {
        let points = points(600);
        let mut expected = Vec::new();
        for j in 0..600 {
            expected.extend((0..j).filter(|&i| dist(&points[i], &points[j]) <= 0.03).map(|i| (i, j)));
        }
        expected.sort_unstable();
        let record = |i: usize| Some(Cow::Borrowed(&points[i]));
        assert!(expected.len() > 5);
        assert_eq!(near(600, 0.03, metric, record, dist, |_, _| true), expected);
        assert!(near(600, 0.03, metric, record, dist, |_, _| false).is_empty());
        let gone = |i: usize| Some(Cow::Borrowed(&points[i])).filter(|_| i > 3);
        assert_eq!(
            near(600, 0.03, metric, gone, dist, |_, _| true),
            expected.into_iter().filter(|(i, _)| *i > 3).collect::<Vec<_>>()
        );
        assert!(near(0, 1.0, metric, record, dist, |_, _| true).is_empty());
        // All alike: no more than a few for each.
        let same = |_| Some(Cow::Borrowed(&points[0]));
        assert!(near(5000, 0.03, metric, same, dist, |_, _| true).len() <= MOST * 5000);
    }
}
