//! What a disk holds after the power failed: for tests, which put a disk under what they try.
//!
//! What a file holds is on the disk once it is synced, a name in a folder once the folder is; until then either may be there or not, each
//! by itself. That is less than what most systems promise, so what survives this survives them.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Which of the things that were not yet on the disk got there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// All: the process ended, not the power.
    All,
    /// None.
    Nothing,
    /// All names, but not what files hold.
    Names,
    /// What files hold, but no names.
    Contents,
    /// Some, by chance.
    Some(u64),
}

/// A file or a folder, whatever it is called.
type Id = u64;

type Names = BTreeMap<OsString, Id>;

/// What is on the disk for sure, below a folder.
#[derive(Debug)]
pub(super) struct Disk {
    root: PathBuf,
    /// Numbers of the system's, which may be given out again, and ours.
    ids: HashMap<u64, Id>,
    next: Id,
    files: HashMap<Id, Vec<u8>>,
    folders: HashMap<Id, Names>,
}

impl Disk {
    /// All that is below `root` now.
    pub(super) fn of(root: &Path) -> Self {
        let mut disk = Self {
            root: root.to_owned(),
            ids: HashMap::new(),
            next: 0,
            files: HashMap::new(),
            folders: HashMap::new(),
        };
        disk.keep(root);
        disk
    }

    fn keep(&mut self, path: &Path) {
        if path.is_dir() {
            for entry in entries(path) {
                self.keep(&entry);
            }
            self.synced_folder(path);
        } else {
            self.synced(path);
        }
    }

    /// Its number; tests with a disk are for systems that give one.
    #[cfg(not(unix))]
    fn number(_: &Path) -> u64 {
        0
    }

    #[cfg(unix)]
    fn number(path: &Path) -> u64 {
        use std::os::unix::fs::MetadataExt;
        fs::symlink_metadata(path).map_or(0, |about| about.ino())
    }

    fn id(&mut self, path: &Path) -> Id {
        let next = &mut self.next;
        *self.ids.entry(Self::number(path)).or_insert_with(|| {
            *next += 1;
            *next
        })
    }

    /// A file is there that may be new.
    pub(super) fn opened(&mut self, path: &Path) {
        // The number of one that is gone may have been given to it.
        let known = self.ids.get(&Self::number(path)).is_some_and(|id| self.is_named(path, *id));
        if !known {
            self.made(path);
        }
    }

    /// Whether the disk has this very file under this very name.
    fn is_named(&self, path: &Path, id: Id) -> bool {
        let folder = path.parent().and_then(|folder| self.ids.get(&Self::number(folder)));
        let names = folder.and_then(|folder| self.folders.get(folder));
        names.zip(path.file_name()).is_some_and(|(names, name)| names.get(name) == Some(&id))
    }

    /// A file or a folder is new.
    pub(super) fn made(&mut self, path: &Path) {
        self.ids.remove(&Self::number(path));
        self.id(path);
    }

    pub(super) fn synced(&mut self, path: &Path) {
        let (id, bytes) = (self.id(path), fs::read(path).unwrap_or_default());
        self.files.insert(id, bytes);
    }

    pub(super) fn synced_folder(&mut self, path: &Path) {
        let names = self.names_now(path);
        let id = self.id(path);
        self.folders.insert(id, names);
    }

    fn names_now(&mut self, folder: &Path) -> Names {
        entries(folder)
            .into_iter()
            .filter_map(|path| Some((path.file_name()?.to_owned(), self.id(&path))))
            .collect()
    }

    /// Leaves below the root what the disk holds.
    pub(super) fn fails(mut self, after: After) {
        if after == After::All {
            return;
        }
        let root = self.root.clone();
        let mut now = Now::default();
        self.look(&root, &mut now);
        let id = self.id(&root);
        for entry in entries(&root) {
            if entry.is_dir() { fs::remove_dir_all(&entry) } else { fs::remove_file(&entry) }.unwrap();
        }
        self.write(&root, id, &now, &mut Chance::of(after));
    }

    /// All there is, before it is lost.
    fn look(&mut self, folder: &Path, now: &mut Now) {
        let names = self.names_now(folder);
        let id = self.id(folder);
        now.folders.insert(id, names);
        for path in entries(folder) {
            if path.is_dir() {
                self.look(&path, now);
            } else {
                let id = self.id(&path);
                now.files.insert(id, fs::read(&path).unwrap());
            }
        }
    }

    fn write(&self, at: &Path, id: Id, now: &Now, chance: &mut Chance) {
        let empty = Names::new();
        let (sure, new) = (self.folders.get(&id).unwrap_or(&empty), now.folders.get(&id).unwrap_or(&empty));
        let mut all: Vec<&OsString> = sure.keys().chain(new.keys()).collect();
        all.sort();
        all.dedup();
        for name in all {
            let (old, new) = (sure.get(name), new.get(name));
            let Some(id) = (if old == new || !chance.name() { old } else { new }) else { continue };
            let path = at.join(name);
            if now.folders.contains_key(id) || self.folders.contains_key(id) {
                fs::create_dir(&path).unwrap();
                self.write(&path, *id, now, chance);
                continue;
            }
            let sure = self.files.get(id).map(Vec::as_slice).unwrap_or_default();
            let new = now.files.get(id).map_or(sure, Vec::as_slice);
            fs::write(&path, chance.content(sure, new)).unwrap();
        }
    }
}

/// All there is when the power fails.
#[derive(Default)]
struct Now {
    files: HashMap<Id, Vec<u8>>,
    folders: HashMap<Id, Names>,
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// What gets to the disk.
struct Chance {
    after: After,
    state: u64,
}

impl Chance {
    fn of(after: After) -> Self {
        Self { after, state: if let After::Some(seed) = after { seed } else { 0 } }
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn name(&mut self) -> bool {
        match self.after {
            After::All | After::Names => true,
            After::Nothing | After::Contents => false,
            After::Some(_) => self.next().is_multiple_of(2),
        }
    }

    fn content(&mut self, sure: &[u8], new: &[u8]) -> Vec<u8> {
        match self.after {
            After::All | After::Contents => new.to_vec(),
            After::Nothing | After::Names => sure.to_vec(),
            // Files grow at their end: some of what was added.
            After::Some(_) if new.starts_with(sure) => {
                let added = (new.len() - sure.len()) as u64 + 1;
                new[..sure.len() + (self.next() % added) as usize].to_vec()
            }
            After::Some(_) => if self.next().is_multiple_of(2) { new } else { sure }.to_vec(),
        }
    }
}
