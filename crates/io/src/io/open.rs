//! The one way into an input file: ordinary files only, a stated size first, then all of it at once.
//!
//! A pipe, a terminal or `/dev/zero` would make a reader wait or read for ever, and what a name leads to can change between
//! a look and an opening. So the kind is asked of the path first (opening a device can have effects), the file is opened
//! without waiting, and the kind is asked again of what was opened.

use super::error::{Fault, Located, ReadError};
use super::text;
use crate::fault::special;
use sha2::{Digest, Sha256};
use std::fs::{File, Metadata, OpenOptions};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The largest size of a kind of file, and what to do about a larger one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// In bytes.
    pub bytes: u64,
    /// What the message advises.
    pub remedy: &'static str,
}

impl Limit {
    /// Scans: 2 GiB, far above any face scan (megabytes to a few hundred).
    pub const SCAN: Self = Self { bytes: 2 << 30, remedy: "reduce the number of points first" };
    /// Tables and arrays of many records: 2 GiB.
    pub const TABLE: Self =
        Self { bytes: 2 << 30, remedy: "leave out columns or digits that are not needed" };
    /// What people write by hand (landmarks, lists of names): 4 MiB.
    pub const SMALL: Self = Self { bytes: 4 << 20, remedy: "check that it is the right file" };
    /// Certificates: 1 MiB, which is one of thousands of draws. JSON of any form takes many times its size.
    pub const CERTIFICATE: Self = Self { bytes: 1 << 20, remedy: "check that it is a certificate" };
}

/// An input file, all of it in memory: whoever parses its bytes and whoever hashes them has the same ones.
#[derive(Debug, Clone)]
pub struct Opened {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Where the files of a folder are in the bytes.
    parts: Vec<Part>,
}

/// A file of a folder that is read as one table, a file for each record.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// The file's name.
    pub name: String,
    /// Its content, in the bytes of the folder.
    pub range: Range<usize>,
}

impl Opened {
    /// Where it was found.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its content; never empty. Of a folder the contents of its files, each after a line with its length and name.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The files in it, if it is a folder.
    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Name and content of each file: of all in a folder, or of this one.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let whole = self.parts.is_empty().then(|| (self.path.to_str().unwrap_or_default(), self.bytes()));
        let part = |part: &Part| self.bytes.get(part.range.clone()).unwrap_or_default();
        whole.into_iter().chain(self.parts.iter().map(move |one| (one.name.as_str(), part(one))))
    }

    /// The files of a folder as one, in the order given; all of them together within the limit.
    pub(super) fn of_files(folder: &Path, files: &[PathBuf], limit: Limit) -> Result<Self, ReadError> {
        let (mut bytes, mut parts) = (Vec::new(), Vec::new());
        for file in files {
            let left = Limit { bytes: limit.bytes - bytes.len() as u64, ..limit };
            let opened = open(file, left)?;
            let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            // So that no two folders have the same bytes.
            bytes.extend(format!("{} {name}\n", opened.bytes.len()).into_bytes());
            parts.push(Part { name, range: bytes.len()..bytes.len() + opened.bytes.len() });
            bytes.extend(opened.bytes);
            check_size(bytes.len() as u64, limit).map_err(|fault| ReadError::new(folder, fault))?;
        }
        Ok(Self { path: folder.to_owned(), bytes, parts })
    }

    /// SHA-256 of its content.
    pub fn sha256(&self) -> [u8; 32] {
        Sha256::digest(&self.bytes).into()
    }

    /// Its content as text, without a byte order mark.
    ///
    /// # Errors
    /// [`ReadError`] with the line: binary data, or another encoding than UTF-8.
    pub fn text(&self) -> Result<&str, ReadError> {
        text::utf8(&self.bytes).map_err(|located| self.error(located))
    }

    /// A fault in this file.
    pub(super) fn error(&self, located: impl Into<Located>) -> ReadError {
        located.into().in_file(&self.path)
    }
}

/// The whole content of an ordinary file of at most `limit` bytes, and of at least one.
///
/// # Errors
/// [`ReadError`]: nothing there, not an ordinary file (after links have been followed), too large, empty, or the system refuses.
/// At once: nothing is waited for.
pub fn open(path: &Path, limit: Limit) -> Result<Opened, ReadError> {
    Unread::find(path, limit).and_then(Unread::read).map_err(|fault| ReadError::new(path, fault))
}

