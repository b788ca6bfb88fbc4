//! NRRD: <https://teem.sourceforge.net/nrrd/format.html>. Lines of text, an empty one, then the voxels, plain or packed.

use super::gzip::unpack;
use super::nifti::is_regular;
use super::raw::{Kind, Number};
use crate::images::grid::{Grid, MOST, Place};
use crate::images::names::Names;
use crate::io::Fault;
use nalgebra::{Matrix3, Vector3};
use std::borrow::Cow;
use std::collections::HashMap;

/// The longest header, in bytes: segmentations of 3D Slicer name every segment in it.
const LONGEST: usize = 1 << 20;

/// Fields (`name: value`), and what programs add to them (`key:=value`).
struct Header<'a> {
    fields: HashMap<String, &'a str>,
    added: HashMap<&'a str, &'a str>,
}

impl<'a> Header<'a> {
    /// The header, and where the voxels begin.
    fn parse(bytes: &'a [u8]) -> Result<(Self, usize), Fault> {
        if !bytes.starts_with(b"NRRD") {
            return Err(Fault::Malformed(
                "does not begin as an NRRD file does; check the ending of its name",
            ));
        }
        let head = &bytes[..bytes.len().min(LONGEST)];
        let (mut fields, mut added, mut at) = (HashMap::new(), HashMap::new(), 0);
        loop {
            let Some(length) = head[at..].iter().position(|b| *b == b'\n') else {
                return Err(Fault::Malformed(
                    "ends in its header, or keeps its voxels in another file; save it as one .nrrd file",
                ));
            };
            let line = std::str::from_utf8(&head[at..at + length]).unwrap_or_default().trim_end_matches('\r');
            at += length + 1;
            if line.is_empty() {
                return Ok((Self { fields, added }, at));
            }
            // The first colon tells which of the two it is.
            match line.split_once(':') {
                Some((key, rest)) if rest.starts_with('=') => {
                    added.insert(key, &rest[1..]);
                }
                Some((name, rest)) if rest.starts_with(' ') => {
                    fields.insert(name.trim().to_lowercase(), rest.trim());
                }
                _ => {}
            }
        }
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        self.fields.get(name).copied()
    }

    /// The names of 3D Slicer's segments.
    fn names(&self) -> Names {
        let mut names = Names::default();
        for (key, name) in &self.added {
            let segment = key.strip_prefix("Segment").and_then(|rest| rest.strip_suffix("_Name"));
            let label = segment.and_then(|n| self.added.get(format!("Segment{n}_LabelValue").as_str()));
            if let Some(label) = label.and_then(|label| label.parse().ok()) {
                names.add(label, name);
            }
        }
        names
    }

    fn number_type(&self) -> Result<Number, Fault> {
        let kind = match self.get("type").unwrap_or_default() {
            "uchar" | "unsigned char" | "uint8" | "uint8_t" => Kind::Unsigned(1),
            "signed char" | "int8" | "int8_t" => Kind::Signed(1),
            "ushort" | "unsigned short" | "unsigned short int" | "uint16" | "uint16_t" => Kind::Unsigned(2),
            "short" | "short int" | "signed short" | "signed short int" | "int16" | "int16_t" => {
                Kind::Signed(2)
            }
            "uint" | "unsigned int" | "uint32" | "uint32_t" => Kind::Unsigned(4),
            "int" | "signed int" | "int32" | "int32_t" => Kind::Signed(4),
            "float" => Kind::Float(4),
            "double" => Kind::Float(8),
            _ => {
                return Err(Fault::Malformed(
                    "holds numbers of a type that masks have not; save it as unsigned char or short",
                ));
            }
        };
        let big_endian = match self.get("endian") {
            Some("big") => true,
            Some("little") => false,
            _ if matches!(kind, Kind::Unsigned(1) | Kind::Signed(1)) => false,
            _ => return Err(Fault::Malformed("does not tell the order of bytes (endian); save it again")),
        };
        Ok(Number { kind, big_endian })
    }

