use super::{FunctionalError, Plan, Tally};
use crate::function::FaceCurves;
use crate::privacy::noise::{NoiseDescription, NoiseSource};
use crate::privacy::{Charge, Mu};

/// What every private mean of faces needs: all public.
#[derive(Debug, Clone)]
pub struct FaceSetting {
    /// The template's own curves: the centre of clipping, and what a failed scan contributes.
    pub template: FaceCurves,
    /// Disk radius of each curve, ascending in (0, 1].
    pub radii: Vec<f64>,
    /// n, failed scans included.
    pub records: u64,
    /// The total budget.
    pub mu: Mu,
}

impl FaceSetting {
    /// Refuses a record that is not sampled as the template is.
    pub(super) fn check(&self, record: &FaceCurves) -> Result<(), FunctionalError> {
        if record.same_shape(&self.template) {
            return Ok(());
        }
        let shape = |c: &FaceCurves| (c.curves(), c.samples());
        Err(FunctionalError::Shape { expected: shape(&self.template), got: shape(record) })
    }

    /// Curve by curve and coordinate by coordinate: the m samples of (j, k) for block j·3 + k.
    pub(super) fn blocks(curves: &FaceCurves) -> Vec<Vec<f64>> {
        let block = |b: usize| (0..curves.samples()).map(|l| curves.get(b / 3, l, b % 3)).collect();
        (0..curves.curves() * 3).map(block).collect()
    }

    /// The inverse of [`FaceSetting::blocks`].
    pub(super) fn curves(&self, blocks: &[Vec<f64>]) -> Result<FaceCurves, FunctionalError> {
        let (curves, samples) = (self.template.curves(), self.template.samples());
        let mut data = vec![0.0; curves * samples * 3];
        for (b, block) in blocks.iter().enumerate() {
            for (l, x) in block.iter().enumerate() {
                data[(b / 3 * samples + l) * 3 + b % 3] = *x;
            }
        }
        Ok(FaceCurves::new(curves, samples, data)?)
    }
}

/// A released mean face.
#[derive(Debug, Clone)]
pub struct FaceRelease {
    /// The mean face, denoised where the mechanism denoises.
    pub curves: FaceCurves,
    /// The mean face with all its noise.
    pub unshrunk: FaceCurves,
    /// An unbiased estimate, from the release and public numbers alone, of the mean squared distance of `curves` from
    /// the mean of the clipped faces, where the mechanism has one.
    pub estimated_error: Option<f64>,
    /// The sensitivity the noise was scaled to, in the coordinates it was added in.
    pub sensitivity: f64,
    /// The noise, in those coordinates.
    pub noise: NoiseDescription,
}

/// A private mean of faces. The order of events: plan, tally, complete, charge, release.
pub trait FaceMean: std::fmt::Debug + Send + Sync {
    /// What it will cost and do; known before any record is read.
    fn plan(&self) -> &Plan;

    /// An empty tally.
    ///
    /// # Errors
    /// [`FunctionalError`] for extreme settings.
    fn start(&self) -> Result<Tally, FunctionalError>;

    /// Adds one face; `None` is a failed scan, which counts and contributes the template.
    ///
    /// # Errors
    /// [`FunctionalError::Shape`], [`FunctionalError::Records`], [`FunctionalError::ForeignTally`].
    fn add(&self, tally: &mut Tally, face: Option<&FaceCurves>) -> Result<(), FunctionalError>;

    /// Draws the noise and makes the release. `paid` must cover the plan's loss.
    ///
    /// # Errors
    /// [`FunctionalError`]; nothing has been drawn then.
    fn release(
        &self,
        tally: Tally,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<FaceRelease, FunctionalError>;
}
