//! Where a study keeps what may be published and what only the data holder may see: never in one folder.

use crate::io::write_bytes;
use crate::privacy::LEDGER_FILE;
use std::path::{Path, PathBuf};

/// Holds the path of the ledger a study shares with others.
const SHARED_LEDGER_FILE: &str = "visard.ledger.shared";

/// Why a study's folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// A finished release is there already.
    #[error("{0} already holds a release")]
    HasRelease(PathBuf),
    /// A file stands where the folder should be.
    #[error("{0} is a file, not a folder")]
    IsAFile(PathBuf),
    /// The study's releases are recorded in this ledger, not in the one it was told to charge.
    #[error("the releases of this study are recorded in {0}; charge that ledger, or choose another folder")]
    OtherLedger(PathBuf),
    /// The ledger this study shares with others is not where it was.
    #[error("the ledger {0}, which this study shares with others, is not there; put it back")]
    LedgerGone(PathBuf),
    /// The folder could not be made or emptied.
    #[error("cannot prepare {0}: {1}")]
    Io(PathBuf, std::io::Error),
}

/// The folder of one study.
#[derive(Debug, Clone)]
pub struct StudyFolder {
    root: PathBuf,
    /// Whether [`prepare`](Self::prepare) made it.
    made: bool,
}

impl StudyFolder {
    /// Makes the folder where needed. A finished release in it is an error unless `replace` is set; it is
    /// then replaced when the new one is complete, never before.
    ///
    /// # Errors
    /// [`FolderError`].
    pub fn prepare(root: &Path, replace: bool) -> Result<Self, FolderError> {
        if root.is_file() {
            return Err(FolderError::IsAFile(root.to_owned()));
        }
        let folder = Self { root: root.to_owned(), made: !root.exists() };
        if folder.has_release() && !replace {
            return Err(FolderError::HasRelease(root.to_owned()));
        }
        for dir in [folder.internal(), folder.records()] {
            std::fs::create_dir_all(&dir).map_err(|e| FolderError::Io(dir, e))?;
        }
        Ok(folder)
    }

    /// Removes what [`prepare`](Self::prepare) made, as far as it is empty: for a study that came to nothing.
    pub fn withdraw(&self) {
        // Folders that hold something are not removed by this, and need not be.
        if self.made {
            let _ = std::fs::remove_file(self.root.join(SHARED_LEDGER_FILE));
        }
        let _ = std::fs::remove_dir(self.records());
        let _ = std::fs::remove_dir(self.internal());
        if self.made {
            let _ = std::fs::remove_dir(&self.root);
        }
    }

    /// Forgets a shared ledger that was begun for this study and has just been [withdrawn](crate::privacy::Ledger::withdraw). Not for one
    /// that is missing: [`LedgerGone`](FolderError::LedgerGone).
    pub(super) fn forget_withdrawn_ledger(&self) {
        if matches!(self.shared_ledger(), Ok(Some(path)) if !path.exists()) {
            let _ = std::fs::remove_file(self.root.join(SHARED_LEDGER_FILE));
        }
    }

    /// The study's folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What may be published.
    pub fn release(&self) -> PathBuf {
        self.root.join("release")
    }

    /// What only the data holder may see.
    pub fn internal(&self) -> PathBuf {
        self.root.join("internal")
    }

    /// Finished records, so that an interrupted study continues where it stopped.
    pub fn records(&self) -> PathBuf {
        self.internal().join("records")
    }

    /// The ledger of every release made from this study's records, unless it shares one.
    pub fn own_ledger(&self) -> PathBuf {
        self.root.join(LEDGER_FILE)
    }

    /// The ledger this study shares with others, where it does.
    ///
    /// # Errors
    /// [`FolderError::Io`].
    pub fn shared_ledger(&self) -> Result<Option<PathBuf>, FolderError> {
        let note = self.root.join(SHARED_LEDGER_FILE);
        match std::fs::read_to_string(&note) {
            Ok(text) => Ok(Some(PathBuf::from(text.trim_end_matches('\n')))),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(FolderError::Io(note, e)),
        }
    }

    /// The ledger that holds the releases of the study in `root`, when that is the folder of one.
    ///
    /// # Errors
    /// [`FolderError::Io`].
    pub fn ledger_in(root: &Path) -> Result<Option<PathBuf>, FolderError> {
        if !root.is_dir() {
            return Ok(None);
        }
        let folder = Self { root: root.to_owned(), made: false };
        Ok(Some(folder.shared_ledger()?.unwrap_or_else(|| folder.own_ledger())))
    }

    /// From now on this study shares the ledger at `path`.
    pub(super) fn remember_ledger(&self, path: &Path) -> Result<(), FolderError> {
        let note = self.root.join(SHARED_LEDGER_FILE);
        let text = path.to_str().ok_or_else(|| {
            let what = "the name of a shared ledger must be valid Unicode";
            FolderError::Io(path.to_owned(), std::io::Error::new(std::io::ErrorKind::InvalidInput, what))
        })?;
        write_bytes(&note, format!("{text}\n").as_bytes())
            .map_err(|e| FolderError::Io(note, std::io::Error::other(e)))
    }

    /// Puts a release together aside with `fill`, then moves it into place as a whole: what was there stays whole until
    /// then.
    ///
    /// # Errors
    /// Those of `fill`, and [`FolderError::Io`] as the caller's error.
    pub fn publish<E: From<FolderError>>(&self, fill: impl FnOnce(&Path) -> Result<(), E>) -> Result<(), E> {
        let (aside, old, release) =
            (self.root.join(".release.tmp"), self.root.join(".release.old"), self.release());
        let io = |path: &Path| {
            let path = path.to_owned();
            move |e| E::from(FolderError::Io(path, e))
        };
        remove(&aside).map_err(io(&aside))?;
        std::fs::create_dir_all(&aside).map_err(io(&aside))?;
        fill(&aside)?;
        remove(&old).map_err(io(&old))?;
        if release.exists() {
            std::fs::rename(&release, &old).map_err(io(&release))?;
        }
        std::fs::rename(&aside, &release).map_err(io(&release))?;
        remove(&old).map_err(io(&old))
    }

    /// Whether a finished release (its certificate is written last) or a finished non-private result is there.
    pub fn has_release(&self) -> bool {
        self.release().join("certificate.json").exists()
            || ["ply", "tps", "npy"]
                .iter()
                .any(|ending| self.internal().join(format!("nonprivate_mean.{ending}")).exists())
    }
}

fn remove(folder: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finished_release_is_not_touched_unasked() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("study");
        let folder = StudyFolder::prepare(&root, false).unwrap();
        std::fs::create_dir_all(folder.release()).unwrap();
        std::fs::write(folder.release().join("certificate.json"), "{}").unwrap();
        assert!(matches!(StudyFolder::prepare(&root, false), Err(FolderError::HasRelease(_))));
        assert!(StudyFolder::prepare(&root, true).is_ok());
        assert!(folder.release().join("certificate.json").exists());
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(matches!(StudyFolder::prepare(file.path(), false), Err(FolderError::IsAFile(_))));
    }
}
