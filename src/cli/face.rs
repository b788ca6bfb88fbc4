//! `visard face`: private mean, flattening, dense correspondence.

use super::Global;
use super::budget::BudgetArgs;
use super::output::{Failure, Printer};
use super::progress::Bar;
use clap::{Args, Subcommand, ValueEnum};
use rayon::prelude::*;
use serde_json::json;
use std::path::{Path, PathBuf};
use visard::conformal::{Quality, disk_map};
use visard::io;
use visard::mesh::{DiskMesh, RepairSettings, TriMesh, make_disk};
use visard::privacy::{ClipRadius, ClipSource};
use visard::study::FolderError;
use visard::study::face::record::{ScanRow, landmark_file, prepare_scan, register_scan};
use visard::study::face::{
    ClipChoice, FaceMechanism, FaceStudySettings, Outcome, Registration, StudyError, TemplateSource,
    load_template, run as run_study,
};

/// Commands on face scans.
#[derive(Debug, Subcommand)]
pub enum FaceCommand {
    /// From a folder of scans to a private average face
    Mean(Box<MeanArgs>),
    /// Map a face mesh conformally onto the unit disk
    Flatten(FlattenArgs),
    /// Put scans into dense correspondence with a template mesh
    Register(RegisterArgs),
}

/// Arguments of `face mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard face mean scans/ --mu 3 --out study\n  visard face mean scans/ --epsilon 2 --delta 1e-6 --out study --resume"
)]
pub struct MeanArgs {
    /// Scan files, or folders of scans: one scan per person
    #[arg(value_name = "SCAN_OR_DIR", required = true)]
    scans: Vec<PathBuf>,
    #[command(flatten)]
    budget: BudgetArgs,
    /// The study's folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    shape: ShapeArgs,
    /// Continue an interrupted run: finished scans are not processed again
    #[arg(long)]
    resume: bool,
}

/// What shapes the records and the release.
#[derive(Debug, Clone, Args)]
pub struct ShapeArgs {
    /// Public template face: a mesh file, or "builtin"
    #[arg(long, value_name = "FILE|builtin", default_value = "builtin")]
    pub template: String,
    /// Number of face radial curves
    #[arg(long, value_name = "J", default_value_t = 23)]
    pub curves: usize,
    /// Samples on each curve
    #[arg(long, value_name = "M", default_value_t = 80)]
    pub samples: usize,
    /// How scans are registered to the template
    #[arg(long, value_enum, default_value_t = Registration::Elastic)]
    pub registration: Registration,
    /// Clip radius: a public number chosen without looking at the scans, or "private": estimated from them and paid for
    #[arg(long, value_name = "F|private", allow_negative_numbers = true)]
    pub clip_radius: Option<String>,
    /// Which private mean
    #[arg(long, value_enum, default_value_t = MechanismName::Joint)]
    pub mechanism: MechanismName,
    /// Keep this much around the nose tip of a bust, in units of the template (default: the template's own reach)
    #[arg(long, value_name = "F")]
    pub crop_radius: Option<f64>,
    /// Refuse releases beyond this total mu of the study's ledger, now and in later runs
    #[arg(long, value_name = "F")]
    pub ceiling_mu: Option<f64>,
}

/// The mechanisms by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MechanismName {
    /// All curves at once around the template; the least noise
    Joint,
    /// Curve by curve with matched noise
    Curves,
    /// As published; not private unless --clip-radius is given
    Paper,
    /// Noise on every coordinate; not private unless --clip-radius is given
    Pointwise,
    /// The mean without noise, under internal/ only
    None,
}

impl From<MechanismName> for FaceMechanism {
    fn from(name: MechanismName) -> Self {
        match name {
            MechanismName::Joint => FaceMechanism::Joint,
            MechanismName::Curves => FaceMechanism::Curves,
            MechanismName::Paper => FaceMechanism::Paper,
            MechanismName::Pointwise => FaceMechanism::Pointwise,
            MechanismName::None => FaceMechanism::None,
        }
    }
}

