//! Modes of variation, with the mean, of whatever has a tangent space.

use super::accuracy::accuracy_section;
use super::centring::{Expected, Told};
use super::numbers::numbers_table;
use super::run::write_arrays;
use super::space::{Dial, Displaced, Looked, TangentSpace};
use super::statistic::Statistic;
use crate::estimate::{INTERVALS, Mode, Modes};
use crate::job::ReleaseFolder;
use crate::job::layout::{MODES_NPY, VARIANCES};
use crate::job::modes_table::{modes_details, modes_lead, modes_rows, variances_csv};
use crate::mechanism::functional::{Estimate, FunctionalModes};
use crate::mechanism::vector::NoisedModes;
use crate::mechanism::{MechanismError, UnseenShares};
use crate::privacy::{Mu, Price, Statement};
use crate::report::page::Page;
use crate::report::slider::Slider;
use crate::study::points::{PointAccuracy, PointStudyError};
use serde_json::{Value, json};

/// What noised moments of samples tell: free.
#[derive(Debug, Clone)]
pub struct SampledModes {
    /// The mean.
    pub mean: Estimate,
    /// The modes and their variances.
    pub modes: Modes,
    /// One standard deviation of each, as samples.
    pub fields: Vec<Vec<f64>>,
}

impl SampledModes {
    /// At most `most` modes of a release.
    ///
    /// # Errors
    /// [`MechanismError::Shape`] for a release of other coordinates.
    pub fn of(
        mechanism: &FunctionalModes,
        released: &NoisedModes,
        most: usize,
    ) -> Result<Self, MechanismError> {
        let (Some(mean), Some(modes)) = (mechanism.mean(released), mechanism.modes(released, most)) else {
            return Err(MechanismError::Shape("the stored draw is that of other records"));
        };
        let field = |mode: &Mode| mechanism.coordinates().displacement(&mode.coordinates);
        Ok(Self { mean, fields: modes.modes.iter().map(field).collect(), modes })
    }
}

/// Below this nμ the modes of the public spectrum are about as good as private ones.
pub const MODES_WORTHWHILE: f64 = 60.0;

/// More modes are not released.
pub const MOST_MODES: usize = 200;
/// More modes than this have no picture.
const PICTURED: usize = 8;

/// What the numbers in the table of variances are.
pub(super) fn estimand(space: &dyn TangentSpace) -> String {
    format!(
        "variance: of single records along the mode before they were clipped, {}; the clip is undone under a normal model. {INTERVALS}. share: of the \
         variance of all coefficients that were looked at",
        space.terms().squared
    )
}

/// The mean and at most `most` modes.
#[derive(Debug, Clone)]
pub struct ModesStatistic {
    /// What is paid.
    pub budget: Mu,
    /// How many modes at most.
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
    /// The mean.
    pub(super) mean: Estimate,
    /// What each part of the budget bought, where the mean has one of its own.
    pub(super) bought: Option<Value>,
    /// One standard deviation of each mode, as an array.
    pub(super) fields: Vec<Vec<f64>>,
    /// How many coefficients were looked at, and their expected share.
    pub(super) looked: (usize, f64),
    /// Which shares of the records it was made without.
    pub(super) unseen: UnseenShares,
}

impl Statistic for ModesStatistic {
    type Inner = FunctionalModes;
    type Found = FoundModes;

    const NAME: &'static str = "modes";
    const OF: &'static str = "mean and second moment, about a private centre";

    fn budget(&self) -> Mu {
        self.budget
    }

    fn inner(&self, expected: Expected) -> Result<FunctionalModes, MechanismError> {
        let Expected { basis, centre, reach, mu, n, .. } = expected;
        FunctionalModes::new(basis, centre, reach, mu, n)
    }

    fn settings(&self) -> String {
        format!("{:?} {}", self.budget, self.most)
    }

