//! `visard face register`: dense correspondence of scans with a template.

use super::files::{make_folder, refuse_existing, scans_help, template_source};
use crate::cli::Global;
use crate::cli::of_kind;
use crate::cli::output::{Failure, Printer};
use clap::Args;
use rayon::prelude::*;
use serde_json::json;
use std::path::PathBuf;
use visard::io::{self, Content};
use visard::study::face::load_template;
use visard::study::face::record::{ScanRegistrar, ScanRow, default_crop_radius, landmark_file, table};
use visard::surface::registration::Registration;

/// Arguments of `face register`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  visard face register scans/ --template template.ply --out registered")]
pub struct RegisterArgs {
    #[arg(value_name = "SCAN_OR_DIR", required = true, help = scans_help())]
    scans: Vec<PathBuf>,
    /// The template mesh whose vertices are looked for on every scan, or "builtin"
    #[arg(long, value_name = "MESH|builtin", default_value = "builtin")]
    template: String,
    /// Folder for the registered meshes and registration.csv
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[arg(long, value_name = "FILE", help = landmarks_help())]
    landmarks: Option<PathBuf>,
    /// How scans are registered to the template
    #[arg(long, value_enum, default_value_t = Registration::Elastic)]
    registration: Registration,
    /// Keep this much around the nose tip of a bust, in units of the template
    #[arg(long, value_name = "F")]
    crop_radius: Option<f64>,
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
    let loaded = load_template(&template_source(&args.template)).map_err(Failure::failed)?;
    let template = &loaded.template;
    let csv = args.out.join("registration.csv");
    refuse_existing(&csv, global)?;
    let mut stems = std::collections::HashSet::new();
    let files: Vec<PathBuf> = scans
        .iter()
        .map(|scan| {
            let stem = scan.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let file = args.out.join(format!("{stem}.registered.ply"));
            if !stems.insert(stem) {
                return Err(Failure::failed(format!("{} would be written twice", file.display()))
                    .with_hint("scans of the same name need separate runs"));
            }
            refuse_existing(&file, global).map(|()| file)
        })
        .collect::<Result<_, _>>()?;
    make_folder(&args.out)?;
    let crop = args.crop_radius.unwrap_or_else(|| default_crop_radius(template));
    let registrar = ScanRegistrar::new(template, args.registration, crop).map_err(Failure::failed)?;
    let rows: Vec<ScanRow> = scans
        .par_iter()
        .zip(&files)
        .map(|(scan, file)| {
            let landmarks = args.landmarks.clone().or_else(|| landmark_file(scan));
            let mut row = ScanRow::named(scan.display().to_string());
            let positions = registrar
                .pose(scan, landmarks.as_deref(), &mut row)
                .and_then(|posed| registrar.register(&posed, &mut row));
            let written = positions.map_err(|e| e.to_string()).and_then(|positions| {
                let mesh = template.mesh().with_vertices(positions).map_err(|e| e.to_string())?;
                io::write_ply(file, &mesh).map_err(|e| e.to_string())
            });
            if let Err(problem) = written {
                row.problem = problem;
            }
            row
        })
        .collect();
    io::write_bytes(&csv, table::csv(&rows).as_bytes()).map_err(Failure::failed)?;
    let failed: Vec<&ScanRow> = rows.iter().filter(|r| !r.is_ok()).collect();
    failed.iter().for_each(|row| eprintln!("error: {}: {}", row.scan, row.problem));
    printer.result(
        json!({"out": args.out, "registered": rows.len() - failed.len(), "failed": failed.len()}),
        format!("{} of {} scans registered: {}", rows.len() - failed.len(), rows.len(), args.out.display()),
    );
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failure::failed(format!("{} of {} scans could not be registered", failed.len(), rows.len())))
    }
}
