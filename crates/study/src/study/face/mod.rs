//! The face job: a folder of raw scans → registered curves → a private average face.
//!
//! Every scan is processed on its own against public inputs ([`record`]), in parallel, and its result kept
//! so that an interrupted study continues. Means (`statistic`, by one of the mechanisms in [`mean`]), modes, regressions and groups are
//! statistics in a tangent space ([`super::tangent`]), in which faces (`kind`) are the samples of their curves about the template (`space`).
//! Pages for the data holder come last (`internal_report`).

mod accuracy;
pub mod anthropometry;
mod average;
mod band;
pub mod compare;
mod correspondence;
mod error;
mod error_map;
mod expressions;
mod faces;
mod found;
mod gather;
mod internal;
mod internal_of_parts;
mod internal_report;
mod kind;
mod likeness;
pub mod mean;
pub mod modes;
mod normals;
mod picture;
pub mod plan;
pub mod plan_rows;
pub mod prepare;
mod prepared;
mod prior;
pub mod record;
pub mod registrations;
pub mod regress;
mod release_report;
mod run;
mod settings;
mod simulation;
mod size;
mod source;
mod space;
mod statistic;
mod stream;
mod template;
mod units;
mod worst;
mod yardstick;

pub use crate::surface::registration::Registration;
pub use accuracy::Accuracy;
#[doc(hidden)]
pub use average::mean_of;
pub use correspondence::Correspondence;
pub use error::StudyError;
pub use expressions::{ExpressionError, ExpressionSource, at_rest};
pub use faces::Faces;
pub use found::FoundFace;
pub use gather::{FaceProgress, FaceStudy, Gathered};
#[doc(hidden)]
pub use internal_of_parts::write_internal_of;
#[doc(hidden)]
pub use likeness::copies;
pub use mean::{ClipChoice, FaceMechanism};
pub use prepared::PreparedError;
#[doc(hidden)]
pub use prepared::{check_form_of, prepared_face};
pub use prior::FacePrior;
pub use run::{FaceOutcome, ReleasedFace, run};
pub use settings::{CURVES, FaceInputs, FaceStudySettings, SAMPLES};
pub use simulation::{SimulationError, TEMPLATE_DISTANCE};
pub use space::FaceSpace;
pub use statistic::FaceMean;
pub use stream::{StreamPlan, StreamSettings, run_stream};
pub use template::{LoadedTemplate, TemplateLoadError, TemplateSource, load_template};
pub use units::Units;
pub(in crate::study) use units::odd;
pub use yardstick::{FACE_MM, Yardstick};