    fn shape(&self) -> Result<[usize; 3], Fault> {
        let sizes: Option<Vec<usize>> =
            self.get("sizes").unwrap_or_default().split_whitespace().map(|word| word.parse().ok()).collect();
        match sizes.as_deref() {
            Some(&[a, b]) => Ok([a, b, 1]),
            Some(&[a, b, c]) => Ok([a, b, c]),
            Some([_, _, _, _]) => Err(Fault::Malformed(
                "has four axes: segments that overlap are in several layers; export it as one label map",
            )),
            _ => Err(Fault::Malformed("has a header without the sizes of two or three axes; save it again")),
        }
    }

    /// Millimetres are the unit of both 3D Slicer and ITK, which do not tell.
    fn place(&self, notes: &mut Vec<String>) -> Place {
        let known = ["right", "left", "anterior", "posterior", "superior", "inferior"];
        let signs = match self.get("space").map(str::to_lowercase).as_deref() {
            Some("right-anterior-superior" | "ras") => Some([1.0, 1.0, 1.0]),
            Some("left-anterior-superior" | "las") => Some([-1.0, 1.0, 1.0]),
            Some("left-posterior-superior" | "lps") => Some([-1.0, -1.0, 1.0]),
            Some(space) if known.iter().any(|word| space.contains(word)) => {
                notes.push(
                    "is in a space other than RAS, LAS and LPS, so its orientation is not known".to_owned(),
                );
                None
            }
            _ => None,
        };
        let directions = self.get("space directions").and_then(vectors::<3>);
        let steps = directions.map(|steps| Matrix3::from_fn(|d, k| steps[k][d]));
        match (signs, steps.filter(is_regular)) {
            (Some(signs), Some(steps)) => {
                let signs = Vector3::from(signs);
                let origin =
                    self.get("space origin").and_then(vectors::<1>).map_or([0.0; 3], |[origin]| origin);
                Place::Body(
                    Matrix3::from_diagonal(&signs) * steps,
                    signs.component_mul(&Vector3::from(origin)),
                )
            }
            (None, Some(steps)) => Place::Spacing([0, 1, 2].map(|k| steps.column(k).norm())),
            _ => self.spacings().map_or(Place::Unknown, Place::Spacing),
        }
    }

    fn spacings(&self) -> Option<[f64; 3]> {
        let numbers: Option<Vec<f64>> =
            self.get("spacings")?.split_whitespace().map(|word| word.parse().ok()).collect();
        let spacing = match numbers?[..] {
            [a, b] => [a, b, 1.0],
            [a, b, c] => [a, b, c],
            _ => return None,
        };
        spacing.iter().all(|s| s.is_finite() && *s > 0.0).then_some(spacing)
    }
}

/// Vectors in brackets: `(1,0,0) (0,1,0)`.
fn vectors<const N: usize>(text: &str) -> Option<[[f64; 3]; N]> {
    let one = |part: &str| -> Option<[f64; 3]> {
        let inside = part.trim().strip_prefix('(')?;
        let numbers: Option<Vec<f64>> = inside.split(',').map(|word| word.trim().parse().ok()).collect();
        numbers?.try_into().ok()
    };
    let parts = text.split(')').filter(|part| !part.trim().is_empty());
    parts.map(one).collect::<Option<Vec<_>>>()?.try_into().ok()
}

/// The mask in an NRRD file.
pub(super) fn parse(bytes: &[u8]) -> Result<Grid, Fault> {
    let (header, start) = Header::parse(bytes)?;
    if header.get("data file").or(header.get("datafile")).is_some() {
        return Err(Fault::Malformed("keeps its voxels in another file; save it as one .nrrd file"));
    }
    let (shape, number, mut notes) = (header.shape()?, header.number_type()?, Vec::new());
    let count = Grid::count(shape)?;
    let body = match header.get("encoding") {
        Some("raw") => Cow::Borrowed(&bytes[start..]),
        Some("gzip" | "gz") => Cow::Owned(unpack(&bytes[start..], count.min(MOST) * number.width())?),
        _ => return Err(Fault::Malformed("is packed in a way that is not read; save it as raw or gzip")),
    };
    let place = header.place(&mut notes);
    let grid = Grid::new(shape, number.values(&body), place)?;
    Ok(Grid { notes, names: header.names(), ..grid })
}
