//! A scan continued to the template's border.

use crate::mesh::{MeshError, Point, TriMesh, Vector};
use crate::surface::locate::Located;
use crate::surface::registration::elastic::Elastic;
use crate::surface::registration::method::{PosedScan, RegistrationReport};
use crate::surface::template::Template;

/// A scan, meshed as the template is and continued to its border.
pub struct Continued {
    /// The disk, with the pose of the scan; an open mouth closed, since the template's is: over the gap between its lips, which are a line there,
    /// no diffeomorphism of few coefficients can compare the two.
    pub scan: PosedScan,
    /// The same disk as it lies on the scan.
    mesh: TriMesh,
    /// Whether there is scan at a vertex.
    landed: Vec<bool>,
    /// Smallest Jacobian determinant from the template's surface to the disk.
    pub min_jacobian: f64,
    /// What is to be known of how it was continued.
    pub note: Option<&'static str>,
}

impl Continued {
    /// Continues a scan smoothly, as the elastic registration does.
    pub fn new(scan: &PosedScan, elastic: &Elastic<'_>, template: &Template) -> Result<Self, MeshError> {
        let (found, closed) = elastic.fit_and_close(&scan.disk, &scan.similarity)?;
        let disk = template.disk().with_vertices(closed)?;
        let mesh = disk.mesh().with_vertices(found.positions)?;
        let scan = PosedScan { disk, nose: template.nose(), similarity: scan.similarity, filled: Vec::new() };
        let note = RegistrationReport::from(found.report).note;
        Ok(Self { scan, mesh, landed: found.landed, min_jacobian: found.min_jacobian, note })
    }

    /// Where a place of the disk lies on the scan.
    pub fn point(&self, at: &Located) -> Point {
        let corners = self.mesh.corners(at.triangle);
        (0..3).map(|k| corners[k].coords * at.weights[k]).sum::<Vector>().into()
    }

    /// Whether the scan itself is there, and not its continuation.
    pub fn has_scan_at(&self, at: &Located) -> bool {
        self.scan.disk.mesh().triangles()[at.triangle].iter().all(|&i| self.landed[i])
    }
}
