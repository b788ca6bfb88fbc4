//! Tables and statements of modes, of whatever they are modes: for certificates, files and pages.

use super::layout::VARIANCES;
use crate::estimate::{Mode, Modes};
use crate::report::colour::short;
use crate::report::figure::Figure;
use crate::report::page::Page;
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

/// A part of a page: how many modes there are and stand out, then `pictures`, then the table with what its numbers mean.
pub fn modes_section(page: &mut Page, modes: &Modes, asked: usize, pictures: &[Figure], estimand: &str) {
    page.heading("The modes");
    page.paragraph(&format!(
        "{} of at most {asked} that were asked for; {} stand out of the noise, {} of them at 95 %.{}",
        modes.modes.len(),
        modes.visible,
        modes.certain,
        if modes.leans_on_prior { format!(" Note: {LEANS}.") } else { String::new() }
    ));
    page.figures(pictures);
    let row = |(k, mode): (usize, &Mode)| {
        vec![
            (k + 1).to_string(),
            short(mode.variance.sqrt()),
            short(mode.variance),
            format!("{} to {}", short(mode.lower), short(mode.upper)),
            format!("{:.1} %", 100.0 * mode.share),
        ]
    };
    let rows: Vec<Vec<String>> = modes.modes.iter().enumerate().map(row).collect();
    if !rows.is_empty() {
        let header = ["mode", "standard deviation", "variance", "95 % interval", "share of variance"];
        page.table(&header, &rows);
        page.paragraph(estimand);
    }
}
