//! Elastic registration: the template is moved onto a scan by a similarity and a smooth displacement.
//!
//! The displacement is a Gaussian random field with an analytic covariance ([`DisplacementKernel`]), conditioned on where
//! the scan is: Gauss–Newton on robust point-to-plane distances, from stiff to soft. Where the scan ends the field goes on
//! by itself, so a border may lie anywhere; that it lies a smooth depth inside the template's ([`BorderModel`]) is what is
//! known of the outskirts.
//!
//! Sources: Lüthi et al. 2018 (Gaussian process morphable models, low-rank approximation); Chen and Medioni 1992
//! (point-to-plane distance); the estimates are those of ridge regression in a reproducing kernel Hilbert space.

mod basis;
mod border;
mod control;
mod equations;
mod fit;
mod folds;
mod following;
mod frames;
mod land;
mod mouth;
mod prepared;
mod report;
mod rival;
mod settings;
mod slip;
mod smoother;
mod spread;
mod symmetry;
mod target;
#[cfg(test)]
mod tests;

pub use prepared::Elastic;
pub use report::ElasticReport;
pub use settings::{BorderModel, DisplacementKernel, ElasticSettings, Following};

use super::measure::Measures;
use super::method::{PosedScan, Registered, RegistrationError, RegistrationMethod, RegistrationReport};
use crate::mesh::{DiskMesh, MeshError, Point, Similarity, TriMesh};
use crate::surface::template::Template;
use fit::Fitted;
use rival::Better;
use target::Target;

impl Elastic<'_> {
    /// Registers a scan, starting from a pose (template to scan).
    ///
    /// The positions lie on the scan where it covers the template, up to its noise; elsewhere they continue smoothly. The
    /// Jacobian determinants are relative to their mean.
    ///
    /// # Errors
    /// [`MeshError::Degenerate`] when too little of the scan lies near the posed template, or the scan has no extent.
    pub fn fit(&self, scan: &DiskMesh, pose: &Similarity) -> Result<Registered<ElasticReport>, MeshError> {
        let (by, target, fitted) = self.fitted(scan, pose)?;
        land::land(by, &target, &fitted)
    }

    /// As [`fit`](Self::fit), of a surface of any kind with these borders, from this pose alone; and what the displacement cost: the mean square of
    /// its coefficients, 1 for a draw of the kernel.
    pub(crate) fn fit_surface(
        &self,
        scan: &TriMesh,
        borders: &[&[usize]],
        pose: &Similarity,
    ) -> Result<(Registered<ElasticReport>, f64), MeshError> {
        let target = Target::new(scan, borders, &self.frames(pose), self.settings())?;
        let fitted = fit::fit(self, &target, Similarity::identity())?;
        let energy = fitted.posterior.as_ref().map_or(f64::INFINITY, fit::Posterior::energy);
        Ok((land::land(self, &target, &fitted)?, energy))
    }

    /// As [`fit`](Self::fit), and where the vertices lie with the mouth closed.
    pub(super) fn fit_and_close(
        &self,
        scan: &DiskMesh,
        pose: &Similarity,
    ) -> Result<(Registered<ElasticReport>, Vec<Point>), MeshError> {
        let (by, target, fitted) = self.fitted(scan, pose)?;
        let found = land::land(by, &target, &fitted)?;
        let closed = by.with_mouth_closed(&target, &fitted, &found.positions);
        Ok((found, closed))
    }

    /// The fit; where it leaves doubt, of two from different starts the one that is sure.
    fn fitted(&self, scan: &DiskMesh, pose: &Similarity) -> Result<(&Self, Target, Fitted), MeshError> {
        let first = self.fitted_from(scan, pose)?;
        let doubtful = self.nose().filter(|_| rival::is_doubtful(&first.2));
        let second = doubtful.map(|nose| self.fitted_from(scan, &rival::larger(pose, &nose)));
        let Some(Ok(second)) = second else { return Ok(first) };
        match rival::judged((&first.1, &first.2), (&second.1, &second.2))? {
            Better::First => Ok(first),
            Better::Second => Ok(second),
        }
    }

    /// The fit, of the template as it is or with its mouth open, by the method for that.
    fn fitted_from(&self, scan: &DiskMesh, pose: &Similarity) -> Result<(&Self, Target, Fitted), MeshError> {
        let from = |by: &Self, pose: &Similarity| -> Result<_, MeshError> {
            let target = Target::new(scan.mesh(), &[scan.boundary()], &by.frames(pose), by.settings())?;
            let fitted = fit::fit(by, &target, Similarity::identity())?;
            Ok((target, fitted))
        };
        let (target, fitted) = from(self, pose)?;
        // A pose may be good enough for closed lips only; the fit with those knows a better one.
        let settled = pose.after(&self.frame().inverse().after(&fitted.motion.after(self.frame())));
        let open = self.open_fit(&fitted, [pose, &settled], from);
        let (by, target, fitted) = open.unwrap_or((self, target, fitted));
        let fitted = by.unslipped(&target, fitted);
        Ok((by, target, fitted))
    }

    /// As [`fit`](Self::fit), and how far every vertex is expected to be from its true place, in the template's units.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_with_errors(
        &self,
        scan: &DiskMesh,
        pose: &Similarity,
    ) -> Result<(Registered<ElasticReport>, Vec<f64>), MeshError> {
        let (by, target, fitted) = self.fitted(scan, pose)?;
        let errors = spread::expected_errors(by, &fitted);
        Ok((land::land(by, &target, &fitted)?, errors))
    }
}

impl RegistrationMethod for Elastic<'_> {
    fn prepare(template: &Template) -> Result<Box<dyn RegistrationMethod + '_>, RegistrationError> {
        Ok(Box::new(Elastic::new(template, &ElasticSettings::default())?))
    }

    fn measures() -> &'static Measures {
        &report::MEASURES
    }

    fn register(&self, scan: &PosedScan) -> Result<Registered<RegistrationReport>, RegistrationError> {
        Ok(self.fit(&scan.disk, &scan.similarity)?.map_report(RegistrationReport::from))
    }

    fn register_with_errors(
        &self,
        scan: &PosedScan,
    ) -> Result<(Registered<RegistrationReport>, Option<Vec<f64>>), RegistrationError> {
        let (found, errors) = self.fit_with_errors(&scan.disk, &scan.similarity)?;
        Ok((found.map_report(RegistrationReport::from), Some(errors)))
    }
}
