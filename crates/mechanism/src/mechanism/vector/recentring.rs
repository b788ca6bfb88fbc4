//! The first round: a rough private centre, and a private radius about it.

use super::Vectors;
use crate::estimate::wiener;
use crate::function::shrink::{Expectation, Shrunk};
use crate::mechanism::quantile::{BisectedRadius, Lengths};
use crate::mechanism::rounds::{PaidRounds, Rounds, Shares};
use crate::mechanism::{MechanismError, UnseenShares, unseen};
use crate::privacy::noise::{NoiseError, NoiseSource};
use crate::privacy::{
    Charge, ClipRadius, ClippedMean, ClippedSum, Composition, Drawn, IncompleteMean, Mechanism, Mu,
    NoisedPart,
};
use serde::{Deserialize, Serialize};

/// The squared distance of the mean from the origin that is expected, as a share of the squared public radius, and the standard
/// deviation of its logarithm: weak expectations, for shrinkage only. (Templates lie .012 to .03 from the means of public populations of
/// faces, whose public radius is .045.)
pub(super) const EXPECTED: (f64, f64) = (0.075, 0.65);

/// The standard deviation of the logarithm of the squared distance in coordinates that only the rough centre has.
const DOUBT_OF_REST: f64 = 1.5;

/// What is expected of a rough mean's distance from the origin, where records are clipped to this public radius.
fn rough_expectation(public: ClipRadius) -> Expectation {
    Expectation { energy: EXPECTED.0 * public.get().powi(2), doubt: EXPECTED.1 }
}

/// A rough mean's first k coordinates, shrunk, and the rest by itself: what is expected there is as the prior shares it out, but how rough a public
/// origin is, compared with how records differ, is known less well.
pub(in crate::mechanism) fn shrunk_in_two(
    noised: &[f64],
    variances: &[f64],
    prior: &[f64],
    k: usize,
    public: ClipRadius,
) -> (Shrunk, Rest) {
    let whole = rough_expectation(public);
    let sum = |of: &[f64]| of.iter().sum::<f64>();
    let of_rest = Expectation { energy: sum(&prior[k..]) / sum(prior) * whole.energy, doubt: DOUBT_OF_REST };
    let Shrunk { values, errors } = wiener(&noised[k..], &variances[k..], &prior[k..], of_rest);
    (wiener(&noised[..k], &variances[..k], &prior[..k], whole), Rest { values, errors })
}

/// A private centre and a private radius for vectors: what comes before every second round. The rough mean is a
/// [`ClippedMean`] about the public origin, with the shares of the records that cannot be used and that were filled in as two more coordinates; the radius is a [`BisectedRadius`] of distances from the released centre, where there are
/// records enough, else a public one. Adaptive composition of Gaussian differential privacy does the rest: centre and radius are noised
/// values, so what follows may depend on them as on public numbers.
#[derive(Debug, Clone)]
pub struct Recentring {
    rounds: Rounds,
    first: ClippedMean,
    radius: Option<BisectedRadius>,
    public: ClipRadius,
    prior: Vec<f64>,
    /// How many of the coordinates, the first, the second round looks at.
    looked_at: usize,
    n: u64,
}

/// The clipped records' sum about the public origin: secret.
pub struct RoughCentre(ClippedSum);

/// The private centre's coordinates that no later round looks at.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Rest {
    /// About the public origin.
    pub values: Vec<f64>,
    /// Their expected squared errors.
    pub errors: Vec<f64>,
}

/// What the first round released.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recentred {
    /// The private centre, k coordinates about the public origin.
    pub centre: Vec<f64>,
    /// The coordinates after these, where there are any.
    #[serde(default)]
    pub rest: Rest,
    /// Its expected squared error, all coordinates together.
    pub error: f64,
    /// The radius about it.
    pub radius: ClipRadius,
    /// Which shares of the records it was made without.
    #[serde(default)]
    pub unseen: UnseenShares,
}

