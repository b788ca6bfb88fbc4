//! Reading a file for what it is wanted for, in the format the ending of its name tells.
//!
//! `read_x(path)` opens and parses; `x_of(file)` parses a file that has been opened, so that whoever needs its hash takes it
//! from the same bytes.

use super::columns::RecordSize;
use super::error::{Fault, ReadError};
use super::formats::{Content, Format, format_of, mask_format};
use super::images::{self, Images};
use super::landmarks::Landmark;
use super::matrices::Matrices;
use super::open::{Opened, Unread};
use super::rows::Rows;
use super::scan::Scan;
use super::scans::{check_once, masks_in, specimens_in};
use super::shapes::{self, ShapeReading, Shapes};
use std::path::{Path, PathBuf};

/// Opens a file that is to be read for something: an ordinary one, with an ending known for that, not too large for that. For shapes and masks
/// it may be a folder with a file for each record.
///
/// # Errors
/// [`ReadError`]: one line naming the file, what is wrong and what to do.
pub fn open_as(path: &Path, content: Content) -> Result<Opened, ReadError> {
    if content == Content::Shapes && path.is_dir() {
        return Opened::of_files(path, &specimens_in(path)?, content.limit());
    }
    if content == Content::Masks && path.is_dir() {
        return open_masks(std::slice::from_ref(&path.to_owned()));
    }
    let open = || {
        let found = Unread::find(path, content.limit())?;
        if content == Content::Masks { mask_format(path) } else { format_of(path, content) }?;
        found.read()
    };
    open().map_err(|fault| ReadError::new(path, fault))
}

/// Opens masks, and all in folders of them, as one file with a part for each.
///
/// # Errors
/// [`ReadError`]: a folder without masks, a file that is none by its ending, one given twice.
pub fn open_masks(paths: &[PathBuf]) -> Result<Opened, ReadError> {
    let mut files = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => files.extend(masks_in(path)?),
            false => {
                mask_format(path).map_err(|fault| ReadError::new(path, fault))?;
                files.push(path.clone());
            }
        }
    }
    check_once(&files)?;
    Opened::of_files(paths.first().map_or(Path::new(""), PathBuf::as_path), &files, Content::Masks.limit())
}

