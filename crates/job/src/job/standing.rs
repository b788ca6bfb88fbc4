//! Whether a file may be published: what stands behind it, one answer for export, comparison, viewer and Python.

use super::layout::{CERTIFICATE, INTERNAL};
use super::verify::{Binding, VerifyError, verify};
use crate::io::{Limit, open};
use crate::privacy::{Certificate, FileSum};
use std::path::{Path, PathBuf};

/// Whether something may be published. Ordered: what is shown together has the greatest standing of its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Made by this program from no one's data.
    Public,
    /// Of a private release that was verified: its ledger records it.
    Released,
    /// Of a release that says that it is private, but neither a ledger nor the public key of a signature is at hand.
    Unchecked,
    /// Of a release that says that it is not private.
    NotPrivate,
    /// Everything else: scans, registered faces, means without noise, what was changed.
    Internal,
}

impl Standing {
    /// The band on pictures and pages of what must not be published; nothing removes it.
    pub fn band(self) -> Option<&'static str> {
        match self {
            Self::Released | Self::Public => None,
            Self::Unchecked => Some("NOT CHECKED - NO LEDGER AT HAND"),
            Self::NotPrivate => Some("NOT PRIVATE - DO NOT PUBLISH"),
            Self::Internal => Some("INTERNAL - DO NOT PUBLISH"),
        }
    }

    /// The same as a phrase: `may be published` where there is no band.
    pub fn phrase(self) -> &'static str {
        self.band().unwrap_or("may be published")
    }
}

/// The standing of a file, and why.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Whether it may be published.
    pub standing: Standing,
    /// Why it may not, where the file or its certificate is wrong or could not be checked.
    pub why: Option<String>,
    /// The certificate of the release that the file is of.
    pub certificate: Option<Certificate>,
}

impl Judged {
    fn internal(why: Option<String>) -> Self {
        Self { standing: Standing::Internal, why, certificate: None }
    }
}

/// Judges a file by where it lies (`internal` anywhere in its full path settles it) and by the release beside it, which is verified: every
/// file against the certificate, the certificate against the ledger of the study that it lies in.
pub fn judge(file: &Path) -> Judged {
    // What counts is where the file lies, not where a link to it does.
    let full = resolved(file);
    let path = full.with_file_name(CERTIFICATE);
    if lies_in_internal(&full) || !path.exists() {
        return Judged::internal(None);
    }
    let certificate = match certificate_at(&path) {
        Ok(certificate) => certificate,
        Err(why) => return Judged::internal(Some(why)),
    };
    if let Some(why) = not_as_released(&certificate, &full) {
        return Judged::internal(Some(why));
    }
    let (standing, why) = match full.parent().map(|release| verify(release, None, None)) {
        _ if !certificate.private => (Standing::NotPrivate, None),
        Some(Ok(verified)) if verified.may_be_published() => (Standing::Released, None),
        Some(Ok(verified)) => (Standing::Unchecked, Some(unchecked(verified.binding).to_owned())),
        Some(Err(VerifyError::NoFiles)) => (Standing::Unchecked, Some(VerifyError::NoFiles.to_string())),
        Some(Err(error)) => return Judged::internal(Some(error.to_string())),
        None => return Judged::internal(None),
    };
    Judged { standing, why, certificate: Some(certificate) }
}

/// Why a file that belongs to another is not what was released with it; `None` where there is no certificate that could tell, and for a file
/// that is not there.
pub fn altered(file: &Path) -> Option<String> {
    let certificate = certificate_at(&file.with_file_name(CERTIFICATE)).ok()?;
    if file.exists() { not_as_released(&certificate, file) } else { None }
}

/// Whether a folder called `internal` is on the way to a file.
pub fn lies_in_internal(full: &Path) -> bool {
    full.components().any(|part| part.as_os_str().eq_ignore_ascii_case(INTERNAL))
}

