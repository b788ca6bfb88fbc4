//! The plan that is fixed before a study begins: `plan.json` in its folder.
//!
//! Whoever sees a release and then says that its error is small enough has chosen the measure after the result. So the plan is
//! written before anything else is in the folder ([`SavedPlan::save`] refuses later), the job freezes it with its charge, and the
//! certificate names its hash. It is made of numbers that were typed and of simulated people: nothing of a record.

use super::StudyFolder;
use super::error::{JobError, io};
use super::kept::kept;
use crate::io::{Limit, write_text};
use crate::privacy::PrivacyLoss;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::path::PathBuf;

/// The version of the form of `plan.json`.
const FORMAT: u64 = 1;

/// What was planned: how many, at what price, what was foretold, and what will be called good enough.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct SavedPlan {
    format: u64,
    /// The version of the program that foretold.
    #[serde(rename = "visard")]
    pub program: String,
    /// What is to be released: `face mean`, `face mean --band`, `shape modes`, `spd mean --mechanism kng`, ….
    pub statistic: String,
    /// How many people, or records.
    pub n: u64,
    /// The budget.
    pub loss: PrivacyLoss,
    /// The largest error (root mean square, in the units of the certificate's `details.accuracy.rms`) that is called good enough.
    pub accept_rms: Option<f64>,
    /// What was foretold, as `plan --json` prints it.
    pub forecast: Value,
}

/// A plan in a study's folder, with the bytes that are hashed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrozenPlan {
    text: String,
}

/// Why a plan is not saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// It would not be a plan any more.
    #[error("the study in {} has already started; save a plan before the study starts, in its own folder", .0.display())]
    Begun(PathBuf),
    /// There is one.
    #[error("{} already holds another plan; delete it to make a new plan, which is allowed until the study starts", .0.display())]
    Planned(PathBuf),
    /// The limit is no limit.
    #[error("the largest error to accept must be a positive number")]
    Limit,
    /// Reading or writing.
    #[error(transparent)]
    Job(#[from] JobError),
}

impl SavedPlan {
    /// A plan of this version of the program.
    ///
    /// # Errors
    /// [`PlanError::Limit`].
    pub fn new(
        statistic: &str,
        (n, loss): (u64, PrivacyLoss),
        accept_rms: Option<f64>,
        forecast: Value,
    ) -> Result<Self, PlanError> {
        if accept_rms.is_some_and(|rms| !(rms > 0.0 && rms.is_finite())) {
            return Err(PlanError::Limit);
        }
        let program = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Self { format: FORMAT, program, statistic: statistic.to_owned(), n, loss, accept_rms, forecast })
    }

    /// Writes it into the study's folder, which is made where needed; returns the SHA-256 of what was written.
    ///
    /// # Errors
    /// [`PlanError`]: the study has begun, or has another plan.
    pub fn save(&self, folder: &StudyFolder) -> Result<String, PlanError> {
        if folder.internal().exists() || folder.release().exists() || folder.own_ledger().exists() {
            return Err(PlanError::Begun(folder.root().to_owned()));
        }
        let path = folder.plan();
        let text =
            serde_json::to_string_pretty(self).map_err(|e| io(&path)(std::io::Error::other(e)))? + "\n";
        let frozen = FrozenPlan { text };
        match FrozenPlan::load(folder)? {
            Some(other) if other != frozen => return Err(PlanError::Planned(path)),
            _ => {}
        }
        std::fs::create_dir_all(folder.root()).map_err(io(folder.root()))?;
        write_text(&path, &frozen.text).map_err(JobError::from)?;
        Ok(frozen.sha256())
    }
}

impl FrozenPlan {
    /// The plan in this folder, if there is one.
    ///
    /// # Errors
    /// It cannot be read, or is no plan.
    pub fn load(folder: &StudyFolder) -> Result<Option<Self>, JobError> {
        let path = folder.plan();
        let Some(file) = kept(&path, Limit::SMALL)? else { return Ok(None) };
        let frozen = Self { text: file.text()?.to_owned() };
        let what = "this is not a plan that `plan --save` wrote; delete it, or restore the saved one";
        match serde_json::from_str::<SavedPlan>(&frozen.text) {
            Ok(plan) if plan.format == FORMAT => Ok(Some(frozen)),
            _ => Err(JobError::State { path, what }),
        }
    }

