//! What a study assumes to be public: files that are named and hashed in its certificate.

use super::layout::PREPARED;
use super::layout::{INTERNAL, RELEASE, REPORT, SHARED_LEDGER};
use crate::io::{Fault, Limit, Opened, ReadError, internal, open};
use crate::privacy::{LEDGER_FILE, PublicInput};
use std::path::Path;

/// The certificate's entry for a file that is assumed public: its name without folders, and the hash of the very bytes that whoever
/// holds `file` parses. Every public input of every study goes through here before anything is charged.
///
/// # Errors
/// [`Fault::Secret`] for a file that visard wrote for the data holder only.
pub fn public_input(file: &Opened) -> Result<PublicInput, ReadError> {
    refuse_secret(file)?;
    let name = file.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(PublicInput { name, sha256: hex::encode(file.sha256()) })
}

/// Whether this is a file that visard wrote for the data holder only, as far as mark and place tell.
pub fn is_secret(path: &Path) -> bool {
    path.is_file() && open(path, Limit::SCAN).is_ok_and(|file| refuse_secret(&file).is_err())
}

/// Refuses a file that visard wrote for the data holder only: by its mark, which copies keep, or by its place, which tells the files of
/// earlier versions too. What another program made of such a file is not known for what it is.
///
/// # Errors
/// [`Fault::Secret`].
pub fn refuse_secret(file: &Opened) -> Result<(), ReadError> {
    let marked = internal::is_marked(file).then_some("it bears the mark of such files");
    match marked.or_else(|| secret_place(file.path())) {
        Some(why) => Err(ReadError::new(file.path(), Fault::Secret { why })),
        None => Ok(()),
    }
}

/// Why what lies there is secret: where its name says it is, and where links lead.
fn secret_place(path: &Path) -> Option<&'static str> {
    let places = [std::path::absolute(path), path.canonicalize()];
    places.iter().flatten().find_map(|path| {
        if path.ancestors().any(is_internal) {
            Some("it lies in the internal/ folder of a study")
        } else if path.parent().is_some_and(|folder| folder.join(PREPARED).is_file()) {
            Some("it lies in a folder of prepared records")
        } else {
            None
        }
    })
}

/// Whether this is the folder of a study that only the data holder may see, and no other folder of that name.
fn is_internal(folder: &Path) -> bool {
    let beside = |name: &str| folder.parent().is_some_and(|study| study.join(name).exists());
    let is_called_so = folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case(INTERNAL));
    is_called_so
        && ([RELEASE, LEDGER_FILE, SHARED_LEDGER].into_iter().any(beside)
            || [REPORT, "records", "job.json"].into_iter().any(|name| folder.join(name).exists()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_without_its_folder_and_hashed_as_bytes_are() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("centre.csv");
        std::fs::write(&path, "lat,lon\n0,0\n").unwrap();
        let input = public_input(&open(&path, Limit::SMALL).unwrap()).unwrap();
        assert_eq!(input, PublicInput::of_bytes("centre.csv", b"lat,lon\n0,0\n"));
    }

    #[test]
    fn what_lies_in_a_studys_internal_folder_is_secret_and_what_is_only_called_so_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let file = |path: &str| {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "lat,lon\n0,0\n").unwrap();
            path
        };
        let why = |path: &Path| public_input(&open(path, Limit::SMALL).unwrap()).err().map(|e| e.to_string());
        let open_one = file("internal/atlas/centre.csv");
        assert_eq!(why(&open_one), None, "a folder that is only called so");
        for study in ["a/release/certificate.json", "b/visard.ledger.jsonl", "c/internal/report.html"] {
            file(study);
            let secret = file(&format!("{}/internal/deeper/centre.csv", &study[..1]));
            let said = why(&secret).unwrap();
            assert!(said.contains("centre.csv: ") && said.contains("internal/ folder of a study"), "{said}");
        }
        file("records/records.json");
        assert!(why(&file("records/0.curves.npy")).unwrap().contains("prepared records"));
        #[cfg(unix)]
        {
            let link = dir.path().join("public.csv");
            std::os::unix::fs::symlink(dir.path().join("a/internal/deeper/centre.csv"), &link).unwrap();
            assert!(why(&link).unwrap().contains("internal/ folder of a study"));
        }
    }
}
