//! One file, looked at.

use crate::function::FaceCurves;
use crate::io::{Content, Opened, ReadError, has_appearance, open_as, scan_of};
use crate::study::face::record::{RecordMaker, landmark_file, nose_tip_of};
use std::path::{Path, PathBuf};

/// A file that would count.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Where it is.
    pub file: PathBuf,
    /// Whose it is, where that is told.
    pub person: Option<String>,
    /// What a manifest calls it.
    pub names: Option<Vec<String>>,
}

/// What was seen of it: secret.
#[derive(Debug, Clone, Default)]
pub struct Looked {
    pub file: PathBuf,
    /// SHA-256 of its bytes.
    pub sum: Option<[u8; 32]>,
    /// Number of points, and whether it has triangles.
    pub points: usize,
    pub is_mesh: bool,
    /// Whether it has colours or a texture.
    pub has_appearance: bool,
    /// The diagonal of the box about its points.
    pub extent: Option<f64>,
    /// The landmark file beside it.
    pub landmarks: Option<PathBuf>,
    /// One that is not used: it names no nose tip.
    pub unused: Option<PathBuf>,
    /// Why it would fail, and what to do.
    pub problem: Option<String>,
    /// What was repaired or left out, and its registered curves, where its record was made.
    pub repairs: String,
    pub curves: Option<FaceCurves>,
    /// Seconds that making its record took, where that was done.
    pub seconds: Option<f64>,
}

/// Reads a file and its landmarks; with `full` makes its record too, which is thrown away.
pub fn look(candidate: &Candidate, maker: &RecordMaker<'_>, full: bool) -> Looked {
    let file = &candidate.file;
    let mut looked = Looked { file: file.clone(), landmarks: landmark_file(file), ..Looked::default() };
    let read = open_as(file, Content::Scan).and_then(|opened| read(&opened, &mut looked));
    if let Err(error) = read {
        looked.problem = Some(error.problem());
    } else if full {
        let record = maker.record(file, looked.landmarks.as_deref());
        looked.seconds = Some(record.row.seconds.iter().sum());
        looked.problem = (!record.row.is_ok()).then_some(record.row.problem);
        looked.repairs = record.row.repairs;
        looked.curves = record.curves;
    }
    looked
}

fn read(opened: &Opened, looked: &mut Looked) -> Result<(), ReadError> {
    looked.sum = Some(opened.sha256());
    looked.has_appearance = has_appearance(opened);
    let scan = scan_of(opened)?;
    looked.points = scan.vertices.len();
    looked.is_mesh = scan.triangles.is_some();
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in &scan.vertices {
        for k in 0..3 {
            low[k] = low[k].min(p[k]);
            high[k] = high[k].max(p[k]);
        }
    }
    let extent = (0..3).map(|k| (high[k] - low[k]).powi(2)).sum::<f64>().sqrt();
    looked.extent = (extent.is_finite() && extent > 0.0).then_some(extent);
    match looked.landmarks.as_deref().map(nose_tip_of) {
        Some(Ok(None)) => looked.unused = looked.landmarks.take(),
        Some(Err(problem)) => looked.problem = Some(problem),
        Some(Ok(Some(_))) | None => {}
    }
    Ok(())
}

/// The subject that a path tells: its first folder `sub-…`.
pub fn subject(path: &Path) -> Option<String> {
    let mut folders = path.parent()?.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    folders.find(|name| name.len() > 4 && name.starts_with("sub-"))
}

/// What a file goes by in tables.
pub fn names(candidate: &Candidate) -> Vec<String> {
    candidate.names.clone().unwrap_or_else(|| {
        let name = candidate.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        vec![candidate.file.display().to_string(), name]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_folders_of_that_name() {
        let of = |path: &str| subject(Path::new(path));
        assert_eq!(of("study/sub-07/ses-1/face.ply").as_deref(), Some("sub-07"));
        assert_eq!(
            (of("study/sub-/face.ply"), of("sub-07.ply"), of("a/substitute/b.ply")),
            (None, None, None)
        );
    }
}
