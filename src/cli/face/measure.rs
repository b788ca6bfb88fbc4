//! `visard face measure`: distances and angles between landmarks, face by face.

use super::files::refuse_existing;
use crate::cli::Global;
use crate::cli::answer::shown;
use crate::cli::output::{Failure, Printer};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use visard::io;
use visard::study::face::anthropometry::FaceMeasure;
use visard::study::face::record::{is_landmark_file, table};

/// Arguments of `face measure`.
#[derive(Debug, Args)]
#[command(
    after_help = "The table is personal data like the landmarks: keep it with them.\n\nExample:\n  visard face measure registered/ --measure exocanthion_left:exocanthion_right \
                  --measure nasion:pronasale:subnasale --out measures.csv"
)]
pub struct MeasureArgs {
    /// Landmark files, a face each, or folders of them: NAME.landmarks.csv as `face register --transfer` writes, .fcsv, .mrk.json
    #[arg(value_name = "FILE_OR_DIR", required = true)]
    landmarks: Vec<PathBuf>,
    /// A distance A:B, or the angle A:B:C at B in degrees; give it as often as needed
    #[arg(long = "measure", value_name = "A:B[:C]", required = true)]
    measures: Vec<FaceMeasure>,
    /// The table: a line for each face, a column for each measure
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &MeasureArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    refuse_existing(&args.out, global)?;
    let files = files(&args.landmarks)?;
    let names = args.measures.iter().map(FaceMeasure::to_string);
    let heading: Vec<String> = std::iter::once("face".to_owned()).chain(names).collect();
    let mut text = line(&heading);
    let mut failed = 0;
    for file in &files {
        let mut cells = vec![file.file_name().unwrap_or_default().to_string_lossy().into_owned()];
        match measured(file, &args.measures) {
            Ok(values) => cells.extend(values.iter().map(|v| format!("{v:.4}"))),
            Err(problem) => {
                failed += 1;
                printer.note(format!("error: {problem}"));
                cells.resize(heading.len(), String::new());
            }
        }
        text += &line(&cells);
    }
    io::write_text(&args.out, &text).map_err(Failure::failed)?;
    let measured = files.len() - failed;
    printer.result(
        Measured { out: shown(&args.out), measured, failed },
        format!("{measured} of {} faces measured: {}", files.len(), args.out.display()),
    );
    match failed {
        0 => Ok(()),
        _ => Err(Failure::failed(format!("{failed} of {} faces could not be measured", files.len()))
            .with_hint("their lines of the table are empty")),
    }
}

/// A table of measures.
#[derive(Serialize, JsonSchema)]
pub struct Measured {
    /// The table.
    out: String,
    /// How many faces were measured.
    measured: usize,
    /// How many could not be.
    failed: usize,
}

fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|c| table::field(c)).collect();
    cells.join(",") + "\n"
}

fn measured(file: &Path, measures: &[FaceMeasure]) -> Result<Vec<f64>, String> {
    let landmarks = io::read_landmarks(file).map_err(|e| e.to_string())?;
    let one = |m: &FaceMeasure| m.of(&landmarks).map_err(|e| format!("{}: {e}", file.display()));
    measures.iter().map(one).collect()
}

/// The files given, and the landmark files of the folders given, by name.
fn files(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in given {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let unreadable = |e: std::io::Error| Failure::failed(format!("{}: {e}", path.display()));
        let entries = std::fs::read_dir(path).map_err(unreadable)?;
        let mut found: Vec<PathBuf> =
            entries.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>().map_err(unreadable)?;
        found.retain(|p| is_landmark_file(p));
        if found.is_empty() {
            return Err(Failure::failed(format!("{}: no landmark files in this folder", path.display()))
                .with_hint("`visard face register --transfer landmarks.csv` writes NAME.landmarks.csv for every scan"));
        }
        found.sort();
        files.extend(found);
    }
    Ok(files)
}
