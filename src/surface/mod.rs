//! Disk-parameterized surfaces, square-root normal fields, registration, face radial curves.

mod disk_surface;
mod locate;
mod polar;
pub mod register;
mod rotation;
mod srnf;

pub use disk_surface::{DiskSurface, SurfaceError, SurfaceQuality, UnitAreaSurface};
pub use locate::{LocateError, Located, PlanarLocator};
pub use polar::{GridError, PolarGrid};
pub use rotation::best_rotation;
pub use srnf::NormalField;
