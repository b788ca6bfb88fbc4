//! Means and second moments of two or more groups of vectors about one private centre.

mod aim;
#[cfg(test)]
mod tests;
mod worst_case;

pub use aim::GroupAim;
pub use worst_case::ENTRY;

use super::{AboutCentre, Given, PreparedVectors, Recentred, Recentring, VectorRecords};
use crate::mechanism::{MechanismError, UnseenShares, unseen};
use crate::privacy::noise::{ClippedMoments, NoiseSource, NoisedMoments};
use crate::privacy::{Charge, ClipRadius, Drawn, Mechanism, Mu, Neighbours, Price, PrivacyLoss, Title};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What certificates and ledgers call it.
pub const TITLE: Title = Title {
    name: "groups in two rounds",
    sentence: "A first, rough private mean of all records serves as centre; a radius about it is read off noised counts where there are \
               records enough; then every record's deviation from the private centre is shortened to that radius, and in every group \
               the deviations are averaged, and so are the products of their coefficients, with normal noise added to both; a record is \
               in one group, so each group has the whole of the second round's budget.",
};

/// Which record is in which group: public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupLabels {
    of: Vec<usize>,
    sizes: Vec<u64>,
    sha256: String,
}

impl GroupLabels {
    /// Of the group 0, 1, … of every record.
    ///
    /// # Errors
    /// [`MechanismError::Shape`] for fewer than two groups, or groups of fewer than two records (one record alone is its own mean).
    pub fn new(of: Vec<usize>) -> Result<Self, MechanismError> {
        let groups = of.iter().max().map_or(0, |most| most.saturating_add(1));
        if groups < 2 || groups > of.len() {
            return Err(MechanismError::Shape("a comparison needs two groups at least"));
        }
        let mut sizes = vec![0; groups];
        of.iter().for_each(|&group| sizes[group] += 1);
        if sizes.iter().any(|size| *size < 2) {
            return Err(MechanismError::Shape("every group needs two records at least"));
        }
        let mut hash = Sha256::new();
        of.iter().for_each(|group| hash.update((*group as u64).to_le_bytes()));
        Ok(Self { of, sizes, sha256: hex::encode(hash.finalize()) })
    }

    /// For a release of sums that others have made: the sizes of the groups, and what stands for the partition ([`Self::sha256`]); which record is
    /// where is not known here, so that no record can be added up.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn of_sums(sizes: Vec<u64>, sha256: String) -> Result<Self, MechanismError> {
        if sizes.len() < 2 || sizes.iter().any(|n| *n < 2) {
            return Err(MechanismError::Shape("a comparison needs two groups at least, of two records each"));
        }
        sizes
            .iter()
            .try_fold(0u64, |all, n| all.checked_add(*n))
            .ok_or(MechanismError::Shape("too many records"))?;
        Ok(Self { of: Vec::new(), sizes, sha256 })
    }

    /// Of so many records in each group, the first group's first.
    ///
    /// # Errors
    /// As [`Self::new`]; for more than 2²⁷ records, of which each takes eight bytes here.
    pub fn of_sizes(sizes: &[u64]) -> Result<Self, MechanismError> {
        let many = sizes.iter().try_fold(0u64, |all, n| all.checked_add(*n)).is_none_or(|all| all > 1 << 27);
        if many {
            return Err(MechanismError::Shape("a comparison is of 134 million records at most"));
        }
        let of = sizes.iter().enumerate().flat_map(|(g, n)| std::iter::repeat_n(g, *n as usize));
        let labels = Self::new(of.collect())?;
        // A last group without records would be none.
        if labels.sizes.len() != sizes.len() {
            return Err(MechanismError::Shape("every group needs two records at least"));
        }
        Ok(labels)
    }

    /// The group of every record, where that is known.
    pub fn of(&self) -> &[usize] {
        &self.of
    }

    /// n_g.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// n.
    pub fn n(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// SHA-256 of the partition: the group of every record in their order. No name of a record is in it.
    pub fn sha256(&self) -> String {
        self.sha256.clone()
    }

    /// Who is protected where these labels are published: a record replaced by another of the same group.
    pub fn neighbours(&self) -> Neighbours {
        Neighbours::default().within(self.sha256())
    }
}

/// Means and second moments of groups of vectors.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct VectorGroups {
    price: Price,
    aim: GroupAim,
    recentring: Recentring,
    labels: GroupLabels,
    /// The second moment is taken of the first so many coordinates.
    moments: usize,
}

/// What was released of the groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoisedGroups {
    /// The private centre and radius, common to all.
    pub recentred: Recentred,
    /// Mean and second moment of each group about that centre.
    pub groups: Vec<NoisedMoments>,
    /// Which share of each group's records could not be used, at least.
    #[serde(default)]
    pub unusable: Vec<f64>,
}

