//! The trait a user implements for their own loss.

use crate::manifold::{Linear, Manifold, ManifoldError, blocks};
use visard_base::parallel;

/// A point of a problem's manifold.
pub type PointOf<P> = <<P as Problem>::Space as Manifold>::Point;
/// A tangent vector of a problem's manifold.
pub type TangentOf<P> = <<P as Problem>::Space as Manifold>::Tangent;

/// min F(w) = (1/n) Σ f(w; zᵢ) over a Riemannian manifold, record by record.
///
/// What privacy rests on: `gradient(w, i)` depends on record i and on no other. Everything else (clipping, noise,
/// sampling) is done by [`super::optimize`].
pub trait Problem: Sync {
    /// The manifold.
    type Space: Manifold;

    /// The manifold, with its metric.
    fn space(&self) -> &Self::Space;

    /// n.
    fn records(&self) -> usize;

    /// f(w; zᵢ), i < n. Used for traces only, which the data holder keeps.
    fn loss(&self, w: &PointOf<Self>, i: usize) -> f64;

    /// The Riemannian gradient of f(·; zᵢ) at w, a vector of T_wM; `None` where there is none (the cut locus). Such a record,
    /// and one whose gradient is not finite, counts as a zero gradient: a failure must not show in a release.
    fn gradient(&self, w: &PointOf<Self>, i: usize) -> Option<TangentOf<Self>>;

    /// The step from w along v: the exponential map unless a cheaper retraction will do. Post-processing: free.
    fn retract(&self, w: &PointOf<Self>, v: &TangentOf<Self>) -> PointOf<Self> {
        self.space().exp(w, v)
    }

    /// F(w): for the data holder's traces, not for a release.
    fn risk(&self, w: &PointOf<Self>) -> f64 {
        let n = self.records();
        let sums = parallel::map_vec(blocks(n), |block| block.map(|i| self.loss(w, i)).sum::<f64>());
        let total: f64 = sums.iter().sum();
        total / n as f64
    }
}

/// ‖v‖ if it and every number in v are finite. (A norm alone may hide a NaN.)
pub(super) fn finite_norm<M: Manifold>(space: &M, w: &M::Point, v: &M::Tangent) -> Option<f64> {
    if !(0..v.real_len()).all(|i| v.real(i).is_finite()) {
        return None;
    }
    Some(space.norm(w, v)).filter(|norm| norm.is_finite())
}

/// A gradient oracle that cannot be used. For the data holder, before anything is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// No records.
    #[error("there are no records")]
    NoRecords,
    /// Some gradients are of the wrong size.
    #[error(
        "the gradient oracle returned {found} numbers for record {} (counting from 1), a tangent vector has {expected}", .record + 1
    )]
    Size {
        /// Which record, from 0.
        record: usize,
        /// Numbers in a tangent vector.
        expected: usize,
        /// Numbers it returned.
        found: usize,
    },
    /// Some gradients are not finite or do not exist.
    #[error(
        "the gradients of {count} records (the first is record {}, counting from 1) at the start point are not finite; \
         repair or remove these records, or start elsewhere", .record + 1
    )]
    NotFinite {
        /// The first of them, from 0.
        record: usize,
        /// How many.
        count: usize,
    },
    /// A record is not on the manifold.
    #[error("record {} (counting from 1): {source}", .record + 1)]
    Record {
        /// Which, from 0.
        record: usize,
        /// What is wrong with it.
        source: ManifoldError,
    },
}

/// Asks for the gradient of every record at `w`, once, before anything is charged.
///
/// # Errors
/// [`OracleError`].
pub fn check_oracle<P: Problem>(problem: &P, w: &PointOf<P>) -> Result<(), OracleError> {
    let n = problem.records();
    if n == 0 {
        return Err(OracleError::NoRecords);
    }
    let expected = problem.space().zero(w).real_len();
    let verdict = |i: usize| -> Option<OracleError> {
        let bad = OracleError::NotFinite { record: i, count: 1 };
        let Some(gradient) = problem.gradient(w, i) else { return Some(bad) };
        let found = gradient.real_len();
        if found != expected {
            return Some(OracleError::Size { record: i, expected, found });
        }
        finite_norm(problem.space(), w, &gradient).is_none().then_some(bad)
    };
    let bad: Vec<OracleError> = parallel::flat_map(n, verdict);
    let sized = bad.iter().find(|e| matches!(e, OracleError::Size { .. }));
    match (sized, bad.first()) {
        (Some(size), _) => Err(*size),
        (None, Some(OracleError::NotFinite { record, .. })) => {
            Err(OracleError::NotFinite { record: *record, count: bad.len() })
        }
        _ => Ok(()),
    }
}
