//! NIfTI-1: <https://nifti.nimh.nih.gov/nifti-1>. A header of 348 bytes, then the voxels.

use super::gzip::{is_packed, unpack};
use super::raw::{Kind, Number};
use crate::images::grid::{Grid, MOST, Place};
use crate::io::Fault;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

/// The header, with its bytes in the file's order.
struct Header<'a> {
    bytes: &'a [u8],
    big_endian: bool,
}

impl Header<'_> {
    fn number(&self, at: usize, kind: Kind) -> f64 {
        let number = Number { kind, big_endian: self.big_endian };
        number.values(&self.bytes[at..at + number.width()]).next().unwrap_or(f64::NAN)
    }

    fn short(&self, at: usize) -> i64 {
        self.number(at, Kind::Signed(2)) as i64
    }

    fn float(&self, at: usize) -> f64 {
        self.number(at, Kind::Float(4))
    }

    fn floats<const N: usize>(&self, at: usize) -> [f64; N] {
        std::array::from_fn(|k| self.float(at + 4 * k))
    }

    fn number_type(&self) -> Result<Number, Fault> {
        let kind = match self.short(70) {
            2 => Kind::Unsigned(1),
            512 => Kind::Unsigned(2),
            768 => Kind::Unsigned(4),
            1280 => Kind::Unsigned(8),
            256 => Kind::Signed(1),
            4 => Kind::Signed(2),
            8 => Kind::Signed(4),
            1024 => Kind::Signed(8),
            16 => Kind::Float(4),
            64 => Kind::Float(8),
            _ => {
                return Err(Fault::Malformed(
                    "holds numbers of a type that masks have not; save it as uint8 or int16",
                ));
            }
        };
        Ok(Number { kind, big_endian: self.big_endian })
    }

    /// Voxels along three axes; further axes may have one place only.
    fn shape(&self) -> Result<[usize; 3], Fault> {
        let axes = self.short(40);
        let lengths = |k: usize| usize::try_from(self.short(40 + 2 * k)).unwrap_or_default();
        if !(2..=7).contains(&axes) || (4..=axes as usize).any(|k| lengths(k) != 1) {
            return Err(Fault::Malformed(
                "is not one volume: it has two axes or fewer, or several volumes; save the mask as one",
            ));
        }
        Ok([1, 2, 3].map(|k| if k <= axes as usize { lengths(k) } else { 1 }))
    }

    /// Millimetres of the unit of lengths, and whether it is told.
    fn unit(&self) -> (f64, bool) {
        match self.bytes[123] & 7 {
            1 => (1000.0, true),
            3 => (0.001, true),
            unit => (1.0, unit == 2),
        }
    }

    /// By the matrix, else by the quaternion, else by the spacing alone.
    fn place(&self, notes: &mut Vec<String>) -> Place {
        let (unit, told) = self.unit();
        if !told {
            notes.push("does not tell the unit of lengths; mm were assumed".to_owned());
        }
        let pixdim: [f64; 4] = self.floats(76);
        let spacing = [1, 2, 3].map(|k| pixdim[k].abs() * unit);
        let known = spacing.iter().all(|s| s.is_finite() && *s > 0.0);
        let quaternion = (self.short(252) > 0 && known).then(|| self.by_quaternion(spacing, pixdim[0], unit));
        let matrix =
            (self.short(254) > 0).then(|| self.by_matrix(unit)).filter(|(steps, _)| is_regular(steps));
        if let (Some((a, _)), Some((b, _))) = (&matrix, &quaternion)
            && (a.determinant() < 0.0) != (b.determinant() < 0.0)
        {
            notes.push(
                "has two orientations (sform and qform) that are mirror images; the sform was taken"
                    .to_owned(),
            );
        }
        match matrix.or(quaternion) {
            Some((steps, origin)) => Place::Body(steps, origin),
            None if known => Place::Spacing(spacing),
            None => Place::Unknown,
        }
    }

    fn by_matrix(&self, unit: f64) -> (Matrix3<f64>, Vector3<f64>) {
        let rows: [[f64; 4]; 3] = [280, 296, 312].map(|at| self.floats(at));
        let steps = Matrix3::from_fn(|d, k| rows[d][k] * unit);
        (steps, Vector3::from_fn(|d, _| rows[d][3] * unit))
    }

    fn by_quaternion(&self, spacing: [f64; 3], handed: f64, unit: f64) -> (Matrix3<f64>, Vector3<f64>) {
        let [b, c, d, x, y, z]: [f64; 6] = self.floats(256);
        let a = (1.0 - b * b - c * c - d * d).max(0.0).sqrt();
        let turn = UnitQuaternion::new_normalize(Quaternion::new(a, b, c, d)).to_rotation_matrix();
        let lengths =
            Vector3::new(spacing[0], spacing[1], if handed < 0.0 { -spacing[2] } else { spacing[2] });
        (turn.matrix() * Matrix3::from_diagonal(&lengths), Vector3::new(x, y, z) * unit)
    }
}

/// Whether three steps span space.
pub(super) fn is_regular(steps: &Matrix3<f64>) -> bool {
    let lengths: f64 = steps.column_iter().map(|c| c.norm()).product();
    steps.iter().all(|x| x.is_finite()) && lengths > 0.0 && steps.determinant().abs() > 1e-3 * lengths
}

/// The mask in a NIfTI-1 file, packed or not.
pub(super) fn parse(bytes: &[u8]) -> Result<Grid, Fault> {
    if is_packed(bytes) {
        // Voxels of 8 bytes at most, and what may stand before them.
        return parse_plain(&unpack(bytes, 8 * MOST)?);
    }
    parse_plain(bytes)
}

fn parse_plain(bytes: &[u8]) -> Result<Grid, Fault> {
    let size = bytes.first_chunk::<4>().map(|four| u32::from_le_bytes(*four));
    let big_endian = match size {
        Some(348) => false,
        Some(size) if size.swap_bytes() == 348 => true,
        Some(size) if size == 540 || size.swap_bytes() == 540 => {
            return Err(Fault::Malformed("is NIfTI-2; save it as NIfTI-1"));
        }
        _ => {
            return Err(Fault::Malformed(
                "does not begin as a NIfTI-1 file does; check the ending of its name",
            ));
        }
    };
    if bytes.len() < 352 || &bytes[344..348] != b"n+1\0" {
        return Err(Fault::Malformed(
            "is not a whole NIfTI-1 file (header and voxels in one); save it as .nii",
        ));
    }
    let header = Header { bytes, big_endian };
    let (shape, number, mut notes) = (header.shape()?, header.number_type()?, Vec::new());
    let count = Grid::count(shape)?;
    let start = header.float(108);
    let start = if (352.0..1e9).contains(&start) { start as usize } else { 352 };
    let body = bytes.get(start..).unwrap_or_default();
    if body.len() / number.width() < count {
        return Err(Fault::Truncated { what: "voxels", promised: count, found: body.len() / number.width() });
    }
    let (slope, shift) = (header.float(112), header.float(116));
    let scaled = slope.is_finite() && slope != 0.0 && shift.is_finite();
    let values = number.values(body).map(|value| if scaled { slope * value + shift } else { value });
    let place = header.place(&mut notes);
    Ok(Grid { notes, ..Grid::new(shape, values, place)? })
}
