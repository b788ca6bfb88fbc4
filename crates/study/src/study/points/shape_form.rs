//! Released shapes, as they are published and shown.

use super::form::Circumstances;
use super::shape_files::MeanFiles;
use super::{OutlineSmoothing, PointStudyError, local_linear, shrink_outline};
use crate::manifold::Kendall;
use crate::mechanism::manifold::ReleasedPoints;
use crate::privacy::Released;
use nalgebra::{Complex, DVector};

/// A shape as a centred complex vector of unit length.
pub(super) type Preshape = DVector<Complex<f64>>;

/// How shapes are published and shown.
#[derive(Debug, Clone)]
pub(super) struct ShapeForm {
    pub(super) space: Kendall,
    /// As a plan calls it.
    pub(super) statistic: String,
    pub(super) smoothing: OutlineSmoothing,
    /// How means are published.
    pub(super) files: MeanFiles,
    /// Lines of pictures.
    pub(super) links: Vec<[usize; 2]>,
    pub(super) circumstances: Circumstances,
}

/// The released shapes, smoothed and rotated to the centre.
pub(super) struct ReleasedShapes<'a> {
    pub(super) space: Kendall,
    /// The centre: public, or found privately and paid for.
    pub(super) centre: &'a Preshape,
    pub(super) shapes: Vec<Preshape>,
    /// Whether the landmarks are an outline.
    pub(super) outline: bool,
    /// Lines of pictures.
    pub(super) links: &'a [[usize; 2]],
}

impl ShapeForm {
    pub(super) fn shapes<'a>(
        &'a self,
        released: &'a Released<ReleasedPoints<Preshape>>,
    ) -> Result<ReleasedShapes<'a>, PointStudyError> {
        let (space, centre) = (self.space, &released.value.centre);
        let sigma = released.noise().map_or(0.0, |part| part.noise.scale);
        let finished = |point: &Preshape| -> Result<Preshape, PointStudyError> {
            let smooth = match self.smoothing {
                OutlineSmoothing::None => point.clone(),
                OutlineSmoothing::Shrink => shrink_outline(&space, centre, point, sigma)?,
                OutlineSmoothing::LocalLinear => local_linear(&space, point)?,
            };
            // The rotation is a convention; the centre's is as good as any.
            Ok(space.align(centre, &smooth)?)
        };
        let shapes = released.value.draws.iter().map(|draw| finished(&draw.point));
        let outline = self.smoothing != OutlineSmoothing::None;
        let shapes = shapes.collect::<Result<_, _>>()?;
        Ok(ReleasedShapes { space, centre, shapes, outline, links: &self.links })
    }
}
