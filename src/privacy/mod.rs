//! Budgets, trade-off functions, accountants, the ledger, certificates and noise.

mod budget;
mod ledger;
pub mod noise;

pub use budget::{Adjacency, BudgetError, ClipRadius, ClipSource, Delta, Epsilon, Mu, PrivacyLoss};
pub use ledger::Charge;
