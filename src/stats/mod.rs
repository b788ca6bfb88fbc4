//! Statistics on manifolds: Fréchet means, Procrustes, balls. Nothing here knows about privacy.

mod ball;

pub use ball::GeodesicBall;
