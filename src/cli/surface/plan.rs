//! `visard surface plan`: what to expect of a private mean surface, before any scan is read.

use crate::cli::heading;
use crate::cli::output::{Failure, Printer};
use crate::cli::points::failure;
use crate::cli::points::plan::{self, PlanArgs};
use clap::Args;
use std::path::PathBuf;
use visard::study::Place;
use visard::surface_study::{HARMONICS, SurfaceInputs, SurfacePlan};

/// Arguments of `surface plan`.
#[derive(Debug, Args)]
#[command(
    after_help = "Errors are root mean squares over the template's area, in its units.\n\nExamples:\n  visard surface plan --template atlas.ply --n 100 400 --mu 0.5 1\n  visard surface plan --template atlas.ply --spread 5 --distance 2 --mu 1 --want 0.5"
)]
pub struct SurfacePlanArgs {
    /// Public template: a mesh that is a disk or closed, without handles.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "MESH")]
    template: PathBuf,
    /// Public radius, in units of the template, as for `surface mean` (default: a tenth of the square root of its area)
    #[arg(long, help_heading = heading::RELEASE, value_name = "F", allow_negative_numbers = true)]
    radius: Option<f64>,
    /// How many harmonics of the template are looked at
    #[arg(long, help_heading = heading::RELEASE, value_name = "K", default_value_t = HARMONICS)]
    harmonics: usize,
    /// Public surfaces that replace the template as centre and prior, as for `surface mean`; the simulated surfaces then differ as these do.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "FILE|RELEASE")]
    prior: Option<PathBuf>,
    #[command(flatten)]
    plan: PlanArgs,
}

/// Runs the command.
pub fn run(args: &SurfacePlanArgs, printer: &Printer) -> Result<(), Failure> {
    let inputs = SurfaceInputs {
        radius: args.radius,
        harmonics: args.harmonics,
        prior: args.prior.clone(),
        ..SurfaceInputs::new(Vec::new(), &args.template, Place::new("."))
    };
    let surfaces = SurfacePlan::open(&inputs).map_err(failure)?;
    let made = |asked: &_| surfaces.means(asked);
    plan::run(("surface mean", &|_| None), &args.plan, None, surfaces.guess(), made, printer)
}
