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

/// Scans of another population among them would be counted as its people.
pub(super) fn refuse_other_scans(folder: &Path) -> Result<(), Failure> {
    if folder.read_dir().is_ok_and(|mut all| all.next().is_some()) {
        return Err(Failure::failed(format!("{} is not empty", folder.display()))
            .with_hint("choose another --out, or remove its scans"));
    }
    Ok(())
}
