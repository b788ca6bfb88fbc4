//! What the two rounds of a mean of functions are set for.

use super::super::Norm;
use crate::mechanism::rounds::Shares;
use crate::privacy::Mu;

/// What the two rounds are set for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Aim {
    /// The least error of the shrunk mean.
    #[default]
    Mean,
    /// The same of functions that may differ from one another in a few directions only, as curves of growth do, where a clip that many records
    /// meet moves the mean by more than the noise it saves.
    Alike,
    /// A confidence band about the unshrunk one: noise that stays finite over all coefficients, and a clip that hardly touches a record.
    Band,
}

impl Aim {
    /// How the budget is shared out. The first round's share is flat: from .1 to .4 lie within 12 % of one another. Large n can see the
    /// bias that clipping adds, and a band must not have any.
    pub(in super::super) fn shares(self, n: u64, mu: Mu) -> Shares {
        let held = match n as f64 * mu.get() {
            much if much < 1000.0 => 0.75,
            much if much < 3000.0 => 0.95,
            _ => 0.99,
        };
        match self {
            Self::Mean => {
                Shares { first: 0.2, radius: 0.1, countable: 100.0, held, uncounted: 0.65, widened: 1.0 }
            }
            Self::Alike => {
                let held = held.max(0.95);
                Shares { first: 0.2, radius: 0.1, countable: 100.0, held, uncounted: 0.65, widened: 1.1 }
            }
            Self::Band => Shares {
                first: 0.1,
                radius: 0.15,
                countable: 150.0,
                held: 0.99,
                uncounted: 1.0,
                widened: 1.1,
            },
        }
    }

    /// The clip's norm for n records at budget μ.
    pub(in super::super) fn norm(self, n: u64, mu: Mu) -> Norm {
        match self {
            Self::Mean | Self::Alike => Norm::for_budget(n, mu.get()),
            Self::Band => Norm::Half,
        }
    }
}
