//! Reading and writing: scans, landmarks, results. Nothing read here is trusted.

pub mod npy;
