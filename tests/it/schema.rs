//! Certificates for a validator that is not ours: they are written down here, and `.ci/schema.py` holds them against the published schema.

use serde_json::Value;
use std::fs;
use std::path::Path;

/// The schema must take this certificate.
pub fn takes(name: &str, certificate: &Value) {
    write("taken", name, certificate);
}

/// The schema must refuse this certificate.
pub fn refuses(name: &str, certificate: &Value) {
    write("refused", name, certificate);
}

fn write(folder: &str, name: &str, certificate: &Value) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificates").join(folder);
    fs::create_dir_all(&folder).unwrap();
    let name = name.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    fs::write(folder.join(format!("{name}.json")), certificate.to_string()).unwrap();
}
