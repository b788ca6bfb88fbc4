//! The people's faces, held in memory or read when they are wanted.

use super::average::mean_of;
use crate::function::{CurvesError, FaceCurves};
use crate::mechanism::functional::FunctionRecords;
use crate::study::People;
use crate::study::records::RecordFolder;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// So many faces are read at once where they are gone through in order.
const BLOCK: usize = 256;

/// One face a person; none for a person without a usable scan: secret.
#[derive(Default)]
pub struct Faces {
    of: Kept,
    /// Which share of each was not seen; empty where the faces do not come from scans.
    filled: Vec<Option<f64>>,
}

enum Kept {
    /// All of them.
    Held(Vec<Option<FaceCurves>>),
    /// In a folder: memory does not grow with their number.
    Stored(StoredFaces),
}

/// Faces in a folder of records.
pub struct StoredFaces {
    pub(super) folder: Arc<RecordFolder>,
    /// The rows that were found whole.
    pub(super) whole: Vec<bool>,
    /// The rows of each person; `None` where every row is a person.
    pub(super) members: Option<Vec<Vec<usize>>>,
}

impl StoredFaces {
    /// The faces of these people.
    pub(super) fn of(folder: Arc<RecordFolder>, people: &People) -> Self {
        let members = people.table().map(|_| people.members());
        Self { whole: vec![true; folder.len()], folder, members }
    }

    fn read(&self, row: usize) -> Option<FaceCurves> {
        self.whole.get(row).filter(|whole| **whole)?;
        self.folder.face(row)
    }

    fn face(&self, person: usize) -> Option<FaceCurves> {
        let Some(members) = &self.members else { return self.read(person) };
        let mut own: Vec<FaceCurves> =
            members.get(person)?.iter().filter_map(|&row| self.read(row)).collect();
        match own.len() {
            0 | 1 => own.pop(),
            _ => mean_of(&own).ok(),
        }
    }

    fn count(&self) -> usize {
        self.members.as_ref().map_or(self.folder.len(), Vec::len)
    }
}

impl Faces {
    /// Of each person, with which share of it was not seen.
    pub(super) fn held(faces: Vec<Option<FaceCurves>>, filled: Vec<Option<f64>>) -> Self {
        Self { of: Kept::Held(faces), filled }
    }

    /// The same of a folder's.
    pub(super) fn stored(faces: StoredFaces, filled: Vec<Option<f64>>) -> Self {
        Self { of: Kept::Stored(faces), filled }
    }

    /// A person's face.
    pub(super) fn face(&self, person: usize) -> Option<Cow<'_, FaceCurves>> {
        match &self.of {
            Kept::Held(faces) => faces.get(person)?.as_ref().map(Cow::Borrowed),
            Kept::Stored(faces) => faces.face(person).map(Cow::Owned),
        }
    }

    /// Goes through all faces in order, which are read in parallel, a block at a time.
    pub(super) fn for_each(&self, mut one: impl FnMut(usize, Option<&FaceCurves>)) {
        let n = self.count();
        for start in (0..n).step_by(BLOCK) {
            let block: Vec<_> = (start..n.min(start + BLOCK)).into_par_iter().map(|i| self.face(i)).collect();
            block.iter().enumerate().for_each(|(k, face)| one(start + k, face.as_deref()));
        }
    }

    /// The mean of those that are there, of the form of `like`: for the data holder only.
    pub(super) fn mean(&self, like: &FaceCurves) -> Result<FaceCurves, CurvesError> {
        let (mut sum, mut found) = (vec![0.0; like.data().len()], 0_u32);
        self.for_each(|_, face| {
            let Some(face) = face else { return };
            found += 1;
            sum.iter_mut().zip(face.data()).for_each(|(s, x)| *s += x);
        });
        sum.iter_mut().for_each(|s| *s /= f64::from(found));
        FaceCurves::new(like.curves(), like.samples(), sum)
    }
}

impl Default for Kept {
    fn default() -> Self {
        Self::Held(Vec::new())
    }
}

impl FunctionRecords for Faces {
    fn count(&self) -> usize {
        match &self.of {
            Kept::Held(faces) => faces.len(),
            Kept::Stored(faces) => faces.count(),
        }
    }

    fn samples(&self, i: usize) -> Option<Cow<'_, [f64]>> {
        match &self.of {
            Kept::Held(faces) => faces.samples(i),
            Kept::Stored(faces) => Some(Cow::Owned(faces.face(i)?.into_data())),
        }
    }

    fn filled(&self, i: usize) -> f64 {
        self.filled.get(i).copied().flatten().unwrap_or(0.0)
    }
}
