//! The scans of a study: files and folders as given, made a list in an order that is the same everywhere.

use super::error::{Fault, ReadError};
use super::formats::{Content, format_of, mask_format};
use super::open::refuse_special;
use super::text::{ending, specimen_name};
use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The scan files behind files and folders.
///
/// Folders are listed, but not what is in folders in them. Passed over in a folder are hidden files, files without
/// a scan's ending, tables of landmarks (a name with the word landmarks, such as `landmarks.csv` or
/// `s01_landmarks.csv`), of people (`participants.csv`, `covariates.csv`) and texts about the folder (`readme.txt`, `notes.txt`). The list is sorted by path in
/// natural order (`s2` before `s10`, capitals or not), whatever the order given: the same study gives the same
/// list on every system.
///
/// # Errors
/// [`ReadError`]: a path that is not there; a folder without scans; a file given that has no scan's ending or is a
/// table of landmarks by its name; and, since one person counted twice would break the guarantee that a release
/// gives to one person, a file given twice (under whatever name) and two in one folder that differ in their ending
/// only.
pub fn list_scans(paths: &[PathBuf]) -> Result<Vec<PathBuf>, ReadError> {
    let mut scans = Vec::new();
    for path in paths {
        let about = fs::metadata(path).map_err(|e| ReadError::new(path, e))?;
        if about.is_dir() {
            scans.append(&mut in_folder(path)?);
        } else {
            refuse_special(path)?;
            check_named(path)?;
            scans.push(path.clone());
        }
    }
    scans.sort_by_cached_key(|path| natural_key(path));
    check_once(&scans)?;
    Ok(scans)
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let is_scan = |path: &Path| format_of(path, Content::Scan).is_ok() && !is_other_text(path);
    let scans = files_in(folder, is_scan)?;
    if scans.is_empty() {
        let fault = Fault::NoScans { known: Content::Scan.endings() };
        return Err(ReadError::new(folder, fault));
    }
    Ok(scans)
}

/// What is wrong with a link to nothing: a person's scan may be missing.
pub(super) const LEADS_NOWHERE: &str =
    "is a link that leads nowhere; mount or copy what it led to, or remove it";

/// The files of a folder that are wanted, not those in folders in it, nor hidden ones.
fn files_in(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, ReadError> {
    let system = |e| ReadError::new(folder, e);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(system)? {
        let path = entry.map_err(system)?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden || !wanted(&path) {
            continue;
        }
        if path.is_symlink() && !path.exists() {
            return Err(ReadError::new(&path, Fault::Malformed(LEADS_NOWHERE)));
        }
        if path.is_file() {
            files.push(path);
        }
    }
    Ok(files)
}

/// The files of a folder in which every file is one specimen's landmarks (3D Slicer's `.mrk.json` and `.fcsv`), in natural order.
pub(super) fn specimens_in(folder: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let none = "is a folder without .mrk.json or .fcsv files, which would be a specimen each; give the file with the shapes";
    each_once(folder, none, |path| SPECIMENS.contains(&ending(path).as_str()))
}

/// The files of a folder in which every file is one record's mask, in natural order.
pub(super) fn masks_in(folder: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let none = "is a folder without masks (.png, .tif, .tiff, .npy, .nii, .nii.gz, .nrrd, .dcm), which would be a record each";
    each_once(folder, none, |path| mask_format(path).is_ok())
}

/// What is passed over where the masks of a folder are read, in words; `None` where nothing is.
pub fn beside_masks(folder: &Path) -> Option<String> {
    let others = files_in(folder, |path| mask_format(path).is_err() && path.is_file()).ok()?;
    let name = others.first()?.file_name()?.to_string_lossy().into_owned();
    Some(format!(
        "{}: {} files are not masks by their endings and were passed over, {name:?} among them",
        folder.display(),
        others.len()
    ))
}

/// Whether a path leads to masks where shapes are wanted: a folder with some, and no landmarks of 3D Slicer, or a file that holds nothing else.
pub fn holds_masks(path: &Path) -> bool {
    let is_mask = |path: &Path| mask_format(path).is_ok();
    let has = |wanted: &dyn Fn(&Path) -> bool| files_in(path, wanted).is_ok_and(|files| !files.is_empty());
    match path.is_dir() {
        true => has(&is_mask) && !has(&|path| SPECIMENS.contains(&ending(path).as_str())),
        false => is_mask(path) && format_of(path, Content::Shapes).is_err(),
    }
}

/// The wanted files of a folder, in natural order, each record once; there is at least one.
fn each_once(
    folder: &Path,
    none: &'static str,
    wanted: impl Fn(&Path) -> bool,
) -> Result<Vec<PathBuf>, ReadError> {
    let mut files = files_in(folder, wanted)?;
    if files.is_empty() {
        return Err(ReadError::new(folder, Fault::Malformed(none)));
    }
    files.sort_by_cached_key(|path| natural_key(path));
    check_once(&files)?;
    let mut named = HashMap::new();
    for file in &files {
        let name = file.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        if let Some(other) = named.insert(specimen_name(&name).to_owned(), file) {
            return Err(ReadError::new(file, Fault::SameStem { other: other.clone() }));
        }
    }
    Ok(files)
}

/// Endings of files that hold one specimen.
const SPECIMENS: [&str; 2] = ["json", "fcsv"];

pub(super) fn check_named(path: &Path) -> Result<(), ReadError> {
    format_of(path, Content::Scan).map_err(|fault| ReadError::new(path, fault))?;
    if is_other_text(path) {
        let text = "has the name of a table of landmarks or people, or of a text, not of a scan; give the scan, or rename the file";
        return Err(ReadError::new(path, Fault::Malformed(text)));
    }
    Ok(())
}

/// Texts about a folder, by the whole name.
const TEXTS: [&str; 19] = [
    "readme",
    "license",
    "licence",
    "changes",
    "changelog",
    "authors",
    "citation",
    "contents",
    "index",
    "log",
    "todo",
    "people",
    "persons",
    "subjects",
    "sessions",
    "samples",
    "group",
    "groups",
    "ages",
];
/// Words of names of tables about people.
const TABLES: [&str; 14] = [
    "landmark",
    "landmarks",
    "participant",
    "participants",
    "covariate",
    "covariates",
    "demographic",
    "demographics",
    "metadata",
    "manifest",
    "note",
    "notes",
    "questionnaire",
    "phenotype",
];

/// Whether a file of a format that may hold landmarks or a table too is by its name no scan. By its name alone: what counts as a person may
/// not depend on what a file holds.
pub(super) fn is_other_text(path: &Path) -> bool {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
    let mut words = stem.split(|c: char| !c.is_alphabetic());
    // A table of a folder's scans, as BIDS has it: `sub-01_scans.tsv`.
    let of_scans = ending(path) == "tsv" && stem.split('_').next_back() == Some("scans");
    format_of(path, Content::Landmarks).is_ok()
        && (of_scans || TEXTS.contains(&stem.as_str()) || words.any(|word| TABLES.contains(&word)))
}

/// What a file is, whatever it is called.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Identity {
    #[cfg(unix)]
    Inode(u64, u64),
    #[cfg(not(unix))]
    Path(PathBuf),
}

