//! Registration under the square-root normal field metric: rotation and reparameterization of the disk.
//!
//! q = n/√|n|, n = f_u × f_v, is mapped by a diffeomorphism γ to √J(γ)·q∘γ, which is an isometry of L²
//! (Jermyn et al. 2017; Soto et al. 2024, A.3). On a triangulated disk the q of a piecewise linear surface, integrated over
//! a triangle, is N/√|N| with N the triangle's area vector: the Jacobian is accounted for by itself.

mod continued;
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

use super::elastic::{Elastic, ElasticSettings};
use super::measure::Measures;
use super::method::{PosedScan, Registered, RegistrationError, RegistrationMethod, RegistrationReport};
use crate::mesh::{MeshError, Point};
use crate::surface::locate::{DiskSurface, Located};
use crate::surface::template::Template;
use continued::Continued;
use flatten::Flattened;
use flow::Flow;
use nalgebra::Rotation3;

/// The registration of any number of scans to one template under the SRNF metric.
///
/// The metric compares whole disks, border with border, and a scan ends where the scanner stopped. So a scan is
/// first continued smoothly to the template's border (by the elastic registration); the disk so completed is mapped conformally to the plane
/// and registered as in the papers.
#[derive(Debug)]
pub struct Srnf<'t> {
    template: &'t Template,
    settings: SrnfSettings,
    elastic: Elastic<'t>,
}

impl<'t> Srnf<'t> {
    /// To this template.
    ///
    /// # Errors
    /// [`MeshError`] for a template without extent.
    pub fn new(template: &'t Template, settings: &SrnfSettings) -> Result<Self, MeshError> {
        let elastic = Elastic::new(template, &ElasticSettings::default())?;
        Ok(Self { template, settings: settings.clone(), elastic })
    }

    /// Registers a flattened disk, recentred as the template is (see [`recentred`](crate::surface::recentred)), its border to the
    /// template's, starting from a rotation that takes it to the template's orientation.
    ///
    /// Every accepted step lowers the energy and is a diffeomorphism: its Jacobian determinant is positive on the
    /// computational disk, and γ flips no triangle of the template.
    pub fn fit(&self, scan: &DiskSurface, rotation: Rotation3<f64>) -> Registered<SrnfReport> {
        let Descended { places, min_jacobian, report } = self.descend(scan, rotation);
        let positions: Vec<Point> = places.iter().map(|at| scan.point(at)).collect();
        let landed = vec![true; positions.len()];
        Registered { positions, landed, min_jacobian, report }
    }

    fn descend(&self, scan: &DiskSurface, rotation: Rotation3<f64>) -> Descended {
        let mut flow = Flow::new(scan, self.template, rotation);
        let energy = self.settings.levels.iter().map(|level| flow.descend(level)).collect();
        let (y, min_jacobian) = flow.on_template();
        let places = y.iter().map(|&y| scan.locate(y)).collect();
        Descended { places, min_jacobian, report: SrnfReport { energy } }
    }
}

/// γ at the template's vertices.
struct Descended {
    places: Vec<Located>,
    min_jacobian: f64,
    report: SrnfReport,
}

impl RegistrationMethod for Srnf<'_> {
    fn prepare(template: &Template) -> Result<Box<dyn RegistrationMethod + '_>, RegistrationError> {
        Ok(Box::new(Srnf::new(template, &SrnfSettings::default())?))
    }

    fn measures() -> &'static Measures {
        &report::MEASURES
    }

    fn register(&self, scan: &PosedScan) -> Result<Registered<RegistrationReport>, RegistrationError> {
        let whole = Continued::new(scan, &self.elastic, self.template)?;
        let flat = Flattened::new(&whole.scan, self.template)?;
        let found = self.descend(&flat.surface, scan.similarity.rotation.inverse());
        let report = RegistrationReport { note: whole.note, ..found.report.with_disk_map(&flat) };
        Ok(Registered {
            positions: found.places.iter().map(|at| whole.point(at)).collect(),
            landed: found.places.iter().map(|at| whole.has_scan_at(at)).collect(),
            min_jacobian: found.min_jacobian.min(whole.min_jacobian),
            report,
        })
    }
}
