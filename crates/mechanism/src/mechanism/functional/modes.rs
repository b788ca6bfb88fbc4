//! Mean and second moment of functions in their leading weighted coordinates: what modes of variation of functions are made of.

use super::{Estimate, FunctionRecords, LeadingCoordinates, Norm, Reach};
use crate::estimate::prior::coefficients;
use crate::estimate::{Modes, Spread, Weighted, wiener};
use crate::function::Basis;
use crate::function::shrink::Expectation;
use crate::mechanism::MechanismError;
use crate::mechanism::vector::{NoisedModes, PreparedModes, VectorModes};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, ClipRadius, ClipSource, Drawn, Mechanism, Mu, Price};

/// Up to so many coefficients the public radius is the first of [`RADII`], from so many on the second; between them it goes with the
/// logarithm.
const FEW_AND_MANY: (f64, f64) = (40.0, 80.0);
/// Mean over public populations of faces of the 99 % quantile of ‖u‖ about the built-in template, weights rescaled.
const RADII: (f64, f64) = (0.05, 0.04);

/// Share of the squared distance between a template and a population's mean that lies beyond the first k coefficients: this at k = 40, falling
/// with the power −.7. (Between the built-in template and the means of ICT, SIMPOP and synthetic faces: .30, .09, .06 at k = 40; .22, .06, .04
/// at 73. Templates are rougher than differences between people, and how rough is not known beforehand: for error statements only.)
const BEYOND_AT_40: f64 = 0.2;

fn beyond(k: usize) -> f64 {
    (BEYOND_AT_40 * (k as f64 / 40.0).powf(-0.7)).min(0.5)
}

/// Standard deviation of the logarithm of the squared distance between private centre and mean that is expected: that of the first
/// round's own error, twice or half of which is not unusual. For shrinkage only; as for the mean in two rounds.
const DOUBT: f64 = 0.65;

/// [`VectorModes`] of the leading coordinates of functions about a public template ([`LeadingCoordinates`], γ = ¼). Which and how many
/// follows from n, μ and the public spectrum. Each function becomes its vector by itself, by a public map, so the guarantee is that of
/// [`VectorModes`], proof included.
#[derive(Debug, Clone)]
pub struct FunctionalModes {
    leading: LeadingCoordinates,
    modes: VectorModes,
    n_mu: f64,
}

/// The public radius of unit-area faces for so many coefficients.
fn face_radius(k: usize) -> f64 {
    let (few, many) = FEW_AND_MANY;
    let place = ((k as f64 / few).ln() / (many / few).ln()).clamp(0.0, 1.0);
    RADII.0 + place * (RADII.1 - RADII.0)
}

impl FunctionalModes {
    /// Of n functions around the public `template`, its samples `(points, channels)`. `reach` tells how far records may lie from it; a number
    /// is in units of unit-area faces.
    ///
    /// # Errors
    /// [`MechanismError`] when template and basis do not fit, n = 0, a radius out of range.
    pub fn new(
        basis: Basis,
        template: Vec<f64>,
        reach: impl Into<Reach>,
        mu: Mu,
        n: u64,
    ) -> Result<Self, MechanismError> {
        let leading = LeadingCoordinates::new(basis, template, Norm::Quarter, coefficients(n, mu.get()))?;
        let radius = reach.into().radius_of(&leading, face_radius(leading.len()));
        let public = ClipRadius::new(radius, ClipSource::Public)?;
        let statistic = format!(
            "mean deviation from a private centre and second moment of the {} coefficients of which single records are expected to have \
             most; {}",
            leading.len(),
            leading.norm().sentence()
        );
        let modes = VectorModes::new(leading.prior(), public, n, mu)?.of(statistic);
        Ok(Self { leading, modes, n_mu: n as f64 * mu.get() })
    }

    /// The coordinates that are noised.
    pub fn coordinates(&self) -> &LeadingCoordinates {
        &self.leading
    }

    /// At most `asked` modes of variation, and how sure they are: free. `None` for a release of other coordinates.
    pub fn modes(&self, released: &NoisedModes, asked: usize) -> Option<Modes> {
        let weighted = Weighted { roots: self.leading.roots(), spectrum: self.leading.spectrum() };
        Modes::new(&released.moments, weighted, self.n_mu, asked)
    }

