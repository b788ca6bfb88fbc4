//! Problems that ship.

mod frechet_mean;
mod subspace;
mod tree;

pub use frechet_mean::FrechetMeanProblem;
pub use subspace::{LeadingEigenvector, PrincipalSubspace};
pub use tree::{Tree, TreeEmbedding, TreeError};
