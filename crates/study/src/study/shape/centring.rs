//! How statistics of samples are put about a centre of shapes.

use super::input::{Specimen, Specimens};
use super::internal;
use super::space::{PublicShapes, ShapeSpace, WORDS};
use crate::estimate::Design;
use crate::job::Job;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{FunctionRegression, FunctionalModes, OfSamples, Reach};
use crate::mechanism::landmarks::{self, ReleasedShapes, ShapeMechanism, ShapeRecords, ShapeSetting};
use crate::privacy::Mu;
use crate::study::People;
use crate::study::points::{PointStudyError, Read, Words};
use crate::study::tangent::{
    Centred, Centring, Circumstances, Expected, Gathered, Inner, Make, ModesStatistic, Opened,
    RegressionStatistic, Shown, Statistic, Told,
};
use std::sync::Arc;

/// The centre of a collection of shapes.
#[derive(Debug)]
pub(in crate::study) struct ShapeCentring {
    shapes: Arc<PublicShapes>,
    setting: ShapeSetting,
}

/// A statistic of shapes.
///
/// # Errors
/// [`MechanismError`], about public numbers.
pub(super) fn about<M>(
    setting: &ShapeSetting,
    make: impl Make<M>,
) -> Result<ShapeMechanism<M>, MechanismError>
where
    M: OfSamples,
{
    let n = setting.n;
    let make = move |basis, centre, expected: landmarks::Expected, mu| {
        let landmarks::Expected { scale, centre_error } = expected;
        make(Expected { basis, centre, reach: Reach::from(scale), centre_error, known: None, mu, n })
    };
    ShapeMechanism::new(setting, Arc::new(make))
}

/// The mechanism for modes of shapes.
///
/// # Errors
/// [`MechanismError`], about public numbers.
pub fn modes_mechanism(setting: &ShapeSetting) -> Result<ShapeMechanism<FunctionalModes>, MechanismError> {
    let statistic = ModesStatistic { budget: setting.mu, most: 0 };
    about(setting, move |expected| statistic.inner(expected))
}

/// The mechanism for regressions of shapes.
///
/// # Errors
/// [`MechanismError`], about public numbers.
pub fn regression_mechanism(
    setting: &ShapeSetting,
    design: Design,
) -> Result<ShapeMechanism<FunctionRegression>, MechanismError> {
    let statistic = RegressionStatistic::on(None, design, setting.mu, false);
    about(setting, move |expected| statistic.inner(expected))
}

impl Centring for ShapeCentring {
    type Records = ShapeRecords;
    type About<M: Inner> = ShapeMechanism<M>;

    fn words(&self) -> Words {
        WORDS
    }

    fn about<M: Inner>(&self, make: impl Make<M>) -> Result<ShapeMechanism<M>, MechanismError> {
        about(&self.setting, make)
    }

    fn told<'a, M: Inner>(
        &self,
        about: &ShapeMechanism<M>,
        released: &'a ReleasedShapes<M::Value>,
    ) -> Result<Told<'a, M>, PointStudyError> {
        let (tangent, inner) = about.about(&released.centre)?;
        let space = ShapeSpace::of(self.shapes.clone(), about, tangent, released);
        Ok(Told { space: Arc::new(space), inner: Arc::new(inner), value: &released.value })
    }

    fn settings(&self) -> String {
        self.shapes.settings.clone()
    }
}

impl Opened for Specimens<'_> {
    fn people(&self) -> &People {
        &self.people
    }

    fn count(&self) -> usize {
        self.names.len()
    }

    fn names(&self, i: usize) -> Vec<String> {
        vec![self.names[i].clone()]
    }

    fn circumstances(&self) -> Circumstances {
        let inputs = self.inputs();
        Circumstances {
            public_inputs: self.public_inputs.clone(),
            counting: inputs.counting.clone(),
            unusable: inputs.unusable,
        }
    }

    fn notes(&self) -> Vec<String> {
        self.remarks()
    }

    fn sums(&self) -> Vec<[u8; 32]> {
        std::iter::once(self.file()).chain(self.people.table()).collect()
    }
}

impl Centred for Specimens<'_> {
    type Centring = ShapeCentring;
    type Own = Vec<Option<Specimen>>;

    fn centring(&self, budget: Mu) -> ShapeCentring {
        ShapeCentring { shapes: Arc::new(PublicShapes::of(self)), setting: self.setting(budget) }
    }

    fn gather(&self, _: &Job<'_>) -> Result<Gathered<Self>, PointStudyError> {
        let Read { points: own, problems, notes } = self.read()?;
        let failed = own.iter().filter(|specimen| specimen.is_none()).count();
        let (records, problems) = (self.people_of(&own), Some(problems));
        Ok(Gathered { records, own, sums: Vec::new(), failed, problems, notes })
    }

    fn give(records: &mut ShapeRecords, rows: Vec<Vec<f64>>) {
        records.rows = rows;
    }

    /// None of a record without a shape, nor of one whose missing landmarks only a private centre will fill.
    fn log_sizes(&self, own: &Self::Own) -> Result<Vec<Option<f64>>, PointStudyError> {
        self.check_scales()?;
        Ok(own.iter().map(|specimen| Some(specimen.as_ref()?.size()?.ln())).collect())
    }

    fn write_internal(
        &self,
        job: &Job<'_>,
        gathered: &Gathered<Self>,
        released: &Shown<'_>,
    ) -> Result<Option<usize>, PointStudyError> {
        internal::write(self, job, gathered, released.space, released.mean).map(Some)
    }
}
