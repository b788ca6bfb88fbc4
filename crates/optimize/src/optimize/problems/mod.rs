//! Problems that ship.

mod frechet_mean;
mod persons;
mod subspace;
mod tree;

pub use frechet_mean::FrechetMeanProblem;
pub use persons::Persons;
pub use subspace::{LeadingEigenvector, PrincipalSubspace};
pub use tree::{Tree, TreeEmbedding, TreeError};
