//! Tables and statements of modes, of whatever they are modes.

use super::layout::VARIANCES;
use crate::estimate::Modes;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What is said where the public spectrum filled in what the data did not say.
pub const LEANS: &str = "few records at this budget: the modes are those of the public spectrum where the data give no information";

/// The table of variances.
pub fn variances_csv(modes: &Modes) -> String {
    let mut csv = String::from("mode,variance,lower,upper,share\n");
    for (k, mode) in modes.modes.iter().enumerate() {
        let _ = writeln!(csv, "{},{},{},{},{}", k + 1, mode.variance, mode.lower, mode.upper, mode.share);
    }
    csv
}

/// What the certificate says of modes: of so many coefficients, which are expected to have this share of all variance.
pub fn modes_details(
    modes: &Modes,
    asked: usize,
    (coefficients, expected_share): (usize, f64),
    estimand: &str,
) -> Value {
    json!({
        "asked": asked,
        "released": modes.modes.len(),
        "visible": modes.visible,
        "certain": modes.certain,
        "coefficients": coefficients,
        "expected_share": expected_share,
        "variances": modes.modes.iter().map(|mode| mode.variance).collect::<Vec<_>>(),
        "shares": modes.modes.iter().map(|mode| mode.share).collect::<Vec<_>>(),
        "total_variance": modes.total,
        "estimand": estimand,
        "file": VARIANCES,
        "leans_on_prior": modes.leans_on_prior,
        "prior": if modes.leans_on_prior { LEANS } else { "used for shrinking the mean only" },
    })
}
