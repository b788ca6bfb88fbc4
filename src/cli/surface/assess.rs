//! `visard surface assess`: a surface held against a released norm.

use crate::cli::assessed::{kept_apart, said};
use crate::cli::output::{Failure, Printer};
use crate::cli::points::failure;
use crate::cli::{Global, heading};
use clap::Args;
use std::path::PathBuf;
use visard::norm::map::{MAP, MAP_TABLE};
use visard::norm::surface_assess::{SurfaceAssessRequest, assess_surface};
use visard::surface::any::SurfaceSettings;

/// Arguments of `surface assess`.
#[derive(Debug, Args)]
#[command(
    after_help = "Costs no privacy: of the norm's people, it looks at the release alone. The result is the patient's: keep it under internal/. Never a diagnosis.\n\nExample:\n  visard surface assess liver.ply --norm growth --template atlas.ply --at age=40 --out patient"
)]
pub struct SurfaceAssessArgs {
    /// The scan: a mesh
    #[arg(value_name = "SCAN", required_unless_present = "prepared", conflicts_with = "prepared")]
    scan: Option<PathBuf>,
    /// A surface registered elsewhere instead: an array (1, vertices, 3) of the template's vertices
    #[arg(long, value_name = "FILE.npy")]
    prepared: Option<PathBuf>,
    /// The folder of a release with modes (of `surface modes` or `surface regress --residuals`), or of its study
    #[arg(long, value_name = "RELEASE")]
    norm: PathBuf,
    /// The public template of the release.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, value_name = "MESH")]
    template: PathBuf,
    /// The values of all covariates of a regression, as in "age=40,sex=F"
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    at: Vec<String>,
    /// Folder for the results, in internal/ there; not in a study's folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Take a scan that only fits as a mirror image, mirrored; otherwise it is refused
    #[arg(long, help_heading = heading::REGISTRATION)]
    allow_mirrored: bool,
}

/// Runs `surface assess`.
pub fn run(args: &SurfaceAssessArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let internal = kept_apart(&args.out, &[MAP, MAP_TABLE], global)?;
    let request = SurfaceAssessRequest {
        // One of both is given.
        scan: args.prepared.as_ref().or(args.scan.as_ref()).cloned().unwrap_or_default(),
        prepared: args.prepared.is_some(),
        release: args.norm.clone(),
        template: args.template.clone(),
        registration: SurfaceSettings { allow_mirrored: args.allow_mirrored, ..SurfaceSettings::default() },
        at: args.at.clone(),
        out: args.out.clone(),
    };
    let (found, verified) = assess_surface(&request).map_err(failure)?;
    said(&found, &found.compared, &found.notes, (verified, &internal), printer);
    Ok(())
}
