//! Groups of functions compared: a map of where their means differ, a test of whether they do, or both in one charge.

mod passes;
#[cfg(test)]
mod tests;

use super::{FunctionRecords, LeadingCoordinates, Reach};
use crate::estimate::groups::{EFFECT, holm};
use crate::estimate::law::{Along, Mapped};
use crate::estimate::{Band, Difference, ErrorLaw, GroupTest, wiener};
use crate::function::Basis;
use crate::function::shrink::Expectation;
use crate::mechanism::vector::groups::TITLE;
use crate::mechanism::vector::{
    AboutCentre, GroupAim, GroupLabels, NoisedGroups, PreparedVectors, VectorGroups,
};
use crate::mechanism::{MechanismError, UnseenShares};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, ClipRadius, ClipSource, Drawn, Mechanism, Mu, Price, PrivacyLoss};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// Standard deviation of the logarithm of the distance between centre and group means that shrinkage expects, as for means in two rounds.
const DOUBT: f64 = 0.65;

/// So many coordinates of all people together are kept (256 MB); where there are more, a person's are worked out anew in each of three passes.
/// A map of many people looks at all coefficients, 5520 of a face: 10⁵ people's would be 4.4 GB.
const HELD: usize = 1 << 25;

/// What is wanted of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Want {
    /// Whether the groups' means differ, with all of the budget
    Test,
    /// Where they differ, with a confidence band, with all of the budget
    Map,
    /// Both, each with an equal share of the squared budget
    #[default]
    Both,
}

/// One aim: its coordinates and the mechanism on them.
#[derive(Debug, Clone)]
struct Half {
    coordinates: LeadingCoordinates,
    groups: VectorGroups,
}

/// Groups of functions compared by the two-round mechanism for groups ([`VectorGroups`], whose proof is this one's too) on the leading
/// weighted coefficients of their deviations from a public template: 400 or more in the norm γ = ½ for a map, some 2.3 √(nμ) in the
/// norm γ = ¼ for a test ([`GroupAim::length`]). Both cost μ/√2 each.
#[derive(Debug, Clone)]
pub struct FunctionGroups {
    price: Price,
    labels: GroupLabels,
    scale: f64,
    map: Option<Half>,
    test: Option<Half>,
}

/// Records made ready: secret.
pub struct PreparedFunctions<'a> {
    map: Option<PreparedVectors<'a>>,
    test: Option<PreparedVectors<'a>>,
}

/// What was released for a comparison of functions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoisedComparison {
    /// For the map.
    pub map: Option<NoisedGroups>,
    /// For the test.
    pub test: Option<NoisedGroups>,
}

/// Where two groups' means differ; samples `(points, channels)` of second minus first.
#[derive(Debug, Clone)]
pub struct DifferenceMap {
    /// The estimate for showing, shrunk towards no difference.
    pub shrunk: Vec<f64>,
    /// The expected squared error of the shrunk estimate, summed over coordinates: of its square integral, sampling included.
    pub error: f64,
    /// A 95 % band about the unshrunk estimate, which is its centre.
    pub band: Band,
    law: ErrorLaw,
}

/// The outcome of a test of no difference between any of the groups.
#[derive(Debug, Clone, PartialEq)]
pub struct Tests {
    /// Of every pair of groups (first, second): its test, and its p-value adjusted by Holm's method.
    pub pairs: Vec<(usize, usize, GroupTest, f64)>,
    /// Of no difference between any: the smallest adjusted p-value.
    pub p_value: f64,
    /// The statistic of that pair.
    pub statistic: f64,
}

