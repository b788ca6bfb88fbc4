//! What the release of sums publishes: what a study of the same records publishes, and which parts were looked at for near copies.

use super::drawn::Drawn;
use crate::function::FaceCurves;
use crate::job::copies::Kind;
use crate::job::{Job, JobError, Publication, ReleaseFolder};
use crate::mechanism::functional::passes::{InPasses, PassOf, PassValue};
use crate::mechanism::functional::{
    CurveMean, FunctionGroups, FunctionRegression, FunctionalModes, NoisedComparison, NoisedFunction,
    OfSamples,
};
use crate::mechanism::vector::{AboutPass, NoisedModes, NoisedRegression};
use crate::privacy::{Certificate, Released, Statement};
use crate::study::face::{
    FaceInputs, FaceMean, FaceOutcome, FoundFace, LoadedTemplate, StudyError, write_internal_of,
};
use crate::study::tangent::{
    ComparisonStatistic, FoundFields, FoundGroups, FoundModes, ModesStatistic, PublicCentre,
    RegressionStatistic, Statistic, TangentOutcome, TangentPublication,
};
use crate::study::{Counting, Identical};
use serde_json::json;

/// What is known of the records when the last pass was drawn: secret.
pub(super) struct Records<'a> {
    pub(super) inputs: &'a FaceInputs,
    pub(super) loaded: &'a LoadedTemplate,
    pub(super) own: &'a FaceCurves,
    /// How many there are, and persons.
    pub(super) count: usize,
    pub(super) people: usize,
    /// How many cannot be used.
    pub(super) failed: usize,
    /// The mean of the others.
    pub(super) nonprivate: &'a FaceCurves,
}

/// What a study publishes whose mechanism goes through the records pass by pass.
pub(super) trait OfSums: Publication<Error: Into<StudyError>> {
    /// The mechanism.
    fn in_passes(&self) -> &dyn InPasses;

    /// Who is counted.
    fn counting(&self) -> &Counting;

    /// What all passes have released, oldest first; `None` while there are more to come.
    fn value(&self, passes: &[&PassOf]) -> Option<Self::Value>;

    /// How the study ended, once what only the data holder may see is written.
    fn ended(
        &self,
        job: &Job<'_>,
        released: &Released<Self::Value>,
        certificate: Certificate,
        records: &Records<'_>,
    ) -> Result<Drawn, StudyError>;
}

type About<S> = TangentPublication<PublicCentre, S>;

/// A statistic in the tangent space at the template whose mechanism goes through the records pass by pass.
trait InTangent: Statistic<Inner: InPasses> {
    /// What all passes have released; `None` while there are more to come.
    fn value(mechanism: &Self::Inner, passes: &[&PassOf]) -> Option<<Self::Inner as OfSamples>::Value>;

    /// How the study ended, whose mean without noise is given.
    fn drawn(outcome: TangentOutcome<Self::Found>, nonprivate: &FaceCurves) -> Drawn;
}

impl InTangent for FaceMean {
    fn value(_: &CurveMean, passes: &[&PassOf]) -> Option<NoisedFunction> {
        if let Some(PassOf::Mean(mean)) = passes.last() { Some((**mean).clone()) } else { None }
    }

    fn drawn(outcome: TangentOutcome<FoundFace>, nonprivate: &FaceCurves) -> Drawn {
        Drawn::Mean(Box::new(FaceOutcome::of(outcome, nonprivate)))
    }
}

impl InTangent for ModesStatistic {
    fn value(_: &FunctionalModes, passes: &[&PassOf]) -> Option<NoisedModes> {
        let Some(PassOf::Modes(AboutPass::Moments(modes))) = passes.last() else { return None };
        Some((**modes).clone())
    }

    fn drawn(outcome: TangentOutcome<FoundModes>, _: &FaceCurves) -> Drawn {
        Drawn::Modes(Box::new(outcome))
    }
}

impl InTangent for RegressionStatistic {
    fn value(mechanism: &FunctionRegression, passes: &[&PassOf]) -> Option<NoisedRegression> {
        mechanism.of_passes(passes)
    }

    fn drawn(outcome: TangentOutcome<FoundFields>, _: &FaceCurves) -> Drawn {
        Drawn::Fields(Box::new(outcome))
    }
}

impl InTangent for ComparisonStatistic {
    fn value(mechanism: &FunctionGroups, passes: &[&PassOf]) -> Option<NoisedComparison> {
        mechanism.of_passes(passes)
    }

