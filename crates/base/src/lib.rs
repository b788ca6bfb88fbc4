//! Arithmetic below everything else in visard: sparse systems, integrals with bounds, margins for rounding.
//!
//! Of use alone to whoever needs a sparse Cholesky factorization of meshes' matrices, or wants to know by how much visard's guarantees
//! are rounded up.
//!
//! ```
//! use visard_base::numeric::{SparseCholesky, SymmetricBuilder};
//! let mut builder = SymmetricBuilder::new(2);
//! builder.add(0, 0, 2.0);
//! builder.add(0, 1, 1.0);
//! builder.add(1, 1, 2.0);
//! assert!(SparseCholesky::new(&builder.build()).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * [`numeric`]: the arithmetic.
//! * `parallel`: loops on all threads.
//! * `fault`: the operations by which files change, which tests let fail. It is for the crates of visard alone.

#[doc(hidden)]
pub mod fault;
pub mod numeric;
#[doc(hidden)]
pub mod parallel;
