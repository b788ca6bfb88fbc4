//! What is public of other people's surfaces: where their mean lies and how they differ.

use super::prepared::{complaint, count_of};
use super::template::PublicTemplate;
use crate::io::{Limit, Records, open};
use crate::job::layout::MEAN_NPY;
use crate::job::{average, public_input};
use crate::study::points::PointStudyError;
use crate::study::public_people::PublicPeople;
use std::path::Path;

/// A prior for surfaces, from public ones or from an earlier release: its mean is the public centre in place of the template.
#[derive(Debug)]
pub(super) struct SurfacePrior {
    /// How they differ from the mean, as displacements of vertices.
    pub people: PublicPeople,
    /// The public centre: vertices, (V, 3).
    pub mean: Vec<f64>,
}

impl SurfacePrior {
    /// From a file of public surfaces in the template's frame (n, V, 3), or the folder of an earlier private release of surfaces.
    ///
    /// # Errors
    /// [`PointStudyError`] for surfaces in another frame, or a folder that is no private release of such.
    pub fn load(path: &Path, template: &PublicTemplate) -> Result<Self, PointStudyError> {
        let vertices = template.vertices();
        let (own, size) = (&vertices[..], template.template.mesh().area().sqrt());
        let refused =
            |which: &str, what: String| PointStudyError::Input(format!("{}: {which} {what}", path.display()));
        if path.is_dir() {
            let (mean, people) = PublicPeople::of_release(path, MEAN_NPY, &[own.len() / 3, 3])?;
            return match complaint(&mean, own, size) {
                Some(what) => Err(refused("its mean", what)),
                None => Ok(Self { people, mean }),
            };
        }
        let file = open(path, Limit::TABLE)?;
        let input = public_input(&file)?;
        let count = count_of(&file, own.len() / 3)?;
        let records = Records::of(&file)?;
        let surfaces = (0..count).map(|i| records.record(i)).collect::<Result<Vec<_>, _>>()?;
        let wrong = surfaces.iter().enumerate().find_map(|(i, data)| Some((i, complaint(data, own, size)?)));
        if let Some((i, what)) = wrong {
            return Err(refused(&format!("record {i} (counted from 0)"), what));
        }
        let mean = average(&surfaces).ok_or_else(|| refused("the mean", "is beyond all numbers".into()))?;
        let people = PublicPeople::of_records(input, surfaces.iter().map(|s| &s[..]), &mean);
        Ok(Self { people, mean })
    }
}
