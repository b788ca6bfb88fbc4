//! A clip radius by bisection: a few noised counts, for budgets too small for a whole histogram.

use super::RadiusGrid;
use crate::mechanism::MechanismError;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    Charge, ClipRadius, ClipSource, Drawn, L2Sensitivity, Mechanism, Mu, NoisedPart, Price, PrivacyLoss,
    Sensitivity, Title,
};
use serde::{Deserialize, Serialize};

pub(super) const TITLE: Title = Title {
    name: "private clip radius by bisection",
    sentence: "A public bracket of radii is halved seven times; each time the records inside the middle radius are counted, normal noise \
               is added to the count, and the half that holds the wanted share of the records is kept.",
};

/// Counts.
pub(in crate::mechanism) const STEPS: usize = 7;

/// A quantile of norms by bisection, under Gaussian differential privacy.
///
#[doc = include_str!("bisect.md")]
#[derive(Debug, Clone)]
pub struct BisectedRadius {
    bracket: Bracket,
    /// That of the other lengths, where there are some.
    other: Option<Bracket>,
    share: f64,
    mu: Mu,
    price: Price,
}

/// What is counted: one length of each record, and another one to go on with where the first count says that too few are inside.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lengths {
    /// Of each record.
    pub first: Vec<f64>,
    /// In another norm, where there is a choice.
    pub other: Vec<f64>,
}

impl From<Vec<f64>> for Lengths {
    fn from(first: Vec<f64>) -> Self {
        Self { first, other: Vec::new() }
    }
}

/// Where the radius is known to lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    low: f64,
    high: f64,
}

impl Bracket {
    /// Where the next count is taken.
    pub fn middle(self) -> f64 {
        (self.low * self.high).sqrt()
    }

    /// The half that holds the wanted share, given whether the middle radius does.
    pub fn halved(self, enough: bool) -> Self {
        let (low, high) = if enough { (self.low, self.middle()) } else { (self.middle(), self.high) };
        Self { low, high }
    }

    /// Its upper end: the radius, in the end.
    pub fn high(self) -> f64 {
        self.high
    }
}

/// A private radius, and the noised counts it was read off: as private as the radius.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BisectedRelease {
    /// The radius.
    pub radius: ClipRadius,
    /// The noised counts, in the order of the bisection.
    pub counts: Vec<f64>,
    /// Whether it is one of the other lengths.
    #[serde(default)]
    pub other: bool,
}

impl BisectedRadius {
    /// The radius between `low` and `high` of the grid (its ratio does not matter) that holds about `share` of n norms, at privacy
    /// loss μ = `mu`.
    ///
    /// # Errors
    /// [`MechanismError`]: a bracket or share out of range, n = 0.
    pub fn new(bracket: &RadiusGrid, share: f64, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        let RadiusGrid { low, high, .. } = *bracket;
        if !(low > 0.0 && high > low && high.is_finite()) {
            return Err(MechanismError::Grid);
        }
        if !(share > 0.0 && share < 1.0) {
            return Err(MechanismError::Share);
        }
        let sensitivity = L2Sensitivity::new(1.0)?;
        let deviation = Self::count_deviation(mu.get());
        let what = "counts of the records' norms inside public radii";
        let price = Price::new(TITLE, n, PrivacyLoss::Gaussian(mu), what)?
            .with_noise(Sensitivity::L2(sensitivity), deviation);
        Ok(Self { bracket: Bracket { low, high }, other: None, share, mu, price })
    }

    /// With a choice: where the first count says that the middle radius does not hold the wanted share, the search goes on among other lengths
    /// of the records, between these radii.
    ///
    /// # Errors
    /// [`MechanismError::Grid`] for a bracket out of range.
    pub fn or_else(mut self, other: &RadiusGrid) -> Result<Self, MechanismError> {
        let RadiusGrid { low, high, .. } = *other;
        if !(low > 0.0 && high > low && high.is_finite()) {
            return Err(MechanismError::Grid);
        }
        self.other = Some(Bracket { low, high });
        Ok(self)
    }
}

impl BisectedRadius {
    /// Where the search begins.
    pub(in crate::mechanism) fn bracket(&self) -> Bracket {
        self.bracket
    }

    /// The least share that can be asked for without the counts' noise saying now and then that all records are too few: two of its standard
    /// deviations below the whole, of n records at this μ.
    pub(in crate::mechanism) fn most_share(n: u64, mu: f64) -> f64 {
        1.0 - 2.0 * Self::count_deviation(mu) / n as f64
    }

    /// What each count costs, rounded down, so that all compose to no more than what was paid.
    pub(in crate::mechanism) fn each(&self) -> Result<Mu, MechanismError> {
        Ok(Mu::new(self.mu.get() / (STEPS as f64).sqrt().next_up())?)
    }

    /// Whether so many of n records are the share that is wanted.
    pub(in crate::mechanism) fn is_enough(&self, count: f64, n: f64) -> bool {
        count >= self.share * n
    }

    /// Standard deviation of the noise in each count at this μ.
    pub(in crate::mechanism) fn count_deviation(mu: f64) -> f64 {
        (STEPS as f64).sqrt() / mu
    }
}

impl Mechanism for BisectedRadius {
    type Records = Lengths;
    type Prepared<'a> = &'a Lengths;
    type Value = BisectedRelease;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare<'a>(&'a self, lengths: &'a Lengths) -> Result<&'a Lengths, MechanismError> {
        let n = self.price.n;
        let others = if self.other.is_some() { n } else { 0 };
        if lengths.first.len() as u64 != n || lengths.other.len() as u64 != others {
            return Err(MechanismError::Shape("the number of norms is not the n that was declared"));
        }
        Ok(lengths)
    }