impl FunctionGroups {
    /// For functions of these public labels about the public `template`, its samples `(points, channels)`; `reach` tells how far
    /// records may lie from it, and how large a difference is expected; a number is in units of unit-area faces.
    ///
    /// # Errors
    /// [`MechanismError`], about public numbers.
    pub fn new(
        want: Want,
        basis: &Basis,
        template: &[f64],
        labels: GroupLabels,
        reach: impl Into<Reach>,
        mu: Mu,
    ) -> Result<Self, MechanismError> {
        let (n, reach) = (labels.n(), reach.into());
        // A few last places pay for the rounding.
        let half = Mu::new(mu.get() * 0.5f64.sqrt() * (1.0 - 4.0 * f64::EPSILON))?;
        let one = |aim: GroupAim, mu: Mu| -> Result<Half, MechanismError> {
            let length = aim.length(n, mu);
            let coordinates = LeadingCoordinates::new(basis.clone(), template.to_vec(), aim.norm(), length)?;
            let of_faces = aim.face_radius(coordinates.len(), coordinates.face_radius());
            let radius = reach.radius_of(&coordinates, of_faces);
            let public = ClipRadius::new(radius, ClipSource::Public)?;
            let groups = VectorGroups::new(aim, labels.clone(), coordinates.prior(), public, mu)?;
            Ok(Half { coordinates, groups })
        };
        let (map, test) = match want {
            Want::Map => (Some(one(GroupAim::Map, mu)?), None),
            Want::Test => (None, Some(one(GroupAim::Test, mu)?)),
            Want::Both => (Some(one(GroupAim::Map, half)?), Some(one(GroupAim::Test, half)?)),
        };
        let price = price(map.as_ref(), test.as_ref(), n, mu)?;
        Ok(Self { price, labels, scale: reach.scale(), map, test })
    }

    /// The same for groups of other sizes: what is made of a release in which not all of the people are.
    pub(in crate::mechanism) fn with_labels(&self, labels: GroupLabels) -> Self {
        Self { labels, ..self.clone() }
    }

    /// Which record is in which group.
    pub fn labels(&self) -> &GroupLabels {
        &self.labels
    }

    /// The budget of the map, of the test.
    pub fn budgets(&self) -> [Option<PrivacyLoss>; 2] {
        [&self.map, &self.test].map(|half| half.as_ref().map(|half| half.groups.price().loss))
    }

    /// What the halves cost, in the order in which they are drawn.
    fn losses(&self) -> Vec<PrivacyLoss> {
        self.budgets().into_iter().flatten().collect()
    }

    /// The size of the random differences that tests are set for, root mean square.
    pub fn effect(&self) -> f64 {
        EFFECT * self.scale
    }

    /// How many coefficients the map, the test looks at.
    pub fn lengths(&self) -> [Option<usize>; 2] {
        [&self.map, &self.test].map(|half| half.as_ref().map(|half| half.coordinates.len()))
    }

    /// The coordinates of the test and the mechanism on them: for simulations.
    pub fn test_parts(&self) -> Option<(&LeadingCoordinates, &VectorGroups)> {
        self.test.as_ref().map(|half| (&half.coordinates, &half.groups))
    }

    /// The coordinates of the map and the mechanism on them: for simulations.
    pub fn map_parts(&self) -> Option<(&LeadingCoordinates, &VectorGroups)> {
        self.map.as_ref().map(|half| (&half.coordinates, &half.groups))
    }

    /// Whether every part has records enough for a counted radius; if not, the public one is used, and little can be told.
    pub fn counts_radius(&self) -> bool {
        [&self.map, &self.test].into_iter().flatten().all(|half| half.groups.counts_radius())
    }

    /// The mean of each group, shrunk towards the private centre: samples `(points, channels)`. `None` without a map.
    pub fn means(&self, released: &NoisedComparison) -> Option<Vec<Vec<f64>>> {
        let (Half { coordinates, .. }, noised) = (self.map.as_ref()?, released.map.as_ref()?);
        let one = |shrunk: Vec<f64>| {
            let u: Vec<f64> = shrunk.iter().zip(&noised.recentred.centre).map(|(y, c)| y + c).collect();
            coordinates.samples(&u)
        };
        Some((0..noised.groups.len()).map(|group| one(deviation(coordinates, noised, group))).collect())
    }

