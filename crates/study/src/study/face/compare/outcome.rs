//! What a released comparison tells, in numbers: functions of noised values and public ones.

use super::subject::{ComparePublication, Mapped};
use crate::estimate::band;
use crate::estimate::groups::{DRAWS, SEED};
use crate::mechanism::functional::{NoisedComparison, Tests};
use serde::Serialize;

/// The level at which tests are told in words.
pub const LEVEL: f64 = 0.05;
/// Sizes of differences that the power of a test is told for, root mean square on faces of unit area.
pub const SIZES: [f64; 3] = [0.003, 0.005, 0.008];

/// The numbers of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Labels of the groups, sorted, with their sizes.
    pub groups: Vec<(String, u64)>,
    /// The test of no difference, where one was wanted.
    pub test: Option<TestStatement>,
    /// The map of every group's difference from the first, where one was wanted.
    pub map: Vec<MapStatement>,
}

/// A test of no difference between any of the groups.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestStatement {
    /// That of the pair whose difference is the least likely to be none.
    pub statistic: f64,
    /// Of no difference between any groups: the smallest adjusted p-value.
    pub p_value: f64,
    /// Every pair of groups.
    pub per_pair: Vec<PairTest>,
    /// How p-values of several pairs are adjusted.
    pub adjustment: &'static str,
    /// The root-mean-square size of the random differences that the statistic is set for.
    pub effect: f64,
    /// How likely random differences of these sizes are found at the level .05 without adjustment: (size, power), the first pair's.
    pub power: Vec<(f64, f64)>,
    /// Draws from the law under no difference.
    pub null_draws: usize,
    /// The seed of their public generator.
    pub null_seed: u64,
}

/// The test of two groups.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairTest {
    /// The label of one.
    pub first: String,
    /// Of the other.
    pub second: String,
    /// The statistic.
    pub statistic: f64,
    /// How likely one at least as large is where there is no difference.
    pub p_value: f64,
    /// The same adjusted for the number of pairs.
    pub p_adjusted: f64,
}

/// Where a group's mean differs from that of the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MapStatement {
    /// The label of the first group.
    pub first: String,
    /// Of the other: differences are this one minus the first.
    pub second: String,
    /// Root-mean-square size of the shrunk difference over the points, three coordinates summed.
    pub size: f64,
    /// Estimated root-mean-square error of the shrunk difference: noise, sampling, and what shrinking took away.
    pub error: f64,
    /// How many standard errors the band reaches to either side.
    pub reach_in_standard_errors: f64,
    /// Half its width, averaged over points and coordinates.
    pub mean_half_width: f64,
    /// Half its width where it is widest.
    pub largest_half_width: f64,
    /// Of the points, how many where the band along the normal excludes no difference.
    pub share_outside: f64,
}

impl Comparison {
    /// What was released.
    pub(in crate::study::face) fn of(publication: &ComparePublication, released: &NoisedComparison) -> Self {
        Self::from(publication, released, &publication.maps(released))
    }

    /// The same, with maps that were made before.
    pub(super) fn from(
        publication: &ComparePublication,
        released: &NoisedComparison,
        maps: &[Mapped],
    ) -> Self {
        let names = publication.groups.names();
        let sizes = publication.groups.labels().sizes();
        let mechanism = &publication.mechanism;
        let statement = |(place, Mapped { map, along }): (usize, &Mapped)| {
            let points = along.centre.len() as f64;
            MapStatement {
                first: names[0].clone(),
                second: names[place + 1].clone(),
                size: (map.shrunk.iter().map(|x| x * x).sum::<f64>() / points).sqrt(),
                error: map.error.sqrt(),
                reach_in_standard_errors: map.band.reach,
                mean_half_width: map.band.mean_half_width(),
                largest_half_width: map.band.largest_half_width(),
                share_outside: along.excess().iter().filter(|e| **e > 0.0).count() as f64 / points,
            }
        };
        let power = mechanism.power(released, (LEVEL, &SIZES)).unwrap_or_default();
        Self {
            groups: names.iter().cloned().zip(sizes.iter().copied()).collect(),
            test: mechanism.tests(released).map(|tests| {
                TestStatement::of(&tests, names, mechanism.effect(), SIZES.into_iter().zip(power).collect())
            }),
            map: maps.iter().enumerate().map(statement).collect(),
        }
    }
}

impl TestStatement {
    /// Of these groups; `power`: how likely differences of which sizes are found.
    pub(in crate::study) fn of(tests: &Tests, names: &[String], effect: f64, power: Vec<(f64, f64)>) -> Self {
        let pair =
            |(first, second, test, adjusted): &(usize, usize, crate::estimate::GroupTest, f64)| PairTest {
                first: names[*first].clone(),
                second: names[*second].clone(),
                statistic: test.statistic,
                p_value: test.p_value,
                p_adjusted: *adjusted,
            };
        Self {
            statistic: tests.statistic,
            p_value: tests.p_value,
            per_pair: tests.pairs.iter().map(pair).collect(),
            adjustment: if tests.pairs.len() == 1 { "none: one pair" } else { "Holm" },
            effect,
            power,
            null_draws: DRAWS,
            null_seed: SEED,
        }
    }

    /// Whether a difference was found at 5 %.
    pub fn found(&self) -> bool {
        self.p_value <= LEVEL
    }
}

/// The probability with which a band holds the whole of what it is for.
pub(super) const BAND_LEVEL: f64 = band::LEVEL;
