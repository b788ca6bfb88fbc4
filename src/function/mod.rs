//! Hilbert spaces of functions on the circle, the interval and the disk: bases, kernels, smoothing, shrinkage.
//!
//! * [`FunctionSpace`]: values on a public grid ↔ coefficients in an orthonormal basis, each with its roughness.
//! * [`Circle`], [`Interval`], [`Disk`]: the three kinds of domain.
//! * [`PowerExponential`], [`KernelSmoother`]: the circle's covariance kernel and the smoother C(C+φ)⁻¹.
//! * [`Shrinkage`]: denoising of coefficients whose noise variance is known.
//! * [`DiskField`]: a function sampled on rings, evaluated anywhere on the disk.
//! * [`FaceCurves`]: the record of the face study.
//!
//! Nothing here knows about privacy.

mod circle;
mod curves;
mod disk;
mod error;
mod field;
mod interval;
mod kernel;
pub mod shrink;
mod space;
mod spline;

pub use circle::Circle;
pub use curves::FaceCurves;
pub use disk::Disk;
pub use error::FunctionError;
pub use field::DiskField;
pub use interval::Interval;
pub use kernel::{KernelSmoother, PowerExponential};
pub use shrink::{NoisyCoefficients, Shrinkage};
pub use space::{Domain, FunctionSpace};
