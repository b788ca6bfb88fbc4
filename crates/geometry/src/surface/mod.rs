//! Disk-parameterized surfaces, surfaces of any kind, the template, registration to it, face radial curves.

pub mod any;
mod locate;
mod neutral;
pub mod registration;
mod template;

pub use locate::{DiskSurface, Located};
pub use neutral::Neutral;
pub use template::{Template, TemplateError, recentred};
