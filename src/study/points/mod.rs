//! Studies of points on manifolds: landmark shapes, matrices, directions, hyperbolic points → a private mean.

mod accuracy;
mod array;
mod ball;
mod budget;
mod error;
mod exploration;
mod form;
mod internal;
mod internal_page;
mod plain;
mod plain_mean;
pub mod plan;
mod records;
mod request;
mod run;
mod shape;
mod shape_form;
mod shape_input;
mod shape_page;
mod shape_plain;
mod smooth;
pub mod spd;
mod spd_study;
mod treatment;
mod vector_study;

pub use accuracy::PointAccuracy;
pub use error::PointStudyError;
pub use exploration::{Exploration, UtilityCurve, UtilityPoint};
pub use request::{PointMechanism, PointRequest, Unusable};
pub use run::PointOutcome;
pub use shape::{ShapeRadius, ShapeStudy, run_shapes};
pub use shape_input::ShapeCentre;
pub use smooth::{OutlineSmoothing, local_linear, shrink_outline, shrink_outline_stating};
pub use spd_study::{SpdCentre, SpdMetric, SpdStudy, run_spd};
pub use treatment::{Sliding, Treatment};
pub use vector_study::{VectorCentre, VectorSpace, VectorStudy, run_vectors};
