//! The weighted linear equations of a step.

use super::basis::Rank;
use super::prepared::Elastic;
use crate::mesh::{Point, Vector};
use crate::numeric::dense::cholesky_in_place;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Standard deviations of a step's shift (working units), turn (radians) and log growth: all but free.
const SHIFT: f64 = 3000.0;
const TURN: f64 = 50.0;
/// How many numbers a motion has.
const MOTION: usize = 7;

/// A point of the template the displacement carries.
pub struct Carried {
    /// Its number among the basis's points.
    pub index: usize,
    /// Where it is on the template.
    pub from: Point,
    /// Where it is after the last step, in the template's coordinates.
    pub now: Point,
}

/// What is known beforehand of the depth by which a scan ends inside the template's border.
#[derive(Debug, Clone, Copy)]
pub struct DepthPrior {
    /// Standard deviation of its mean, working units.
    pub mean: f64,
    /// And about its mean.
    pub spread: f64,
}

impl DepthPrior {
    /// The standard deviation of a coefficient of the depth, the mean first.
    pub fn scale(&self, coefficient: usize) -> f64 {
        if coefficient == 0 { self.mean } else { self.spread }
    }
}

/// Weighted linear equations for displacement, motion and depth, a column each.
///
/// In single precision, which takes half the time: what its rounding (1e-7 of sums of some hundreds) adds to the normal equations is a thousandth
/// of the prior's 1, far below what the data leave open.
pub struct Equations<'a, 't> {
    prepared: &'a Elastic<'t>,
    rank: Rank,
    /// Coefficients of the displacement; of the depth at the border.
    sizes: (usize, usize),
    columns: Vec<f32>,
    right: Vec<f32>,
}

impl<'a, 't> Equations<'a, 't> {
    /// None yet, for a displacement in this part of the basis.
    pub fn new(prepared: &'a Elastic<'t>, rank: Rank) -> Self {
        let sizes = (3 * (rank.0 + rank.1), prepared.border.depths.count());
        // The rim of a scan is seldom much longer than the template's border.
        let rows = prepared.control.matched.len() + 2 * prepared.border.points.len();
        let columns = Vec::with_capacity((sizes.0 + MOTION + sizes.1) * rows);
        Self { prepared, rank, sizes, columns, right: Vec::with_capacity(rows) }
    }

    /// What they are made for.
    pub fn prepared(&self) -> &'a Elastic<'t> {
        self.prepared
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.right.len()
    }

    /// w · direction · (x + u + motion of y) = w · direction · goal, x where the point was and y where it is; the row's part
    /// for the depth, zero so far.
    pub fn push(&mut self, point: &Carried, direction: &Vector, goal: &Point, w: f64) -> &mut [f32] {
        let y = &point.now;
        let start = self.columns.len();
        self.columns.resize(start + self.sizes.0 + MOTION + self.sizes.1, 0.0);
        let (field, rest) = self.columns[start..].split_at_mut(self.sizes.0);
        let (motion, depth) = rest.split_at_mut(MOTION);
        self.prepared.basis.gradient(point.index, direction, w, self.rank, field);
        let turn = y.coords.cross(direction);
        for d in 0..3 {
            motion[d] = (w * direction[d]) as f32;
            motion[3 + d] = (w * turn[d]) as f32;
        }
        motion[6] = (w * y.coords.dot(direction)) as f32;
        self.right.push((w * (goal - point.from).dot(direction)) as f32);
        depth
    }

    /// Their normal equations; `None` where they have no solution.
    pub fn normal(self) -> Option<NormalEquations> {
        let displacement = self.sizes.0;
        let size = displacement + MOTION + self.sizes.1;
        let rows = DMatrix::from_vec(size, self.right.len(), self.columns);
        let right = times(&rows, &self.right).cast();
        let mut precision: DMatrix<f64> = gram(&rows).cast();
        for i in 0..size {
            precision[(i, i)] += match i.checked_sub(displacement) {
                Some(0..3) => SHIFT.powi(-2),
                Some(3..MOTION) => TURN.powi(-2),
                _ => 1.0,
            };
        }
        // nalgebra's own factorization goes column by column and takes as long as the products.
        let lower = faer::MatMut::from_column_major_slice_mut(precision.as_mut_slice(), size, size);
        cholesky_in_place(lower).then_some(NormalEquations { lower: precision, right, displacement })
    }
}

/// Normal equations with the prior of all but the depth, which comes last: another prior of it changes no more than the end of their factor.
pub struct NormalEquations {
    /// The lower triangle is the precision's factor for a depth of unit variance.
    lower: DMatrix<f64>,
    right: DVector<f64>,
    /// How many coefficients are the displacement's; then come the motion's and the depth's.
    displacement: usize,
}

impl NormalEquations {
    /// How likely what was seen is with this prior of the depth: the logarithm, up to what is the same for all of them (Rasmussen and Williams 2006,
    /// section 5.4.1). `None` where there is no solution.
    pub fn evidence(&self, depth: &DepthPrior) -> Option<f64> {
        let own = self.depth_factor(depth)?;
        let all = self.lower.solve_lower_triangular(&self.right)?;
        let first = self.displacement + MOTION;
        let mut right = self.depth_part() * all.rows_range(first..);
        right.iter_mut().enumerate().for_each(|(k, r)| *r *= depth.scale(k));
        let explained = own.l_dirty().solve_lower_triangular(&right)?.norm_squared();
        let volume: f64 = own.l_dirty().diagonal().iter().map(|d| d.ln()).sum();
        Some(0.5 * explained - volume)
    }

