//! A mean face that is released again and again while a cohort grows: one step of a stream that was planned beforehand.

mod plan;
mod seen;
#[cfg(test)]
mod tests;

pub use plan::StreamPlan;

use super::error::StudyError;
use super::gather::{FaceProgress, FaceStudy, tell};
use super::mean::FaceMechanism;
use super::mean::basis;
use super::record::RecordMaker;
use super::run::FaceOutcome;
use super::settings::FaceInputs;
use super::statistic::{FaceMean, OfStream};
use crate::function::FaceCurves;
use crate::job::{self, Digest, Job, Steps};
use crate::mechanism::functional::{
    AboutPublic, ChosenRecords, CurveMean, NoisedFunction, PreparedMean, StreamMean, StreamPast,
};
use crate::privacy::{Mechanism, PrivacyLoss};
use crate::study::tangent::{PublicCentre, TangentOutcome, TangentPublication};
use crate::study::{Place, Whose};
use plan::KnownPlan;
use seen::{Counted, Seen};
use std::path::PathBuf;
use std::sync::Arc;

/// What a step of a stream is told: all of it public.
#[derive(Debug, Clone)]
pub struct StreamSettings {
    /// The plan: a JSON file that is the same in all steps ([`StreamPlan`]).
    pub plan: PathBuf,
    /// Which step, from 1: the next where nothing is said. The last one that was drawn may be asked for again, with the same records.
    pub step: Option<usize>,
    /// The people of this step, and the stream's folder, which is the same in all steps.
    pub records: FaceInputs,
}

/// Runs one step of a stream.
///
/// # Errors
/// [`StudyError`]. Whatever stops it before its draw charges nothing, but for the first step's charge, which is for all; afterwards the same
/// command goes on with what was drawn.
pub fn run_stream(
    settings: &StreamSettings,
    progress: &(dyn Fn(FaceProgress) + Sync),
) -> Result<FaceOutcome, StudyError> {
    let plan = StreamPlan::read(&settings.plan)?;
    if settings.records.place.replace {
        return Err(StudyError::Stream(
            "a stream is not replaced: another one goes to another folder, with a budget of its own".into(),
        ));
    }
    if settings.records.counting.people == Some(Whose::Folders) {
        return Err(StudyError::Stream(
            "people of a stream are matched by a table (--people FILE.csv), not by folders, whose names may differ from step to step".into(),
        ));
    }
    // Every step goes on with the charge of the first.
    let place = Place { resume: true, ..settings.records.place.clone() };
    let records = FaceInputs { place, ..settings.records.clone() };
    let study = FaceStudy::open(&records)?;
    let maker = study.maker()?;
    job::run(&records.place, |job| {
        let steps = job.steps(plan.stream(&study)?, settings.step, plan.plan.steps)?;
        StepAtHand { study: &study, plan: &plan, steps, maker: &maker }.run(job, progress)
    })
}

/// One step.
struct StepAtHand<'a> {
    study: &'a FaceStudy<'a>,
    plan: &'a KnownPlan,
    steps: Steps<NoisedFunction, Seen>,
    maker: &'a RecordMaker<'a>,
}

impl StepAtHand<'_> {
    fn run(
        &self,
        job: &mut Job<'_>,
        progress: &(dyn Fn(FaceProgress) + Sync),
    ) -> Result<FaceOutcome, StudyError> {
        let before: Vec<&Seen> = self.steps.before().map(|step| &step.secret).collect();
        let counted = Counted::among(&self.study.people, &before, self.plan.plan.visits)?;
        let mean = self.mean(&counted)?;
        let price = mean.price().clone();
        let priced = job.price_step(&price, self.publication(&mean)?, &self.steps)?;
        tell(job, progress, counted.told(!before.is_empty()));
        let mut gathered = self.study.gather(job, self.maker, progress)?;
        let faces = std::mem::take(&mut gathered.faces);
        let records = ChosenRecords { records: &faces, chosen: counted.chosen.clone() };
        let prints = seen::prints(&mean, &records);
        counted.refuse_seen(&prints, &before, self.study)?;
        let sums = mean.prepared(before.iter().map(|seen| seen.sum.clone()).collect(), &records)?;
        gathered.nonprivate = self.curves(mean.nonprivate(&sums))?;
        let secret = Seen { who: counted.who.clone(), records: prints, sum: sums.last().to_vec() };
        let digest: Digest = self.study.digest(&(&self.plan.input, self.steps.at()), &price, &gathered);
        let publication = priced.publication();
        let prepared = PreparedMean::Stream(sums);
        // With a fixed seed every step has its own noise all the same.
        let mut noise = job.noise((self.steps.at() as u64 + 1) << 8)?;
        let published = job.release_step::<_, _, _, StudyError>(
            &priced,
            (&publication.mechanism, &prepared),
            &self.steps,
            (&digest, secret),
            &mut noise,
        )?;
        let certificate = job.publish_step(&priced, &published, self.steps.at())?;
        let (space, found) = publication.found(&published)?;
        let clip = certificate.clip_radius;
        self.study.write_internal(job, self.maker, &gathered, Some(&found.curves), clip)?;
        job.finish()?;
        let outcome = TangentOutcome {
            records_read: gathered.scans,
            people: mean.people() as usize,
            failed: gathered.failed,
            ..TangentOutcome::of(job, publication, (&*space, found), certificate)
        };
        let stage_seconds = gathered.stage_seconds();
        Ok(FaceOutcome { stage_seconds, ..FaceOutcome::of(outcome, &gathered.nonprivate) })
    }

    /// The mean of this step, from what was released before: public.
    fn mean(&self, counted: &Counted) -> Result<StreamMean, StudyError> {
        let before = || self.steps.before();
        let people = before().map(|step| step.secret.records.len() as u64);
        let past = StreamPast {
            people: people.chain([counted.chosen.len() as u64]).collect(),
            answers: before().map(|step| step.released.value.exact.clone()).collect(),
        };
        let own = &self.study.own;
        Ok(StreamMean::new(self.plan.shape()?, basis(own), own.data().to_vec(), past)?)
    }

    fn publication(
        &self,
        mean: &StreamMean,
    ) -> Result<TangentPublication<PublicCentre, FaceMean>, StudyError> {
        let PrivacyLoss::Gaussian(mu) = mean.price().loss else {
            return Err(StudyError::Shape("a stream is paid for in mu"));
        };
        let study = self.study;
        let matched = study.people.labels().is_some();
        let stream = OfStream::new(self.plan.input.clone(), matched, mean);
        let faces = (study.loaded.clone(), study.own.clone());
        Ok(TangentPublication {
            statistic: FaceMean::new(faces, FaceMechanism::Joint, mu).of_stream(stream),
            centring: study.centring(mu),
            mechanism: AboutPublic(Arc::new(CurveMean::Stream(Box::new(mean.clone())))),
            circumstances: study.circumstances(),
        })
    }

    fn curves(&self, samples: Vec<f64>) -> Result<FaceCurves, StudyError> {
        Ok(FaceCurves::new(self.study.own.curves(), self.study.own.samples(), samples)?)
    }
}
