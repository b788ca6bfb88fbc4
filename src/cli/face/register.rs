//! `visard face register`: dense correspondence of scans with a template.

use super::NeutralArgs;
use super::files::{make_folder, refuse_existing, scans_help, template_source};
use crate::cli::answer::shown;
use crate::cli::output::{Failure, Printer};
use crate::cli::{Global, heading, of_kind};
use clap::Args;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use visard::io::{self, Content};
use visard::mesh::Point;
use visard::study::face::record::transfer::{self, Transfer};
use visard::study::face::record::{
    ScanRegistrar, ScanRow, ScanStage, default_crop_radius, landmark_file, table,
};
use visard::study::face::{at_rest, load_template};
use visard::surface::Template;
use visard::surface::registration::{PosedScan, Registration};

/// Arguments of `face register`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard face register scans/ --template template.ply --out registered\n  visard face register scans/ --transfer landmarks.csv --expected-error --one-to-one --out registered\n  visard face register scans/ --neutral builtin --out registered"
)]
pub struct RegisterArgs {
    #[arg(value_name = "SCAN_OR_DIR", required = true, help = scans_help())]
    scans: Vec<PathBuf>,
    /// The template mesh, whose vertices are located on every scan, or "builtin".
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "MESH|builtin", default_value = "builtin")]
    template: String,
    /// Folder for the registered meshes and registration.csv
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "FILE", help = landmarks_help())]
    landmarks: Option<PathBuf>,
    /// Method of registration to the template
    #[arg(long, help_heading = heading::REGISTRATION, value_enum, default_value_t = Registration::Elastic)]
    registration: Registration,
    /// Keep this much around the nose tip of a bust, in units of the template
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "F")]
    crop_radius: Option<f64>,
    /// Landmarks of the template, in its coordinates: their places on every scan, with the expected error, are written to NAME.landmarks.csv
    #[arg(long, help_heading = heading::OUTPUT, value_name = "FILE")]
    transfer: Option<PathBuf>,
    /// Write the expected distance of each vertex from its true place, in the scan's units: a number at every vertex of the meshes, and
    /// expected_error.csv. Elastic registration only
    #[arg(long, help_heading = heading::OUTPUT)]
    expected_error: bool,
    /// Check that each registration is one to one: one_to_one.csv has, for every scan, how many of the template's triangles lie on it (not in filled
    /// holes), how many of these are turned over on its surface or in its disk map, and the least relative Jacobian determinants
    #[arg(long, help_heading = heading::OUTPUT)]
    one_to_one: bool,
    #[command(flatten)]
    neutral: NeutralArgs,
}

fn landmarks_help() -> String {
    format!(
        "{}; the nose tip is used",
        of_kind("Landmarks of the scan, of which there is one only", Content::Landmarks)
    )
}

