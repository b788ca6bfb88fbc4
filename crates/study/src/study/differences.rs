//! What a comparison of groups tells in numbers, of whatever they are groups: differences, tests, and their statements.

use super::Groups;
use super::tangent::TangentSpace;
use crate::estimate::groups::LEAST_P;
use crate::estimate::{GroupTest, band};
use crate::job::layout::{BAND, DIFFERENCE, DIFFERENCE_UNSHRUNK, TEST};
use crate::mechanism::functional::{FunctionGroups, NoisedComparison, Tests, Want};
use crate::privacy::{PrivacyLoss, Statement, WITHIN_GROUPS, WITHIN_GROUPS_TEXT};
use crate::report::colour::short;
use crate::report::page::Page;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The level at which tests are told in words.
pub const LEVEL: f64 = 0.05;
/// Below this n times μ, of each of the things wanted, the radius is a public guess and little can be told.
pub const LEAST: f64 = 60.0;
/// Sizes of differences that the power of a test is told for, compared with what a test is set for.
const SIZES: [f64; 3] = [0.6, 1.0, 1.6];

/// A test of no difference between any of the groups.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct TestStatement {
    /// That of the pair whose difference is the least likely to be none.
    pub statistic: f64,
    /// Of no difference between any groups: the smallest adjusted p-value.
    pub p_value: f64,
    /// Every pair of groups.
    pub per_pair: Vec<PairTest>,
    /// How p-values of several pairs are adjusted.
    pub adjustment: &'static str,
    /// The size of the random differences that the statistic is set for: root mean square, in the distance of the space.
    pub effect: f64,
    /// How likely random differences of these sizes are found at the level .05 without adjustment: (size, power), the first pair's.
    pub power: Vec<(f64, f64)>,
    /// No smaller p-value is stated.
    pub least_p_value: f64,
}

/// The test of two groups.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct PairTest {
    /// The label of one.
    pub first: String,
    /// Of the other.
    pub second: String,
    /// The statistic.
    pub statistic: f64,
    /// How likely one at least as large is where there is no difference.
    pub p_value: f64,
    /// The same adjusted for the number of pairs.
    pub p_adjusted: f64,
}

impl PairTest {
    /// Whether its p-value may be smaller than what is stated.
    fn is_least(&self) -> bool {
        self.p_value <= LEAST_P
    }
}

impl TestStatement {
    /// Of these groups; `power`: how likely differences of which sizes are found.
    fn of(tests: &Tests, names: &[String], effect: f64, power: Vec<(f64, f64)>) -> Self {
        let pair = |(first, second, test, adjusted): &(usize, usize, GroupTest, f64)| PairTest {
            first: names[*first].clone(),
            second: names[*second].clone(),
            statistic: test.statistic,
            p_value: test.p_value,
            p_adjusted: *adjusted,
        };
        Self {
            statistic: tests.statistic,
            p_value: tests.p_value,
            per_pair: tests.pairs.iter().map(pair).collect(),
            adjustment: if tests.pairs.len() == 1 { "none: one pair" } else { "Holm" },
            effect,
            power,
            least_p_value: LEAST_P,
        }
    }

    /// "p = 0.02"; none is stated that is smaller than [`Self::least_p_value`].
    pub fn p_in_words(&self) -> String {
        let is_least = |pair: &PairTest| pair.p_adjusted == self.p_value && pair.is_least();
        let sign = if self.per_pair.iter().any(is_least) { '≤' } else { '=' };
        format!("p {sign} {}", short(self.p_value))
    }

    /// Whether a difference was found at 5 %.
    pub fn found(&self) -> bool {
        self.p_value <= LEVEL
    }
}

/// Where a group's mean differs from that of the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
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
    /// Half its width where it is widest.
    pub largest_half_width: f64,
    /// Of the places (landmarks, samples, entries), at how many the band excludes no difference; of faces, a band along the normal.
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

/// What was found, for the certificate.
pub(super) fn found_details(
    (groups, mechanism): (&Groups, &FunctionGroups),
    differences: &[GroupDifference],
    test: Option<&TestStatement>,
    space: &dyn TangentSpace,
    statement: &mut Statement,
) {
    let details = &mut statement.details;
    let [of_map, of_test] = mechanism.budgets();
    details.insert("budgets".into(), json!({"map": of_map, "test": of_test}));
    if !differences.is_empty() {
        details.insert("difference".into(), difference_details(mechanism, differences, space));
        details.insert("band".into(), band_details(space));
    }
    if let Some(test) = test {
        details.insert("test".into(), json!({"file": TEST, "result": test}));
    }
    if is_small(groups, mechanism) {
        let why = "n times mu is below 60: the radius is a public guess, and differences of ordinary size cannot be told";
        details.insert("small_study".into(), json!(why));
    }
}

