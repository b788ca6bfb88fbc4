//! `visard privacy ledger`: what has been released from the same people, and what it adds up to.

use super::output::{Failure, Printer};
use crate::cli::answer::shown;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use visard::privacy::{Composition, Cost, Delta, Ledger, LedgerAnswer, LedgerHistory, Part, rounded_up, utc};
use visard::study::ledger_of;

/// The δ at which the total is also shown as ε.
const SHOWN_DELTA: f64 = 1e-6;

/// Arguments of `privacy ledger`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard privacy ledger study\n  visard privacy ledger people.ledger.jsonl --json"
)]
pub struct LedgerCommand {
    /// A ledger, or the folder of a study
    #[arg(value_name = "FILE_OR_DIR")]
    path: PathBuf,
}

/// Runs `privacy ledger`.
pub fn run(args: &LedgerCommand, printer: &Printer) -> Result<(), Failure> {
    let file = match ledger_of(&args.path).map_err(Failure::failed)? {
        Some(file) => file,
        None => args.path.clone(),
    };
    if !file.exists() {
        let (what, hint) = if args.path.is_dir() {
            (
                "this folder holds no ledger",
                "it has charged nothing; name the folder of a study, or the file of a shared ledger",
            )
        } else {
            ("there is no such file or folder", "name a ledger, or the folder of a study that was charged")
        };
        return Err(Failure::failed(format!("{}: {what}", args.path.display())).with_hint(hint));
    }
    let history = Ledger::history(&file).map_err(Failure::failed)?;
    let recorded = history.answer().map_err(Failure::failed)?;
    let plural = if history.charges.len() == 1 { "" } else { "s" };
    let mut text = format!("{}: {} release{plural} charged", file.display(), history.charges.len());
    // One number only where one neighbour relation is all there is.
    match &history.sums()[..] {
        [sum] if sum.loss().is_ok_and(|loss| loss.is_some()) => {
            let total = sum.total.total().map_err(Failure::failed)?;
            let _ = write!(text, "; spent so far, together {total}");
            let delta = Delta::new(SHOWN_DELTA).map_err(Failure::failed)?;
            if let Ok(bound) = sum.total.epsilon_at(delta) {
                let _ = write!(
                    text,
                    " (epsilon {:.4} at delta {SHOWN_DELTA:e})",
                    rounded_up(bound.epsilon.get(), 4)
                );
            }
        }
        sums => sums.iter().for_each(|sum| {
            let _ = write!(text, "\n  spent so far: {}", sum.in_words());
        }),
    }
    text.push_str(&lines(&history));
    printer.result(LedgerFile { ledger: shown(&file), recorded }, text);
    Ok(())
}

/// A ledger.
#[derive(Serialize, JsonSchema)]
pub struct LedgerFile {
    /// Its file.
    ledger: String,
    #[serde(flatten)]
    recorded: LedgerAnswer,
}

fn lines(history: &LedgerHistory) -> String {
    let mut text = String::new();
    for charge in &history.charges {
        let part = &charge.part;
        let when = charge.unix_time.map_or_else(|| "(time lost)     ".to_owned(), utc);
        // Of what was drawn, whomever it protects.
        let bare = Part { cost: part.bare_cost().clone(), ..part.clone() };
        let loss = Composition::from(bare).total();
        let loss = loss.map_or_else(|e| e.to_string(), |loss| loss.to_string());
        let times = if part.times > 1 { format!(" ({} times)", part.times) } else { String::new() };
        let _ = write!(text, "\n  {when}  {}{times}: {loss}", part.mechanism);
        if part.is_seeded() {
            text.push_str(" (noise from a fixed seed: no bound)");
        } else if part.neighbours().adjacency().within_groups() {
            text.push_str(" (labels published)");
        }
        if let Cost::Parts(parts) = part.bare_cost() {
            parts.parts().iter().for_each(|part| group_line(&mut text, part));
        }
        if let Some(draw) = &charge.redeemed {
            let _ = write!(text, "\n      published result: {}", draw.get(..16).unwrap_or(draw));
        }
        for (part, draw) in &charge.redeemed_parts {
            let _ = write!(text, "\n      answer {}: {}", part + 1, draw.get(..16).unwrap_or(draw));
        }
    }
    if let Some(partition) = &history.partition {
        let groups: Vec<String> =
            partition.groups().iter().map(|group| format!("{} ({})", group.label, group.size)).collect();
        let _ = write!(text, "\n  groups: {}", groups.join(", "));
    }
    for (label, spent) in history.spent_by_group().iter().filter(|(_, spent)| !spent.is_empty()) {
        let sum = spent.total().map_or_else(|e| e.to_string(), |loss| loss.to_string());
        let _ = write!(text, "\n      group {label} bears {sum} in all");
    }
    for ceiling in &history.ceilings {
        let _ = write!(text, "\n  ceiling: {ceiling}");
    }
    if history.ceilings.is_empty() && !history.charges.is_empty() {
        text.push_str(
            "\n  no ceiling: these sums hold for budgets that were fixed in advance; for budgets chosen after looking at earlier releases set \
             --ceiling-mu with the first",
        );
    }
    text
}

/// What one group alone bears.
fn group_line(text: &mut String, part: &Part) {
    let Cost::Group(of) = &part.cost else { return };
    let loss = Composition::from(part.clone()).total();
    let loss = loss.map_or_else(|e| e.to_string(), |loss| loss.to_string());
    let _ = write!(text, "\n      group {}: {}: {loss}", of.group().label(), part.mechanism);
}
