//! `visard face plan --modes`: what private modes will show, before any scan is read.

use crate::cli::output::Failure;
use std::fmt::Write as _;
use visard::study::face::TEMPLATE_DISTANCE;
use visard::study::face::modes::plan::plan_modes;
use visard::study::face::modes::{MODES, WORTHWHILE};
use visard::study::face::plan::PlanRequest;
use visard::study::face::plan_rows::{self, FaceModesPlan, Row};

/// What to expect, for machines and in words; budgets are also stated as ε at `delta`.
pub fn run(request: &PlanRequest, delta: f64) -> Result<(Vec<Row<FaceModesPlan>>, String), Failure> {
    let found = plan_modes(request, MODES).map_err(Failure::usage)?;
    let rows = found.iter().map(|forecast| plan_rows::modes(forecast, delta));
    let rows = rows.collect::<Result<Vec<_>, _>>().map_err(Failure::failed)?;
    let text = text(&rows);
    Ok((rows, text))
}

fn text(rows: &[Row<FaceModesPlan>]) -> String {
    let mut out = format!(
        "Simulated people whose mean lies {TEMPLATE_DISTANCE} off the template, as real ones do; none of your data is read.\n\
         Columns: modes above the noise; variance that {MODES} private modes explain, where {MODES} without privacy from the same people explain \
         100 %; smallest visible standard deviation of a mode, on a face of 20 cm; error of the mean.\n\n\
         {:>6}  {:>6}  {:>7}  {:>12}  {:>7}  {:>9}  {:>9}  {:>9}",
        "n", "mu", "epsilon", "coefficients", "visible", "explained", "seen from", "mean",
    );
    for Row { n, mu, epsilon, expected, .. } in rows {
        let few = *n as f64 * mu.get() < WORTHWHILE;
        let warning = match (expected.worth, few) {
            (true, _) => "",
            (false, true) => "  not worth the budget: the modes of the public spectrum are as good",
            (false, false) => "  hardly worth the budget: little can be seen",
        };
        let _ = write!(
            out,
            "\n{:>6}  {:>6.3}  {:>7.2}  {:>12}  {:>7.1}  {:>7.0} %  {:>6.2} mm  {:>6.2} mm{warning}",
            n,
            mu.get(),
            epsilon,
            expected.coefficients,
            expected.visible,
            100.0 * expected.explained,
            expected.edge_mm,
            expected.mean_error_mm,
        );
    }
    out
}