impl Identity {
    #[cfg(unix)]
    fn of(path: &Path) -> std::io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).map(|about| Identity::Inode(about.dev(), about.ino()))
    }

    #[cfg(not(unix))]
    fn of(path: &Path) -> std::io::Result<Self> {
        crate::fault::real_path(path).map(Identity::Path)
    }
}

pub(super) fn check_once(scans: &[PathBuf]) -> Result<(), ReadError> {
    let mut files = HashMap::new();
    let mut stems = HashMap::new();
    for path in scans {
        let identity = Identity::of(path).map_err(|e| ReadError::new(path, e))?;
        if let Some(other) = files.insert(identity, path) {
            return Err(ReadError::new(path, Fault::GivenTwice { other: other.clone() }));
        }
        let stem = std::path::absolute(path).unwrap_or_else(|_| path.clone()).with_extension("");
        if let Some(other) = stems.insert(stem, path) {
            return Err(ReadError::new(path, Fault::SameStem { other: other.clone() }));
        }
    }
    Ok(())
}

/// A part of a name: digits compare by their number, all else letter by letter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// How many digits without leading zeros, and these: compares as the number of any size does.
    Digits(usize, String),
    Text(String),
}

/// Sorts paths folder by folder in natural order; the path itself decides where that leaves two equal.
pub(super) fn natural_key(path: &Path) -> (Vec<Vec<Part>>, PathBuf) {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let names = absolute.components().filter_map(|component| match component {
        Component::Normal(name) => Some(natural_parts(&name.to_string_lossy())),
        _ => None,
    });
    (names.collect(), absolute.clone())
}

