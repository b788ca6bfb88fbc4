//! Disk-parameterized surfaces, the template, registration to it, face radial curves.

mod locate;
pub mod registration;
mod template;

pub use locate::{DiskSurface, Located};
pub use template::{Template, TemplateError, recentred};
