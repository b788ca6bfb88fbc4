//! Triangle meshes: the type, its measures, Delaunay meshes of point clouds, topology and repair.

mod boxes;
mod bulge;
mod closed;
mod delaunay;
mod disk;
mod edges;
mod fill;
mod foot;
mod grid;
mod lips;
mod mid_plane;
mod nearest;
mod necks;
mod neighbours;
mod net;
mod normals;
pub mod pose;
mod refine;
mod repair;
mod sheet;
mod signs;
mod simplify;
mod subdivide;
mod survey;
mod topology;
mod trimesh;
mod unite;

pub use boxes::TriangleTree;
pub use closed::ClosedMesh;
pub use delaunay::mesh_from_points;
pub use disk::DiskMesh;
pub use edges::{Edge, EdgeTable};
#[doc(hidden)]
pub use foot::{Foot, FootFinder};
pub(crate) use lips::LipLine;
pub(crate) use mid_plane::{MidPlane, Oriented};
pub use nearest::NearestPoint;
#[doc(hidden)]
pub use net::{largest_piece, surface_net};
pub use pose::{Pose, PoseError, PoseFinder, Similarity};
pub use repair::{Repair, RepairKind, RepairLog, RepairSettings, Repaired, make_disk};
pub use simplify::simplified;
pub use subdivide::subdivided;
pub(crate) use topology::component_labels;
pub use topology::{BoundaryLoop, Component, TopologyReport, topology};
pub(crate) use trimesh::Areas;
pub use trimesh::{MeshError, Point, TriMesh, Vector};
