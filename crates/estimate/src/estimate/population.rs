//! What public people tell of how people differ: axes and variances in place of a spectrum.

use super::{Prior, wiener};
use crate::function::Basis;
use crate::function::shrink::{Expectation, Shrunk, linear_risk};
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use rayon::prelude::*;

/// Of how many leading coefficients the covariance of public people is taken: they hold 98.7 % of the variance of faces and more.
const LEADING: usize = 400;
/// Share of the public spectrum in the mixture; the rest is the covariance of the public people. It keeps directions open in which those do
/// not differ.
const SPECTRUM: f64 = 0.4;

/// A covariance of weighted coordinates, .4 of the public spectrum and .6 of public people's, both of trace one before they were weighted:
/// public, so that it costs no privacy; a wrong one costs accuracy only.
#[derive(Debug, Clone, PartialEq)]
pub struct Population {
    /// The coefficients that the axes are in.
    chosen: Vec<usize>,
    /// Orthonormal columns.
    axes: DMatrix<f64>,
    /// Variances along the axes.
    values: Vec<f64>,
    /// Variances of all coordinates that are not chosen, by coefficient.
    rest: Vec<f64>,
}

impl Population {
    /// From the coefficients (not weighted) of public people's deviations from their mean.
    ///
    /// `None` for fewer than two people, or such that do not differ, or of another number of coefficients than the prior has.
    pub fn new(prior: &Prior, people: &[Vec<f64>]) -> Option<Self> {
        let total: f64 = prior.spectrum.iter().sum();
        if people.len() < 2 || people.iter().any(|person| person.len() != prior.len()) {
            return None;
        }
        let chosen = prior.leading(LEADING);
        let rows = DMatrix::from_fn(people.len(), chosen.len(), |i, j| people[i][chosen[j]]);
        let covariance = rows.tr_mul(&rows) / people.len() as f64;
        let trace = covariance.trace();
        if !(trace > 0.0 && trace.is_finite()) {
            return None;
        }
        let mut mixed = covariance * ((1.0 - SPECTRUM) / trace);
        for (i, &j) in chosen.iter().enumerate() {
            mixed[(i, i)] += SPECTRUM * prior.spectrum[j] / total;
        }
        let weights = DVector::from_iterator(chosen.len(), chosen.iter().map(|&j| prior.roots[j]));
        let weighted =
            DMatrix::from_fn(chosen.len(), chosen.len(), |i, j| mixed[(i, j)] * weights[i] * weights[j]);
        let eigen = SymmetricEigen::new(weighted);
        let mut rest: Vec<f64> = (0..prior.len()).map(|j| SPECTRUM * prior.weighted(j) / total).collect();
        chosen.iter().for_each(|&j| rest[j] = 0.0);
        let values = eigen.eigenvalues.iter().map(|v| v.max(0.0)).collect();
        Some(Self { chosen, axes: eigen.eigenvectors, values, rest })
    }

    /// Shrinks noised weighted coordinates whose noise has standard deviation `sigma` in each; values and errors are of the axes first,
    /// then of the coordinates that are not chosen ([`Self::samples`]). With Stein's estimate of the risk.
    pub fn shrink(&self, noised: &[f64], sigma: f64, expected: Expectation) -> (Shrunk, f64) {
        let lead = DVector::from_iterator(self.chosen.len(), self.chosen.iter().map(|&j| noised[j]));
        let mut coordinates: Vec<f64> = self.axes.tr_mul(&lead).iter().copied().collect();
        let mut prior = self.values.clone();
        for j in self.others() {
            coordinates.push(noised[j]);
            prior.push(self.rest[j]);
        }
        let shrunk = wiener(&coordinates, &vec![sigma * sigma; coordinates.len()], &prior, expected);
        let risk = linear_risk(&coordinates, &shrunk.values, |_| sigma * sigma);
        (shrunk, risk)
    }

    /// What an expected energy of the function is in weighted coordinates, if it is spread out as this has it.
    pub fn expected_energy(&self, prior: &Prior, expected: Expectation) -> Expectation {
        let k = self.chosen.len();
        let inverse = |axis: usize| {
            let terms = self.chosen.iter().enumerate();
            terms.map(|(i, &j)| (self.axes[(i, axis)] / prior.roots[j]).powi(2)).sum::<f64>()
        };
        let plain: f64 = (0..k).map(|axis| self.values[axis] * inverse(axis)).sum::<f64>()
            + self.others().map(|j| self.rest[j] / prior.roots[j].powi(2)).sum::<f64>();
        let weighted: f64 = self.values.iter().sum::<f64>() + self.rest.iter().sum::<f64>();
        Expectation { energy: expected.energy * weighted / plain, ..expected }
    }

