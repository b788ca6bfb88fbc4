//! Mechanisms: statistics whose privacy loss is known before the data are read.

pub mod functional;
