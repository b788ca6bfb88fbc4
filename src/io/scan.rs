//! A scan: a bare point cloud or a triangle mesh, from any of the formats laboratories keep them in.

use super::error::{Fault, Parsed, ReadError};
use super::source::{LARGEST_SCAN, load};
use super::{npy, obj, ply, points, stl};
use crate::mesh::Point;
use std::path::Path;

/// What a scan file holds. Every coordinate is finite, every index names a vertex, and there is a vertex.
///
/// The vertices are those of the file in the file's order, used by a face or not. STL is the exception: it lists
/// every triangle's corners anew, so corners of exactly equal coordinates are made one vertex, numbered by first
/// appearance. Nothing else is repaired: triangles may be degenerate, doubled or wrongly oriented.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    /// The points, in the units of the file.
    pub vertices: Vec<Point>,
    /// Triangles as 0-based vertex numbers, or `None` for a bare point cloud. A polygon (a, b, c, d, …) is the fan
    /// (a, b, c), (a, c, d), …; one of fewer than three corners gives no triangle.
    pub triangles: Option<Vec<[usize; 3]>>,
}

/// The formats scans are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Ply,
    Obj,
    Stl,
    Points,
    Npy,
}

/// What messages call the known endings.
pub(super) const SCAN_ENDINGS: &str = ".ply, .obj, .stl, .xyz, .asc, .pts, .csv, .tsv, .txt and .npy";

impl Format {
    fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match ending.as_str() {
            "ply" => Format::Ply,
            "obj" => Format::Obj,
            "stl" => Format::Stl,
            "xyz" | "asc" | "pts" | "csv" | "tsv" | "txt" => Format::Points,
            "npy" => Format::Npy,
            _ => return None,
        })
    }
}

/// Whether the ending of the name is one scans have.
pub(super) fn has_scan_ending(path: &Path) -> bool {
    Format::of(path).is_some()
}

/// Reads a scan, in the format the ending of its name tells (in capitals or not):
///
/// | ending | format |
/// | --- | --- |
/// | `.ply` | PLY, ASCII or binary of either byte order, any number types, other elements and properties passed over |
/// | `.obj` | Wavefront OBJ: `v` and `f` lines |
/// | `.stl` | STL, ASCII or binary (told apart by content) |
/// | `.xyz .asc .pts .csv .tsv .txt` | points, one a line: numbers between spaces, tabs, commas or semicolons; the columns headed x, y, z, or the first three |
/// | `.npy` | NumPy array of shape (p, 3) |
///
/// At most [`LARGEST_SCAN`] bytes. Whatever a file claims, reading it takes memory in proportion to its size: up to
/// ten times as much, and up to 48 times for contrived polygons of many corners.
///
/// # Errors
/// [`ReadError`]: one line naming the file, the place in it, what is wrong and what to do, never its content.
pub fn read_scan(path: &Path) -> Result<Scan, ReadError> {
    read(path).map_err(|located| located.in_file(path))
}

fn read(path: &Path) -> Parsed<Scan> {
    let format = Format::of(path);
    if format.is_none() && path.is_file() {
        return Err(Fault::UnknownExtension { known: SCAN_ENDINGS }.into());
    }
    let bytes = load(path, LARGEST_SCAN)?;
    let scan = match format {
        Some(Format::Ply) => ply::parse(&bytes),
        Some(Format::Obj) => obj::parse(&bytes),
        Some(Format::Stl) => stl::parse(&bytes),
        Some(Format::Points) => points::parse(&bytes),
        Some(Format::Npy) => npy_points(&bytes),
        None => Err(Fault::UnknownExtension { known: SCAN_ENDINGS }.into()),
    }?;
    check(scan)
}

