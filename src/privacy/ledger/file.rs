//! A ledger file: opening, locking, reading, repairing, appending.

use super::super::Adjacency;
use super::LedgerError;
use super::line::{Chain, Entry, FORMAT, hex, salvage};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// An open, locked ledger file.
#[derive(Debug)]
pub(super) struct LedgerFile {
    path: PathBuf,
    file: File,
    chain: Chain,
    /// Whether it is empty but for the opening that was just written.
    begun: bool,
}

impl LedgerFile {
    /// Opens or begins the file and returns what it records, oldest first.
    pub(super) fn open(path: &Path, study: Option<&str>) -> Result<(Self, Vec<Entry>), LedgerError> {
        let failed = |source| LedgerError::Io { path: path.to_owned(), source };
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
        lock(&file, path)?;
        let mut bytes = Vec::new();
        (&file).read_to_end(&mut bytes).map_err(failed)?;
        let mut ledger = Self { path: path.to_owned(), file, chain: Chain::default(), begun: false };
        if bytes.is_empty() {
            let entry = opening(study).map_err(failed)?;
            ledger.append(vec![entry.clone()])?;
            sync_folder(path).map_err(failed)?;
            ledger.begun = true;
            return Ok((ledger, vec![entry]));
        }
        let (lines, torn) = bytes.split_at(whole_lines(&bytes));
        let mut entries = ledger.read(lines, torn, study)?;
        if !torn.is_empty() {
            entries.push(ledger.repair(lines, torn, study)?);
        }
        Ok((ledger, entries))
    }

