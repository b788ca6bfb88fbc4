//! Disk-conformal maps of disk-like triangle meshes, Möbius recentring, and their quality.
//!
//! [`disk_map`] flattens, [`DiskMap::recentre`] fixes the Möbius freedom by two points of the surface,
//! [`Quality`] says how conformal the result is. [`cotangent_laplacian`] and [`HarmonicSolver`] serve other
//! rooms as well.
//!
//! # Example
//! ```
//! use visard::conformal::{Place, Quality, disk_map};
//! use visard::mesh::{DiskMesh, Point, TriMesh};
//! // A pyramid over a square.
//! let vertices = vec![
//!     Point::new(1., 0., 0.), Point::new(0., 1., 0.), Point::new(-1., 0., 0.), Point::new(0., -1., 0.),
//!     Point::new(0.1, 0.1, 0.5),
//! ];
//! let triangles = (0..4).map(|i| [i, (i + 1) % 4, 4]).collect();
//! let disk = DiskMesh::try_new(TriMesh::new(vertices, triangles)?)?;
//! let mut map = disk_map(&disk)?;
//! map.recentre(&disk, &Place::Vertex(4), &Place::Vertex(1))?;
//! assert!(map.z[4].norm() < 1e-15 && map.z[1].re.abs() < 1e-15 && map.z[1].im > 0.0);
//! assert_eq!(Quality::measure(&disk, &map)?.flipped_triangles, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod circle;
mod distortion;
mod elimination;
mod error;
mod factor;
mod harmonic;
mod intrinsic;
mod laplacian;
mod map;
mod mobius;
mod orientation;
mod quality;
mod refine;
mod untangle;

pub use error::ConformalError;
pub use harmonic::HarmonicSolver;
pub use laplacian::cotangent_laplacian;
pub use map::{DiskMap, Place, disk_map};
pub use mobius::Mobius;
pub(crate) use untangle::move_into_kernels;
/// A point of the plane as a complex number.
pub type Complex = nalgebra::Complex<f64>;

pub use quality::{AngleDistortion, AreaDistortion, Beltrami, Quality};
