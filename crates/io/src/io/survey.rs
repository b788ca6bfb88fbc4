//! What is in folders: which files are scans, and why the others are none. For whoever wants to know before a study; [`list_scans`] is what a
//! study takes.
//!
//! [`list_scans`]: super::list_scans

use super::error::{Fault, one_line};
use super::formats::{Content, format_of};
use super::open::refuse_special;
use super::scans::{LEADS_NOWHERE, check_named, check_once, is_other_text, natural_key};
use super::text::ending;
use std::fs;
use std::path::{Path, PathBuf};

/// What was found, each in the natural order of paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// Files that are scans by their names.
    pub scans: Vec<PathBuf>,
    /// What is passed over, and why.
    pub skipped: Vec<(PathBuf, String)>,
    /// What would stop a study, and what to do about it.
    pub failed: Vec<(PathBuf, String)>,
}

/// Looks through files and folders, and with `recursive` through the folders in them. Opens no file. Never fails: what is wrong is told.
pub fn survey(paths: &[PathBuf], recursive: bool) -> Survey {
    let mut found = Survey::default();
    for path in paths {
        match fs::metadata(path) {
            Ok(about) if about.is_dir() => found.folder(path, recursive, 0),
            Ok(_) => found.given(path),
            Err(e) => found.failed.push((path.clone(), Fault::from(e).to_string())),
        }
    }
    found.scans.sort_by_cached_key(|path| natural_key(path));
    // One pair at a time, as a study would tell them.
    while let Err(error) = check_once(&found.scans) {
        let Some(at) = found.scans.iter().position(|scan| scan == error.path()) else { break };
        let path = found.scans.remove(at);
        found.failed.push((path, error.problem()));
    }
    found.skipped.sort_by_cached_key(|(path, _)| natural_key(path));
    found.failed.sort_by_cached_key(|(path, _)| natural_key(path));
    found
}

/// Folders in folders are followed so far.
const DEEPEST: usize = 32;

impl Survey {
    fn given(&mut self, path: &Path) {
        match refuse_special(path).and_then(|()| check_named(path)) {
            Ok(()) => self.scans.push(path.to_owned()),
            Err(error) => self.failed.push((path.to_owned(), error.problem())),
        }
    }

    fn folder(&mut self, folder: &Path, recursive: bool, depth: usize) {
        let before = self.scans.len();
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(e) => return self.failed.push((folder.to_owned(), Fault::from(e).to_string())),
        };
        for entry in entries {
            match entry {
                Ok(entry) => self.entry(&entry.path(), recursive, depth),
                Err(e) => self.failed.push((folder.to_owned(), Fault::from(e).to_string())),
            }
        }
        if depth == 0 && self.scans.len() == before {
            let none = Fault::NoScans { known: Content::Scan.endings() };
            self.failed.push((folder.to_owned(), none.to_string()));
        }
    }

    fn entry(&mut self, path: &Path, recursive: bool, depth: usize) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_scan = format_of(path, Content::Scan).is_ok() && !is_other_text(path);
        let mut skip = |why: String| self.skipped.push((path.to_owned(), why));
        if name.starts_with('.') {
            return skip("is hidden (its name begins with a dot)".into());
        }
        let Ok(about) = fs::metadata(path) else {
            let problem = LEADS_NOWHERE.to_owned();
            if is_scan {
                self.failed.push((path.to_owned(), problem))
            } else {
                skip(problem)
            }
            return;
        };
        if about.is_dir() {
            let linked = path.is_symlink();
            match recursive && !linked && depth < DEEPEST {
                true => self.folder(path, recursive, depth + 1),
                false if linked => skip("is a link to a folder; give that folder, if its scans count".into()),
                false if recursive => skip("is a folder too deep in others to be looked into".into()),
                false => skip("is a folder; --recursive looks into it".into()),
            }
            return;
        }
        if let Err(error) = refuse_special(path) {
            return skip(error.problem());
        }
        match is_scan {
            true => self.scans.push(path.to_owned()),
            false => skip(why_no_scan(path)),
        }
    }
}

/// Why a file is no scan by its name.
fn why_no_scan(path: &Path) -> String {
    if format_of(path, Content::Scan).is_ok() {
        return "has the name of a table of landmarks or people, or of a text".into();
    }
    match ending(path).as_str() {
        "" => format!("has no ending; known for scans are {}", Content::Scan.endings()),
        other => {
            let other = one_line(Path::new(other));
            format!("has the ending .{other}, which is not read as a scan ({} are)", Content::Scan.endings())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_a_scan_or_told_why_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        for name in [
            "sub-1/a.ply",
            "sub-2/ses-1/a.ply",
            "b.ply",
            "b.obj",
            "notes.txt",
            "participants.csv",
            ".c.ply",
            "d.docx",
            "plain",
        ] {
            fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            fs::write(path(name), name).unwrap();
        }
        let names = |list: &[PathBuf]| -> Vec<String> {
            list.iter()
                .map(|p| p.strip_prefix(dir.path()).unwrap().to_string_lossy().replace('\\', "/"))
                .collect()
        };
        let flat = survey(&[dir.path().to_owned()], false);
        assert_eq!(names(&flat.scans).len(), 1);
        assert_eq!(flat.skipped.len(), 7);
        assert!(flat.failed[0].1.contains("but for the ending"), "{:?}", flat.failed);
        let deep = survey(&[dir.path().to_owned()], true);
        assert_eq!(names(&deep.scans).iter().filter(|name| name.ends_with("a.ply")).count(), 2);
        let why = |name: &str| {
            flat.skipped.iter().find(|(p, _)| p.ends_with(name)).map(|(_, why)| why.as_str()).unwrap()
        };
        assert!(why("participants.csv").contains("people") && why("notes.txt").contains("text"));
        assert!(
            why(".c.ply").contains("hidden")
                && why("d.docx").contains(".docx")
                && why("plain").contains("no ending")
        );
        assert!(why("sub-1").contains("--recursive"));
        let given = survey(&[path("absent"), path("notes.txt"), path("sub-2")], false);
        assert_eq!((given.scans.len(), given.failed.len()), (0, 3));
    }
}