/// Runs the command.
pub fn run(args: &RegisterArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let scans = io::list_scans(&args.scans).map_err(Failure::failed)?;
    if args.landmarks.is_some() && scans.len() > 1 {
        return Err(Failure::usage(
            "--landmarks belongs to one scan; put <stem>.landmarks.csv beside each instead",
        ));
    }
    let source = args.neutral.of(template_source(&args.template), args.registration)?;
    let csv = args.out.join("registration.csv");
    refuse_existing(&csv, global)?;
    let files = targets(args, &scans, global)?;
    let loaded = load_template(&source).map_err(Failure::failed)?;
    let template = &loaded.template;
    let transfer = args.transfer.as_deref().map(|file| read_transfer(file, template)).transpose()?;
    make_folder(&args.out)?;
    let crop = args.crop_radius.unwrap_or_else(|| default_crop_radius(template));
    let registrar = ScanRegistrar::new(template, args.registration, crop).map_err(Failure::failed)?;
    let work = Work { args, registrar: &registrar, transfer: transfer.as_ref() };
    let (rows, errors): (Vec<ScanRow>, Vec<Option<Vec<f64>>>) =
        scans.par_iter().zip(&files).map(|(scan, file)| work.register(scan, file)).unzip();
    if args.expected_error {
        let text = expected_errors(&rows, &errors);
        io::write_text(&args.out.join("expected_error.csv"), &text).map_err(Failure::failed)?;
    }
    if args.one_to_one {
        let text = one_to_one(&rows);
        io::write_text(&args.out.join("one_to_one.csv"), &text).map_err(Failure::failed)?;
    }
    io::write_bytes(&csv, table::csv(&rows).as_bytes()).map_err(Failure::failed)?;
    let failed: Vec<&ScanRow> = rows.iter().filter(|r| !r.is_ok()).collect();
    failed.iter().for_each(|row| printer.note(format!("error: {}: {}", row.scan, row.problem)));
    let odd = rows.iter().filter(|row| row.is_ok() && !row.repairs.is_empty());
    let odd: Vec<String> = odd.map(|row| format!("{}: {}", row.scan, row.repairs)).collect();
    printer.remarks(&odd);
    printer.own_result(
        Registered {
            out: shown(&args.out),
            registered: rows.len() - failed.len(),
            failed: failed.len(),
            seconds: seconds(&rows),
        },
        format!("{} of {} scans registered: {}", rows.len() - failed.len(), rows.len(), args.out.display()),
    );
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failure::failed(format!("{} of {} scans could not be registered", failed.len(), rows.len())))
    }
}

/// Scans that were registered.
#[derive(Serialize, JsonSchema)]
pub struct Registered {
    /// The folder of the registered faces.
    out: String,
    /// How many scans were registered.
    registered: usize,
    /// How many could not be.
    failed: usize,
    /// Seconds of all scans together, by stage.
    seconds: Map<String, Value>,
}

/// Seconds of all scans together, by stage, to the millisecond.
fn seconds(rows: &[ScanRow]) -> Map<String, Value> {
    let of = |stage: usize| 1e-3 * (1e3 * rows.iter().map(|row| row.seconds[stage]).sum::<f64>()).round();
    ScanStage::NAMES.iter().enumerate().map(|(stage, name)| ((*name).to_owned(), json!(of(stage)))).collect()
}

/// The registered mesh of every scan. Nothing is written over, unless that is wanted.
fn targets(args: &RegisterArgs, scans: &[PathBuf], global: &Global) -> Result<Vec<PathBuf>, Failure> {
    if args.expected_error {
        refuse_existing(&args.out.join("expected_error.csv"), global)?;
    }
    if args.one_to_one {
        refuse_existing(&args.out.join("one_to_one.csv"), global)?;
    }
    let mut stems = std::collections::HashSet::new();
    let mut target = |scan: &PathBuf| {
        let stem = scan.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let file = args.out.join(format!("{stem}.registered.ply"));
        if !stems.insert(stem) {
            return Err(Failure::failed(format!("{} would be written twice", file.display()))
                .with_hint("scans of the same name need separate runs"));
        }
        if args.transfer.is_some() {
            refuse_existing(&beside(&file, "landmarks.csv"), global)?;
        }
        if args.neutral.is_some() {
            refuse_existing(&beside(&file, "rest.ply"), global)?;
        }
        refuse_existing(&file, global).map(|()| file)
    };
    scans.iter().map(&mut target).collect()
}

/// Where something else of the scan goes whose registered mesh this is.
fn beside(registered: &Path, what: &str) -> PathBuf {
    let name = registered.file_name().unwrap_or_default().to_string_lossy();
    registered.with_file_name(name.replace(".registered.ply", &format!(".{what}")))
}

fn read_transfer(file: &Path, template: &Template) -> Result<Transfer, Failure> {
    let landmarks = io::read_landmarks(file).map_err(Failure::failed)?;
    Transfer::new(template, &landmarks).map_err(|e| Failure::failed(format!("{}: {e}", file.display())))
}

/// A scan, where the template's vertices lie on it, and how far they are expected to lie from their places.
type Found = (PosedScan, Vec<Point>, Option<Vec<f64>>);