fn natural_parts(name: &str) -> Vec<Part> {
    let name = name.to_lowercase();
    let mut parts = Vec::new();
    let mut rest = name.as_str();
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != is_digit).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        parts.push(if is_digit {
            let digits = part.trim_start_matches('0');
            Part::Digits(digits.len(), digits.to_owned())
        } else {
            Part::Text(part.to_owned())
        });
        rest = after;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    fn compare(a: &str, b: &str) -> Ordering {
        natural_parts(a).cmp(&natural_parts(b))
    }

    /// A folder with empty files of these names.
    fn folder(names: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for name in names {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        dir
    }

    fn listed(dir: &tempfile::TempDir, given: &[&str]) -> Result<Vec<String>, String> {
        let given: Vec<_> = given.iter().map(|name| dir.path().join(name)).collect();
        let relative = |path: PathBuf| {
            let path = path.strip_prefix(dir.path()).unwrap().to_string_lossy().into_owned();
            path.replace('\\', "/")
        };
        let strip = |e: ReadError| e.to_string().replace(&format!("{}/", dir.path().display()), "");
        list_scans(&given).map(|list| list.into_iter().map(relative).collect()).map_err(strip)
    }

    /// These are empty: what a record's file holds does not decide how many records there are.
    #[test]
    fn masks_of_a_folder_are_counted_by_their_names() {
        let dir = folder(&["IM2", "IM10", "b.dcm", "a.png", "README", "DICOMDIR", "notes.txt"]);
        let names: Vec<String> = masks_in(dir.path())
            .unwrap()
            .iter()
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, ["a.png", "b.dcm", "IM2", "IM10"]);
        assert!(beside_masks(dir.path()).unwrap().contains("3 files"));
    }

    #[test]
    fn names_sort_as_people_count() {
        let sorted = [
            "",
            "2",
            "10",
            "face",
            "face1.ply",
            "Face2.ply",
            "face02b",
            "face10.ply",
            "face99999999999999999999",
            "é",
        ];
        for pair in sorted.windows(2) {
            assert_eq!(compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(compare(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
        }
    }

    #[test]
    fn a_folder_gives_its_scans_in_natural_order() {
        let dir = folder(&[
            "s10.ply",
            "s2.PLY",
            "S1.obj",
            "s3.xyz",
            "s4.csv",
            "s5.npy",
            "landmarks.csv",
            "s2_landmarks.csv",
            "s2.landmarks.CSV",
            "landmarks68.csv",
            "README.txt",
            "notes.md",
            ".s7.ply",
            "._s2.ply",
            "deeper/s6.ply",
            "landmarks.ply",
        ]);
        let expected = ["landmarks.ply", "S1.obj", "s2.PLY", "s3.xyz", "s4.csv", "s5.npy", "s10.ply"];
        assert_eq!(listed(&dir, &[""]).unwrap(), expected);
        // The order given does not matter.
        assert_eq!(
            listed(&dir, &["s10.ply", "deeper", "s2.PLY"]).unwrap(),
            ["deeper/s6.ply", "s2.PLY", "s10.ply"]
        );
        assert_eq!(
            listed(&dir, &["s2.PLY", "s10.ply", "deeper"]).unwrap(),
            ["deeper/s6.ply", "s2.PLY", "s10.ply"]
        );
        // By hand even a hidden file.
        assert_eq!(listed(&dir, &[".s7.ply"]).unwrap(), [".s7.ply"]);
        assert_eq!(listed(&dir, &[]).unwrap(), [""; 0]);
    }

    #[test]
    fn one_person_twice_is_refused() {
        let dir = folder(&["a/s1.ply", "a/s2.ply", "b/s1.ply", "c/s1.ply", "c/s1.obj"]);
        assert!(listed(&dir, &["a", "b"]).is_ok());
        for given in [["a", "a/s2.ply"], ["a/s2.ply", "a/s2.ply"], ["a/s2.ply", "b/../a/s2.ply"]] {
            let message = listed(&dir, &given).unwrap_err();
            assert!(message.contains("is given twice (also as "), "{message}");
        }
        let message = listed(&dir, &["c"]).unwrap_err();
        assert!(message.starts_with("c/s1.ply: has the name of c/s1.obj but for the ending; "), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn links_to_one_file_are_one_file() {
        let dir = folder(&["s1.ply"]);
        std::os::unix::fs::symlink(dir.path().join("s1.ply"), dir.path().join("s2.ply")).unwrap();
        fs::hard_link(dir.path().join("s1.ply"), dir.path().join("s3.ply")).unwrap();
        for twin in ["s2.ply", "s3.ply"] {
            assert!(listed(&dir, &["s1.ply", twin]).unwrap_err().contains("is given twice"), "{twin}");
        }
    }

    #[test]
    fn what_is_no_scan_is_refused_if_given_by_hand() {
        let dir = folder(&["empty/notes.md", "s1.doc", "s1", "landmarks.csv"]);
        for (given, expected) in [
            ("absent.ply", "absent.ply: there is no such file or folder; check the path"),
            ("empty", "empty: holds no scans; known endings are .ply, .obj, "),
            ("s1.doc", "s1.doc: has a name with an unknown ending; known for scans are .ply, .obj, "),
            ("s1", "s1: has a name with an unknown ending; "),
            (
                "landmarks.csv",
                "landmarks.csv: has the name of a table of landmarks or people, or of a text, not of a scan; ",
            ),
        ] {
            let message = listed(&dir, &[given]).unwrap_err();
            assert!(message.starts_with(expected), "{message}");
        }
    }
}
