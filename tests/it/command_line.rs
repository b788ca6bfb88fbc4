//! The command, run in a folder.

use assert_cmd::Command;
use std::path::Path;

/// Exit code, standard output, standard error of `visard` with these words as arguments. A command that hangs is ended.
pub fn visard(dir: &Path, words: &str) -> (Option<i32>, String, String) {
    let mut command = Command::cargo_bin("visard").unwrap();
    command.current_dir(dir).args(words.split(' ')).timeout(std::time::Duration::from_secs(100));
    let out = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout), text(&out.stderr))
}
