//! One release of the sums of all parts, pass by pass.

use super::fault;
use super::merge::Merged;
use super::publication::{PartsPublication, finished, of_pass};
use super::round::{RoundFile, standing_for};
use crate::function::FaceCurves;
use crate::job::{self, Digest, Job};
use crate::mechanism::functional::{CurveMean, Pass, PassValue, Passed};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Mechanism, Mu};
use crate::study::face::{
    FaceOutcome, FacePublication, LoadedTemplate, StudyError, TemplateSource, load_template, shown,
    write_internal_of,
};
use crate::study::{Counting, Identical, Place, Whose};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// What a release of sums is told.
#[derive(Debug, Clone)]
pub struct ReleaseSettings {
    /// The sums of all parts of one pass.
    pub sums: Vec<PathBuf>,
    /// The budget of all passes together: that of the sums.
    pub mu: Mu,
    /// The template: that of the sums.
    pub template: TemplateSource,
    /// Folder, ledger, seed; the same for all passes.
    pub place: Place,
}

/// What a release of sums has drawn.
#[derive(Debug)]
pub enum Drawn {
    /// A pass that is not the last: the next sums are made about this file.
    Round {
        /// The file.
        file: PathBuf,
        /// Which pass, of how many.
        pass: (usize, usize),
        /// n.
        people: usize,
    },
    /// The mean.
    Mean(Box<FaceOutcome>),
}

/// What later passes need of an earlier one: secret.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    /// What the records of each part are.
    records: Vec<String>,
}

/// Draws the pass that these sums are of, under the charge for all passes, which the first one makes; and publishes after the last.
///
/// # Errors
/// [`StudyError`]: sums that are missing, doubled, changed or of something else, by name, before anything is charged.
pub fn release(settings: &ReleaseSettings) -> Result<Drawn, StudyError> {
    if settings.place.replace {
        return Err(StudyError::Parts(
            "a release of sums is not replaced: another one goes to another folder, with a budget of its own"
                .into(),
        ));
    }
    let loaded = Arc::new(load_template(&settings.template)?);
    let sums = Merged::read(&settings.sums)?;
    let form = sums.form();
    if form.version != env!("CARGO_PKG_VERSION") {
        return Err(fault(&settings.sums[0], "this sum is of another version of the program; make it again"));
    }
    if form.mu != settings.mu {
        return Err(StudyError::Parts(format!(
            "the sums were made for mu = {}, not for {}: the lattice that they are on depends on it",
            form.mu.get(),
            settings.mu.get()
        )));
    }
    if loaded.input.sha256 != form.template.sha256 {
        return Err(StudyError::Parts("the sums were made with another template; give that one".into()));
    }
    let own = form.own(&loaded)?;
    let mean = form.mean(&own)?;
    // Every pass goes on with the charge of the first.
    let place = Place { resume: true, ..settings.place.clone() };
    let at_hand = AtHand { sums: &sums, loaded, own, mean, place: &place };
    job::run(&place, |job| at_hand.run(job)).map_err(of_pass)
}

/// One pass.
struct AtHand<'a> {
    sums: &'a Merged,
    loaded: Arc<LoadedTemplate>,
    own: FaceCurves,
    mean: CurveMean,
    place: &'a Place,
}

