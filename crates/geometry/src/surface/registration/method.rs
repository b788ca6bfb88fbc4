//! What every way of registration takes and gives.

use super::measure::{Measure, Measures};
use crate::conformal::ConformalError;
use crate::mesh::{DiskMesh, MeshError, Point, Similarity};
use crate::surface::template::Template;

/// A scan made a disk, with its pose: what is registered.
#[derive(Debug, Clone)]
pub struct PosedScan {
    /// The mesh, repaired and cropped to the face, in the scan's coordinates.
    pub disk: DiskMesh,
    /// Its nose-tip vertex.
    pub nose: usize,
    /// From the template's coordinates to the scan's.
    pub similarity: Similarity,
    /// Triangles of the mesh that fill holes: there was no scan. None where it is not known of any.
    pub filled: Vec<usize>,
}

/// A scan registered to the template, and what the method that did it tells.
#[derive(Debug, Clone)]
pub struct Registered<R> {
    /// Where the template's vertices lie, in the scan's coordinates.
    pub positions: Vec<Point>,
    /// Whether a vertex was put on the scan; the others, where there is none, continue smoothly.
    pub landed: Vec<bool>,
    /// Smallest Jacobian determinant of the map from the template over its triangles, in the terms of the method: positive when
    /// nothing folds.
    pub min_jacobian: f64,
    /// What the method tells.
    pub report: R,
}

impl<R> Registered<R> {
    /// The same registration, its report told otherwise.
    pub fn map_report<S>(self, tell: impl FnOnce(R) -> S) -> Registered<S> {
        let Self { positions, landed, min_jacobian, report } = self;
        Registered { positions, landed, min_jacobian, report: tell(report) }
    }

    /// This registration, if it has no folds.
    ///
    /// # Errors
    /// [`RegistrationError::Folded`].
    pub fn without_folds(self) -> Result<Self, RegistrationError> {
        if self.min_jacobian > 0.0 { Ok(self) } else { Err(RegistrationError::Folded) }
    }
}

/// What any method tells of a registration.
#[derive(Debug, Clone, Default)]
pub struct RegistrationReport {
    /// Steps taken on the finest level.
    pub steps: usize,
    /// Seconds of a disk map of the scan, where the method needs one; part of what the registration took.
    pub flatten_seconds: f64,
    /// The method's [`Measures`], as far as this scan has them.
    pub measured: Vec<(&'static Measure, f64)>,
    /// What is to be known beside them of this scan, in a few words.
    pub note: Option<&'static str>,
}

/// Why a scan could not be registered, or a method not be made ready.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistrationError {
    /// The scan could not be flattened.
    #[error(transparent)]
    Flatten(#[from] ConformalError),
    /// Scan and template do not fit together, or one of them has no extent.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A triangle of the template would be turned over.
    #[error("the scan cannot be registered without folding")]
    Folded,
}

/// A way to find the template's vertices on a scan, made ready for one template.
pub trait RegistrationMethod: Send + Sync {
    /// Makes the method ready, with its default settings.
    ///
    /// # Errors
    /// [`RegistrationError`] when the template does not suit the method.
    fn prepare(template: &Template) -> Result<Box<dyn RegistrationMethod + '_>, RegistrationError>
    where
        Self: Sized;

    /// What it tells of every scan.
    fn measures() -> &'static Measures
    where
        Self: Sized;

    /// Finds the template's vertices, in its order, on a scan. The result depends on the template and this scan alone, and not
    /// on the order of the scan's vertices but for rounding.
    ///
    /// # Errors
    /// [`RegistrationError`].
    fn register(&self, scan: &PosedScan) -> Result<Registered<RegistrationReport>, RegistrationError>;

    /// The same, and how far each vertex is expected to lie from its true place: the mean of the distance, in the template's
    /// units. `None` where the method does not know.
    ///
    /// # Errors
    /// [`RegistrationError`].
    fn register_with_errors(
        &self,
        scan: &PosedScan,
    ) -> Result<(Registered<RegistrationReport>, Option<Vec<f64>>), RegistrationError> {
        Ok((self.register(scan)?, None))
    }
}
