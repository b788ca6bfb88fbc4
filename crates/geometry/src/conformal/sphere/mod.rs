//! Conformal maps of closed surfaces without handles onto the unit sphere.

mod chart;
mod map;
mod mobius;
mod oriented;
mod quality;
#[cfg(test)]
mod tests;

pub use map::{SphereMap, sphere_map};
pub use quality::SphereQuality;