    /// The samples of the mean, shrunk towards the private centre, and the expected squared error of each: free. Coefficients beyond the k are
    /// the template's; their error is what a mean is expected to have there (`beyond`) that lies as far off in the k as this one.
    ///
    /// `None` for a release of other coordinates.
    pub fn mean(&self, released: &NoisedModes) -> Option<Estimate> {
        let (leading, NoisedModes { recentred, moments }) = (&self.leading, released);
        let k = leading.len();
        if recentred.centre.len() != k || moments.mean.len() != k {
            return None;
        }
        let noise = vec![moments.mean_sigma * moments.mean_sigma; k];
        let expected = Expectation { energy: recentred.error.max(f64::MIN_POSITIVE), doubt: DOUBT };
        let shrunk = wiener(&moments.mean, &noise, &leading.prior(), expected);
        let u: Vec<f64> = recentred.centre.iter().zip(&shrunk.values).map(|(c, y)| c + y).collect();
        let off = u.iter().zip(&shrunk.errors).zip(leading.roots());
        let off: f64 = off.map(|((u, error), root)| (u * u + error) / (root * root)).sum();
        let share = beyond(k);
        let unseen = leading.variances_beyond(off * share / (1.0 - share));
        let displaced = leading.displacement(&u);
        Some(Estimate {
            samples: leading.template().iter().zip(displaced).map(|(t, d)| t + d).collect(),
            errors: leading.variances(&shrunk.errors).iter().zip(unseen).map(|(e, b)| e + b).collect(),
        })
    }

    /// The mean square distance of single records from their mean, unweighted, all coefficients: what the k have, and in proportion what
    /// the public spectrum expects beyond them.
    pub fn record_spread(&self, modes: &Modes) -> Spread {
        let grown = 1.0 / self.leading.expected_share();
        Spread { square: modes.total * grown, noise: modes.total_noise * grown }
    }

    /// The mechanism on vectors.
    pub fn vectors(&self) -> &VectorModes {
        &self.modes
    }
}

impl Mechanism for FunctionalModes {
    type Records = dyn FunctionRecords;
    type Prepared<'a> = PreparedModes;
    type Value = NoisedModes;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        self.modes.price()
    }

    fn prepare<'a>(&'a self, records: &'a Self::Records) -> Result<PreparedModes, MechanismError> {
        self.modes.prepare_own(self.leading.of_records(records)?)
    }

    fn draw(
        &self,
        prepared: &PreparedModes,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedModes>, MechanismError> {
        self.modes.draw(prepared, noise, paid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::Domain;

    #[test]
    fn radii_are_as_measured_and_go_over_into_one_another() {
        assert_eq!(
            (face_radius(8), face_radius(40), face_radius(80), face_radius(200)),
            (0.05, 0.05, 0.04, 0.04)
        );
        approx::assert_relative_eq!(face_radius(57), 0.05 - 0.01 * 0.511, max_relative = 1e-3);
    }

    #[test]
    fn functions_are_noised_as_their_coordinates() {
        let basis = Basis::new(Domain::Circle { samples: 16 }, 2);
        let modes = FunctionalModes::new(basis, vec![0.5; 32], 1.0, Mu::new(1.0).unwrap(), 50).unwrap();
        assert_eq!(modes.coordinates().len(), 16);
        let records: Vec<Option<Vec<f64>>> = (0..50).map(|i| (i % 7 > 0).then(|| vec![0.51; 32])).collect();
        let vectors = modes.coordinates().of_records(&records).unwrap();
        let draw = |prepared: PreparedModes| {
            let mut noise = NoiseSource::seeded(4);
            let paid =
                crate::privacy::pay(modes.price(), &mut crate::privacy::Ledger::in_memory(None)).unwrap();
            modes.draw(&prepared, &mut noise, paid).unwrap().value
        };
        assert_eq!(draw(modes.prepare(&records).unwrap()), draw(modes.vectors().prepare(&vectors).unwrap()));
        assert!(modes.prepare(&vec![Some(vec![0.5; 31]); 50]).is_err());
    }
}
