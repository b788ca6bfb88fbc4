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
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let listed = certificate.files.iter().find(|sum| sum.name == name);
    if listed.is_some_and(|sum| FileSum::of_bytes(name.clone(), bytes) != *sum) {
        return internal(format!(
            "{}: not as it was released: its SHA-256 is not the certificate's",
            file.display()
        ));
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
}
