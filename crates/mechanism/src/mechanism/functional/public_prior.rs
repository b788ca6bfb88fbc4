//! What is known of public people.

use crate::estimate::Population;
use crate::function::Basis;
use crate::function::shrink::Expectation;

/// The squared distance of a mean from that of public people of which it is taken to be one more sample: .006 on unit-area faces, half of what
/// the built-in template has; and the standard deviation of its logarithm. Which people are like the study's is a guess, so a wide one.
const EXPECTED_SHARE: f64 = 0.018;
/// The same as a share of how far the public people lie from their mean, mean squares: as faces' .006 is of .02. The smaller of both holds: a radius
/// may be wide for its people.
const EXPECTED_OF_SPREAD: f64 = 0.09;
/// Fewer public people than these do not tell how people differ.
pub const TELLING: usize = 20;
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
    /// The distance that a mean of records that differ by `radius` (root mean square) is expected to have from that of public people, given these
    /// people's coefficients of their deviations from it.
    pub fn expected(radius: f64, basis: &Basis, people: &[Vec<f64>]) -> Expectation {
        let by_radius = EXPECTED_SHARE * radius * radius;
        let energy = if people.len() < TELLING {
            by_radius
        } else {
            let n = (people.len() - 1) as f64;
            let squares = |j: usize| people.iter().map(|x| x[j] * x[j]).sum::<f64>() / n;
            let variances: Vec<f64> = (0..basis.len()).map(squares).collect();
            let spread = basis.variances(&variances).iter().sum::<f64>() / basis.points() as f64;
            if spread > 0.0 { by_radius.min(EXPECTED_OF_SPREAD * spread) } else { by_radius }
        };
        Expectation { energy, doubt: EXPECTED_DOUBT }
    }
}
