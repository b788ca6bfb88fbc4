//! The table of formats: what each is called, which endings tell it, what it may hold and which reader reads that.
//!
//! Everything that names formats is made from it: which files of a folder are scans, messages about unknown endings, help
//! texts. A new format is a reader in a file of its own and one line here.

use super::columns::RecordSize;
use super::error::{Fault, Parsed, ReadError};
use super::images::{self, Images};
use super::landmarks::{self, Landmark};
use super::matrices::{self, Matrices};
use super::open::{Limit, Opened};
use super::rows::{self, Rows};
use super::scan::Scan;
use super::shapes::{self, ShapeReading, Shapes};
use super::text::ending;
use super::{obj, ply, points, stl};
use std::path::Path;

/// What a file is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A mesh or a cloud of points: [`read_scan`](super::read_scan).
    Scan,
    /// Named places on a scan: [`read_landmarks`](super::read_landmarks).
    Landmarks,
    /// A table of landmark shapes: [`read_shapes`](super::read_shapes).
    Shapes,
    /// A table of points of a manifold: [`read_rows`](super::read_rows).
    Rows,
    /// Square matrices: [`read_matrices`](super::read_matrices).
    Matrices,
    /// Images: [`read_images`](super::read_images).
    Images,
    /// Masks of organs in medical images, a file for each record.
    Masks,
}

impl Content {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Scan, Self::Landmarks, Self::Shapes, Self::Rows, Self::Matrices, Self::Images, Self::Masks];

    /// What messages call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scan => "scans",
            Self::Landmarks => "landmarks",
            Self::Shapes => "shapes",
            Self::Rows => "points",
            Self::Matrices => "matrices",
            Self::Images => "images",
            Self::Masks => "masks",
        }
    }

    /// How large such a file may be.
    pub fn limit(self) -> Limit {
        match self {
            Self::Scan => Limit::SCAN,
            Self::Landmarks => Limit::SMALL,
            Self::Shapes | Self::Rows | Self::Matrices | Self::Images | Self::Masks => Limit::TABLE,
        }
    }

    /// The endings of names known for it, in words: `.tps, .csv and .npy`.
    pub fn endings(self) -> String {
        let formats = FORMATS.iter().filter(|format| format.holds(self));
        let endings: Vec<String> =
            formats.flat_map(|format| format.endings).map(|ending| format!(".{ending}")).collect();
        match endings.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    }
}

/// What parses all of a file.
type Parser<T> = fn(&[u8]) -> Parsed<T>;
/// What takes over a file to read its records one by one.
type Reader<T, With> = fn(Opened, With) -> Result<T, ReadError>;

/// The same for shapes.
type ShapesReader = fn(Opened, &ShapeReading) -> Result<Shapes, ReadError>;

/// A format, and its readers: `None` where it does not hold such a thing.
pub(super) struct Format {
    pub name: &'static str,
    /// In small letters, without the dot.
    pub endings: &'static [&'static str],
    pub scan: Option<Parser<Scan>>,
    pub landmarks: Option<Parser<Vec<Landmark>>>,
    pub shapes: Option<ShapesReader>,
    pub rows: Option<Reader<Rows, RecordSize>>,
    pub matrices: Option<fn(Opened) -> Result<Matrices, ReadError>>,
    /// Of many images in one file; the argument is the value of white.
    pub images: Option<Reader<Images, f64>>,
    /// Whether a file is one image of many in a folder.
    pub is_one_image: bool,
    /// Whether a file may be a mask; `visard-images` has the readers.
    pub is_mask: bool,
}

