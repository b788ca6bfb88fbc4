//! NumPy `.npy` arrays: format versions 1 to 3, either order of axes and of bytes, real numbers of 4 or 8 bytes and
//! whole ones of 1 to 8, read into f64 and written as `<f8`.

use super::atomic::{WriteError, write_atomically};
use super::error::{Fault, Parsed, ReadError};
use super::source::{LARGEST_SCAN, load};
use std::io::{self, Write};
use std::path::Path;

/// An n-dimensional array in C order.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Lengths of the axes.
    pub shape: Vec<usize>,
    /// The values, last axis fastest.
    pub data: Vec<f64>,
}

/// The longest header, in bytes; NumPy's own are about a hundred.
const LONGEST_HEADER: usize = 1 << 16;
/// The most axes, as in NumPy.
const MOST_AXES: usize = 64;

/// Reads an array, whatever its number type, as f64 (whole numbers beyond 2⁵³ are rounded). At most
/// [`LARGEST_SCAN`] bytes.
///
/// # Errors
/// [`ReadError`] when the header is not understood, or claims another size than the file has (checked before
/// anything is allocated for it).
pub fn read(path: &Path) -> Result<Array, ReadError> {
    load(path, LARGEST_SCAN).and_then(|bytes| parse(&bytes)).map_err(|located| located.in_file(path))
}

/// Parses a whole array file.
pub(super) fn parse(bytes: &[u8]) -> Parsed<Array> {
    let Some(rest) = bytes.strip_prefix(b"\x93NUMPY") else {
        return malformed("does not begin as an .npy file does; check the ending of its name");
    };
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        [1..=3, ..] | [] => return malformed("ends in the .npy header; copy or save it again"),
        _ => {
            return malformed(
                "is of an .npy version that is not known; save it with NumPy as version 1 to 3",
            );
        }
    };
    if length > LONGEST_HEADER {
        return malformed("has an .npy header too long to be one; save it again");
    }
    let Some((header, body)) = rest.split_at_checked(length) else {
        return malformed("ends in the .npy header; copy or save it again");
    };
    let Some(header) = std::str::from_utf8(header).ok().and_then(Header::parse) else {
        return malformed("has an .npy header that is not understood; save it with numpy.save");
    };
    let Some(number) = Number::parse(header.kind) else {
        return malformed("holds an .npy array of a type that is not read; save it as float64");
    };
    let Some(count) = header.shape.iter().try_fold(1usize, |n, &k| n.checked_mul(k)) else {
        return malformed("has an .npy header of an impossible shape; save it again");
    };
    let found = body.len() / number.width;
    if count > found {
        return Err(Fault::Truncated { what: "values", promised: count, found }.into());
    }
    if body.len() > count * number.width {
        return Err(Fault::Surplus { what: "bytes", surplus: body.len() - count * number.width }.into());
    }
    let data: Vec<f64> = body.chunks_exact(number.width).map(|raw| number.value(raw)).collect();
    let data = if header.is_fortran { to_c_order(&header.shape, &data) } else { data };
    Ok(Array { shape: header.shape, data })
}

fn malformed<T>(text: &'static str) -> Parsed<T> {
    Err(Fault::Malformed(text).into())
}

/// The values of an array whose first axis is fastest, last axis fastest.
fn to_c_order(shape: &[usize], data: &[f64]) -> Vec<f64> {
    let mut index = vec![0; shape.len()];
    let mut at = 0;
    let mut out = Vec::with_capacity(data.len());
    for _ in 0..data.len() {
        out.push(data[at]);
        // Count the index up from its last axis; `at` follows.
        let mut stride = data.len();
        for (i, &n) in index.iter_mut().zip(shape).rev() {
            stride /= n;
            *i += 1;
            at += stride;
            if *i < n {
                break;
            }
            *i = 0;
            at -= stride * n;
        }
    }
    out
}

/// A type of number: kind and width in bytes.
#[derive(Debug, Clone, Copy)]
struct Number {
    kind: u8,
    width: usize,
    is_big_endian: bool,
}

