//! What the commands on scans read and write.

pub(super) use crate::cli::files::{make_folder, refuse_existing};
use crate::cli::of_kind;
use visard::io::Content;
use visard::study::face::TemplateSource;

pub fn scans_help() -> String {
    of_kind("Folders of scans, or scan files, one for each person", Content::Scan)
}

pub fn template_source(name: &str) -> TemplateSource {
    if name == "builtin" { TemplateSource::Builtin } else { TemplateSource::File(name.into()) }
}
