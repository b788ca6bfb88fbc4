//! Conformal maps of triangle meshes, onto the disk or the sphere, Möbius recentring, and their quality.
//!
//! [`sphere_map`] maps a closed surface, [`disk_map`] flattens a disk, [`DiskMap::recentre`] fixes the Möbius freedom by two points of the surface,
//! [`Quality`] says how conformal the result is.
//!
//! # Example
//! ```
//! use visard_geometry::conformal::{SurfacePoint, Quality, disk_map};
//! use visard_geometry::mesh::{DiskMesh, Point, TriMesh};
//! // A pyramid over a square.
//! let vertices = vec![
//!     Point::new(1., 0., 0.), Point::new(0., 1., 0.), Point::new(-1., 0., 0.), Point::new(0., -1., 0.),
//!     Point::new(0.1, 0.1, 0.5),
//! ];
//! let triangles = (0..4).map(|i| [i, (i + 1) % 4, 4]).collect();
//! let disk = DiskMesh::try_new(TriMesh::new(vertices, triangles)?)?;
//! let mut map = disk_map(&disk)?;
//! map.recentre(&disk, &SurfacePoint::Vertex(4), &SurfacePoint::Vertex(1))?;
//! assert!(map.z[4].norm() < 1e-15 && map.z[1].re.abs() < 1e-15 && map.z[1].im > 0.0);
//! assert_eq!(Quality::measure(&disk, &map)?.flipped_triangles, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod circle;
mod distortion;
pub(crate) mod elimination;
mod error;
pub(crate) mod factor;
mod harmonic;
pub(crate) mod intrinsic;
pub(crate) mod laplacian;
mod map;
mod mobius;
mod orientation;
mod quality;
mod refine;
mod sphere;
mod untangle;

pub use error::ConformalError;
pub use map::{DiskMap, SurfacePoint, disk_chart, disk_map};
pub use quality::{AngleDistortion, AreaDistortion, Beltrami, Quality};
pub use sphere::{SphereMap, SphereQuality, sphere_map};

/// A point of the plane as a complex number.
pub type Complex = nalgebra::Complex<f64>;
