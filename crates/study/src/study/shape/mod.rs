//! Landmark shapes, in the plane and in space, as records of statistics in a tangent space ([`super::tangent`]): about a centre that is public, or
//! found and paid for. A private mean in two rounds, and what is planned of all statistics.

mod accuracy;
mod centring;
mod input;
mod internal;
mod mean;
mod page;
pub mod plan;
mod space;

pub use centring::{modes_mechanism, regression_mechanism};
pub use input::ShapeInputs;
pub(in crate::study) use input::Specimens;
pub use mean::{ShapeMeanSettings, mean_accuracy, mean_mechanism, run_mean};
pub use space::outlines_in;
