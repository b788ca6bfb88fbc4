//! The scan's disk map, recentred as the template's.

use crate::conformal::{ConformalError, Quality, disk_map};
use crate::surface::locate::DiskSurface;
use crate::surface::registration::method::PosedScan;
use crate::surface::template::{Template, recentred};
use std::time::Instant;

/// A scan flattened: nose tip at 0, forehead on the positive imaginary axis.
pub struct Flattened {
    /// The scan over the disk.
    pub surface: DiskSurface,
    /// How conformal the map was before it was recentred.
    pub quality: Quality,
    /// How long it took.
    pub seconds: f64,
}

impl Flattened {
    /// Flattens a scan.
    pub fn new(scan: &PosedScan, template: &Template) -> Result<Self, ConformalError> {
        let start = Instant::now();
        let map = disk_map(&scan.disk)?;
        let quality = Quality::measure(&scan.disk, &map)?;
        let upward = scan.similarity.apply(&template.upward());
        let map = recentred(&map, &scan.disk, scan.nose, &upward)?;
        let surface = DiskSurface::new(&scan.disk, &map);
        Ok(Self { surface, quality, seconds: start.elapsed().as_secs_f64() })
    }
}