impl Number {
    /// As NumPy writes it: `<f8`, `>i4`, `|u1`, `|b1`.
    fn parse(text: &str) -> Option<Self> {
        let [order @ (b'<' | b'>' | b'|' | b'='), kind, width] = *text.as_bytes() else { return None };
        let is_known = matches!(
            (kind, width),
            (b'f', b'4' | b'8') | (b'i' | b'u', b'1' | b'2' | b'4' | b'8') | (b'b', b'1')
        );
        is_known.then_some(Self { kind, width: usize::from(width - b'0'), is_big_endian: order == b'>' })
    }

    fn value(self, raw: &[u8]) -> f64 {
        let mut bytes = [0; 8];
        bytes[..self.width].copy_from_slice(raw);
        if self.is_big_endian {
            bytes[..self.width].reverse();
        }
        let whole = u64::from_le_bytes(bytes);
        match (self.kind, self.width) {
            (b'f', 4) => f64::from(f32::from_bits(whole as u32)),
            (b'f', _) => f64::from_bits(whole),
            (b'i', width) => {
                let shift = 64 - 8 * width as u32;
                (((whole << shift) as i64) >> shift) as f64
            }
            _ => whole as f64,
        }
    }
}

/// What a header says.
struct Header<'a> {
    kind: &'a str,
    is_fortran: bool,
    shape: Vec<usize>,
}

impl<'a> Header<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let value_of = |key: &str| {
            let (_, rest) = text.split_once(&format!("'{key}'"))?;
            rest.trim_start().strip_prefix(':').map(str::trim_start)
        };
        let kind = value_of("descr")?.strip_prefix('\'')?.split('\'').next()?;
        let is_fortran = match value_of("fortran_order")? {
            v if v.starts_with("True") => true,
            v if v.starts_with("False") => false,
            _ => return None,
        };
        let (axes, _) = value_of("shape")?.strip_prefix('(')?.split_once(')')?;
        let shape: Vec<usize> = axes
            .split(',')
            .map(str::trim)
            .filter(|axis| !axis.is_empty())
            .take(MOST_AXES + 1)
            // Python 2 wrote long integers with an L.
            .map(|axis| axis.trim_end_matches('L').parse().ok())
            .collect::<Option<_>>()?;
        (shape.len() <= MOST_AXES).then_some(Self { kind, is_fortran, shape })
    }
}

/// Writes an array of the given shape as `<f8` in C order (format version 1.0), atomically.
///
/// # Errors
/// [`WriteError`], also when shape and data disagree.
pub fn write_npy(path: &Path, shape: &[usize], data: &[f64]) -> Result<(), WriteError> {
    write_atomically(path, |out| write_to(out, shape, data))
}

