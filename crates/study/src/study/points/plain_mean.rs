//! The mean of points without noise, for the data holder: with neither ball nor budget.

use super::array::{Array, write_internal};
use super::internal::{distances_csv, outliers};
use super::internal_page::private_page;
use super::records::Read;
use super::{PointOutcome, PointRequest, PointStudyError};
use crate::io::write_bytes;
use crate::job::layout::{DISTANCES, NONPRIVATE_MEAN_NPY};
use crate::job::unusable::write_problems;
use crate::job::{self, Job};
use crate::manifold::Manifold;
use crate::stats::{FrechetOptions, frechet_mean};
use crate::study::People;

/// Points without a ball.
pub(super) struct PlainMean<'a, M> {
    pub(super) request: &'a PointRequest,
    pub(super) space: M,
    pub(super) people: &'a People,
    /// What the data holder should know of the file.
    pub(super) notes: Vec<String>,
}

impl<M: Manifold> PlainMean<'_, M> {
    /// The Fréchet mean of all records that are points, and how far each lies from it, under `internal/`.
    ///
    /// # Errors
    /// [`PointStudyError`]: the folder, a record, points without a mean.
    pub(super) fn run(
        &self,
        records: impl FnOnce() -> Result<Read<M::Point>, PointStudyError>,
        to_array: impl Fn(&M::Point) -> Array,
    ) -> Result<PointOutcome, PointStudyError> {
        job::run(&self.request.place, |job| {
            job.without_release()?;
            let Read { points, problems, notes } = records()?;
            job.tell(self.notes.iter().cloned().chain(notes));
            write_problems(&job.folder().internal(), &problems)?;
            let records = self.people.one_each(points, |_, own| self.mean(&own).map(Some))?;
            self.write(job, &records, to_array)
        })
    }

    fn mean(&self, points: &[M::Point]) -> Result<M::Point, PointStudyError> {
        let found = frechet_mean(&self.space, points, None, None, FrechetOptions::default())?;
        let certificate = found.certificate;
        if !certificate.settled() {
            let far = if self.space.curvature().upper > 0.0 {
                ": these records may lie too far apart to have one mean in this space"
            } else {
                ""
            };
            let (steps, norm) = (certificate.iterations, certificate.gradient_norm);
            return Err(PointStudyError::Input(format!(
                "the mean did not settle within {steps} steps (the gradient's length is {norm:.1e}){far}"
            )));
        }
        Ok(found.point)
    }

    fn write(
        &self,
        job: &Job<'_>,
        records: &[Option<M::Point>],
        to_array: impl Fn(&M::Point) -> Array,
    ) -> Result<PointOutcome, PointStudyError> {
        let points: Vec<M::Point> = records.iter().flatten().cloned().collect();
        let mean = self.mean(&points)?;
        let named = records.iter().enumerate().filter_map(|(i, p)| Some((i.to_string(), p.as_ref()?)));
        let distances: Vec<(String, f64)> = named.map(|(i, p)| (i, self.space.dist(&mean, p))).collect();
        let (n, left_out) = (records.len(), records.len() - points.len());
        let dir = job.folder().internal();
        write_bytes(
            &dir.join("records.csv"),
            format!("what,count\nrecords,{n}\nleft out,{left_out}\n").as_bytes(),
        )?;
        write_bytes(&dir.join(DISTANCES), distances_csv(&distances).as_bytes())?;
        let mut page = private_page("Internal: mean without noise");
        let far: Vec<String> =
            outliers(&distances).into_iter().map(|(name, d)| format!("{name} ({d:.3})")).collect();
        page.paragraph(&format!(
            "The mean of {} records. Far from it, counting from 0: {}.",
            points.len(),
            if far.is_empty() { "none".to_owned() } else { far.join(", ") }
        ));
        job.write_page(page)?;
        // Last: its presence says that the rest is there.
        write_internal(&dir.join(NONPRIVATE_MEAN_NPY), &to_array(&mean))?;
        Ok(PointOutcome {
            folder: job.folder().clone(),
            n: n as u64,
            of_persons: self.people.table().is_some(),
            certificate: None,
            accuracy: None,
            outside: (0, left_out),
            remarks: job.notes(),
        })
    }
}

/// What stops a study without a public radius that is to release something.
pub(in crate::study) fn no_radius() -> PointStudyError {
    PointStudyError::Input(
        "nothing bounds the records: give the public radius of a ball that holds them as --radius F (--mechanism none needs none)".into(),
    )
}
