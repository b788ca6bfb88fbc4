//! What is done about a torn tail, in the file itself.
//!
//! First the old state is kept beside the ledger, as `<name>.bak`. Then a charge whose loss can be read, and which so counts, has its line
//! completed, in the one write that also adds a line that says so: nothing is cut off that counts. Any other tail is cut off, and then that
//! line is appended. The ledger stays the same file throughout, so its lock and its links hold. A crash between the steps, or within one,
//! leaves a ledger of the same sum; of the tail no charge had been handed out, and the kept state has it.

use super::content::{Content, End};
use super::line::Entry;
use super::place::{private, sync_folder};
use crate::fault;
use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// The line that tells of a torn tail: nothing in a file without a whole line. What could be read of a tail that was cut off counts by it.
pub(super) fn entry(content: &Content, cut: bool) -> Option<Entry> {
    match &content.end {
        End::Torn { bytes, salvaged } if content.whole > 0 => {
            Some(Entry::Repair { torn_bytes: *bytes, salvaged: salvaged.clone().filter(|_| cut) })
        }
        _ => None,
    }
}

/// Keeps `bytes`, the whole state of the ledger at `path`, beside it.
///
/// An older kept state that these bytes begin with is replaced; any other file of that name is not ours to lose, and
/// gets another name.
pub(super) fn keep(path: &Path, bytes: &[u8]) -> Result<()> {
    let (kept, new) = (beside(path, ".bak"), beside(path, ".bak.new"));
    let mut file = fault::create(&new, private(OpenOptions::new().write(true).create(true).truncate(true)))?;
    fault::write_all(&mut file, bytes)?;
    fault::sync(&file, &new)?;
    if kept.symlink_metadata().is_ok() && !holds_beginning(&kept, bytes) {
        fault::rename(&kept, &free_name(path)?)?;
    }
    fault::rename(&new, &kept)?;
    sync_folder(path)
}

/// Cuts the file down to its whole lines.
pub(super) fn cut(file: &File, path: &Path, whole: usize) -> Result<()> {
    fault::cut(file, whole as u64)?;
    fault::sync(file, path)
}

/// Whether a file holds what `bytes` begin with.
fn holds_beginning(kept: &Path, bytes: &[u8]) -> bool {
    let short =
        kept.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() <= bytes.len() as u64);
    short && std::fs::read(kept).is_ok_and(|found| bytes.starts_with(&found))
}

/// `<name>.bak2` or the first after it that no file has.
fn free_name(path: &Path) -> Result<PathBuf> {
    let mut names = (2..10_000).map(|k| beside(path, &format!(".bak{k}")));
    names.find(|name| name.symlink_metadata().is_err()).ok_or_else(|| Error::from(ErrorKind::AlreadyExists))
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
