//! What a face study is told before it reads a scan: all of it public.

use super::error::StudyError;
use super::mean::{ClipChoice, FaceMechanism};
use super::record::{RecordSettings, default_crop_radius};
use super::template::TemplateSource;
use super::units::Units;
#[cfg(doc)]
use crate::io::Manifest;
use crate::privacy::Mu;
use crate::study::{Counting, Place, Unusable};
use crate::surface::Template;
use crate::surface::registration::Registration;
use std::path::PathBuf;

/// Who is in a study of faces, and how records are made of their scans: what every statistic of faces needs to know.
#[derive(Debug, Clone)]
pub struct FaceInputs {
    /// Scan files and folders of scans.
    pub inputs: Vec<PathBuf>,
    /// The table that lists the scans, in place of folders ([`Manifest`]): n is what it lists, and `inputs` are folders in which files that
    /// are not beside it are looked for.
    pub manifest: Option<PathBuf>,
    /// A folder of records that `face prepare` made of the manifest's scans: no scan is opened then.
    pub records: Option<PathBuf>,
    /// Whether a row of the manifest without a record stops the study; otherwise it is a record that cannot be used.
    pub complete: bool,
    /// Records registered elsewhere, in place of scans: (n, J, m, 3), unit-area faces in the template's frame.
    pub prepared: Option<PathBuf>,
    /// The public template.
    pub template: TemplateSource,
    /// Number of face radial curves J.
    pub curves: usize,
    /// Distinct samples on each curve, m.
    pub samples: usize,
    /// How scans are registered.
    pub registration: Registration,
    /// Busts are cropped to this distance from the nose tip, in units of the template (millimetres for the
    /// built-in one) after the template has been fitted to the scan; by default a little beyond the template's own
    /// farthest point.
    pub crop_radius: Option<f64>,
    /// What is done with records that cannot be used: scans that could not be processed, prepared faces in another frame.
    pub unusable: Unusable,
    /// What counts as a person.
    pub counting: Counting,
    /// Folder, ledger, seed; resuming reuses finished records.
    pub place: Place,
}

impl FaceInputs {
    /// The default: built-in template, 23 curves of 80 samples, elastic registration.
    pub fn new(inputs: impl Into<Vec<PathBuf>>, place: Place) -> Self {
        Self {
            inputs: inputs.into(),
            manifest: None,
            records: None,
            complete: false,
            prepared: None,
            template: TemplateSource::Builtin,
            curves: CURVES,
            samples: SAMPLES,
            registration: Registration::default(),
            crop_radius: None,
            unusable: Unusable::default(),
            counting: Counting::default(),
            place,
        }
    }

    /// How records are made for this template.
    pub(in crate::study) fn making(&self, template: &Template) -> RecordSettings {
        RecordSettings {
            registration: self.registration,
            crop_radius: self.crop_radius.unwrap_or_else(|| default_crop_radius(template)),
            curves: self.curves,
            samples: self.samples,
        }
    }

    /// Whether a face can have so many curves and samples.
    ///
    /// # Errors
    /// [`StudyError::Shape`].
    pub(in crate::study) fn check_form(&self) -> Result<(), StudyError> {
        if self.curves < 2 || self.samples < 8 {
            return Err(StudyError::Shape("a face needs at least 2 curves of 8 samples"));
        }
        Ok(())
    }

    /// Everything but the scans and the place, for a digest.
    pub(super) fn public(&self) -> impl std::fmt::Debug {
        let shape = (self.curves, self.samples, self.registration, self.crop_radius);
        (shape, self.place.seed, self.counting.identical, self.unusable)
    }
}

/// Everything a study of the mean face needs to know.
#[derive(Debug, Clone)]
pub struct FaceStudySettings {
    /// The people and their scans.
    pub records: FaceInputs,
    /// Which mean is released.
    pub mechanism: FaceMechanism,
    /// Its budget; `None` only for [`FaceMechanism::None`].
    pub budget: Option<Mu>,
    /// Where the clip radius comes from.
    pub clip_radius: ClipChoice,
    /// Whether a confidence band for the population's mean is released too; with [`FaceMechanism::Joint`] only.
    pub band: bool,
    /// Whether the mean size is released too, so that the mean is in millimetres, and the units of the scans; with
    /// [`FaceMechanism::Joint`] only.
    pub size: Option<Units>,
    /// Public faces, or an earlier release: their mean is the public centre in place of the template, and how they differ is what shrinkage
    /// expects; with [`FaceMechanism::Joint`] only.
    pub prior: Option<PathBuf>,
}

impl FaceStudySettings {
    /// The default study of these scans in this place ([`FaceInputs::new`]): the joint mean at `budget`.
    ///
    /// ```
    /// use visard_privacy::privacy::Mu;
    /// use visard_study::study::Place;
    /// use visard_study::study::face::FaceStudySettings;
    /// let study = FaceStudySettings::new(["scans".into()], Place::new("study"), Mu::new(1.0)?);
    /// assert_eq!((study.records.curves, study.records.samples), (23, 80));
    /// # Ok::<(), visard_privacy::privacy::BudgetError>(())
    /// ```
    pub fn new(inputs: impl Into<Vec<PathBuf>>, place: Place, budget: Mu) -> Self {
        Self {
            records: FaceInputs::new(inputs, place),
            mechanism: FaceMechanism::default(),
            budget: Some(budget),
            clip_radius: ClipChoice::default(),
            band: false,
            size: None,
            prior: None,
        }
    }
}

/// Face radial curves of a record by default, and samples on each.
pub const CURVES: usize = 23;
/// See [`CURVES`].
pub const SAMPLES: usize = 80;
