//! Disk-conformal maps of disk-like triangle meshes, Möbius recentring, and their quality.

mod boundary;
mod disk_map;
mod flips;
mod intrinsic;
mod mobius;
mod quality;

pub use disk_map::{Complex, ConformalError, DiskMap, disk_map};
pub use mobius::Mobius;
pub use quality::{AngleDistortion, Beltrami, MapQuality, quality};
