//! What an optimization study publishes.

use super::data::PointArray;
use super::error::OptimizeStudyError;
use super::settings::OptimizeStudySettings;
use crate::io::write_npy;
use crate::job::copies::Kind;
use crate::job::layout::SOLUTION;
use crate::job::{Counting, Unusable};
use crate::job::{Publication, ReleaseFolder};
use crate::optimize::{Optimized, Plan, StopReason};
use crate::privacy::{Certificate, PublicInput, Released, Statement};
use serde_json::{Map, Value, json};
use std::marker::PhantomData;

/// Settings, plan and start point: nothing of a record.
#[derive(Debug)]
pub(super) struct OptimizePublication<T> {
    details: Map<String, Value>,
    plan: Plan,
    start: Option<PublicInput>,
    point: PhantomData<T>,
    counts_persons: bool,
}

/// What certificates say of the task and of how records count.
pub(super) fn record_details(
    task: Value,
    unit_records: bool,
    zero: &str,
    unusable: Unusable,
    counting: &Counting,
) -> Map<String, Value> {
    let mut details = Map::new();
    details.insert("task".into(), task);
    details.insert("unit_records".into(), json!(unit_records));
    details.insert("unusable_records".into(), json!(unusable.describe(zero)));
    details.extend(counting.details(Kind::Numbers));
    if counting.counts_persons() {
        details.insert("record_kind".into(), json!(counting.kind("record")));
    }
    details
}

impl<T> OptimizePublication<T> {
    pub(super) fn new(settings: &OptimizeStudySettings, plan: Plan, start: Option<PublicInput>) -> Self {
        let mut details = record_details(
            json!(settings.task),
            settings.unit_records,
            "their gradient is zero in every step",
            settings.unusable,
            &settings.counting,
        );
        details.insert("run".into(), json!(settings.run));
        let counts_persons = settings.counting.counts_persons();
        Self { details, plan, start, point: PhantomData, counts_persons }
    }
}

impl<T: PointArray> Publication for OptimizePublication<T> {
    type Value = Optimized<T>;
    type Error = OptimizeStudyError;

    fn counts_persons(&self) -> bool {
        self.counts_persons
    }

    fn describe(&self, released: &Released<Optimized<T>>, statement: &mut Statement) {
        // The plan's own words were made before the ledger was charged.
        let _ = self.plan.describe(statement);
        statement.public_inputs.extend(self.start.clone());
        statement.details.extend(self.details.clone());
        let stop = match released.value.stop {
            StopReason::SmallGradient { .. } => "the noised gradient reached the tolerance",
            _ => "all planned steps were made; this says nothing about convergence",
        };
        statement.details.insert("stop".into(), json!(stop));
        statement.details.insert("converged".into(), json!(released.value.stop.indicates_convergence()));
    }

    fn statistic(&self) -> String {
        "optimize".into()
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
