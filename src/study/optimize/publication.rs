//! What an optimization study publishes.

use super::data::PointArray;
use super::error::OptimizeStudyError;
use super::settings::OptimizeStudySettings;
use crate::io::write_npy;
use crate::optimize::{Optimized, Plan, StopReason};
use crate::privacy::{Certificate, PublicInput, Released, Statement};
use crate::study::job::{Publication, ReleaseFolder};
use crate::study::layout::SOLUTION;
use crate::study::points::Unusable;
use serde_json::json;
use std::marker::PhantomData;

/// Settings, plan and start point: nothing of a record.
#[derive(Debug)]
pub(super) struct OptimizePublication<T> {
    details: serde_json::Value,
    plan: Plan,
    start: Option<PublicInput>,
    point: PhantomData<T>,
}

impl<T> OptimizePublication<T> {
    pub(super) fn new(settings: &OptimizeStudySettings, plan: Plan, start: Option<PublicInput>) -> Self {
        let mut details = json!({
            "task": settings.task,
            "unit_records": settings.unit_records,
            "run": settings.run,
            "unusable_records": match settings.unusable {
                Unusable::Stop => settings.unusable.describe(),
                Unusable::CountAsCentre => "count with the gradient zero; their number is not published",
            },
        });
        if let serde_json::Value::Object(details) = &mut details {
            details.extend(settings.counting.details());
            if settings.counting.people.is_some() {
                details.insert("record_kind".into(), json!(settings.counting.kind("record")));
            }
        }
        Self { details, plan, start, point: PhantomData }
    }
}

impl<T: PointArray> Publication for OptimizePublication<T> {
    type Value = Optimized<T>;
    type Error = OptimizeStudyError;

    fn describe(&self, released: &Released<Optimized<T>>, statement: &mut Statement) {
        // The plan's own words were made before the ledger was charged.
        let _ = self.plan.describe(statement);
        statement.public_inputs.extend(self.start.clone());
        if let serde_json::Value::Object(details) = &self.details {
            statement.details.extend(details.clone());
        }
        let stop = match released.value.stop {
            StopReason::SmallGradient { .. } => "the noised gradient reached the tolerance",
            _ => "all planned steps were made; this says nothing about convergence",
        };
        statement.details.insert("stop".into(), json!(stop));
        statement.details.insert("converged".into(), json!(released.value.stop.indicates_convergence()));
    }

    fn write(
        &self,
        released: &Released<Optimized<T>>,
        _: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), OptimizeStudyError> {
        let array = released.value.point.to_array();
        Ok(folder.write_with(SOLUTION, |path| write_npy(path, &array.shape, &array.data))?)
    }
}
