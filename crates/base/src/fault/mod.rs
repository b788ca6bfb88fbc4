//! The operations by which files change. Tests let the k-th of them fail, do half of its work, or end the process there, and then lose
//! what was not yet on the disk; without a test's plan on its thread each is what it says. And what it is that a path leads to.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::Result;
use std::path::{Path, PathBuf};

mod disk;
mod plan;
mod trouble;

pub use disk::After;
pub use plan::{Fault, Outcome, Output, count, crashed, point, with};
pub use trouble::{Trouble, troubles};

/// As it is written from now on.
pub fn output(file: File) -> Output {
    plan::watched(file)
}

/// The file itself.
pub fn file_of(output: &Output) -> &File {
    output.file()
}

/// What something is that is no ordinary file.
pub fn special(about: &Metadata) -> Option<&'static str> {
    if about.is_file() {
        return None;
    }
    if about.is_dir() {
        return Some("a folder");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = about.file_type();
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
    }
    Some("a device")
}

/// The path that a name leads to, all links resolved. On WASI nobody can be asked: the path is made absolute, which is the same where there
/// are no links, as in a page's memory.
pub fn real_path(path: &Path) -> Result<PathBuf> {
    if !cfg!(target_os = "wasi") {
        return path.canonicalize();
    }
    std::fs::metadata(path)?;
    let mut real = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        match part {
            std::path::Component::ParentDir => drop(real.pop()),
            part => real.push(part),
        }
    }
    Ok(real)
}

/// Whether an open file is (still) the one at `path`.
pub fn is_at(file: &File, path: &Path) -> Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (held, named) = (file.metadata()?, path.metadata());
        Ok(named.is_ok_and(|named| (held.dev(), held.ino()) == (named.dev(), named.ino())))
    }
    #[cfg(windows)]
    {
        let held = same_file::Handle::from_file(file.try_clone()?)?;
        Ok(same_file::Handle::from_path(path).is_ok_and(|named| held == named))
    }
    // Which file it is cannot be asked; nobody else is there who could have put another in its place (`try_lock`).
    #[cfg(target_os = "wasi")]
    {
        let _ = file;
        Ok(path.exists())
    }
}

/// Locks a file for this process. WASI has no locks: there it is taken for granted that no second process works in the same folder, as in a
/// page's memory, and ledgers take no charge that would have to be safe from one.
pub fn try_lock(file: &File) -> std::result::Result<(), TryLockError> {
    if cfg!(target_os = "wasi") { Ok(()) } else { file.try_lock() }
}

/// Opens a file that may come into being by that, or lose what it held.
pub fn create(path: &Path, options: &OpenOptions) -> Result<File> {
    point("create")?;
    let file = options.open(path)?;
    plan::note(|disk| disk.opened(path));
    Ok(file)
}

/// Makes a temporary file under a name of its own.
pub fn create_temporary(
    builder: &tempfile::Builder<'_, '_>,
    folder: &Path,
) -> Result<tempfile::NamedTempFile> {
    point("create")?;
    let made = builder.tempfile_in(folder)?;
    plan::note(|disk| disk.opened(made.path()));
    Ok(made)
}

/// Writes all bytes. A fault leaves the first half of them.
pub fn write_all(file: &mut File, bytes: &[u8]) -> Result<()> {
    plan::before_writing(file, bytes)?;
    std::io::Write::write_all(file, bytes)
}

/// Waits until what the file at `path` holds is on the disk.
pub fn sync(file: &File, path: &Path) -> Result<()> {
    point("sync")?;
    file.sync_all()?;
    plan::note(|disk| disk.synced(path));
    Ok(())
}

/// Waits until the names in a folder are on the disk.
pub fn sync_folder(folder: &Path) -> Result<()> {
    point("sync a folder")?;
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    let _ = folder;
    plan::note(|disk| disk.synced_folder(folder));
    Ok(())
}

/// Cuts a file down to its first `length` bytes.
pub fn cut(file: &File, length: u64) -> Result<()> {
    point("cut")?;
    file.set_len(length)
}

/// Gives a file another name, or another place.
pub fn rename(from: &Path, to: &Path) -> Result<()> {
    point("rename")?;
    std::fs::rename(from, to)
}

/// Gives a folder another name.
pub fn rename_folder(from: &Path, to: &Path) -> Result<()> {
    point("rename a folder")?;
    std::fs::rename(from, to)
}

/// Removes a file.
pub fn remove(path: &Path) -> Result<()> {
    point("remove")?;
    std::fs::remove_file(path)
}

/// Removes an empty folder.
pub fn remove_folder(path: &Path) -> Result<()> {
    point("remove a folder")?;
    std::fs::remove_dir(path)
}

/// Removes a folder and what is in it; that there is none is no error.
pub fn remove_all(folder: &Path) -> Result<()> {
    point("remove a folder")?;
    match std::fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Makes a folder.
pub fn create_folder(path: &Path, builder: &DirBuilder) -> Result<()> {
    point("create a folder")?;
    builder.create(path)?;
    plan::note(|disk| disk.made(path));
    Ok(())
}
