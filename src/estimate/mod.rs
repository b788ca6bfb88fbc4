//! Free post-processing of noised statistics: what noised second moments tell of single records, and bands for means.
//!
//! Everything here looks at noised values and public numbers only, so it costs no privacy. Statistics are those of *weighted*
//! coordinates u_j = √a_j x_j, in which noise is white; x are coefficients in a [`crate::function::Basis`].
//!
//! * [`prior`]: the public spectrum of single records, and how many coefficients second moments are taken of.
//! * [`edge`]: eigenvalues of a noised matrix, without those that noise alone would give.
//! * [`records`]: covariance and spread of single records.
//! * [`band`]: simultaneous confidence bands for a mean.
//! * [`design`]: covariates as numbers of public size.
//! * [`regression`]: fields of covariates from noised second moments.
//! * [`wiener`](mod@wiener): shrinkage with a public shape and an unknown amplitude.

pub mod band;
pub mod design;
pub mod edge;
pub mod prior;
pub mod records;
pub mod regression;
pub mod wiener;

pub use band::Band;
pub use design::Design;
pub use edge::Visible;
pub use prior::Prior;
pub use records::{RecordCovariance, Spread};
pub use regression::Regression;
pub use wiener::wiener;
