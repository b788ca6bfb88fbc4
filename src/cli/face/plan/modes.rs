//! `visard face plan --modes`: what private modes will show, before any scan is read.

use crate::cli::output::Failure;
use serde_json::{Value, json};
use std::fmt::Write as _;
use visard::study::face::FACE_MM;
use visard::study::face::TEMPLATE_DISTANCE;
use visard::study::face::modes::plan::{ModesForecast, plan_modes};
use visard::study::face::modes::{MODES, WORTHWHILE};
use visard::study::face::plan::PlanRequest;

/// What to expect, for machines and in words; `budget` states a cell's budget as ε and δ.
pub fn run(
    request: &PlanRequest,
    budget: impl Fn(visard::privacy::Mu) -> Result<(f64, f64), Failure>,
) -> Result<(Vec<Value>, String), Failure> {
    let found = plan_modes(request, MODES).map_err(Failure::usage)?;
    let row = |forecast: &ModesForecast| -> Result<Value, Failure> {
        let ModesForecast { n, mu, coefficients, edge, visible, explained, mean_error, worth } = *forecast;
        let (epsilon, delta) = budget(mu)?;
        Ok(json!({
            "n": n,
            "mu": mu,
            "epsilon": epsilon,
            "delta": delta,
            "coefficients": coefficients,
            "edge_mm": FACE_MM * edge,
            "visible": visible,
            "explained": explained,
            "mean_error_mm": FACE_MM * mean_error,
            "worth": worth,
        }))
    };
    let rows = found.iter().map(row).collect::<Result<Vec<_>, _>>()?;
    let text = text(&rows);
    Ok((rows, text))
}

fn text(rows: &[Value]) -> String {
    let mut out = format!(
        "Simulated people whose mean lies {TEMPLATE_DISTANCE} off the template, as real ones do; nothing of yours is read.\n\
         Modes that stand out of the noise; what {MODES} private ones explain of how people differ, where {MODES} without privacy from the same \
         people are 100 %; how small a standard deviation of a mode can be seen, on a face of 20 cm; the mean's error.\n\n\
         {:>6}  {:>6}  {:>7}  {:>12}  {:>7}  {:>9}  {:>9}  {:>9}",
        "n", "mu", "epsilon", "coefficients", "visible", "explained", "seen from", "mean",
    );
    for row in rows {
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        let few = number("n") * number("mu") < WORTHWHILE;
        let warning = match (row["worth"] == true, few) {
            (true, _) => "",
            (false, true) => "  not worth the budget: the public spectrum's own modes are as good",
            (false, false) => "  hardly worth the budget: little can be seen",
        };
        let _ = write!(
            out,
            "\n{:>6}  {:>6.3}  {:>7.2}  {:>12}  {:>7.1}  {:>7.0} %  {:>6.2} mm  {:>6.2} mm{warning}",
            number("n"),
            number("mu"),
            number("epsilon"),
            number("coefficients"),
            number("visible"),
            100.0 * number("explained"),
            number("edge_mm"),
            number("mean_error_mm"),
        );
    }
    out
}
