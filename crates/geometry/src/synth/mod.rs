//! Synthetic populations made by our own generator: faces and scanning conditions, outlines, organs.
//!
//! The mean face is sculpted as an implicit solid from published average proportions and read off as a
//! parametric surface over the disk; [`builtin_template`] is a mesh of it. A person is the
//! mean face moved by named displacement fields and a smooth random field ([`FaceParameters`]); a scan is random
//! points of that face in random pose and condition ([`simulate_scan`], [`person`]). What scanners meet outside the laboratory is laid on
//! any face whose true places are known ([`odd_scan`]).

mod expressions;
mod face;
mod implicit;
mod model;
mod modes;
mod oddity;
mod organ;
mod outlines;
mod parameters;
mod sampling;
mod scan;
mod sculpture;
mod template;
#[cfg(test)]
mod tests;
mod triangulate;

pub use expressions::{expressions, untorn};
pub use oddity::{FaceMarks, OddScan, Oddity, Sight, Sitter, odd_scan};
pub use organ::{ORGAN_TRAITS, OrganConditions, OrganKind, OrganScan, organ_scan};
pub use outlines::{OUTLINE_LANDMARKS, OUTLINE_RADIUS, outline_atlas, outline_population};
pub use parameters::{FaceParameters, ShapeParameter, face_differences};
pub use scan::{
    ScanConditions, ScannedSurface, SimulatedScan, person, person_about, scan_as_mesh, scan_surface,
    simulate_scan,
};
pub use template::{
    SculptedTemplate, TemplateLandmarks, builtin_landmarks, builtin_template, sculpt_template,
    template_to_ply,
};
