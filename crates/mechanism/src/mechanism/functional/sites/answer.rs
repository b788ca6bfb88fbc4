//! What comes back of a round: noised sums of one or of several sites.

use super::{Sharing, Sites};
use crate::mechanism::MechanismError;
use serde::{Deserialize, Serialize};

/// Noised sums in steps of the round's lattice.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// One sum over these sites (counted from 0).
    Pooled {
        /// Which, ascending.
        sites: Vec<usize>,
        /// Their sum.
        sum: Vec<i128>,
    },
    /// One of each site.
    Apart(Vec<(usize, Vec<i128>)>),
}

/// What a round has released: mean coordinates about the round's centre, or a count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundResult {
    /// The sites whose people are in it, counted from 0, ascending.
    pub sites: Vec<usize>,
    /// The values.
    pub values: Vec<f64>,
}

impl Answer {
    /// The sites it is of.
    pub(super) fn sites(&self) -> Vec<usize> {
        match self {
            Self::Pooled { sites, .. } => sites.clone(),
            Self::Apart(sums) => sums.iter().map(|(site, _)| *site).collect(),
        }
    }

    /// The sum over all sites.
    pub(super) fn total(&self) -> Vec<i128> {
        match self {
            Self::Pooled { sum, .. } => sum.clone(),
            Self::Apart(sums) => {
                let length = sums.first().map_or(0, |(_, sum)| sum.len());
                let mut all = vec![0; length];
                sums.iter().for_each(|(_, sum)| all.iter_mut().zip(sum).for_each(|(a, k)| *a += k));
                all
            }
        }
    }

    pub(super) fn check(&self, length: usize, plan: &Sites) -> Result<(), MechanismError> {
        let (lengths, apart) = match self {
            Self::Pooled { sum, .. } => (sum.len() == length, false),
            Self::Apart(sums) => (sums.iter().all(|(_, sum)| sum.len() == length), true),
        };
        if !lengths {
            return Err(MechanismError::Shape("a sum does not have the length of this round"));
        }
        if apart != (plan.sharing == Sharing::Each) {
            return Err(MechanismError::Shape("sites' own sums and pooled ones are not put together"));
        }
        plan.are_proper(&self.sites()).map_err(MechanismError::Shape)
    }
}

impl RoundResult {
    pub(super) fn check(&self, length: usize, plan: &Sites) -> Result<(), MechanismError> {
        if self.values.len() != length || !self.values.iter().all(|x| x.is_finite()) {
            return Err(MechanismError::Shape("a result does not have the values of its round"));
        }
        plan.are_proper(&self.sites).map_err(MechanismError::Shape)
    }
}
