//! Disk-conformal maps of disk-like triangle meshes, Möbius recentring, and their quality.
