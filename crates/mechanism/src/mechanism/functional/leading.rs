//! Functions as short vectors: the leading weighted coefficients of their deviation from a public template.

use super::{FunctionRecords, Norm};
use crate::estimate::{Prior, Synthesis};
use crate::function::Basis;
use crate::mechanism::MechanismError;
use crate::mechanism::vector::Vectors;
use visard_base::parallel;

/// So many coordinates of all people together are held (256 MB); where there are more, a person's are worked out anew in every pass.
pub(super) const HELD: usize = 1 << 25;

/// The k coefficients of a function's deviation from a public template that single records are expected to have most of, each times
/// √a_j, a_j = λ_j^(−γ) rescaled so that the mean of 1/a_j over the k is one: the coordinates u in which second moments, regressions and
/// groups are clipped and noised. A public map, record by record: nothing here depends on data.
#[derive(Debug, Clone)]
pub struct LeadingCoordinates {
    basis: Basis,
    template: Vec<f64>,
    norm: Norm,
    chosen: Vec<usize>,
    roots: Vec<f64>,
    spectrum: Vec<f64>,
    /// What all a_j were multiplied by.
    rescaled: f64,
    /// λ of all coefficients of the basis.
    all: Vec<f64>,
}

impl LeadingCoordinates {
    /// The `count` leading coefficients (all, where there are fewer) in this norm, about the samples of the public template. Where the basis
    /// expects all coefficients alike none is left out: nothing tells which.
    ///
    /// # Errors
    /// [`MechanismError::Shape`] when basis and template do not fit, or `count` is 0.
    pub fn new(basis: Basis, template: Vec<f64>, norm: Norm, count: usize) -> Result<Self, MechanismError> {
        if template.len() != basis.len() || template.is_empty() || count == 0 {
            return Err(MechanismError::Shape("the public centre does not have the shape of the records"));
        }
        let prior = Prior::new(&basis, |place| norm.weight(place));
        let chosen = prior.leading(first_of(&prior.spectrum, count));
        let weights = chosen.iter().map(|&j| prior.roots[j].powi(2));
        let rescaled = weights.clone().map(|a| 1.0 / a).sum::<f64>() / chosen.len() as f64;
        let roots = weights.map(|a| (a * rescaled).sqrt()).collect();
        let spectrum = chosen.iter().map(|&j| prior.spectrum[j]).collect();
        Ok(Self { basis, template, norm, chosen, roots, spectrum, rescaled, all: prior.spectrum })
    }

    /// How many of these the `count` leading ones are: all, where the basis expects all alike.
    pub fn first(&self, count: usize) -> usize {
        first_of(&self.spectrum, count)
    }

    /// k.
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Whether there are none: never.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// The public samples that coordinates are deviations from.
    pub fn template(&self) -> &[f64] {
        &self.template
    }

    /// The clip's norm.
    pub fn norm(&self) -> Norm {
        self.norm
    }

    /// a_j λ_j: the expected variances of a record's coordinates, up to one constant.
    pub fn prior(&self) -> Vec<f64> {
        self.roots.iter().zip(&self.spectrum).map(|(root, lambda)| root * root * lambda).collect()
    }

    /// λ_j: the expected variances of the coefficients themselves, up to the same constant.
    pub fn spectrum(&self) -> &[f64] {
        &self.spectrum
    }

    /// √a_j.
    pub fn roots(&self) -> &[f64] {
        &self.roots
    }

    /// What the public spectrum lets expect of all coefficients but the first k of these, as a share of what those have.
    pub fn beyond(&self, k: usize) -> f64 {
        (self.all.iter().sum::<f64>() / self.spectrum[..k].iter().sum::<f64>() - 1.0).max(0.0)
    }

    /// The basis that functions are analysed in.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// A public radius for functions that differ from their template as unit-area faces do: that of all coefficients in this norm, which
    /// is never less than what these k make.
    pub fn face_radius(&self) -> f64 {
        self.norm.face_radius() * self.rescaled.sqrt()
    }

    /// u of one function's samples `(points, channels)`.
    pub fn coordinates(&self, samples: &[f64]) -> Vec<f64> {
        let deviation: Vec<f64> = samples.iter().zip(&self.template).map(|(x, t)| x - t).collect();
        let x = self.basis.analyse(&deviation);
        self.chosen.iter().zip(&self.roots).map(|(&j, root)| x[j] * root).collect()
    }

