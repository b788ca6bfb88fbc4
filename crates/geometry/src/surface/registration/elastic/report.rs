//! What the elastic registration tells of a scan.

use crate::surface::registration::measure::{Measure, MeasureChart, Measures};
use crate::surface::registration::method::RegistrationReport;

/// How the elastic registration of a scan went.
#[derive(Debug, Clone, PartialEq)]
pub struct ElasticReport {
    /// Root-mean-square distance of the nodes to the matched planes before every step, nominal millimetres. (After the last
    /// step it is not asked for: the vertices then land on the scan.)
    pub misfit: Vec<f64>,
    /// Whether the template was registered with its mouth open.
    pub open_mouth: bool,
}

pub static MEASURES: Measures = Measures { all: &[MISFIT_START, MISFIT_END], left_over: &MISFIT_END };

const MISFIT_START: Measure =
    Measure { shown: false, ..Measure::new("misfit_start_mm", "misfit before the first step", "mm", 4) };

const MISFIT_END: Measure = Measure {
    note: "root-mean-square distance of the smoothly moved template to the scan's planes before the last step, in nominal \
           millimetres (a face of ordinary size)",
    chart: Some(MeasureChart {
        title: "Misfit after registration",
        axis: "root mean square, nominal mm",
        caption: "How far the smoothly moved template stays from the scan before its vertices land on it.",
    }),
    ..Measure::new("misfit_end_mm", "misfit", "mm", 4)
};

impl From<ElasticReport> for RegistrationReport {
    fn from(ElasticReport { misfit, open_mouth }: ElasticReport) -> Self {
        let ends = [(&MISFIT_START, misfit.first()), (&MISFIT_END, misfit.last())];
        let measured = ends.into_iter().filter_map(|(m, value)| Some((m, *value?))).collect();
        let note = open_mouth.then_some("registered with its mouth open");
        Self { steps: misfit.len(), measured, note, flatten_seconds: 0.0 }
    }
}