/// Writes `<f8` data of the given shape (format version 1.0) to `out`.
///
/// # Errors
/// Whatever writing reports; `InvalidInput` when shape and data disagree.
pub fn write_to(out: &mut impl Write, shape: &[usize], data: &[f64]) -> io::Result<()> {
    let count = shape.iter().try_fold(1usize, |n, &k| n.checked_mul(k));
    if count != Some(data.len()) || shape.len() > MOST_AXES {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the shape of the array and its data disagree",
        ));
    }
    let axes = match shape {
        [n] => format!("{n},"),
        _ => shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
    };
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({axes}), }}");
    // Magic, version, length and header with its line break fill a multiple of 64 bytes.
    let padding = (64 - (10 + header.len() + 1) % 64) % 64;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(header.len() as u16).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    let bytes: Vec<u8> = data.iter().flat_map(|x| x.to_le_bytes()).collect();
    out.write_all(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u8, header: &str, body: &[u8]) -> Vec<u8> {
        let mut out = vec![0x93, b'N', b'U', b'M', b'P', b'Y', version, 0];
        match version {
            1 => out.extend((header.len() as u16).to_le_bytes()),
            _ => out.extend((header.len() as u32).to_le_bytes()),
        }
        out.extend(header.as_bytes());
        out.extend(body);
        out
    }

    fn of(kind: &str, shape: &str, body: &[u8]) -> Parsed<Array> {
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}\n");
        parse(&file(1, &header, body))
    }

    #[test]
    fn round_trip_keeps_every_bit() {
        let data = vec![0.1, -2.5, f64::MIN_POSITIVE, 1e300, 0.0, -0.0];
        for shape in [&[6][..], &[2, 3], &[3, 1, 2], &[1; 30]] {
            let n = shape.iter().product();
            let mut bytes = Vec::new();
            write_to(&mut bytes, shape, &data[..n]).unwrap();
            assert_eq!((bytes.len() - 8 * n) % 64, 0);
            let array = parse(&bytes).unwrap();
            assert_eq!(array.shape, shape);
            let bits = |data: &[f64]| data.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&array.data), bits(&data[..n]));
        }
        assert!(write_to(&mut Vec::new(), &[2, 2], &data).is_err());
        assert!(write_to(&mut Vec::new(), &[usize::MAX, 2], &data).is_err());
    }

    #[test]
    fn every_number_type_means_its_value() {
        for (kind, raw, expected) in [
            ("<f8", &(-1.5f64).to_le_bytes()[..], -1.5),
            (">f8", &(-1.5f64).to_be_bytes(), -1.5),
            ("<f4", &0.1f32.to_le_bytes(), f64::from(0.1f32)),
            (">f4", &0.1f32.to_be_bytes(), f64::from(0.1f32)),
            ("<i8", &(-3i64).to_le_bytes(), -3.0),
            (">i4", &(-3i32).to_be_bytes(), -3.0),
            ("<i2", &i16::MIN.to_le_bytes(), -32768.0),
            ("|i1", &[0x80], -128.0),
            ("|u1", &[0x80], 128.0),
            ("<u8", &u64::MAX.to_le_bytes(), 18_446_744_073_709_551_615.0),
            (">u2", &[1, 2], 258.0),
            ("|b1", &[1], 1.0),
        ] {
            assert_eq!(of(kind, "1,", raw).unwrap().data, [expected], "{kind}");
        }
        assert_eq!(of("<f8", "", &1f64.to_le_bytes()).unwrap(), Array { shape: vec![], data: vec![1.0] });
        assert_eq!(of("<f8", "0, 3", &[]).unwrap().shape, [0, 3]);
    }

    #[test]
    fn fortran_order_is_turned() {
        // numpy.asfortranarray(numpy.arange(24, dtype='u1').reshape(2, 3, 4)), version 2.0.
        let header = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 4), }";
        let body: Vec<u8> =
            (0..4).flat_map(|k| (0..3).flat_map(move |j| (0..2).map(move |i| 12 * i + 4 * j + k))).collect();
        let array = parse(&file(2, header, &body)).unwrap();
        assert_eq!(array.shape, [2, 3, 4]);
        assert_eq!(array.data, (0..24).map(f64::from).collect::<Vec<_>>());
        assert!(to_c_order(&[0, 3], &[]).is_empty());
    }

    #[test]
    fn what_cannot_be_read_says_why_without_showing_it() {
        let message = |result: Parsed<Array>| result.unwrap_err().fault.to_string();
        for (kind, shape, expected) in [
            ("<f8", "1000000000000, 3", "the values end early (2 of 3000000000000 are there)"),
            ("<f8", "4000000000, 4000000000, 4000000000", "impossible shape"),
            ("<f8", "1,", "there are 8 more bytes"),
            ("<f8", "-1,", "not understood"),
            ("<f8", "99999999999999999999,", "not understood"),
            ("<U9", "1,", "of a type that is not read"),
            ("secret", "1,", "of a type that is not read"),
        ] {
            let message = message(of(kind, shape, &[0; 16]));
            assert!(message.contains(expected) && !message.contains("secret"), "{message}");
        }
        assert!(message(parse(b"PK\x03\x04")).contains("does not begin as an .npy file does"));
        assert!(message(parse(&file(4, "", b""))).contains("version that is not known"));
        let whole = file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", &[0; 16]);
        for n in 0..whole.len() {
            assert!(parse(&whole[..n]).is_err(), "{n}");
        }
        let structured = "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (2,), }";
        assert!(message(parse(&file(1, structured, &[0; 16]))).contains("not understood"));
    }
}
