//! `visard privacy dossier`: what boards and registries ask of a release.

use super::output::{Failure, Printer};
use super::{Global, make_folder, refuse_existing};
use crate::cli::answer::shown;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::io::{write_bytes, write_text};
use visard::study::dossier::Dossier;

/// Arguments of `privacy dossier`.
#[derive(Debug, Args)]
#[command(
    after_help = "The release is verified first. Nothing is charged, and no record is read.\n\nExample:\n  visard privacy dossier study/release --out dossier"
)]
pub struct DossierArgs {
    /// The folder of a release, or of its study
    #[arg(value_name = "RELEASE")]
    release: PathBuf,
    /// Folder for dossier.html, dossier.md and registry.json
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The ledger it was charged to (default: that of the study it lies in)
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
}

/// A dossier that was written.
#[derive(Serialize, JsonSchema)]
pub struct DossierAnswer {
    /// Its folder.
    out: String,
    /// How many sentences a person has to write.
    left_to_a_person: usize,
}

/// Runs the command.
pub fn run(args: &DossierArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let [html, markdown, registry] =
        ["dossier.html", "dossier.md", "registry.json"].map(|f| args.out.join(f));
    for file in [&html, &markdown, &registry] {
        refuse_existing(file, global)?;
    }
    let dossier = Dossier::of(&args.release, args.ledger.as_deref())
        .map_err(|e| Failure::failed(e).with_hint("a release that does not verify gets no dossier"))?;
    make_folder(&args.out)?;
    write_bytes(&html, dossier.to_html().as_bytes()).map_err(Failure::failed)?;
    write_text(&markdown, &dossier.to_markdown()).map_err(Failure::failed)?;
    let entry = serde_json::to_string_pretty(&dossier.registry()).map_err(Failure::failed)?;
    write_text(&registry, &(entry + "\n")).map_err(Failure::failed)?;
    printer.result(
        DossierAnswer { out: shown(&args.out), left_to_a_person: dossier.open() },
        format!("{}\n  left to a person: {} sentences, marked", html.display(), dossier.open()),
    );
    Ok(())
}