/// Arguments of `face flatten`.
#[derive(Debug, Args)]
#[command(
    after_help = "The map is centred: the surface's area is balanced around 0, and the first vertex of the file that lies on the border is at 1. Rows of disk_map.npy are in the order of the file's vertices.\n\nExample:\n  visard face flatten face.ply --out flat\n  visard face flatten scan.ply --repair --out flat"
)]
pub struct FlattenArgs {
    /// A mesh that is a disk: one piece, one border, no handles
    #[arg(value_name = "MESH")]
    mesh: PathBuf,
    /// Folder for disk_map.npy and quality.json
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Make the mesh a disk first: fill holes, drop debris, cut handles. Vertices dropped on the way get NaN rows
    #[arg(long)]
    repair: bool,
}

/// Arguments of `face register`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  visard face register scans/ --template template.ply --out registered")]
pub struct RegisterArgs {
    /// Scan files, or folders of scans
    #[arg(value_name = "SCAN_OR_DIR", required = true)]
    scans: Vec<PathBuf>,
    /// The template mesh whose vertices are looked for on every scan, or "builtin"
    #[arg(long, value_name = "MESH|builtin", default_value = "builtin")]
    template: String,
    /// Folder for the registered meshes and registration.csv
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Landmarks of the scan (one scan only); the nose tip is used
    #[arg(long, value_name = "FILE")]
    landmarks: Option<PathBuf>,
    /// How scans are registered to the template
    #[arg(long, value_enum, default_value_t = Registration::Elastic)]
    registration: Registration,
    /// Keep this much around the nose tip of a bust, in units of the template
    #[arg(long, value_name = "F")]
    crop_radius: Option<f64>,
}

/// Runs a face command.
pub fn run(command: &FaceCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    match command {
        FaceCommand::Mean(args) => face_mean(args, global, printer),
        FaceCommand::Flatten(args) => flatten(args, global, printer),
        FaceCommand::Register(args) => register(args, global, printer),
    }
}

fn template_source(name: &str) -> TemplateSource {
    if name == "builtin" { TemplateSource::Builtin } else { TemplateSource::File(name.into()) }
}

/// `--clip-radius`: absent, a number, or "private".
fn clip_choice(text: Option<&str>) -> Result<ClipChoice, Failure> {
    match text {
        None => Ok(ClipChoice::Default),
        Some("private") => Ok(ClipChoice::Private),
        Some(text) => {
            let number: f64 = text.parse().map_err(|_| {
                Failure::usage(format!("--clip-radius {text:?} is neither a number nor \"private\""))
            })?;
            ClipRadius::new(number, ClipSource::Public).map(ClipChoice::Public).map_err(Failure::usage)
        }
    }
}

/// The study's settings from the command line.
pub fn study_settings(
    inputs: Vec<PathBuf>,
    out: &Path,
    budget: &BudgetArgs,
    shape: &ShapeArgs,
    global: &Global,
) -> Result<FaceStudySettings, Failure> {
    let mechanism = FaceMechanism::from(shape.mechanism);
    let budget = match mechanism {
        FaceMechanism::None if budget.is_empty() => None,
        FaceMechanism::None => {
            return Err(Failure::usage("--mechanism none takes no budget: nothing private is released"));
        }
        _ => Some(budget.mu()?),
    };
    let clip = clip_choice(shape.clip_radius.as_deref())?;
    let positive = |x: Option<f64>, name: &str| match x {
        Some(x) if !(x > 0.0 && x.is_finite()) => {
            Err(Failure::usage(format!("{name} must be a positive number")))
        }
        x => Ok(x),
    };
    let ceiling = shape.ceiling_mu.map(visard::privacy::Mu::new).transpose().map_err(Failure::usage)?;
    if shape.curves < 2 || shape.samples < 8 || shape.curves * shape.samples > 1_000_000 {
        return Err(Failure::usage(
            "a face needs at least 2 curves of 8 samples (and at most a million samples)",
        ));
    }
    Ok(FaceStudySettings {
        inputs,
        out: out.to_owned(),
        template: template_source(&shape.template),
        curves: shape.curves,
        samples: shape.samples,
        registration: shape.registration,
        crop_radius: positive(shape.crop_radius, "--crop-radius")?,
        mechanism,
        budget,
        clip_radius: clip,
        seed: global.seed,
        ceiling,
        resume: false,
        replace: global.force,
    })
}