impl Recentring {
    /// For `n` records with coordinates of expected variances `prior` (up to scale), clipped to `public` about the public origin; the whole
    /// release has the budget `mu`.
    ///
    /// # Errors
    /// [`MechanismError`], about public numbers.
    pub fn new(
        shares: Shares,
        prior: Vec<f64>,
        public: ClipRadius,
        n: u64,
        mu: Mu,
    ) -> Result<Self, MechanismError> {
        let rounds = Rounds::new(shares, n, mu)?;
        let first = ClippedMean::new(prior.len() + unseen::COORDINATES, n, public, rounds.first)?;
        let radius = rounds.bisected(public)?;
        rounds.uncounted(public)?;
        Ok(Self { rounds, first, radius, public, looked_at: prior.len(), prior, n })
    }

    /// With a second round, and a radius, of the first k coordinates only; the rough centre has all.
    pub fn looking_at(mut self, k: usize) -> Self {
        self.looked_at = k.min(self.prior.len());
        self
    }

    /// The same over so many records, where fewer take part than were planned for.
    pub(in crate::mechanism) fn of_records(self, n: u64) -> Self {
        Self { n, ..self }
    }

    /// k: how many coordinates the second round looks at.
    pub fn dimension(&self) -> usize {
        self.looked_at
    }

    /// Number of records.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// The expected variances of a record's coordinates, up to scale.
    pub fn prior(&self) -> &[f64] {
        &self.prior
    }

    /// What the rough centre costs.
    pub fn first(&self) -> Mu {
        self.rounds.first
    }

    /// What is left for the second round.
    pub fn second(&self) -> Mu {
        self.rounds.second
    }

    /// The radius of the second round where it is public: before any data, what noise there will be at most.
    ///
    /// # Errors
    /// [`MechanismError`] for a radius out of range.
    pub fn public_radius(&self) -> Result<ClipRadius, MechanismError> {
        if self.radius.is_some() { Ok(self.public) } else { self.rounds.uncounted(self.public) }
    }

    /// The public radius of the first round.
    pub fn public(&self) -> ClipRadius {
        self.public
    }

    /// Whether the second round's radius is counted.
    pub fn counts_radius(&self) -> bool {
        self.radius.is_some()
    }

    /// What the whole release is composed of; `second` names its second round.
    pub fn parts(&self, second: &str) -> Composition {
        self.rounds.parts("rough mean, the private centre", self.radius.as_ref(), second)
    }

    /// A payment for the whole release, in parts.
    ///
    /// # Errors
    /// [`MechanismError`] when it is for something else.
    pub fn split(&self, paid: Charge) -> Result<PaidRounds, MechanismError> {
        self.rounds.split(paid)
    }

    /// Adds up the records.
    ///
    /// # Errors
    /// [`MechanismError`] for another number or length of records.
    pub fn prepare(&self, records: &Vectors<'_>) -> Result<RoughCentre, MechanismError> {
        let sum = self.sum(records)?;
        sum.check_complete().map_err(NoiseError::from)?;
        Ok(RoughCentre(sum))
    }

    /// The same of records that may be some of the n.
    pub(in crate::mechanism) fn sum(&self, records: &Vectors<'_>) -> Result<ClippedSum, MechanismError> {
        let mut sum = self.first.sum();
        let (length, radius) = (self.prior.len(), self.public.get());
        let mut vector = Vec::with_capacity(self.first.dimension());
        let mut add = |i: usize, record: Option<&[f64]>| {
            if let Some(found) = record.map(<[f64]>::len).filter(|found| *found != length) {
                return Err(IncompleteMean::Length { expected: length, found });
            }
            let usable = record.filter(|u| u.iter().all(|x| x.is_finite()));
            vector.clear();
            match usable {
                Some(u) => vector.extend_from_slice(u),
                None => vector.resize(length, 0.0),
            }
            vector.extend(unseen::coordinates(usable.is_some(), records.filled(i), radius));
            sum.add(Some(&vector))
        };
        records.each(&mut add).map_err(NoiseError::from)?;
        Ok(sum)
    }

