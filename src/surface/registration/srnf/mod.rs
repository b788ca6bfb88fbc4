//! Registration under the square-root normal field metric: rotation and reparameterization of the disk.
//!
//! q = n/√|n|, n = f_u × f_v, is mapped by a diffeomorphism γ to √J(γ)·q∘γ, which is an isometry of L²
//! (Jermyn et al. 2017; Soto et al. 2024, A.3). On a triangulated disk the q of a piecewise linear surface, integrated over
//! a triangle, is N/√|N| with N the triangle's area vector: the Jacobian is accounted for by itself.

mod flatten;
mod flow;
mod grid;
mod level;
mod report;
mod settings;
mod tangential;
#[cfg(test)]
mod tests;

pub use report::SrnfReport;
pub use settings::{SrnfLevel, SrnfSettings};

use super::measure::Measures;
use super::method::{PosedScan, Registered, RegistrationError, RegistrationMethod, RegistrationReport};
use crate::mesh::Point;
use crate::surface::locate::DiskSurface;
use crate::surface::template::Template;
use flatten::Flattened;
use flow::Flow;
use nalgebra::Rotation3;

/// The registration of any number of scans to one template under the SRNF metric. The border is mapped to the border.
#[derive(Debug)]
pub struct Srnf<'t> {
    template: &'t Template,
    settings: SrnfSettings,
}

impl<'t> Srnf<'t> {
    /// To this template.
    pub fn new(template: &'t Template, settings: &SrnfSettings) -> Self {
        Self { template, settings: settings.clone() }
    }

    /// Registers a flattened scan, recentred as the template is (see [`recentred`](crate::surface::recentred)), starting from a
    /// rotation that takes the scan to the template's orientation.
    ///
    /// Every accepted step lowers the energy and is a diffeomorphism: its Jacobian determinant is positive on the
    /// computational disk, and γ flips no triangle of the template.
    pub fn fit(&self, scan: &DiskSurface, rotation: Rotation3<f64>) -> Registered<SrnfReport> {
        let mut flow = Flow::new(scan, self.template, rotation);
        let energy = self.settings.levels.iter().map(|level| flow.descend(level)).collect();
        let (y, min_jacobian) = flow.on_template();
        let positions: Vec<Point> = y.iter().map(|&y| scan.point(&scan.locate(y))).collect();
        let landed = vec![true; positions.len()];
        Registered { positions, landed, min_jacobian, report: SrnfReport { energy } }
    }
}

impl RegistrationMethod for Srnf<'_> {
    fn prepare(template: &Template) -> Result<Box<dyn RegistrationMethod + '_>, RegistrationError> {
        Ok(Box::new(Srnf::new(template, &SrnfSettings::default())))
    }

    fn measures() -> &'static Measures {
        &report::MEASURES
    }

    fn register(&self, scan: &PosedScan) -> Result<Registered<RegistrationReport>, RegistrationError> {
        let flat = Flattened::new(scan, self.template)?;
        let found = self.fit(&flat.surface, scan.similarity.rotation.inverse());
        Ok(found.map_report(|report| report.with_disk_map(&flat)))
    }
}
