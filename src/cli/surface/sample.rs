//! `visard surface sample`: synthetic surfaces from released modes.

use crate::cli::Global;
use crate::cli::answer::{Sample, shown};
use crate::cli::files::{make_folder, refuse_existing};
use crate::cli::output::{Failure, Printer};
use crate::cli::points::failure;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::norm::surface_sample::{MOST_SURFACES, SURFACES, SurfaceSampleRequest, sample_surfaces};

/// Arguments of `surface sample`.
#[derive(Debug, Args)]
#[command(
    after_help = "Costs no privacy: reads the release and the template. fidelity.json says what the surfaces are good for.\n\nExample:\n  visard surface sample study/release --template atlas.ply --n 100 --out synthetic"
)]
pub struct SurfaceSampleArgs {
    /// The folder of a release with modes (of `surface modes` or `surface regress --residuals`), or of its study
    release: PathBuf,
    /// The public template of the release.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, value_name = "MESH")]
    template: PathBuf,
    /// Number of synthetic surfaces
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_SURFACES as i64))]
    n: u32,
    /// Values of covariates of a regression, as in "age=8"; others are drawn evenly between their bounds, or among their levels
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    at: Vec<String>,
    /// Folder for the surfaces
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Synthetic surfaces.
#[derive(Serialize, JsonSchema)]
pub struct SampledSurfaces {
    #[serde(flatten)]
    sample: Sample,
    /// All of them, as one array.
    surfaces: String,
    /// How many folded and were made smoother.
    smoothed: usize,
}

/// Runs `surface sample`.
pub fn run(args: &SurfaceSampleArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let array = args.out.join(SURFACES);
    refuse_existing(&array, global)?;
    let is_new = !args.out.exists();
    make_folder(&args.out)?;
    let request = SurfaceSampleRequest {
        release: args.release.clone(),
        template: args.template.clone(),
        count: args.n as usize,
        at: args.at.clone(),
        out: args.out.clone(),
        // Which sample it is tells nothing: all of it is made of the release.
        seed: global.seed.unwrap_or(1),
    };
    let (_, smoothed) = sample_surfaces(&request).map_err(|error| {
        // An empty folder is not left behind.
        if is_new {
            let _ = std::fs::remove_dir(&args.out);
        }
        failure(error)
    })?;
    let made_smoother = match smoothed {
        0 => String::new(),
        _ => format!("; {smoothed} folded and were made smoother"),
    };
    printer.result(
        SampledSurfaces {
            sample: Sample::of(&args.out, args.n.into(), request.seed),
            surfaces: shown(&array),
            smoothed,
        },
        format!(
            "{} synthetic surfaces, none of a person, drawn from the release: free, nothing was charged{made_smoother}\n  {}",
            args.n,
            args.out.display()
        ),
    );
    Ok(())
}
