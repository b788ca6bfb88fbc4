//! Disk-parameterized surfaces, square-root normal fields, registration, face radial curves.

mod locate;
mod register;
mod srnf;
mod tangential;
mod template;

pub use locate::{DiskSurface, Located};
pub(crate) use register::Finder;
pub use register::{
    Bijectivity, BorderModel, DisplacementKernel, ElasticSettings, PreparedTemplate, certify, make_bijective,
    register,
};
pub use srnf::{Registered, SrnfSettings, register_srnf};
pub use template::{Template, TemplateError, recentred};
