//! What is public of other people's faces: where their mean lies and how they differ.

use super::average::mean_of;
use super::error::StudyError;
use super::faces::Faces;
use super::prepared::PreparedFile;
use crate::function::FaceCurves;
use crate::io::{Limit, open};
use crate::job::layout::CURVES;
use crate::study::public_input;
use crate::study::public_people::{PriorError, PublicPeople};
use std::path::Path;

/// A prior for faces, from public ones or from an earlier release: its mean is the public centre in place of the template.
#[derive(Debug, Clone)]
pub struct FacePrior {
    /// How they differ from the mean, as samples of curves.
    pub people: PublicPeople,
    /// The public centre.
    pub mean: FaceCurves,
}

impl FacePrior {
    /// From a file of public faces in the template's frame (n, J, m, 3), or the folder of an earlier private release of faces; `own`: the
    /// template's curves.
    ///
    /// # Errors
    /// [`StudyError::Prepared`] for faces in another frame, [`StudyError::Prior`] for a folder that is no private release of such curves.
    pub fn load(path: &Path, own: &FaceCurves) -> Result<Self, StudyError> {
        if path.is_dir() { Self::of_release(path, own) } else { Self::of_faces(path, own) }
    }

    fn of_faces(path: &Path, own: &FaceCurves) -> Result<Self, StudyError> {
        let file = open(path, Limit::TABLE)?;
        let input = public_input(&file)?;
        let file = PreparedFile::of(file, own.curves(), own.samples())?;
        let faces = file.all(own)?;
        let mean = mean_of(&faces)?;
        let people = PublicPeople::of_records(input, faces.iter().map(FaceCurves::data), mean.data());
        Ok(Self { people, mean })
    }

    fn of_release(path: &Path, own: &FaceCurves) -> Result<Self, StudyError> {
        let (curves, samples) = (own.curves(), own.samples());
        let (mean, people) = PublicPeople::of_release(path, CURVES, &[curves, samples, 3])?;
        Ok(Self { people, mean: FaceCurves::new(curves, samples, mean)? })
    }

    /// A record that is one of the prior's faces, to the last bit.
    ///
    /// # Errors
    /// [`PriorError::OwnRecord`] for the data holder: nothing is charged.
    pub(super) fn refuse_own_records(&self, faces: &Faces) -> Result<(), StudyError> {
        if !self.people.has_records() {
            return Ok(());
        }
        let mut own = None;
        faces.for_each(|record, face| {
            if own.is_none() && face.is_some_and(|face| self.people.has(face.data())) {
                own = Some(record);
            }
        });
        own.map_or(Ok(()), |record| Err(PriorError::OwnRecord { record }.into()))
    }
}