    /// Which shares of the records it was made without, and of each group those that could not be used: by the map's noised counts, where there is a map.
    pub fn unseen(&self, released: &NoisedComparison) -> Option<(UnseenShares, Vec<f64>)> {
        let noised = released.map.as_ref().or(released.test.as_ref())?;
        Some((noised.recentred.unseen, noised.unusable.clone()))
    }

    /// Where the group `second` differs from `first`: free. `None` without a map, or where there are no such groups.
    pub fn difference(
        &self,
        released: &NoisedComparison,
        first: usize,
        second: usize,
    ) -> Option<DifferenceMap> {
        let (Half { coordinates, .. }, noised) = (self.map.as_ref()?, released.map.as_ref()?);
        let (known, sizes) = (coordinates.known(), self.labels.sizes());
        let difference = Difference::between(&noised.groups, sizes, first, second)?;
        let mut law = difference.law(&known)?;
        let mut shrunk = difference.shrunk(&law, &known, self.effect());
        let filled = UnseenShares { unusable: 0.0, ..noised.recentred.unseen };
        let mut moved = vec![(filled, shrunk.values.clone())];
        // Those who could not be used may be more in one group: its mean lies nearer to the centre.
        for group in [first, second] {
            let share = UnseenShares { unusable: *noised.unusable.get(group)?, ..UnseenShares::default() };
            moved.push((share, deviation(coordinates, noised, group)));
        }
        for (shares, by) in moved.into_iter().filter(|(shares, _)| shares.off() > 0.0) {
            let along: Vec<f64> = by.iter().map(|x| shares.off() * x).collect();
            shrunk.errors.iter_mut().zip(&along).for_each(|(error, x)| *error += x * x);
            law.add_along(along);
        }
        let inverse = known.roots.iter().map(|root| root.powi(-2));
        Some(DifferenceMap {
            error: shrunk.errors.iter().zip(inverse).map(|(e, inverse)| e * inverse).sum(),
            shrunk: coordinates.displacement(&shrunk.values),
            band: Band::about(coordinates.displacement(&difference.values), &law, coordinates),
            law,
        })
    }

    /// A 95 % band for the part of the difference along one direction at each point, simultaneous over all points; vectors of three
    /// channels only.
    pub fn along(&self, map: &DifferenceMap, directions: &[[f64; 3]]) -> Option<Band> {
        let coordinates = &self.map.as_ref()?.coordinates;
        let along = Along { field: coordinates, directions };
        Some(Band::about(along.of(&map.band.centre), &map.law, &along))
    }

    /// The band of a difference for what is made of its samples by a linear map, as [`DifferenceMap::band`] is for the samples themselves:
    /// `maps` takes samples `(points, channels)` to any number of values. `None` without a map.
    pub fn band_of(&self, map: &DifferenceMap, maps: &DMatrix<f64>) -> Option<Band> {
        let mapped = Mapped { field: &self.map.as_ref()?.coordinates, maps };
        Some(Band::about(mapped.of(&map.band.centre), &map.law, &mapped))
    }

    /// How likely the test of the first two groups is to find random differences of these sizes (root mean square) at this level, by the
    /// released second moment: free. `None` without a test.
    pub fn power(&self, released: &NoisedComparison, (level, sizes): (f64, &[f64])) -> Option<Vec<f64>> {
        let (Half { coordinates, .. }, noised) = (self.test.as_ref()?, released.test.as_ref()?);
        let difference = Difference::between(&noised.groups, self.labels.sizes(), 0, 1)?;
        difference.power(&coordinates.known(), self.effect(), (level, sizes))
    }

