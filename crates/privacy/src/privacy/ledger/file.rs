//! An open, locked ledger file: opening, appending, withdrawing.

use super::super::{Adjacency, Part};
use super::content::{self, Content, End, LARGEST, Recorded};
use super::error::LedgerError;
use super::history::LedgerHistory;
use super::line::{Chain, Entry, FORMAT};
use super::place::{self, failed};
use super::{completion, repair};
use crate::fault;
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long to wait between two tries for a lock: at first, and at most.
const PATIENCE: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(500)];

/// An open, locked ledger file.
#[derive(Debug)]
pub(super) struct LedgerFile {
    path: PathBuf,
    file: File,
    chain: Chain,
    /// In bytes.
    length: u64,
    /// Whether it was created by this opening.
    created: bool,
}

/// Lines that were written down but not yet into the file.
#[derive(Debug)]
pub(super) struct Draft {
    text: String,
    chain: Chain,
    /// The lines.
    pub(super) lines: Vec<Recorded>,
}

impl Draft {
    /// As they will be written.
    #[doc(hidden)]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl LedgerFile {
    /// Opens and locks the file, waiting for the lock up to `wait`, and returns what it records, oldest first. Without a
    /// file, or with an empty one, it is begun if that is allowed. A torn line that was `announced` is completed.
    pub(super) fn open(
        path: &Path,
        may_begin: bool,
        wait: Duration,
        announced: &str,
    ) -> Result<(Self, Vec<Recorded>), LedgerError> {
        let (start, [mut pause, longest]) = (Instant::now(), PATIENCE);
        loop {
            match Self::try_open(path, may_begin, announced) {
                Err(LedgerError::Locked(_)) if start.elapsed() < wait => {
                    std::thread::sleep(pause.min(wait.saturating_sub(start.elapsed())));
                    pause = (2 * pause).min(longest);
                }
                opened => return opened,
            }
        }
    }

    fn try_open(path: &Path, may_begin: bool, announced: &str) -> Result<(Self, Vec<Recorded>), LedgerError> {
        let path = place::resolve(path)?;
        let (file, created) = match place::open(&path, true)? {
            Some(file) => (file, false),
            None if !may_begin => return Err(LedgerError::Missing(path)),
            None => match place::create(&path)? {
                Some(file) => (file, true),
                None => return Err(LedgerError::Locked(path)),
            },
        };
        lock(&file, &path)?;
        let mut ledger = Self { path, file, chain: Chain::default(), length: 0, created };
        let path = &ledger.path;
        place::must_have_one_name(&ledger.file, path)?;
        let mut bytes = place::read(&ledger.file, path)?;
        let mut content = content::read(&bytes).map_err(|damage| damage.of(path))?;
        // What contradicts itself is refused as it is, before anything of it is repaired.
        LedgerHistory::of(content.clone()).map_err(|damage| damage.of(path))?;
        if content.lines.is_empty() && !may_begin {
            return Err(LedgerError::Missing(path.clone()));
        }
        if let Some(rest) = completion::rest(&content, &bytes, announced) {
            ledger.write(rest)?;
            bytes.extend_from_slice(rest.as_bytes());
            content = content::read(&bytes).map_err(|damage| damage.of(&ledger.path))?;
        }
        (ledger.chain, ledger.length) = (content.chain.clone(), content.whole as u64);
        match ledger.finish(content, &bytes) {
            Ok(lines) => Ok((ledger, lines)),
            Err(error) => {
                // A file without a line is not left behind by whoever made it.
                if ledger.created {
                    let _ = fault::remove(&ledger.path);
                }
                Err(error)
            }
        }
    }

    /// Makes the file end as it should, and begins it if it is empty.
    fn finish(&mut self, content: Content, bytes: &[u8]) -> Result<Vec<Recorded>, LedgerError> {
        let entry = match content.end {
            End::Torn { .. } => {
                repair::keep(&self.path, bytes).map_err(failed(&self.path))?;
                if let Some(rest) = completion::of_anyone(&content, bytes, unix_time()) {
                    return self.complete(content, bytes, &rest);
                }
                repair::cut(&self.file, &self.path, content.whole).map_err(failed(&self.path))?;
                repair::entry(&content, true)
            }
            End::NoNewline => {
                self.length = bytes.len() as u64;
                self.write("\n")?;
                None
            }
            End::Whole => None,
        };
        let mut lines = content.lines;
        if lines.is_empty() {
            let draft = self.draft(vec![opening().map_err(failed(&self.path))?])?;
            lines = self.append(draft)?;
            place::sync_folder(&self.path).map_err(failed(&self.path))?;
        } else if let Some(entry) = entry {
            let draft = self.draft(vec![entry])?;
            lines.extend(self.append(draft)?);
        }
        Ok(lines)
    }