    /// Its bytes.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn sha256(&self) -> String {
        hex::encode(Sha256::digest(self.text.as_bytes()))
    }

    /// For the certificate's `details.plan`, and a caveat if what was released is not what was planned.
    pub fn statement(&self, released: &str, n: u64, losses: &[PrivacyLoss]) -> (Value, Option<String>) {
        let Ok(plan) = serde_json::from_str::<SavedPlan>(&self.text) else {
            return (Value::Null, None);
        };
        let stated = serde_json::json!({
            "sha256": self.sha256(),
            "statistic": plan.statistic,
            "released": released,
            "n": plan.n,
            "loss": plan.loss,
            "accept_rms": plan.accept_rms,
        });
        let same = plan.statistic == released && plan.n == n && losses.contains(&plan.loss);
        let caveat = (!same).then(|| {
            format!(
                "other-than-planned: the plan that was saved in advance was for `{}`, n = {} at {}; this is `{released}`",
                plan.statistic, plan.n, plan.loss
            )
        });
        (stated, caveat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Mu;

    fn plan(n: u64) -> SavedPlan {
        let loss = PrivacyLoss::Gaussian(Mu::new(1.0).unwrap());
        SavedPlan::new("face mean", (n, loss), Some(0.005), Value::Null).unwrap()
    }

    #[test]
    fn a_plan_is_saved_once_and_only_before_the_study() {
        let dir = tempfile::tempdir().unwrap();
        let folder = StudyFolder::at(dir.path().join("study"));
        let hash = plan(200).save(&folder).unwrap();
        assert_eq!(hash, hex::encode(Sha256::digest(std::fs::read(folder.plan()).unwrap())));
        assert_eq!(plan(200).save(&folder).unwrap(), hash, "the same plan again is no other plan");
        assert!(matches!(plan(100).save(&folder), Err(PlanError::Planned(_))));
        std::fs::remove_file(folder.plan()).unwrap();
        std::fs::create_dir(folder.internal()).unwrap();
        assert!(matches!(plan(200).save(&folder), Err(PlanError::Begun(_))));
    }

    #[test]
    fn what_was_not_planned_is_a_caveat() {
        let dir = tempfile::tempdir().unwrap();
        let folder = StudyFolder::at(dir.path());
        plan(200).save(&folder).unwrap();
        let frozen = FrozenPlan::load(&folder).unwrap().unwrap();
        let gaussian = |mu| PrivacyLoss::Gaussian(Mu::new(mu).unwrap());
        assert_eq!(frozen.statement("face mean", 200, &[gaussian(1.0)]).1, None);
        assert!(frozen.statement("face mean", 199, &[gaussian(1.0)]).1.is_some());
        assert!(frozen.statement("face mean", 200, &[gaussian(1.1)]).1.is_some());
        // The plan of another statistic, or of another mechanism, at the same n and budget.
        for other in ["face modes", "shape mean", "face mean --band", "face mean --mechanism curves"] {
            let (stated, caveat) = frozen.statement(other, 200, &[gaussian(1.0)]);
            let caveat = caveat.unwrap();
            assert!(caveat.contains("was for `face mean`") && caveat.contains(&format!("this is `{other}`")));
            assert_eq!(stated["released"], other);
        }
    }

    #[test]
    fn what_is_no_plan_stops_the_study_and_no_plan_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let folder = StudyFolder::at(dir.path());
        assert_eq!(FrozenPlan::load(&folder).unwrap(), None);
        std::fs::write(folder.plan(), "{}").unwrap();
        assert!(matches!(FrozenPlan::load(&folder), Err(JobError::State { .. })));
    }

    #[test]
    fn a_limit_is_a_positive_number() {
        let loss = PrivacyLoss::Gaussian(Mu::new(1.0).unwrap());
        for limit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let made = SavedPlan::new("face mean", (10, loss), Some(limit), Value::Null);
            assert!(matches!(made, Err(PlanError::Limit)), "{limit}");
        }
    }
}
