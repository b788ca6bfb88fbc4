//! Disk conformal maps: exact cases, invariance, hard meshes, faces and scans of synthetic people and of the shared data.

mod exact;
mod meshes;
mod nasty;
mod scans;
