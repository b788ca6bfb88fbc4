//! What all parts of a release have in common: public.

use super::statistic::{OfPeople, PartStatistic, difference};
use crate::function::FaceCurves;
use crate::privacy::{Mu, PublicInput};
use crate::study::face::{FaceInputs, LoadedTemplate, Registration, StudyError, TemplateLoadError};
use crate::study::{Identical, Place, Unusable};
use serde::{Deserialize, Serialize};
use std::ops::Range;

pub use crate::study::records::Shard as Part;

/// Settings of a release whose records are added up in parts: all of it public, and the same in all parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartForm {
    /// The program's version.
    pub version: String,
    /// What is released.
    pub statistic: PartStatistic,
    /// Its budget.
    pub mu: Mu,
    /// The template.
    pub template: PublicInput,
    /// Curves of a face, J.
    pub curves: usize,
    /// Samples of a curve, m.
    pub samples: usize,
    /// How faces are said to be registered.
    pub registration: Registration,
    /// What is done about persons' records that are alike.
    pub identical: Identical,
    /// What is done about records that cannot be used.
    pub unusable: Unusable,
    /// Whether a table says whose records are whose.
    pub persons: bool,
    /// Records in the file.
    pub records: usize,
    /// n: persons.
    pub people: usize,
}

impl PartForm {
    /// The persons of a part, counted from 0: those of all parts are n, one after the other.
    ///
    /// # Errors
    /// What is wrong: there are more parts than persons.
    pub fn persons_of(&self, part: Part) -> Result<Range<usize>, StudyError> {
        let (k, of) = (part.number(), part.of());
        if of > self.people {
            return Err(StudyError::Parts(format!(
                "{of} parts of {} persons: a part has at least one; give fewer parts",
                self.people
            )));
        }
        let at = |k: usize| (k as u128 * self.people as u128 / of as u128) as usize;
        Ok(at(k - 1)..at(k))
    }

    /// The template's own curves, as the faces have them.
    ///
    /// # Errors
    /// [`TemplateLoadError`].
    pub fn own(&self, loaded: &LoadedTemplate) -> Result<FaceCurves, StudyError> {
        Ok(loaded.template.own_curves(self.curves, self.samples).map_err(TemplateLoadError::from)?)
    }

    /// How many people, and their budget.
    pub(super) fn of_people(&self) -> OfPeople {
        (self.people as u64, self.mu)
    }

    /// As a study takes them.
    pub(super) fn inputs(&self, place: Place) -> FaceInputs {
        FaceInputs {
            curves: self.curves,
            samples: self.samples,
            registration: self.registration,
            ..FaceInputs::new([], place)
        }
    }

    /// The first setting in which another form differs, in words.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        if let Some(what) = difference(&self.statistic, &other.statistic) {
            return Some(what);
        }
        let differ = [
            (self.version != other.version, "the version of the program"),
            (self.mu != other.mu, "the budget"),
            (self.template.sha256 != other.template.sha256, "the template"),
            ((self.curves, self.samples) != (other.curves, other.samples), "curves and samples"),
            (self.persons != other.persons || self.people != other.people, "the people"),
            (self.records != other.records, "the number of records"),
            (self != other, "settings"),
        ];
        differ.into_iter().find_map(|(differs, what)| differs.then_some(what))
    }
}
