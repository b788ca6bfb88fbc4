//! Kendall's space of planar shapes.

mod mean;
mod preshape;
mod space;

pub use space::Kendall;
