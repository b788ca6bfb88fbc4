//! `visard surface`: surfaces of any kind, about a public template that is a disk or closed.

mod assess;
mod flatten;
mod plan;
mod sample;

use super::answer::{Answers, Own, Release, places, shown};
use super::assessed::Assessed;
use super::budget::{BudgetArgs, CountingArgs, PlaceArgs, UnusableArgs};
use super::extract::{self, ExtractAnswer, ExtractArgs};
use super::face::flatten::Flattened;
use super::files::{make_folder, refuse_existing};
use super::output::{Failure, Printer};
use super::points::failure;
use super::points::plan::{PlanRow, PointPlanned, RecordsNeeded};
use super::tangent::{self, KindArgs, RegressArgs, Statistics, counted, note};
use super::{Global, heading, of_kind};
use clap::{Args, Subcommand};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use visard::conformal::{Quality, SphereQuality};
use visard::io::{Content, list_scans};
use visard::norm::surface_assess::SurfaceAssessment;
use visard::report::colour::short;
use visard::study::Place;
use visard::study::points::PointAccuracy;
use visard::study::tangent::{FoundMean, MeanStatistic, TangentInputs, TangentOutcome, run_mean};
use visard::surface::any::SurfaceSettings;
use visard::surface_study::{HARMONICS, RegisterSettings, SurfaceInputs, SurfaceRow, register_all};

/// Commands on surfaces of any kind.
#[derive(Debug, Subcommand)]
pub enum SurfaceCommand {
    /// From scans, or surfaces registered elsewhere, to a private mean surface
    Mean(Box<SurfaceMeanArgs>),
    #[command(flatten)]
    Statistics(Statistics<SurfaceArgs>),
    /// From labelled volumes to surfaces in mm; charges nothing
    Extract(ExtractArgs),
    /// Expected error of a private mean surface; reads no scans, costs nothing
    Plan(plan::SurfacePlanArgs),
    /// Dense correspondence of scans with a template; charges nothing
    Register(RegisterArgs),
    /// Hold a patient's surface against a released norm; costs nothing, never a diagnosis
    Assess(assess::SurfaceAssessArgs),
    /// Synthetic surfaces, drawn from a release of modes; costs nothing
    Sample(sample::SurfaceSampleArgs),
    /// Map a closed surface conformally onto the unit sphere, or a disk onto the unit disk
    Flatten(flatten::SurfaceFlattenArgs),
    /// Which scans could be registered, and what is wrong with the others; writes and charges nothing
    Check(CheckArgs),
}

/// How scans are registered
#[derive(Debug, Args)]
struct MakingArgs {
    /// Public template: a mesh that is a disk or closed, without handles. Marks beside it (NAME.landmarks.csv, or Slicer's files), and the same
    /// beside the scans, fix their pose.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "MESH")]
    template: PathBuf,
    /// Take scans that only fit as mirror images, mirrored; otherwise they cannot be used
    #[arg(long, help_heading = heading::REGISTRATION)]
    allow_mirrored: bool,
}

impl MakingArgs {
    fn settings(&self) -> SurfaceSettings {
        SurfaceSettings { allow_mirrored: self.allow_mirrored, ..SurfaceSettings::default() }
    }
}

fn scans_help() -> String {
    of_kind("Folders of scans, or scan files, one for each person", Content::Scan)
}

