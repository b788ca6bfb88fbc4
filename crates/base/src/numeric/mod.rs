//! Arithmetic that the other rooms share and that knows nothing of them: sparse systems, integrals, enclosures, small functions without
//! cancellation, and the margins left for rounding.

#[doc(hidden)]
pub mod dense;
#[doc(hidden)]
pub mod elementary;
#[doc(hidden)]
pub mod enclosure;
#[doc(hidden)]
pub mod fourier;
pub mod margins;
#[doc(hidden)]
pub mod quadrature;
mod rotation;
#[doc(hidden)]
pub mod search;
mod sparse;

pub use rotation::nearest_rotation;
#[doc(hidden)]
pub use sparse::SparsePattern;
pub use sparse::{NotPositiveDefinite, SparseCholesky, SymmetricBuilder};
