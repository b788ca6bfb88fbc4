//! Tables and statements of modes, of whatever they are modes: for certificates, files and pages.

use super::layout::{MODES_NPY, VARIANCES};
use crate::estimate::variance_function::names;
use crate::estimate::{Design, Mode, Modes, VarianceFunction};
use crate::report::colour::short;
use crate::report::page::Page;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Of normal intervals of 95 %.
const WIDE: f64 = 1.96;

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
        "variance_noise": modes.modes.iter().map(|mode| mode.noise).collect::<Vec<_>>(),
        "shares": modes.modes.iter().map(|mode| mode.share).collect::<Vec<_>>(),
        "total_variance": modes.total,
        "total_noise": modes.total_noise,
        "estimand": estimand,
        "file": VARIANCES,
        "leans_on_prior": modes.leans_on_prior,
        "prior": if modes.leans_on_prior { LEANS } else { "used for shrinking the mean only" },
    })
}

/// A part of a page: how many modes there are and stand out; where there are none, why.
pub fn modes_lead(page: &mut Page, modes: &Modes, asked: usize) {
    page.heading("The modes");
    // A sum of none is -0.
    let share = modes.modes.iter().map(|mode| mode.share).sum::<f64>().abs();
    page.paragraph(&format!(
        "{} of at most {asked} that were asked for, together {:.0} % of the variance examined; at this budget {} directions stand out of the noise, \
         {} of them at 95 %.{}",
        modes.modes.len(),
        100.0 * share,
        modes.visible,
        modes.certain,
        if modes.leans_on_prior { format!(" Note: {LEANS}.") } else { String::new() }
    ));
    if modes.modes.is_empty() {
        page.paragraph(&format!(
            "No direction in which these records differ stands out of the noise that protects them, so none is shown: only the mean was learnt. More \
             records, or a larger budget, would change that. {MODES_NPY} is there, with no modes in it."
        ));
    }
}

/// A part of a page: the table of modes, with what its numbers mean; `length` says a standard deviation.
pub fn modes_rows(page: &mut Page, modes: &Modes, estimand: &str, length: impl Fn(f64) -> String) {
    let row = |(k, mode): (usize, &Mode)| {
        vec![
            (k + 1).to_string(),
            length(mode.variance.sqrt()),
            short(mode.variance),
            format!("{} to {}", short(mode.lower), short(mode.upper)),
            format!("{:.1} %", 100.0 * mode.share),
        ]
    };
    let rows: Vec<Vec<String>> = modes.modes.iter().enumerate().map(row).collect();
    if !rows.is_empty() {
        let header = ["mode", "standard deviation", "variance", "95 % interval", "share of variance"];
        page.table(&header, &rows);
        page.paragraph(&format!(
            "{estimand}. The sign of a mode is a convention. Numbers are in {VARIANCES}, displacements of one standard deviation in {MODES_NPY}."
        ));
    }
}

/// What the certificate says of how variances change with the covariates of a design.
pub fn variances_details(variances: &VarianceFunction, design: &Design) -> Value {
    json!({
        "columns": names(design),
        "modes": variances.modes(),
        "changes": variances.changes,
        "errors": variances.errors,
        "what": "of each column, of each of the first modes: by which share of the stated variance it changes when the column grows by one (level: by which it \
                 is off where the other columns are 0); errors: standard deviations, noise and sample together, of the mean of a row and of an entry's difference from it",
    })
}

/// A part of a page: by how much all variances alike change over the covariates; or that they are taken to be the same everywhere.
pub fn variances_rows(page: &mut Page, variances: Option<&VarianceFunction>, design: &Design) {
    let Some((found, modes)) = variances.and_then(|v| Some((v.drawn_to(&[])?, v.modes()))) else {
        page.paragraph(
            "Whether people vary more at some values of the covariates than at others was not asked, or is hidden by the noise: more people, or a larger \
             budget, would change that. Variances are taken to be the same everywhere.",
        );
        return;
    };
    let percent = |x: f64| format!("{:+.0} %", 100.0 * x);
    let row = |(name, [change, doubt]): (String, [f64; 2])| {
        let [low, high] = [-WIDE, WIDE].map(|width| percent(change + width * doubt));
        vec![name, percent(change), format!("{low} to {high}")]
    };
    let rows: Vec<Vec<String>> =
        design.names().into_iter().zip(found.common().into_iter().skip(1)).map(row).collect();
    page.table(&["covariate", "change of all variances", "95 % interval"], &rows);
    page.paragraph(&format!(
        "By how much variances change from the reference values to the upper bound or the level named, as shares of those above, alike for all directions: from \
         squared scores along the first {modes} modes, drawn to no change by how much noise hides. Patients are held against, and people drawn with, the variance \
         at their own covariates."
    ));
}