impl AtHand<'_> {
    fn run(&self, job: &mut Job<'_>) -> Result<Drawn, StudyError> {
        let (form, price) = (self.sums.form(), self.mean.price().clone());
        let passes = Pass::count(&self.mean)?;
        let text = |value: &dyn Fn() -> serde_json::Result<String>| value().unwrap_or_default();
        let fields = [
            "sums of parts".to_owned(),
            text(&|| serde_json::to_string(form)),
            text(&|| serde_json::to_string(&price)),
            format!("{} {:?}", self.sums.parts.len(), self.place.seed),
        ];
        let steps =
            job.steps::<PassValue, Kept>(Digest::of_fields(fields), Some(self.sums.pass()), passes)?;
        let before = || steps.before();
        let passed: Vec<Passed> = before()
            .map(|step| Passed { value: step.released.value.of.clone(), parts: step.released.parts.clone() })
            .collect();
        let publication = PartsPublication { face: self.publication(), parts: self.sums.parts.len() };
        let priced = job.price_step(&price, publication, &steps)?;
        self.check_before(&passed, before().next().map(|step| &step.secret))?;
        let pass = Pass::after(&self.mean, &passed)?;
        let sum = self.sums.sum()?;
        pass.check(&sum)?;
        if passed.is_empty() {
            self.check_records()?;
        }
        let digest = Digest::of_fields(self.sums.parts.iter().map(|found| found.file.sum256()));
        // A seeded source goes on where the pass before has left it, as in one process.
        let position = before().last().and_then(|step| step.released.value.position);
        let mut noise = match (self.place.seed, position) {
            (Some(seed), Some(position)) => NoiseSource::seeded_from(seed, position),
            _ => job.noise(0)?,
        };
        let kept = Kept { records: self.sums.records() };
        let published = job.release_step::<_, _, _, StudyError>(
            &priced,
            (&pass, &sum),
            &steps,
            (&digest, kept),
            &mut noise,
        )?;
        let at = steps.at() + 1;
        if at < passes {
            let own = Passed { value: published.value.of.clone(), parts: published.parts.clone() };
            let file = job.folder().root().join(format!("round-{at}.json"));
            RoundFile::new(form, passed.iter().cloned().chain([own]).collect()).write(&file)?;
            job.finish()?;
            return Ok(Drawn::Round { file, pass: (at, passes), people: form.people });
        }
        let certificate = job.publish(&priced, &published)?;
        let released = finished(&published)?;
        let released = shown(&priced.publication().face, &released, certificate)?;
        let nonprivate = FaceCurves::new(form.curves, form.samples, self.sums.nonprivate())?;
        let (inputs, failed) = (form.inputs(self.place.clone()), self.sums.failed());
        write_internal_of(job, (&inputs, &self.loaded, &self.own), (failed, &nonprivate), &released)?;
        job.finish()?;
        Ok(Drawn::Mean(Box::new(FaceOutcome {
            folder: job.folder().clone(),
            scans: form.records,
            people: form.people,
            failed,
            mean_square_error: Some(released.curves.mean_square_distance(&nonprivate)),
            released: Some(released),
            stage_seconds: Default::default(),
        })))
    }

    /// Whether the sums rest on what this release has drawn before, and are of the records that the first pass was of.
    fn check_before(&self, passed: &[Passed], first: Option<&Kept>) -> Result<(), StudyError> {
        let at = &self.sums.parts[0].path;
        if self.sums.about() != standing_for(passed) {
            return Err(fault(
                at,
                "this sum is about another round than the one that was drawn here; make the sums of this pass again, about the round file in this folder",
            ));
        }
        let Some(first) = first else { return Ok(()) };
        for (found, then) in self.sums.parts.iter().zip(&first.records) {
            if format!("{} {}", found.file.source, found.file.records) != *then {
                return Err(fault(
                    &found.path,
                    "the records of this part, or the table of people, are not those of the first pass; put these back",
                ));
            }
        }
        Ok(())
    }

    /// What can only be seen where all parts are together.
    fn check_records(&self) -> Result<(), StudyError> {
        let form = self.sums.form();
        if self.sums.failed() == form.records {
            return Err(StudyError::NoneUsable {
                n: form.records,
                first: "record 0".into(),
                problem: "and so for all".into(),
            });
        }
        if form.identical == Identical::Refuse {
            self.sums.refuse_identical()?;
        }
        Ok(())
    }

    fn publication(&self) -> FacePublication {
        let form = self.sums.form();
        let people = form.persons.then(|| Whose::Table(PathBuf::from("people")));
        FacePublication::new(
            self.loaded.clone(),
            self.own.clone(),
            self.mean.clone(),
            form.registration,
            Counting { people, identical: form.identical },
            form.unusable,
        )
    }
}
