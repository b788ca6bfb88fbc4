//! Made-up organs: six kinds of surfaces whose points correspond, each with twenty traits.
//!
//! The mean organ is an implicit solid ([`shapes`]) and the template a mesh of it. A person's organ is the mean one moved by smooth displacements of
//! space ([`modes`]): every point of it has its place on every other. A scan is another mesh of the same surface, with noise, turned anyhow.

mod kind;
mod modes;
mod net;
mod scan;
mod shapes;
#[cfg(test)]
mod tests;

pub use kind::OrganKind;
pub use modes::ORGAN_TRAITS;
pub use scan::{OrganConditions, OrganScan, organ_scan};
