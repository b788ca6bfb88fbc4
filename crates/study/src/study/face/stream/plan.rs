//! What is fixed before the first step: a JSON file, public.

use super::super::error::StudyError;
use super::super::gather::FaceStudy;
use crate::io::{Fault, Limit, open};
use crate::job::Digest;
use crate::mechanism::functional::{Norm, StreamShape};
use crate::privacy::noise::STEPS_MOST;
use crate::privacy::{ClipRadius, ClipSource, Mu, PublicInput};
use crate::study::public_input;
use crate::study::records::Making;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What is fixed of a stream of mean faces before its first step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamPlan {
    /// How many steps there will be at most, 1 to 64.
    pub steps: usize,
    /// The budget of all of them together.
    pub mu: f64,
    /// In how many of them a person's records may count.
    #[serde(default = "one")]
    pub visits: usize,
    /// The norm that records are clipped in: `white` is that of `joint-1`; with `half`, for many people and smooth records, fine detail, of which
    /// faces have little, gets more of the noise.
    #[serde(default)]
    pub norm: Norm,
}

fn one() -> usize {
    1
}

/// A plan with its file.
#[derive(Debug, Clone)]
pub(super) struct KnownPlan {
    pub(super) plan: StreamPlan,
    pub(super) input: PublicInput,
}

impl StreamPlan {
    /// Reads and checks it.
    ///
    /// # Errors
    /// [`StudyError`]: there is none, it is secret, or no plan that can be carried out.
    pub(super) fn read(path: &Path) -> Result<KnownPlan, StudyError> {
        let asked = |what: String| StudyError::Stream(format!("{}: {what}", path.display()));
        let file = match open(path, Limit::SMALL) {
            Err(error) if matches!(error.fault(), Fault::Missing) => {
                return Err(asked(
                    "no such file. A plan of a stream is a JSON file, written before the first step and never changed, for instance {\"steps\": 20, \
                     \"mu\": 1}: so many releases at most, for one mu in all. It may also say \"visits\" (in how many steps a person may count; 1) and \
                     \"norm\" (white, quarter or half; white)"
                        .into(),
                ));
            }
            other => other?,
        };
        let input = public_input(&file)?;
        let plan: Self = serde_json::from_slice(file.bytes())
            .map_err(|e| asked(format!("not a plan of a stream: {e}")))?;
        if !(1..=STEPS_MOST).contains(&plan.steps) {
            return Err(asked(format!("a stream has 1 to {STEPS_MOST} steps")));
        }
        if !(1..=plan.steps).contains(&plan.visits) {
            return Err(asked("a person may count in 1 step to all of them".into()));
        }
        Ok(KnownPlan { plan, input })
    }
}

impl KnownPlan {
    /// What the mechanism is told of it.
    pub(super) fn shape(&self) -> Result<StreamShape, StudyError> {
        let StreamPlan { steps, mu, visits, norm } = self.plan;
        let radius = ClipRadius::new(norm.face_radius(), ClipSource::Public)?;
        Ok(StreamShape { steps, visits, mu: Mu::new(mu)?, norm, radius })
    }

    /// What must be the same in all steps: plan, template, the way records are made; not the version of the program.
    pub(super) fn stream(&self, study: &FaceStudy<'_>) -> Result<Digest, StudyError> {
        let (settings, template) = (study.settings, &study.loaded);
        let making = Making {
            version: String::new(),
            fingerprint: String::new(),
            ..settings.making(&template.template).making(&template.sum())
        };
        let making = serde_json::to_string(&making).map_err(|e| StudyError::Stream(e.to_string()))?;
        Ok(Digest::of_fields(["stream of mean faces", &self.input.sha256, &making]))
    }
}