impl NoisedGroups {
    /// Of moments whose means have what [`own_unusable`] says of each record as their last coordinate.
    pub(in crate::mechanism) fn new(recentred: Recentred, mut groups: Vec<NoisedMoments>) -> Self {
        let radius = recentred.radius.get();
        let told = |group: &mut NoisedMoments| {
            let share = group.mean.pop().unwrap_or(0.0);
            UnseenShares::of([share, 0.0], group.mean_sigma, radius).unusable
        };
        let unusable = groups.iter_mut().map(told).collect();
        Self { recentred, groups, unusable }
    }
}

/// One more coordinate of a record in its group: the radius of one that cannot be used, which is zero elsewhere. All vectors are in the ball as before.
pub(in crate::mechanism) fn own_unusable(usable: bool, radius: f64) -> f64 {
    unseen::coordinates(usable, 0.0, radius)[0]
}

impl VectorGroups {
    /// For records of these public labels, with coordinates of expected variances `prior` (up to scale) clipped to `public` about the
    /// public origin, set for `aim`, at a total of `mu`.
    ///
    /// # Errors
    /// [`MechanismError`], about public numbers.
    pub fn new(
        aim: GroupAim,
        labels: GroupLabels,
        prior: Vec<f64>,
        public: ClipRadius,
        mu: Mu,
    ) -> Result<Self, MechanismError> {
        let n = labels.n();
        let moments = aim.moments(n, mu).min(prior.len());
        let recentring = Recentring::new(aim.shares(n as f64 * mu.get()), prior, public, n, mu)?;
        let mut price = Price::new(TITLE, n, PrivacyLoss::Gaussian(mu), &statistic(&labels, moments))?
            .for_neighbours(labels.neighbours());
        price.parts = recentring.parts("mean and second moment of each group, a record being in one of them");
        let groups = Self { price, aim, recentring, labels, moments };
        // A scale that the noise cannot be drawn on is found out before anything is paid.
        let widest = groups.about(groups.recentring.public_radius()?)?;
        if !groups.recentring.counts_radius() {
            // The smallest group has the most noise.
            let noisiest = widest.iter().max_by(|a, b| a.mean_sigma().total_cmp(&b.mean_sigma()));
            let Some(part) = noisiest.map(Mechanism::price) else {
                return Err(MechanismError::Shape("a comparison needs two groups at least"));
            };
            let Price { sensitivity, scale, clip, .. } = *part;
            return Ok(Self { price: Price { sensitivity, scale, clip, ..groups.price.clone() }, ..groups });
        }
        Ok(groups)
    }

    /// What it was set for.
    pub fn aim(&self) -> GroupAim {
        self.aim
    }

    /// The public radius of the first round.
    pub fn public(&self) -> ClipRadius {
        self.recentring.public()
    }

    /// Of how many leading coordinates the second moment is taken.
    pub(in crate::mechanism) fn moments(&self) -> usize {
        self.moments
    }

    /// Which record is in which group.
    pub fn labels(&self) -> &GroupLabels {
        &self.labels
    }

    /// Whether the radius is counted, or there are too few records for that and it is public.
    pub fn counts_radius(&self) -> bool {
        self.recentring.counts_radius()
    }

    /// The second round in every group, within this radius: deviations, and whether a record can be used.
    fn about(&self, radius: ClipRadius) -> Result<Vec<ClippedMoments>, MechanismError> {
        let (dimension, mu) = (self.recentring.dimension(), self.recentring.second());
        let one = |n: &u64| {
            let all = dimension + 1;
            ClippedMoments::new(all, (0..self.moments).collect(), *n, radius, mu, ClippedMoments::FREE)
        };
        Ok(self.labels.sizes.iter().map(one).collect::<Result<_, _>>()?)
    }
}

impl AboutCentre for VectorGroups {
    type Second = ClippedMoments;
    type Value = NoisedGroups;

    fn first_round(&self) -> &Recentring {
        &self.recentring
    }

    fn moments(&self, centre: &Recentred) -> Result<Vec<ClippedMoments>, MechanismError> {
        self.about(centre.radius)
    }

    fn placed(&self, i: usize, (record, _): Given<'_>, centre: &Recentred) -> Option<(usize, Vec<f64>)> {
        let usable = record.filter(|u| u.iter().all(|x| x.is_finite()));
        let mut y = centre.about(usable);
        y.push(own_unusable(usable.is_some(), centre.radius.get()));
        Some((*self.labels.of.get(i)?, y))
    }

    fn value(&self, centre: Recentred, moments: Vec<NoisedMoments>) -> Option<NoisedGroups> {
        Some(NoisedGroups::new(centre, moments))
    }
}

/// What is noised, in words.
fn statistic(labels: &GroupLabels, moments: usize) -> String {
    format!(
        "mean of each of {} groups, of coefficients about a common private centre, with the second moment of the {moments} leading \
         ones, and {}; which record is in which group is public, and so are the groups' sizes: neighbours differ in one record, \
         replaced within its group",
        labels.sizes.len(),
        unseen::WHAT
    )
}

impl Mechanism for VectorGroups {
    type Records = VectorRecords;
    type Prepared<'a> = PreparedVectors<'a>;
    type Value = NoisedGroups;
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
    ) -> Result<Drawn<NoisedGroups>, MechanismError> {
        self.draw_all(prepared, noise, paid)
    }
}
