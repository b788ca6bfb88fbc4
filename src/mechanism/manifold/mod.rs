//! Private means on manifolds.

mod gaussian_gdp;
mod quadrature;
mod two_point;

pub use gaussian_gdp::{GaussianGdpError, riemannian_gaussian_mu, riemannian_gaussian_sigma};
pub use two_point::TwoPointSpace;
