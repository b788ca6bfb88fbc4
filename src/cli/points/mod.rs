//! `visard shape`, `spd`, `sphere`, `hyperbolic`: private means of points on manifolds.

mod answer;
mod common;
mod masks;
pub(in crate::cli) mod plan;
mod records;
mod shape;
mod shape_assess;
mod shape_choice;
mod shape_demo;
mod shape_regress;
mod shape_sample;
mod spd;
mod spd_assess;
mod specimens;
mod treatment;
mod vectors;

pub(in crate::cli) use answer::{answer, places};
pub(in crate::cli) use common::{failure, note_failed};
pub(in crate::cli) use masks::{LabelArgs, masks_help};
pub use shape::{ShapeCommand, shape};
pub use spd::{SpdCommand, spd};
pub use vectors::{VectorsCommand, vectors};
