//! `visard face plan --compare`: what a comparison of two groups can be expected to tell.

use crate::cli::output::Failure;
use std::fmt::Write;
use visard::study::face::FACE_MM;
use visard::study::face::compare::Want;
use visard::study::face::compare::plan::{CompareForecast, ComparePlan, plan};
use visard::study::face::plan::PlanRequest;
use visard::study::face::plan_rows::{self, FaceComparePlan, Row};
use visard::study::tangent::LEAST;

/// What to expect, for machines and in words.
pub fn run(request: &PlanRequest, delta: f64) -> Result<(Vec<Row<FaceComparePlan>>, String), Failure> {
    if request.sizes.iter().any(|n| *n < 4) {
        return Err(Failure::usage("a comparison needs two groups of two people at least: --n 4"));
    }
    let request = ComparePlan {
        sizes: request.sizes.clone(),
        budgets: request.budgets.clone(),
        want: Want::Both,
        template: request.template.clone(),
        curves: request.curves,
        samples: request.samples,
    };
    let found = plan(&request).map_err(Failure::usage)?;
    let rows = found.iter().map(|f| plan_rows::compare(f, delta)).collect::<Result<Vec<_>, _>>();
    Ok((rows.map_err(Failure::failed)?, text(&found)))
}

fn text(rows: &[CompareForecast]) -> String {
    let mut out = format!(
        "Two groups of n/2 simulated people, map and test at equal shares; none of your data is read.\n\
         How often the test says at 5 % that the groups differ: where they do not, and where their means differ by this much on a face of 20 cm\n\
         (root mean square). Half-width of the map's 95 % band in each coordinate, on average.\n\n\
         {:>6}  {:>6}  {:>7}",
        "n", "mu", "none",
    );
    let sizes = rows.first().map(|row| &row.power[..]).unwrap_or_default();
    for (size, _) in sizes {
        let _ = write!(out, "  {:>5.1} mm", FACE_MM * size);
    }
    let _ = write!(out, "  {:>10}", "band");
    for row in rows {
        let level = row.level.map_or_else(String::new, |level| format!("{:.0} %", 100.0 * level));
        let _ = write!(out, "\n{:>6}  {:>6.3}  {level:>7}", row.n, row.mu.get());
        for (_, power) in &row.power {
            let _ = write!(out, "  {:>6.0} %", 100.0 * power);
        }
        if let Some(band) = row.band {
            let _ = write!(out, "  {:>7.2} mm", FACE_MM * band);
        }
        let why = match (row.small, row.is_worth_it()) {
            (true, _) => {
                format!("  too few people for this budget (n mu below {LEAST} for each of map and test)")
            }
            (false, false) => {
                "  barely worth the budget: the test finds even large differences only by chance".to_owned()
            }
            (false, true) => String::new(),
        };
        out.push_str(&why);
    }
    out
}
