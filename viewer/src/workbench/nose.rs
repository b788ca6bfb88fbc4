//! A nose tip that was clicked, as the landmark file beside its scan that every reader of faces takes.

use crate::error::ViewerError;
use std::path::{Path, PathBuf};
use visard::io::write_text;
use visard::mesh::Point;
use visard::study::face::record::landmark_file;

const HEADING: &str = "name,x,y,z\n";

/// Writes `<stem>.landmarks.csv` beside the scan, in the scan's coordinates; returns its name. One that the workbench wrote before is replaced.
///
/// # Errors
/// [`ViewerError::OtherLandmarks`]: the scan has landmarks from elsewhere. [`ViewerError::Write`].
pub fn keep(scan: &Path, tip: &Point) -> Result<PathBuf, ViewerError> {
    let stem = scan.file_stem().unwrap_or_default().to_string_lossy();
    let own = scan.with_file_name(format!("{stem}.landmarks.csv"));
    if let Some(other) = landmark_file(scan).filter(|other| *other != own || !is_ours(other)) {
        return Err(ViewerError::OtherLandmarks(other));
    }
    write_text(&own, &format!("{HEADING}nose_tip,{},{},{}\n", tip.x, tip.y, tip.z))?;
    Ok(own)
}

/// Whether it holds a nose tip and nothing else, as [`keep`] writes it.
fn is_ours(file: &Path) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.strip_prefix(HEADING).is_some_and(|rest| rest.starts_with("nose_tip,") && rest.lines().count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use visard::io::{landmarks, read_landmarks};

    #[test]
    fn what_is_kept_is_what_studies_read_and_others_landmarks_stay() {
        let dir = tempfile::tempdir().unwrap();
        let scan = dir.path().join("a.ply");
        let tip = Point::new(1.0 / 3.0, -2.5e-7, 1e9);
        for tip in [Point::origin(), tip] {
            let file = keep(&scan, &tip).unwrap();
            assert_eq!(landmark_file(&scan), Some(file.clone()));
            assert_eq!(landmarks::nose_tip(&read_landmarks(&file).unwrap()), Some(tip));
        }
        let other = dir.path().join("b.fcsv");
        std::fs::write(&other, "theirs").unwrap();
        let refused = keep(&dir.path().join("b.ply"), &tip).unwrap_err().to_string();
        assert!(refused.contains("b.fcsv") && std::fs::read(&other).unwrap() == b"theirs", "{refused}");
        let three = "name,x,y,z\nnose_tip,0,0,0\nchin,1,1,1\n";
        std::fs::write(dir.path().join("c.landmarks.csv"), three).unwrap();
        assert!(keep(&dir.path().join("c.ply"), &tip).is_err());
    }
}
