//! Writing a file whole or not at all: a temporary file beside it, flushed to the disk, then renamed.

use super::error::one_line;
use crate::fault::{self, Output};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file could not be written; what was there before is untouched.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}: cannot be written: {source}; check the folder, its permissions and the free space",
    one_line(path)
)]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Writes through `fill` into a new file in the same folder, flushes that to the disk and renames it to `path`.
///
/// Whoever reads `path` meanwhile, or after a crash, finds the old content or the new, never a part. A symbolic
/// link at `path` is replaced, not followed. The folder must exist.
///
/// # Errors
/// [`WriteError`]; the temporary file is then removed (also when `fill` panics) and `path` is as before.
pub fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<Output>) -> io::Result<()>,
) -> Result<(), WriteError> {
    write(path, fill).map_err(|source| WriteError { path: path.to_owned(), source })
}

/// Writes bytes, atomically as [`write_atomically`].
///
/// # Errors
/// [`WriteError`].
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_atomically(path, |out| out.write_all(bytes))
}

/// Writes a text as UTF-8, atomically as [`write_atomically`].
///
/// # Errors
/// [`WriteError`].
pub fn write_text(path: &Path, text: &str) -> Result<(), WriteError> {
    write_bytes(path, text.as_bytes())
}

/// Writes a text that only its owner may read, into a new file.
///
/// # Errors
/// [`WriteError`]; a file that is there is kept.
#[doc(hidden)]
pub fn write_secret(path: &Path, text: &str) -> Result<(), WriteError> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = fault::create(path, &options).and_then(|mut file| {
        fault::write_all(&mut file, text.as_bytes()).and_then(|()| fault::sync(&file, path))
    });
    written.map_err(|source| WriteError { path: path.to_owned(), source })
}

fn write(path: &Path, fill: impl FnOnce(&mut BufWriter<Output>) -> io::Result<()>) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let (file, temporary) = Temporary::beside(folder)?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    fill(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    temporary.persist(&file, path)?;
    // The rename itself is on the disk only once the folder is. Not all systems can do that: then it may be lost
    // in a crash, and the old content is found.
    sync_folder(folder);
    Ok(())
}

/// Waits until the renames in a folder are on the disk, as far as the system can do that.
pub fn sync_folder(folder: &Path) {
    let _ = fault::sync_folder(folder);
}

/// How the names of temporary files begin: hidden.
const PREFIX: &str = ".visard-";
/// How they end: as nothing that a reader of ours takes for a scan.
const SUFFIX: &str = ".tmp";

/// Removes the temporary files that killed processes left in a folder, as far as that can be done. Nobody else may be writing there: who
/// calls this holds the folder's lock.
#[doc(hidden)]
pub fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        if ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = fault::remove(&entry.path());
        }
    }
}

/// A new file, removed unless it gets its name.
struct Temporary {
    path: PathBuf,
    named: bool,
}

impl Temporary {
    fn beside(folder: &Path) -> io::Result<(Output, Self)> {
        let (file, path) = fault::create_temporary(&builder(folder), folder)?.into_parts();
        // From here on by ourselves: what tests let fail includes this.
        let path = path.keep()?;
        Ok((fault::output(file), Self { path, named: false }))
    }

    fn persist(mut self, file: &Output, path: &Path) -> io::Result<()> {
        fault::sync(fault::file_of(file), &self.path)?;
        fault::rename(&self.path, path)?;
        self.named = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.named {
            let _ = fault::remove(&self.path);
        }
    }
}

/// How temporary files are made in this folder.
fn builder(folder: &Path) -> tempfile::Builder<'static, 'static> {
    // Short: the name it is to have may be as long as the system allows.
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // As files are made, not for their owner alone as temporary ones are; but no more open than their folder is.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(folder).map_or(0o600, |about| about.permissions().mode());
        builder.permissions(PermissionsExt::from_mode(mode & 0o666 | 0o600));
    }
    #[cfg(not(unix))]
    let _ = folder;
    builder
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_failed_write_keeps_the_old_file_and_leaves_no_litter() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        write_text(&path, "old").unwrap();
        let failed = write_atomically(&path, |out| {
            out.write_all(&[b'x'; 1 << 20])?;
            Err(io::Error::other("disk full"))
        });
        let message = failed.unwrap_err().to_string();
        assert!(message.contains("a.txt: cannot be written: disk full; "), "{message}");
        let panicked = std::panic::catch_unwind(|| write_atomically(&path, |_| panic!("in the closure")));
        assert!(panicked.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(dir.path()), ["a.txt"]);
    }

    #[test]
    fn the_old_file_stays_until_the_new_one_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.bin");
        write_bytes(&path, b"old").unwrap();
        write_atomically(&path, |out| {
            out.write_all(b"new")?;
            out.flush()?;
            assert_eq!(fs::read(&path)?, b"old");
            assert_eq!(names(dir.path()).len(), 2);
            Ok(())
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(dir.path()), ["a.bin"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_made_with_the_usual_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let (path, usual) = (dir.path().join("a"), dir.path().join("b"));
        write_text(&path, "new").unwrap();
        fs::write(&usual, "new").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&usual));
    }

    #[test]
    fn threads_writing_one_file_leave_one_of_their_contents() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        std::thread::scope(|scope| {
            for k in 0..8u8 {
                let path = &path;
                scope.spawn(move || write_bytes(path, &[k; 100_000]).unwrap());
            }
        });
        let content = fs::read(&path).unwrap();
        assert!(content.len() == 100_000 && content.iter().all(|&b| b == content[0]));
        assert_eq!(names(dir.path()), ["a"]);
    }

    #[test]
    fn folders_are_neither_made_nor_replaced() {
        let dir = tempfile::tempdir().unwrap();
        assert!(write_text(&dir.path().join("none/a"), "").is_err());
        assert!(write_text(dir.path(), "").is_err());
        assert!(write_text(Path::new("/"), "").is_err());
        assert!(names(dir.path()).is_empty());
    }
}
