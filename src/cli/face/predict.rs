//! `visard face predict`: a face at given values of the covariates, or one that grows, from a release alone.

use super::files::{make_folder, refuse_existing, template_source};
use crate::cli::Global;
use crate::cli::answer::shown;
use crate::cli::output::{Failure, Printer};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::io::{write_bytes, write_ply};
use visard::mesh::TriMesh;
use visard::report::animation::{Animation, animate};
use visard::study::face::regress::RegressionRelease;

/// Arguments of `face predict`.
#[derive(Debug, Args)]
#[command(
    after_help = "Covariates that are not named are in the middle of their bounds, or between their levels. Costs no privacy: it looks at the release alone.\n\nExample:\n  visard face predict study --at age=8,sex=M --out face.ply\n  visard face predict study/release --along age --turntable growth.gif"
)]
pub struct PredictArgs {
    /// The folder of a regression's release, or of its study
    #[arg(value_name = "RELEASE")]
    release: PathBuf,
    /// Values of covariates, as in "age=8,sex=M"
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    at: Vec<String>,
    /// The face at these values, as a mesh
    #[arg(long, value_name = "FILE.ply", required_unless_present = "along")]
    out: Option<PathBuf>,
    /// The covariate along which the face changes, from its lower bound to its upper one and back
    #[arg(long, value_name = "NAME", requires = "turntable")]
    along: Option<String>,
    /// File for the animation; the head turns a little
    #[arg(long, value_name = "FILE.gif", requires = "along")]
    turntable: Option<PathBuf>,
    /// Side of the picture in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 320, value_parser = clap::value_parser!(u16).range(64..=1024))]
    size: u16,
    /// The public template of the release: a mesh file, or "builtin".
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, value_name = "FILE|builtin", default_value = "builtin")]
    template: String,
}

/// A face at values of the covariates.
#[derive(Serialize, JsonSchema)]
pub struct Predicted {
    /// Whether the release is private.
    private: bool,
    /// The error to expect of it, by the noise alone, on a face of area 1.
    error_rms: f64,
    /// The mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<String>,
    /// The animation.
    #[serde(skip_serializing_if = "Option::is_none")]
    turntable: Option<String>,
}

/// Frames from one end to the other.
const FRAMES: usize = 24;

/// Runs `face predict`.
pub fn run(args: &PredictArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    for file in args.out.iter().chain(&args.turntable) {
        refuse_existing(file, global)?;
    }
    let release =
        RegressionRelease::open(&args.release, &template_source(&args.template)).map_err(Failure::failed)?;
    let values = release.design().values(&args.at).map_err(Failure::usage)?;
    let found = release.at(&values).map_err(Failure::failed)?;
    let private = release.certificate().private;
    let mut said = Predicted { private, error_rms: found.rms, out: None, turntable: None };
    let mut text = format!(
        "expected error {:.2} mm on a face of 20 cm (root mean square, noise only){}",
        200.0 * found.rms,
        if private { "" } else { "; NOT PRIVATE: do not publish" }
    );
    if let Some(file) = &args.out {
        file.parent().map_or(Ok(()), make_folder)?;
        write_ply(file, &found.mesh).map_err(Failure::failed)?;
        said.out = Some(shown(file));
        text = format!("{}\n{text}", file.display());
    }
    if let (Some(name), Some(file)) = (&args.along, &args.turntable) {
        let faces = along(&release, &values, name)?;
        let pixels = usize::from(args.size);
        let bytes =
            animate(&faces, &Animation { pixels, ..Animation::default() }).map_err(Failure::failed)?;
        write_bytes(file, &bytes).map_err(Failure::failed)?;
        said.turntable = Some(shown(file));
        text = format!("{}\n{text}", file.display());
    }
    printer.result(said, text);
    Ok(())
}

/// The faces from one end of a covariate to the other.
fn along(release: &RegressionRelease, values: &[Option<f64>], name: &str) -> Result<Vec<TriMesh>, Failure> {
    let covariates = release.design().covariates();
    let place = covariates.iter().position(|covariate| covariate.name == name);
    let Some(i) = place else {
        let known: Vec<&str> = covariates.iter().map(|c| c.name.as_str()).collect();
        return Err(Failure::usage(format!("--along {name}: the release has {}", known.join(", "))));
    };
    let (lower, upper) = covariates[i].bounds().unwrap_or((-1.0, 1.0));
    let face = |frame: usize| {
        let mut at = values.to_vec();
        at[i] = Some(lower + (upper - lower) * frame as f64 / (FRAMES - 1) as f64);
        release.at(&at).map(|found| found.mesh).map_err(Failure::failed)
    };
    (0..FRAMES).map(face).collect()
}
