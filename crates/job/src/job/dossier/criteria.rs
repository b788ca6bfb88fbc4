//! What was to be accepted, fixed beforehand or not, and whether it was met.

use super::said::{Said, Source, asked, said};
use crate::privacy::Certificate;

/// The SHA-256 of the plan that was saved before the study.
pub(super) fn saved_plan(c: &Certificate) -> Option<&str> {
    c.details.get("plan")?.get("sha256")?.as_str()
}

/// The SHA-256 of the plan that several sites agreed on.
fn agreed_plan(c: &Certificate) -> Option<&str> {
    c.details.get("plan")?.as_str().filter(|_| is_of_sites(c))
}

/// Whether records of several sites were put together without a place that sees them all.
pub(super) fn is_of_sites(c: &Certificate) -> bool {
    ["sites", "site"].iter().any(|key| c.details.contains_key(*key))
}

/// The sentences of the section.
pub(super) fn criteria(c: &Certificate) -> Vec<Said> {
    let mut list = vec![match (saved_plan(c), agreed_plan(c)) {
        (Some(hash), _) => said(
            "plan",
            format!("A plan was saved in advance; its SHA-256 is {hash}."),
            Source::Certificate("details.plan.sha256"),
        ),
        (None, Some(hash)) => said(
            "plan",
            format!(
                "The sites agreed on a plan in advance; its SHA-256 is {hash}. It fixes people, budget and noise, and no limit on the error."
            ),
            Source::Certificate("details.plan"),
        ),
        (None, None) => said(
            "plan",
            "Acceptance criteria were not fixed in advance.",
            Source::Certificate("details.plan (absent)"),
        ),
    }];
    let number = |key: &str| c.details.get("accuracy")?.get(key)?.as_f64();
    let planned = |key: &str| c.details.get("plan")?.get(key);
    if let Some(text) = c.caveats.iter().find(|caveat| caveat.starts_with("other-than-planned")) {
        list.push(said("plan kept", format!("No: {text}."), Source::Certificate("caveats")));
    } else if planned("sha256").is_some() {
        let text = match planned("released") {
            Some(_) => "Yes: the statistic that was planned, of as many records, at that budget.",
            None => {
                "As many records at the budget that was planned; whether the statistic is the planned one was not recorded by that version."
            }
        };
        list.push(said("plan kept", text, Source::Certificate("details.plan, n, loss")));
    }
    let limit = planned("accept_rms").and_then(serde_json::Value::as_f64);
    list.extend(limit.map(|limit| verdict(limit, number("rms"))));
    if let (Some(rms), Some(template)) = (number("rms"), number("template_rms")) {
        let bound = number("expected_rms").is_some()
            || c.details.get("accuracy").and_then(|of| of.get("upper_bound")).is_some_and(|of| of == true);
        let most = if bound { "at most " } else { "" };
        let text = format!(
            "The release states an error of {most}{rms:.5} (root mean square, in units of the records), against {template:.5} of the public template \
             published unread."
        );
        list.push(said("error", text, Source::Certificate("details.accuracy.rms, template_rms")));
    }
    if let (Some(skin), Some(normal)) = (number("registration_skin_rms"), number("registration_normal_rms")) {
        let text = format!(
            "Where the records are scans, registration adds about {skin:.5} along the surface and {normal:.5} across it, as with public made-up \
             ones; the error above leaves it out."
        );
        list.push(said(
            "registration",
            text,
            Source::Certificate("details.accuracy.registration_skin_rms, registration_normal_rms"),
        ));
    }
    if let Some(share) = number("data_share") {
        let text = format!(
            "The data decided {:.0} % of the squared distance between the public template and their mean.",
            100.0 * share
        );
        list.push(said("worth", text, Source::Certificate("details.accuracy.data_share")));
    }
    list.push(asked("fitness", "Is this error small enough for the purpose?"));
    list
}

/// Whether the release's own error meets the limit that was set beforehand.
fn verdict(limit: f64, rms: Option<f64>) -> Said {
    let text = match rms {
        Some(rms) if rms <= limit => {
            format!("Met: the release states {rms:.5}; the limit was {limit:.5}.")
        }
        Some(rms) => {
            format!("NOT met: the release states {rms:.5}; the limit was {limit:.5}.")
        }
        None => format!(
            "Unknown: the limit was an error of at most {limit:.5}, and this kind of release states none."
        ),
    };
    said("acceptance", text, Source::Certificate("details.plan.accept_rms, details.accuracy.rms"))
}