fn face_mean(args: &MeanArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let mut settings = study_settings(args.scans.clone(), &args.out, &args.budget, &args.shape, global)?;
    settings.resume = args.resume;
    let outcome = run_with_progress(&settings)?;
    report(&outcome, printer);
    Ok(())
}

/// Runs a study with a progress bar, turning its errors into advice.
pub fn run_with_progress(settings: &FaceStudySettings) -> Result<Outcome, Failure> {
    let bar = Bar::new();
    let result = run_study(settings, &|event| bar.show(&event));
    bar.finish();
    result.map_err(|error| {
        let failure = Failure::failed(&error);
        match error {
            StudyError::Folder(FolderError::HasRelease(_)) => failure
                .with_hint("choose another --out, or --force to replace it (the ledger keeps every charge)"),
            StudyError::NoneProcessed(_) => failure.with_hint("nothing was charged and nothing released"),
            _ => failure,
        }
    })
}

/// What the data holder is told.
pub fn report(outcome: &Outcome, printer: &Printer) {
    let root = outcome.folder.root();
    let release = outcome.folder.release();
    if outcome.failed > 0 {
        eprintln!(
            "note: {} of {} scans could not be processed and count as the template (reasons: {})",
            outcome.failed,
            outcome.scans,
            outcome.folder.internal().join("scans.csv").display()
        );
    }
    let Some(released) = &outcome.released else {
        printer.result(
            json!({"out": root, "internal": outcome.folder.internal(), "n": outcome.scans, "released": false}),
            format!("non-private mean of {} scans: {}", outcome.scans, outcome.folder.internal().display()),
        );
        return;
    };
    let private = released.price.loss.is_private() && !released.seeded;
    printer.result(
        json!({
            "out": root,
            "release": release,
            "report": release.join("report.html"),
            "n": outcome.scans,
            "mechanism": released.price.mechanism,
            "mu": released.price.mu,
            "private": private,
        }),
        format!(
            "{} of {} faces, {}\n  publish:     {}\n  look first:  {}\n  keep secret: {}",
            if private { "private average" } else { "average (NOT PRIVATE)" },
            outcome.scans,
            released.price.loss,
            release.display(),
            release.join("report.html").display(),
            outcome.folder.internal().display()
        ),
    );
}

fn make_folder(out: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(out)
        .map_err(|e| Failure::failed(format!("cannot prepare {}: {e}", out.display())))
}

fn refuse_existing(file: &Path, global: &Global) -> Result<(), Failure> {
    if file.exists() && !global.force {
        return Err(Failure::failed(format!("{} exists", file.display()))
            .with_hint("choose another --out, or --force to replace it"));
    }
    Ok(())
}

