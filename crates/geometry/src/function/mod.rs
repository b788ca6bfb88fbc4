//! Hilbert spaces of functions on the circle and the disk: bases, kernels, smoothing, shrinkage.

mod basis;
pub mod circle;
mod curves;
mod disk_field;
mod frame;
mod harmonics;
mod positions;
mod relief;
pub mod shrink;

pub use basis::{Basis, Domain};
pub use curves::{CurvesError, FaceCurves};
pub use disk_field::DiskField;
pub use frame::{Frame, is_mirrored};
pub use harmonics::{Harmonics, HarmonicsError};
pub use positions::{Positions, PositionsError};
pub use relief::Relief;
