//! One release of the sums of all parts, pass by pass.

use super::drawn::Drawn;
use super::fault;
use super::merge::Merged;
use super::publication::{OfSums, PartsPublication, Records, of_pass};
use super::round::{RoundFile, standing_for};
use super::statistic::PartStatistic;
use crate::function::FaceCurves;
use crate::job::{self, Digest, Job};
use crate::mechanism::functional::passes::{Pass, PassValue, Passed};
use crate::privacy::Mu;
use crate::privacy::noise::NoiseSource;
use crate::study::face::modes::MODES;
use crate::study::face::{FaceSpace, LoadedTemplate, StudyError, TemplateSource, load_template};
use crate::study::tangent::{
    Centring, Circumstances, ComparisonStatistic, ModesStatistic, PublicCentre, RegressionStatistic,
    Statistic, TangentPublication,
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
    /// How many modes at most, where that is what is released.
    pub modes: Option<usize>,
    /// The template: that of the sums.
    pub template: TemplateSource,
    /// Folder, ledger, seed; the same for all passes.
    pub place: Place,
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
    if settings.modes.is_some() && form.statistic != PartStatistic::Modes {
        return Err(StudyError::Parts("these are no sums of modes: leave out how many are wanted".into()));
    }
    // Every pass goes on with the charge of the first.
    let place = Place { resume: true, ..settings.place.clone() };
    let own = form.own(&loaded)?;
    let at_hand = AtHand { sums: &sums, loaded: &loaded, own: &own, place: &place };
    match form.statistic {
        PartStatistic::Mean { .. } => {
            at_hand.release(at_hand.about(form.statistic.mean((&loaded, &own), form.mu)?)?)
        }
        PartStatistic::Modes => {
            let most = settings.modes.unwrap_or(MODES);
            at_hand.release(at_hand.about(ModesStatistic { budget: form.mu, most })?)
        }
        PartStatistic::Regression { ref design, residuals } => {
            let regression = RegressionStatistic::on(None, design.clone(), form.mu, residuals);
            at_hand.release(at_hand.about(regression)?)
        }
        PartStatistic::Groups { want, .. } => {
            let groups = form.statistic.groups()?;
            at_hand.release(at_hand.about(ComparisonStatistic { budget: form.mu, groups, want })?)
        }
    }
}

/// One pass.
struct AtHand<'a> {
    sums: &'a Merged,
    loaded: &'a Arc<LoadedTemplate>,
    own: &'a FaceCurves,
    place: &'a Place,
}

impl AtHand<'_> {
    fn release(&self, of: impl OfSums) -> Result<Drawn, StudyError> {
        job::run(self.place, |job| self.run(of, job)).map_err(of_pass)
    }

    fn run(&self, of: impl OfSums, job: &mut Job<'_>) -> Result<Drawn, StudyError> {
        let (form, price) = (self.sums.form(), of.in_passes().whole_price().clone());
        let passes = of.in_passes().passes()?;
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
        let earlier = passed.iter().map(|passed| passed.value.clone()).collect();
        let publication = PartsPublication { of, parts: self.sums.parts.len(), before: earlier };
        let priced = job.price_step(&price, publication, &steps)?;
        let publication = priced.publication();
        self.check_before(&passed, before().next().map(|step| &step.secret))?;
        let pass = Pass::after(publication.of.in_passes(), &passed);
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
        let nonprivate = FaceCurves::new(form.curves, form.samples, self.sums.nonprivate())?;
        let records = Records {
            inputs: &form.inputs(self.place.clone()),
            loaded: self.loaded,
            own: self.own,
            count: form.records,
            people: form.people,
            failed: self.sums.failed(),
            nonprivate: &nonprivate,
        };
        let drawn = publication.of.ended(job, &publication.finished(&published)?, certificate, &records)?;
        job.finish()?;
        Ok(drawn)
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
                    "the records of this part, or a table of people or covariates, are not those of the first pass; put these back",
                ));
            }
        }
        Ok(())
    }

    /// What can only be seen where all parts are together.
    fn check_records(&self) -> Result<(), StudyError> {
        let form = self.sums.form();
        if self.sums.failed() == form.records {
            let n = form.records;
            return Err(StudyError::Parts(format!(
                "none of the {n} records can be used; `visard sum` names one of each part, and why; nothing was charged"
            )));
        }
        if form.identical == Identical::Refuse {
            self.sums.refuse_identical()?;
        }
        Ok(())
    }

    fn counting(&self) -> Counting {
        let form = self.sums.form();
        let people = form.persons.then(|| Whose::Table(PathBuf::from("people")));
        Counting { people, identical: form.identical }
    }

    /// A statistic in the tangent space at the template, as a study of faces has it.
    fn about<S: Statistic>(&self, statistic: S) -> Result<TangentPublication<PublicCentre, S>, StudyError> {
        let form = self.sums.form();
        let space = FaceSpace::new(self.loaded.clone(), self.own.clone(), form.registration);
        let (n, mu) = form.of_people();
        let centring = PublicCentre { space: Arc::new(space), mu, n };
        let wanted = statistic.clone();
        let mechanism = centring.about(move |expected| wanted.inner(expected))?;
        let circumstances = Circumstances {
            public_inputs: self.loaded.inputs(),
            counting: self.counting(),
            unusable: form.unusable,
        };
        Ok(TangentPublication { statistic, centring, mechanism, circumstances })
    }
}
