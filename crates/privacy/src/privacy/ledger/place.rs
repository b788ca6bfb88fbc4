//! The one file that a ledger is, by whatever name it is called.
//!
//! Links are resolved before anything else, so that all names of a ledger lock, read and repair the same file.

use super::content::LARGEST;
use super::error::LedgerError;
use crate::fault::{self, point, special};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read, Result as IoResult};
use std::path::{Path, PathBuf};

/// The error of the file at `path`.
pub(super) fn failed(path: &Path) -> impl Fn(std::io::Error) -> LedgerError {
    |source| LedgerError::Io { path: path.to_owned(), source }
}

/// The file's own path, all links resolved, or the path it would be created at.
pub(super) fn resolve(path: &Path) -> Result<PathBuf, LedgerError> {
    // Asked of the name that was given, which is the one that its owner knows.
    if let Ok(metadata) = path.metadata() {
        must_be_a_file(&metadata, path)?;
    }
    match fault::real_path(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        found => return found.map_err(failed(path)),
    }
    // A link to a ledger that is not there: to begin it anew would forget what it held.
    if path.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
        return Err(LedgerError::Missing(path.to_owned()));
    }
    let name = path.file_name().ok_or_else(|| failed(path)(ErrorKind::InvalidInput.into()))?;
    let folder = fault::real_path(folder(path)).map_err(failed(path))?;
    Ok(folder.join(name))
}

/// Opens the file at a resolved path, if there is one, for reading only or for appending too.
pub(super) fn open(path: &Path, to_append: bool) -> Result<Option<File>, LedgerError> {
    // Asked of the name first: to open a pipe or a device may hang, or do something.
    match path.metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        metadata => must_be_a_file(&metadata.map_err(failed(path))?, path)?,
    }
    point("open").map_err(failed(path))?;
    match options(to_append).open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        opened => {
            let file = opened.map_err(failed(path))?;
            must_be_a_file(&file.metadata().map_err(failed(path))?, path)?;
            Ok(Some(file))
        }
    }
}

/// Creates the file, for its owner only; `None` if it has come into being meanwhile.
pub(super) fn create(path: &Path) -> Result<Option<File>, LedgerError> {
    match fault::create(path, private(options(true).create_new(true))) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
        created => created.map(Some).map_err(failed(path)),
    }
}

/// `ERROR_LOCK_VIOLATION`: on Windows nobody reads what another process has locked. Elsewhere locks do not hinder readers.
const LOCKED: i32 = if cfg!(windows) { 33 } else { i32::MIN };

/// All of it.
pub(super) fn read(mut file: &File, path: &Path) -> Result<Vec<u8>, LedgerError> {
    let mut bytes = Vec::new();
    point("read").map_err(failed(path))?;
    file.by_ref().take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| match error.raw_os_error() {
        Some(LOCKED) => LedgerError::Locked(path.to_owned()),
        _ => failed(path)(error),
    })?;
    if bytes.len() as u64 > LARGEST { Err(LedgerError::TooLarge(path.to_owned())) } else { Ok(bytes) }
}

/// Refuses a file that has several names: what replaces one of them, as editors and copies do, makes two ledgers.
pub(super) fn must_have_one_name(file: &File, path: &Path) -> Result<(), LedgerError> {
    match links(file).map_err(failed(path))? {
        0 | 1 => Ok(()),
        links => Err(LedgerError::HardLinks { path: path.to_owned(), links }),
    }
}

/// Makes a new or renamed file's name durable.
pub(super) fn sync_folder(path: &Path) -> IoResult<()> {
    fault::sync_folder(folder(path))
}

/// Readable and writable by its owner only, if it is created.
pub(super) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600)
    }
    #[cfg(not(unix))]
    options
}

/// To append is all that is asked for where that suffices, so that a file the system lets nobody do more with works.
/// (On Windows an appending handle could not be cut.)
fn options(to_append: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(to_append && cfg!(unix)).write(to_append && !cfg!(unix));
    options
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn must_be_a_file(metadata: &Metadata, path: &Path) -> Result<(), LedgerError> {
    match special(metadata) {
        None => Ok(()),
        Some(what) => Err(LedgerError::NotAFile { path: path.to_owned(), what }),
    }
}

fn links(file: &File) -> IoResult<u64> {
    #[cfg(unix)]
    return Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?));
    #[cfg(windows)]
    return Ok(winapi_util::file::information(file)?.number_of_links());
    // Cannot be asked; a page's memory has no links.
    #[cfg(target_os = "wasi")]
    return file.metadata().map(|_| 1);
}