    fn find(&self, told: Told<'_, FunctionalModes>, price: &Price) -> Result<FoundModes, PointStudyError> {
        let Told { space, inner, value } = told;
        let SampledModes { mean, modes, fields } = SampledModes::of(&inner, value, self.most)?;
        let coordinates = inner.coordinates();
        let spread = Some(inner.record_spread(&modes)).filter(|spread| spread.square > 2.0 * spread.noise);
        // The mean has coordinates that the modes have not.
        let all = Looked::First(coordinates.len(), coordinates.expected_share());
        let accuracy = space.accuracy(&mean, all, price, spread);
        Ok(FoundModes {
            fields: fields.iter().map(|field| space.displacement(field)).collect(),
            sentence: space.sentence(&accuracy),
            mean,
            bought: None,
            looked: inner.looked(),
            unseen: value.recentred.unseen,
            modes,
            accuracy,
        })
    }

    fn mean(found: &FoundModes) -> Option<&[f64]> {
        Some(&found.mean.samples)
    }

    fn state(&self, _: &dyn TangentSpace, _: &mut Statement) {}

    fn describe(&self, space: &dyn TangentSpace, found: &FoundModes, statement: &mut Statement) {
        statement.details.insert("accuracy".into(), json!(found.accuracy));
        let modes = modes_details(&found.modes, self.most, found.looked, &estimand(space));
        statement.details.insert("modes".into(), modes);
        statement.details.extend([found.unseen.detail()]);
        statement.details.extend(found.bought.iter().map(|bought| ("bought".to_owned(), bought.clone())));
    }

    fn title(&self, _: &dyn TangentSpace) -> [String; 2] {
        ["Private modes of variation".into(), "mean and modes of variation".into()]
    }

    fn write(
        &self,
        space: &dyn TangentSpace,
        found: &FoundModes,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        // What comes with the modes has its error stated as a whole.
        let errors = found.bought.is_some().then_some(&found.mean.errors[..]);
        space.write_mean(folder, &space.point(&found.mean.samples), errors)?;
        write_arrays(folder, MODES_NPY, &[found.fields.len()], space, &found.fields)?;
        Ok(folder.write(VARIANCES, variances_csv(&found.modes).as_bytes())?)
    }

    fn section(
        &self,
        space: &dyn TangentSpace,
        found: &FoundModes,
        page: &mut Page,
    ) -> Result<(), PointStudyError> {
        let mean = space.point(&found.mean.samples);
        modes_lead(page, &found.modes, self.most);
        let (reach, in_words) = space.terms().reach;
        let mut dials = Vec::new();
        for (k, (field, mode)) in found.fields.iter().zip(&found.modes.modes).enumerate() {
            let name = format!("mode {}", k + 1);
            let slider = Slider::along(format!("{name} ({:.0} %)", 100.0 * mode.share), Vec::new(), reach);
            dials.push(Dial { slider, moved: vec![(name, &field[..])] });
        }
        page.figures(space.surface(&mean, &dials)?.as_slice());
        let ends = [&format!("-{reach} sd")[..], &format!("+{reach} sd")];
        let mut pictures = Vec::new();
        for (k, field) in found.fields.iter().take(PICTURED).enumerate() {
            let [less, more] = [-reach, reach].map(|far| field.iter().map(|x| far * x).collect::<Vec<f64>>());
            let caption =
                format!("Mode {}: {in_words} standard deviations to either side of the mean", k + 1);
            let shown = Displaced { mean: &mean, to: [&less, &more], ends, caption: &caption };
            pictures.extend(space.displaced_figures(&shown)?);
        }
        space.show(page, &pictures);
        modes_rows(page, &found.modes, &estimand(space), |size| space.length(size));
        let named = found.fields.iter().enumerate().map(|(k, field)| (format!("mode {}", k + 1), field));
        numbers_table(page, space, std::iter::once(("mean".into(), &mean)).chain(named));
        accuracy_section(page, &found.sentence);
        Ok(())
    }
}
