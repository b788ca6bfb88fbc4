//! Whole batches of points as rows of numbers, without a point of its own for each.

pub(super) mod elementary;
mod hyperbolic;
mod means;

mod sphere;
mod vectors;

use super::error::ManifoldError;
use super::space::{Manifold, MeanLog};
use std::borrow::Cow;
use std::ops::Range;
use visard_base::parallel;

pub use means::RowCloud;

/// A row that is no good.
#[derive(Debug)]
pub struct RowError {
    /// In which batch: 0 the first argument, 1 the second.
    pub batch: usize,
    /// Which row of it, from 0.
    pub row: usize,
    /// What is wrong with it.
    pub error: ManifoldError,
}

/// A batch of points or vectors, n × width numbers row by row; one of a single row goes with any other.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    data: &'a [f64],
    width: usize,
    /// The same row every time.
    one: bool,
}

impl<'a> Batch<'a> {
    /// Rows of `width` ≥ 1 numbers. Numbers beyond the last whole row are left out.
    pub fn new(data: &'a [f64], width: usize) -> Self {
        Self { data, width, one: data.len() == width }
    }

    /// How many there are.
    pub fn rows(&self) -> usize {
        self.data.len() / self.width.max(1)
    }

    #[inline(always)]
    fn row(&self, i: usize) -> &'a [f64] {
        let start = if self.one { 0 } else { i * self.width };
        &self.data[start..start + self.width]
    }

    /// Row i, or the only one.
    #[inline(always)]
    pub(super) fn get(&self, i: usize) -> &'a [f64] {
        self.row(i)
    }

    /// Eight rows from `start` on; beyond the last of `rows` that one again.
    #[inline(always)]
    pub(super) fn eight(&self, start: usize, rows: usize) -> [&'a [f64]; elementary::LANES] {
        std::array::from_fn(|l| self.row((start + l).min(rows - 1)))
    }

    /// Whether it is one row that goes with any other batch.
    pub(super) fn is_one(&self) -> bool {
        self.one
    }

    /// These rows, or the only one.
    pub(super) fn part(&self, rows: Range<usize>) -> Self {
        if self.one {
            return *self;
        }
        Self { data: &self.data[rows.start * self.width..rows.end * self.width], ..*self }
    }

    /// How many rows two batches make together, and `None` where they do not go together.
    pub fn together(&self, other: &Self) -> Option<usize> {
        match (self.rows(), other.rows()) {
            (a, b) if a == b => Some(a),
            (1, n) | (n, 1) => Some(n),
            _ => None,
        }
    }
}

/// Multiplications that are one thread's share of a batch: some hundred microseconds.
const SHARE: usize = 1 << 18;

/// Spaces whose points and tangent vectors are rows of numbers, and what is done with whole batches of these.
///
/// The results are those of [`Manifold`] to a few units in the last place (other orders of summation), on any number of threads the same.
/// `…_part` are the operations on one thread, on points that were checked; the others check every point, and share the work out.
pub trait Rows: Clone + Send + Sync {
    /// Numbers in a row.
    fn width(&self) -> usize;

    /// Multiplications in an operation on one row, roughly.
    fn work(&self) -> usize;

