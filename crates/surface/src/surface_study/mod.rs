//! Surfaces as records of statistics in a tangent space.
//!
//! A record is a scan, registered by itself to a public template that is any disk or closed surface without handles, or a row of an array of
//! vertices in the template's frame. Its samples are the coefficients of its displacement from the template by the template's first manifold
//! harmonics ([`Harmonics`](crate::function::Harmonics)), whose squared norm is the mean square over the template's area: what records are clipped
//! in. The statistics, their mechanisms and their one lifecycle are those of [`tangent`](crate::study::tangent).

mod cache;
mod inputs;
mod open;
mod picture;
mod plan;
mod prepared;
mod prior;
mod records;
mod register;
mod row;
mod space;
mod template;

pub use inputs::{HARMONICS, RADIUS, SurfaceInputs};
pub use plan::SurfacePlan;
pub use prepared::complaint;
pub use register::{RegisterSettings, Registered, register_all};
pub use row::{SurfaceRow, notes};
pub use template::PublicTemplate;
