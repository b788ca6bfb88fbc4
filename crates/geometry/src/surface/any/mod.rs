//! Surfaces of any kind, registered to a public template: disks and closed surfaces without handles.
//!
//! Nothing is known of them but the template's shape: no nose, no mouth, no mid-plane. The pose is looked for among all rotations
//! and believed only where the best is clearly better than the second and than the mirror image; then the elastic registration of faces
//! ([`registration`](super::registration)) moves the template onto the scan. One scan is registered without another, without chance, whatever the order
//! of its vertices.
//!
//! ```
//! use visard_geometry::surface::any::{SurfaceTemplate, Topology};
//! use visard_geometry::synth::builtin_template;
//! let template = SurfaceTemplate::try_new(builtin_template().clone())?;
//! assert_eq!(template.topology(), Topology::Disk);
//! // A face looks like its mirror image, but not when turned.
//! assert!(!template.ambiguity().unwrap().needs_marks());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod kind;
mod pose;
mod pull;
mod register;
mod rotations;
mod scan;
mod template;
#[cfg(test)]
mod tests;

pub use error::SurfaceRegistrationError;
pub use kind::{Ambiguity, Topology};
pub use pull::{Pull, Slip};
pub use register::{Correspondences, RegisteredSurface, SurfaceFit, SurfaceSettings};
pub use scan::ScanNotes;
pub use template::{SurfaceTemplate, SurfaceTemplateError};