/// What is done to every scan.
struct Work<'a> {
    args: &'a RegisterArgs,
    registrar: &'a ScanRegistrar<'a>,
    transfer: Option<&'a Transfer>,
}

impl Work<'_> {
    /// Registers a scan and writes its files; how it went, and the errors to expect where they are known.
    fn register(&self, scan: &Path, file: &Path) -> (ScanRow, Option<Vec<f64>>) {
        let mut row = ScanRow::named(scan.display().to_string());
        let found = self.found(scan, &mut row).and_then(|(posed, positions, errors)| {
            if self.args.neutral.is_some() {
                let rest = at_rest(self.registrar, &posed, positions.clone()).map_err(|e| e.to_string())?;
                let mesh = self.registrar.template().mesh().with_vertices(rest).map_err(|e| e.to_string())?;
                io::write_ply(&beside(file, "rest.ply"), &mesh).map_err(|e| e.to_string())?;
            }
            self.write(file, positions, errors.as_deref())?;
            Ok(errors)
        });
        let errors = found.unwrap_or_else(|problem| {
            row.problem = problem;
            None
        });
        (row, errors)
    }

    fn found(&self, scan: &Path, row: &mut ScanRow) -> Result<Found, String> {
        let landmarks = self.args.landmarks.clone().or_else(|| landmark_file(scan));
        let posed = self.registrar.pose(scan, landmarks.as_deref(), row).map_err(|e| e.to_string())?;
        let found = if self.args.expected_error || self.transfer.is_some() {
            self.registrar.register_with_errors(&posed, row)
        } else {
            self.registrar.register(&posed, row).map(|positions| (positions, None))
        };
        let (positions, errors) = found.map_err(|e| e.to_string())?;
        Ok((posed, positions, errors))
    }

    fn write(&self, file: &Path, positions: Vec<Point>, errors: Option<&[f64]>) -> Result<(), String> {
        if let Some(transfer) = self.transfer {
            let text = transfer::csv(&transfer.carried(&positions, errors));
            io::write_text(&beside(file, "landmarks.csv"), &text).map_err(|e| e.to_string())?;
        }
        let mesh = self.registrar.template().mesh().with_vertices(positions).map_err(|e| e.to_string())?;
        match errors.filter(|_| self.args.expected_error) {
            Some(errors) => io::write_ply_with_scalar(file, &mesh, "expected_error", errors),
            None => io::write_ply(file, &mesh),
        }
        .map_err(|e| e.to_string())
    }
}

/// A line for each scan: the mean, median, 95th percentile and largest of the errors to expect.
fn expected_errors(rows: &[ScanRow], errors: &[Option<Vec<f64>>]) -> String {
    let mut text = "scan,mean,median,p95,largest\n".to_owned();
    for (row, errors) in rows.iter().zip(errors) {
        text += &table::field(&row.scan);
        match errors.as_deref().filter(|e| !e.is_empty()) {
            Some(errors) => {
                let mut sorted = errors.to_vec();
                sorted.sort_by(f64::total_cmp);
                let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
                let mean = errors.iter().sum::<f64>() / errors.len() as f64;
                text += &format!(",{mean:.3},{:.3},{:.3},{:.3}\n", at(0.5), at(0.95), at(1.0));
            }
            None => text += ",,,,\n",
        }
    }
    text
}

/// A line for each scan: triangles on it, how many of them are turned over, the least determinants on the surface and in the disk.
fn one_to_one(rows: &[ScanRow]) -> String {
    let mut text = "scan,covered,turned,least_on_surface,least_in_disk\n".to_owned();
    for row in rows {
        text += &table::field(&row.scan);
        text += &match &row.one_to_one {
            Some(found) => format!(
                ",{},{},{:.4},{:.4}\n",
                found.covered, found.turned, found.least_on_surface, found.least_in_disk
            ),
            None => ",,,,\n".to_owned(),
        };
    }
    text
}
