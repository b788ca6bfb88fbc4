//! What a statistic has to say of itself, whatever the kind of record.

use super::centring::{Expected, Inner, Told};
use super::records::Centred;
use super::space::TangentSpace;
use crate::estimate::Design;
use crate::job::ReleaseFolder;
use crate::job::covariates::Covariates;
use crate::mechanism::MechanismError;
use crate::privacy::{Mu, Price, Statement};
use crate::report::figure::Figure;
use crate::report::page::Page;
use crate::study::points::PointStudyError;
use std::fmt::Debug;

/// A statistic of records by their samples in a tangent space.
pub trait Statistic: Debug + Clone + Send + Sync + 'static {
    /// The mechanism, with what is made of its releases.
    type Inner: Inner;
    /// What a released value tells: free.
    type Found;

    /// As the command calls it.
    const NAME: &'static str;
    /// What is released of the records, for certificates, as in "means of groups".
    const OF: &'static str;

    /// What a plan of the `command` for these records calls it.
    fn full_name(&self, command: &str) -> String {
        format!("{command} {}", Self::NAME)
    }

    /// The budget of the whole.
    fn budget(&self) -> Mu;

    /// The mechanism on samples. Its price must not depend on the centre's.
    ///
    /// # Errors
    /// [`MechanismError`], about public numbers.
    fn inner(&self, expected: Expected) -> Result<Self::Inner, MechanismError>;

    /// Reads what records have beside their samples, before these.
    ///
    /// # Errors
    /// [`PointStudyError`], for the data holder.
    fn covariates<K: Centred + ?Sized>(
        &self,
        _kind: &K,
    ) -> Result<Option<(Covariates, &Design)>, PointStudyError> {
        Ok(None)
    }

    /// Adds the covariates that only the records tell, before the charge.
    ///
    /// # Errors
    /// [`PointStudyError`], for the data holder.
    fn complete<K: Centred + ?Sized>(
        &self,
        _kind: &K,
        _own: &K::Own,
        _covariates: &mut Covariates,
    ) -> Result<(), PointStudyError> {
        Ok(())
    }

    /// What else makes a run this run.
    fn settings(&self) -> String;

    /// What was released, as far as public things and noised values tell.
    ///
    /// # Errors
    /// [`PointStudyError`] for a value of other records.
    fn find(&self, told: Told<'_, Self::Inner>, price: &Price) -> Result<Self::Found, PointStudyError>;

    /// The samples of the released mean, where there is one of all records.
    fn mean(found: &Self::Found) -> Option<&[f64]>;

    /// The expected squared error of each of these samples against the mean without noise; empty where it is not known.
    fn errors(_found: &Self::Found) -> &[f64] {
        &[]
    }

    /// What holds of every release.
    fn state(&self, space: &dyn TangentSpace, statement: &mut Statement);

    /// What this release tells.
    fn describe(&self, space: &dyn TangentSpace, found: &Self::Found, statement: &mut Statement);

    /// The title of its page, and what was released, as in "mean and modes of variation".
    fn title(&self, space: &dyn TangentSpace) -> [String; 2];

    /// The pictures that its page begins with, in rows.
    ///
    /// # Errors
    /// [`PointStudyError`]: a picture that cannot be made.
    fn figures(
        &self,
        space: &dyn TangentSpace,
        found: &Self::Found,
    ) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        match Self::mean(found) {
            Some(mean) => space.mean_figures(&space.point(mean), Self::errors(found)),
            None => Ok(Vec::new()),
        }
    }

    /// What else the table of how it was made has: name and value.
    fn parameters(&self, _found: &Self::Found) -> Vec<Vec<String>> {
        Vec::new()
    }

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
