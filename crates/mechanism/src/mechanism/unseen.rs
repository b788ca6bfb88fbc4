//! How many records could not be used, and what filling in others moved, as two more coordinates of a mean.

use crate::privacy::{NOT_IN_ERRORS, UNSEEN};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The standard deviations of noise below which a share is stated.
const BEYOND: f64 = 2.0;
/// The release is not taken to lie nearer to the centre than this share of the mean's distance from it.
const FARTHEST: f64 = 0.9;

/// Which shares of the records a release was made without, at least: two standard deviations below their noised values.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnseenShares {
    /// Of the records, those that could not be used.
    pub unusable: f64,
    /// The mean over the records of √f, f the share of a usable one that was filled in. What differs by d in root mean square from what was filled in
    /// has moved by d√f then, and the mean of the records by d times this at most.
    pub filled: f64,
    /// The standard deviation of the noise in both.
    #[serde(default)]
    pub noise: f64,
}

/// In words, what they are.
pub(in crate::mechanism) const WHAT: &str = "the shares of records not used and filled in";

/// Two coordinates of a record's clipped vector, whose radius is τ: (τ, 0) of one that cannot be used and is zero elsewhere, (0, τ√f) of one of which
/// the share f was filled in. Every vector is in the ball of radius τ as before, so neither the sensitivity nor the noise grows.
pub(in crate::mechanism) const COORDINATES: usize = 2;

/// What errors leave out where shares are not told.
const LEFT_OUT: &str = "records that could not be used, and parts of others that were filled in: how many there are is not released";

/// Of one record.
pub(in crate::mechanism) fn coordinates(usable: bool, filled: f64, radius: f64) -> [f64; COORDINATES] {
    if usable {
        [0.0, radius * if filled > 0.0 { filled.min(1.0).sqrt() } else { 0.0 }]
    } else {
        [radius, 0.0]
    }
}

impl UnseenShares {
    /// As an entry among a certificate's details.
    pub fn detail(self) -> (String, Value) {
        (UNSEEN.to_owned(), json!({"unusable": self.unusable, "filled": self.filled}))
    }

    /// The same of a mechanism that may not tell them: what its stated errors leave out then.
    pub fn detail_of(found: Option<Self>) -> (String, Value) {
        found.map_or_else(|| (NOT_IN_ERRORS.to_owned(), json!(LEFT_OUT)), Self::detail)
    }

    /// By noised means of the coordinates, whose noise has standard deviation `sigma`.
    pub(in crate::mechanism) fn of(noised: [f64; COORDINATES], sigma: f64, radius: f64) -> Self {
        let [unusable, filled] = noised.map(|mean| ((mean - BEYOND * sigma) / radius).clamp(0.0, 1.0));
        Self { unusable, filled, noise: sigma / radius }
    }

    /// What is left of the way to where the mean would be, as shares of the way that is seen: from the centre, from what others were filled in from.
    fn ways(self) -> [f64; 2] {
        let [unusable, filled] = [self.unusable, self.filled].map(|share| share.min(FARTHEST));
        [unusable / (1.0 - unusable), filled / (1.0 - filled * filled).sqrt()]
    }

    /// What share of itself a difference between records that were seen may be off by: a root mean square.
    pub fn off(self) -> f64 {
        let [unusable, filled] = self.ways();
        unusable.hypot(filled)
    }

    /// Which share of the records was used, at least and at most: two standard deviations on either side of its noised value. All, where nothing else
    /// is told.
    pub fn used(self) -> [f64; 2] {
        let more = if self.unusable > 0.0 { 2.0 * BEYOND * self.noise } else { 0.0 };
        [self.unusable + more, self.unusable].map(|unusable| 1.0 - unusable.min(FARTHEST))
    }

