//! Where a study's records come from: scans, an array made elsewhere, a folder that stage one has filled.

use super::error::StudyError;
use super::prepared::PreparedFile;
use super::record::is_landmark_file;
use super::settings::FaceInputs;
use crate::io::{Manifest, list_scans, survey};
use crate::study::records::{Making, RecordFolder};
use crate::study::{Counting, People, PeopleError, Whose};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// So many files that are passed over are named.
const PASSED_OVER: usize = 3;

/// The records of a study, none of which has been read.
pub(super) enum Source {
    /// Scans of folders, or those that a manifest lists.
    Scans { scans: Vec<PathBuf>, manifest: Option<Manifest> },
    /// An array.
    Prepared(PreparedFile),
    /// Records that stage one made, or is still to make.
    Stored { manifest: Manifest, folder: PathBuf },
}

impl Source {
    /// Looks what there is; opens no scan and no record.
    pub(super) fn open(settings: &FaceInputs) -> Result<Self, StudyError> {
        let manifest = match &settings.manifest {
            Some(file) => Some(Manifest::read(file)?.within(&settings.inputs)),
            None => None,
        };
        match (&settings.prepared, &settings.records, manifest) {
            (Some(file), None, None) => {
                Ok(Self::Prepared(PreparedFile::open(file, settings.curves, settings.samples)?))
            }
            (None, Some(folder), Some(manifest)) => Ok(Self::Stored { manifest, folder: folder.clone() }),
            (None, Some(_), None) => Err(StudyError::Shape(
                "a folder of records goes with the manifest that they were made of: n is what it lists",
            )),
            (None, None, Some(manifest)) => {
                manifest.check_there(0..manifest.len())?;
                Ok(Self::Scans { scans: manifest.scans().to_vec(), manifest: Some(manifest) })
            }
            (None, None, None) => Ok(Self::Scans { scans: list_scans(&settings.inputs)?, manifest: None }),
            (Some(_), ..) => Err(StudyError::Shape(
                "prepared records are a single array; leave out the manifest and the folder of records",
            )),
        }
    }

    /// Number of records, lost ones included.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Scans { scans, .. } => scans.len(),
            Self::Prepared(file) => file.count(),
            Self::Stored { manifest, .. } => manifest.len(),
        }
    }

    /// All names that a record goes by in tables.
    pub(super) fn names(&self, record: usize) -> Vec<String> {
        match self {
            Self::Scans { manifest: Some(manifest), .. } | Self::Stored { manifest, .. } => {
                manifest.names(record).to_vec()
            }
            Self::Scans { scans, manifest: None } => {
                scans.get(record).map_or_else(Vec::new, |scan| names(scan))
            }
            Self::Prepared(_) => vec![record.to_string()],
        }
    }

    /// What messages call a record.
    pub(super) fn shown(&self, record: usize) -> String {
        match self {
            Self::Scans { scans, .. } => {
                scans.get(record).map_or_else(String::new, |scan| scan.display().to_string())
            }
            Self::Prepared(_) => format!("record {record}"),
            Self::Stored { manifest, .. } => manifest.listed(record).to_owned(),
        }
    }

    /// The scans that are at hand.
    pub(super) fn scans(&self) -> &[PathBuf] {
        match self {
            Self::Scans { scans, .. } => scans,
            Self::Prepared(_) | Self::Stored { .. } => &[],
        }
    }

    /// What of these folders is passed over, where folders are given: how much of it and why. Not hidden files, nor the scans' landmarks.
    pub(super) fn passed_over(&self, inputs: &[PathBuf]) -> Option<String> {
        let Self::Scans { manifest: None, .. } = self else { return None };
        let is_other = |path: &Path| {
            let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            !hidden && !is_landmark_file(path)
        };
        let skipped: Vec<_> =
            survey(inputs, false).skipped.into_iter().filter(|(path, _)| is_other(path)).collect();
        let told = |(path, why): &(PathBuf, String)| {
            let why = why.split([';', ',', '(']).next().unwrap_or_default().trim_end();
            format!("{} {why}", path.display())
        };
        let first: Vec<String> = skipped.iter().take(PASSED_OVER).map(told).collect();
        (!skipped.is_empty()).then(|| {
            format!(
                "passed over {} in these folders: {} (`visard check` lists all)",
                skipped.len(),
                first.join("; ")
            )
        })
    }

    /// What counts as a person: as was asked for, or by the manifest's column.
    pub(super) fn counting(&self, asked: &Counting) -> Result<Counting, PeopleError> {
        let (Self::Scans { manifest: Some(manifest), .. } | Self::Stored { manifest, .. }) = self else {
            return Ok(asked.clone());
        };
        match (&asked.people, manifest.has("person")) {
            (Some(people), true) => Err(PeopleError::Twice { people: people.to_string() }),
            (None, true) => {
                let people = Some(Whose::Table(manifest.file().path().to_owned()));
                Ok(Counting { people, ..asked.clone() })
            }
            (_, false) => Ok(asked.clone()),
        }
    }

    /// The people, counted so. What a manifest lists is a record each; of files and folders it is asked where they may be persons'.
    pub(super) fn people(&self, counting: &Counting) -> Result<People, PeopleError> {
        let names = |i: usize| self.names(i);
        match self {
            Self::Scans { scans, manifest } => {
                if manifest.is_none() {
                    counting.ask_about_folders(scans)?;
                }
                counting.people_of_scans(scans, &names)
            }
            Self::Stored { manifest, .. } => counting.people_of_scans(manifest.scans(), &names),
            Self::Prepared(file) => counting.people(file.count(), &names),
        }
    }

    /// The records that stage one made, if they are of this making.
    pub(super) fn stored(&self, making: &Making) -> Result<Option<Arc<RecordFolder>>, StudyError> {
        let Self::Stored { manifest, folder } = self else { return Ok(None) };
        let found = RecordFolder::open(folder, manifest)?;
        making.check(
            found.making(),
            folder,
            "give the template and the settings that they were prepared with, or prepare them again",
        )?;
        Ok(Some(Arc::new(found)))
    }
}

/// What a scan is called in tables about the records: its path as given, and the name of its file.
fn names(scan: &Path) -> Vec<String> {
    let path: PathBuf = scan.components().filter(|part| *part != Component::CurDir).collect();
    let name = scan.file_name().unwrap_or_default().to_string_lossy().into_owned();
    vec![scan.display().to_string(), path.display().to_string(), name]
}

/// What scans are called in tables: their paths below the folder that holds all of them.
pub(super) fn below_common(scans: &[PathBuf]) -> Vec<String> {
    let mut common = scans.first().and_then(|scan| scan.parent());
    for scan in scans {
        while let Some(folder) = common.filter(|folder| !scan.starts_with(folder)) {
            common = folder.parent();
        }
    }
    let below =
        |scan: &PathBuf| common.and_then(|folder| scan.strip_prefix(folder).ok()).unwrap_or(scan).to_owned();
    scans.iter().map(|scan| below(scan).display().to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_of_several_folders_keep_these_in_their_names() {
        let called = |scans: &[&str]| below_common(&scans.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(called(&["a/2023/x.ply", "a/2024/x.ply"]), ["2023/x.ply", "2024/x.ply"]);
        assert_eq!(called(&["a/x.ply", "a/y.ply"]), ["x.ply", "y.ply"]);
        assert_eq!(called(&["x.ply", "b/y.ply"]), ["x.ply", "b/y.ply"]);
        assert_eq!(called(&["/a/x.ply", "b/y.ply"]), ["/a/x.ply", "b/y.ply"]);
        assert_eq!(called(&[]), Vec::<String>::new());
    }
}
