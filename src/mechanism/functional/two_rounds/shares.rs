//! How a budget is shared out over two rounds, and what else follows from n and μ alone.

use super::super::Norm;
use crate::mechanism::MechanismError;
use crate::privacy::{Mu, PrivacyLoss};

/// What the two rounds are set for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Aim {
    /// The least error of the shrunk mean.
    #[default]
    Mean,
    /// A confidence band about the unshrunk one: noise that stays finite over all coefficients, and a clip that hardly touches a record.
    Band,
}

impl Aim {
    /// Share of μ² for the first round. Flat: shares from .1 to .4 lie within 12 % of one another.
    pub(super) fn first_share(self) -> f64 {
        match self {
            Self::Mean => 0.2,
            Self::Band => 0.1,
        }
    }

    /// Share of μ for the radius.
    pub(super) fn radius_share(self) -> f64 {
        match self {
            Self::Mean => 0.1,
            Self::Band => 0.15,
        }
    }

    /// nμ from which a radius can be counted.
    pub(super) fn countable(self) -> f64 {
        match self {
            Self::Mean => 100.0,
            Self::Band => 150.0,
        }
    }

    /// The clip's norm for n records at budget μ.
    pub(super) fn norm(self, n: u64, mu: Mu) -> Norm {
        match self {
            Self::Mean => Norm::for_budget(n, mu.get()),
            Self::Band => Norm::Half,
        }
    }

    /// The share of the records that the second round's radius holds: large n can see the bias that clipping adds, and a band must
    /// not have any.
    pub(super) fn held(self, n: u64, mu: Mu) -> f64 {
        match n as f64 * mu.get() {
            _ if self == Self::Band => 0.99,
            much if much < 1000.0 => 0.75,
            much if much < 3000.0 => 0.95,
            _ => 0.99,
        }
    }

    /// The second round's radius where none can be counted, as a share of the public one: a band must hardly touch a record.
    pub(super) fn uncounted(self) -> f64 {
        match self {
            Self::Mean => 0.65,
            Self::Band => 1.0,
        }
    }

    /// The second round's radius in units of the one that was counted.
    pub(super) fn widened(self) -> f64 {
        match self {
            Self::Mean => 1.0,
            Self::Band => 1.1,
        }
    }
}

/// How the budget is shared out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub(super) first: Mu,
    pub(super) radius: Option<Mu>,
    pub(super) second: Mu,
}

impl Budget {
    pub(super) fn of(aim: Aim, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        let total = mu.get();
        let first = total * aim.first_share().sqrt();
        let radius = if n as f64 * total >= aim.countable() { aim.radius_share() * total } else { 0.0 };
        // A few last places pay for the rounding of these lines.
        let second = (total * total - first * first - radius * radius).sqrt() * (1.0 - 8.0 * f64::EPSILON);
        let radius = if radius > 0.0 { Some(Mu::new(radius)?) } else { None };
        Ok(Self { first: Mu::new(first)?, radius, second: Mu::new(second)? })
    }

    pub(super) fn losses(&self) -> Vec<PrivacyLoss> {
        let parts = [Some(self.first), self.radius, Some(self.second)];
        parts.into_iter().flatten().map(PrivacyLoss::Gaussian).collect()
    }
}
