//! Who takes part, and who adds the noise: public.

use serde::{Deserialize, Serialize};

/// Who adds the noise, and how much of it must be unknown to whoever looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub enum Sharing {
    /// Every site adds a share, under secure aggregation; so many honest shares are the whole. At most one less than there are sites: a site
    /// knows its own.
    Sites {
        /// How many shares must be honest.
        honest: u64,
    },
    /// Each of two aggregators adds the whole: one honest aggregator is enough.
    Aggregators,
    /// Every site adds the whole to its own sum and hands that on as it is: nobody need be trusted.
    Each,
}

impl Sharing {
    /// How many shares make the whole.
    pub fn honest(self) -> u64 {
        match self {
            Self::Sites { honest } => honest,
            Self::Aggregators | Self::Each => 1,
        }
    }

    /// How many shares are in the sum over so many sites.
    pub fn shares(self, sites: u64) -> u64 {
        match self {
            Self::Sites { .. } | Self::Each => sites,
            Self::Aggregators => 2,
        }
    }

    /// The fewest sites of which a sum may be made known.
    pub fn fewest(self) -> u64 {
        match self {
            Self::Sites { honest } => honest.saturating_add(1),
            Self::Aggregators => 2,
            Self::Each => 1,
        }
    }
}

/// The sites of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sites {
    /// People at each.
    pub sizes: Vec<u64>,
    /// Who adds the noise.
    pub sharing: Sharing,
}

impl Sites {
    /// People at these.
    pub fn people(&self, sites: &[usize]) -> u64 {
        sites.iter().filter_map(|i| self.sizes.get(*i)).sum()
    }

    /// Known sites, ascending, and enough of them.
    pub(super) fn are_proper(&self, sites: &[usize]) -> Result<(), &'static str> {
        let ascending = sites.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascending || sites.iter().any(|site| *site >= self.sizes.len()) {
            return Err("sites are named once each, in the plan's order");
        }
        if (sites.len() as u64) < self.sharing.fewest() {
            return Err("too few sites: what their shares of noise protect is not to be made known");
        }
        Ok(())
    }
}
