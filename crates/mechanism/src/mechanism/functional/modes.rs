//! Mean and second moment of functions in their leading weighted coordinates: what modes of variation of functions are made of.

use super::leading::HELD;
use super::passes::{InPasses, PassOf, SomeRecords};
use super::{Estimate, FunctionRecords, LeadingCoordinates, Norm, Reach};
use crate::estimate::prior::coefficients;
use crate::estimate::{Modes, Spread, Weighted, wiener};
use crate::function::Basis;
use crate::function::shrink::Expectation;
use crate::mechanism::pass_sum::OTHER_PASS;
use crate::mechanism::vector::{AboutCentre, AboutPass, NoisedModes, PreparedVectors, VectorModes};
use crate::mechanism::{MechanismError, PassSum, unseen};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, ClipRadius, ClipSource, Drawn, Mechanism, Mu, Price};

/// Share of the squared distance between a template and a population's mean that lies beyond the first k coefficients: this at k = 40, falling
/// with the power −.7. (Between the built-in template and the means of ICT, SIMPOP and synthetic faces: .30, .09, .06 at k = 40; .22, .06, .04
/// at 73. Templates are rougher than differences between people, and how rough is not known beforehand: for error statements only.)
const BEYOND_AT_40: f64 = 0.2;

/// Of the first k coefficients.
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
        let count = coefficients(n, mu.get());
        let all = basis.len().max(1);
        let leading = LeadingCoordinates::new(basis, template, Norm::Quarter, all)?;
        let radius = reach.into().radius_of(&leading, leading.face_radius());
        let public = ClipRadius::new(radius, ClipSource::Public)?;
        let statistic = format!(
            "mean deviation from a private centre and second moment of the {} coefficients of which single records are expected to have \
             most; {}; with {}",
            leading.first(count),
            leading.norm().sentence(),
            unseen::WHAT
        );
        let modes =
            VectorModes::looking_at(leading.first(count), leading.prior(), public, n, mu)?.of(statistic);
        Ok(Self { leading, modes, n_mu: n as f64 * mu.get() })
    }

    /// The coordinates that are noised: the mean has all, modes the first ([`VectorModes::dimension`]).
    pub fn coordinates(&self) -> &LeadingCoordinates {
        &self.leading
    }

    /// At most `asked` modes of variation, and how sure they are: free. `None` for a release of other coordinates.
    pub fn modes(&self, released: &NoisedModes, asked: usize) -> Option<Modes> {
        let k = self.modes.dimension();
        let weighted =
            Weighted { roots: &self.leading.roots()[..k], spectrum: &self.leading.spectrum()[..k] };
        // Of the records that were used: the others are nowhere but at the centre.
        let [least, most] = released.recentred.unseen.used();
        let mut moments = released.moments.clone();
        let scaled = [&mut moments.mean, &mut moments.second.entries].into_iter().flatten();
        scaled.chain([&mut moments.mean_sigma, &mut moments.second.sigma]).for_each(|x| *x /= most);
        let modes = Modes::new(&moments, weighted, self.n_mu, asked)?;
        Some(modes.raised(most / least))
    }

    /// The samples of the mean, shrunk towards the private centre, and the expected squared error of each: free. Coordinates that the modes have
    /// not are the rough centre's. Coefficients beyond all of them are the template's; their error is what a mean is expected to have there
    /// (`beyond`) that lies as far off in the others as this one.
    ///
    /// `None` for a release of other coordinates.
    pub fn mean(&self, released: &NoisedModes) -> Option<Estimate> {
        let (leading, NoisedModes { recentred, moments }) = (&self.leading, released);
        let k = self.modes.dimension();
        if recentred.centre.len() != k || moments.mean.len() != k {
            return None;
        }
        let noise = vec![moments.mean_sigma * moments.mean_sigma; k];
        let expected = Expectation { energy: recentred.error.max(f64::MIN_POSITIVE), doubt: DOUBT };
        let shrunk = wiener(&moments.mean, &noise, &leading.prior()[..k], expected);
        let mut u: Vec<f64> = recentred.centre.iter().zip(&shrunk.values).map(|(c, y)| c + y).collect();
        let mut errors = shrunk.errors;
        u.extend(&recentred.rest.values);
        errors.extend(&recentred.rest.errors);
        let off = u.iter().zip(&errors).zip(leading.roots());
        let off: f64 = off.map(|((u, error), root)| (u * u + error) / (root * root)).sum();
        let share = beyond(u.len());
        let beyond_them = leading.variances_beyond(off * share / (1.0 - share));
        let mut errors: Vec<f64> =
            leading.variances(&errors).iter().zip(beyond_them).map(|(e, b)| e + b).collect();
        let samples = leading.samples(&u);
        let centre = leading.samples(&recentred.whole_centre());
        recentred.unseen.add_to(&mut errors, &samples, [&centre, leading.template()]);
        Some(Estimate { samples, errors })
    }

    /// The mean square distance of single records from their mean, unweighted, all coefficients: what the k have, and in proportion what
    /// the public spectrum expects beyond them.
    pub fn record_spread(&self, modes: &Modes) -> Spread {
        let grown = 1.0 / self.looked().1;
        Spread { square: modes.total * grown, noise: modes.total_noise * grown }
    }

    /// Of how many leading coefficients modes are made, and their share of a record's variance by the public spectrum.
    pub fn looked(&self) -> (usize, f64) {
        let k = self.modes.dimension();
        (k, 1.0 / (1.0 + self.leading.beyond(k)))
    }

    /// The mechanism on vectors.
    pub fn vectors(&self) -> &VectorModes {
        &self.modes
    }
}