    /// Removes a file that was begun just now. One that cannot be removed stays: it is a ledger in good order.
    pub(super) fn withdraw(self) {
        if self.begun {
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// The number the next line will have.
    pub(super) fn next_line(&self) -> u64 {
        self.chain.length
    }

    /// Writes entries in one write and waits until they are on disk.
    pub(super) fn append(&mut self, entries: Vec<Entry>) -> Result<(), LedgerError> {
        let mut chain = self.chain.clone();
        let mut text = String::new();
        for entry in entries {
            text.push_str(&chain.write(entry).map_err(|error| self.failed(error.into()))?);
        }
        self.file.write_all(text.as_bytes()).map_err(|error| self.failed(error))?;
        self.file.sync_all().map_err(|error| self.failed(error))?;
        self.chain = chain;
        Ok(())
    }

    fn failed(&self, source: std::io::Error) -> LedgerError {
        LedgerError::Io { path: self.path.clone(), source }
    }

    fn read(&mut self, lines: &[u8], torn: &[u8], study: Option<&str>) -> Result<Vec<Entry>, LedgerError> {
        let foreign = || LedgerError::Foreign(self.path.clone());
        let text = std::str::from_utf8(lines).map_err(|_| foreign())?;
        if text.is_empty() {
            // The opening line itself is torn: ours only if it begins as ours do.
            let begins = torn.starts_with(b"{\"n\":0,\"previous\":\"\",\"entry\":{\"kind\":\"open\"")
                || b"{\"n\":0,\"previous\":\"\",\"entry\":{\"kind\":\"open\"".starts_with(torn);
            return if begins { Ok(vec![]) } else { Err(foreign()) };
        }
        let mut entries = Vec::new();
        for (index, line) in text.lines().enumerate() {
            match self.chain.read(line) {
                Ok(entry) => entries.push(entry),
                Err(_) if index == 0 => return Err(self.first_line_error(line)),
                Err(what) => {
                    let line = index as u64 + 1;
                    return Err(LedgerError::Corrupted { path: self.path.clone(), line, what });
                }
            }
        }
        self.check_opening(entries.first(), study)?;
        Ok(entries)
    }

    /// Tells a foreign file from a ledger whose first line was changed, and from one of another version.
    fn first_line_error(&self, line: &str) -> LedgerError {
        let path = self.path.clone();
        let value: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        match value.pointer("/entry/format").and_then(serde_json::Value::as_u64) {
            Some(found) if found != u64::from(FORMAT) => LedgerError::Version { path, found },
            Some(_) => LedgerError::Corrupted { path, line: 1, what: "its text does not match its checksum" },
            None => LedgerError::Foreign(path),
        }
    }

    fn check_opening(&self, first: Option<&Entry>, study: Option<&str>) -> Result<(), LedgerError> {
        let path = self.path.clone();
        match first {
            Some(Entry::Open { format, .. }) if *format != FORMAT => {
                Err(LedgerError::Version { path, found: u64::from(*format) })
            }
            Some(Entry::Open { study: recorded, .. }) => match (recorded, study) {
                (Some(recorded), Some(study)) if recorded != study => Err(LedgerError::OtherStudy(path)),
                _ => Ok(()),
            },
            _ => Err(LedgerError::Foreign(path)),
        }
    }

    /// Replaces the file by its whole lines and a repair entry. The new file is written, synced and locked under
    /// another name first, so a second crash leaves either the old state or the new.
    fn repair(&mut self, lines: &[u8], torn: &[u8], study: Option<&str>) -> Result<Entry, LedgerError> {
        let salvaged = salvage(&String::from_utf8_lossy(torn));
        let mut text = Vec::from(lines);
        let entry = if lines.is_empty() {
            opening(study).map_err(|error| self.failed(error))?
        } else {
            Entry::Repair { torn_bytes: torn.len() as u64, salvaged }
        };
        let line = self.chain.write(entry.clone()).map_err(|error| self.failed(error.into()))?;
        text.extend_from_slice(line.as_bytes());
        let beside = self.path.with_extension("jsonl.repair");
        let replaced = (|| {
            let mut file =
                OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&beside)?;
            file.try_lock().map_err(|_| std::io::Error::from(ErrorKind::WouldBlock))?;
            file.write_all(&text)?;
            file.sync_all()?;
            std::fs::rename(&beside, &self.path)?;
            sync_folder(&self.path)?;
            Ok(file)
        })();
        self.file = replaced.map_err(|error| self.failed(error))?;
        Ok(entry)
    }
}

/// What the file at `path` records, without locking or repairing it.
pub(super) fn entries(path: &Path) -> Result<Vec<Entry>, LedgerError> {
    let failed = |source| LedgerError::Io { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(failed)?;
    let (lines, torn) = bytes.split_at(whole_lines(&bytes));
    let mut ledger = LedgerFile { path: path.to_owned(), file, chain: Chain::default(), begun: false };
    let mut entries = ledger.read(lines, torn, None)?;
    if !torn.is_empty() {
        let salvaged = salvage(&String::from_utf8_lossy(torn));
        entries.push(Entry::Repair { torn_bytes: torn.len() as u64, salvaged });
    }
    Ok(entries)
}

/// The length of the leading whole lines.
fn whole_lines(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1)
}

#[cfg(test)]
impl LedgerFile {
    pub(super) fn make_unwritable(&mut self) {
        if let Ok(file) = File::open(&self.path) {
            self.file = file;
        }
    }
}

fn opening(study: Option<&str>) -> std::io::Result<Entry> {
    use rand::TryRng;
    let mut id = [0u8; 16];
    rand::rngs::SysRng.try_fill_bytes(&mut id).map_err(std::io::Error::other)?;
    Ok(Entry::Open {
        format: FORMAT,
        visard: env!("CARGO_PKG_VERSION").to_owned(),
        id: hex(&id),
        study: study.map(str::to_owned),
        adjacency: Adjacency::ReplaceOne,
    })
}

/// Locks the file, and makes sure that it is still the one at `path` (a repair in between would have replaced it).
fn lock(file: &File, path: &Path) -> Result<(), LedgerError> {
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(LedgerError::Locked(path.to_owned())),
        Err(TryLockError::Error(source)) => return Err(LedgerError::Io { path: path.to_owned(), source }),
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let same = (|| -> std::io::Result<bool> {
            let (held, named) = (file.metadata()?, std::fs::metadata(path)?);
            Ok((held.dev(), held.ino()) == (named.dev(), named.ino()))
        })();
        if !same.map_err(|source| LedgerError::Io { path: path.to_owned(), source })? {
            return Err(LedgerError::Locked(path.to_owned()));
        }
    }
    Ok(())
}

/// Makes a new or renamed file's name durable.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
