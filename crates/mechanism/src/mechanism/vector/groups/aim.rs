//! What a comparison of groups is set for.

use crate::estimate::prior::coefficients;
use crate::mechanism::functional::Norm;
use crate::mechanism::rounds::{BRACKET, Shares};
use crate::privacy::Mu;

/// Up to these nμ, how many coefficients a difference map has; all of them from the last on. What is left out is a bias that its band does not count: of
/// people half of whose variance lies in 60 rough directions, a band of 400 coefficients held the whole difference in .53 of runs at nμ = 300, of 1000 in
/// .85, of 2000 in .96; at 900 and 1000, of 1000 in .13 and .05, of 3000 in .95 (docs/measurements.md). More than is needed makes bands wider: of
/// ordinary faces by some 20 % for each of these steps, of such people up to fivefold from 3000 to all.
const MAP: [(f64, usize); 3] = [(100.0, 400), (400.0, 2000), (1500.0, 3000)];
/// See [`held`]: what is left out is twice the noise of a count, times μ; within these bounds.
const UNCOUNTED: f64 = 25.0;
const LEAST_HELD: f64 = 0.75;
const MOST_HELD: f64 = 0.97;
/// A test looks at this many coefficients at least.
const TEST: usize = 20;
/// Public radii of weighted coordinates for tests: means over three public populations of the 99 % quantile of ‖u‖ (a rescaled), for
/// up to 40 coefficients and from 80 on.
const TEST_RADII: [(f64, f64); 2] = [(40.0, 0.05), (80.0, 0.04)];

/// What the two rounds are set for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub enum GroupAim {
    /// Where the groups' means differ, with a band: a clip that hardly touches a record.
    Map,
    /// Whether they differ at all: the leading coefficients with little noise.
    Test,
}

impl GroupAim {
    /// How the budget is shared out, and what is asked of the radius, for n records at budget μ: nμ.
    pub fn shares(self, n_mu: f64) -> Shares {
        match self {
            // The clip's bias must stay far below the standard error.
            Self::Map => Shares {
                first: 0.1,
                radius: 0.15,
                countable: 100.0,
                held: held(n_mu),
                uncounted: 1.0,
                widened: 1.1,
                excess: 0.0,
                measured: 0.0,
                bracket: BRACKET,
            },
            Self::Test => Shares {
                first: 0.15,
                radius: 0.15,
                countable: 60.0,
                held: 0.75,
                uncounted: 0.65,
                widened: 1.0,
                excess: 0.0,
                measured: 0.0,
                bracket: BRACKET,
            },
        }
    }

    /// The clip's norm: γ = ½ for the map, where rough coefficients count, γ = ¼ for the test.
    pub fn norm(self) -> Norm {
        match self {
            Self::Map => Norm::Half,
            Self::Test => Norm::Quarter,
        }
    }

    /// How many coefficients of functions are looked at, where there are as many, for n records at budget μ.
    pub fn length(self, n: u64, mu: Mu) -> usize {
        match self {
            Self::Map => {
                let much = n as f64 * mu.get();
                MAP.into_iter().find(|(most, _)| much < *most).map_or(usize::MAX, |(_, length)| length)
            }
            Self::Test => coefficients(n, mu.get()).max(TEST),
        }
    }

    /// Of how many of these the second moment is taken.
    pub fn moments(self, n: u64, mu: Mu) -> usize {
        match self {
            Self::Map => coefficients(n, mu.get()),
            Self::Test => self.length(n, mu),
        }
    }

    /// A public radius of `length` weighted coordinates of unit-area faces; `all`: that of all coefficients in the norm, rescaled.
    pub fn face_radius(self, length: usize, all: f64) -> f64 {
        let [(few, wide), (many, narrow)] = TEST_RADII;
        match self {
            Self::Map => all,
            Self::Test => {
                let part = ((length as f64 - few) / (many - few)).clamp(0.0, 1.0);
                (wide + part * (narrow - wide)).min(all)
            }
        }
    }
}

/// The share of the records that a map's radius holds. Fewer where few are counted: with .97 at nμ = 300, the noise of a count (11.5/μ records) took
/// every fifth radius two to eight times too wide.
fn held(n_mu: f64) -> f64 {
    (1.0 - UNCOUNTED / n_mu).clamp(LEAST_HELD, MOST_HELD)
}
