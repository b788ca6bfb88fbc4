//! What a study writes: `release/` from noised values and public numbers only, put together aside and moved into place.

use super::data::PointArray;
use super::run::OptimizeStudyError;
use super::settings::OptimizeStudySettings;
use crate::io::{write_bytes, write_npy};
use crate::optimize::{Plan, StopReason};
use crate::privacy::{Caveat, Certificate, Composition, PublicInput};
use crate::study::StudyFolder;
use serde_json::json;
use std::path::Path;

/// What a certificate is made of.
pub(super) struct Facts<'a> {
    pub settings: &'a OptimizeStudySettings,
    pub plan: &'a Plan,
    pub dimension: usize,
    pub start: Option<PublicInput>,
    pub seeded: bool,
    pub recorded: bool,
    /// Everything in the study's ledger.
    pub spent: &'a Composition,
    pub stop: StopReason,
}

pub(super) fn certify(facts: &Facts<'_>) -> Result<Certificate, OptimizeStudyError> {
    let mut statement = facts.plan.statement(facts.dimension)?;
    statement.seeded = facts.seeded;
    statement.recorded = facts.recorded;
    statement.public_inputs.extend(facts.start.clone());
    if facts.spent.parts().len() > 1 {
        statement.caveats.push(Caveat::Other(format!(
            "composed: this study's ledger holds {} releases from the same records; their joint loss is stated under \
             details.study_total",
            facts.spent.parts().len()
        )));
    }
    let stop = match facts.stop {
        StopReason::SmallGradient { .. } => "the noised gradient reached the tolerance",
        _ => "all planned steps were made; this says nothing about convergence",
    };
    let more = json!({
        "task": facts.settings.task,
        "unit_records": facts.settings.unit_records,
        "run": facts.settings.run,
        "stop": stop,
        "converged": facts.stop.indicates_convergence(),
        "study_total": facts.spent.total().ok(),
    });
    if let serde_json::Value::Object(more) = more {
        statement.details.extend(more);
    }
    Ok(statement.certify()?)
}

pub(super) fn write_release<T: PointArray>(
    folder: &StudyFolder,
    solution: &T,
    certificate: &Certificate,
) -> Result<(), OptimizeStudyError> {
    let (release, aside) = (folder.release(), folder.root().join(".release.tmp"));
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |e| OptimizeStudyError::Release(path, e)
    };
    remove(&aside).and_then(|()| std::fs::create_dir_all(&aside)).map_err(failed(&aside))?;
    let array = solution.to_array();
    write_npy(&aside.join("solution.npy"), &array.shape, &array.data)?;
    write_bytes(&aside.join("certificate.json"), certificate.to_json()?.as_bytes())?;
    let move_in = || -> std::io::Result<()> {
        let old = folder.root().join(".release.old");
        remove(&old)?;
        if release.exists() {
            std::fs::rename(&release, &old)?;
        }
        std::fs::rename(&aside, &release)?;
        remove(&old)
    };
    move_in().map_err(failed(&release))
}

fn remove(path: &Path) -> std::io::Result<()> {
    if path.exists() { std::fs::remove_dir_all(path) } else { Ok(()) }
}