    /// A sum that was written down.
    pub(in crate::mechanism) fn read_sum(
        &self,
        (given, sums): (u64, Vec<i128>),
    ) -> Result<RoughCentre, MechanismError> {
        let sum = self.first.read_sum(given, sums).map_err(NoiseError::from)?;
        sum.check_complete().map_err(NoiseError::from)?;
        Ok(RoughCentre(sum))
    }

    /// Draws the centre and the radius, with their parts of the payment ([`Self::split`]).
    ///
    /// # Errors
    /// [`MechanismError`].
    pub fn draw(
        &self,
        rough: &RoughCentre,
        records: &Vectors<'_>,
        noise: &mut NoiseSource,
        first: Charge,
        radius: Option<Charge>,
    ) -> Result<Drawn<Recentred>, MechanismError> {
        let centre = self.draw_centre(rough, noise, first)?;
        let Some(paid) = radius.filter(|_| self.counts_radius()) else { return Ok(centre) };
        let Drawn { value, mut parts } = centre;
        let drawn = self.draw_radius(&value, &value.lengths(records)?, noise, paid)?;
        parts.extend(drawn.parts);
        Ok(Drawn { value: drawn.value, parts })
    }

    /// The centre, with the public radius.
    pub(in crate::mechanism) fn draw_centre(
        &self,
        rough: &RoughCentre,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<Recentred>, MechanismError> {
        let Drawn { value: mut noised, parts } = self.rough(rough, noise, paid)?;
        let sigma = self.first.scale();
        let shares = noised.split_off(self.prior.len()).try_into();
        let shares =
            shares.map_err(|_| MechanismError::Shape("a rough mean has two shares after its coordinates"))?;
        let variances = vec![sigma * sigma; noised.len()];
        let (first, rest) = shrunk_in_two(&noised, &variances, &self.prior, self.looked_at, self.public);
        let value = Recentred {
            error: first.errors.iter().sum(),
            centre: first.values,
            rest,
            radius: self.rounds.uncounted(self.public)?,
            unseen: UnseenShares::of(shares, sigma, self.public.get()),
        };
        Ok(Drawn { value, parts })
    }

    /// The same with a radius that is counted, of the records' lengths about it.
    pub(in crate::mechanism) fn draw_radius(
        &self,
        centre: &Recentred,
        lengths: &Lengths,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<Recentred>, MechanismError> {
        let uncounted = MechanismError::Shape("no radius is counted here");
        let quantile = self.radius.as_ref().ok_or(uncounted)?;
        let Drawn { value, parts } = quantile.draw(&quantile.prepare(lengths)?, noise, paid)?;
        let radius = self.rounds.widened(value.radius)?;
        Ok(Drawn { value: Recentred { radius, ..centre.clone() }, parts })
    }

    fn rough(
        &self,
        rough: &RoughCentre,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<Vec<f64>>, MechanismError> {
        let price = self.first.price();
        let drawn = self.first.noised(&rough.0, noise, paid)?;
        let part = NoisedPart {
            what: price.mechanism.clone(),
            loss: price.loss,
            sensitivity: price.sensitivity.ok_or(MechanismError::Shape("the mean has no sensitivity"))?,
            clip: Some(self.public),
            noise: drawn.noise,
            expected_error: None,
        };
        Ok(Drawn { value: drawn.values, parts: vec![part] })
    }
}

impl Recentred {
    /// The private centre in all coordinates that there are, about the public origin.
    pub fn whole_centre(&self) -> Vec<f64> {
        [&self.centre[..], &self.rest.values].concat()
    }

    /// How far the records lie from the private centre: secret.
    pub(in crate::mechanism) fn lengths(&self, records: &Vectors<'_>) -> Result<Lengths, MechanismError> {
        let mut norms = Vec::with_capacity(records.count());
        records.each(|_, record| {
            norms.push(self.about(record).iter().map(|x| x * x).sum::<f64>().sqrt());
            Ok::<_, MechanismError>(())
        })?;
        Ok(Lengths::from(norms))
    }

    /// A record's deviation from the private centre in the k coordinates that the second round looks at, before it is clipped; zero for a
    /// failed record, or one that is not finite, which so drags nothing back to the public origin.
    pub fn about(&self, record: Option<&[f64]>) -> Vec<f64> {
        match record {
            Some(u) if u.iter().all(|x| x.is_finite()) => {
                u.iter().zip(&self.centre).map(|(u, c)| u - c).collect()
            }
            _ => vec![0.0; self.centre.len()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::VectorRecords;
    use super::super::modes::SHARES;
    use super::*;
    use crate::privacy::{ClipSource, Cost, Ledger, Part, PrivacyLoss};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    fn recentring(n: u64, mu: f64) -> Recentring {
        let public = ClipRadius::new(4.0, ClipSource::Public).unwrap();
        Recentring::new(SHARES, vec![1.0, 0.5, 0.25], public, n, Mu::new(mu).unwrap()).unwrap()
    }

    fn draw(recentring: &Recentring, records: &VectorRecords, seed: u64) -> Drawn<Recentred> {
        let mut ledger = Ledger::in_memory(None);
        let cost = Cost::Parts(recentring.parts("the rest"));
        let charge = ledger
            .announce(Part { mechanism: "a release".into(), times: 1, cost })
            .and_then(|announced| announced.pay());
        let paid = recentring.split(charge.unwrap()).unwrap();
        let records = &Vectors::from(records);
        let rough = recentring.prepare(records).unwrap();
        let mut noise = NoiseSource::seeded(seed);
        recentring.draw(&rough, records, &mut noise, paid.first, paid.radius).unwrap()
    }

    #[test]
    fn centre_and_radius_are_found_and_failed_records_contribute_zero() {
        let (n, mu) = (4000, 3.0);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let mut records: Vec<Option<Vec<f64>>> =
            (0..n).map(|_| Some(vec![1.0 + 0.4 * normal(), 0.4 * normal(), -0.5 + 0.4 * normal()])).collect();
        let recentring = recentring(n, mu);
        let Drawn { value, parts } = draw(&recentring, &records, 1);
        for (c, expected) in value.centre.iter().zip([1.0, 0.0, -0.5]) {
            assert!((c - expected).abs() < 0.02, "{:?}", value.centre);
        }
        // The median of 0.4 χ₃ is .6153.
        assert!((value.radius.get() / 0.6153 - 1.0).abs() < 0.08, "{}", value.radius.get());
        assert!(value.radius.source() == ClipSource::Private && parts.len() == 2);
        assert!(value.error < 1e-3);
        assert_eq!(value.about(None), [0.0; 3]);
        records.iter_mut().for_each(|record| *record = None);
        let value = draw(&recentring, &records, 2).value;
        assert!(value.centre.iter().all(|c| c.abs() < 0.02));
    }

    #[test]
    fn few_records_have_a_public_radius_and_the_parts_pay_for_the_whole() {
        for (n, mu) in [(20, 1.0), (60, 1.0), (500, 0.5)] {
            let recentring = recentring(n, mu);
            let total = recentring.parts("the rest").mu().unwrap().unwrap().get();
            assert!(total <= mu && total > mu * (1.0 - 1e-9));
            assert_eq!(recentring.counts_radius(), n as f64 * mu >= 60.0);
            if n == 20 {
                let value = draw(&recentring, &vec![None; 20], 3).value;
                assert_eq!((value.radius.get(), value.radius.source()), (2.4, ClipSource::Public));
            }
        }
        let first = PrivacyLoss::Gaussian(Mu::new(0.15f64.sqrt()).unwrap());
        assert_eq!(recentring(20, 1.0).parts("x").parts()[0].loss(), Some(first));
    }
}
