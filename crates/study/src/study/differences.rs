//! What a comparison of groups tells in numbers, of whatever they are groups: differences, tests, and their statements.

use super::Groups;
use super::face::compare::{LEAST, LEVEL, TestStatement};
use crate::job::layout::{BAND, DIFFERENCE, DIFFERENCE_UNSHRUNK, TEST};
use crate::mechanism::functional::{FunctionGroups, NoisedComparison, Want};
use crate::privacy::{PrivacyLoss, Statement, WITHIN_GROUPS, WITHIN_GROUPS_TEXT};
use crate::report::colour::short;
use crate::report::page::Page;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Sizes of differences that the power of a test is told for, compared with what a test is set for.
const SIZES: [f64; 3] = [0.6, 1.0, 1.6];

/// Where a group's mean differs from that of the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupDifference {
    /// The label of the first group.
    pub first: String,
    /// Of the other: differences are this one minus the first.
    pub second: String,
    /// Size of the shrunk difference, in the distance of the space.
    pub size: f64,
    /// Its estimated error: noise, sampling, and what shrinking took away.
    pub error: f64,
    /// How many standard errors the band reaches to either side.
    pub reach_in_standard_errors: f64,
    /// Half its width, averaged over all entries; of shapes in units of the centroid size.
    pub mean_half_width: f64,
    /// Of the places (landmarks, samples, entries), at how many the band excludes no difference.
    pub share_outside: f64,
}

/// Labels of the groups, sorted, with their sizes.
pub(super) fn sizes(groups: &Groups) -> Vec<(String, u64)> {
    groups.names().iter().cloned().zip(groups.labels().sizes().iter().copied()).collect()
}

/// Whether the numbers of records and the budget are too small for much to be told: public.
pub(super) fn is_small(groups: &Groups, mechanism: &FunctionGroups) -> bool {
    let n = groups.labels().n() as f64;
    let small = |loss: PrivacyLoss| matches!(loss, PrivacyLoss::Gaussian(mu) if n * mu.get() < LEAST);
    mechanism.budgets().into_iter().flatten().any(small)
}

/// The test, where one was wanted: free.
pub(super) fn test(
    groups: &Groups,
    mechanism: &FunctionGroups,
    released: &NoisedComparison,
) -> Option<TestStatement> {
    let sizes = SIZES.map(|size| size * mechanism.effect());
    let power = mechanism.power(released, (LEVEL, &sizes)).unwrap_or_default();
    let tests = mechanism.tests(released)?;
    let power = sizes.into_iter().zip(power).collect();
    Some(TestStatement::of(&tests, groups.names(), mechanism.effect(), power))
}

/// What every certificate of a comparison states.
pub(super) fn groups_details(groups: &Groups, want: Want, statement: &mut Statement) {
    let each: Vec<Value> =
        sizes(groups).into_iter().map(|(label, n)| json!({"label": label, "n": n})).collect();
    let details = json!({
        "groups": each,
        "partition_sha256": groups.sha256(),
        WITHIN_GROUPS: WITHIN_GROUPS_TEXT,
        "parallel_composition": "inside this release every group has the whole of the second round's budget, since a record is in one \
                                 group; the loss stated is that of any one record, and is charged to everybody",
        "want": want,
    });
    if let Value::Object(details) = details {
        statement.details.extend::<Map<String, Value>>(details);
    }
}

/// What was found, for the certificate; `what` says what differences are, `places` what bands are simultaneous over.
pub(super) fn found_details(
    (groups, mechanism): (&Groups, &FunctionGroups),
    differences: &[GroupDifference],
    test: Option<&TestStatement>,
    (what, places): (&str, &str),
    statement: &mut Statement,
) {
    let details = &mut statement.details;
    let [of_map, of_test] = mechanism.budgets();
    details.insert("budgets".into(), json!({"map": of_map, "test": of_test}));
    if !differences.is_empty() {
        let difference = json!({
            "file": DIFFERENCE,
            "what": format!(
                "second label in sorted order minus the first, of each further label minus the first where there are more; {what}, shrunk \
                 towards no difference"
            ),
            "unshrunk_file": DIFFERENCE_UNSHRUNK,
            "band_file": BAND,
            "band": format!("95 %, simultaneous over all {places} of one comparison, about the unshrunk difference"),
            "comparisons": differences,
        });
        details.insert("difference".into(), difference);
    }
    if let Some(test) = test {
        details.insert("test".into(), json!({"file": TEST, "result": test}));
    }
    if is_small(groups, mechanism) {
        let why = "n times mu is below 60: the radius is a public guess, and differences of ordinary size cannot be told";
        details.insert("small_study".into(), json!(why));
    }
}

/// Whether groups differ, on a page.
pub(super) fn test_section(page: &mut Page, test: Option<&TestStatement>) {
    let Some(test) = test else { return };
    page.heading("Whether they differ");
    page.paragraph(&format!(
        "Test of no difference: p = {:.4}: {} (level 5 %).",
        test.p_value,
        if test.found() { "the groups differ" } else { "no difference was found" }
    ));
}

/// The table of differences on a page; `places` are what the band excludes no difference at.
pub(super) fn differences_table(page: &mut Page, differences: &[GroupDifference], places: &str) {
    let row = |d: &GroupDifference| {
        vec![
            format!("{} minus {}", d.second, d.first),
            short(d.size),
            short(d.error),
            short(d.mean_half_width),
            format!("{:.0} %", 100.0 * d.share_outside),
        ]
    };
    let rows: Vec<Vec<String>> = differences.iter().map(row).collect();
    let excludes = format!("{places} where it excludes 0");
    page.table(&["difference", "size", "error", "half width of the band", &excludes], &rows);
}
