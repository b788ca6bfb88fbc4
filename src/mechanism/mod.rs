//! Mechanisms: statistics whose privacy loss is known before the data are read.

pub mod audits;
mod baseline_audits;
pub mod functional;
pub mod manifold;
pub mod quantile;
