//! `visard face sample`: synthetic faces from a release.

use super::files::{make_folder, refuse_existing, template_source};
use crate::cli::Global;
use crate::cli::answer::{Sample, shown};
use crate::cli::output::{Failure, Printer};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::norm::sample::{FIDELITY, MOST_FACES, SampleRequest, Sampled, sample};
use visard::study::layout::CURVES;

/// Arguments of `face sample`.
#[derive(Debug, Args)]
#[command(
    after_help = "Costs no privacy: reads the release alone. fidelity.json says what the faces are good for.\n\nExample:\n  visard face sample study/release --n 100 --out synthetic"
)]
pub struct SampleArgs {
    /// The folder of a release of `face modes`, or of its study
    release: PathBuf,
    /// Number of synthetic faces
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_FACES as i64))]
    n: u32,
    /// Values of a regression's covariates, as in "age=8,sex=M"; the others are drawn evenly from their bounds or levels
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    at: Vec<String>,
    /// Folder for the faces
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The public template of the release: a mesh file, or "builtin".
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, value_name = "FILE|builtin", default_value = "builtin")]
    template: String,
}

/// Runs `face sample`.
pub fn run(args: &SampleArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    refuse_existing(&args.out.join(CURVES), global)?;
    let is_new = !args.out.exists();
    make_folder(&args.out)?;
    let request = SampleRequest {
        release: args.release.clone(),
        count: args.n as usize,
        at: args.at.clone(),
        out: args.out.clone(),
        template: template_source(&args.template),
        // Which sample it is tells nothing: all of it is made of the release.
        seed: global.seed.unwrap_or(1),
    };
    let sampled = sample(&request).map_err(|error| {
        // An empty folder is not left behind.
        if is_new {
            let _ = std::fs::remove_dir(&args.out);
        }
        Failure::failed(error)
    })?;
    printer.result(
        SampledFaces {
            sample: Sample::of(&args.out, args.n.into(), request.seed),
            curves: shown(&args.out.join(CURVES)),
            fidelity: shown(&args.out.join(FIDELITY)),
            smoothed: sampled.smoothed,
            drawn_covariates: sampled.drawn_covariates.clone(),
        },
        format!(
            "{} synthetic faces, none of a person, drawn from the release: free, nothing was charged{}\n  what they are good for: {}\n  {}",
            args.n,
            remarks(&sampled),
            args.out.join(FIDELITY).display(),
            args.out.display()
        ),
    );
    Ok(())
}

/// Synthetic faces.
#[derive(Serialize, JsonSchema)]
pub struct SampledFaces {
    #[serde(flatten)]
    sample: Sample,
    /// Their curves, as one array.
    curves: String,
    /// What they are good for.
    fidelity: String,
    /// How many folded and were made smoother.
    smoothed: usize,
    /// Covariates that were drawn, since their values were not given.
    drawn_covariates: Vec<String>,
}

/// What was chosen without being asked for.
fn remarks(sampled: &Sampled) -> String {
    let mut said = String::new();
    if !sampled.drawn_covariates.is_empty() {
        said += &format!(
            "\n  drawn evenly, since --at does not name them: {}",
            sampled.drawn_covariates.join(", ")
        );
    }
    if sampled.smoothed > 0 {
        said += &format!("\n  made smoother, since their surface folded: {}", sampled.smoothed);
    }
    said
}
