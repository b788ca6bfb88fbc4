//! Modes of variation, with the mean, of whatever has a tangent space.

use super::accuracy::{accuracy, accuracy_section, sentence};
use super::numbers::numbers_table;
use super::records::{Displaced, TangentRecords, TangentSpace};
use super::run::write_arrays;
use super::statistic::{Samples, Statistic};
use crate::estimate::{INTERVALS, Modes};
use crate::job::ReleaseFolder;
use crate::job::layout::{MEAN_NPY, MODES_NPY, VARIANCES};
use crate::job::modes_table::{modes_details, modes_section, variances_csv};
use crate::mechanism::functional::{FunctionalModes, Reach};
use crate::mechanism::vector::{NoisedModes, PreparedModes};
use crate::mechanism::{Mechanism, MechanismError};
use crate::privacy::{Mu, Released, Statement};
use crate::report::page::Page;
use crate::study::points::{PointAccuracy, PointStudyError};
use serde_json::json;

/// How far pictures go, in standard deviations.
const REACH: f64 = 2.0;
/// More modes than this have no picture.
const PICTURED: usize = 8;

/// What the numbers in the table of variances are.
fn estimand() -> String {
    format!(
        "variance: of single records along the mode before they were clipped, squared distance in the tangent space at the public centre; the clip is undone under a normal model. {INTERVALS}. share: of the \
         variance of all coefficients that were looked at"
    )
}

/// The mean and at most `most` modes.
#[derive(Debug, Clone)]
pub(super) struct ModesStatistic {
    pub budget: Mu,
    pub most: usize,
}

/// Modes of variation, with the mean.
#[derive(Debug, Clone)]
pub struct FoundModes {
    /// The modes and their variances.
    pub modes: Modes,
    /// How exact the mean is, from the release alone.
    pub accuracy: PointAccuracy,
    /// The same in words.
    pub sentence: String,
    /// Samples of the mean.
    pub(super) mean: Vec<f64>,
    /// One standard deviation of each mode, as an array.
    pub(super) fields: Vec<Vec<f64>>,
    /// How many coefficients were looked at, and their expected share.
    looked: (usize, f64),
}

impl Statistic for ModesStatistic {
    type Estimator = FunctionalModes;
    type Mechanism = FunctionalModes;
    type Beside = ();
    type Found = FoundModes;

    const NAME: &'static str = "modes";

    fn estimator(&self, space: &dyn TangentSpace, n: u64) -> Result<FunctionalModes, MechanismError> {
        let (basis, centre) = (space.basis().clone(), space.centre().to_vec());
        FunctionalModes::new(basis, centre, Reach::RootMeanSquare(space.radius()), self.budget, n)
    }

    fn mechanism(estimator: &FunctionalModes) -> &FunctionalModes {
        estimator
    }

    fn beside<R: TangentRecords + ?Sized>(
        &self,
        _: &R,
        _: &FunctionalModes,
        _: &Samples,
    ) -> Result<(), PointStudyError> {
        Ok(())
    }

    fn prepare<'a>(
        estimator: &'a FunctionalModes,
        samples: &'a Samples,
        (): &'a (),
    ) -> Result<PreparedModes, MechanismError> {
        estimator.prepare(samples)
    }

    fn settings(&self) -> String {
        format!("{:?} {}", self.budget, self.most)
    }

    fn find(
        &self,
        space: &dyn TangentSpace,
        estimator: &FunctionalModes,
        released: &Released<NoisedModes>,
    ) -> Result<FoundModes, PointStudyError> {
        let value = &released.value;
        let (Some(estimate), Some(modes)) = (estimator.mean(value), estimator.modes(value, self.most)) else {
            return Err(MechanismError::Shape("the stored draw is that of other records").into());
        };
        let coordinates = estimator.coordinates();
        let spread =
            Some(estimator.record_spread(&modes)).filter(|spread| spread.square > 2.0 * spread.noise);
        let accuracy = accuracy(space, &estimate, released.price.n, spread);
        let field = |u: &crate::estimate::Mode| space.displacement(&coordinates.displacement(&u.coordinates));
        Ok(FoundModes {
            fields: modes.modes.iter().map(field).collect(),
            sentence: sentence(space, &accuracy),
            mean: estimate.samples,
            looked: (coordinates.len(), coordinates.expected_share()),
            modes,
            accuracy,
        })
    }

    fn mean(found: &FoundModes) -> Option<&[f64]> {
        Some(&found.mean)
    }

    fn state(&self, _: &mut Statement) {}

    fn describe(&self, _: &dyn TangentSpace, found: &FoundModes, statement: &mut Statement) {
        statement.details.insert("accuracy".into(), json!(found.accuracy));
        let modes = modes_details(&found.modes, self.most, found.looked, &estimand());
        statement.details.insert("modes".into(), modes);
    }

    fn title(&self) -> [&'static str; 2] {
        ["Private modes of variation", "mean and modes of variation"]
    }

    fn write(
        &self,
        space: &dyn TangentSpace,
        found: &FoundModes,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        write_arrays(folder, MEAN_NPY, &[], space, [&space.point(&found.mean)])?;
        write_arrays(folder, MODES_NPY, &[found.fields.len()], space, &found.fields)?;
        Ok(folder.write(VARIANCES, variances_csv(&found.modes).as_bytes())?)
    }

    fn section(
        &self,
        space: &dyn TangentSpace,
        found: &FoundModes,
        page: &mut Page,
    ) -> Result<(), PointStudyError> {
        let mean = space.point(&found.mean);
        let (minus, plus) = (format!("-{REACH} sd"), format!("+{REACH} sd"));
        let mut pictures = Vec::new();
        for (k, field) in found.fields.iter().take(PICTURED).enumerate() {
            let by: Vec<f64> = field.iter().map(|x| REACH * x).collect();
            let caption = format!("Mode {}: two standard deviations to either side of the mean", k + 1);
            let shown = Displaced { mean: &mean, by: &by, ends: [&minus, &plus], caption: &caption };
            pictures.extend(space.displaced_figures(&shown)?);
        }
        modes_section(page, &found.modes, self.most, &pictures, &estimand());
        let named = found.fields.iter().enumerate().map(|(k, field)| (format!("mode {}", k + 1), field));
        numbers_table(page, space, std::iter::once(("mean".into(), &mean)).chain(named));
        accuracy_section(page, &found.sentence);
        Ok(())
    }
}
