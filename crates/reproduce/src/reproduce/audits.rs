//! Every mechanism run against its claim.

use super::{AnyError, Context, Finding, Verdict};
use crate::mechanism::registry::worst_cases;
use crate::privacy::audit::{AuditVerdict, STANDARD_AUDITS, audit};

pub(super) fn run(context: &Context) -> Result<Finding, AnyError> {
    let mut finding = Finding::new(
        "Audits: every mechanism against its claim",
        "None of the papers audits its mechanisms.",
    );
    let mut csv =
        String::from("mechanism,claimed,loss_of_pair,lower_bound,largest_refutable,runs,seconds,verdict\n");
    let (mut held, mut refuted, mut all) = (0, 0, 0);
    for case in STANDARD_AUDITS.iter().chain(worst_cases()) {
        let name = case.name;
        let runs = if context.quick { (case.runs / 25).max(400) } else { case.runs };
        context.step(&format!("{runs} runs of {name}"));
        let report = audit(case.at(1.0)?.as_ref(), runs, 1)?;
        let number = |x: Option<f64>| x.map_or_else(String::new, |x| format!("{x:.4}"));
        csv.push_str(&format!(
            "{name},{},{},{:.4},{},{runs},{:.2},{}\n",
            report.claimed,
            number(report.loss_of_pair),
            report.lower_bound,
            number(report.largest_refutable),
            report.seconds,
            format!("{:?}", report.verdict).to_lowercase()
        ));
        held += usize::from(report.passed());
        refuted += usize::from(report.verdict == AuditVerdict::Refuted);
        all += 1;
    }
    finding.same = "no such thing to reproduce".into();
    let open = all - held - refuted;
    finding.better =
        format!("Of {all} claims of 1, {held} held, {refuted} were refuted, {open} need more runs.");
    finding.verdict = if refuted == 0 { Verdict::Yes } else { Verdict::No };
    finding.why = "A bound above the claim would refute it (one chance in a thousand each). A claim held if the same audit refuted it of noise \
                   with which the neighbours lose 1.3 times as much."
        .into();
    finding.data = "worst-case neighbours built into each audit".into();
    finding.tables.push(("audits.csv".into(), csv));
    Ok(finding)
}
