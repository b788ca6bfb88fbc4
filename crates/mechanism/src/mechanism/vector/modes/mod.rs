//! Mean and second moment of vectors about a private centre: what modes of variation are made of.

#[cfg(test)]
mod tests;
mod worst_case;

pub use worst_case::ENTRY;

use super::{AboutCentre, Given, PreparedVectors, Recentred, Recentring, VectorRecords};
use crate::mechanism::quantile::BisectedRadius;
use crate::mechanism::rounds::{BRACKET, Shares};
use crate::mechanism::{MechanismError, unseen};
use crate::privacy::noise::{ClippedMoments, NoiseSource, NoisedMoments};
use crate::privacy::{Charge, ClipRadius, Drawn, Mechanism, Mu, Price, PrivacyLoss, Title};
use serde::{Deserialize, Serialize};

const TITLE: Title = Title {
    name: "second moment about a private centre",
    sentence: "A first, rough private mean serves as centre; a radius about it is read off noised counts where there are records enough; \
               then every record's deviation from the private centre is shortened to that radius, the deviations are averaged, and so \
               are the products of all their coordinates; normal noise that covers what any one record can do to both together is added.",
};

/// The share of the records that a clip may meet is this times k/(nμ), of k coordinates. On ICT faces, where k = 73 at nμ = 1000, it leaves three
/// variances .06 off there in place of .08 with half of the records (without privacy .02), and .04 for .05 at nμ = 3000; five modes explain .003 less.
const CLIPPED: f64 = 3.5;

/// How the two rounds share the budget of n records at μ, of k coordinates. Where little can be seen the radius holds half of the records: a tight clip
/// spares noise, and costs eigenvalues, which can be undone if records are normal. With more it holds all but 3.5 k/(nμ), so that
/// less and less is left to that.
pub fn shares(n: u64, mu: f64, k: usize) -> Shares {
    let much = n as f64 * mu;
    let most = BisectedRadius::most_share(n, SHARES.radius * mu).min(0.99);
    let held = (1.0 - CLIPPED * k as f64 / much).min(most).max(SHARES.held);
    Shares { held, ..SHARES }
}

/// Without a radius, and at the least. (Fitted on public populations of faces; shares of .1 to .4 for the first round differ by little.)
pub const SHARES: Shares = Shares {
    first: 0.15,
    radius: 0.15,
    countable: 60.0,
    held: 0.5,
    uncounted: 0.6,
    widened: 1.0,
    excess: 0.0,
    measured: 0.0,
    bracket: BRACKET,
};

/// The ratio s between mean and matrix at which each has 1.25 times the noise that it would have alone.
pub const RATIO: f64 = 0.5;

/// Mean and second moment of vectors in two rounds.
///
#[doc = include_str!("proof.md")]
///
/// # Failed records
/// `None`, or a coordinate that is not finite, contributes zero in every round: as the public origin first, then as the private centre.
#[derive(Debug, Clone)]
pub struct VectorModes {
    price: Price,
    recentring: Recentring,
}

/// What was released: all of it noised or made of noised values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoisedModes {
    /// The private centre and the radius about it.
    pub recentred: Recentred,
    /// Mean and second moment of the clipped deviations from that centre.
    pub moments: NoisedMoments,
}

impl VectorModes {
    /// Of `n` vectors with coordinates of expected variances `prior` (up to scale), within `public` of the public origin as a rule; the
    /// whole release has the budget `mu`.
    ///
    /// # Errors
    /// [`MechanismError`], about public numbers.
    pub fn new(prior: Vec<f64>, public: ClipRadius, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        Self::looking_at(prior.len(), prior, public, n, mu)
    }

    /// The same whose second round, and radius, look at the first k coordinates only; the rough centre has all.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn looking_at(
        k: usize,
        prior: Vec<f64>,
        public: ClipRadius,
        n: u64,
        mu: Mu,
    ) -> Result<Self, MechanismError> {
        let recentring = Recentring::new(shares(n, mu.get(), k), prior, public, n, mu)?.looking_at(k);
        let k = recentring.dimension();
        let what = format!(
            "mean deviation from a private centre and second moment, {k} coordinates; with {}",
            unseen::WHAT
        );
        let mut price = Price::new(TITLE, n, PrivacyLoss::Gaussian(mu), &what)?;
        price.parts = recentring.parts("mean and second moment about the private centre");
        let modes = Self { price, recentring };
        // A scale that the noise cannot be drawn on is found out before anything is paid.
        let second = modes.second(modes.recentring.public_radius()?)?;
        if modes.recentring.counts_radius() {
            return Ok(modes);
        }
        let Price { sensitivity, scale, clip, .. } = *second.price();
        Ok(Self { price: Price { sensitivity, scale, clip, ..modes.price.clone() }, ..modes })
    }

    /// The same, with what is noised in the words of whoever made the vectors.
    pub(in crate::mechanism) fn of(mut self, statistic: String) -> Self {
        self.price.statistic = statistic;
        self
    }

    /// k.
    pub fn dimension(&self) -> usize {
        self.recentring.dimension()
    }

    /// The first round.
    pub fn recentring(&self) -> &Recentring {
        &self.recentring
    }

    /// The second round with this radius.
    fn second(&self, radius: ClipRadius) -> Result<ClippedMoments, MechanismError> {
        let (k, n) = (self.dimension(), self.price.n);
        Ok(ClippedMoments::new(k, (0..k).collect(), n, radius, self.recentring.second(), RATIO)?)
    }
}

impl AboutCentre for VectorModes {
    type Second = ClippedMoments;
    type Value = NoisedModes;

    fn first_round(&self) -> &Recentring {
        &self.recentring
    }

    fn moments(&self, centre: &Recentred) -> Result<Vec<ClippedMoments>, MechanismError> {
        Ok(vec![self.second(centre.radius)?])
    }

    fn placed(&self, _: usize, (record, _): Given<'_>, centre: &Recentred) -> Option<(usize, Vec<f64>)> {
        Some((0, centre.about(record)))
    }

    fn value(&self, recentred: Recentred, moments: Vec<NoisedMoments>) -> Option<NoisedModes> {
        Some(NoisedModes { recentred, moments: moments.into_iter().next()? })
    }
}

impl Mechanism for VectorModes {
    type Records = VectorRecords;
    type Prepared<'a> = PreparedVectors<'a>;
    type Value = NoisedModes;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare<'a>(&'a self, records: &'a VectorRecords) -> Result<PreparedVectors<'a>, MechanismError> {
        self.prepare_all(records.into())
    }

    fn draw(
        &self,
        prepared: &PreparedVectors<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedModes>, MechanismError> {
        self.draw_all(prepared, noise, paid)
    }
}
