//! Files of matrices or rows that are open, wherever their records are seen from.

use super::records::{Centred, Opened, TangentRecords};
use super::space::Circumstances;
use crate::io::{Matrices, Rows};
use crate::study::People;
use crate::study::points::{PointStudyError, Read, Record, usable};
use visard_base::parallel;

/// Where the numbers of records are.
pub(super) enum Source {
    Matrices(Matrices),
    Rows(Rows),
}

impl Source {
    fn count(&self) -> usize {
        match self {
            Self::Matrices(matrices) => matrices.count(),
            Self::Rows(rows) => rows.count(),
        }
    }

    fn sha256(&self) -> [u8; 32] {
        match self {
            Self::Matrices(matrices) => matrices.file().sha256(),
            Self::Rows(rows) => rows.file().sha256(),
        }
    }

    fn notes(&self) -> Vec<String> {
        match self {
            Self::Matrices(_) => Vec::new(),
            Self::Rows(rows) => rows.notes(),
        }
    }

    fn numbers(&self) -> Vec<Result<Vec<f64>, String>> {
        match self {
            Self::Matrices(matrices) => matrices.iter().map(Ok).collect(),
            Self::Rows(rows) => rows.iter().map(|row| row.map_err(|e| e.to_string())).collect(),
        }
    }
}

/// From the numbers of a record to the point it is, or what is wrong with it.
pub(super) type ToPoint<P> = Box<dyn Fn(&[f64]) -> Result<P, String> + Send + Sync>;

/// Records whose files are open, and where they are seen from: a chart at a public point, or the search for a private one.
pub(super) struct PointRecords<P, Z> {
    pub(super) seen_from: Z,
    pub(super) opened: Files<P>,
}

/// Open files.
pub(super) struct Files<P> {
    source: Source,
    to_point: ToPoint<P>,
    people: People,
    circumstances: Circumstances,
}

/// What is done with opened records, wherever they are seen from.
pub(super) trait Then {
    /// What comes of it.
    type Done;

    /// With records about a public centre.
    ///
    /// # Errors
    /// [`PointStudyError`].
    fn about(self, records: &dyn TangentRecords) -> Result<Self::Done, PointStudyError>;

    /// With records about a centre that is found and paid for.
    ///
    /// # Errors
    /// [`PointStudyError`].
    fn seeking<K: Centred>(self, records: &K) -> Result<Self::Done, PointStudyError>;
}

impl<P> Files<P> {
    /// Whose records are whose.
    ///
    /// # Errors
    /// [`PointStudyError`]: a table of people that does not fit.
    pub(super) fn new(
        source: Source,
        to_point: ToPoint<P>,
        circumstances: Circumstances,
    ) -> Result<Self, PointStudyError> {
        let people = circumstances.counting.people(source.count(), &|i| vec![i.to_string()])?;
        Ok(Self { source, to_point, people, circumstances })
    }
}

impl<P, Z> PointRecords<P, Z> {
    /// The point with these numbers.
    pub(super) fn point(&self, numbers: &[f64]) -> Result<P, String> {
        (self.opened.to_point)(numbers)
    }

    /// What is made of every record by itself: secret.
    pub(super) fn read_as<Q: Send>(
        &self,
        of: impl Fn(P) -> Result<Q, String> + Sync,
    ) -> Result<Read<Q>, PointStudyError> {
        let to_point = &self.opened.to_point;
        let record = |numbers: Result<Vec<f64>, String>| match numbers {
            Err(problem) => Record::unread(problem),
            Ok(numbers) => {
                let point = to_point(&numbers);
                Record::new(&numbers, point.and_then(&of))
            }
        };
        let records: Vec<Record<Q>> = parallel::map_vec(self.opened.source.numbers(), record);
        let Circumstances { counting, unusable, .. } = &self.opened.circumstances;
        usable(*unusable, counting, &self.opened.people, records.into_iter())
    }
}

impl<P, Z> Opened for PointRecords<P, Z> {
    fn people(&self) -> &People {
        &self.opened.people
    }

    fn count(&self) -> usize {
        self.opened.source.count()
    }

    fn notes(&self) -> Vec<String> {
        self.opened.source.notes()
    }

    fn circumstances(&self) -> Circumstances {
        self.opened.circumstances.clone()
    }

    fn sums(&self) -> Vec<[u8; 32]> {
        std::iter::once(self.opened.source.sha256()).chain(self.opened.people.table()).collect()
    }
}