fn unchecked(binding: Binding) -> &'static str {
    match binding {
        Binding::DrawOnly => {
            "an earlier version charged this release: the ledger binds what was drawn, not its certificate"
        }
        _ => {
            "no ledger that records this release is at hand: its certificate could have been written by anybody"
        }
    }
}

fn resolved(file: &Path) -> PathBuf {
    file.canonicalize().or_else(|_| std::path::absolute(file)).unwrap_or_else(|_| file.to_owned())
}

fn certificate_at(path: &Path) -> Result<Certificate, String> {
    let read = open(path, Limit::CERTIFICATE).map_err(|error| error.to_string())?;
    let text = read.text().map_err(|error| error.to_string())?;
    Certificate::from_json(text)
        .map_err(|error| format!("{}: not a valid certificate: {error}", path.display()))
}

/// What is wrong with a file by a certificate's list; lists of version 0.1 may be empty and tell nothing.
fn not_as_released(certificate: &Certificate, file: &Path) -> Option<String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let shown = file.display();
    let Some(sum) = certificate.files.iter().find(|sum| sum.name == name) else {
        return (!certificate.files.is_empty()).then(|| {
            format!("{shown}: not part of the release: the certificate beside it does not list it")
        });
    };
    match open(file, Limit::SCAN) {
        Ok(read) if FileSum::of_bytes(name.clone(), read.bytes()) == *sum => None,
        Ok(_) => Some(format!("{shown}: not as it was released: its SHA-256 is not the certificate's")),
        Err(error) => Some(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{Mu, PrivacyLoss, Statement};

    fn certificate(files: Vec<FileSum>, seeded: bool) -> String {
        let mut statement = Statement::new("m", 3, PrivacyLoss::Gaussian(Mu::new(1.0).unwrap()));
        statement.seeded = seeded;
        let mut certificate = statement.certify().unwrap();
        certificate.files = files;
        certificate.to_json().unwrap()
    }

    #[test]
    fn nothing_may_be_published_for_what_a_certificate_says_of_itself() {
        let dir = tempfile::tempdir().unwrap();
        let release = dir.path().join("release");
        std::fs::create_dir(&release).unwrap();
        let (file, path) = (release.join("mean.ply"), release.join(CERTIFICATE));
        std::fs::write(&file, b"released").unwrap();
        assert_eq!(judge(&file).standing, Standing::Internal);
        let files = vec![FileSum::of_bytes("mean.ply", b"released")];
        std::fs::write(&path, certificate(files.clone(), false)).unwrap();
        let judged = judge(&file);
        assert_eq!(judged.standing, Standing::Unchecked);
        assert!(judged.why.is_some_and(|why| why.contains("no ledger")));
        std::fs::write(&path, certificate(files, true)).unwrap();
        assert_eq!(judge(&file).standing, Standing::NotPrivate);
        std::fs::write(&file, b"changed").unwrap();
        let judged = judge(&file);
        assert!(
            judged.standing == Standing::Internal && judged.why.is_some_and(|why| why.contains("SHA-256"))
        );
        assert!(altered(&file).is_some() && altered(&release.join("none.npy")).is_none());
        std::fs::write(release.join("scan.ply"), b"a person").unwrap();
        assert!(judge(&release.join("scan.ply")).why.is_some_and(|why| why.contains("does not list it")));
        std::fs::write(&path, "{").unwrap();
        assert!(judge(&file).why.is_some_and(|why| why.contains("not a valid certificate")));
    }

    #[test]
    fn internal_anywhere_on_the_way_settles_it() {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["internal/release", "Internal"] {
            let release = dir.path().join(folder);
            std::fs::create_dir_all(&release).unwrap();
            std::fs::write(release.join(CERTIFICATE), certificate(Vec::new(), false)).unwrap();
            assert_eq!(judge(&release.join("mean.ply")).standing, Standing::Internal);
        }
        assert_eq!(Standing::Released.phrase(), "may be published");
        assert!(Standing::Public.band().is_none() && Standing::Unchecked.band().is_some());
        assert!(Standing::Unchecked < Standing::NotPrivate && Standing::NotPrivate < Standing::Internal);
    }
}
