//! Statistics on manifolds: Fréchet means, Procrustes means, geodesic balls, covariance descriptors. Nothing here knows about privacy.

mod ball;
mod descent;
mod descriptor;
mod frechet;
mod procrustes;

pub use ball::GeodesicBall;
pub use descriptor::{DESCRIPTOR_RIDGE, covariance_descriptor};
pub use frechet::{FrechetMean, FrechetOptions, Stationarity, Stop, frechet_mean, hessian_lower_bound};
pub use procrustes::full_procrustes_mean;
