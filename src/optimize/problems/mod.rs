//! Problems that ship.

mod frechet_mean;

pub use frechet_mean::FrechetMeanProblem;
