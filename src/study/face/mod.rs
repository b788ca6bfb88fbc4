//! The face job: a folder of raw scans → registered curves → a private average face.
//!
//! Every scan is processed on its own against public inputs ([`record`]), in parallel, and its result kept
//! (`cache`) so that an interrupted study continues. Then one mechanism is charged and run ([`mean`]), and the
//! results are written (`output`): what may be published and what may not, in different folders.

mod cache;
mod internal_report;
mod landing;
pub mod mean;
mod noise_map;
mod output;
pub mod plan;
pub mod record;
mod release_report;
mod run;
pub mod scan_table;
mod settings;
mod template;
mod worst;

pub use mean::{ClipChoice, FaceMechanism};
pub use run::{Outcome, Progress, StudyError, run};
pub use settings::{FaceStudySettings, Registration, TemplateSource};
pub use template::{LoadedTemplate, TemplateLoadError, load_template};