    /// The displacement, samples `(points, channels)`, of which `u` are the coordinates: 0 in all other coefficients.
    pub fn displacement(&self, u: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.basis.len()];
        for ((&j, root), u) in self.chosen.iter().zip(&self.roots).zip(u) {
            x[j] = u / root;
        }
        self.basis.synthesize(&x)
    }

    /// The samples `(points, channels)` of the function of which `u` are the coordinates.
    pub fn samples(&self, u: &[f64]) -> Vec<f64> {
        self.displacement(u).iter().zip(&self.template).map(|(d, t)| d + t).collect()
    }

    /// The variances of a displacement's samples whose coordinates have these variances, independently.
    pub fn variances(&self, of_coordinates: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.basis.len()];
        for ((&j, root), v) in self.chosen.iter().zip(&self.roots).zip(of_coordinates) {
            x[j] = v / (root * root);
        }
        self.basis.variances(&x)
    }

    /// The variances of a function's samples if the coefficients that were not chosen have `energy` together, in proportion to their λ, and
    /// the chosen none. With none left, 0.
    pub fn variances_beyond(&self, energy: f64) -> Vec<f64> {
        let mut x = self.all.clone();
        self.chosen.iter().for_each(|&j| x[j] = 0.0);
        let left: f64 = x.iter().sum();
        let amplitude = if left > 0.0 { energy / left } else { 0.0 };
        x.iter_mut().for_each(|lambda| *lambda *= amplitude);
        self.basis.variances(&x)
    }

    /// The share of a record's variance that the chosen coefficients are expected to have, by the public spectrum.
    pub fn expected_share(&self) -> f64 {
        self.spectrum.iter().sum::<f64>() / self.all.iter().sum::<f64>()
    }

    /// Spectrum and weights of these coefficients: what free estimates are told of them.
    pub fn known(&self) -> Prior {
        Prior { spectrum: self.spectrum.clone(), roots: self.roots.clone() }
    }

    /// The coordinates of all records, `None` for failed ones: secret.
    ///
    /// # Errors
    /// [`MechanismError::Shape`] for a record of another length.
    pub fn of_records(&self, records: &dyn FunctionRecords) -> Result<Vec<Option<Vec<f64>>>, MechanismError> {
        let one = |i: usize| match records.samples(i) {
            None => Ok(None),
            Some(samples) if samples.len() == self.template.len() => Ok(Some(self.coordinates(&samples))),
            Some(_) => Err(MechanismError::Shape("a record does not have the shape of the public centre")),
        };
        parallel::try_map(records.count(), one)
    }

    /// The coordinates of all records: held if they are `most` numbers together, else worked out whenever they are asked for, so that memory
    /// does not grow with the number of records. Either way the same.
    ///
    /// # Errors
    /// [`MechanismError::Shape`] for a record of another length.
    pub fn vectors<'a>(
        &'a self,
        records: &'a (dyn FunctionRecords + 'a),
        most: usize,
    ) -> Result<Vectors<'a>, MechanismError> {
        let n = records.count();
        let filled: Vec<f64> = (0..n).map(|i| records.filled(i)).collect();
        if n.saturating_mul(self.len()) <= most {
            return Ok(Vectors::from(self.of_records(records)?).with_filled(filled));
        }
        // A record that has lost its form since it was looked at counts as a failed one.
        let one = move |i: usize| {
            let samples = records.samples(i).filter(|samples| samples.len() == self.template.len())?;
            Some(self.coordinates(&samples))
        };
        Ok(Vectors::asked(n, one).with_filled(filled))
    }
}

fn first_of(spectrum: &[f64], count: usize) -> usize {
    let alike = spectrum.iter().all(|lambda| *lambda == spectrum[0]);
    if alike { spectrum.len() } else { count.min(spectrum.len()) }
}

impl Synthesis for LeadingCoordinates {
    fn field(&self, u: &[f64]) -> Vec<f64> {
        self.displacement(u)
    }
    fn variances(&self, of_coordinates: &[f64]) -> Vec<f64> {
        LeadingCoordinates::variances(self, of_coordinates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leading(count: usize) -> LeadingCoordinates {
        let basis = Basis::of_faces(6, 12, true);
        let template = (0..basis.len()).map(|i| (i as f64).sin()).collect();
        LeadingCoordinates::new(basis, template, Norm::Quarter, count).unwrap()
    }

    #[test]
    fn displacements_of_coordinates_have_these_coordinates() {
        let leading = leading(20);
        let u: Vec<f64> = (0..20).map(|i| 0.1 * f64::from(i) - 0.7).collect();
        let samples: Vec<f64> =
            leading.displacement(&u).iter().zip(leading.template()).map(|(d, t)| d + t).collect();
        for (found, expected) in leading.coordinates(&samples).iter().zip(&u) {
            approx::assert_abs_diff_eq!(found, expected, epsilon = 1e-12);
        }
        let inverse: f64 = leading.roots().iter().map(|r| r.powi(-2)).sum::<f64>() / 20.0;
        approx::assert_relative_eq!(inverse, 1.0, max_relative = 1e-12);
    }

    #[test]
    fn what_lies_beyond_has_the_energy_it_is_given() {
        let (few, all) = (leading(20), leading(100_000));
        let points = few.template().len() as f64 / 3.0;
        approx::assert_relative_eq!(
            few.variances_beyond(0.3).iter().sum::<f64>() / points,
            0.3,
            max_relative = 1e-9
        );
        assert!(all.variances_beyond(0.3).iter().all(|v| *v == 0.0));
        assert!((0.5..1.0).contains(&few.expected_share()) && (all.expected_share() - 1.0).abs() < 1e-12);
    }

    /// The radius holds what the radius of all coefficients holds: a record on that sphere has at most this norm here.
    #[test]
    fn radii_are_rescaled_with_the_weights() {
        let (few, all) = (leading(20), leading(100_000));
        assert!(
            few.face_radius() > 0.0 && few.len() == 20 && all.len() == Basis::of_faces(6, 12, true).len()
        );
        let u: Vec<f64> =
            few.displacement(&[1.0; 20]).iter().zip(few.template()).map(|(d, t)| d + t).collect();
        let norm = |u: Vec<f64>| u.iter().map(|x| x * x).sum::<f64>().sqrt();
        let shares =
            norm(few.coordinates(&u)) / few.face_radius() / (norm(all.coordinates(&u)) / all.face_radius());
        approx::assert_relative_eq!(shares, 1.0, max_relative = 1e-9);
    }
}