impl Mechanism for FunctionalModes {
    type Records = dyn FunctionRecords;
    type Prepared<'a> = PreparedVectors<'a>;
    type Value = NoisedModes;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        self.modes.price()
    }

    fn prepare<'a>(&'a self, records: &'a Self::Records) -> Result<PreparedVectors<'a>, MechanismError> {
        self.modes.prepare_all(self.leading.vectors(records, HELD)?)
    }

    fn draw(
        &self,
        prepared: &PreparedVectors<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedModes>, MechanismError> {
        self.modes.draw(prepared, noise, paid)
    }
}

impl InPasses for FunctionalModes {
    fn whole_price(&self) -> &Price {
        self.modes.price()
    }

    fn passes(&self) -> Result<usize, MechanismError> {
        Ok(self.modes.passes())
    }

    fn sum_pass(&self, before: &[&PassOf], some: SomeRecords<'_>) -> Result<PassSum, MechanismError> {
        self.modes.pass_sum(&of_modes(before)?, &self.leading.vectors(some.samples, 0)?, some.first)
    }

    fn check_pass(&self, before: &[&PassOf], sum: &PassSum) -> Result<(), MechanismError> {
        self.modes.pass_check(&of_modes(before)?, sum)
    }

    fn draw_pass(
        &self,
        (before, sum): (&[&PassOf], &PassSum),
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<PassOf>, MechanismError> {
        let Drawn { value, parts } = self.modes.pass_draw((&of_modes(before)?, sum), noise, paid)?;
        Ok(Drawn { value: PassOf::Modes(value), parts })
    }
}

fn of_modes<'a>(before: &[&'a PassOf]) -> Result<Vec<&'a AboutPass<NoisedModes>>, MechanismError> {
    let one = |pass: &&'a PassOf| if let PassOf::Modes(pass) = *pass { Ok(pass) } else { Err(OTHER_PASS) };
    before.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::Domain;

    #[test]
    fn functions_are_noised_as_their_coordinates() {
        let basis = Basis::new(Domain::Circle { samples: 16 }, 2);
        let modes = FunctionalModes::new(basis, vec![0.5; 32], 1.0, Mu::new(1.0).unwrap(), 50).unwrap();
        assert_eq!((modes.coordinates().len(), modes.vectors().dimension()), (32, 16));
        let records: Vec<Option<Vec<f64>>> = (0..50).map(|i| (i % 7 > 0).then(|| vec![0.51; 32])).collect();
        let vectors = modes.coordinates().of_records(&records).unwrap();
        let draw = |prepared: PreparedVectors<'_>| {
            let mut noise = NoiseSource::seeded(4);
            let paid =
                crate::privacy::pay(modes.price(), &mut crate::privacy::Ledger::in_memory(None)).unwrap();
            modes.draw(&prepared, &mut noise, paid).unwrap().value
        };
        assert_eq!(draw(modes.prepare(&records).unwrap()), draw(modes.vectors().prepare(&vectors).unwrap()));
        assert!(modes.prepare(&vec![Some(vec![0.5; 31]); 50]).is_err());
    }

    /// Everybody has a ripple that no mode looks at: the mean has it, within what it states.
    #[test]
    fn the_mean_has_coordinates_that_modes_have_not() {
        let (points, n) = (256, 400);
        let basis = Basis::new(Domain::Circle { samples: points }, 1);
        let modes = FunctionalModes::new(basis, vec![0.0; points], 100.0, Mu::new(19.0).unwrap(), n).unwrap();
        let ripple: Vec<f64> =
            (0..points).map(|i| 0.1 * (std::f64::consts::TAU * 110.0 * i as f64 / 256.0).cos()).collect();
        let k = modes.vectors().dimension();
        // However many people there are.
        let many = FunctionalModes::new(
            Basis::new(Domain::Circle { samples: points }, 1),
            vec![0.0; points],
            1.0,
            Mu::new(1.0).unwrap(),
            10_000_000,
        );
        assert_eq!(many.unwrap().coordinates().len(), points);
        let u = modes.coordinates().coordinates(&ripple);
        assert!(k < u.len() && u[..k].iter().all(|u| u.abs() < 1e-9), "{k} of {}", u.len());
        let records = vec![Some(ripple.clone()); n as usize];
        let mut noise = NoiseSource::seeded(1);
        let mut ledger = crate::privacy::Ledger::in_memory(None);
        let released = crate::privacy::release(&modes, &records, &mut ledger, &mut noise).unwrap().value;
        let found = modes.mean(&released).unwrap();
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let off: Vec<f64> = found.samples.iter().zip(&ripple).map(|(a, b)| a - b).collect();
        let ratio = found.errors.iter().sum::<f64>() / square(&off);
        assert!(square(&off) < 0.3 * square(&ripple), "{} of {}", square(&off), square(&ripple));
        assert!((0.4..2.5).contains(&ratio), "stated over found: {ratio}");
    }
}
