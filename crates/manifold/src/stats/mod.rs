//! Statistics on manifolds: Fréchet means, Procrustes means, geodesic balls, covariance descriptors. Nothing here knows about privacy.

mod ball;
mod cloud;
mod descent;
mod descriptor;
mod frechet;
mod procrustes;
#[cfg(test)]
mod rows_tests;
mod stationarity;

pub use ball::GeodesicBall;
pub use descriptor::{DESCRIPTOR_RIDGE, covariance_descriptor};
pub use frechet::{frechet_mean, frechet_mean_of_rows, frechet_mean_until};
pub use procrustes::full_procrustes_mean;
pub use stationarity::{
    FrechetMean, FrechetOptions, Stationarity, Stop, distance_to_mean, hessian_lower_bound,
};
