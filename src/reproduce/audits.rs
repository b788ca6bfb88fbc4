//! Every mechanism run against its claim.

use super::{AnyError, Context, Finding, Verdict};
use crate::mechanism::registry::worst_cases;
use crate::privacy::audit::{STANDARD_AUDITS, audit};

pub(super) fn run(context: &Context) -> Result<Finding, AnyError> {
    let mut finding = Finding::new(
        "Audits: every mechanism against its claim",
        "None of the papers audits its mechanisms.",
    );
    let mut csv = String::from("mechanism,claimed,lower_bound,runs,seconds,passed\n");
    let (mut passed, mut all) = (0, 0);
    for case in STANDARD_AUDITS.iter().chain(worst_cases()) {
        let name = case.name;
        let runs = match (context.quick, case.slow) {
            (true, true) => 400,
            (true, false) => 4_000,
            (false, true) => 10_000,
            (false, false) => 100_000,
        };
        context.step(&format!("{runs} runs of {name}"));
        let mechanism = (case.make)(name, 1.0)?;
        let report = audit(mechanism.as_ref(), runs, 1)?;
        csv.push_str(&format!(
            "{name},{},{:.4},{runs},{:.2},{}\n",
            report.claimed,
            report.lower_bound,
            report.seconds,
            report.passed()
        ));
        passed += usize::from(report.passed());
        all += 1;
    }
    finding.same = "no such thing to reproduce".into();
    finding.better = format!("{passed} of {all} claims of 1 stand; lower bounds in the table.");
    finding.verdict = if passed == all { Verdict::Yes } else { Verdict::No };
    finding.why = "A bound above the claim would refute it (one chance in a thousand each).".into();
    finding.data = "worst-case neighbours built into each audit".into();
    finding.tables.push(("audits.csv".into(), csv));
    Ok(finding)
}
