//! Triangle meshes: the type, its measures, Delaunay meshes of point clouds, topology and repair.

mod trimesh;

pub use trimesh::{MeshError, Point, TriMesh, Vector};
