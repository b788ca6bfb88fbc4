//! One process at a time works in a study's folder: it is locked before anything in it is made.

use super::{JobError, io};
use crate::study::StudyFolder;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// The folder, locked, and what this process made of it.
#[derive(Debug)]
pub(super) struct Locked {
    folder: StudyFolder,
    lock: File,
    /// Folders this process made, outermost first: what a job that came to nothing takes away again.
    made: Vec<PathBuf>,
}

impl Locked {
    /// Makes the folder where needed, and locks it.
    pub(super) fn open(root: &Path) -> Result<Self, JobError> {
        if root.exists() && !root.is_dir() {
            return Err(JobError::IsAFile(root.to_owned()));
        }
        let folder = StudyFolder::at(root);
        // Whoever withdraws a folder removes its lock file: then begin again.
        for _ in 0..100 {
            let made = missing(root);
            std::fs::create_dir_all(root).map_err(io(root))?;
            let path = folder.lock();
            let lock = match OpenOptions::new().write(true).create(true).truncate(false).open(&path) {
                Ok(lock) => lock,
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
                Err(e) => return Err(io(&path)(e)),
            };
            match lock.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(JobError::Busy(root.to_owned())),
                Err(TryLockError::Error(e)) => return Err(io(&path)(e)),
            }
            let same = same_file::Handle::from_file(lock.try_clone().map_err(io(&path))?)
                .and_then(|held| Ok(held == same_file::Handle::from_path(&path)?));
            if same.unwrap_or(false) {
                let mut locked = Self { folder, lock, made };
                for dir in [locked.folder.internal(), locked.folder.records()] {
                    locked.make(dir)?;
                }
                return Ok(locked);
            }
        }
        Err(JobError::Busy(root.to_owned()))
    }

    /// Makes a folder for its owner only, and remembers having made it.
    fn make(&mut self, dir: PathBuf) -> Result<(), JobError> {
        if dir.is_dir() {
            return Ok(());
        }
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&dir).map_err(io(&dir))?;
        self.made.push(dir);
        Ok(())
    }

    pub(super) fn folder(&self) -> &StudyFolder {
        &self.folder
    }

    /// Takes away what this process made, as far as it is empty: for a job that came to nothing.
    pub(super) fn withdraw(self) {
        let Self { folder, lock, made } = self;
        let made_root = made.iter().any(|dir| dir == folder.root());
        for dir in made.iter().rev().filter(|dir| *dir != folder.root()) {
            // A folder that holds something is not removed by this, and need not be.
            let _ = std::fs::remove_dir(dir);
        }
        let only_lock = std::fs::read_dir(folder.root()).is_ok_and(|entries| entries.count() <= 1);
        if made_root && only_lock {
            // While the lock is held: nobody else can have begun here.
            let _ = std::fs::remove_file(folder.lock());
            for dir in made.iter().rev().skip_while(|dir| *dir != folder.root()) {
                let _ = std::fs::remove_dir(dir);
            }
        }
        drop(lock);
    }
}

/// The folders on the way to `path` that do not exist, outermost first.
fn missing(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> = path
        .ancestors()
        .take_while(|p| !p.as_os_str().is_empty() && !p.exists())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    missing
}
