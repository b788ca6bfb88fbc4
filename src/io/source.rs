//! Taking a file into memory without trusting its name, kind or size.

use super::error::{Fault, Parsed};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The largest scan that is read, in bytes: 2 GiB, far above any face scan (megabytes to a few hundred).
pub const LARGEST_SCAN: u64 = 2 << 30;

/// The whole content of an ordinary file of at most `limit` bytes.
pub(super) fn load(path: &Path, limit: u64) -> Parsed<Vec<u8>> {
    // Asked of the path and before opening: opening a pipe would wait for its other end for ever.
    let about = std::fs::metadata(path).map_err(Fault::from)?;
    if about.is_dir() {
        return Err(Fault::Folder.into());
    }
    if !about.is_file() {
        return Err(Fault::NotAFile.into());
    }
    if about.len() > limit {
        return Err(Fault::TooLarge { bytes: about.len(), limit }.into());
    }
    let file = File::open(path).map_err(Fault::from)?;
    let mut bytes = Vec::with_capacity(about.len() as usize + 1);
    // The file may grow while it is read.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(Fault::from)?;
    match bytes.len() as u64 {
        0 => Err(Fault::Empty.into()),
        n if n > limit => Err(Fault::TooLarge { bytes: n, limit }.into()),
        _ => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_ordinary_file_of_fair_size_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let fault = |name: &str, limit| load(&dir.path().join(name), limit).unwrap_err().fault;
        std::fs::write(dir.path().join("six"), "123456").unwrap();
        std::fs::write(dir.path().join("none"), "").unwrap();
        assert!(matches!(fault("absent", 9), Fault::Missing));
        assert!(matches!(fault("", 9), Fault::Folder));
        assert!(matches!(fault("none", 9), Fault::Empty));
        assert!(matches!(fault("six", 5), Fault::TooLarge { bytes: 6, limit: 5 }));
        assert_eq!(load(&dir.path().join("six"), 6).unwrap(), b"123456");
    }

    #[cfg(unix)]
    #[test]
    fn an_endless_device_is_refused() {
        assert!(matches!(load(Path::new("/dev/zero"), 9).unwrap_err().fault, Fault::NotAFile));
    }
}