    /// Adds the squares of what that moves released samples by to their expected squared errors: towards the centre of the last round, which a record
    /// that cannot be used counts as, and towards the template that others were filled in from; the latter in some places and not in others, so that
    /// what it moved and what is left of the way add up in squares.
    pub(in crate::mechanism) fn add_to(self, errors: &mut [f64], samples: &[f64], from: [&[f64]; 2]) {
        let ways = self.ways();
        for (i, (error, x)) in errors.iter_mut().zip(samples).enumerate() {
            let moved = ways[0] * (x - from[0][i]) + ways[1] * (x - from[1][i]);
            *error += moved.powi(2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::Domain;
    use crate::mechanism::functional::FunctionalMean;
    use crate::privacy::noise::NoiseSource;
    use crate::privacy::{ClipRadius, ClipSource, Ledger, Mu, ScaleCheck, release};

    #[test]
    fn shares_come_back_and_what_they_move_is_undone() {
        assert_eq!(coordinates(false, 0.7, 2.0), [2.0, 0.0]);
        for (filled, expected) in [(0.25, 1.0), (7.0, 2.0), (-1.0, 0.0), (f64::NAN, 0.0)] {
            assert_eq!(coordinates(true, filled, 2.0), [0.0, expected]);
        }
        // A fifth cannot be used, parts of the rest are filled in: told exactly without noise, less two standard deviations with it.
        let shares = UnseenShares::of([0.4, 0.16], 0.0, 2.0);
        assert_eq!(shares, UnseenShares { unusable: 0.2, filled: 0.08, noise: 0.0 });
        assert_eq!(shares.used(), [0.8; 2]);
        let noised = UnseenShares::of([0.4, 0.16], 0.1, 2.0);
        approx::assert_relative_eq!(noised.unusable, 0.1, max_relative = 1e-12);
        assert_eq!((noised.filled, noised.noise), (0.0, 0.05));
        approx::assert_relative_eq!(noised.used()[..], [0.7, 0.9], max_relative = 1e-12);
        assert_eq!(UnseenShares::of([0.1, 0.0], 0.1, 2.0).used(), [1.0; 2]);
        // A mean 1 from the centre, of which a fifth is missed.
        let mut errors = [0.5];
        UnseenShares { unusable: 0.2, ..UnseenShares::default() }.add_to(
            &mut errors,
            &[3.8],
            [&[3.0], &[7.0]],
        );
        approx::assert_relative_eq!(errors[0], 0.5 + 0.2 * 0.2, max_relative = 1e-12);
        // What is filled in lies nearer to the template.
        let mut errors = [0.0];
        UnseenShares { filled: 0.6, ..UnseenShares::default() }.add_to(&mut errors, &[9.0], [&[3.0], &[7.0]]);
        approx::assert_relative_eq!(errors[0], 1.5 * 1.5, max_relative = 1e-12);
    }

    /// The noise of a share is (2/n)/μ, whatever the radius; and what is counted moves neither price nor noise of the function.
    #[test]
    fn shares_have_the_noise_of_the_mean() {
        let (n, mu) = (8, 5.0);
        let domain = Domain::Disk { curves: 1, samples: 4 };
        let radius = ClipRadius::new(0.3, ClipSource::Public).unwrap();
        let mean = FunctionalMean::new(domain, 3, vec![0.25; 12], radius, Mu::new(mu).unwrap(), n).unwrap();
        let counting = mean.clone().counting_unseen().unwrap();
        let of = |mean: &FunctionalMean| {
            let price = crate::privacy::Mechanism::price(mean);
            (price.loss, price.sensitivity, price.scale)
        };
        assert_eq!(of(&counting), of(&mean));
        let records: Vec<Option<Vec<f64>>> = (0..n).map(|i| (i % 2 == 0).then(|| vec![0.25; 12])).collect();
        let sigma = 2.0 / n as f64 / mu;
        let mut noise = NoiseSource::seeded(4);
        let mut squares = Vec::new();
        for _ in 0..3000 {
            let drawn = release(&counting, &records, &mut Ledger::in_memory(None), &mut noise).unwrap().value;
            assert_eq!(drawn.coordinates.len(), 12);
            squares.push((drawn.unseen.unwrap().unusable - (0.5 - BEYOND * sigma)).powi(2));
        }
        assert!(ScaleCheck::of_squares(&squares, sigma * sigma).holds());
        assert!(!ScaleCheck::of_squares(&squares, (sigma / 0.9).powi(2)).holds());
    }
}
