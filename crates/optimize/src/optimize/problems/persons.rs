//! Problems of people with several records each, or with none that can be used.

use crate::manifold::{Linear, Manifold};
use crate::optimize::problem::{PointOf, Problem, TangentOf, finite_norm};

/// A problem whose records are persons: the gradient of one is the average of the gradients of their records, each shortened to a
/// public bound first; it depends on that person's records only, so that one person is one record.
#[derive(Debug, Clone)]
pub struct Persons<P> {
    records: P,
    members: Vec<Vec<usize>>,
    bound: f64,
    lenient: bool,
}

impl<P: Problem> Persons<P> {
    /// The records of each person by their places in `records`, and the bound on one record's gradient. A place that is none is passed
    /// over.
    pub fn new(records: P, mut members: Vec<Vec<usize>>, bound: f64) -> Self {
        let n = records.records();
        members.iter_mut().for_each(|own| own.retain(|&i| i < n));
        Self { records, members, bound, lenient: false }
    }

    /// Whoever has no record with a gradient has the gradient zero, and counts; otherwise the check of a run's beginning finds them.
    pub fn lenient(mut self, lenient: bool) -> Self {
        self.lenient = lenient;
        self
    }

    /// Who has no record with a gradient here.
    pub fn without_gradient(&self, w: &PointOf<P>) -> Vec<usize> {
        (0..self.members.len()).filter(|&i| self.usable(w, i).is_none()).collect()
    }

    /// The gradient of a person, where they have one.
    fn usable(&self, w: &PointOf<P>, i: usize) -> Option<TangentOf<P>> {
        self.of_person(w, i).filter(|gradient| finite_norm(self.records.space(), w, gradient).is_some())
    }

    fn of_person(&self, w: &PointOf<P>, i: usize) -> Option<TangentOf<P>> {
        match self.own(i) {
            // What shortens it is the mechanism.
            &[record] => self.records.gradient(w, record),
            own => self.average(w, own),
        }
    }

    fn own(&self, i: usize) -> &[usize] {
        self.members.get(i).map_or(&[], Vec::as_slice)
    }

    /// The gradient of one of several records.
    fn shortened(&self, w: &PointOf<P>, record: usize) -> Option<TangentOf<P>> {
        let mut gradient = self.records.gradient(w, record)?;
        let norm = finite_norm(self.records.space(), w, &gradient)?;
        if norm > self.bound {
            gradient.scale_by(self.bound / norm);
        }
        Some(gradient)
    }

    fn average(&self, w: &PointOf<P>, own: &[usize]) -> Option<TangentOf<P>> {
        let (mut sum, mut found) = (self.space().zero(w), 0_u32);
        for gradient in own.iter().filter_map(|&record| self.shortened(w, record)) {
            sum.add_scaled(1.0, &gradient);
            found += 1;
        }
        if found == 0 {
            return None;
        }
        sum.scale_by(1.0 / f64::from(found));
        Some(sum)
    }
}

impl<P: Problem> Problem for Persons<P> {
    type Space = P::Space;

    fn space(&self) -> &P::Space {
        self.records.space()
    }

    fn records(&self) -> usize {
        self.members.len()
    }

    /// The average over their records; zero for who has none.
    fn loss(&self, w: &PointOf<P>, i: usize) -> f64 {
        let own = self.own(i);
        own.iter().map(|&record| self.records.loss(w, record)).sum::<f64>() / own.len().max(1) as f64
    }

    fn gradient(&self, w: &PointOf<P>, i: usize) -> Option<TangentOf<P>> {
        if !self.lenient {
            return self.of_person(w, i);
        }
        Some(self.usable(w, i).unwrap_or_else(|| self.space().zero(w)))
    }

    fn retract(&self, w: &PointOf<P>, v: &TangentOf<P>) -> PointOf<P> {
        self.records.retract(w, v)
    }

    fn risk(&self, w: &PointOf<P>) -> f64 {
        // Whoever gave one record each are the records.
        if self.members.len() == self.records.records() && self.members.iter().all(|own| own.len() == 1) {
            return self.records.risk(w);
        }
        (0..self.records()).map(|i| self.loss(w, i)).sum::<f64>() / self.records() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Euclidean;
    use crate::optimize::FrechetMeanProblem;
    use nalgebra::{DVector, dvector};

    fn gradient(lenient: bool, members: Vec<Vec<usize>>, person: usize) -> Option<DVector<f64>> {
        let points = vec![dvector![1.0, 0.0], dvector![0.0, 30.0], dvector![-2.0, 0.0]];
        let problem = FrechetMeanProblem::new(Euclidean::new(2), points).unwrap();
        Persons::new(problem, members, 3.0).lenient(lenient).gradient(&dvector![0.0, 0.0], person)
    }

    #[test]
    fn a_person_is_the_average_of_shortened_gradients() {
        let members = vec![vec![0, 1], vec![2], vec![]];
        assert_eq!(gradient(false, members.clone(), 0), Some(dvector![-0.5, -1.5]));
        assert_eq!(gradient(false, members.clone(), 1), Some(dvector![2.0, 0.0]));
        assert_eq!(gradient(false, members.clone(), 2), None);
        assert_eq!(gradient(true, members, 2), Some(dvector![0.0, 0.0]));
        // One record alone is left as it is, for the mechanism to clip.
        assert_eq!(gradient(true, vec![vec![1]], 0), Some(dvector![0.0, -30.0]));
    }
}