    fn draw(
        &self,
        lengths: &&Lengths,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<BisectedRelease>, MechanismError> {
        let each = self.each()?;
        let sensitivity = L2Sensitivity::new(1.0)?;
        let mut bracket = self.bracket();
        let (mut counts, mut description) = (Vec::new(), None);
        let (mut norms, mut choice) = (&lengths.first, self.other);
        for paid in paid.split(&[PrivacyLoss::Gaussian(each); STEPS])? {
            let middle = bracket.middle();
            // A comparison with NaN is false: such a norm would be outside at every radius.
            let inside = norms.iter().filter(|norm| norm.is_nan() || **norm <= middle).count();
            let drawn = noise.gaussian_vector(&[inside as f64], sensitivity, each, paid)?;
            let count = drawn.values.first().copied().unwrap_or_default();
            counts.push(count);
            description = Some(drawn.noise);
            let enough = self.is_enough(count, self.price.n as f64);
            // The choice is there for the first count only.
            bracket = match choice.take().filter(|_| !enough) {
                Some(other) => {
                    norms = &lengths.other;
                    other
                }
                None => bracket.halved(enough),
            };
        }
        let noise = description.ok_or(MechanismError::Grid)?;
        let part = NoisedPart {
            what: self.price.mechanism.clone(),
            loss: self.price.loss,
            sensitivity: Sensitivity::L2(sensitivity),
            clip: None,
            noise,
            expected_error: None,
        };
        let radius = ClipRadius::new(bracket.high(), ClipSource::Private)?;
        let other = std::ptr::eq(norms, &lengths.other);
        Ok(Drawn { value: BisectedRelease { radius, counts, other }, parts: vec![part] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{Ledger, release};

    #[test]
    fn the_quantile_is_found_within_the_counts_noise() {
        let bracket = RadiusGrid { low: 0.02, high: 0.16, ratio: 2.0 };
        let norms: Vec<f64> = (0..1000).map(|i| 0.03 + 0.04 * f64::from(i) / 1000.0).collect();
        let norms = Lengths::from(norms);
        for (share, expected) in [(0.5, 0.05), (0.95, 0.068)] {
            let radius = BisectedRadius::new(&bracket, share, 1000, Mu::new(0.5).unwrap()).unwrap();
            for seed in 0..30 {
                let mut noise = NoiseSource::seeded(seed);
                let released = release(&radius, &norms, &mut Ledger::in_memory(None), &mut noise).unwrap();
                // A count is off by 5 of 1000 (one standard deviation), the bracket ends within 1.7 %.
                let found = released.value.radius;
                assert!((found.get() / expected - 1.0).abs() < 0.06, "{share}: {}", found.get());
                assert_eq!(found.source(), ClipSource::Private);
                assert_eq!(released.value.counts.len(), STEPS);
            }
        }
    }

    #[test]
    fn what_cannot_be_asked_is_refused() {
        let mu = Mu::new(1.0).unwrap();
        let of = |low, high, share, n| {
            BisectedRadius::new(&RadiusGrid { low, high, ratio: 2.0 }, share, n, mu).is_err()
        };
        assert!(of(0.0, 1.0, 0.5, 9) && of(1.0, 1.0, 0.5, 9) && of(1.0, f64::INFINITY, 0.5, 9));
        assert!(of(1.0, 2.0, 0.0, 9) && of(1.0, 2.0, 1.0, 9) && of(1.0, 2.0, 0.5, 0));
        assert!(!of(1.0, 2.0, 0.5, 9));
        let radius =
            BisectedRadius::new(&RadiusGrid { low: 1.0, high: 2.0, ratio: 2.0 }, 0.5, 3, mu).unwrap();
        assert!(radius.prepare(&Lengths::from(vec![1.0])).is_err());
        // A choice needs other lengths, and is between proper radii.
        let choice = radius.clone().or_else(&RadiusGrid { low: 2.0, high: 9.0, ratio: 2.0 }).unwrap();
        let one = Lengths::from(vec![1.0; 3]);
        assert!(radius.prepare(&one).is_ok() && choice.prepare(&one).is_err());
        assert!(radius.or_else(&RadiusGrid { low: 2.0, high: 2.0, ratio: 2.0 }).is_err());
    }

    #[test]
    fn other_lengths_are_searched_where_the_first_radius_holds_too_few() {
        let mu = Mu::new(3.0).unwrap();
        let bracket = RadiusGrid { low: 0.1, high: 10.0, ratio: 2.0 };
        let radius = BisectedRadius::new(&bracket, 0.9, 400, mu).unwrap().or_else(&bracket).unwrap();
        let found = |first: f64| {
            let lengths = Lengths { first: vec![first; 400], other: vec![3.0; 400] };
            let mut noise = NoiseSource::seeded(1);
            release(&radius, &lengths, &mut Ledger::in_memory(None), &mut noise).unwrap().value
        };
        let (inside, beyond) = (found(0.5), found(2.0));
        assert!(!inside.other && (0.5..0.52).contains(&inside.radius.get()), "{inside:?}");
        assert!(beyond.other && (3.0..3.3).contains(&beyond.radius.get()), "{beyond:?}");
        assert_eq!((inside.counts.len(), beyond.counts.len()), (STEPS, STEPS));
    }
}
