//! What the commands on scans read and write.

use crate::cli::output::Failure;
use crate::cli::{Global, of_kind};
use std::path::Path;
use visard::io::Content;
use visard::study::face::TemplateSource;

pub fn scans_help() -> String {
    of_kind("Folders of scans, or scan files, one for each person", Content::Scan)
}

pub fn template_source(name: &str) -> TemplateSource {
    if name == "builtin" { TemplateSource::Builtin } else { TemplateSource::File(name.into()) }
}

pub(super) fn make_folder(out: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(out)
        .map_err(|e| Failure::failed(format!("cannot prepare {}: {e}", out.display())))
}

pub(super) fn refuse_existing(file: &Path, global: &Global) -> Result<(), Failure> {
    if file.exists() && !global.force {
        return Err(Failure::failed(format!("{} exists", file.display()))
            .with_hint("choose another --out, or --force to replace it"));
    }
    Ok(())
}
