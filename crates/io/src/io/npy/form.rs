//! Where values are in an `.npy` file: its header, and the order of axes and bytes.

use crate::io::error::{Fault, Located, Parsed};
use crate::io::open::check_memory;

/// The longest header, in bytes; NumPy's own are about a hundred.
pub(in crate::io) const LONGEST_HEADER: usize = 1 << 16;
/// The most axes, as in NumPy.
pub(super) const MOST_AXES: usize = 64;

/// What to do about numbers of one byte, which take eight times as much in memory.
const WIDER: &str = "save it with numbers of 2 bytes or more, or in parts";

/// Where the values of an array are in its file, and what they mean: values are taken from there one by one, so that a table
/// of many records need not be in memory a second time.
#[derive(Debug, Clone)]
pub(in crate::io) struct Form {
    /// Lengths of the axes.
    pub shape: Vec<usize>,
    /// How many values apart neighbours along each axis are.
    strides: Vec<usize>,
    number: Number,
    /// The first byte of the values.
    start: usize,
}

impl Form {
    /// Parses a header and makes sure that the file is as long as it says.
    pub fn parse(bytes: &[u8]) -> Parsed<Self> {
        Self::parse_head(bytes, bytes.len() as u64)
    }

    /// The same of a file of so many bytes, of which the first are at hand, the whole header among them.
    pub fn parse_head(bytes: &[u8], whole: u64) -> Parsed<Self> {
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
        let Header { shape, is_fortran, .. } = header;
        let Some(strides) = strides(&shape, is_fortran) else {
            return malformed("has an .npy header of an impossible shape; save it again");
        };
        let start = bytes.len() - body.len();
        let values = whole.saturating_sub(start as u64) as usize;
        let (count, found) = (shape.iter().product::<usize>(), values / number.width);
        if count > found {
            return Err(Fault::Truncated { what: "values", promised: count, found }.into());
        }
        if values > count * number.width {
            return Err(Fault::Surplus { what: "bytes", surplus: values - count * number.width }.into());
        }
        if count > 0 {
            // Whoever reads record by record has one of them in memory.
            check_memory(whole as usize, count / shape.first().unwrap_or(&1) * size_of::<f64>(), WIDER)?;
        }
        Ok(Self { shape, strides, number, start })
    }

    /// Where each record's bytes are in the file, if they lie together: the place of the first, and the bytes of each.
    pub fn rows(&self) -> Option<(u64, usize)> {
        let values = self.shape.iter().skip(1).product::<usize>();
        let together = self.shape.len() == 1 || self.strides.last() == Some(&1);
        (together && !self.shape.is_empty()).then_some((self.start as u64, values * self.number.width))
    }

    /// The values of a record of these bytes.
    pub fn row(&self, bytes: &[u8]) -> Vec<f64> {
        // What most files hold is read several times as fast by itself.
        match self.number {
            Number { kind: b'f', width: 8, is_big_endian: false } => {
                bytes.as_chunks().0.iter().map(|raw| f64::from_le_bytes(*raw)).collect()
            }
            Number { kind: b'f', width: 4, is_big_endian: false } => {
                bytes.as_chunks().0.iter().map(|raw| f64::from(f32::from_le_bytes(*raw))).collect()
            }
            number => bytes.chunks_exact(number.width).map(|raw| number.value(raw)).collect(),
        }
    }

    /// How many records lie along the first axis.
    pub fn records(&self) -> usize {
        self.shape.first().copied().unwrap_or(0)
    }

    /// The same array as one record.
    pub fn into_one_record(mut self) -> Self {
        self.shape.insert(0, 1);
        self.strides.insert(0, 0);
        self
    }

    /// The values of a record (below [`records`](Self::records)), last axis fastest.
    pub fn record(&self, bytes: &[u8], index: usize) -> Vec<f64> {
        if let Some((start, width)) = self.rows() {
            let from = start as usize + index * width;
            return bytes.get(from..from + width).map(|bytes| self.row(bytes)).unwrap_or_default();
        }
        let (first, strides) = self.strides.split_first().map_or((0, &[][..]), |(n, rest)| (*n, rest));
        let shape = self.shape.get(1..).unwrap_or_default();
        let mut record = Vec::with_capacity(shape.iter().product());
        record.extend(self.decode(bytes, Offsets::new(shape, strides, index * first)));
        record
    }

    /// All values, last axis fastest.
    pub fn all<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = f64> + 'a {
        self.decode(bytes, Offsets::new(&self.shape, &self.strides, 0))
    }

    pub fn values(&self, bytes: &[u8]) -> Parsed<Vec<f64>> {
        self.check_memory(bytes)?;
        if let Some((start, width)) = self.rows() {
            let all = bytes.get(start as usize..start as usize + self.records() * width);
            return Ok(all.map(|bytes| self.row(bytes)).unwrap_or_default());
        }
        let mut values = Vec::with_capacity(self.shape.iter().product());
        values.extend(self.all(bytes));
        Ok(values)
    }

    /// Whether all values may be in memory at once.
    pub fn check_memory(&self, bytes: &[u8]) -> Result<(), Fault> {
        let made = self.shape.iter().product::<usize>() * size_of::<f64>();
        check_memory(bytes.len(), made, WIDER)
    }

    fn decode<'a>(&'a self, bytes: &'a [u8], offsets: Offsets<'a>) -> impl Iterator<Item = f64> + 'a {
        let width = self.number.width;
        offsets.filter_map(move |at| {
            let from = self.start + at * width;
            bytes.get(from..from + width).map(|raw| self.number.value(raw))
        })
    }

    /// The fault of an array of another shape than is `needed`.
    pub fn unfit(self, needed: &'static str) -> Located {
        Fault::Shape { shape: self.shape, needed }.into()
    }
}

fn malformed<T>(text: &'static str) -> Parsed<T> {
    Err(Fault::Malformed(text).into())
}

/// How far apart neighbours along each axis are; `None` where no machine could count them. Axes of length 0 are counted as 1:
/// an array without values may still claim records too large to be counted.
fn strides(shape: &[usize], is_fortran: bool) -> Option<Vec<usize>> {
    let mut strides = vec![0; shape.len()];
    let mut product = 1usize;
    for k in 0..shape.len() {
        let axis = if is_fortran { k } else { shape.len() - 1 - k };
        strides[axis] = product;
        product = product.checked_mul(shape[axis].max(1))?;
    }
    // Room for the values as f64, and for small multiples of any part.
    (product <= isize::MAX as usize / 64).then_some(strides)
}

/// The places of a block's values in the file, last axis fastest.
struct Offsets<'a> {
    shape: &'a [usize],
    strides: &'a [usize],
    index: Vec<usize>,
    at: usize,
    left: usize,
}

impl<'a> Offsets<'a> {
    fn new(shape: &'a [usize], strides: &'a [usize], at: usize) -> Self {
        Self { shape, strides, index: vec![0; shape.len()], at, left: shape.iter().product() }
    }
}

impl Iterator for Offsets<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let at = self.at;
        // Count the index up from its last axis; the place follows.
        for ((i, &n), &stride) in self.index.iter_mut().zip(self.shape).zip(self.strides).rev() {
            *i += 1;
            self.at += stride;
            if *i < n {
                break;
            }
            *i = 0;
            self.at -= stride * n;
        }
        Some(at)
    }
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
        is_known.then(|| Self { kind, width: usize::from(width - b'0'), is_big_endian: order == b'>' })
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