/// Refuses a path that leads to anything but an ordinary file; one that leads to nothing passes. For files that others open.
///
/// # Errors
/// [`ReadError`], as [`open`].
pub fn refuse_special(path: &Path) -> Result<(), ReadError> {
    match std::fs::metadata(path) {
        Ok(about) => check_kind(&about).map_err(|fault| ReadError::new(path, fault)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(ReadError::new(path, e)),
    }
}

/// A file that may be read: opened, ordinary, small enough by what it says.
pub(super) struct Unread {
    path: PathBuf,
    file: File,
    length: u64,
    limit: Limit,
}

impl Unread {
    pub fn find(path: &Path, limit: Limit) -> Result<Self, Fault> {
        check_kind(&std::fs::metadata(path)?)?;
        let file = options().open(path)?;
        let about = file.metadata()?;
        check_kind(&about)?;
        let length = about.len();
        check_size(length, limit)?;
        Ok(Self { path: path.to_owned(), file, length, limit })
    }

    /// The file, and how long it says that it is.
    pub fn into_file(self) -> (File, u64) {
        (self.file, self.length)
    }

    pub fn read(self) -> Result<Opened, Fault> {
        // Room for one byte more, so that the end is found without growing.
        let mut bytes = Vec::with_capacity(self.length as usize + 1);
        // The file may grow while it is read.
        self.file.take(self.limit.bytes + 1).read_to_end(&mut bytes)?;
        check_size(bytes.len() as u64, self.limit)?;
        if bytes.is_empty() {
            return Err(Fault::Empty);
        }
        Ok(Opened { path: self.path, bytes, parts: Vec::new() })
    }
}

fn check_size(bytes: u64, Limit { bytes: limit, remedy }: Limit) -> Result<(), Fault> {
    if bytes > limit { Err(Fault::TooLarge { bytes, limit, remedy }) } else { Ok(()) }
}

/// For reading, without waiting for the other end of a pipe and without taking over a terminal.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOCTTY);
    options
}

fn check_kind(about: &Metadata) -> Result<(), Fault> {
    match special(about) {
        None => Ok(()),
        Some(_) if about.is_dir() => Err(Fault::Folder),
        Some(what) => Err(Fault::NotAFile { what }),
    }
}

/// The memory that reading a file may take beside a fixed sum, as a multiple of its size.
const FAIR_SHARE: usize = 8;
/// The fixed sum, in bytes: 64 MB.
const FAIR_BASE: usize = 64_000_000;

/// Refuses content of which the file and what is made of it (`made` bytes) would take more than 8 times the file and 64 MB
/// together: asked before anything is allocated.
pub(super) fn check_memory(file: usize, made: usize, remedy: &'static str) -> Result<(), Fault> {
    let needed = file.saturating_add(made);
    let allowed = FAIR_SHARE.saturating_mul(file).saturating_add(FAIR_BASE);
    if needed > allowed { Err(Fault::Memory { needed, allowed, remedy }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(bytes: u64) -> Limit {
        Limit { bytes, remedy: "" }
    }

    #[test]
    fn what_is_no_ordinary_file_of_fair_size_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let fault = |name: &str, bytes| match open(&dir.path().join(name), limit(bytes)) {
            Err(error) => error.fault().to_string(),
            Ok(_) => String::new(),
        };
        std::fs::write(dir.path().join("six"), "123456").unwrap();
        std::fs::write(dir.path().join("none"), "").unwrap();
        assert!(fault("absent", 9).starts_with("there is no such file"));
        assert!(fault("", 9).starts_with("is a folder"));
        assert!(fault("none", 9).starts_with("is empty"));
        assert!(fault("six", 5).starts_with("has 6 bytes, more than the 5 that are read"));
        let six = open(&dir.path().join("six"), limit(6)).unwrap();
        assert_eq!(six.bytes(), b"123456");
        // From `printf 123456 | sha256sum`.
        assert_eq!(
            hex::encode(six.sha256()),
            "8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92"
        );
        assert!(refuse_special(&dir.path().join("absent")).is_ok() && refuse_special(dir.path()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn special_files_are_named_for_what_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap();
        assert!(made.success());
        let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        for (name, target) in [("zero", "/dev/zero"), ("terminal", "/dev/tty"), ("link", "pipe")] {
            std::os::unix::fs::symlink(target, path(name)).unwrap();
        }
        for (name, expected) in [
            ("pipe", "is a pipe, not an ordinary file; copy its content to a file and give that"),
            ("link", "is a pipe, "),
            ("socket", "is a socket, "),
            ("zero", "is a device, "),
            ("terminal", "is a device, "),
        ] {
            for error in
                [open(&path(name), Limit::SMALL).unwrap_err(), refuse_special(&path(name)).unwrap_err()]
            {
                assert!(error.problem().starts_with(expected), "{error}");
            }
        }
    }

    /// What a race leaves: the name led to an ordinary file when it was looked at, and to a pipe when it was opened.
    #[cfg(unix)]
    #[test]
    fn a_pipe_that_took_the_place_of_a_file_is_neither_waited_for_nor_read() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let file = options().open(&pipe).unwrap();
        assert!(matches!(check_kind(&file.metadata().unwrap()), Err(Fault::NotAFile { what: "a pipe" })));
    }
}
