//! Finds what to show behind a path: a study's released mean, a mesh, or a bare point cloud.

use std::path::{Path, PathBuf};
use visard::mesh::{Point, TriMesh};

/// What is shown.
pub struct Subject {
    /// The file it came from.
    pub path: PathBuf,
    /// Vertices, and triangles where there are any.
    pub mesh: TriMesh,
    /// Lies in an `internal` folder: shown with a warning that cannot be removed.
    pub internal: bool,
}

impl Subject {
    /// Middle of the bounding box and half its diagonal.
    pub fn bounds(&self) -> (Point, f64) {
        let mut lo = [f64::INFINITY; 3];
        let mut hi = [f64::NEG_INFINITY; 3];
        for p in self.mesh.vertices() {
            for k in 0..3 {
                lo[k] = lo[k].min(p[k]);
                hi[k] = hi[k].max(p[k]);
            }
        }
        let centre = Point::new((lo[0] + hi[0]) / 2.0, (lo[1] + hi[1]) / 2.0, (lo[2] + hi[2]) / 2.0);
        let radius = (0..3).map(|k| (hi[k] - lo[k]).powi(2)).sum::<f64>().sqrt() / 2.0;
        (centre, if radius > 0.0 { radius } else { 1.0 })
    }
}

/// Loads the first path: a folder of a study, or a file that [`visard::io`] reads.
pub fn load(paths: &[PathBuf]) -> Result<Subject, String> {
    let path = paths.first().ok_or("nothing to show")?;
    if paths.len() > 1 {
        eprintln!("note: showing only the first of {} paths", paths.len());
    }
    let file = if path.is_dir() { mean_of_study(path)? } else { path.clone() };
    let scan = visard::io::read_scan(&file).map_err(|e| e.to_string())?;
    if scan.vertices.is_empty() {
        return Err(format!("{}: no points to show", file.display()));
    }
    let mesh = TriMesh::new(scan.vertices, scan.triangles.unwrap_or_default())
        .map_err(|e| format!("{}: {e}", file.display()))?;
    let internal = std::path::absolute(&file)
        .unwrap_or_else(|_| file.clone())
        .components()
        .any(|part| part.as_os_str() == "internal");
    Ok(Subject { path: file, mesh, internal })
}

fn mean_of_study(folder: &Path) -> Result<PathBuf, String> {
    ["release/mean.ply", "mean.ply", "internal/nonprivate_mean.ply", "nonprivate_mean.ply"]
        .iter()
        .map(|name| folder.join(name))
        .find(|file| file.is_file())
        .ok_or_else(|| format!("{}: no release/mean.ply in this folder", folder.display()))
}
