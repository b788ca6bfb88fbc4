//! The geometry of surfaces: meshes, conformal maps, registration, functions on them.
//!
//! For whoever repairs, flattens or registers surfaces, with no privacy in mind. No file is opened here; readers are in visard-io.
//!
//! ```
//! use visard_geometry::mesh::topology;
//! use visard_geometry::synth::builtin_template;
//! let face = builtin_template();
//! assert_eq!(topology(face).boundary_loops.len(), 1);
//! ```
//!
//! * [`mesh`]: triangle meshes, Delaunay meshes of point clouds, topology and its repair, pose.
//! * [`conformal`]: disk-conformal maps, Möbius recentring, their quality.
//! * [`surface`]: disk-parameterized surfaces, registration to the template, face radial curves.
//! * [`function`]: Hilbert spaces on the circle and the disk: bases, kernels, smoothing, shrinkage.
//! * [`synth`]: synthetic populations made by our own generator.

pub mod conformal;
pub mod function;
pub mod mesh;
pub mod surface;
pub mod synth;

use visard_base::numeric;
