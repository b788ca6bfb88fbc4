//! One mean face of many sites' people, modes of variation, groups compared, or a regression, nothing pooled: what each party does, with files for all that goes between them.
//!
//! A public folder holds the plan and what every round has released. In a round each site hands on one sum of its own people: noised as a
//! whole (`site sum`, put together by `site merge`), or under secure aggregation (`site share`): two sealed files, one for each of two
//! aggregators who do not collude, who check proofs of range (`site verify`) and give out sums that only together are one (`site unshare`).
//! The mechanisms are [`crate::mechanism::functional::SitesMean`], [`crate::mechanism::functional::SitesModes`],
//! [`crate::mechanism::functional::SitesGroups`] and [`crate::mechanism::functional::SitesRegression`]; secret sharing and proofs are
//! Prio3SumVec of the crate `prio`, sealing is HPKE, and what everybody may read is signed with Ed25519.
//!
//! **One answer a round.** Each party is charged once, for all rounds, and every round is a draw of that charge that its ledger redeems by
//! itself, before the answer leaves ([`crate::privacy::Ledger::redeem_part`]): from whatever copy of a folder, a second answer is the stored
//! one, to the byte, or a refusal. No seed is kept that noise could be made of again.

mod aggregator;
mod certificate;
mod combine;
#[cfg(test)]
mod crash_tests;
mod error;
mod exchange;
mod groups;
mod inbox;
mod message;
mod plan;
mod purse;
mod regression;
mod seal;
mod site;
mod statistic;
mod table;
mod vdaf;

pub use aggregator::{Aggregated, AggregatorSettings, verify_round};
pub use combine::{Closed, CombineSettings, merge_round, unshare_round};
pub use error::SitesError;
pub use groups::PlannedGroups;
#[cfg(test)]
use inbox::naming_a_site_twice;
pub use plan::{Aggregator, FORMAT, KnownPlan, PLAN, Site, SitePlan};
pub use regression::PlannedRegression;
pub use seal::{make_site_key, read_public_key};
pub use site::{SiteAnswer, SiteSettings, answer_round};
pub use statistic::Findings;
