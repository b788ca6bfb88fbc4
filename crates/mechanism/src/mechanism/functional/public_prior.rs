//! What is known of public people.

use crate::estimate::Population;
use crate::function::shrink::Expectation;

/// The squared distance of a mean from that of public people of which it is taken to be one more sample: .006 on unit-area faces, half of what
/// the built-in template has; and the standard deviation of its logarithm. Which people are like the study's is a guess, so a wide one.
const EXPECTED_SHARE: f64 = 0.018;
/// See [`EXPECTED_SHARE`].
const EXPECTED_DOUBT: f64 = 1.3;

/// What is known of public people: how they differ, and another public centre than their mean, in case they are the wrong ones.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicPrior {
    /// How they differ, in the coordinates of the basis and norm.
    pub population: Option<Population>,
    /// Samples of the other centre, and how far from it a mean is expected; for a first round.
    pub elsewhere: Option<(Vec<f64>, Expectation)>,
}

impl PublicPrior {
    /// The distance that a mean of records that differ by `radius` (root mean square) is expected to have from that of public people.
    pub fn expected(radius: f64) -> Expectation {
        Expectation { energy: EXPECTED_SHARE * radius * radius, doubt: EXPECTED_DOUBT }
    }
}
