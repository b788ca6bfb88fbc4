//! `--save` of every `plan`: the plan is kept in the study's folder before the study begins.

use super::heading;
use super::output::{Failure, Printer};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use visard::privacy::PrivacyLoss;
use visard::study::{PlanError, SavedPlan, StudyFolder};

/// Where a plan is kept, and what will be called good enough.
#[derive(Debug, Args)]
pub struct SaveArgs {
    /// Fix this plan in advance: kept as plan.json in the folder that the study will be written to (its --out), and named with its hash in
    /// the certificate; takes one --n and one budget
    #[arg(long, help_heading = heading::OUTPUT, value_name = "STUDY", conflicts_with = "want")]
    save: Option<PathBuf>,
    /// With --save: the largest acceptable error (root mean square: millimetres on a face of 20 cm for faces, otherwise the distance of the
    /// space)
    #[arg(long, help_heading = heading::OUTPUT, value_name = "F", requires = "save", allow_negative_numbers = true)]
    accept: Option<f64>,
}

impl SaveArgs {
    /// Prints the rows, after saving the plan where that is asked for. `unit` is what --accept is given in, in units of the certificate's error.
    pub fn finish(
        &self,
        statistic: &str,
        cells: &[(u64, PrivacyLoss)],
        unit: f64,
        rows: Vec<impl Serialize>,
        mut text: String,
        printer: &Printer,
    ) -> Result<(), Failure> {
        if let Some(out) = &self.save {
            let ([(n, loss)], [row]) = (cells, &rows[..]) else {
                return Err(Failure::usage("--save keeps one plan: say one --n and one --mu (or --epsilon)"));
            };
            let accept = self.accept.map(|error| error * unit);
            let folder = StudyFolder::at(out);
            let row = serde_json::to_value(row).map_err(Failure::failed)?;
            let hash = SavedPlan::new(statistic, (*n, *loss), accept, row)
                .and_then(|plan| plan.save(&folder))
                .map_err(|error| match error {
                    PlanError::Job(_) => Failure::failed(error),
                    _ => Failure::usage(error),
                })?;
            text += &format!(
                "\n\nKept in {} (SHA-256 {hash}). Write the study to the same folder: its certificate will name the plan.",
                folder.plan().display()
            );
        }
        printer.result(rows, text);
        Ok(())
    }
}
