//! People by their shapes.

use crate::landmark::fill;
use crate::manifold::LandmarkShapes;
use crate::mechanism::MechanismError;
use nalgebra::DMatrix;
use std::borrow::Cow;

/// n people: secret.
#[derive(Debug, Clone, Default)]
pub struct ShapeRecords {
    /// Of each person the usable shapes, centred and of unit norm; none where none could be made.
    pub people: Vec<Vec<DMatrix<f64>>>,
    /// Of each person the configurations some landmarks of which are missing (NaN), where there are any: they have no part in a private
    /// centre, and are filled from it by thin-plate spline.
    pub incomplete: Vec<Vec<DMatrix<f64>>>,
    /// Of each person which share of the usable shapes' landmarks was estimated from the public centre, 0 to 1; empty where none was.
    pub estimated: Vec<f64>,
    /// Of each person the covariates, where there are any.
    pub rows: Vec<Vec<f64>>,
}

impl ShapeRecords {
    /// People of one shape each.
    pub fn of(shapes: Vec<Option<DMatrix<f64>>>) -> Self {
        Self {
            people: shapes.into_iter().map(|shape| shape.into_iter().collect()).collect(),
            ..Self::default()
        }
    }

    /// Whether they are n people's shapes of this space.
    pub(super) fn check(&self, space: &LandmarkShapes, n: u64) -> Result<(), MechanismError> {
        if self.people.len() as u64 != n {
            return Err(MechanismError::Shape("the number of records is not the n that was declared"));
        }
        let (k, d) = (space.landmarks(), space.dimensions());
        let other = |z: &DMatrix<f64>| {
            z.shape() != (k, d)
                || z.row_sum().amax() > 1e-8
                || (z.norm() - 1.0).abs() > 1e-8
                || z.iter().any(|x| x.is_nan())
        };
        if self.people.iter().flatten().any(other) {
            return Err(MechanismError::Shape("a record is not a centred shape of unit norm of this space"));
        }
        let fits = |x: &DMatrix<f64>| x.shape() == (k, d);
        if ![0, self.people.len()].contains(&self.incomplete.len())
            || !self.incomplete.iter().flatten().all(fits)
        {
            return Err(MechanismError::Shape("incomplete records are of other people or another space"));
        }
        Ok(())
    }

    /// People by their shapes, what is missing filled from this centre: public, or noised and paid for. Each record by itself; one that
    /// has too few landmarks for it is left out.
    pub(super) fn filled(
        &self,
        space: &LandmarkShapes,
        centre: &DMatrix<f64>,
    ) -> Cow<'_, [Vec<DMatrix<f64>>]> {
        if self.incomplete.is_empty() {
            return Cow::Borrowed(&self.people);
        }
        let whole = |x: &DMatrix<f64>| Some(space.preshape(&fill(x, centre).ok()?).ok()?.0);
        let person = |(own, gaps): (&Vec<DMatrix<f64>>, &Vec<DMatrix<f64>>)| {
            own.iter().cloned().chain(gaps.iter().filter_map(whole)).collect()
        };
        self.people.iter().zip(&self.incomplete).map(person).collect()
    }

    /// Of each person which share of the landmarks was estimated from the centre, public or noised.
    pub(super) fn shares(&self) -> Vec<f64> {
        let missing = |x: &DMatrix<f64>| {
            x.row_iter().filter(|row| row.iter().any(|x| x.is_nan())).count() as f64 / x.nrows() as f64
        };
        let person = |i: usize| {
            let (whole, gaps) =
                (self.people[i].len() as f64, self.incomplete.get(i).map_or(&[][..], Vec::as_slice));
            let estimated = self.estimated.get(i).copied().unwrap_or(0.0);
            let all = whole + gaps.len() as f64;
            (whole * estimated + gaps.iter().map(missing).sum::<f64>()) / all.max(1.0)
        };
        (0..self.people.len()).map(person).collect()
    }

    /// As the private centre takes them: `None` for people without a usable shape.
    pub(super) fn given(&self) -> Vec<Option<Vec<DMatrix<f64>>>> {
        self.people.iter().map(|own| (!own.is_empty()).then(|| own.clone())).collect()
    }

    /// Of each person, between -1 and 1: whether the shapes match the centre better (1) or its mirror image (-1).
    pub(super) fn votes(&self, centre: &DMatrix<f64>) -> Vec<Option<Vec<f64>>> {
        let one = |z: &DMatrix<f64>| {
            let turned = z.tr_mul(centre).determinant();
            if turned > 0.0 {
                1.0
            } else if turned < 0.0 {
                -1.0
            } else {
                0.0
            }
        };
        let person = |own: &Vec<DMatrix<f64>>| {
            (!own.is_empty()).then(|| vec![own.iter().map(one).sum::<f64>() / own.len() as f64])
        };
        self.people.iter().map(person).collect()
    }
}