fn npy_points(bytes: &[u8]) -> Parsed<Scan> {
    let array = npy::parse(bytes)?;
    if !matches!(array.shape[..], [_, 3]) {
        return Err(
            Fault::Shape { shape: array.shape, needed: "a scan is p × 3, a row for each point" }.into()
        );
    }
    let vertices = array.data.chunks_exact(3).map(|c| Point::new(c[0], c[1], c[2])).collect();
    Ok(Scan { vertices, triangles: None })
}

/// The promises of [`Scan`], made sure of in one place for all formats.
fn check(scan: Scan) -> Parsed<Scan> {
    let n_vertices = scan.vertices.len();
    if n_vertices == 0 {
        return Err(Fault::Malformed("holds no points; export the scan again").into());
    }
    if let Some(index) = scan.vertices.iter().position(|p| !p.coords.iter().all(|c| c.is_finite())) {
        return Err(Fault::NotFinite { what: "vertex", index }.into());
    }
    let triangles = scan.triangles.filter(|t| !t.is_empty());
    let outside = triangles.iter().flatten().position(|t| t.iter().any(|&i| i >= n_vertices));
    if let Some(face) = outside {
        return Err(Fault::IndexOutOfRange { face, n_vertices }.into());
    }
    Ok(Scan { vertices: scan.vertices, triangles })
}

/// Appends the fan of a polygon's corners.
pub(super) fn push_fan(corners: &[usize], triangles: &mut Vec<[usize; 3]>) {
    if let [first, rest @ ..] = corners {
        triangles.extend(rest.windows(2).map(|edge| [*first, edge[0], edge[1]]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_no_scan_are_refused_in_one_line() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("folder.ply")).unwrap();
        let mut array = Vec::new();
        npy::write_to(&mut array, &[2, 3], &[0.0, 1.0, 2.0, 3.0, f64::NAN, 5.0]).unwrap();
        let contents: [(&str, &[u8]); 8] = [
            ("empty.ply", b""),
            ("scan.vtk", b"# vtk"),
            ("scan", b"1 2 3"),
            ("remarks.xyz", b"# no points\n"),
            ("faces.obj", b"f 1 2 3\n"),
            ("zero.ply", b"ply\nformat ascii 1.0\nelement vertex 0\nproperty int x\nproperty int y\nproperty int z\nend_header\n"),
            ("nan.npy", &array),
            ("picture.ply", b"\x89PNG\r\n\x1a\n"),
        ];
        for (name, content) in contents {
            std::fs::write(dir.path().join(name), content).unwrap();
        }
        for (name, expected) in [
            ("absent.ply", "there is no such file or folder; check the path"),
            ("absent.vtk", "there is no such file or folder; check the path"),
            ("folder.ply", "is a folder, not a file; give the files in it, or rename it"),
            ("empty.ply", "is empty; export it again"),
            (
                "scan.vtk",
                "has a name with an unknown ending; known are .ply, .obj, .stl, .xyz, .asc, .pts, .csv, .tsv, .txt and .npy",
            ),
            (
                "scan",
                "has a name with an unknown ending; known are .ply, .obj, .stl, .xyz, .asc, .pts, .csv, .tsv, .txt and .npy",
            ),
            ("remarks.xyz", "holds no points; export the scan again"),
            ("faces.obj", "holds no points; export the scan again"),
            ("zero.ply", "holds no points; export the scan again"),
            (
                "nan.npy",
                "vertex 1 (counting from 0) has a coordinate that is NaN or infinite; remove it or scan again",
            ),
            ("picture.ply", "does not begin with the word ply; check the ending of its name"),
        ] {
            let path = dir.path().join(name);
            let message = read_scan(&path).unwrap_err().to_string();
            assert_eq!(message, format!("{}: {expected}", path.display()));
        }
    }

    #[test]
    fn endings_may_be_in_capitals() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("SCAN.XYZ");
        std::fs::write(&path, "1 2 3").unwrap();
        let expected = Scan { vertices: vec![Point::new(1.0, 2.0, 3.0)], triangles: None };
        assert_eq!(read_scan(&path).unwrap(), expected);
    }
}
