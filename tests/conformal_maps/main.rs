//! Disk conformal maps: exact cases, invariance, hard meshes, and the shared faces and scans.

mod exact;
mod meshes;
mod nasty;
mod scans;