    /// The factor of the precision, and the right side, for coefficients of unit variance of all but free motion. Solved for the right side it gives the
    /// posterior mode about 0; about another centre that is added.
    pub fn factored(&self, depth: &DepthPrior) -> Option<(Cholesky<f64, Dyn>, DVector<f64>)> {
        let own = self.depth_factor(depth)?;
        let (mut lower, mut right) = (self.lower.clone(), self.right.clone());
        let (first, size) = (self.displacement + MOTION, right.len());
        for i in first..size {
            let scale = depth.scale(i - first);
            right[i] *= scale;
            lower.row_mut(i).columns_range_mut(..first).scale_mut(scale);
        }
        lower.view_range_mut(first.., first..).copy_from(own.l_dirty());
        Some((Cholesky::pack_dirty(lower), right))
    }

    /// The end of the factor: the depth's part.
    fn depth_part(&self) -> DMatrix<f64> {
        let first = self.displacement + MOTION;
        self.lower.view_range(first.., first..).lower_triangle()
    }

    /// The same with this prior: of the precision of the depth's coefficients of unit variance once all others are solved for.
    fn depth_factor(&self, depth: &DepthPrior) -> Option<Cholesky<f64, Dyn>> {
        let unit = self.depth_part();
        let mut seen = &unit * unit.transpose();
        for i in 0..seen.nrows() {
            seen[(i, i)] -= 1.0;
        }
        for (i, j) in (0..seen.nrows()).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            seen[(i, j)] *= depth.scale(i) * depth.scale(j);
        }
        (0..seen.nrows()).for_each(|i| seen[(i, i)] += 1.0);
        Cholesky::new(seen)
    }
}

/// B v; nalgebra's own product goes column by column of a matrix with few rows, and takes several times as long.
fn times(b: &DMatrix<f32>, v: &[f32]) -> DVector<f32> {
    let mut out = DVector::zeros(b.nrows());
    faer::linalg::matmul::matmul(
        faer::ColMut::from_slice_mut(out.as_mut_slice()).as_mat_mut(),
        faer::Accum::Replace,
        faer::MatRef::from_column_major_slice(b.as_slice(), b.nrows(), b.ncols()),
        faer::ColRef::from_slice(v).as_mat(),
        1.0,
        faer::Par::Seq,
    );
    out
}

/// The lower triangle of B Bᵀ.
fn gram(b: &DMatrix<f32>) -> DMatrix<f32> {
    use faer::linalg::matmul::triangular::{BlockStructure, matmul};
    let n = b.nrows();
    let mut out = DMatrix::zeros(n, n);
    let b = faer::MatRef::from_column_major_slice(b.as_slice(), n, b.ncols());
    matmul(
        faer::MatMut::from_column_major_slice_mut(out.as_mut_slice(), n, n),
        BlockStructure::TriangularLower,
        faer::Accum::Replace,
        b,
        BlockStructure::Rectangular,
        b.transpose(),
        BlockStructure::Rectangular,
        1.0,
        faer::Par::Seq,
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the precision put together anew for every prior.
    #[test]
    fn another_prior_of_the_depth_changes_the_end_of_the_factor() {
        let (displacement, depth) = (4, 3);
        let size = displacement + MOTION + depth;
        let rows = DMatrix::from_fn(size, 40, |i, j| ((7 * i + 3 * j * j + i * j) as f64).sin());
        let right = DVector::from_fn(size, |i, _| (i as f64).cos());
        let with = |scale: &dyn Fn(usize) -> f64| {
            let scales =
                DVector::from_fn(size, |i, _| if i < displacement + MOTION { 1.0 } else { scale(i) });
            let scales = DMatrix::from_diagonal(&scales);
            let precision = &scales * &rows * rows.transpose() * &scales + DMatrix::identity(size, size);
            (Cholesky::new(precision).unwrap(), scales * &right)
        };
        let first = displacement + MOTION;
        let lower = with(&|_| 1.0).0.unpack_dirty();
        let equations = NormalEquations { lower, right: right.clone(), displacement };
        let mut evidences = Vec::new();
        for prior in [DepthPrior { mean: 20.0, spread: 0.3 }, DepthPrior { mean: 0.7, spread: 5.0 }] {
            let (expected, scaled) = with(&|i| prior.scale(i - first));
            let (found, also) = equations.factored(&prior).unwrap();
            assert!((found.l() - expected.l()).amax() < 1e-9 && (&also - &scaled).amax() < 1e-12);
            let volume: f64 = expected.l().diagonal().iter().map(|d| d.ln()).sum();
            let whole = 0.5 * scaled.dot(&expected.solve(&scaled)) - volume;
            evidences.push((equations.evidence(&prior).unwrap(), whole));
        }
        let [(a, whole_a), (b, whole_b)] = evidences[..] else { unreachable!() };
        assert!(((a - b) - (whole_a - whole_b)).abs() < 1e-9 && (a - b).abs() > 0.1, "{evidences:?}");
    }
}
