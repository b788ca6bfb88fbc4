//! `visard compare`: how far two surfaces lie apart.

use super::output::{Failure, Printer};
use super::{Global, make_folder, refuse_existing};
use crate::cli::answer::shown;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;
use visard::io::write_bytes;
use visard::report::colour::short;
use visard::study::distances::{BROUGHT, Distances, Statistics, distances, in_one_unit};
use visard::study::subject::Subject;
use visard::study::{distance_picture, distance_report};

/// The files of a comparison.
const FILES: [&str; 3] = ["distance.csv", "distance.png", "report.html"];

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(
    after_help = "Surfaces are compared where they lie: nothing is moved or scaled, unless one has no size; then both are centred and brought to area 1. distance.csv has a line for every vertex of A (signed distance along its normal, positive where B lies outside; distance to the closest point of B), then one for every vertex of B (distance to the closest point of A).\n\nExamples:\n  visard compare study/release other/release --out difference\n  visard compare before.ply after.ply --out difference"
)]
pub struct CompareArgs {
    /// A release, its study, a mesh file, or "builtin"
    #[arg(value_name = "A")]
    first: PathBuf,
    /// The surface to compare it with, likewise
    #[arg(value_name = "B")]
    second: PathBuf,
    /// Folder for distance.csv, distance.png and report.html
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// How far two surfaces are apart.
#[derive(Serialize, JsonSchema)]
pub struct CompareAnswer {
    /// The folder of the results.
    out: String,
    /// The unit of all distances.
    unit: String,
    /// Along the normal of the first surface, positive where the second lies outside.
    signed: Statistics,
    /// From the first surface to the closest point of the second.
    closest_a_to_b: Statistics,
    /// From the second to the first.
    closest_b_to_a: Statistics,
    /// The Hausdorff distance.
    hausdorff: f64,
    /// Whether both may be published.
    standing: String,
}

/// Runs the command.
pub fn run(args: &CompareArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    for file in FILES {
        refuse_existing(&args.out.join(file), global)?;
    }
    let a = Subject::load(&args.first).map_err(Failure::failed)?;
    let b = Subject::load(&args.second).map_err(Failure::failed)?;
    let (a, b, brought) = in_one_unit(a, b).map_err(Failure::failed)?;
    if brought {
        eprintln!("note: {BROUGHT}");
    }
    let found = distances(&a, &b).map_err(Failure::failed)?;
    let image = distance_picture(&found, &a, &b).to_png().map_err(Failure::failed)?;
    let page = distance_report(&found, &a, &b, brought).map_err(Failure::failed)?;
    make_folder(&args.out)?;
    let [table_file, picture, report] = FILES.map(|file| args.out.join(file));
    write_bytes(&table_file, table(&found).as_bytes()).map_err(Failure::failed)?;
    write_bytes(&picture, &image).map_err(Failure::failed)?;
    write_bytes(&report, page.as_bytes()).map_err(Failure::failed)?;
    let (signed, [there, back], unit) = (found.signed(), found.closest(), found.unit.name());
    let standing = a.standing.max(b.standing);
    if let Some(band) = standing.band() {
        printer.note(format!("note: {band}"));
    }
    printer.result(
        CompareAnswer {
            out: shown(&args.out),
            unit: unit.to_owned(),
            signed,
            closest_a_to_b: there,
            closest_b_to_a: back,
            hausdorff: found.hausdorff(),
            standing: standing.phrase().to_owned(),
        },
        format!(
            "{} from {}, {unit}\n  along the normal: {} root mean square, {} on average, 95 % within {}\n  closest points:   {} and back {} (root mean square), Hausdorff {}\n  open:             {}",
            b.name,
            a.name,
            short(signed.rms),
            short(signed.mean),
            short(signed.p95),
            short(there.rms),
            short(back.rms),
            short(found.hausdorff()),
            report.display()
        ),
    );
    Ok(())
}

/// Every value; an empty field where there is none.
fn table(found: &Distances) -> String {
    let mut text = String::from("surface,vertex,along_normal,closest\n");
    for (k, (along, closest)) in found.along_normal.iter().zip(&found.to_second).enumerate() {
        let along = if along.is_finite() { along.to_string() } else { String::new() };
        let _ = writeln!(text, "A,{k},{along},{closest}");
    }
    for (k, closest) in found.to_first.iter().enumerate() {
        let _ = writeln!(text, "B,{k},,{closest}");
    }
    text
}