/// The reader of a file for what is wanted of it.
fn reader<R>(
    file: &Opened,
    content: Content,
    of: impl FnOnce(&'static Format) -> Option<R>,
) -> Result<R, ReadError> {
    format_of(file.path(), content)
        .and_then(|format| of(format).ok_or_else(|| format.without(content)))
        .map_err(|fault| file.error(fault))
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
/// # Errors
/// [`ReadError`]: one line naming the file, the place in it, what is wrong and what to do, never its content.
pub fn read_scan(path: &Path) -> Result<Scan, ReadError> {
    scan_of(&open_as(path, Content::Scan)?)
}

/// The scan in an opened file, as [`read_scan`].
///
/// # Errors
/// As [`read_scan`].
pub fn scan_of(file: &Opened) -> Result<Scan, ReadError> {
    let parse = reader(file, Content::Scan, |format| format.scan)?;
    parse(file.bytes()).and_then(Scan::check).map_err(|located| file.error(located))
}

/// Reads a landmark file, in the order of the file:
///
/// * `.csv .tsv .txt .xyz .asc .pts`: a table. Columns headed x, y, z and name (or label, landmark) are found
///   wherever they are; without a heading, the first three columns, with a name before or after them or none
///   (MeshMonk's files). A name in a column headed "landmark" that is only a number is not taken for a name.
/// * `.fcsv` (3D Slicer's markups): a table with its heading in a remark.
/// * `.json` (3D Slicer's `.mrk.json`): the control points of all markups.
/// * `.npy`: an array of shape (k, 3), without names.
///
/// Slicer's coordinates are taken as they stand (RAS in `.fcsv` before version 4.11, since then LPS), which is how
/// the same version of Slicer writes the scan's mesh; mixing versions turns x and y over.
///
/// # Errors
/// [`ReadError`]: one line naming the file, the place in it, what is wrong and what to do, never its content.
pub fn read_landmarks(path: &Path) -> Result<Vec<Landmark>, ReadError> {
    let file = open_as(path, Content::Landmarks)?;
    let parse = reader(&file, Content::Landmarks, |format| format.landmarks)?;
    let landmarks = parse(file.bytes()).map_err(|located| file.error(located))?;
    match landmarks.is_empty() {
        true => Err(file.error(Fault::Malformed("holds no landmarks; export it again"))),
        false => Ok(landmarks),
    }
}

/// Reads shapes of landmarks in the plane or in space, in the order of the file:
///
/// * `.tps`: `LM=k` and k lines x y, or `LM3=k` and k lines x y z, for each specimen; `CURVES=`/`POINTS=` are read as further landmarks, and
///   kept apart as [curves](super::shapes::ShapeRecord::curves); `ID=`, `IMAGE=`, `SCALE=` (applied), comments and unknown keywords are
///   understood or skipped; any line ends. `NA` marks a missing landmark, and so do negative coordinates in specimens with `IMAGE=` unless
///   [`ShapeReading::negative`] says otherwise. Where all have one ID, they are named by `IMAGE=` or by nothing.
/// * `.csv .tsv .txt`: long (a row for each landmark: columns x, y and perhaps z, and such as name records and landmarks, see
///   [`ShapeColumns`](super::shapes::ShapeColumns)) or wide (a row for each shape: x1, y1, x2, y2, … in the order the heading tells, and other
///   columns). `NA` or nothing marks a missing landmark. A heading that could mean two things is refused.
/// * `.txt` that begins with `[individuals]` or another word in brackets: Morphologika.
/// * `.npy`: shape (n, k, 2), (n, k, 3), (k, 2), (k, 3), (n, 2k) or (n, 3k).
/// * `.mrk.json` and `.fcsv` (3D Slicer): one specimen; a folder of them is a table, a file for each, in natural order, named by their
///   files. Coordinates are given in LPS whatever the file's coordinate system; points that are planned or were not found are missing.
///   Where all points have labels, these tell the order.
///
/// The file must tell by its heading or its array's shape how many landmarks a row has, unless `size` does; TPS and long tables
/// tell it record by record. A table without a heading is one of the plane unless `size` says otherwise.
///
/// # Errors
/// [`ReadError`]: what is wrong with the file as a whole. What is wrong with a shape is an error in its place.
pub fn read_shapes(path: &Path, reading: impl Into<ShapeReading>) -> Result<Shapes, ReadError> {
    shapes_of(open_as(path, Content::Shapes)?, reading)
}

/// The shapes in an opened file, as [`read_shapes`].
///
/// # Errors
/// As [`read_shapes`].
pub fn shapes_of(file: Opened, reading: impl Into<ShapeReading>) -> Result<Shapes, ReadError> {
    if !file.parts().is_empty() {
        return shapes::specimens(file, &reading.into());
    }
    reader(&file, Content::Shapes, |format| format.shapes)?(file, &reading.into())
}

/// Reads rows of numbers:
///
/// * `.npy`: shape (n, d).
/// * `.csv .tsv .txt`: a line for each row. Columns headed lat… and lon… (or lng…), in degrees, become unit vectors of ℝ³;
///   otherwise all columns are taken that are not headed as names (name, id, label, city, …). Without a heading `size` must
///   tell how many numbers a row has; a name may then stand before them. Fields are separated as in the heading; without one
///   by commas in `.csv`, tabs in `.tsv`, blanks in `.txt`.
///
/// # Errors
/// [`ReadError`]: what is wrong with the file as a whole. What is wrong with a row is an error in its place.
pub fn read_rows(path: &Path, size: RecordSize) -> Result<Rows, ReadError> {
    rows_of(open_as(path, Content::Rows)?, size)
}

/// The rows in an opened file, as [`read_rows`].
///
/// # Errors
/// As [`read_rows`].
pub fn rows_of(file: Opened, size: RecordSize) -> Result<Rows, ReadError> {
    reader(&file, Content::Rows, |format| format.rows)?(file, size)
}

/// Reads square matrices from an array of shape (n, k, k) or (k, k).
///
/// # Errors
/// [`ReadError`] for a file that holds no such array, or no matrix.
pub fn read_matrices(path: &Path) -> Result<Matrices, ReadError> {
    matrices_of(open_as(path, Content::Matrices)?)
}

/// The matrices in an opened file, as [`read_matrices`].
///
/// # Errors
/// As [`read_matrices`].
pub fn matrices_of(file: Opened) -> Result<Matrices, ReadError> {
    reader(&file, Content::Matrices, |format| format.matrices)?(file)
}

/// Reads images from an array of shape (n, h, w), (n, h, w, 1) or (n, h, w, 3) with values from 0 to `white`, or from all PNG files
/// of a folder, in the order of their names.
///
/// # Errors
/// [`ReadError`]: no such array, a folder without images, or a first image that cannot be read.
pub fn read_images(path: &Path, white: f64) -> Result<Images, ReadError> {
    if path.is_dir() {
        let is_image = |file: &Path| format_of(file, Content::Images).is_ok_and(|format| format.is_one_image);
        return images::folder(path, is_image);
    }
    let file = open_as(path, Content::Images)?;
    reader(&file, Content::Images, |format| format.images)?(file, white)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::npy;
    use crate::mesh::Point;

    #[test]
    fn files_that_are_no_scan_are_refused_in_one_line() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("folder.ply")).unwrap();
        let contents: [(&str, &[u8]); 7] = [
            ("empty.ply", b""),
            ("scan.vtk", b"# vtk"),
            ("scan", b"1 2 3"),
            ("remarks.xyz", b"# no points\n"),
            ("faces.obj", b"f 1 2 3\n"),
            ("zero.ply", b"ply\nformat ascii 1.0\nelement vertex 0\nproperty int x\nproperty int y\nproperty int z\nend_header\n"),
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
                "has a name with an unknown ending; known for scans are .ply, .obj, .stl, .xyz, .asc, .pts, .csv, .tsv, .txt and .npy",
            ),
            (
                "scan",
                "has a name with an unknown ending; known for scans are .ply, .obj, .stl, .xyz, .asc, .pts, .csv, .tsv, .txt and .npy",
            ),
            ("remarks.xyz", "holds no points; export the scan again"),
            ("faces.obj", "holds no points; export the scan again"),
            ("zero.ply", "holds no points; export the scan again"),
            ("picture.ply", "does not begin with the word ply; check the ending of its name"),
        ] {
            let path = dir.path().join(name);
            let message = read_scan(&path).unwrap_err().to_string();
            assert_eq!(message, format!("{}: {expected}", path.display()));
        }
    }

    #[test]
    fn points_that_are_nowhere_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        let mut array = Vec::new();
        npy::write_to(&mut array, &[2, 3], &[0.0, 1.0, 2.0, 3.0, f64::NAN, 5.0]).unwrap();
        let triangle =
            "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 nan\nendloop\nendfacet\n";
        let contents: [(&str, &[u8]); 5] = [
            ("a.npy", &array),
            ("a.xyz", b"0 1 2\n3 nan 5\n"),
            ("a.obj", b"v 0 1 2\nv 3 inf 5\n"),
            ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 2\nproperty float X\nproperty float Y\nproperty float Z\nend_header\n0 1 2\nnan 4 5\n"),
            ("a.stl", format!("solid\n{triangle}endsolid\n").leak().as_bytes()),
        ];
        for (name, content) in contents {
            let path = dir.path().join(name);
            std::fs::write(&path, content).unwrap();
            let scan = read_scan(&path).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!((scan.not_finite, scan.triangles.unwrap_or_default().len()), (1, 0), "{name}");
        }
    }

    #[test]
    fn endings_may_be_in_capitals() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("SCAN.XYZ");
        std::fs::write(&path, "1 2 3").unwrap();
        let expected = Scan { vertices: vec![Point::new(1.0, 2.0, 3.0)], ..Scan::default() };
        assert_eq!(read_scan(&path).unwrap(), expected);
    }
}
