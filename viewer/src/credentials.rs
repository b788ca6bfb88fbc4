//! Whether a file may be published, and what is to be said of the certificate beside it.

use crate::source::Standing;
use std::path::Path;
use visard::io::{Limit, open};
use visard::privacy::{Certificate, FileSum};
use visard::study::layout::CERTIFICATE;
use visard::study::signer;

/// The standing of a file of these bytes, and sentences on what is wrong with its certificate or missing.
pub fn of(file: &Path, bytes: &[u8]) -> (Standing, Vec<String>) {
    let standing = Standing::of(file);
    // What counts is where the file lies, not where a link to it does.
    let file = &file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let path = file.with_file_name(CERTIFICATE);
    if !path.exists() {
        return (standing, Vec::new());
    }
    let internal = |why: String| (Standing::Internal, vec![format!("{why}; shown as internal")]);
    let read = match open(&path, Limit::CERTIFICATE) {
        Ok(read) => read,
        Err(error) => return internal(error.to_string()),
    };
    let parsed = read.text().ok().and_then(|text| Certificate::from_json(text).ok());
    let Some(certificate) = parsed else {
        return internal(format!("{}: this is no certificate", path.display()));
    };
    if let Some(why) = unlike(&certificate, file, bytes) {
        return internal(why);
    }
    match signer(&path, read.bytes(), None) {
        Ok(Some(_)) => (standing, Vec::new()),
        // Nobody signs what is not published.
        Ok(None) if standing != Standing::Released => (standing, Vec::new()),
        Ok(None) => (
            standing,
            vec!["the certificate carries no signature: who released this cannot be told from it".into()],
        ),
        Err(error) => internal(format!("the certificate's signature: {error}")),
    }
}

/// Why a file that belongs to another is not what was released with it, in a sentence; `None` where there is no certificate that could tell,
/// and for a file that is not there.
pub fn altered(file: &Path) -> Option<String> {
    let read = open(&file.with_file_name(CERTIFICATE), Limit::CERTIFICATE).ok()?;
    let certificate = Certificate::from_json(read.text().ok()?).ok()?;
    let bytes = open(file, Limit::SCAN).ok()?;
    unlike(&certificate, file, bytes.bytes()).map(|why| format!("{why}; shown without it"))
}

/// What is wrong with a file of these bytes by a certificate's list; lists of version 0.1 may be empty and tell nothing.
fn unlike(certificate: &Certificate, file: &Path, bytes: &[u8]) -> Option<String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let said = file.display();
    match certificate.files.iter().find(|sum| sum.name == name) {
        Some(sum) if FileSum::of_bytes(name.clone(), bytes) != *sum => {
            Some(format!("{said}: not as it was released: its SHA-256 is not the certificate's"))
        }
        None if !certificate.files.is_empty() => {
            Some(format!("{said}: not of the release: the certificate beside it does not list it"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use visard::privacy::{Mu, PrivacyLoss, Statement};
    use visard::study::{make_key, sign_certificate};

    fn certificate(files: Vec<FileSum>) -> String {
        let statement = Statement::new("m", 3, PrivacyLoss::Gaussian(Mu::new(1.0).unwrap()));
        let mut certificate = statement.certify().unwrap();
        certificate.files = files;
        certificate.to_json().unwrap()
    }

    #[test]
    fn changed_files_and_broken_certificates_are_internal_and_signed_ones_need_no_words() {
        let dir = tempfile::tempdir().unwrap();
        let (file, path) = (dir.path().join("mean.ply"), dir.path().join(CERTIFICATE));
        std::fs::write(&file, b"released").unwrap();
        assert_eq!(of(&file, b"released"), (Standing::Internal, Vec::new()));
        std::fs::write(&path, certificate(vec![FileSum::of_bytes("mean.ply", b"released")])).unwrap();
        let (standing, said) = of(&file, b"released");
        assert!(
            standing == Standing::Released && said.len() == 1 && said[0].contains("no signature"),
            "{said:?}"
        );
        let (standing, said) = of(&file, b"changed");
        assert!(standing == Standing::Internal && said[0].contains("SHA-256"), "{said:?}");
        let key = dir.path().join("lab.key");
        make_key(&key).unwrap();
        sign_certificate(&path, &key).unwrap();
        assert_eq!(of(&file, b"released"), (Standing::Released, Vec::new()));
        // Another certificate under the same signature.
        std::fs::write(&path, certificate(Vec::new())).unwrap();
        let (standing, said) = of(&file, b"released");
        assert!(standing == Standing::Internal && said[0].contains("signature"), "{said:?}");
        std::fs::write(&path, "{").unwrap();
        let (standing, said) = of(&file, b"released");
        assert!(standing == Standing::Internal && said[0].contains("no certificate"), "{said:?}");
    }

    #[test]
    fn what_a_certificate_does_not_list_is_not_released_by_it_nor_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (release, path) = (dir.path().join("release"), dir.path().join("release").join(CERTIFICATE));
        std::fs::create_dir(&release).unwrap();
        std::fs::write(&path, certificate(vec![FileSum::of_bytes("mean.ply", b"released")])).unwrap();
        let (mean, scan) = (release.join("mean.ply"), release.join("scan.ply"));
        std::fs::write(&mean, b"changed").unwrap();
        std::fs::write(&scan, b"a person").unwrap();
        let (standing, said) = of(&scan, b"a person");
        assert!(standing == Standing::Internal && said[0].contains("does not list it"), "{said:?}");
        assert!(altered(&scan).is_some_and(|said| said.contains("does not list it")));
        assert!(altered(&mean).is_some_and(|said| said.contains("SHA-256")));
        std::fs::write(&mean, b"released").unwrap();
        assert!(altered(&mean).is_none() && altered(&release.join("none.npy")).is_none());
        #[cfg(unix)]
        {
            let link = dir.path().join("link.ply");
            std::os::unix::fs::symlink(&mean, &link).unwrap();
            assert_eq!(of(&link, b"released").0, Standing::Released);
            let (standing, said) = of(&link, b"changed");
            assert!(standing == Standing::Internal && said[0].contains("SHA-256"), "{said:?}");
        }
    }
}
