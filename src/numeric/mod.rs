//! Arithmetic that the other rooms share and that knows nothing of them: sparse systems, integrals, enclosures, small functions without
//! cancellation, and the margins left for rounding.

pub(crate) mod dense;
pub(crate) mod elementary;
pub(crate) mod enclosure;
pub mod margins;
pub(crate) mod quadrature;
mod sparse;

pub(crate) use sparse::SparsePattern;
pub use sparse::{NotPositiveDefinite, SparseCholesky, SymmetricBuilder};
