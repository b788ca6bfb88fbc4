//! What a kind of record has to say of itself for statistics in a tangent space.

use super::centring::{Centring, PublicCentre};
use super::internal;
use super::space::{Circumstances, TangentSpace};
use crate::job::Job;
use crate::job::unusable::Problem;
use crate::mechanism::functional::{FilledIn, SampledRecords};
use crate::privacy::{Certificate, Mu};
use crate::study::People;
use crate::study::points::{PointStudyError, Read};
use std::sync::Arc;

/// Records of one kind: their files are open and what is public has been read, but no value of a record.
pub trait Opened {
    /// Who gave which records: n.
    fn people(&self) -> &People;

    /// How many records there are.
    fn count(&self) -> usize;

    /// What a record is called in tables: its number from 0, where it has no other name.
    fn names(&self, i: usize) -> Vec<String> {
        vec![i.to_string()]
    }

    /// What every certificate of theirs states.
    fn circumstances(&self) -> Circumstances;

    /// What was passed over in their file, for the data holder.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// SHA-256 of what is read: the records, and who gave them. Asked for when they have been read.
    fn sums(&self) -> Vec<[u8; 32]>;
}

/// Records about a public centre.
pub trait TangentRecords: Opened {
    /// Where they are seen from.
    fn space(&self) -> Arc<dyn TangentSpace>;

    /// Every person's samples ([`TangentSpace::centre`]): secret. What a record becomes depends on that record and on public things only.
    ///
    /// # Errors
    /// [`PointStudyError`]: the first record that cannot be used, where the study stops at them.
    fn read(&self) -> Result<Read<Vec<f64>>, PointStudyError>;

    /// Which share of every person's record was not seen and is as the template there, once they have been read; nothing where that is not known.
    fn filled(&self) -> Vec<f64> {
        Vec::new()
    }
}

/// Records about a centre, public or not.
pub trait Centred: Opened {
    /// The centre.
    type Centring: Centring;
    /// What was read that mechanisms do not take: secret.
    type Own;

    /// The centre, with all else that is public of the records; what finds a private one is paid from the budget.
    fn centring(&self, budget: Mu) -> Self::Centring;

    /// Reads the records. What one becomes depends on that record and on public things only; what takes long may be kept in the job's folder.
    ///
    /// # Errors
    /// [`PointStudyError`]: the first record that cannot be used, where the study stops at them.
    fn gather(&self, job: &Job<'_>) -> Result<Gathered<Self>, PointStudyError>;

    /// The logarithm of every record's size; `None` for one that has none.
    ///
    /// # Errors
    /// [`PointStudyError`]: records that have no sizes, or sizes in several units.
    fn log_sizes(&self, _own: &Self::Own) -> Result<Vec<Option<f64>>, PointStudyError> {
        Err(PointStudyError::Input("these records have no sizes".into()))
    }

    /// Gives people their covariates.
    fn give(records: &mut RecordsOf<Self>, rows: Vec<Vec<f64>>);

    /// Writes what only the data holder may see: the mean without noise, how far every record lies from the released `mean`, and a page.
    /// Returns how many records lie beyond the public radius, where that is told by numbers.
    ///
    /// # Errors
    /// [`PointStudyError`]: a file that cannot be written.
    fn write_internal(
        &self,
        job: &Job<'_>,
        gathered: &Gathered<Self>,
        released: &Shown<'_>,
    ) -> Result<Option<usize>, PointStudyError>;
}

/// n people of a kind, as mechanisms take them.
pub type RecordsOf<K> = <<K as Centred>::Centring as Centring>::Records;

/// What was released, beside which the data holder sees the records.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// Where.
    pub space: &'a dyn TangentSpace,
    /// Samples of the mean, where there is one of all records.
    pub mean: Option<&'a [f64]>,
    /// Its certificate.
    pub certificate: &'a Certificate,
}

/// What a study has read: secret.
pub struct Gathered<K: Centred + ?Sized> {
    /// What mechanisms do not take.
    pub own: K::Own,
    /// n people.
    pub records: RecordsOf<K>,
    /// What was read, where it is not told by files alone ([`Opened::sums`]).
    pub sums: Vec<[u8; 32]>,
    /// How many could not be used.
    pub failed: usize,
    /// Which these are, and why; `None` where a table of the kind's own has it.
    pub problems: Option<Vec<Problem>>,
    /// What the data holder should know of the others.
    pub notes: Vec<String>,
}

/// About a public centre.
impl Centred for dyn TangentRecords + '_ {
    type Centring = PublicCentre;
    type Own = ();

    fn centring(&self, mu: Mu) -> PublicCentre {
        PublicCentre { space: self.space(), mu, n: self.people().count() as u64 }
    }

    fn gather(&self, _: &Job<'_>) -> Result<Gathered<Self>, PointStudyError> {
        let Read { points: samples, problems, notes } = self.read()?;
        let failed = samples.iter().filter(|record| record.is_none()).count();
        let samples = Arc::new(FilledIn { samples, filled: self.filled() });
        let records = SampledRecords { samples, rows: Vec::new() };
        Ok(Gathered { own: (), records, sums: Vec::new(), failed, problems: Some(problems), notes })
    }

    fn give(records: &mut SampledRecords, rows: Vec<Vec<f64>>) {
        records.rows = rows;
    }

    fn write_internal(
        &self,
        job: &Job<'_>,
        gathered: &Gathered<Self>,
        released: &Shown<'_>,
    ) -> Result<Option<usize>, PointStudyError> {
        internal::write(job, released.space, &*gathered.records.samples, released.mean).map(Some)
    }
}
