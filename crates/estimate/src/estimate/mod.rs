//! Free post-processing of noised statistics: what noised second moments tell of single records, and bands for means.
//!
//! Everything here looks at noised values and public numbers only, so it costs no privacy. Statistics are those of *weighted*
//! coordinates u_j = √a_j x_j, in which noise is white; x are coefficients in a [`crate::function::Basis`].
//!
//! * [`prior`]: the public spectrum of single records, and how many coefficients second moments are taken of.
//! * [`edge`]: eigenvalues of a noised matrix, without those that noise alone would give.
//! * [`modes`]: directions in which records differ, with variances and intervals; [`unclip`]: variances without the clip.
//! * [`records`]: covariance and spread of single records.
//! * [`law`]: the law of the error of an unshrunk estimate.
//! * [`band`]: simultaneous confidence bands for means and differences.
//! * [`groups`]: differences between groups, and tests of them.
//! * [`population`]: axes and variances of public people in place of that spectrum.
//! * [`design`]: covariates as numbers of public size.
//! * [`regression`]: fields of covariates from noised second [`moments`], and the law of their error.
//! * [`variance_function`]: how variances along modes change with covariates.
//! * [`wiener`](mod@wiener): shrinkage with a public shape and an unknown amplitude.

pub mod band;
pub mod design;
pub mod edge;
pub mod groups;
pub mod law;
pub mod modes;
pub mod moments;
pub mod population;
pub mod prior;
pub mod records;
pub mod regression;
pub mod unclip;
pub mod variance_function;
pub mod wiener;

pub use band::Band;
pub use design::Design;
pub use edge::{Component, Components, Visible};
pub use groups::{Difference, GroupTest};
pub use law::{ErrorLaw, Synthesis};
pub use modes::{Beside, INTERVALS, Mode, Modes, Weighted};
pub use moments::Explained;
pub use population::Population;
pub use prior::{Prior, Smoothness};
pub use records::{RecordCovariance, Spread};
pub use regression::Regression;
pub use unclip::{Unclipped, moved_by_clip};
pub use variance_function::{VarianceFunction, Variances};
pub use wiener::wiener;
