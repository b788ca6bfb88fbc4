//! Mechanisms: statistics whose privacy loss is known before the data are read.
//!
//! One folder each: code, proof, tests, worst cases. [`registry`] lists them all.

mod error;
pub mod functional;
pub mod landmarks;
pub mod manifold;
mod pass_sum;
pub mod quantile;
pub mod registry;
pub mod rounds;
pub mod together;
mod unseen;
pub mod vector;

pub use crate::privacy::{Drawn, Mechanism, NoisedPart, Price, Released, Sensitivity, release};
pub use error::MechanismError;
pub use pass_sum::PassSum;
pub use unseen::UnseenShares;
