//! Where the shared data are: real faces, landmarks and large reference tables, which do not ship with the code. Tests that read them are
//! ignored unless asked for; asked for without the data, they fail.

use std::path::PathBuf;

/// A file or folder of the shared data.
///
/// # Panics
/// Where `VISARD_DATA` is not set or holds no such thing.
pub fn shared(part: &str) -> PathBuf {
    let Some(root) = std::env::var_os("VISARD_DATA") else {
        panic!("this test needs the shared data: set VISARD_DATA to their folder");
    };
    let path = PathBuf::from(root).join(part);
    assert!(path.exists(), "{} is missing: VISARD_DATA must name the folder of shared data", path.display());
    path
}
