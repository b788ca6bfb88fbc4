//! Tables and statements of a regression's fields, of whatever they are fields: for certificates and pages.

use crate::estimate::Design;
use crate::estimate::design::{Covariate, INTERCEPT, Kind};
use crate::job::layout::{BAND, FIELDS};
use crate::mechanism::functional::regression::WORTHWHILE;
use crate::mechanism::functional::{Field, Fields};
use crate::privacy::{Caveat, Statement};
use crate::report::colour::short;
use crate::report::page::Page;
use serde_json::{Map, Value, json};

/// What the certificate says of every column, with half the width of its band, and of what all explain: all of it from noised values. Bands are
/// simultaneous over all `numbers` of a field.
pub(super) fn fields_details(fields: &Fields, half_widths: &[f64], numbers: &str, statement: &mut Statement) {
    let one = |(field, half_width): (&Field, &f64)| {
        json!({
            "column": field.name,
            "rms": field.rms,
            "error_rms": field.error,
            "relative_error": field.relative_error(),
            "sampling_rms": field.sampling,
            "band_half_width": half_width,
        })
    };
    let columns: Vec<Value> = fields.columns.iter().zip(half_widths).map(one).collect();
    statement.details.insert("field_accuracy".into(), json!(columns));
    let what = format!(
        "{BAND}: lower borders of all columns, then upper ones: 95 %, for the population's field, simultaneous over all {numbers} of one field, about \
         the unshrunk field"
    );
    statement.details.insert("field_bands".into(), json!(what));
    statement.details.insert("explained_share".into(), json!(fields.explained.share()));
}

/// What every certificate of a regression states of its covariates; `layout`: what the file of fields holds.
pub(super) fn design_details(design: &Design, layout: &str, statement: &mut Statement) {
    let knots: Vec<_> = (0..design.covariates().len()).map(|i| design.knots(i)).collect();
    let reference: Vec<f64> = design.covariates().iter().map(|c| c.reference()).collect();
    let corners: Vec<_> = (0..design.covariates().len()).map(|i| design.level_columns(i)).collect();
    let details = json!({
        "covariates": design,
        "columns": design.names(),
        "knots": knots,
        "level_columns": corners,
        "intercept": INTERCEPT,
        "reference": reference,
        "fields": layout,
        "outside_bounds": "values outside the bounds count as the bound, missing ones as the middle; how many is not published",
    });
    if let Value::Object(details) = details {
        statement.details.extend::<Map<String, Value>>(details);
    }
}

/// A caveat where n records at budget μ hardly show what a covariate does: public.
pub(super) fn faint_fields(mu: f64, statement: &mut Statement) {
    if statement.n as f64 * mu < WORTHWHILE {
        statement.caveats.push(Caveat::Other(
            "faint: at this budget, this many records hardly show what a covariate does; most of each field is the prior, which is zero"
                .into(),
        ));
    }
}

/// A page's table of what was declared of every covariate, and where its reference is.
pub(super) fn covariates_table(page: &mut Page, design: &Design) {
    let row = |covariate: &Covariate| {
        let (known, reference) = match &covariate.kind {
            Kind::Linear { lower, upper } => (format!("{lower} to {upper}"), short(covariate.reference())),
            Kind::Spline { lower, upper, columns } => (
                format!("{lower} to {upper}, natural cubic spline of {columns} columns"),
                short(covariate.reference()),
            ),
            Kind::Levels { levels } if levels.len() == 2 => {
                (format!("{} (-1) or {} (1)", levels[0], levels[1]), "between the levels".into())
            }
            Kind::Levels { levels } => {
                let known =
                    format!("{}: each column sets a level against those before it", levels.join(", "));
                (known, "between all levels".into())
            }
        };
        vec![covariate.name.clone(), known, reference]
    };
    let rows: Vec<Vec<String>> = design.covariates().iter().map(row).collect();
    page.table(&["covariate", "known in advance", "reference value"], &rows);
}

/// A table for a page, with half the width of the bands, the `layout` of the file of fields and what the covariates explain; `length` says a
/// size.
pub(super) fn fields_section(
    page: &mut Page,
    fields: &Fields,
    half_widths: &[f64],
    layout: &str,
    length: impl Fn(f64) -> String,
) {
    let row = |(field, half_width): (&Field, &f64)| {
        vec![
            field.name.clone(),
            length(field.rms),
            length(field.error),
            format!("{:.2}", field.relative_error()),
            field.sampling.map_or_else(|| "not known".into(), &length),
            length(*half_width),
        ]
    };
    let rows: Vec<Vec<String>> = fields.columns.iter().zip(half_widths).map(row).collect();
    let heads = [
        "column",
        "size",
        "error",
        "error of a zero field = 1",
        "sampling error",
        "half width of the 95 % band",
    ];
    page.table(&heads, &rows);
    page.paragraph(
        "Size is how far the mean is moved when the column grows by one: from the middle of the bounds to the upper one, or from between the levels \
         to the second. Error is how far the field may lie from the one without noise; 1 in the next column is the error of a zero field. Sampling \
         is how far that one may lie from the population's, because these records are a sample. All of it is estimated from noised values. Fields \
         are shrunk: what the noise hides is left out, so they are too small rather than too large.",
    );
    page.paragraph(&format!("{FIELDS} holds {layout}"));
    page.paragraph(&match fields.explained.share() {
        Some(share) => format!("The covariates explain {:.0} % of the variance (R²).", 100.0 * share),
        None => {
            "The share of the variance that the covariates explain is unknown: the noise hides it.".into()
        }
    });
}