fn difference_details(
    mechanism: &FunctionGroups,
    differences: &[GroupDifference],
    space: &dyn TangentSpace,
) -> Value {
    let terms = space.terms();
    json!({
        "file": DIFFERENCE,
        "what": format!(
            "second label in sorted order minus the first, of each further label minus the first where there are more; {}, shrunk towards no \
             difference, for showing",
            terms.displacements
        ),
        "unshrunk_file": DIFFERENCE_UNSHRUNK,
        "unshrunk": "the same before it was shrunk: without bias but rough; the band lies about this one",
        "coefficients": mechanism.lengths()[0],
        "share_outside": format!(
            "of the {}, those where a band that is simultaneous over all of them excludes no difference",
            terms.places
        ),
        "comparisons": differences,
    })
}

fn band_details(space: &dyn TangentSpace) -> Value {
    json!({
        "file": BAND,
        "level": band::LEVEL,
        "simultaneous_over": format!("all {}, of one comparison", space.terms().numbers),
        "estimand": "the difference of the means of the populations that the groups are samples of, each record clipped as the certificate \
                     states, in the coefficients that the map has (detail finer than that counts as alike)",
        "centre": "the unshrunk difference: the shrunk one may lie outside",
        "standard_error": "of records as a sample (from each group's own noised second moment, about the released centre and on the safe \
                           side) and of the privacy noise (known exactly), added in squares",
        "simulated_fields": band::FIELDS,
        "simulation_seed": band::SEED,
    })
}

/// Whether groups differ, on a page.
pub(super) fn test_section(page: &mut Page, test: &TestStatement, space: &dyn TangentSpace) {
    page.heading("Do the groups differ?");
    page.paragraph(&test_sentence(test));
    if test.per_pair.len() > 1 {
        let row = |pair: &PairTest| {
            let groups = format!("{} and {}", pair.first, pair.second);
            let stated = |p: f64| if pair.is_least() { format!("≤ {}", short(p)) } else { short(p) };
            vec![groups, short(pair.statistic), stated(pair.p_value), stated(pair.p_adjusted)]
        };
        let rows: Vec<_> = test.per_pair.iter().map(row).collect();
        page.table(&["groups", "statistic", "p", "p adjusted (Holm)"], &rows);
    }
    page.paragraph(&format!(
        "The test looks at leading coefficients, counts sampling and privacy noise, and is set for differences of {} ({}) of no particular \
         shape. This is how often it would find such a random difference if {} vary as these do:",
        space.length(test.effect),
        space.words().distance,
        space.words().records
    ));
    let row = |(size, power): &(f64, f64)| vec![space.length(*size), format!("{:.0} %", 100.0 * power)];
    let rows: Vec<_> = test.power.iter().map(row).collect();
    page.table(&["difference", "found at 5 %, two groups"], &rows);
    page.paragraph(&format!("The full result is in {TEST}."));
}

/// The outcome in words that mean something.
fn test_sentence(test: &TestStatement) -> String {
    let level = 100.0 * LEVEL;
    let p = format!("{} in a test of no difference between the groups' means.", test.p_in_words());
    if test.found() {
        format!(
            "{p} A difference was found at the level of {level} %: if there were none, a study like this would find one with a probability of at \
             most about {level} %."
        )
    } else {
        format!(
            "{p} No difference was found at the level of {level} %. That does not mean that there is none: the table below shows which differences \
             would have been found."
        )
    }
}

/// A difference in words, on a page.
pub(super) fn difference_sentence(found: &GroupDifference, space: &dyn TangentSpace) -> String {
    let places = space.terms().places;
    let outside = if found.share_outside > 0.0 {
        format!("stands out of its band on {:.0} % of the {places}", (100.0 * found.share_outside).max(1.0))
    } else {
        "stands out of its band nowhere: no place of a difference can be named".to_owned()
    };
    format!(
        "The difference of {} from {} is {} ({}, after shrinking), with an error of about {}, and {outside}. The band reaches {} to either side on \
         average, {} where it is widest.",
        found.second,
        found.first,
        space.length(found.size),
        space.words().distance,
        space.length(found.error),
        space.length(found.mean_half_width),
        space.length(found.largest_half_width),
    )
}

/// What the files of a map hold and leave out, on a page: public, since it follows from n and the budget.
pub(super) fn map_note(mechanism: &FunctionGroups, space: &dyn TangentSpace) -> String {
    let all = space.basis().len();
    let detail = match mechanism.lengths()[0] {
        Some(of) if of < all => format!(
            "Map and band have {of} of the {all} coefficients that a record has. Finer differences are not known: neither the map nor its band counts \
             them. A larger budget, or more records, brings more coefficients."
        ),
        _ => "Map and band have all coefficients that a record has.".to_owned(),
    };
    format!(
        "{DIFFERENCE} holds the shrunk difference. {BAND} holds lower and upper borders, simultaneous over all {}, about the unshrunk difference \
         ({DIFFERENCE_UNSHRUNK}). The difference of the means above is not the map: each is shrunk on its own. \
         {detail}",
        space.terms().numbers
    )
}
