//! Who is in a study of surfaces, and what is known of them in advance.

use crate::study::points::PointStudyError;
use crate::study::{Counting, Place, Unusable};
use crate::surface::any::SurfaceSettings;
use std::path::PathBuf;

/// How many harmonics of the template are looked at where nothing is said: with the public spectrum 1 % of a record's variance lies beyond, and
/// a budget of ordinary size shows no more.
pub const HARMONICS: usize = 200;
/// Least and most harmonics.
const COUNTS: std::ops::RangeInclusive<usize> = 4..=400;
/// How far records may lie from the template where nothing is said, root mean square, as a share of the square root of its area: organs of one
/// kind differ by about a twentieth of their size; faces by .02, with a public radius of .045.
pub const RADIUS: f64 = 0.1;

/// Who is in a study of surfaces, where it works, and what is known of surfaces beforehand; all of it public but the records.
#[derive(Debug, Clone)]
pub struct SurfaceInputs {
    /// Scans, or folders of them.
    pub scans: Vec<PathBuf>,
    /// Records registered elsewhere, in place of scans: an array (n, vertices, 3) in the template's frame.
    pub prepared: Option<PathBuf>,
    /// The public template: a mesh that is a disk or closed, without handles. Marks beside it (`NAME.landmarks.csv`, or Slicer's files) fix the
    /// pose of scans that have the same beside them.
    pub template: PathBuf,
    /// Public surfaces whose mean takes the place of the template as centre, for means: an array as `prepared` takes, or the folder of an earlier
    /// private release.
    pub prior: Option<PathBuf>,
    /// How far records may lie from the centre, root mean square over its area, in its units; [`RADIUS`] times the square root of its area
    /// where nothing is said.
    pub radius: Option<f64>,
    /// How many harmonics of the template are looked at.
    pub harmonics: usize,
    /// How scans are registered. Sizes are taken out unless `remove_scale` is off.
    pub registration: SurfaceSettings,
    /// What is done with records that cannot be used.
    pub unusable: Unusable,
    /// What counts as a person.
    pub counting: Counting,
    /// Folder, ledger, seed.
    pub place: Place,
}

impl SurfaceInputs {
    /// These scans with this template, in this place.
    pub fn new(scans: Vec<PathBuf>, template: impl Into<PathBuf>, place: Place) -> Self {
        Self {
            scans,
            prepared: None,
            template: template.into(),
            prior: None,
            radius: None,
            harmonics: HARMONICS,
            registration: SurfaceSettings::default(),
            unusable: Unusable::default(),
            counting: Counting::default(),
            place,
        }
    }

    /// What is public, as wrong as it may be.
    pub(super) fn check(&self) -> Result<(), PointStudyError> {
        let fail = |what: String| Err(PointStudyError::Input(what));
        if self.radius.is_some_and(|radius| !(radius > 0.0 && radius.is_finite())) {
            return fail("the public radius is a positive number, in units of the template".into());
        }
        if !COUNTS.contains(&self.harmonics) {
            return fail(format!("harmonics are from {} to {}", COUNTS.start(), COUNTS.end()));
        }
        if self.prepared.is_some() && !self.scans.is_empty() {
            return fail("prepared records are a single array; leave out the scans".into());
        }
        Ok(())
    }
}