    fn others(&self) -> impl Iterator<Item = usize> + '_ {
        let mut chosen = vec![false; self.rest.len()];
        self.chosen.iter().for_each(|&j| chosen[j] = true);
        (0..self.rest.len()).filter(move |j| !chosen[*j])
    }

    /// Samples of the function of shrunk coordinates, and the variance of each.
    pub fn samples(&self, shrunk: &Shrunk, basis: &Basis, prior: &Prior) -> (Vec<f64>, Vec<f64>) {
        let k = self.chosen.len();
        let (mut x, mut e) = (vec![0.0; basis.len()], vec![0.0; basis.len()]);
        let lead = &self.axes * DVector::from_column_slice(&shrunk.values[..k]);
        for (i, &j) in self.chosen.iter().enumerate() {
            x[j] = lead[i] / prior.roots[j];
        }
        for (i, j) in self.others().enumerate() {
            x[j] = shrunk.values[k + i] / prior.roots[j];
            e[j] = shrunk.errors[k + i] / prior.roots[j].powi(2);
        }
        let along = |axis: usize| {
            let mut x = vec![0.0; basis.len()];
            for (i, &j) in self.chosen.iter().enumerate() {
                x[j] = self.axes[(i, axis)] / prior.roots[j];
            }
            let error = shrunk.errors[axis];
            basis.synthesize(&x).into_iter().map(|v| error * v * v).collect::<Vec<f64>>()
        };
        let add = |mut a: Vec<f64>, b: Vec<f64>| {
            a.iter_mut().zip(&b).for_each(|(a, b)| *a += b);
            a
        };
        // The largest first; the rest of the axes are known as well as their variance says, which is next to nothing.
        let seen = (0..k).into_par_iter().map(along).reduce(|| vec![0.0; basis.len()], add);
        (basis.synthesize(&x), add(seen, basis.variances(&e)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::prior::spectrum;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    /// People who differ along two directions: what a mean has along these survives the noise, and the error is as stated.
    #[test]
    fn what_public_people_do_is_believed() {
        let basis = Basis::of_faces(4, 12, true);
        let prior = Prior::new(&basis, |place| spectrum(place).powf(-0.25));
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let axes: Vec<Vec<f64>> =
            (0..2).map(|_| prior.spectrum.iter().map(|l| l.sqrt() * normal()).collect()).collect();
        let mut person = |size: f64| -> Vec<f64> {
            let (a, b) = (size * normal(), size * normal());
            axes[0].iter().zip(&axes[1]).map(|(x, y)| a * x + b * y).collect()
        };
        let people: Vec<Vec<f64>> = (0..50).map(|_| person(1.0)).collect();
        let population = Population::new(&prior, &people).unwrap();
        let (mut error, mut stated, mut energy) = (0.0, 0.0, 0.0);
        let mut noise = ChaCha8Rng::seed_from_u64(3);
        let sigma = 0.3;
        for _ in 0..60 {
            let truth = person(1.0);
            let noised: Vec<f64> = truth
                .iter()
                .zip(&prior.roots)
                .map(|(x, root)| x * root + sigma * Distribution::<f64>::sample(&StandardNormal, &mut noise))
                .collect();
            let expected = Expectation { energy: 10.0, doubt: 1.5 };
            let (shrunk, _) = population.shrink(&noised, sigma, expected);
            let (found, errors) = population.samples(&shrunk, &basis, &prior);
            let exact = basis.synthesize(&truth);
            error += found.iter().zip(&exact).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            stated += errors.iter().sum::<f64>();
            energy += exact.iter().map(|x| x * x).sum::<f64>();
        }
        assert!(error < 0.1 * energy, "{error} {energy}");
        assert!((0.4..2.5).contains(&(stated / error)), "{}", stated / error);
        assert_eq!(Population::new(&prior, &people[..1]), None);
        assert_eq!(Population::new(&prior, &vec![vec![0.0; prior.len()]; 5]), None);
        assert_eq!(Population::new(&prior, &[vec![0.0; 3], vec![1.0; 3]]), None);
    }
}
