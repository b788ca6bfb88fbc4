//! `visard shape`, `spd`, `sphere`, `hyperbolic`: private means of points on manifolds.

mod common;
mod plan;
mod shape;
mod shape_demo;
mod spd;
mod vectors;

pub use shape::{ShapeCommand, shape};
pub use spd::{SpdCommand, spd};
pub use vectors::{HyperbolicCommand, SphereCommand, hyperbolic, sphere};
