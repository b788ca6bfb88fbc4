//! What is known of single records before any are read.

use crate::function::Basis;
use crate::function::shrink::SpectralPlace;

/// The spectrum falls from this frequency on, in cycles around the border of the disk.
const CORNER: f64 = 2.0;
/// As fast as (ν/corner)^(−2 · this).
const POWER: f64 = 1.9;
/// What mirror-antisymmetric coefficients have, as a share of the others'.
const ANTISYMMETRIC: f64 = 0.1;

/// The variance λ of a single record's coefficient, up to one constant for all: (1 + (ν/2)²)^(−1.9), a tenth of it for antisymmetric
/// coefficients. Fitted on three public populations of faces, of all of which it holds; a wrong spectrum costs accuracy only.
pub fn spectrum(place: &SpectralPlace) -> f64 {
    let lambda = (1.0 + (place.frequency / CORNER).powi(2)).powf(-POWER);
    if place.class == 0 { lambda } else { ANTISYMMETRIC * lambda }
}

/// How smooth single records are expected to be, where it is not faces: the spectrum λ(ν) = (1 + (ℓν)²)^(−s) of a Matérn field (Stein 1999,
/// §2.10), ν in radians for a unit of length. Public; a wrong one costs accuracy only.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Smoothness {
    /// ℓ > 0: what is narrower than this is expected to be little. A circle and a disk have radius 1, an interval has length 1.
    pub length: f64,
    /// s > 0: how fast it falls beyond.
    pub power: f64,
}

impl Default for Smoothness {
    /// As smooth as faces are on their disk.
    fn default() -> Self {
        Self { length: 1.0 / CORNER, power: POWER }
    }
}

impl Smoothness {
    /// Whether both numbers are positive and within reason.
    pub fn is_valid(self) -> bool {
        (1e-4..=1e4).contains(&self.length) && (0.1..=20.0).contains(&self.power)
    }

    /// The frequency at which the public [`spectrum`] has the value of this one at `frequency`.
    pub fn as_public(self, frequency: f64) -> f64 {
        let log = self.power / POWER * (self.length * frequency).powi(2).ln_1p();
        // A frequency that high has nothing to expect.
        CORNER * log.min(200.0).exp_m1().sqrt()
    }

    /// A basis whose functions are expected to be as smooth as this.
    pub fn of(self, basis: Basis) -> Basis {
        basis.with_frequencies(|frequency| self.as_public(frequency))
    }
}

/// Of how many coefficients n records at budget μ have their second moment taken: 2.3 √(nμ), within 8 and 200. More would be noise, fewer
/// would leave out what can be seen. Depends on public numbers only.
pub fn coefficients(n: u64, mu: f64) -> usize {
    (2.3 * (n as f64 * mu).sqrt()).round().clamp(8.0, 200.0) as usize
}

/// The public spectrum of the coefficients of a basis, and their weights in a norm.
#[derive(Debug, Clone, PartialEq)]
pub struct Prior {
    /// λ_j > 0.
    pub spectrum: Vec<f64>,
    /// √a_j > 0.
    pub roots: Vec<f64>,
}

impl Prior {
    /// Of all coefficients of `basis`, weighted by a = `weight`(place).
    pub fn new(basis: &Basis, weight: impl Fn(&SpectralPlace) -> f64) -> Self {
        let places = || (0..basis.len()).map(|j| basis.place(j));
        Self {
            spectrum: places().map(|place| spectrum(&place)).collect(),
            roots: places().map(|place| weight(&place).sqrt()).collect(),
        }
    }

    /// How many coefficients there are.
    pub fn len(&self) -> usize {
        self.spectrum.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.spectrum.is_empty()
    }

    /// The `count` coefficients of the largest λ (all, where there are fewer), largest first, ties by their place.
    pub fn leading(&self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by(|&i, &j| self.spectrum[j].total_cmp(&self.spectrum[i]));
        order.truncate(count);
        order
    }

    /// In how many dimensions white noise on the weighted coordinates of vectors that are clipped where these records are would have the energy
    /// it has, compared with the records': (Σ aλ)(Σ 1/a)/Σ λ.
    pub fn effective_dimension(&self) -> f64 {
        let weighted: f64 = (0..self.len()).map(|j| self.weighted(j)).sum();
        let inverse: f64 = self.roots.iter().map(|root| root.powi(-2)).sum();
        weighted * inverse / self.spectrum.iter().sum::<f64>()
    }

    /// a_j λ_j: the variance of a weighted coordinate, up to the same constant.
    pub fn weighted(&self, j: usize) -> f64 {
        self.roots[j].powi(2) * self.spectrum[j]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_coefficients_are_those_of_the_lowest_frequencies() {
        let basis = Basis::of_faces(6, 12, true);
        let prior = Prior::new(&basis, |place| spectrum(place).powf(-0.5));
        let leading = prior.leading(20);
        assert_eq!(leading.len(), 20);
        let spectra: Vec<f64> = leading.iter().map(|j| prior.spectrum[*j]).collect();
        assert!(spectra.is_sorted_by(|a, b| a >= b));
        let left = (0..prior.len()).filter(|j| !leading.contains(j));
        assert!(left.map(|j| prior.spectrum[j]).all(|x| x <= spectra[19]));
        assert_eq!(prior.leading(10_000).len(), basis.len());
        approx::assert_relative_eq!(prior.weighted(7), prior.spectrum[7].sqrt(), max_relative = 1e-12);
    }

    #[test]
    fn a_declared_smoothness_is_the_spectrum_that_is_expected() {
        let declared = Smoothness { length: 0.2, power: 3.0 };
        let domain = crate::function::Domain::Circle { samples: 31 };
        let basis = declared.of(Basis::new(domain, 1));
        let plain = Basis::new(domain, 1);
        for i in 0..31 {
            let expected = (1.0 + (0.2 * plain.place(i).frequency).powi(2)).powi(-3);
            approx::assert_relative_eq!(spectrum(&basis.place(i)), expected, max_relative = 1e-10);
        }
        let faces = Smoothness::default();
        approx::assert_relative_eq!(faces.as_public(7.0), 7.0, max_relative = 1e-12);
        assert!(faces.is_valid() && !Smoothness { length: f64::NAN, ..faces }.is_valid());
        assert!(Smoothness { length: 1e4, power: 20.0 }.as_public(1e6).is_finite());
    }

    #[test]
    fn the_number_of_coefficients_goes_with_the_root_of_n_mu() {
        let found = [(30, 0.1), (100, 1.0), (1000, 1.0), (1000, 3.0), (100_000, 3.0)];
        assert_eq!(found.map(|(n, mu)| coefficients(n, mu)), [8, 23, 73, 126, 200]);
    }
}
