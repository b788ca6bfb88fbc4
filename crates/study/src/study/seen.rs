//! Where too little was seen for an expectation of the error.

use crate::privacy::{Price, PrivacyLoss};

/// Below this n·μ an error statement is an upper bound: what shrinkage expects of people decides there, and of landmarks, whose private centre is
/// found first, next to nothing is seen. On faces whose mean lies four times as far from the template as expected an expectation was .29 to .47 of
/// the truth below 50; on four sets of landmarks .1 to .5 below 20.
const KNOWN_FROM: f64 = 30.0;

/// The other reason for a bound, in words: `TwoRoundMean::is_at_the_edge`.
pub(in crate::study) const MOST_SHORTENED: &str = "these people lie so far from the public centre that most records may have been shortened, by how much is hardly known";

/// Whether n records at this loss are too few for an expectation.
pub(in crate::study) fn too_little(price: &Price) -> bool {
    match price.loss {
        PrivacyLoss::Gaussian(mu) => price.n as f64 * mu.get() < KNOWN_FROM,
        _ => false,
    }
}