    fn drawn(outcome: TangentOutcome<FoundGroups>, _: &FaceCurves) -> Drawn {
        Drawn::Groups(Box::new(outcome))
    }
}

impl<S: InTangent> OfSums for About<S> {
    fn in_passes(&self) -> &dyn InPasses {
        &*self.mechanism.0
    }

    fn counting(&self) -> &Counting {
        &self.circumstances.counting
    }

    fn value(&self, passes: &[&PassOf]) -> Option<Self::Value> {
        S::value(&self.mechanism.0, passes)
    }

    fn ended(
        &self,
        job: &Job<'_>,
        released: &Released<Self::Value>,
        certificate: Certificate,
        records: &Records<'_>,
    ) -> Result<Drawn, StudyError> {
        Ok(S::drawn(outcome(self, job, released, certificate, records)?, records.nonprivate))
    }
}

/// Of a statistic in the tangent space at the template.
fn outcome<S: Statistic>(
    publication: &About<S>,
    job: &Job<'_>,
    released: &Released<<About<S> as Publication>::Value>,
    certificate: Certificate,
    records: &Records<'_>,
) -> Result<TangentOutcome<S::Found>, StudyError> {
    let (space, found) = publication.found(released)?;
    let curves =
        |samples: &[f64]| FaceCurves::new(records.own.curves(), records.own.samples(), samples.to_vec());
    let mean = S::mean(&found).map(curves).transpose()?;
    records.write_internal(job, mean.as_ref(), &certificate)?;
    let of = TangentOutcome::of(job, publication, (&*space, found), certificate);
    Ok(TangentOutcome { records_read: records.count, people: records.people, failed: records.failed, ..of })
}

impl Records<'_> {
    fn write_internal(
        &self,
        job: &Job<'_>,
        released: Option<&FaceCurves>,
        certificate: &Certificate,
    ) -> Result<(), StudyError> {
        let Self { inputs, loaded, own, failed, nonprivate, .. } = *self;
        write_internal_of(
            job,
            (inputs, loaded, own),
            (failed, nonprivate),
            (released, certificate.clip_radius),
        )
    }
}

/// Of so many parts.
pub(super) struct PartsPublication<P> {
    pub(super) of: P,
    pub(super) parts: usize,
    /// What earlier passes have released.
    pub(super) before: Vec<PassOf>,
}

const UNFINISHED: StudyError = StudyError::Shape("the last pass over the records has not been drawn");

impl<P: OfSums> PartsPublication<P> {
    /// What is released, once the last pass has drawn it.
    ///
    /// # Errors
    /// [`StudyError`]: there are passes to come.
    pub(super) fn finished(&self, released: &Released<PassValue>) -> Result<Released<P::Value>, StudyError> {
        let passes: Vec<&PassOf> = self.before.iter().chain([&released.value.of]).collect();
        let value = self.of.value(&passes).ok_or(UNFINISHED)?;
        Ok(released.clone().map(|_| value))
    }
}

impl<P: OfSums> Publication for PartsPublication<P> {
    type Value = PassValue;
    type Error = StudyError;

    fn counts_persons(&self) -> bool {
        self.of.counts_persons()
    }

    fn describe(&self, released: &Released<PassValue>, statement: &mut Statement) {
        let Ok(all) = self.finished(released) else { return };
        self.of.describe(&all, statement);
        if self.parts > 1 && self.of.counting().identical == Identical::Refuse {
            let identical = format!(
                "stop a study before anything is charged; and so do near copies ({}), which were looked for within each of {} parts of the records, not \
                 between these: that this release exists tells that no two persons had such",
                Kind::Faces.sentence(),
                self.parts
            );
            statement.details.insert("identical_records".into(), json!(identical));
        }
    }

    fn statistic(&self) -> String {
        self.of.statistic()
    }

    fn write(
        &self,
        released: &Released<PassValue>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), StudyError> {
        self.of.write(&self.finished(released)?, certificate, folder).map_err(Into::into)
    }
}

/// What the job says of steps, of passes.
pub(super) fn of_pass(error: StudyError) -> StudyError {
    match error {
        StudyError::Job(JobError::Step { step, what }) => {
            StudyError::Parts(format!("pass {step}: {what}; nothing was drawn"))
        }
        StudyError::Job(JobError::OtherStream(folder)) => StudyError::Parts(format!(
            "what {} holds is not of these sums: other settings, another number of parts, or no parts at all; choose another folder",
            folder.display()
        )),
        other => other,
    }
}
