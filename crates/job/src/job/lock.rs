//! One process at a time works in a study's folder: it is locked before anything in it is made.

use crate::fault;
use crate::io::{sweep, sync_folder};
use crate::job::StudyFolder;
use crate::job::error::{JobError, io};
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
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
            let made = make_all(root)?;
            let path = folder.lock();
            let lock = match fault::create(&path, OpenOptions::new().write(true).create(true)) {
                Ok(lock) => lock,
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
                Err(e) => {
                    unmake(&made);
                    return Err(io(&path)(e));
                }
            };
            match fault::try_lock(&lock) {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(JobError::Busy(root.to_owned())),
                Err(TryLockError::Error(e)) => return Err(io(&path)(e)),
            }
            if fault::is_at(&lock, &path).unwrap_or(false) {
                let mut locked = Self { folder, lock, made };
                if let Err(error) = locked.prepare() {
                    locked.withdraw();
                    return Err(error);
                }
                return Ok(locked);
            }
        }
        Err(JobError::Busy(root.to_owned()))
    }

    /// Makes the folders in it, and clears away what a process that was killed left half written.
    fn prepare(&mut self) -> Result<(), JobError> {
        for dir in [self.folder.internal(), self.folder.records()] {
            self.make(dir)?;
        }
        let Self { folder, .. } = self;
        [folder.root().to_owned(), folder.internal(), folder.records(), folder.release()]
            .iter()
            .for_each(|dir| sweep(dir));
        Ok(())
    }

    /// Makes a folder for its owner only, and remembers having made it.
    fn make(&mut self, dir: PathBuf) -> Result<(), JobError> {
        if dir.is_dir() {
            return Ok(());
        }
        #[cfg_attr(not(unix), expect(unused_mut, reason = "only unix has modes"))]
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        fault::create_folder(&dir, &builder).map_err(io(&dir))?;
        sync_folder(dir.parent().unwrap_or(&dir));
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
            let _ = fault::remove_folder(dir);
        }
        let only_lock = std::fs::read_dir(folder.root()).is_ok_and(|entries| entries.count() <= 1);
        if made_root && only_lock {
            // While the lock is held: nobody else can have begun here.
            let _ = fault::remove(&folder.lock());
            for dir in made.iter().rev().skip_while(|dir| *dir != folder.root()) {
                let _ = fault::remove_folder(dir);
            }
        }
        drop(lock);
    }
}

/// Makes a folder and those on the way to it, and waits until their names are on the disk: a ledger in them is to be found after a crash.
/// Returns those that it made, outermost first.
fn make_all(root: &Path) -> Result<Vec<PathBuf>, JobError> {
    let mut made = Vec::new();
    for dir in missing(root) {
        match fault::create_folder(&dir, &DirBuilder::new()) {
            Ok(()) => {
                sync_folder(
                    dir.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new(".")),
                );
                made.push(dir);
            }
            // Another process was quicker.
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && dir.is_dir() => {}
            Err(e) => {
                unmake(&made);
                return Err(io(&dir)(e));
            }
        }
    }
    Ok(made)
}

/// Removes folders that were made, as far as they are empty.
fn unmake(made: &[PathBuf]) {
    for dir in made.iter().rev() {
        let _ = fault::remove_folder(dir);
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
