//! Faces as records of statistics in a tangent space: that of the public template, by the samples of their curves.

use super::error::StudyError;
use super::faces::Faces;
use super::gather::{FaceProgress, FaceStudy, Gathered as Scans};
use super::prior::FacePrior;
use super::record::RecordMaker;
use super::size::{MeasuredFaces, SizeScale};
use super::space::FaceSpace;
use crate::function::FaceCurves;
use crate::io::internal::write_npy;
use crate::job::Job;
use crate::job::layout::NONPRIVATE_FIELDS;
use crate::mechanism::functional::{FunctionRecords, SampledRecords};
use crate::privacy::Mu;
use crate::study::People;
use crate::study::points::PointStudyError;
use crate::study::tangent::{
    Centred, Circumstances, Gathered, Opened, PublicCentre, Shown, Statistic, TangentOutcome, run,
};
use nalgebra::DMatrix;
use std::sync::Arc;
use visard_base::numeric::elementary::add_scaled;

/// Faces, and how records are made of their scans.
pub(super) struct FaceRecords<'a> {
    pub(super) study: &'a FaceStudy<'a>,
    pub(super) maker: RecordMaker<'a>,
    pub(super) progress: &'a (dyn Fn(FaceProgress) + Sync),
    /// How sizes are measured, where they belong to the records.
    pub(super) size: Option<SizeScale>,
    /// Public faces, none of which may be a record.
    pub(super) prior: Option<Arc<FacePrior>>,
}

impl FaceStudy<'_> {
    /// Runs a statistic of these faces.
    ///
    /// # Errors
    /// [`StudyError`]. One bad scan never stops it; what is wrong with a table is found out before anything is charged; errors after the ledger
    /// was charged leave the charge standing, and the study to be resumed.
    pub(super) fn run<S: Statistic>(
        &self,
        statistic: S,
        progress: &(dyn Fn(FaceProgress) + Sync),
    ) -> Result<TangentOutcome<S::Found>, StudyError> {
        let faces = FaceRecords { study: self, maker: self.maker()?, progress, size: None, prior: None };
        Ok(run(&faces, statistic, &self.settings.place)?.0)
    }

    /// What every certificate of a statistic of these faces states.
    pub(super) fn circumstances(&self) -> Circumstances {
        Circumstances {
            public_inputs: self.loaded.inputs(),
            counting: self.counting.clone(),
            unusable: self.settings.unusable,
        }
    }

    /// Where they are seen from, with this budget.
    pub(super) fn centring(&self, mu: Mu) -> PublicCentre {
        let space = FaceSpace::new(self.loaded.clone(), self.own.clone(), self.settings.registration);
        PublicCentre { space: Arc::new(space), mu, n: self.n() }
    }
}

impl Opened for FaceRecords<'_> {
    fn people(&self) -> &People {
        &self.study.people
    }

    fn count(&self) -> usize {
        self.study.count()
    }

    fn names(&self, i: usize) -> Vec<String> {
        self.study.names(i)
    }

    fn circumstances(&self) -> Circumstances {
        let priors = self.prior.iter().flat_map(|prior| prior.people.inputs.clone());
        let circumstances = self.study.circumstances();
        let public_inputs = circumstances.public_inputs.into_iter().chain(priors).collect();
        Circumstances { public_inputs, ..circumstances }
    }

    /// What the records are is known when they have been made.
    fn sums(&self) -> Vec<[u8; 32]> {
        Vec::new()
    }
}

impl Centred for FaceRecords<'_> {
    type Centring = PublicCentre;
    type Own = (Scans, Arc<Faces>);

    fn centring(&self, mu: Mu) -> PublicCentre {
        self.study.centring(mu)
    }

    fn gather(&self, job: &Job<'_>) -> Result<Gathered<Self>, PointStudyError> {
        let mut scans = self.study.gather(job, &self.maker, self.progress)?;
        if let Some(prior) = &self.prior {
            prior.refuse_own_records(&scans.faces)?;
        }
        let faces = Arc::new(std::mem::take(&mut scans.faces));
        let samples: Arc<dyn FunctionRecords> = match self.size {
            Some(scale) => Arc::new(MeasuredFaces::new(self.study, &scans, faces.clone(), scale)?),
            None => faces.clone(),
        };
        let records = SampledRecords { samples, rows: Vec::new() };
        let (sums, failed) = (self.study.sums(&scans), scans.failed);
        // What became of the scans stands in their table, and was told on the way.
        Ok(Gathered { own: (scans, faces), records, sums, failed, problems: None, notes: Vec::new() })
    }

    fn give(records: &mut SampledRecords, rows: Vec<Vec<f64>>) {
        records.rows = rows;
    }

    /// Which lie beyond the radius is drawn, as a chart.
    fn write_internal(
        &self,
        job: &Job<'_>,
        gathered: &Gathered<Self>,
        released: &Shown<'_>,
    ) -> Result<Option<usize>, PointStudyError> {
        let (scans, faces) = &gathered.own;
        let own = &self.study.own;
        let curves = |samples: &[f64]| FaceCurves::new(own.curves(), own.samples(), samples.to_vec());
        let mean = released.mean.map(curves).transpose().map_err(StudyError::from)?;
        self.study.write_internal(
            job,
            &self.maker,
            scans,
            mean.as_ref(),
            released.certificate.clip_radius,
        )?;
        let rows = &gathered.records.rows;
        if let Some(fields) = least_squares(rows, faces, own) {
            let shape = [rows.first().map_or(0, Vec::len), own.curves(), own.samples(), 3];
            write_npy(&job.folder().internal().join(NONPRIVATE_FIELDS), &shape, &fields)?;
        }
        Ok(None)
    }
}

/// The face at the reference values and the field of every column; `None` where covariates do not vary enough.
fn least_squares(rows: &[Vec<f64>], faces: &Faces, own: &FaceCurves) -> Option<Vec<f64>> {
    let q = rows.first()?.len();
    let mut usable = Vec::new();
    faces.for_each(|i, face| usable.extend(face.map(|_| &rows[i])));
    let x = DMatrix::from_fn(usable.len(), q, |i, j| usable[i][j]);
    let weights = &x * (x.transpose() * &x).try_inverse()?;
    let mut fields = vec![vec![0.0; own.data().len()]; q];
    let mut row = 0;
    faces.for_each(|_, face| {
        let Some(face) = face else { return };
        for (j, field) in fields.iter_mut().enumerate() {
            let weight = weights[(row, j)];
            add_scaled(field, weight, face.data());
        }
        row += 1;
    });
    // The intercept's column is a half.
    fields[0].iter_mut().for_each(|x| *x *= crate::estimate::design::INTERCEPT);
    Some(fields.concat())
}