/// Surfaces, and what is known of them in advance
#[derive(Debug, Args)]
pub struct SurfaceArgs {
    #[command(flatten)]
    budget: BudgetArgs,
    #[arg(value_name = "SCAN_OR_DIR", required_unless_present = "prepared", help = scans_help())]
    scans: Vec<PathBuf>,
    /// Records registered elsewhere, instead of scans: the template's vertices, in its order and frame, as an NPY array (n, vertices, 3) or a
    /// Parquet file of one column with a list of as many numbers in each row
    #[arg(long, help_heading = heading::RECORDS, value_name = "FILE", conflicts_with = "scans")]
    prepared: Option<PathBuf>,
    #[command(flatten)]
    making: MakingArgs,
    /// Public radius: how far records may lie from the template (or the mean of --prior), root mean square over its area, in its units (default: a tenth of the square
    /// root of its area); records beyond it are clipped to it
    #[arg(long, help_heading = heading::RELEASE, value_name = "F", allow_negative_numbers = true)]
    radius: Option<f64>,
    /// How many harmonics of the template are looked at; detail beyond them stays that of the template
    #[arg(long, help_heading = heading::RELEASE, value_name = "K", default_value_t = HARMONICS)]
    harmonics: usize,
    #[command(flatten)]
    unusable: UnusableArgs,
    #[command(flatten)]
    counting: CountingArgs,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Arguments of `surface mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard surface mean livers/ --template atlas.ply --mu 1 --out study\n  visard surface mean --prepared registered.npy --template atlas.ply --radius 8 --mu 1 --out study"
)]
pub struct SurfaceMeanArgs {
    #[command(flatten)]
    records: SurfaceArgs,
    /// Public surfaces that replace the template as centre and prior: a file as --prepared takes, or the folder of an
    /// earlier private release. Never the study's own records.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "FILE|RELEASE")]
    prior: Option<PathBuf>,
    /// Refuse where records or budget are too small for a private radius, instead of a public one
    #[arg(long, help_heading = heading::RELEASE)]
    private_radius: bool,
    /// Also release a 95 % confidence band for the population's mean: at every vertex at once, sampling and privacy noise together
    #[arg(long, help_heading = heading::STATISTIC)]
    band: bool,
}

/// Arguments of `surface register`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  visard surface register livers/ --template atlas.ply --out registered")]
pub struct RegisterArgs {
    #[arg(value_name = "SCAN_OR_DIR", required = true, help = scans_help())]
    scans: Vec<PathBuf>,
    #[command(flatten)]
    making: MakingArgs,
    /// Folder for the registered meshes and registration.csv
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Arguments of `surface check`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  visard surface check livers/ --template atlas.ply")]
pub struct CheckArgs {
    #[arg(value_name = "SCAN_OR_DIR", required = true, help = scans_help())]
    scans: Vec<PathBuf>,
    #[command(flatten)]
    making: MakingArgs,
}

/// Runs a command on surfaces.
pub fn run(command: &SurfaceCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    match command {
        SurfaceCommand::Mean(args) => mean(args, global, printer),
        SurfaceCommand::Statistics(statistic) => statistic.run(global, printer),
        SurfaceCommand::Extract(args) => extract::run(args, global, printer),
        SurfaceCommand::Plan(args) => plan::run(args, printer),
        SurfaceCommand::Assess(args) => assess::run(args, global, printer),
        SurfaceCommand::Sample(args) => sample::run(args, global, printer),
        SurfaceCommand::Register(args) => register(args, global, printer),
        SurfaceCommand::Flatten(args) => flatten::run(args, global, printer),
        SurfaceCommand::Check(args) => {
            let scans = list_scans(&args.scans).map_err(Failure::failed)?;
            let rows = registered(scans, &args.making, None, printer)?;
            let failed = rows.iter().filter(|row| !row.problem.is_empty()).count();
            let registered = rows.len() - failed;
            printer.own_result(
                CheckedSurfaces { people: rows.len(), registered, failed },
                format!("{registered} of {} scans can be registered; nothing was charged", rows.len()),
            );
            Ok(())
        }
    }
}

impl SurfaceArgs {
    fn surfaces(&self, global: &Global) -> Result<SurfaceInputs, Failure> {
        let place = Place { asked: self.budget.loss().ok(), ..self.place.place(global)? };
        Ok(SurfaceInputs {
            prepared: self.prepared.clone(),
            radius: self.radius,
            harmonics: self.harmonics,
            registration: self.making.settings(),
            unusable: self.unusable.rule(),
            counting: self.counting.counting(),
            ..SurfaceInputs::new(self.scans.clone(), &self.making.template, place)
        })
    }
}

impl KindArgs for SurfaceArgs {
    const COMMAND: &'static str = "surface";
    const RECORDS: &'static str = "surfaces";
    const EXAMPLE: &'static str = "livers/ --template atlas.ply";
    type Covariates = RegressArgs;

    fn inputs(&self, global: &Global) -> Result<TangentInputs, Failure> {
        Ok(self.surfaces(global)?.into())
    }

    fn budget(&self) -> &BudgetArgs {
        &self.budget
    }
}

fn mean(args: &SurfaceMeanArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let inputs = SurfaceInputs { prior: args.prior.clone(), ..args.records.surfaces(global)? }.into();
    let SurfaceMeanArgs { private_radius, band, .. } = *args;
    let statistic = MeanStatistic { budget: args.records.budget.mu()?, band, private_radius };
    let outcome = run_mean(&inputs, statistic).map_err(failure)?;
    note(&outcome, printer);
    let TangentOutcome { folder, certificate, found, .. } = &outcome;
    let FoundMean { accuracy, sentence, .. } = found;
    let text = format!(
        "{} of {}, {}\n  {sentence}{}\n{}",
        if certificate.private { "private mean" } else { "mean (NOT PRIVATE)" },
        counted(&outcome),
        certificate.loss,
        found.band_half_width().map(band_text).unwrap_or_default(),
        places(folder, certificate)
    );
    let findings = SurfaceMean { accuracy: *accuracy, band: found.band_half_width() };
    printer.result(Release::of(folder, certificate, findings), text);
    Ok(())
}

/// A mean surface.
#[derive(Serialize, JsonSchema)]
pub struct SurfaceMean {
    /// How far the release is expected to lie from the mean without noise, beside what else might be published.
    accuracy: PointAccuracy,
    /// Half the width of the band, on average.
    band: Option<f64>,
}

/// Surfaces that were tried: nothing was charged.
#[derive(Serialize, JsonSchema)]
pub struct CheckedSurfaces {
    people: usize,
    /// How many can be registered.
    registered: usize,
    /// How many cannot.
    failed: usize,
}

/// Surfaces that were registered.
#[derive(Serialize, JsonSchema)]
pub struct RegisteredSurfaces {
    /// Their folder.
    out: String,
    /// How many were registered.
    registered: usize,
    /// How many could not be.
    failed: usize,
}

/// The band, in words.
fn band_text(half_width: f64) -> String {
    format!(
        "\n  95 % band for the population's mean, on average: {} to either side in each coordinate",
        short(half_width)
    )
}

fn register(args: &RegisterArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let scans = list_scans(&args.scans).map_err(Failure::failed)?;
    refuse_existing(&args.out.join("registration.csv"), global)?;
    let mut stems = HashSet::new();
    for scan in &scans {
        let stem = scan.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let file = args.out.join(format!("{stem}.registered.ply"));
        refuse_existing(&file, global)?;
        if !stems.insert(stem) {
            return Err(Failure::failed(format!("{} would be written twice", file.display()))
                .with_hint("scans of the same name need separate runs"));
        }
    }
    make_folder(&args.out)?;
    let rows = registered(scans, &args.making, Some(&args.out), printer)?;
    let (all, out) = (rows.len(), &args.out);
    let failed = rows.iter().filter(|row| !row.problem.is_empty()).count();
    printer.own_result(
        RegisteredSurfaces { out: shown(out), registered: all - failed, failed },
        format!("{} of {all} scans registered: {}", all - failed, out.display()),
    );
    match failed {
        0 => Ok(()),
        _ => Err(Failure::failed(format!("{failed} of {all} scans could not be registered"))),
    }
}

/// Registers scans and says what went wrong.
fn registered(
    scans: Vec<PathBuf>,
    making: &MakingArgs,
    out: Option<&Path>,
    printer: &Printer,
) -> Result<Vec<SurfaceRow>, Failure> {
    let settings = RegisterSettings {
        scans,
        template: making.template.clone(),
        registration: making.settings(),
        out: out.map(Path::to_owned),
    };
    let found = register_all(&settings).map_err(failure)?;
    let failed = found.rows.iter().filter(|row| !row.problem.is_empty());
    failed.for_each(|row| printer.note(format!("error: {}: {}", row.scan, row.problem)));
    printer.remarks(&found.notes);
    Ok(found.rows)
}

/// What these commands answer.
pub fn answers(all: &mut Answers) {
    all.add_study::<SurfaceMean>("surface mean");
    tangent::answers("surface", all);
    all.add::<sample::SampledSurfaces>("surface sample");
    all.add::<Own<Assessed<SurfaceAssessment>>>("surface assess");
    all.add::<Vec<PlanRow<PointPlanned>>>("surface plan");
    all.add::<Vec<RecordsNeeded>>("surface plan");
    all.add::<Flattened<Quality>>("surface flatten");
    all.add::<Flattened<SphereQuality>>("surface flatten");
    all.add::<Own<RegisteredSurfaces>>("surface register");
    all.add::<Own<CheckedSurfaces>>("surface check");
    all.add::<Own<ExtractAnswer>>("surface extract");
}