fn flatten(args: &FlattenArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let (map_file, quality_file) = (args.out.join("disk_map.npy"), args.out.join("quality.json"));
    refuse_existing(&map_file, global)?;
    refuse_existing(&quality_file, global)?;
    let name = args.mesh.display();
    let scan = io::read_scan(&args.mesh).map_err(Failure::failed)?;
    let vertices = scan.vertices.len();
    let triangles = scan.triangles.ok_or_else(|| {
        Failure::failed(format!("{name}: a bare point cloud; flattening needs a mesh with triangles"))
    })?;
    let mesh = TriMesh::new(scan.vertices, triangles).map_err(|e| Failure::failed(format!("{name}: {e}")))?;
    let (disk, source) = match DiskMesh::try_new(mesh.clone()) {
        Ok(disk) => (disk, (0..vertices).map(Some).collect()),
        Err(error) if !args.repair => {
            return Err(Failure::failed(format!("{name}: {error}"))
                .with_hint("--repair fills holes, drops debris and cuts small handles first"));
        }
        Err(_) => {
            let repaired = make_disk(mesh, None, &RepairSettings::default())
                .map_err(|e| Failure::failed(format!("{name}: {e}")))?;
            eprintln!("note: repaired before flattening: {}", repaired.log);
            let kept = repaired.vertex_source.iter().flatten().collect::<std::collections::HashSet<_>>();
            if kept.len() < vertices {
                eprintln!(
                    "note: {} vertices are not part of the disk; their rows are NaN",
                    vertices - kept.len()
                );
            }
            (repaired.mesh, repaired.vertex_source)
        }
    };
    let start = std::time::Instant::now();
    let map = disk_map(&disk).map_err(|e| Failure::failed(format!("{name}: {e}")))?;
    let seconds = start.elapsed().as_secs_f64();
    let measured = Quality::measure(&disk, &map).map_err(|e| Failure::failed(format!("{name}: {e}")))?;
    // Input vertex order; vertices that repairs dropped have no place in the disk.
    let mut rows = vec![f64::NAN; 2 * vertices];
    for (z, source) in map.z.iter().zip(&source) {
        if let Some(i) = source {
            rows[2 * i] = z.re;
            rows[2 * i + 1] = z.im;
        }
    }
    make_folder(&args.out)?;
    io::write_npy(&map_file, &[vertices, 2], &rows).map_err(Failure::failed)?;
    let mut about = serde_json::to_value(&measured).map_err(Failure::failed)?;
    about["seconds"] = json!(seconds);
    let text = serde_json::to_string_pretty(&about).map_err(Failure::failed)?;
    io::write_bytes(&quality_file, text.as_bytes()).map_err(Failure::failed)?;
    printer.result(
        about,
        format!(
            "{vertices} vertices flattened in {:.1} ms: mean angle distortion {:.3}°, {} flipped triangles\n  {}",
            1e3 * seconds,
            measured.angle_distortion_deg.mean,
            measured.flipped_triangles,
            map_file.display()
        ),
    );
    Ok(())
}

fn register(args: &RegisterArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let scans = io::list_scans(&args.scans).map_err(Failure::failed)?;
    if args.landmarks.is_some() && scans.len() > 1 {
        return Err(Failure::usage(
            "--landmarks belongs to one scan; put <stem>.landmarks.csv beside each instead",
        ));
    }
    let loaded = load_template(&template_source(&args.template)).map_err(Failure::failed)?;
    let template = &loaded.template;
    let table = args.out.join("registration.csv");
    refuse_existing(&table, global)?;
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
    let crop = args.crop_radius.unwrap_or(1.05 * template.reach());
    let rows: Vec<ScanRow> = scans
        .par_iter()
        .zip(&files)
        .map(|(scan, file)| {
            let landmarks = args.landmarks.clone().or_else(|| landmark_file(scan));
            let mut row = ScanRow { scan: scan.display().to_string(), ..ScanRow::default() };
            let positions = prepare_scan(scan, landmarks.as_deref(), template, crop, &mut row)
                .and_then(|prepared| register_scan(&prepared, template, args.registration, &mut row));
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
    let mut text = String::from("scan,status,problem,points,energy_start,energy_end,min_jacobian,seconds\n");
    for row in &rows {
        text.push_str(&format!(
            "\"{}\",{},\"{}\",{},{:.6},{:.6},{:.4},{:.4}\n",
            row.scan.replace('"', "\"\""),
            if row.is_ok() { "ok" } else { "failed" },
            row.problem.replace('"', "\"\""),
            row.points,
            row.energy_start,
            row.energy_end,
            row.min_jacobian,
            row.seconds.iter().sum::<f64>()
        ));
    }
    io::write_bytes(&table, text.as_bytes()).map_err(Failure::failed)?;
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
