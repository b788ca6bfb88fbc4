//! What a study assumes to be public: files that are named and hashed in its certificate.

use crate::io::Opened;
use crate::privacy::PublicInput;

/// The certificate's entry for a file that is assumed public: its name without folders, and the hash of the very bytes that whoever
/// holds `file` parses.
pub fn public_input(file: &Opened) -> PublicInput {
    let name = file.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    PublicInput { name, sha256: hex::encode(file.sha256()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Limit, open};

    #[test]
    fn a_file_is_named_without_its_folder_and_hashed_as_bytes_are() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("centre.csv");
        std::fs::write(&path, "lat,lon\n0,0\n").unwrap();
        let input = public_input(&open(&path, Limit::SMALL).unwrap());
        assert_eq!(input, PublicInput::of_bytes("centre.csv", b"lat,lon\n0,0\n"));
    }
}
