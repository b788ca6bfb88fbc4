//! `visard shape`, `spd`, `sphere`, `hyperbolic`: private means of points on manifolds.

mod common;
mod masks;
pub(in crate::cli) mod plan;
mod records;
mod shape;
mod shape_assess;
mod shape_choice;
mod shape_demo;
mod shape_regress;
mod shape_sample;
mod spd;
mod spd_assess;
mod specimens;
mod treatment;
mod vectors;

use super::answer::{Answers, MeanFindings, NothingReleased, Own, Release};
use super::assessed::Assessed;
use super::tangent;
pub(in crate::cli) use common::{failure, note_failed};
pub(in crate::cli) use masks::{LabelArgs, masks_help};
pub use shape::{ShapeCommand, shape};
pub use spd::{SpdCommand, spd};
pub use vectors::{VectorsCommand, vectors};
use visard::norm::matrix_assess::MatrixAssessment;
use visard::norm::shape_assess::ShapeAssessment;
use visard::study::points::PointAccuracy;

/// What these commands answer.
pub fn answers(all: &mut Answers) {
    for kind in ["spd", "sphere", "hyperbolic"] {
        let mean = format!("{kind} mean");
        all.add_study::<common::PointFindings>(&mean);
        all.add::<Release<MeanFindings<PointAccuracy>>>(&mean);
        all.add::<Own<NothingReleased>>(&mean);
        tangent::answers(kind, all);
    }
    all.add_study::<MeanFindings<PointAccuracy>>("shape mean");
    all.add::<Release<common::PointFindings>>("shape mean");
    all.add::<Own<NothingReleased>>("shape mean");
    tangent::answers("shape", all);
    all.add::<Release<common::PointFindings>>("shape demo");
    all.add::<shape_sample::SampledShapes>("shape sample");
    all.add::<Own<Assessed<ShapeAssessment>>>("shape assess");
    all.add::<Vec<plan::PlanRow<plan::PointPlanned>>>("shape plan");
    all.add::<Vec<plan::PlanRow<plan::ShapeStatistic>>>("shape plan");
    all.add::<Vec<plan::RecordsNeeded>>("shape plan");
    all.add::<Own<masks::OutlinesWritten>>("shape outlines");
    all.add::<spd::Descriptors>("spd describe");
    all.add::<Own<Assessed<MatrixAssessment>>>("spd assess");
    all.add::<Vec<plan::PlanRow<plan::PointPlanned>>>("spd plan");
    all.add::<Vec<plan::RecordsNeeded>>("spd plan");
}
