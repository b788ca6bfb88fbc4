//! What commands write without a study's folder.

use super::global::Global;
use super::output::Failure;
use std::path::Path;

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
