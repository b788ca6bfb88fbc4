//! What can be shown behind a path.

use crate::error::ViewerError;
use crate::groups;
use std::path::{Path, PathBuf};
use visard::io::list_scans;
use visard::norm::map::{MAP, table_of};
use visard::study::StudyFolder;
use visard::study::layout::{
    CURVES, INTERNAL, MEAN_PLY, MEAN_TPS, NONPRIVATE_CURVES, NONPRIVATE_MEAN_PLY, NONPRIVATE_MEAN_TPS,
    RELEASE, SCANS,
};

/// Something that can be loaded when it is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name in lists.
    pub name: String,
    /// The file.
    pub path: PathBuf,
}

/// What lies behind a path, without reading the files: a study's release first, then what is internal, then scans.
///
/// # Errors
/// [`ViewerError::EmptyFolder`], [`ViewerError::Missing`]: nothing there to show.
pub fn entries(path: &Path) -> Result<Vec<Entry>, ViewerError> {
    if !path.exists() {
        return Err(ViewerError::Missing(path.to_owned()));
    }
    if !path.is_dir() {
        return Ok(vec![entry(path.to_owned(), path)]);
    }
    let study = StudyFolder::at(path);
    let (release, internal) = (study.release(), study.internal());
    // A study's folder, its release/ or its internal/ alone.
    let known: [(&Path, &str); 13] = [
        (&release, MEAN_PLY),
        (&release, MEAN_TPS),
        (&release, CURVES),
        (path, MEAN_PLY),
        (path, MEAN_TPS),
        (path, CURVES),
        (&internal, NONPRIVATE_MEAN_PLY),
        (&internal, NONPRIVATE_MEAN_TPS),
        (&internal, NONPRIVATE_CURVES),
        (path, NONPRIVATE_MEAN_PLY),
        (path, NONPRIVATE_CURVES),
        // Somebody held against a norm.
        (&internal, MAP),
        (path, MAP),
    ];
    let mut found: Vec<Entry> = known
        .iter()
        .map(|(folder, name)| folder.join(name))
        .filter(|file| file.is_file())
        .map(|file| entry(file, path))
        .collect();
    found.splice(0..0, means_of_groups(&release).into_iter().map(|file| entry(file, path)));
    for folder in [path.join(SCANS), path.to_owned()] {
        // A folder without scans is no error here.
        for file in list_scans(&[folder]).unwrap_or_default() {
            if !found.iter().any(|e| e.path == file) {
                found.push(entry(file, path));
            }
        }
    }
    if found.is_empty() {
        return Err(ViewerError::EmptyFolder(path.to_owned()));
    }
    Ok(found)
}

/// The means of groups that were compared, in the order of their names.
fn means_of_groups(release: &Path) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(release).into_iter().flatten().flatten().map(|found| found.path());
    let mut means: Vec<PathBuf> = listed.filter(|file| groups::label(file).is_some()).collect();
    means.sort();
    means
}

/// Whether this is the map of somebody held against a norm, or the folder that `assess` wrote it to.
pub fn is_map(path: &Path) -> bool {
    let inside = StudyFolder::at(path).internal().join(MAP);
    [path.to_owned(), path.join(MAP), inside].iter().any(|map| map.is_file() && table_of(map).is_some())
}

fn entry(file: PathBuf, root: &Path) -> Entry {
    let inside = file.strip_prefix(root).ok().filter(|p| !p.as_os_str().is_empty());
    let name = inside.unwrap_or(&file).display().to_string();
    Entry { name, path: file }
}

/// A file's name; with its study's where every study has a file of that name.
pub fn short_name(file: &Path) -> String {
    let parts: Vec<_> = file.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    let in_study = parts.iter().rev().nth(1).is_some_and(|folder| folder == RELEASE || folder == INTERNAL);
    parts[parts.len().saturating_sub(if in_study { 3 } else { 1 })..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_study_is_listed_release_first_without_reading_its_files() {
        let dir = tempfile::tempdir().unwrap();
        for file in ["release/mean.ply", "internal/nonprivate_mean.ply", "scans/a.ply", "scans/b.xyz"] {
            let file = dir.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "not a mesh").unwrap();
        }
        let names: Vec<String> = entries(dir.path()).unwrap().into_iter().map(|e| e.name).collect();
        assert_eq!(names, ["release/mean.ply", "internal/nonprivate_mean.ply", "scans/a.ply", "scans/b.xyz"]);
        let patient = tempfile::tempdir().unwrap();
        std::fs::create_dir(patient.path().join("internal")).unwrap();
        std::fs::write(patient.path().join("internal/map.ply"), "not a mesh").unwrap();
        // Somebody's own mesh of that name, with a table of their own.
        std::fs::write(patient.path().join("internal/map.csv"), "a,b,c,d,e\n1,2,3,4,5\n").unwrap();
        assert!(!is_map(patient.path()));
        std::fs::write(patient.path().join("internal/map.csv"), "vertex,x,y,z,z_value,along\n").unwrap();
        assert!(is_map(patient.path()) && !is_map(dir.path()));
        assert_eq!(entries(patient.path()).unwrap()[0].name, "internal/map.ply");
        let empty = tempfile::tempdir().unwrap();
        assert!(entries(empty.path()).unwrap_err().to_string().contains("no release"));
    }

    #[test]
    fn names_tell_studies_apart() {
        assert_eq!(short_name(Path::new("/a/b/study/release/mean.ply")), "study/release/mean.ply");
        assert_eq!(short_name(Path::new("internal/x.npy")), "internal/x.npy");
        assert_eq!(short_name(Path::new("/scans/a.ply")), "a.ply");
    }
}
