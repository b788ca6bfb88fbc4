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
        let rows = prepared.mesh.vertices().len() + 2 * prepared.border.points.len();
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

    /// Their normal equations.
    pub fn normal(self) -> NormalEquations {
        let displacement = self.sizes.0;
        let rows = DMatrix::from_vec(displacement + MOTION + self.sizes.1, self.right.len(), self.columns);
        let right = times(&rows, &self.right).cast();
        NormalEquations { matrix: gram(&rows).cast(), right, displacement }
    }
}

/// Normal equations without a prior.
pub struct NormalEquations {
    /// The lower triangle.
    matrix: DMatrix<f64>,
    right: DVector<f64>,
    /// How many coefficients are the displacement's; then come the motion's and the depth's.
    displacement: usize,
}

impl NormalEquations {
    /// The precision's factor and the posterior mode: coefficients of unit variance about `centre` (none: about 0), of all but free motion.
    pub fn solve(
        &self,
        depth: &DepthPrior,
        centre: Option<DVector<f64>>,
    ) -> Option<(Cholesky<f64, Dyn>, DVector<f64>)> {
        let (factor, mut right) = self.factored(depth)?;
        if let Some(centre) = centre {
            right += centre;
        }
        let solution = factor.solve(&right);
        Some((factor, solution))
    }

    /// How likely what was seen is with this prior of the depth: the logarithm, up to what is the same for all of them (Rasmussen and Williams 2006,
    /// section 5.4.1). `None` where there is no solution.
    pub fn evidence(&self, depth: &DepthPrior) -> Option<f64> {
        let (factor, right) = self.factored(depth)?;
        let explained = right.dot(&factor.solve(&right));
        let volume: f64 = factor.l_dirty().diagonal().iter().map(|d| d.ln()).sum();
        Some(0.5 * explained - volume)
    }

    /// The factor of the precision, and the right side, for coefficients of unit variance.
    fn factored(&self, depth: &DepthPrior) -> Option<(Cholesky<f64, Dyn>, DVector<f64>)> {
        let (mut precision, mut right) = (self.matrix.clone(), self.right.clone());
        let (first, size) = (self.displacement + MOTION, right.len());
        for i in first..size {
            let scale = depth.scale(i - first);
            right[i] *= scale;
            precision.row_mut(i).columns_range_mut(..i + 1).scale_mut(scale);
            precision.column_mut(i).rows_range_mut(i..).scale_mut(scale);
        }
        for i in 0..size {
            precision[(i, i)] += match i.checked_sub(self.displacement) {
                Some(0..3) => SHIFT.powi(-2),
                Some(3..MOTION) => TURN.powi(-2),
                _ => 1.0,
            };
        }
        let lower = faer::MatMut::from_column_major_slice_mut(precision.as_mut_slice(), size, size);
        // nalgebra's own factorization goes column by column and takes as long as the products.
        cholesky_in_place(lower).then(|| (Cholesky::pack_dirty(precision), right))
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