    /// The first row that is no point (kinds of configuration that stand for a point are one), and why.
    ///
    /// # Errors
    /// That.
    fn check_part(&self, points: Batch<'_>) -> Result<(), RowError>;

    /// d(p_i, q_i) for all rows of `out`.
    fn dist_part(&self, p: Batch<'_>, q: Batch<'_>, out: &mut [f64]);

    /// exp at p_i of the tangent part of v_i.
    fn exp_part(&self, p: Batch<'_>, v: Batch<'_>, out: &mut [f64]);

    /// log at p_i of q_i.
    ///
    /// # Errors
    /// The first row on the cut locus.
    fn log_part(&self, p: Batch<'_>, q: Batch<'_>, out: &mut [f64]) -> Result<(), RowError>;

    /// Whether all rows are points.
    ///
    /// # Errors
    /// The first that is none.
    fn check_rows(&self, points: Batch<'_>) -> Result<(), RowError> {
        let parts: Vec<_> = self.shares(points.rows());
        let check =
            |rows: Range<usize>| self.check_part(points.part(rows.clone())).map_err(|e| after(rows.start, e));
        first(if parts.len() == 1 {
            parts.into_iter().map(check).collect()
        } else {
            parallel::map_vec(parts, check)
        })
    }

    /// d(p_i, q_i) into `out`, n numbers for n pairs of rows.
    ///
    /// # Errors
    /// The first row that is no point.
    fn dist_rows(&self, p: Batch<'_>, q: Batch<'_>, out: &mut [f64]) -> Result<(), RowError> {
        in_shares(self, out, 1, |rows, out| {
            check_both(self, p, q, &rows)?;
            self.dist_part(p.part(rows.clone()), q.part(rows), out);
            Ok(())
        })
    }

    /// exp at p_i of the tangent part of v_i into `out`, rows of a point's width.
    ///
    /// # Errors
    /// The first row of p that is no point.
    fn exp_rows(&self, p: Batch<'_>, v: Batch<'_>, out: &mut [f64]) -> Result<(), RowError> {
        in_shares(self, out, self.width(), |rows, out| {
            check_one(self, p, 0, &rows)?;
            self.exp_part(p.part(rows.clone()), v.part(rows), out);
            Ok(())
        })
    }

    /// log at p_i of q_i into `out`, rows of a point's width.
    ///
    /// # Errors
    /// The first row that is no point, or on the other's cut locus.
    fn log_rows(&self, p: Batch<'_>, q: Batch<'_>, out: &mut [f64]) -> Result<(), RowError> {
        in_shares(self, out, self.width(), |rows, out| {
            check_both(self, p, q, &rows)?;
            let done = self.log_part(p.part(rows.clone()), q.part(rows.clone()), out);
            done.map_err(|e| after(rows.start, e))
        })
    }

    /// The points as they are computed with, checked: themselves, or what they stand for.
    ///
    /// # Errors
    /// The first row that is no point.
    fn prepare<'a>(&self, points: Batch<'a>) -> Result<Cow<'a, [f64]>, RowError> {
        self.check_rows(points)?;
        Ok(Cow::Borrowed(points.data))
    }

    /// 0..n cut into shares of work.
    #[doc(hidden)]
    fn shares(&self, n: usize) -> Vec<Range<usize>> {
        let rows = (SHARE / self.work().max(1)).max(8);
        if n == 0 {
            return std::iter::once(0..0).collect();
        }
        (0..n).step_by(rows).map(|start| start..(start + rows).min(n)).collect()
    }
}

/// Spaces with Fréchet means of rows.
pub trait MeanRows: Rows + Manifold {
    /// A point from a row that was checked.
    fn of_row(&self, row: &[f64]) -> Self::Point;

    /// The numbers of a point.
    fn put_point(&self, p: &Self::Point, row: &mut [f64]);

    /// As [`Manifold::mean_log`], of points that are rows.
    ///
    /// # Errors
    /// As there.
    fn mean_log_rows(
        &self,
        p: &Self::Point,
        points: Batch<'_>,
        weights: Option<&[f64]>,
    ) -> Result<MeanLog<Self::Tangent>, ManifoldError>;

    /// As [`Manifold::rough_mean`], of points that are rows.
    ///
    /// # Errors
    /// As there.
    fn rough_mean_rows(
        &self,
        points: Batch<'_>,
        weights: Option<&[f64]>,
    ) -> Result<Self::Point, ManifoldError>;

    /// Whether [`rough_mean_rows`](Self::rough_mean_rows) is the Fréchet mean itself.
    fn has_closed_mean(&self) -> bool {
        false
    }
}

/// The error of a part, where it is in the whole.
fn after(start: usize, error: RowError) -> RowError {
    RowError { row: error.row + start, ..error }
}

/// The points of one batch in this share; a single one is checked with the first.
fn check_one<M: Rows>(space: &M, p: Batch<'_>, batch: usize, rows: &Range<usize>) -> Result<(), RowError> {
    if p.one && rows.start > 0 {
        return Ok(());
    }
    let start = if p.one { 0 } else { rows.start };
    space.check_part(p.part(rows.clone())).map_err(|e| RowError { batch, ..after(start, e) })
}

fn check_both<M: Rows>(space: &M, p: Batch<'_>, q: Batch<'_>, rows: &Range<usize>) -> Result<(), RowError> {
    check_one(space, p, 0, rows)?;
    check_one(space, q, 1, rows)
}

/// The first error in the order of rows.
fn first(parts: Vec<Result<(), RowError>>) -> Result<(), RowError> {
    parts.into_iter().collect()
}

/// Does something for shares of the rows of `out`, on all threads of the pool if there are several.
fn in_shares<M: Rows>(
    space: &M,
    out: &mut [f64],
    width: usize,
    work: impl Fn(Range<usize>, &mut [f64]) -> Result<(), RowError> + Sync,
) -> Result<(), RowError> {
    let shares = space.shares(out.len() / width);
    let size = shares.first().map_or(1, ExactSizeIterator::len).max(1) * width;
    if shares.len() == 1 {
        return work(shares.into_iter().next().unwrap_or(0..0), out);
    }
    first(parallel::map_vec(shares.into_iter().zip(out.chunks_mut(size)).collect(), |(rows, out)| {
        work(rows, out)
    }))
}
