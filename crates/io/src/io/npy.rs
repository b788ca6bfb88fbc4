//! NumPy `.npy` arrays: format versions 1 to 3, either order of axes and of bytes, real numbers of 4 or 8 bytes and
//! whole ones of 1 to 8, read into f64 and written as `<f8`.

mod form;
mod rows;

pub(super) use form::Form;
pub(super) use rows::Rows;

use super::atomic::{WriteError, write_atomically};
use super::error::{Fault, Parsed, ReadError};
use super::open::{Limit, Opened, open};
pub(super) use form::LONGEST_HEADER;
use form::MOST_AXES;
use std::io::{self, Write};
use std::path::Path;

/// An n-dimensional array in C order.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Lengths of the axes. Their product, zeros left out, is small enough for any part of it to be counted.
    pub shape: Vec<usize>,
    /// The values, last axis fastest.
    pub data: Vec<f64>,
}

/// Reads an array, whatever its number type, as f64 (whole numbers beyond 2⁵³ are rounded). At most
/// [`Limit::TABLE`] bytes, and at most 64 MB of numbers of one byte, which take eight as f64.
///
/// # Errors
/// [`ReadError`] when the header is not understood, or claims another size than the file has (checked before
/// anything is allocated for it).
pub fn read(path: &Path) -> Result<Array, ReadError> {
    open(path, Limit::TABLE).and_then(|file| of(&file))
}

/// The array in an opened file, as [`read`].
///
/// # Errors
/// As [`read`].
pub fn of(file: &Opened) -> Result<Array, ReadError> {
    parse(file.bytes()).map_err(|located| file.error(located))
}

/// The array in these bytes, as [`read`].
///
/// # Errors
/// What is wrong, without the place.
pub fn of_bytes(bytes: &[u8]) -> Result<Array, Fault> {
    parse(bytes).map_err(|located| located.fault)
}

/// The shape of the array in an opened file, from its header; the size of the file is checked against it.
///
/// # Errors
/// [`ReadError`] when the header is not understood, or claims another size than the file has.
pub fn shape_of(file: &Opened) -> Result<Vec<usize>, ReadError> {
    Form::parse(file.bytes()).map(|form| form.shape).map_err(|located| file.error(located))
}

/// Parses a whole array file.
fn parse(bytes: &[u8]) -> Parsed<Array> {
    let form = Form::parse(bytes)?;
    let data = form.values(bytes)?;
    Ok(Array { shape: form.shape, data })
}

/// Points of space from an array of shape (p, 3).
pub(super) fn points(bytes: &[u8], needed: &'static str) -> Parsed<Vec<[f64; 3]>> {
    let form = Form::parse(bytes)?;
    if !matches!(form.shape[..], [_, 3]) {
        return Err(form.unfit(needed));
    }
    form.check_memory(bytes)?;
    let mut points = vec![[0.0; 3]; form.records()];
    points.as_flattened_mut().iter_mut().zip(form.all(bytes)).for_each(|(c, value)| *c = value);
    Ok(points)
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
        let form = Form::parse(&file(2, header, &body)).unwrap();
        let whole = file(2, header, &body);
        assert_eq!(form.record(&whole, 1), (12..24).map(f64::from).collect::<Vec<_>>());
    }

    #[test]
    fn what_cannot_be_read_says_why_without_showing_it() {
        let message = |result: Parsed<Array>| result.unwrap_err().fault.to_string();
        for (kind, shape, expected) in [
            ("<f8", "1000000000000, 3", "the values end early (2 of 3000000000000 are there)"),
            ("<f8", "4000000000, 4000000000, 4000000000", "impossible shape"),
            ("<f8", "0, 4294967296, 4294967296", "impossible shape"),
            ("<f8", "0, 9223372036854775808, 2", "impossible shape"),
            ("<f8", "4294967296, 0, 4294967296", "impossible shape"),
            ("|u1", "0, 1152921504606846976", "impossible shape"),
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
