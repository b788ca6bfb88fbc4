//! The coordinates the registration works in: upright, nominal millimetres, mid-plane x = 0.

use crate::mesh::{Point, Similarity};

/// From template and scan to working coordinates and back, for a scan with a pose.
#[derive(Debug, Clone, Copy)]
pub struct WorkFrames {
    template_to_scan: Similarity,
    template_to_work: Similarity,
}

impl WorkFrames {
    /// Of a scan with this pose.
    pub fn new(template_to_scan: &Similarity, template_to_work: &Similarity) -> Self {
        Self { template_to_scan: *template_to_scan, template_to_work: *template_to_work }
    }

    /// Scan to working coordinates.
    pub fn work_of_scan(self, p: &Point) -> Point {
        self.template_to_work.apply(&self.template_to_scan.invert(p))
    }

    /// Working to scan coordinates.
    pub fn scan_of_work(self, p: &Point) -> Point {
        self.template_to_scan.apply(&self.template_to_work.invert(p))
    }
}