impl Format {
    const fn new(name: &'static str, endings: &'static [&'static str]) -> Self {
        Self {
            name,
            endings,
            scan: None,
            landmarks: None,
            shapes: None,
            rows: None,
            matrices: None,
            images: None,
            is_one_image: false,
            is_mask: false,
        }
    }

    /// The fault of a file of this format where such a thing is wanted.
    pub fn without(&self, content: Content) -> Fault {
        Fault::WrongFormat { format: self.name, what: content.name(), known: content.endings() }
    }

    /// Whether it may hold such a thing.
    pub fn holds(&self, content: Content) -> bool {
        match content {
            Content::Scan => self.scan.is_some(),
            Content::Landmarks => self.landmarks.is_some(),
            Content::Shapes => self.shapes.is_some(),
            Content::Rows => self.rows.is_some(),
            Content::Matrices => self.matrices.is_some(),
            Content::Images => self.images.is_some() || self.is_one_image,
            Content::Masks => self.is_mask,
        }
    }
}

/// All formats that are read.
pub(super) const FORMATS: [Format; 14] = [
    Format { scan: Some(ply::parse), ..Format::new("PLY", &["ply"]) },
    Format { scan: Some(obj::parse), ..Format::new("Wavefront OBJ", &["obj"]) },
    Format { scan: Some(stl::parse), ..Format::new("STL", &["stl"]) },
    Format {
        scan: Some(points::parse),
        landmarks: Some(landmarks::table),
        ..Format::new("list of points", &["xyz", "asc", "pts"])
    },
    Format { shapes: Some(shapes::tps), ..Format::new("TPS", &["tps"]) },
    Format {
        scan: Some(points::parse),
        landmarks: Some(landmarks::table),
        shapes: Some(shapes::table),
        rows: Some(rows::table),
        ..Format::new("table", &["csv", "tsv", "txt"])
    },
    Format {
        scan: Some(points::array),
        landmarks: Some(landmarks::array),
        shapes: Some(shapes::array),
        rows: Some(rows::array),
        matrices: Some(matrices::array),
        images: Some(images::array),
        is_mask: true,
        ..Format::new("NumPy array", &["npy"])
    },
    Format {
        landmarks: Some(landmarks::fiducials),
        shapes: Some(shapes::specimens),
        ..Format::new("3D Slicer fiducials", &["fcsv"])
    },
    Format {
        landmarks: Some(landmarks::markups),
        shapes: Some(shapes::specimens),
        ..Format::new("3D Slicer markups", &["json"])
    },
    Format { is_one_image: true, is_mask: true, ..Format::new("PNG", &["png"]) },
    Format { is_mask: true, ..Format::new("TIFF", &["tif", "tiff"]) },
    Format { is_mask: true, ..Format::new("NIfTI-1", &["nii", "nii.gz"]) },
    Format { is_mask: true, ..Format::new("NRRD", &["nrrd"]) },
    Format { is_mask: true, ..Format::new("DICOM", &["dcm"]) },
];

/// The format of a file by the ending of its name (in capitals or not), if it may hold such a thing.
pub(super) fn format_of(path: &Path, content: Content) -> Result<&'static Format, Fault> {
    let ending = ending(path);
    match FORMATS.iter().find(|format| format.endings.contains(&ending.as_str())) {
        Some(format) if format.holds(content) => Ok(format),
        Some(format) => Err(format.without(content)),
        None => Err(Fault::UnknownExtension { what: content.name(), known: content.endings() }),
    }
}

/// The format of a file that may be a mask, by its name: what a file holds must not decide whether it counts as a record. DICOM files often have
/// names like `IM0001` or `1.2.840.5`: without an ending, or with one of digits, they end in a digit.
pub(super) fn mask_format(path: &Path) -> Result<&'static Format, Fault> {
    let is_digit = |c: char| c.is_ascii_digit();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match format_of(path, Content::Masks) {
        Err(Fault::UnknownExtension { .. })
            if ending(path).chars().all(is_digit) && name.ends_with(is_digit) =>
        {
            format_of(Path::new("a.dcm"), Content::Masks)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn an_ending_tells_one_format() {
        let endings: Vec<_> = FORMATS.iter().flat_map(|format| format.endings).collect();
        assert_eq!(endings.iter().collect::<HashSet<_>>().len(), endings.len());
        assert!(
            endings.iter().all(|e| !e.is_empty() && e.bytes().all(|b| b.is_ascii_lowercase() || b == b'.'))
        );
        for format in &FORMATS {
            assert!(Content::ALL.into_iter().any(|content| format.holds(content)), "{}", format.name);
            for (ending, content) in
                format.endings.iter().flat_map(|e| Content::ALL.map(|content| (e, content)))
            {
                let found = format_of(Path::new(&format!("a.{}", ending.to_uppercase())), content);
                assert_eq!(found.is_ok(), format.holds(content), "{ending} {content:?}");
            }
        }
    }

    #[test]
    fn a_file_of_another_format_is_told_from_one_of_none() {
        let message = |name| format_of(Path::new(name), Content::Matrices).err().unwrap().to_string();
        assert_eq!(
            message("a.stl"),
            "is of the format STL, which holds no matrices; known for matrices are .npy"
        );
        assert_eq!(message("a.doc"), "has a name with an unknown ending; known for matrices are .npy");
    }

    #[test]
    fn every_content_has_an_ending() {
        assert_eq!(Content::Shapes.endings(), ".tps, .csv, .tsv, .txt, .npy, .fcsv and .json");
        assert_eq!(Content::Matrices.endings(), ".npy");
        assert!(Content::ALL.iter().all(|content| content.endings().starts_with('.')));
    }

    #[test]
    fn dicom_files_are_told_by_their_names() {
        for (name, known) in [
            ("IM0001", true),
            ("1.2.840.5", true),
            ("a.DCM", true),
            ("README", false),
            ("DICOMDIR", false),
            ("a.csv", false),
            ("a.7z", false),
        ] {
            let path = Path::new("scans2").join(name);
            assert_eq!(mask_format(&path).is_ok_and(|format| format.name == "DICOM"), known, "{name}");
        }
    }

    fn as_markdown() -> String {
        let mut table = String::from("| format | endings | may hold |\n| --- | --- | --- |\n");
        for format in &FORMATS {
            let endings: Vec<String> = format.endings.iter().map(|ending| format!("`.{ending}`")).collect();
            let held = Content::ALL.into_iter().filter(|content| format.holds(*content));
            let held: Vec<&str> = held.map(Content::name).collect();
            table += &format!("| {} | {} | {} |\n", format.name, endings.join(" "), held.join(", "));
        }
        table
    }

    #[test]
    fn the_guide_has_the_table() {
        let guide = include_str!("../../../../docs/guide/studies.md");
        assert!(guide.contains(&as_markdown()), "docs/guide/studies.md needs:\n{}", as_markdown());
    }
}