    /// Tests of no difference, of every pair of groups: free. `None` without a test.
    pub fn tests(&self, released: &NoisedComparison) -> Option<Tests> {
        let (Half { coordinates, .. }, noised) = (self.test.as_ref()?, released.test.as_ref()?);
        let (known, sizes) = (coordinates.known(), self.labels.sizes());
        let mut pairs = Vec::new();
        for a in 0..sizes.len() {
            for b in a + 1..sizes.len() {
                let difference = Difference::between(&noised.groups, sizes, a, b)?;
                let test = difference.test(&known, self.effect())?;
                pairs.push((a, b, test));
            }
        }
        let adjusted = holm(&pairs.iter().map(|(_, _, test)| test.p_value).collect::<Vec<_>>());
        let pairs: Vec<_> = pairs.into_iter().zip(adjusted).map(|((a, b, t), p)| (a, b, t, p)).collect();
        let least =
            pairs.iter().min_by(|x, y| x.3.total_cmp(&y.3).then(y.2.statistic.total_cmp(&x.2.statistic)))?;
        Some(Tests { p_value: least.3, statistic: least.2.statistic, pairs: pairs.clone() })
    }
}

/// How far the mean of a group lies from the private centre, in coordinates, shrunk towards that.
fn deviation(coordinates: &LeadingCoordinates, noised: &NoisedGroups, group: usize) -> Vec<f64> {
    let expected = Expectation { energy: noised.recentred.error.max(f64::MIN_POSITIVE), doubt: DOUBT };
    let group = &noised.groups[group];
    let noise = vec![group.mean_sigma.powi(2); group.mean.len()];
    wiener(&group.mean, &noise, &coordinates.prior(), expected).values
}

/// What both cost together.
fn price(map: Option<&Half>, test: Option<&Half>, n: u64, mu: Mu) -> Result<Price, MechanismError> {
    let nothing = MechanismError::Shape("a comparison is of a map, a test, or both");
    match (map, test) {
        (Some(half), None) | (None, Some(half)) => Ok(half.groups.price().clone()),
        (None, None) => Err(nothing),
        (Some(map), Some(test)) => {
            let what = format!(
                "for the map: {}; for the test: {}",
                map.groups.price().statistic,
                test.groups.price().statistic
            );
            let mut price = Price::new(TITLE, n, PrivacyLoss::Gaussian(mu), &what)?;
            price.neighbours = map.groups.price().neighbours.clone();
            price.parts = crate::privacy::Composition::new();
            price.parts.add_group("difference map", map.groups.price().parts.clone());
            price.parts.add_group("test", test.groups.price().parts.clone());
            Ok(price)
        }
    }
}

impl Mechanism for FunctionGroups {
    type Records = dyn FunctionRecords;
    type Prepared<'a> = PreparedFunctions<'a>;
    type Value = NoisedComparison;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare<'a>(&'a self, records: &'a Self::Records) -> Result<PreparedFunctions<'a>, MechanismError> {
        let one = |half: &'a Option<Half>| {
            let prepared = |half: &'a Half| half.groups.prepare_all(half.coordinates.vectors(records, HELD)?);
            half.as_ref().map(prepared).transpose()
        };
        Ok(PreparedFunctions { map: one(&self.map)?, test: one(&self.test)? })
    }

    fn draw(
        &self,
        prepared: &PreparedFunctions<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedComparison>, MechanismError> {
        let mut paid = paid.split(&self.losses())?.into_iter();
        let mut parts = Vec::new();
        let mut one = |half: &Option<Half>, prepared: &Option<PreparedVectors<'_>>| {
            let (Some(half), Some(prepared)) = (half, prepared) else { return Ok(None) };
            let paid = paid
                .next()
                .ok_or(MechanismError::Shape("a payment has a part for every part of the release"))?;
            let drawn = half.groups.draw(prepared, noise, paid)?;
            parts.extend(drawn.parts);
            Ok::<_, MechanismError>(Some(drawn.value))
        };
        let value =
            NoisedComparison { map: one(&self.map, &prepared.map)?, test: one(&self.test, &prepared.test)? };
        Ok(Drawn { value, parts })
    }
}
