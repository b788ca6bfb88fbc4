//! A scan: a bare point cloud or a mesh, from any of the formats labs keep them in.

use super::error::{ReadError, wrong};
use super::{error::Parsed, npy, obj, ply_read, points, stl};
use crate::mesh::Point;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What a scan file holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scan {
    /// The points, in file order (for STL: the distinct corners, in order of first appearance).
    pub vertices: Vec<Point>,
    /// Triangles (polygons are cut into fans); `None` for a bare point cloud.
    pub triangles: Option<Vec<[usize; 3]>>,
}

/// The largest file that is read, in bytes.
pub const LARGEST_FILE: u64 = 2 << 30;

const EXTENSIONS: [&str; 9] = ["ply", "obj", "stl", "xyz", "txt", "csv", "pts", "asc", "npy"];

/// Reads a scan, by the file's extension: PLY, OBJ, STL, NPY (p × 3), or a list of points (XYZ, CSV, TXT, PTS, ASC).
///
/// # Errors
/// [`ReadError`]: one line naming the file, the place in it, what is wrong and what to do.
pub fn read_scan(path: &Path) -> Result<Scan, ReadError> {
    let fail = |problem| ReadError::new(path, problem);
    let about = std::fs::metadata(path).map_err(|e| ReadError::new(path, e))?;
    if about.is_dir() {
        return Err(ReadError::new(path, "is a folder, not a scan; give the files in it or rename it"));
    }
    if about.len() == 0 {
        return Err(ReadError::new(path, "is empty; export the scan again"));
    }
    if about.len() > LARGEST_FILE {
        return Err(ReadError::new(path, "is larger than 2 GiB; reduce the scan first"));
    }
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or("").to_ascii_lowercase();
    if extension == "npy" {
        return npy_points(path).map_err(fail);
    }
    let bytes = || std::fs::read(path).map_err(|e| ReadError::new(path, e));
    let scan = match extension.as_str() {
        "ply" => ply_read::parse(&bytes()?),
        "obj" => obj::parse(&bytes()?),
        "stl" => stl::parse(&bytes()?),
        "xyz" | "txt" | "csv" | "pts" | "asc" => points::parse(&bytes()?),
        _ => wrong(format!("unknown kind of file; scans are {}", EXTENSIONS.join(", "))),
    };
    scan.and_then(check).map_err(fail)
}

/// Every coordinate finite, every index in range.
fn check(scan: Scan) -> Parsed<Scan> {
    if scan.vertices.is_empty() {
        return wrong("holds no points; export the scan again");
    }
    if let Some(i) = scan.vertices.iter().position(|p| !p.coords.iter().all(|c| c.is_finite())) {
        return wrong(format!(
            "vertex {i} has a coordinate that is NaN or infinite; remove it or scan again"
        ));
    }
    let n = scan.vertices.len();
    let triangles = scan.triangles.as_deref().unwrap_or(&[]);
    if let Some(t) = triangles.iter().position(|t| t.iter().any(|&i| i >= n)) {
        return wrong(format!(
            "triangle {t} names a vertex that does not exist (there are {n}); the file is damaged"
        ));
    }
    Ok(Scan { triangles: scan.triangles.filter(|t| !t.is_empty()), ..scan })
}

fn npy_points(path: &Path) -> Parsed<Scan> {
    let array = npy::read(path).map_err(|e| e.to_string())?;
    let [_, 3] = array.shape[..] else {
        return wrong(format!("has shape {:?}; a scan is p × 3 (one row per point)", array.shape));
    };
    let vertices = array.data.chunks_exact(3).map(|c| Point::new(c[0], c[1], c[2])).collect();
    check(Scan { vertices, triangles: None })
}

/// The scan files behind files and folders: folders are listed (not recursively) in order of name; hidden files,
/// landmark files and other kinds of file in them are passed over.
///
/// # Errors
/// A path that does not exist, a folder with no scan in it, one file named twice (one person counted twice would
/// break the guarantee).
pub fn list_scans(paths: &[PathBuf]) -> Result<Vec<PathBuf>, ReadError> {
    let mut scans = Vec::new();
    for path in paths {
        let about = std::fs::metadata(path).map_err(|e| ReadError::new(path, e))?;
        if !about.is_dir() {
            scans.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|e| ReadError::new(path, e))?;
        let mut inside: Vec<PathBuf> =
            entries.flatten().map(|e| e.path()).filter(|p| looks_like_scan(p)).collect();
        if inside.is_empty() {
            return Err(ReadError::new(
                path,
                format!("no scans in this folder; scans are {}", EXTENSIONS.join(", ")).as_str(),
            ));
        }
        inside.sort();
        scans.append(&mut inside);
    }
    let mut seen = HashSet::new();
    for scan in &scans {
        if !seen.insert(std::fs::canonicalize(scan).unwrap_or_else(|_| scan.clone())) {
            return Err(ReadError::new(scan, "is given twice; every scan must be one person's, once"));
        }
    }
    Ok(scans)
}

fn looks_like_scan(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or("").to_ascii_lowercase();
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or("").to_ascii_lowercase();
    !name.starts_with('.')
        && EXTENSIONS.contains(&extension.as_str())
        && !name.trim_end_matches(&format!(".{extension}")).ends_with("landmarks")
}
