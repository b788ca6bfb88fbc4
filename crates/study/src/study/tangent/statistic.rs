//! What a statistic has to say of itself, whatever the kind of record.

use super::records::{TangentRecords, TangentSpace};
use crate::job::ReleaseFolder;
use crate::mechanism::{Mechanism, MechanismError};
use crate::privacy::{Released, Statement};
use crate::report::page::Page;
use crate::study::points::PointStudyError;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// Every person's samples; `None` for those without a usable record: secret.
pub(in crate::study) type Samples = Vec<Option<Vec<f64>>>;

/// What a statistic draws.
pub(in crate::study) type Value<S> = <<S as Statistic>::Mechanism as Mechanism>::Value;

/// A statistic of records by their samples in a tangent space.
pub(in crate::study) trait Statistic: Debug {
    /// The mechanism with what is made of its releases.
    type Estimator: Debug;
    /// The mechanism itself.
    type Mechanism: Mechanism<Error = MechanismError, Value: Serialize + DeserializeOwned>;
    /// What people have beside their samples: secret.
    type Beside;
    /// What a released value tells: free.
    type Found;

    /// As the command calls it.
    const NAME: &'static str;

    /// The estimator for n people.
    ///
    /// # Errors
    /// [`MechanismError`], about public numbers.
    fn estimator(&self, space: &dyn TangentSpace, n: u64) -> Result<Self::Estimator, MechanismError>;

    /// The mechanism of an estimator.
    fn mechanism(estimator: &Self::Estimator) -> &Self::Mechanism;

    /// Reads what people have beside their samples, before the charge.
    ///
    /// # Errors
    /// [`PointStudyError`], for the data holder.
    fn beside<R: TangentRecords + ?Sized>(
        &self,
        records: &R,
        estimator: &Self::Estimator,
        samples: &Samples,
    ) -> Result<Self::Beside, PointStudyError>;

    /// Makes records ready.
    ///
    /// # Errors
    /// [`MechanismError`].
    fn prepare<'a>(
        estimator: &'a Self::Estimator,
        samples: &'a Samples,
        beside: &'a Self::Beside,
    ) -> Result<<Self::Mechanism as Mechanism>::Prepared<'a>, MechanismError>;

    /// SHA-256 of the table that was read beside the records.
    fn table(_beside: &Self::Beside) -> Option<[u8; 32]> {
        None
    }

    /// How many values of that table lie outside their public bounds: for the data holder.
    fn outside(_beside: &Self::Beside) -> usize {
        0
    }

    /// What else the data holder should know of that table.
    fn remarks(&self, _beside: &Self::Beside) -> Vec<String> {
        Vec::new()
    }

    /// What else makes a run this run.
    fn settings(&self) -> String;

    /// What was released, as far as public things and noised values tell.
    ///
    /// # Errors
    /// [`PointStudyError`] for a value of other records.
    fn find(
        &self,
        space: &dyn TangentSpace,
        estimator: &Self::Estimator,
        released: &Released<Value<Self>>,
    ) -> Result<Self::Found, PointStudyError>;

    /// The samples of the released mean, where there is one of all records.
    fn mean(found: &Self::Found) -> Option<&[f64]>;

    /// What holds of every release.
    fn state(&self, statement: &mut Statement);

    /// What this release tells.
    fn describe(&self, space: &dyn TangentSpace, found: &Self::Found, statement: &mut Statement);

    /// The title of its page, and what was released, as in "mean and modes of variation".
    fn title(&self) -> [&'static str; 2];

    /// The arrays and tables of a release.
    ///
    /// # Errors
    /// [`PointStudyError`]: a file that cannot be written.
    fn write(
        &self,
        space: &dyn TangentSpace,
        found: &Self::Found,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError>;

    /// Its part of the page.
    ///
    /// # Errors
    /// [`PointStudyError`]: a picture that cannot be made.
    fn section(
        &self,
        space: &dyn TangentSpace,
        found: &Self::Found,
        page: &mut Page,
    ) -> Result<(), PointStudyError>;
}
