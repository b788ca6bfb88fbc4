//! What the release of sums publishes: what a mean face publishes, and which parts were looked at for near copies.

use crate::job::copies::Kind;
use crate::job::{JobError, Publication, ReleaseFolder};
use crate::mechanism::functional::{NoisedFunction, PassOf, PassValue};
use crate::privacy::{Certificate, Released, Statement};
use crate::study::Identical;
use crate::study::face::{FacePublication, StudyError};
use serde_json::json;

/// Of so many parts.
pub(super) struct PartsPublication {
    pub(super) face: FacePublication,
    pub(super) parts: usize,
}

/// The mean, once the last pass has drawn it.
pub(super) fn mean_of_passes(released: &Released<PassValue>) -> Option<Released<NoisedFunction>> {
    let PassOf::Mean(mean) = &released.value.of else { return None };
    Some(released.clone().map(|_| (**mean).clone()))
}

const UNFINISHED: StudyError = StudyError::Shape("the last pass over the records has not been drawn");

impl Publication for PartsPublication {
    type Value = PassValue;
    type Error = StudyError;

    fn counts_persons(&self) -> bool {
        self.face.counts_persons()
    }

    fn describe(&self, released: &Released<PassValue>, statement: &mut Statement) {
        let Some(mean) = mean_of_passes(released) else { return };
        self.face.describe(&mean, statement);
        if self.parts > 1 && self.face.counting.identical == Identical::Refuse {
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
        self.face.statistic()
    }

    fn write(
        &self,
        released: &Released<PassValue>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), StudyError> {
        let mean = mean_of_passes(released).ok_or(UNFINISHED)?;
        self.face.write(&mean, certificate, folder)
    }
}

/// For results: the last pass's draw.
pub(super) fn finished(released: &Released<PassValue>) -> Result<Released<NoisedFunction>, StudyError> {
    mean_of_passes(released).ok_or(UNFINISHED)
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
