//! NumPy `.npy` arrays (format versions 1 to 3; C order; f4, f8, i4, i8, u1, u2), read into f64 and written as `<f8`.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

/// An n-dimensional array in C order.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Lengths of the axes.
    pub shape: Vec<usize>,
    /// The values, last axis fastest.
    pub data: Vec<f64>,
}

/// Why a file is not a readable `.npy` array.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NpyError {
    /// The file could not be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The header or the size of the data is wrong; the text says how.
    #[error("{0}")]
    Malformed(String),
}

fn malformed<T>(text: impl Into<String>) -> Result<T, NpyError> {
    Err(NpyError::Malformed(text.into()))
}

/// Reads an array, whatever its number type, as f64.
///
/// # Errors
/// [`NpyError`] when the header is not understood, or claims another size than the file has
/// (checked before anything is allocated).
pub fn read(path: &Path) -> Result<Array, NpyError> {
    let mut file = BufReader::new(File::open(path)?);
    let file_bytes = file.get_ref().metadata()?.len();
    let mut start = [0u8; 8];
    file.read_exact(&mut start).or_else(|_| malformed("too short to be an .npy file"))?;
    if &start[..6] != b"\x93NUMPY" {
        return malformed("not an .npy file (the first bytes are not \\x93NUMPY)");
    }
    let (header_bytes, prefix) = if start[6] == 1 {
        let mut n = [0u8; 2];
        file.read_exact(&mut n)?;
        (u16::from_le_bytes(n) as u64, 10)
    } else {
        let mut n = [0u8; 4];
        file.read_exact(&mut n)?;
        (u32::from_le_bytes(n) as u64, 12)
    };
    if header_bytes > file_bytes.min(1 << 20) {
        return malformed("the header claims more bytes than the file has");
    }
    let mut header = vec![0u8; header_bytes as usize];
    file.read_exact(&mut header)?;
    let header = String::from_utf8_lossy(&header).into_owned();
    let (kind, shape) = parse_header(&header)?;
    let width = match kind.as_str() {
        "<f8" | "<i8" => 8,
        "<f4" | "<i4" => 4,
        "<u2" | "<i2" => 2,
        "|u1" | "<u1" | "|i1" | "|b1" => 1,
        other => {
            return malformed(format!("number type {other} is not supported; save as float64 (<f8)"));
        }
    };
    let count = shape.iter().try_fold(1usize, |n, &k| n.checked_mul(k)).unwrap_or(usize::MAX);
    let expected = (count as u128) * width as u128 + prefix as u128 + header_bytes as u128;
    if expected != file_bytes as u128 {
        return malformed(format!(
            "the header promises shape {shape:?} of {kind} ({expected} bytes), the file has {file_bytes}"
        ));
    }
    let mut raw = Vec::with_capacity(count * width);
    file.read_to_end(&mut raw)?;
    let data = raw
        .chunks_exact(width)
        .map(|b| match kind.as_str() {
            "<f8" => f64::from_le_bytes(b.try_into().unwrap_or_default()),
            "<i8" => i64::from_le_bytes(b.try_into().unwrap_or_default()) as f64,
            "<f4" => f32::from_le_bytes(b.try_into().unwrap_or_default()) as f64,
            "<i4" => i32::from_le_bytes(b.try_into().unwrap_or_default()) as f64,
            "<u2" => u16::from_le_bytes(b.try_into().unwrap_or_default()) as f64,
            "<i2" => i16::from_le_bytes(b.try_into().unwrap_or_default()) as f64,
            "|i1" => b[0] as i8 as f64,
            _ => b[0] as f64,
        })
        .collect();
    Ok(Array { shape, data })
}

fn parse_header(header: &str) -> Result<(String, Vec<usize>), NpyError> {
    let value_of = |key: &str| -> Option<&str> {
        let at = header.find(&format!("'{key}'"))?;
        let rest = &header[at..];
        Some(rest[rest.find(':')? + 1..].trim_start())
    };
    let kind = value_of("descr")
        .and_then(|v| v.strip_prefix('\''))
        .and_then(|v| v.split('\'').next())
        .map(str::to_owned);
    let fortran = value_of("fortran_order").map(|v| v.starts_with("True"));
    let shape =
        value_of("shape").and_then(|v| v.strip_prefix('(')).and_then(|v| v.split(')').next()).map(|v| {
            v.split(',')
                .map(str::trim)
                .filter(|s| !s.is_empty())
                .map(str::parse::<usize>)
                .collect::<Result<Vec<_>, _>>()
        });
    match (kind, fortran, shape) {
        (Some(_), Some(true), _) => malformed("Fortran order is not supported; save with order='C'"),
        (Some(kind), Some(false), Some(Ok(shape))) => Ok((kind, shape)),
        _ => malformed("the header is not understood"),
    }
}

/// Writes `<f8` data of the given shape (format version 1.0) to `out`.
///
/// # Errors
/// Whatever writing reports; `InvalidInput` when shape and data disagree.
pub fn write_to(out: &mut impl Write, shape: &[usize], data: &[f64]) -> std::io::Result<()> {
    if shape.iter().product::<usize>() != data.len() {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "shape and data disagree"));
    }
    let axes: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let axes =
        if shape.len() == 1 { axes.trim_end().to_owned() } else { axes.trim_end_matches(", ").to_owned() };
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({axes}), }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
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

    #[test]
    fn round_trip_keeps_every_bit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.npy");
        let data = vec![0.1, -2.5, f64::MIN_POSITIVE, 1e300, 0.0, -0.0];
        write_to(&mut File::create(&path).unwrap(), &[2, 3], &data).unwrap();
        assert_eq!(read(&path).unwrap(), Array { shape: vec![2, 3], data });
        write_to(&mut File::create(&path).unwrap(), &[2], &[1.0, 2.0]).unwrap();
        assert_eq!(read(&path).unwrap().shape, [2]);
    }

    #[test]
    fn a_hostile_header_allocates_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.npy");
        let mut bytes = b"\x93NUMPY\x01\x00\x50\x00".to_vec();
        bytes.extend(
            format!("{:<80}", "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 3), }")
                .bytes(),
        );
        std::fs::write(&path, bytes).unwrap();
        assert!(matches!(read(&path), Err(NpyError::Malformed(_))));
    }
}
