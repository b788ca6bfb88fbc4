//! What the two rounds of a mean of functions are set for.

use super::super::Norm;
use crate::mechanism::quantile::BisectedRadius;
use crate::mechanism::rounds::{BRACKET, MEASURED, Shares};
use crate::privacy::Mu;

/// What the two rounds are set for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Aim {
    /// The least error of the shrunk mean.
    #[default]
    Mean,
    /// The same about a private centre that was found before, with a public radius that allows for how far off that is expected to be.
    Found,
    /// The same of functions that may differ from one another in a few directions only, as curves of growth do, where a clip that many records
    /// meet moves the mean by more than the noise it saves.
    Alike,
    /// The same of records that may all lie far from the public centre and near one another, as matrices from the identity.
    Far,
    /// A confidence band about the unshrunk one: noise that stays finite over all coefficients, and a clip that hardly touches a record.
    Band,
}

/// The share of the records that a clip may meet is the larger of these two times √D/(nμ) and D/(nμ), D the effective dimension of the noise.
///
/// Noise of energy D (2τ/(nμ))² falls with the radius τ, and the bias of a clip that a share p of the records meets, by κτ on average, grows: where
/// c of what is cut off lies on one side, the squared error is least at p = 2√D/(c√κ nμ). Records that vary in many directions lie on all sides: c
/// falls as 1/√D. Of 10 to 30 times √D/(nμ), 10 was best on chimpanzees and macaques (D = 14 or so), all were alike on 409 callosa, and 20 to 30
/// were best on ICT and SIMPOP faces (D = 134).
const CLIPPED: [f64; 2] = [10.0, 1.75];
/// The first round's share of μ² is this times √D/(nμ): its error adds to the radius. Of 1.5 to 10, 8 was best on ICT faces; the others do not care.
const FIRST: f64 = 8.0;
/// The same of [`Aim::Far`], whose first round sees little but the distance of all records from the public centre.
const FAR: f64 = 16.0;
/// The shares of μ of the radius and of what lies beyond it are this over √D: where the noise is in few dimensions a radius that is off costs most.
const COUNTED: f64 = 1.0;

impl Aim {
    /// How the budget is shared out, for noise of this effective dimension.
    pub(in super::super) fn shares(self, n: u64, mu: Mu, dimension: f64) -> Shares {
        let (much, root) = (n as f64 * mu.get(), dimension.sqrt());
        let first = (FIRST * root / much).clamp(0.03, 0.2);
        let radius = (COUNTED / root).clamp(0.1, 0.25);
        // Two standard deviations of a count below the whole: else its noise would now and then find all records too few.
        let most = BisectedRadius::most_share(n, radius * mu.get()).min(0.99);
        let held = (1.0 - (CLIPPED[0] * root).max(CLIPPED[1] * dimension) / much).min(most).max(0.5);
        match self {
            Self::Found => Shares { measured: 0.0, ..Self::Mean.shares(n, mu, dimension) },
            Self::Mean => Shares {
                first,
                radius,
                countable: 100.0,
                held,
                uncounted: 0.65,
                widened: 1.0,
                excess: radius,
                measured: MEASURED,
                bracket: BRACKET,
            },
            Self::Alike => Shares {
                first,
                radius,
                countable: 100.0,
                held: held.max(0.95),
                uncounted: 0.65,
                widened: 1.1,
                excess: radius,
                measured: MEASURED,
                bracket: BRACKET,
            },
            Self::Far => Shares {
                first: (FAR * root / much).clamp(0.03, 0.4),
                radius,
                countable: 50.0,
                held,
                uncounted: 0.65,
                widened: 1.0,
                excess: radius,
                measured: 0.0,
                bracket: [1.0 / 64.0, 1.0],
            },
            Self::Band => Shares {
                first: 0.1,
                radius: 0.15,
                countable: 150.0,
                held: most,
                uncounted: 1.0,
                widened: 1.1,
                excess: 0.0,
                measured: 0.0,
                bracket: BRACKET,
            },
        }
    }

    /// The clip's norm for n records at budget μ that are as smooth as expected.
    pub(in super::super) fn norm(self, n: u64, mu: Mu) -> Norm {
        match self {
            Self::Mean | Self::Found | Self::Alike => Norm::for_budget(n, mu.get()),
            Self::Band => Norm::Half,
            Self::Far => Norm::White,
        }
    }
}