    /// Adds what is missing of a torn line that counts, and the line that says so.
    fn complete(&mut self, content: Content, bytes: &[u8], rest: &str) -> Result<Vec<Recorded>, LedgerError> {
        let completed = [bytes, rest.as_bytes()].concat();
        let whole = content::read(&completed).map_err(|damage| damage.of(&self.path))?;
        let (mut lines, torn) = (whole.lines, bytes.len());
        (self.chain, self.length) = (whole.chain, torn as u64);
        let entries = repair::entry(&content, false).into_iter().collect();
        let Draft { text, chain, lines: said } = self.draft(entries)?;
        self.write(&format!("{rest}{text}"))?;
        self.chain = chain;
        lines.extend(said);
        Ok(lines)
    }

    /// Removes the file if it was created by this opening. One that cannot be removed stays: it is a ledger in good order.
    pub(super) fn withdraw(self) {
        if self.created {
            let _ = fault::remove(&self.path);
        }
    }

    /// The number the next line will have.
    pub(super) fn next_line(&self) -> u64 {
        self.chain.length
    }

    /// A charge made now.
    pub(super) fn charge(&self, part: Part) -> Result<Entry, LedgerError> {
        let nonce = random::<8>().map_err(failed(&self.path))?;
        Ok(Entry::Charge { nonce: Some(hex::encode(nonce)), part, unix_time: unix_time() })
    }

    /// The next lines as they will be written.
    pub(super) fn draft(&self, entries: Vec<Entry>) -> Result<Draft, LedgerError> {
        let (mut chain, mut text, mut lines) = (self.chain.clone(), String::new(), Vec::new());
        for entry in entries {
            text.push_str(&chain.write(&entry).map_err(|error| failed(&self.path)(error.into()))?);
            lines.push(Recorded { entry, head: chain.head.clone() });
        }
        if self.length + text.len() as u64 > LARGEST {
            return Err(LedgerError::TooLarge(self.path.clone()));
        }
        Ok(Draft { text, chain, lines })
    }

    /// Writes lines in one write and waits until they are on disk.
    pub(super) fn append(&mut self, draft: Draft) -> Result<Vec<Recorded>, LedgerError> {
        self.write(&draft.text)?;
        self.chain = draft.chain;
        Ok(draft.lines)
    }

    fn write(&mut self, text: &str) -> Result<(), LedgerError> {
        let written = self
            .file
            .seek(SeekFrom::End(0))
            .and_then(|_| fault::write_all(&mut self.file, text.as_bytes()))
            .and_then(|()| fault::sync(&self.file, &self.path));
        written.map_err(failed(&self.path))?;
        self.length += text.len() as u64;
        Ok(())
    }

    /// A handle that cannot write stands in for a full disk.
    #[cfg(test)]
    pub(super) fn make_unwritable(&mut self) {
        if let Ok(file) = File::open(&self.path) {
            self.file = file;
        }
    }
}

impl Drop for LedgerFile {
    /// To close the file is not enough: a process that is being started meanwhile holds a copy of the handle for a moment,
    /// and the lock with it.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

/// What the file at `path` records, without locking or repairing it.
pub(super) fn look(path: &Path) -> Result<Content, LedgerError> {
    let path = place::resolve(path)?;
    let file = place::open(&path, false)?.ok_or_else(|| failed(&path)(ErrorKind::NotFound.into()))?;
    content::read(&place::read(&file, &path)?).map_err(|damage| damage.of(&path))
}

/// Seconds since 1970.
pub(super) fn unix_time() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Bytes from the operating system, by which something is told from all else.
fn random<const N: usize>() -> std::io::Result<[u8; N]> {
    use rand::TryRng;
    let mut bytes = [0u8; N];
    rand::rngs::SysRng.try_fill_bytes(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}

pub(super) fn opening() -> std::io::Result<Entry> {
    let id: [u8; 16] = random()?;
    Ok(Entry::Open {
        format: FORMAT,
        visard: env!("CARGO_PKG_VERSION").to_owned(),
        id: hex::encode(id),
        study: None,
        adjacency: Adjacency::ReplaceOne,
    })
}

/// Locks the file, and makes sure that it is still the one at `path`: whoever began it may have withdrawn it meanwhile.
fn lock(file: &File, path: &Path) -> Result<(), LedgerError> {
    match fault::try_lock(file) {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(LedgerError::Locked(path.to_owned())),
        Err(TryLockError::Error(source)) => return Err(LedgerError::Io { path: path.to_owned(), source }),
    }
    if fault::is_at(file, path).map_err(failed(path))? {
        Ok(())
    } else {
        Err(LedgerError::Locked(path.to_owned()))
    }
}
